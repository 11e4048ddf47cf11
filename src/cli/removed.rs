//! Commands and options of earlier versions, and what to use instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::Error;

/// Former commands, and what does their work.
const COMMANDS: &[(&str, &str)] = &[
    ("init", "use `shaderbench bench init NAME`"),
    ("replay", "use `shaderbench bench replay DIR`"),
    ("merge", "use `shaderbench report DIR -o all.csv.gz`"),
    ("index", "use `shaderbench report DIR --format index`"),
    ("export", "use `shaderbench report FILE --format json`"),
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
    ("--relative", "the column `share` of a report has the share of peak of each row"),
];

/// The error of a former command.
pub(super) fn command(word: &str) -> Option<Error> {
    let (name, now) = COMMANDS.iter().find(|(name, _)| *name == word)?;
    Some(Error::Usage(format!("there is no command '{name}': {now}")))
}

/// The error of a former option.
pub(super) fn option(error: &clap::Error) -> Option<Error> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let given = given.split_once('=').map_or(given.as_str(), |(name, _)| name);
    let (name, now) = OPTIONS.iter().find(|(name, _)| *name == given)?;
    Some(Error::Usage(format!("there is no option {name}: {now}")))
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
    }
}
