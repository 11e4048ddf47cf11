//! Tests with reports that are edited, truncated, concatenated or written by another version.

use super::*;
use record::Status;
use record::suite::Extent;

fn record() -> Record {
    Record {
        schema: Some(1),
        device: "A \"quoted\", long name".to_owned(),
        benchmark: "tiled".to_owned(),
        status: Status::Implausible,
        reason: "=1, and 2".to_owned(),
        median_ns: Some(0.1 + 0.2),
        samples: Some(10),
        share: Some(1.07),
        ..Record::default()
    }
}

fn rows(count: usize) -> Vec<Record> {
    (1..=count as u64).map(|n| Record { n: Some(Extent::Linear(n)), ..record() }).collect()
}

fn read_bytes(bytes: &[u8]) -> Result<Parsed> {
    read(Path::new("r.csv"), bytes)
}

fn fault(bytes: &[u8]) -> String {
    read_bytes(bytes).expect_err("a fault").to_string()
}

#[test]
fn what_is_written_is_read_back() {
    let records = vec![record(), Record::default()];
    let report = read_bytes(&write(&records)).expect("own report");
    assert_eq!((report.records, report.notes), (records, Vec::new()));
}

const TEXTS: &str = "tool_version date os cpu device vendor driver family benchmark shader_hash reason card host apis";

#[test]
fn a_text_that_is_a_formula_is_written_as_text_and_comes_back() {
    let texts =
        ["=1+1", "+1+1", "-1+1", "@SUM(1)", "'=1", "''@", "-1.5", "'", "plain", "=HYPERLINK(\"http://x\",\"y\")"];
    for name in TEXTS.split(' ') {
        let column = COLUMNS.iter().find(|column| column.name == name).expect("a column");
        for text in texts {
            let mut record = record();
            (column.set)(&mut record, text).expect("a text");
            let bytes = write([&record]);
            let fields = ::csv::Reader::from_reader(&bytes[..]).records().next().expect("a row").expect("valid");
            for field in &fields {
                let is_number = field.parse::<f64>().is_ok();
                assert!(is_number || !field.starts_with(['=', '+', '-', '@', '\t', '\r']), "{name}: {field}");
            }
            assert_eq!(read_bytes(&bytes).expect("own report").records, [record], "{name}: {text}");
        }
    }
    let params = Record { params: [("@A".to_owned(), -1.0)].into(), drift: Some(-0.5), ..record() };
    let bytes = write([&params]);
    assert!(String::from_utf8_lossy(&bytes).contains(",'@A=-1,") && String::from_utf8_lossy(&bytes).contains(",-0.5,"));
    assert_eq!(read_bytes(&bytes).expect("own report").records, [params]);
}

#[test]
fn no_column_takes_a_control_character() {
    let hostile = "\x1b]0x\x07\u{9b}31m\u{202e}\r\n\u{2028}\u{200b}";
    for column in COLUMNS {
        let mut row: Vec<String> = COLUMNS.iter().map(|column| (column.get)(&record())).collect();
        let index = COLUMNS.iter().position(|other| other.name == column.name).expect("known");
        row[index] = format!("A{hostile}=1");
        let names = COLUMNS.iter().map(|column| column.name.to_owned()).collect();
        let text = match read_bytes(&lines([names, row].into_iter())) {
            Ok(report) => format!("{:?} {:?}", report.records[0].cell(column.name), report.notes).replace("\\\\", "\\"),
            Err(error) => error.to_string(),
        };
        assert!(!text.contains(record::error::is_hidden) && text.contains("u{1b}]0x"), "{}: {text}", column.name);
    }
    let header = format!("status,family,benchmark,x{hostile}\nok,a,b,1\n");
    let notes =
        read_bytes(header.replace(['\r', '\n'], "").replace("ok,", "\nok,").as_bytes()).expect("a report").notes;
    assert!(!notes.join(" ").contains(record::error::is_hidden), "{notes:?}");
}

#[test]
fn columns_are_found_by_name_and_what_is_unknown_or_missing_is_said() {
    let report = read_bytes(b"status,extra,benchmark,family\nok,1,tiled,transpose\n").expect("known columns");
    let record = &report.records[0];
    assert_eq!((record.name().as_str(), record.status), ("transpose/tiled", Status::Ok));
    assert_eq!(report.notes[0], "unknown columns, ignored: extra");
    assert!(report.notes[1].starts_with("missing columns, left empty: schema, tool_version, "));
}

#[test]
fn faults_say_where() {
    for (text, message) in [
        (
            &b"status,family,benchmark,median_ns\nok,a,b,1\nok,a,b,NaN\n"[..],
            "line 3: column median_ns: 'NaN' is not a finite number",
        ),
        (b"status,family,benchmark,median_ns\nok,a,b,inf\n", "line 2: column median_ns: 'inf' is not a finite number"),
        (b"status,family,benchmark,min_ns\r\nok,a,b,1\r\nok,a,b,-1\r\n", "line 3: column min_ns: '-1' is negative"),
        (
            b"status,family,benchmark\rok,a,b\rfine,a,b\r",
            "line 3: column status: 'fine' is not a valid status: use one of ok, unverified, wrong, skipped, failed, \
             implausible",
        ),
        (b"status,family,benchmark,bytes\nok,a,b,1e3\n", "line 2: column bytes: '1e3' is not a whole number"),
        (b"status,family,benchmark\nok,a\n", "line 2: the row has 2 fields, but the header has 3"),
        (b"status,family,benchmark\n\n\nok,a,b,c\n", "line 4: the row has 4 fields, but the header has 3"),
        (
            b"status,family,benchmark\n\"ok\",\"a\nb\",c\nok,a,\xfc\n",
            "line 4: column benchmark: '\u{fffd}' is not UTF-8; save the file as UTF-8",
        ),
        (b"a,b\n1,2\n", "line 1: not a shaderbench report: the first line names no known column"),
        (b"family,benchmark\na,b\n", "line 1: column status is missing"),
        (b"status,family,benchmark,n,n\n", "line 1: column n occurs twice"),
        (
            b"status;family;benchmark\nok;a;b\n",
            "line 1: the fields are separated by semicolons; save the file with commas",
        ),
        (b"status\tfamily\tbenchmark\n", "line 1: the fields are separated by tabs; save the file with commas"),
        (b"\x1f\x8b\x08\0\0", "line 1: the file is compressed; unpack the file first (gzip -d)"),
        (b"\xff\xfes\0t\0a\0t\0u\0s\0\n\0", "line 1: the file is UTF-16; save the file as UTF-8"),
        (b"\xfe\xff\0s\0t\0\n", "line 1: the file is UTF-16; save the file as UTF-8"),
        (b"status,family,benchmark\nok,\"a,b\nok,a,b\nok,a,b\n", "line 2: a quote in this row is not closed"),
    ] {
        assert_eq!(fault(text), format!("r.csv, {message}"));
    }
}

#[test]
fn a_mark_of_utf_8_and_any_line_ends_are_no_fault() {
    let records = rows(3);
    let text = String::from_utf8(write(&records)).expect("UTF-8");
    for line_end in ["\n", "\r\n", "\r"] {
        for mark in ["", "\u{feff}"] {
            let bytes = format!("{mark}{}", text.replace('\n', line_end));
            let report = read_bytes(bytes.as_bytes()).expect("a report");
            assert_eq!(report.records.len(), 3, "{line_end:?}");
            assert_eq!(report.notes, Vec::<String>::new());
        }
    }
}

#[test]
fn a_file_that_ends_anywhere_loses_one_row_at_most() {
    let records = rows(4);
    let whole = write(&records);
    let ends: Vec<usize> = (0..=4).map(|count| write(&records[..count]).len()).collect();
    for length in 0..=whole.len() {
        let report = read_bytes(&whole[..length]).expect("readable");
        let complete = ends.iter().rposition(|end| *end <= length).unwrap_or(0);
        assert_eq!(report.records, records[..complete], "{length} bytes");
        assert_eq!(report.notes.is_empty(), ends.contains(&length), "{length} bytes: {:?}", report.notes);
    }
    let cut = read_bytes(&whole[..whole.len() - 1]).expect("readable");
    assert_eq!(cut.notes, ["line 5: the last row is cut off, so it is ignored"]);
    assert_eq!(read_bytes(b"").expect("no rows").notes, ["the file is empty"]);
}

#[test]
fn of_rows_about_one_case_of_one_run_the_last_one_counts() {
    let mut records = rows(3);
    records.push(Record { median_ns: Some(7.0), ..records[1].clone() });
    // The same case in another run is a separate row.
    records.push(Record { date: "2026-01-02".to_owned(), ..records[1].clone() });
    let report = read_bytes(&write(&records)).expect("a report");
    let medians: Vec<_> = report.records.iter().map(|record| record.median_ns.expect("measured")).collect();
    assert_eq!(medians, [0.1 + 0.2, 7.0, 0.1 + 0.2, 0.1 + 0.2]);
    assert_eq!(
        report.notes,
        ["1 row repeats a case of the same run; the last row counts (for example, line 5 replaces line 3)"]
    );
}

#[test]
fn concatenated_reports_are_one_whatever_the_order_of_their_columns() {
    let mut text = write(&rows(2));
    text.extend(b"\xef\xbb\xbfstatus,family,n,benchmark\nok,reduction,5,vec4\n");
    let report = read_bytes(&text).expect("a report");
    assert_eq!(report.records.len(), 3);
    assert_eq!((report.records[2].name().as_str(), report.records[2].size().as_str()), ("reduction/vec4", "5"));
    // A row with column names as values is not a header.
    let named = Record { os: "family".into(), cpu: "benchmark".into(), device: "status".into(), ..record() };
    assert_eq!(read_bytes(&write([&named])).expect("a report").records, [named]);
}

#[test]
fn a_newer_schema_is_read_as_far_as_it_is_known() {
    let text = "schema,family,benchmark,status,samples,colour\n\
        1,a,b,ok,10,\n3,a,c,ok,ten,red\n3,a,d,melted,10,red\n3,a,e,ok,10,red\n";
    let report = read_bytes(text.as_bytes()).expect("a report");
    let names: Vec<_> = report.records.iter().map(Record::name).collect();
    assert_eq!(names, ["a/b", "a/c", "a/e"]);
    assert_eq!(report.records[1].samples, None);
    let note = report.notes.last().expect("a note");
    let start = "a newer version wrote this report: 2 rows contain values that this version does not know (first in \
                 line 3: column samples: 'ten'";
    assert!(note.starts_with(start), "{note}");
    let report = read_bytes(b"schema,family,benchmark,status\n3,a,b,ok\n").expect("a report");
    assert!(report.notes.last().expect("a note").starts_with("a newer version wrote"));
    // Rows of a known schema must be fully valid.
    assert!(read_bytes(text.replace("\n3,", "\n2,").as_bytes()).is_err());
}

#[test]
fn a_large_file_is_read_without_being_held() {
    struct Endless {
        header: Vec<u8>,
        row: Vec<u8>,
        left: usize,
    }
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let from = if self.header.is_empty() { &mut self.row } else { &mut self.header };
            let length = from.len().min(buffer.len());
            buffer[..length].copy_from_slice(&from[..length]);
            from.drain(..length);
            if self.row.is_empty() && self.left > 0 {
                self.left -= 1;
                self.row = format!("ok,a,b,{}\n", 1 + self.left % 9).into_bytes();
            }
            Ok(length)
        }
    }
    let source =
        Endless { header: b"status,family,benchmark,n\n".to_vec(), row: b"ok,a,b,1\n".to_vec(), left: 200_000 };
    let report = read(Path::new("large.csv"), source).expect("a report");
    assert_eq!(report.records.len(), 9);
    // The reader stops after 1 MiB without a line end instead of reading forever.
    for byte in [b'a', b',', b'"'] {
        let error = read(Path::new("r.csv"), std::io::repeat(byte)).expect_err("no end");
        assert!(error.to_string().starts_with("r.csv, line 1: a row exceeds 1 MiB"), "{error}");
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in [folder.path().to_owned(), folder.path().join("none.csv")] {
        let error = open(&path).expect_err("no report");
        assert!(error.chain().starts_with(&format!("cannot read '{}': ", path.display())), "{}", error.chain());
    }
}

mod properties {
    use arbtest::arbitrary::{Result as Drawn, Unstructured};

    use super::*;

    /// A valid figure, finite and not negative; or an empty cell.
    fn figure(u: &mut Unstructured) -> Drawn<String> {
        let value: f64 = u.arbitrary()?;
        Ok(if value.is_finite() { value.abs().to_string() } else { String::new() })
    }

    /// Arbitrary text in text columns; a value that the column accepts in the others.
    fn any_record(u: &mut Unstructured, number: usize) -> Drawn<Record> {
        let mut record = Record::default();
        for column in COLUMNS {
            let whole: u32 = u.arbitrary()?;
            let words = "ok|wrong|implausible|vulkan|cuda|software|f32|vec4<f32>|512x7|A=1;B=-2.5|bounds+loops|8x8x1|\
                         wall|copy 1 GiB hot|fma f16|timed-out|above-ceiling|";
            let mut words: Vec<&str> = words.split('|').collect();
            let turn = whole as usize % words.len();
            words.rotate_left(turn);
            let candidates = [u.arbitrary::<&str>()?.to_owned(), figure(u)?, whole.to_string()];
            let candidates = candidates.iter().map(String::as_str).chain(words);
            let _ = candidates.map(|text| (column.set)(&mut record, text)).find(Result::is_ok);
        }
        record.schema = Some(1);
        record.n = Some(Extent::Linear(number as u64 + 1));
        Ok(record)
    }

    fn non_negative(record: &Record) -> bool {
        let is_figure = |column: &&record::Column| {
            !column.unit.is_empty() || crate::report::accepted::NOT_NEGATIVE.contains(&column.name)
        };
        COLUMNS
            .iter()
            .filter(is_figure)
            .all(|column| !(column.get)(record).split(';').any(|part| part.starts_with('-')))
    }

    #[test]
    fn arbitrary_records_come_back_as_they_were() {
        arbtest::arbtest(|u| {
            let count = u.int_in_range(0..=4)?;
            let records = (0..count).map(|number| any_record(u, number)).collect::<Drawn<Vec<_>>>()?;
            let records: Vec<_> = records.into_iter().filter(non_negative).collect();
            let report = read_bytes(&write(&records)).expect("own report");
            assert_eq!((report.records, report.notes), (records, Vec::new()));
            Ok(())
        })
        .budget_ms(700);
    }

    #[test]
    fn arbitrary_bytes_are_a_report_or_one_sentence() {
        arbtest::arbtest(|u| {
            let mut text = if u.arbitrary()? { write(&rows(2)) } else { Vec::new() };
            for _ in 0..u.int_in_range(0..=8)? {
                let (index, noise) = (u.choose_index(text.len() + 1)?, u.arbitrary::<&[u8]>()?);
                text.splice(index..index, noise.iter().copied());
            }
            match read_bytes(&text) {
                Ok(report) => assert!(report.records.len() <= text.len()),
                Err(error) => assert!(!error.to_string().contains(['\n', '\r']), "{error}"),
            }
            Ok(())
        })
        .budget_ms(700);
    }
}
