//! Commands and options of earlier versions, and what to use instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::{Error, usage};

/// Former commands, and what does their work.
const COMMANDS: &[(&str, &str)] = &[
    ("init", "use `shaderbench bench init NAME`"),
    ("replay", "use `shaderbench bench replay DIR`"),
    ("merge", "use `shaderbench report DIR -o all.csv.gz`"),
    ("index", "use `shaderbench report DIR --format index`"),
    ("export", "use `shaderbench report FILE --format github`"),
    ("completions", "use `shaderbench --generate bash`"),
    ("man", "use `shaderbench --generate man`"),
    ("normal", "use `shaderbench compare FILE`"),
    ("bisect", "use `git bisect run` with `shaderbench compare OLD NEW --bisect PCT`"),
];

/// Former options, and what does their work.
const OPTIONS: &[(&str, &str)] = &[
    ("--parallel", "`--device all` measures every card in turn; `outliers` compares their reports"),
    ("--soak", "`run NAME --epochs 100 --json FILE` keeps every sample of 100 epochs"),
    ("--among", "`compare FILE` compares a report with the reference reports, `compare FILE OTHER` with another"),
    ("--compiler", "`bench KERNEL.spv --unchecked` measures SPIR-V of any compiler as it is"),
    ("--against", "`share` compares no times with those of other reports"),
    ("--relative", "the column `share` of a report has the share of peak of each row"),
];

/// Former values of options, and what does their work.
const VALUES: &[(&str, &str, &str)] = &[
    ("--format", "openmetrics", "use `jq -rf contrib/openmetrics.jq` on the file of `run --json`"),
    ("--format", "junit", "use `jq -rf contrib/junit.jq` on the file of `run --json`"),
    ("--format", "bencher", "use `jq -f contrib/bencher.jq` on the file of `run --json`"),
];

/// The error of a former command.
pub(super) fn command(word: &str) -> Option<Error> {
    let (name, now) = COMMANDS.iter().find(|(name, _)| *name == word)?;
    Some(usage!("there is no command '{name}': {now}"))
}

/// The error of a former option, or of a former value of an option.
pub(super) fn option(error: &clap::Error) -> Option<Error> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let given = text(ContextKind::InvalidArg)?;
    let sentence = match error.kind() {
        ErrorKind::UnknownArgument => {
            let given = given.split_once('=').map_or(given, |(name, _)| name);
            let (name, now) = OPTIONS.iter().find(|(name, _)| *name == given)?;
            format!("there is no option {name}: {now}")
        }
        ErrorKind::InvalidValue => {
            let value = text(ContextKind::InvalidValue)?;
            let is_former = |(option, former, _): &&(&str, &str, &str)| given.starts_with(option) && *former == value;
            let (option, value, now) = VALUES.iter().find(is_former)?;
            format!("there is no {option} {value}: {now}")
        }
        _ => return None,
    };
    Some(Error::Usage(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help;

    #[test]
    fn what_was_removed_is_gone_and_named_with_what_does_its_work() {
        let parser = help::command();
        for (name, now) in COMMANDS {
            assert!(parser.find_subcommand(name).is_none(), "{name}");
            let error = command(name).expect("an error").to_string();
            assert!(error.contains(now), "{error}");
        }
        for (name, now) in OPTIONS {
            for command in ["run", "bench", "summary", "compare", "report", "outliers"] {
                let Err(error) = parser.clone().try_get_matches_from(["shaderbench", command, name, "x"]) else {
                    panic!("{command} has {name}");
                };
                let error = option(&error).expect("a sentence").to_string();
                assert!(error.contains(now), "{error}");
            }
        }
        for (option_name, value, now) in VALUES {
            let words = ["shaderbench", "report", option_name, value];
            let Err(error) = parser.clone().try_get_matches_from(words) else { panic!("report has {value}") };
            let error = option(&error).expect("a sentence").to_string();
            assert!(error.contains(now), "{error}");
        }
    }
}
