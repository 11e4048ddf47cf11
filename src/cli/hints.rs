//! Commands, options and values that users of similar programs may try, and what to use instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use record::error::{Error, usage};

const HINTS: &[(&str, &str)] = &[
    ("glossary", "use `shaderbench explain glossary`"),
    ("init", "use `shaderbench bench init NAME`"),
    ("replay", "use `shaderbench bench replay DIR`"),
    ("merge", "use `shaderbench report DIR -o all.csv.gz`"),
    ("--compiler", "`bench KERNEL.spv --unchecked` measures SPIR-V from any compiler unchanged"),
    ("--against", "use `shaderbench run --against COMMAND`, which measures two builds alternately"),
    ("--baseline", "use `bench OLD NEW` to compare two kernels, or `compare OLD.csv NEW.csv` to compare two reports"),
    ("--save-baseline", "`--out NAME.csv` saves the rows; `compare NAME.csv NEW.csv` compares them"),
    ("--format csv", "use `--format json`"),
    ("--format junit", "use `jq -rf contrib/junit.jq` on the file from `run --json`"),
];

fn instead(name: &str) -> Option<&'static str> {
    HINTS.iter().find(|(expected, _)| *expected == name).map(|(_, now)| *now)
}

pub(super) fn command(word: &str) -> Option<Error> {
    let now = instead(word).filter(|_| !word.starts_with('-'))?;
    Some(usage!("there is no command '{word}': {now}"))
}

/// The error for such an option or value.
pub(super) fn option(error: &clap::Error) -> Option<Error> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let name = text(ContextKind::InvalidArg)?.split(['=', ' ']).next()?;
    match error.kind() {
        ErrorKind::UnknownArgument => Some(usage!("there is no option {name}: {}", instead(name)?)),
        ErrorKind::InvalidValue => {
            let value = format!("{name} {}", text(ContextKind::InvalidValue)?);
            Some(usage!("there is no {value}: {}", instead(&value)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help;

    #[test]
    fn what_a_user_may_expect_is_named_with_what_does_its_work() {
        let parser = help::command();
        for (name, now) in HINTS {
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
