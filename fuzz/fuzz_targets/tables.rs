//! Any report becomes tables, Markdown, comparisons, index and page without a panic or a terminal control character.
//!
//! A hash of the input selects one writer and its width, format and order: all writers together take several times as
//! long, and some thousand inputs reach each of them.

#![no_main]

use std::path::Path;

use answers::compare::text::{self, OutputFormat, Sort, View};
use answers::compare::{Report, compare};
use answers::report::{Medium, Terminal, lay_out, reader, sections};
use answers::summary::{LINES, card, side_by_side};
use answers::{articles, index, page as html, section};
use kernels::FAMILIES;
use kernels::articles::steps;
use libfuzzer_sys::fuzz_target;
use record::Record;
use record::error::is_hidden;

fn check(what: &str, text: &str) {
    let is_bad = |character: char| character != '\n' && is_hidden(character);
    // Fast path without decoding: nearly every text is printable ASCII.
    let is_plain = text.bytes().fold(true, |plain, byte| plain & ((b' '..=b'~').contains(&byte) | (byte == b'\n')));
    if !is_plain {
        let bad = text.char_indices().find(|(_, character)| is_bad(*character));
        assert!(bad.is_none(), "{what}: {bad:?}");
    }
}

/// Choices that depend on the whole input only.
struct Choices(u64);

impl Choices {
    /// FNV-1a (Fowler, Noll, Vo) over words instead of bytes, with the finalizer of SplitMix64 (Steele et al. 2014).
    fn of(bytes: &[u8]) -> Self {
        let word = |chunk: &[u8]| chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let mix = |hash: u64, chunk| (hash ^ word(chunk)).wrapping_mul(0x0000_0100_0000_01b3);
        let hash = bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, mix);
        let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(hash ^ hash >> 31)
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        let count = of.len() as u64;
        let chosen = of[(self.0 % count) as usize];
        self.0 /= count;
        chosen
    }
}

type Writer = fn(&[Record], &mut Choices);

const WRITERS: [Writer; 7] = [tables, summary, summaries, step, overview, comparisons, page];

fn terminal(choices: &mut Choices) -> Terminal {
    Terminal { width: choices.one(&[20, 80, 240]), has_color: false }
}

fn medium(choices: &mut Choices) -> Medium {
    if choices.one(&[true, true, true, false]) { Medium::Terminal(terminal(choices)) } else { Medium::Markdown }
}

fn tables(records: &[Record], choices: &mut Choices) {
    let medium = medium(choices);
    for one in sections(records) {
        check("section", &lay_out(section(&one, medium), medium));
    }
}

fn summary(records: &[Record], _: &mut Choices) {
    let summary = card(records, &[], Terminal { width: 80, has_color: false });
    check("summary", &summary);
    assert!(summary.lines().count() <= LINES, "{summary}");
}

fn summaries(records: &[Record], choices: &mut Choices) {
    let sides = [("a".to_owned(), records.to_vec()), ("b".to_owned(), records.to_vec())];
    check("summaries", &side_by_side(&sides, medium(choices)));
}

fn step(records: &[Record], choices: &mut Choices) {
    let steps: Vec<_> = steps();
    let step = choices.one(&steps);
    let medium = medium(choices);
    check("tour", &lay_out(articles::step(step, &articles::sides(records)), medium));
}

fn overview(records: &[Record], _: &mut Choices) {
    let entry = index::Entry { path: "a b.csv".to_owned(), records: records.to_vec() };
    check("index", &index::write(&[entry], false));
}

/// Half of the rows are the baseline, so that both sides of the comparison are foreign.
fn halves(records: &[Record]) -> [[Report; 1]; 2] {
    let (old, new) = records.split_at(records.len() / 2);
    [old, new].map(|rows| [Report { name: "r".to_owned(), records: rows.to_vec() }])
}

fn comparisons(records: &[Record], choices: &mut Choices) {
    let by_kernel: Vec<&str> = FAMILIES.iter().filter(|family| family.is_by_kernel).map(|family| family.name).collect();
    let view = View {
        terminal: terminal(choices),
        sort: choices.one(&[Sort::Family, Sort::Name, Sort::Ratio, Sort::Change]),
        has_all_rows: choices.one(&[true, false]),
        by_kernel: &by_kernel,
        limit: Some(0.05),
    };
    let format = choices.one(&[OutputFormat::Table, OutputFormat::Markdown, OutputFormat::Json]);
    let [old, new] = halves(records);
    check("comparison", &text::write(&compare(&old, &new), view, format));
}

fn page(records: &[Record], _: &mut Choices) {
    let all = halves(records).concat();
    let sides = html::sides(&all);
    check("page", &serde_json::to_string(&html::data(&sides)).expect("plain data"));
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(report) = reader::read(Path::new("fuzz"), bytes) else { return };
    check("notes", &report.notes.join(" "));
    let mut choices = Choices::of(bytes);
    choices.one(&WRITERS)(&report.records, &mut choices);
});
