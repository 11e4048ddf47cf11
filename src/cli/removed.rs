//! Commands, options and values of earlier versions, or that a user may expect, and what to use instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use record::error::{Error, usage};

/// What there was, and what does its work.
const FORMER: &[(&str, &str)] = &[
    ("glossary", "use `shaderbench explain glossary`"),
    ("init", "use `shaderbench bench init NAME`"),
    ("replay", "use `shaderbench bench replay DIR`"),
    ("merge", "use `shaderbench report DIR -o all.csv.gz`"),
    ("index", "use `shaderbench report DIR --format index`"),
    ("export", "use `shaderbench report FILE --format github`"),
    ("completions", "use `shaderbench --generate bash`"),
    ("man", "use `shaderbench --generate man`"),
    ("normal", "use `shaderbench compare FILE`"),
    ("bisect", "use `git bisect run` with `shaderbench run NAME --against COMMAND --fail-on-regression PCT`"),
    ("--bisect", "use `shaderbench run NAME --against COMMAND --fail-on-regression PCT`"),
    ("--parallel", "`--device all` measures every card in turn; `outliers` compares their reports"),
    ("--soak", "`run NAME --epochs 100 --json FILE` saves every sample of 100 epochs"),
    ("--among", "`compare FILE` compares a report with the built-in reports, `compare FILE OTHER` with another report"),
    ("--compiler", "`bench KERNEL.spv --unchecked` measures SPIR-V from any compiler unchanged"),
    ("--against", "use `shaderbench run --against COMMAND`, which measures two builds alternately"),
    ("--baseline", "use `bench OLD NEW` to compare two kernels, or `compare OLD.csv NEW.csv` to compare two reports"),
    ("--save-baseline", "`--out NAME.csv` saves the rows; `compare NAME.csv NEW.csv` compares them"),
    ("--relative", "the `share` column of a report has each row's share of peak"),
    ("--format openmetrics", "use `jq -rf contrib/openmetrics.jq` on the file from `run --json`"),
    ("--format csv", "use `--format json`"),
    ("--format junit", "use `jq -rf contrib/junit.jq` on the file from `run --json`"),
    ("--format bencher", "use `jq -f contrib/bencher.jq` on the file from `run --json`"),
];

fn instead(name: &str) -> Option<&'static str> {
    FORMER.iter().find(|(former, _)| *former == name).map(|(_, now)| *now)
}

/// The error of a former command.
pub(super) fn command(word: &str) -> Option<Error> {
    let now = instead(word).filter(|_| !word.starts_with('-'))?;
    Some(usage!("there is no command '{word}': {now}"))
}

/// The error of a former option, or of a former value of an option.
pub(super) fn option(error: &clap::Error) -> Option<Error> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let name = text(ContextKind::InvalidArg)?.split(['=', ' ']).next()?;
    match error.kind() {
        ErrorKind::UnknownArgument => Some(usage!("there is no option {name}: {}", instead(name)?)),
        ErrorKind::InvalidValue => {
            let former = format!("{name} {}", text(ContextKind::InvalidValue)?);
            Some(usage!("there is no {former}: {}", instead(&former)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help;

    #[test]
    fn what_was_removed_is_gone_and_named_with_what_does_its_work() {
        let parser = help::command();
        for (name, now) in FORMER {
            let sentences: Vec<Error> = match name.split_once(' ') {
                None if !name.starts_with('-') => {
                    assert!(parser.find_subcommand(name).is_none(), "{name}");
                    command(name).into_iter().collect()
                }
                None => {
                    let all = ["run", "bench", "summary", "compare", "report", "outliers"];
                    let parsed = |of| parser.clone().try_get_matches_from(["shaderbench", of, name, "x"]);
                    // Another command may have an option of this name.
                    let errors = all.iter().filter_map(|of| parsed(of).err());
                    let errors = errors.filter(|error| error.kind() == ErrorKind::UnknownArgument);
                    errors.map(|error| option(&error).expect("a sentence")).collect()
                }
                // Another command may have a value of this name.
                Some((name, value)) => {
                    let parsed = |of| parser.clone().try_get_matches_from(["shaderbench", of, name, value]);
                    let errors = ["compare", "report"].iter().filter_map(|of| parsed(of).err());
                    errors.map(|error| option(&error).expect("a sentence")).collect()
                }
            };
            assert!(!sentences.is_empty() && sentences.iter().all(|error| error.to_string().contains(now)), "{name}");
        }
    }
}
