//! The links between the cards of a host: a matrix for each way of copying, and one of latencies.

use std::fmt::Write;

use crate::report::layout::{Column, Grid, Medium, Part, Row, Terminal, lay_out};
use kernels::load_ns;
use record::suite::Api;
use record::{Record, by_card, format};

/// The benchmarks between cards: name in the family `transfer`, and title of the matrix.
const SHOWN: [(&str, &str); 6] = [
    ("peer_write", "writes by a copy engine, GB/s"),
    ("peer_read", "reads by a copy engine, GB/s"),
    ("peer_both", "both directions by copy engines, sum, GB/s"),
    ("peer_write_by_kernel", "writes by kernel stores, GB/s"),
    ("peer_read_by_kernel", "reads by kernel loads, GB/s"),
    ("peer_latency", "latency of a dependent load, ns"),
];

/// The matrices of a run on all cards, in the order of CUDA's devices: a line for the copying card, a column for the
/// other. Without rows between cards, a sentence says why.
#[must_use]
pub fn links(records: &[Record], terminal: Terminal) -> String {
    let rows = records
        .iter()
        .filter(|row| row.family == "transfer" && row.backend == Some(Api::Cuda) && row.params.contains_key("PEER"));
    let cards = by_card(rows);
    let mut text = String::new();
    for (number, first) in cards.iter().enumerate().filter_map(|(number, rows)| Some((number, rows.first()?))) {
        let _ = writeln!(text, "card {number}: {} {}", first.device, first.card);
    }
    for (benchmark, title) in SHOWN {
        let lines: Vec<Vec<String>> = (0..cards.len()).map(|from| line(&cards, from, benchmark)).collect();
        if lines.iter().flatten().any(|cell| cell.starts_with(|c: char| c.is_ascii_digit())) {
            let row = |(from, cells): (usize, Vec<String>)| Row::new("", format!("card {from}"), cells);
            let columns = (0..cards.len()).map(|to| Column::right(to.to_string()));
            let grid = Grid::new(columns, lines.into_iter().enumerate().map(row));
            let _ = write!(text, "\n{title}\n{}", lay_out(vec![Part::Table(grid)], Medium::Terminal(terminal)));
        }
    }
    if !text.contains('\n') || cards.len() < 2 {
        let why = cards.iter().flatten().map(|row| row.reason.as_str()).find(|reason| !reason.is_empty());
        let why = why.unwrap_or("`shaderbench links` measures them on a host with several NVIDIA cards");
        let _ = writeln!(text, "no figures between cards: {why}");
    }
    text
}

/// A line's cells: the figure to each card at the largest measured size, or the row's status; `-` for the card itself.
fn line(cards: &[Vec<&Record>], from: usize, benchmark: &str) -> Vec<String> {
    let cell = |to: usize| {
        if to == from {
            return "-".to_owned();
        }
        let places = (to + cards.len() - from) % cards.len();
        let is_wanted = |row: &&&Record| row.benchmark == benchmark && row.params.get("PEER") == Some(&(places as f64));
        let row = cards[from].iter().filter(is_wanted).max_by_key(|row| row.bytes);
        row.map_or_else(String::new, |row| figure(row).unwrap_or_else(|| row.status.name().to_owned()))
    };
    (0..cards.len()).map(cell).collect()
}

fn figure(row: &Record) -> Option<String> {
    let value = load_ns(row).or(row.gb_per_s)?;
    Some(format!("{}{}", format::significant(value, 3), format::plus_minus(row.noise().unwrap_or(0.0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Status;
    use record::suite::{Api, Dtype, Extent};

    fn row(card: &str, benchmark: &str, peer: f64, gb_per_s: Option<f64>) -> Record {
        Record {
            device: "Fake 9000".to_owned(),
            card: card.to_owned(),
            backend: Some(Api::Cuda),
            family: "transfer".to_owned(),
            benchmark: benchmark.to_owned(),
            dtype: Some(Dtype::F32),
            n: Some(Extent::Linear(1 << 24)),
            params: [("PEER".to_owned(), peer)].into(),
            status: if gb_per_s.is_some() { Status::Ok } else { Status::Skipped },
            bytes: Some(1 << 26),
            median_ns: gb_per_s.map(|rate| (1 << 26) as f64 / rate),
            gb_per_s,
            reason: if gb_per_s.is_some() { String::new() } else { "needs another card".to_owned() },
            ..Record::default()
        }
    }

    const NARROW: Terminal = Terminal { width: 80, has_color: false };

    #[test]
    fn each_card_is_a_line_and_a_column() {
        let rows = [
            row("GPU-a", "peer_write", 1.0, Some(395.6)),
            row("GPU-a", "peer_write", 2.0, Some(55.0)),
            row("GPU-b", "peer_write", 1.0, Some(394.0)),
            row("GPU-b", "peer_write", 2.0, None),
            row("GPU-c", "peer_write", 1.0, Some(50.0)),
        ];
        let expected = "card 0: Fake 9000 GPU-a\ncard 1: Fake 9000 GPU-b\ncard 2: Fake 9000 GPU-c\n
writes by a copy engine, GB/s
               0       1       2
card 0         -     396     55.0
card 1   skipped       -     394
card 2      50.0                -\n";
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squeezed(&links(&rows, NARROW)), squeezed(expected));
        assert!(links(&rows, NARROW).lines().all(|line| line.len() <= 80));
    }

    #[test]
    fn one_card_alone_has_no_links() {
        let text = links(&[row("GPU-a", "peer_write", 1.0, None)], NARROW);
        assert!(text.ends_with("no figures between cards: needs another card\n"), "{text}");
    }
}
