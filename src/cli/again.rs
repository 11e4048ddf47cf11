//! The command line of this process, and others made of it that work as they stand when typed.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::report::free_path;

/// Options of `run` that are left out of other commands, those with a value and those without.
pub(super) const VALUED: &[&str] = &["out", "resume", "json", "device", "profile", "time", "save-image"];
#[cfg(test)]
pub(super) const FLAGS: &[&str] = &["force", "retry-timeouts"];

/// The letter of `--out`, the only one with a value.
pub(super) const OUT: char = 'o';

/// The words of a command line, the program first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Typed(Vec<String>);

impl Typed {
    /// As this process was started.
    pub(super) fn of_process() -> Self {
        Self(std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect())
    }

    /// This program with other arguments.
    pub(super) fn of_arguments<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let program = Self::of_process().0.into_iter().take(1);
        Self(program.chain(arguments.into_iter().map(str::to_owned)).collect())
    }

    /// The words after the program.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        self.0.iter().skip(1).map(OsString::from).collect()
    }

    /// Without these options of `run` and their values.
    pub(super) fn without(self, options: &[&str]) -> Self {
        let mut typed = self.0.into_iter();
        let mut words: Vec<String> = typed.by_ref().take(1).collect();
        while let Some(word) = typed.next() {
            if word == "--" {
                words.push(word);
                words.extend(typed);
                break;
            }
            let long = word
                .strip_prefix("--")
                .map(|long| long.split_once('=').map_or((long, false), |(name, _)| (name, true)));
            // Letters can be joined, and the value can follow the last one.
            let letters =
                word.strip_prefix('-').filter(|letters| !letters.starts_with('-') && options.contains(&"out"));
            let has_value_next = match (long, letters.and_then(|letters| letters.split_once(OUT))) {
                (Some((name, has_value)), _) if options.contains(&name) => VALUED.contains(&name) && !has_value,
                (_, Some((before, value))) => {
                    words.extend((!before.is_empty()).then(|| format!("-{before}")));
                    value.is_empty()
                }
                _ => {
                    words.push(word);
                    false
                }
            };
            if has_value_next {
                typed.next();
            }
        }
        Self(words)
    }

    /// With more words, which precede a `--`.
    pub(super) fn with(mut self, words: &[&str]) -> Self {
        let end = self.0.iter().position(|word| word == "--").unwrap_or(self.0.len());
        self.0.splice(end..end, words.iter().map(|word| (*word).to_owned()));
        self
    }

    /// Resumes the run that wrote `report`, on the device of this number where the run has several. Samples go into
    /// another JSON report: a resumed run has those of its own part only.
    pub(super) fn resume(self, report: &Path, json: Option<&Path>, device: Option<usize>) -> Self {
        let mut typed = self.without(&["out", "force", "resume", "json"]);
        if let Some(device) = device {
            typed = typed.without(&["device"]).with(&["--device", &device.to_string()]);
        }
        if let Some(json) = json {
            typed = typed.with(&["--json", &argument(&free(json))]);
        }
        typed.with(&["--resume", &argument(report)])
    }

    /// Runs the same in another profile, into a new report.
    pub(super) fn in_profile(self, profile: &str) -> Self {
        let outputs = ["out", "force", "resume", "retry-timeouts", "json", "save-image"];
        self.without(&outputs).without(&["profile", "time"]).with(&["--profile", profile])
    }
}

/// A path that is no option.
fn argument(path: &Path) -> String {
    let text = path.display().to_string();
    if text.starts_with('-') { format!("./{text}") } else { text }
}

/// Another name for a file. What is no file, such as a pipe, can be written again.
fn free(path: &Path) -> PathBuf {
    if path.exists() && !path.is_file() { path.to_owned() } else { free_path(path) }
}

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(|word| quoted(word)).collect();
        f.write_str(&words.join(" "))
    }
}

/// A word as a shell reads it: POSIX's, or on Windows both of its own.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+:,./-=".contains(c) || (cfg!(windows) && c == '\\');
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Typed {
        Typed(line.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn options_are_removed_in_every_form() {
        for line in [
            "sb run fft --out r.csv --force --size 2^20",
            "sb run fft --size 2^20 --force --out=r.csv",
            "sb --out r.csv run fft --resume q.csv --size 2^20",
        ] {
            assert_eq!(typed(line).without(&["out", "force", "resume"]), typed("sb run fft --size 2^20"), "{line}");
        }
        assert_eq!(typed("sb run -- --out r").without(&["out"]), typed("sb run -- --out r"), "filters stay");
        assert_eq!(typed("sb fft --output x -").without(&["out"]), typed("sb fft --output x -"));
    }

    #[test]
    fn short_options_are_removed_in_every_form() {
        for (line, expected) in [
            ("sb fft -o r.csv gemv", "sb fft gemv"),
            ("sb fft -or.csv gemv", "sb fft gemv"),
            ("sb fft -o=r.csv gemv", "sb fft gemv"),
            ("sb -qo r.csv gemv", "sb -q gemv"),
            ("sb -qor.csv gemv", "sb -q gemv"),
            ("sb -q gemv --host o -", "sb -q gemv --host o -"),
        ] {
            assert_eq!(typed(line).without(&["out", "force"]), typed(expected), "{line}");
            assert_eq!(typed(line).without(&["force"]), typed(line));
        }
    }

    #[test]
    fn a_run_is_resumed_by_the_command_that_began_it() {
        let report = Path::new("my results/r.csv");
        let line = |line: &str, device| typed(line).resume(report, None, device).to_string();
        assert_eq!(line("shaderbench", None), "shaderbench --resume 'my results/r.csv'");
        assert_eq!(
            line("./sb run --profile quick --out r.csv --force -- fft", None),
            "./sb run --profile quick --resume 'my results/r.csv' -- fft"
        );
        assert_eq!(
            line("sb run --device all --seed=7", Some(2)),
            "sb run --seed=7 --device 2 --resume 'my results/r.csv'"
        );
        assert_eq!(typed("sb").resume(Path::new("-r.csv"), None, None).to_string(), "sb --resume ./-r.csv");
    }

    #[test]
    fn samples_that_a_run_wrote_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        assert_eq!(free(&path("r.json")), path("r-2.json"), "the run itself writes the first");
        std::fs::write(path("r-2.json"), "").expect("written");
        assert_eq!([free(&path("r.json")), free(&path("samples"))], [path("r-3.json"), path("samples-2")]);
        assert_eq!(free(folder.path()), folder.path());
        let typed = typed("sb --json r.json --out r.csv");
        let line = typed.resume(Path::new("r.csv"), Some(&path("r.json")), None).to_string();
        assert!(line.starts_with("sb --json ") && line.ends_with("r-3.json --resume r.csv"), "{line}");
    }

    #[test]
    fn another_profile_writes_another_report() {
        let line = "sb run fft --profile=quick --time 20s --out r.csv --json r.json --device 1 --force";
        assert_eq!(typed(line).in_profile("standard"), typed("sb run fft --device 1 --profile standard"));
    }

    /// What the shell makes of quoted words is the words.
    #[test]
    #[cfg(unix)]
    fn a_shell_reads_the_words_that_were_quoted() {
        let echo = |words: &[String]| {
            let line = Typed(words.to_vec()).to_string();
            let output = std::process::Command::new("sh").args(["-c", &format!("printf '%s\\0' {line}")]).output();
            String::from_utf8(output.expect("sh runs").stdout).expect("UTF-8")
        };
        let mut words: Vec<String> = [
            "",
            "plain",
            "a b",
            "it's",
            "''",
            "$HOME",
            "`ls`",
            "*",
            "~",
            "2^20",
            "a\nb",
            "\\",
            "\"",
            "!!",
            "#",
            "=x",
            "K=V",
            "{a,b}",
            "Größe/r.csv",
            "-",
            "--",
            "%s",
            "&",
            ";",
            "(",
            "[a]",
            "?",
            "\t",
            "显卡",
        ]
        .map(str::to_owned)
        .to_vec();
        words.extend((1..127_u8).map(|byte| format!("x{}y", char::from(byte))));
        assert_eq!(echo(&words), words.iter().map(|word| format!("{word}\0")).collect::<String>());
    }
}
