//! Pages of `report` are small, have all reports of a folder, and overwrite no file.

#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::path::Path;

use crate::command::{Folder, shaderbench};
use crate::index::folder_of_reports;
use crate::report_page::{H200, LLVMPIPE, page};
use answers::page::unpacked;
use answers::report::csv;

/// Reports of ten devices, each with as many rows as the largest committed one, and all figures different.
fn ten_devices(folder: &Folder) -> Vec<String> {
    let records = csv::open(Path::new(H200)).expect("a report").records;
    let scaled = |device: usize| {
        let mut scale = 1.0 + 0.137 * device as f64;
        let mut records = records.clone();
        for record in &mut records {
            scale = 0.5 + (scale * 7.77).fract();
            record.device = format!("Device {device}");
            for time in [&mut record.median_ns, &mut record.ci_low_ns, &mut record.ci_high_ns] {
                *time = time.map(|ns| ns * scale);
            }
            let epochs = [-1.0, 0.0, 1.0, 0.0].map(|part| 1.0 + 0.003 * scale * part);
            record.epochs_ns = record.median_ns.map(|ns| epochs.map(|part| part * ns).to_vec()).unwrap_or_default();
            record.share = record.share.map(|share| share * scale);
        }
        let report = format!("{device}.csv");
        folder.write(&report, csv::write(&records));
        folder.argument(&report)
    };
    (0..10).map(scaled).collect()
}

#[test]
fn a_page_is_small_with_all_its_kernels() {
    let folder = Folder::new();
    let reports = ten_devices(&folder);
    let page = page(&folder, &reports.iter().map(String::as_str).collect::<Vec<_>>());
    let ten = page.metadata().expect("a page").len();
    let kernels = unpacked(&std::fs::read_to_string(&page).unwrap(), "report-kernels").unwrap();
    assert!(kernels.contains("__syncthreads()") && kernels.contains("workgroupBarrier()"), "both languages");
    let one = crate::report_page::page(&folder, &[H200]).metadata().expect("a page").len();
    println!("{one} bytes, of ten devices {ten}");
    assert!(one <= 600_000 && ten <= 1_300_000, "{one} bytes, of ten devices {ten}");
}

#[test]
fn report_overwrites_a_page_only_with_force() {
    let folder = Folder::new();
    folder.write("r.html", "mine");
    let path = folder.argument("r.html");
    let refused = shaderbench(&["report", LLVMPIPE, "--out", &path]).run().exits_with(2);
    assert!(refused.stderr.contains("exists: name another file with --out, or pass --force"), "{refused}");
    assert_eq!(folder.text("r.html"), "mine");
    shaderbench(&["report", LLVMPIPE, "--out", &path, "--force"]).run().succeeds();
    assert!(folder.text("r.html").starts_with("<!doctype html>"));
}

#[test]
fn report_reads_all_reports_of_a_folder_and_fails_where_there_is_none() {
    let folder = folder_of_reports();
    let page = page(&folder, &[&folder.argument("results")]);
    let text = std::fs::read_to_string(page).expect("a page");
    for report in [H200, LLVMPIPE] {
        let name = report.strip_prefix("results/").unwrap();
        let text = unpacked(&text, "report-data").unwrap();
        assert!(text.contains(name) && !text.contains(report), "the page has a report's folder and file name only");
    }
    std::fs::create_dir(folder.path("empty")).expect("a folder");
    folder.write("headers.csv", csv::write(&[]));
    for (name, sentence) in [
        ("empty", "contains no report: no file in the folder ends in .csv or .json"),
        ("headers.csv", "has no rows: name a report with rows"),
        ("gone.csv", "cannot read"),
    ] {
        let refused = folder.run(&["report", name, "--out", "new.html"]);
        assert!(refused.code != Some(0) && refused.stderr.contains(sentence), "{refused}");
        assert!(!folder.path("new.html").exists(), "{refused}");
    }
}
