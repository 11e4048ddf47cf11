use std::collections::HashMap;

use super::row::Record;

/// The rows of each card, in their order.
#[must_use]
pub fn by_card<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<Vec<&'a Record>> {
    let mut cards: Vec<Card> = Vec::new();
    for record in records {
        match cards.iter_mut().find(|card| card.owns(record)) {
            Some(card) => card.push(record),
            None => cards.push(Card { named: vec![record], records: vec![record] }),
        }
    }
    cards.into_iter().map(|card| card.records).collect()
}

/// The rows of each run of each card, in their order. A file may contain several runs; a row's date is its run's start.
#[must_use]
pub fn by_run<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<Vec<&'a Record>> {
    let of_card = |rows: Vec<&'a Record>| {
        let mut runs: Vec<Vec<&Record>> = Vec::new();
        for row in rows {
            match runs.iter_mut().find(|run| run[0].date == row.date) {
                Some(run) => run.push(row),
                None => runs.push(vec![row]),
            }
        }
        runs
    };
    by_card(records).into_iter().flat_map(of_card).collect()
}

/// The rows of the newest run of each card, in their order, and the highest number of runs of one card.
#[must_use]
pub fn newest_runs<'a>(records: impl IntoIterator<Item = &'a Record>) -> (Vec<&'a Record>, usize) {
    let (mut rows, mut most) = (Vec::new(), 0);
    for card in by_card(records) {
        let runs = by_run(card);
        most = most.max(runs.len());
        rows.extend(runs.into_iter().max_by(|a, b| a[0].date.cmp(&b[0].date)).unwrap_or_default());
    }
    (rows, most)
}

struct Card<'a> {
    records: Vec<&'a Record>,
    /// The first row of each run and API: later ones add nothing about the card.
    named: Vec<&'a Record>,
}

impl<'a> Card<'a> {
    fn owns(&self, record: &Record) -> bool {
        let is_named = |row: &&Record| row.card_id() == record.card_id();
        // A run measures one card at a time, but APIs may name it differently.
        let is_one_run =
            |row: &&Record| row.backend != record.backend && (&row.date, &row.apis) == (&record.date, &record.apis);
        let mut named = self.named.iter().copied();
        named.clone().any(|row| is_named(&row))
            || (named.clone().any(|row| is_one_run(&row)) && named.all(|row| row.may_be_of_one_card(record)))
    }

    fn push(&mut self, record: &'a Record) {
        let run = |row: &Record| (row.backend, row.date.clone(), row.apis.clone(), row.card.clone());
        if !self.named.iter().any(|row| run(row) == run(record)) {
            self.named.push(record);
        }
        self.records.push(record);
    }
}

/// For each case and API, the row of the typical card: with the median time (of two, the faster), else the first.
#[must_use]
pub fn typical<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<&'a Record> {
    let mut order: Vec<Vec<&Record>> = Vec::new();
    let mut indices: HashMap<_, usize> = HashMap::new();
    for record in records {
        let case = (record.name(), record.dtype_name(), record.size(), record.params_text());
        let index = *indices.entry((record.backend, record.compiler.as_str(), case)).or_insert(order.len());
        match order.get_mut(index) {
            Some(rows) => rows.push(record),
            None => order.push(vec![record]),
        }
    }
    let median = |rows: Vec<&'a Record>| {
        let mut timed: Vec<(f64, &Record)> =
            rows.iter().filter_map(|row| Some((row.median_ns.filter(|_| row.status.is_timed())?, *row))).collect();
        timed.sort_by(|a, b| a.0.total_cmp(&b.0));
        timed.get(timed.len().saturating_sub(1) / 2).map_or(rows[0], |(_, row)| row)
    };
    order.into_iter().map(median).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use crate::suite::Api;

    fn row(backend: Api, card: &str, date: &str) -> Record {
        Record {
            device: "H200".to_owned(),
            card: card.to_owned(),
            date: date.to_owned(),
            apis: "cuda+vulkan".to_owned(),
            backend: Some(backend),
            ..Record::default()
        }
    }

    fn sizes(rows: &[Record]) -> Vec<usize> {
        by_card(rows).iter().map(Vec::len).collect()
    }

    #[test]
    fn apis_of_one_run_are_one_card_however_they_name_it() {
        let rows = [
            row(Api::Vulkan, "0000:06:00.0", "today"),
            row(Api::Cuda, "GPU-1", "today"),
            row(Api::Vulkan, "0000:06:00.0", "today"),
            row(Api::Cuda, "GPU-1", "today"),
        ];
        assert_eq!(sizes(&rows), [4]);
        // Different names of one kind, other runs, and other rows of the same API are other cards.
        let two_cards = [
            rows[0].clone(),
            row(Api::Vulkan, "0000:07:00.0", "today"),
            rows[1].clone(),
            row(Api::Cuda, "GPU-2", "today"),
        ];
        assert_eq!(sizes(&two_cards), [2, 2]);
        assert_eq!(sizes(&[rows[0].clone(), row(Api::Cuda, "GPU-1", "yesterday")]), [1, 1]);
        assert_eq!(sizes(&[rows[0].clone(), row(Api::Vulkan, "", "today")]), [1, 1]);
        // A later run with one of the names is the card to which an earlier run tied that name.
        assert_eq!(sizes(&[rows[0].clone(), rows[1].clone(), row(Api::Cuda, "GPU-1", "later")]), [3]);
    }

    #[test]
    fn a_date_is_a_run() {
        let row_of = |card: &str, date: &str| row(Api::Vulkan, card, date);
        let rows = [
            row_of("GPU-1", "1"),
            row_of("GPU-1", "2"),
            row_of("GPU-2", "1"),
            row_of("GPU-1", "1"),
            row_of("GPU-1", "3"),
        ];
        let sizes: Vec<usize> = by_run(&rows).iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 1, 1, 1]);
        let (newest, most) = newest_runs(&rows);
        assert_eq!((newest, most), (vec![&rows[4], &rows[2]], 3));
    }

    #[test]
    fn one_address_in_two_hosts_is_two_cards() {
        let on_host = |host: &str| Record { host: host.to_owned(), ..row(Api::Vulkan, "0000:06:00.0", "today") };
        assert_eq!(sizes(&[on_host("a"), on_host("b"), on_host("a")]), [2, 1]);
    }

    #[test]
    fn the_typical_row_is_the_median_of_those_with_a_time() {
        let timed = |median_ns: f64, status| Record { median_ns: Some(median_ns), status, ..row(Api::Vulkan, "", "") };
        let rows = [timed(9.0, Status::Ok), timed(1.0, Status::Wrong), timed(5.0, Status::Ok), timed(7.0, Status::Ok)];
        assert_eq!(typical(&rows), [&rows[3]]);
        assert_eq!(typical(&rows[..3]), [&rows[2]], "of two the faster one");
        let other = Record { backend: Some(Api::Cuda), ..rows[1].clone() };
        assert_eq!(typical([&rows[0], &other]), [&rows[0], &other]);
    }
}
