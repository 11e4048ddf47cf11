//! Shared by several test files: a fake device for the engine, runs on it, and the committed reports.

#[path = "../../../src/answers/report/committed/files.rs"]
mod committed;
mod fake;
mod runs;

pub(crate) use committed::committed_reports;
pub(crate) use fake::*;
pub(crate) use runs::*;
