//! `outliers`: cards that are slower than the others of their model.

use std::path::PathBuf;

use super::format::Format;
use super::output::{print, print_json, say};
use super::reports::stream;
use super::values::percentage;
use answers::outliers::text;
use answers::outliers::{self, Fleet, LEAST_UNITS, Rules, Verdicts};
use record::error::{Error, Result};
use record::format::plural;

/// Exit code if there is a slow card.
const SLOW: u8 = 4;

/// Exit code if a row is wrong, failed or implausible.
const FAULT: u8 = 3;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports or folders of reports
    #[arg(value_name = "FILE|DIR", required = true)]
    files: Vec<PathBuf>,
    /// Unit to compare within each model
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// Smallest slow-down to report, in percent
    #[arg(long, value_name = "PCT", value_parser = percentage, default_value_t = 100.0 * Rules::default().limit)]
    limit: f64,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum By {
    /// Each card
    #[default]
    Card,
    /// All cards of a host together
    Host,
    /// Spread of each model's cards, without card names
    Model,
}

pub(super) fn outliers(arguments: &Arguments) -> Result<u8> {
    let by = if arguments.by == By::Host { outliers::By::Host } else { outliers::By::Card };
    let mut all = Fleet::new(by);
    let streamed = stream(&arguments.files, None, |records| {
        records.iter().for_each(|record| all.add(record));
        Ok(())
    })?;
    if all.without_host() > 0 {
        say(&format!("left out {} without a host name", plural(all.without_host(), "row", "rows")));
    }
    if streamed.unreadable > 0 {
        let files = plural(streamed.unreadable, "unreadable file is", "unreadable files are");
        say(&format!("{files} left out"));
    }
    let rules = Rules { limit: arguments.limit / 100.0, ..Rules::default() };
    let verdicts = all.judge(&rules);
    if verdicts.tested == 0 {
        return Err(Error::Undecided(undecided(&verdicts, arguments.by)));
    }
    let Some(medium) = arguments.format.medium() else {
        print_json(&text::json(&verdicts))?;
        return Ok(exit_code(&verdicts, arguments.by));
    };
    match arguments.by {
        By::Model => print(&text::spreads(&verdicts, medium))?,
        By::Card | By::Host => print(&text::slow(&verdicts, by, &rules, medium))?,
    }
    Ok(exit_code(&verdicts, arguments.by))
}

fn exit_code(verdicts: &Verdicts, by: By) -> u8 {
    match by {
        By::Model => 0,
        _ if !verdicts.slow.is_empty() => SLOW,
        _ if !verdicts.faulty.is_empty() => FAULT,
        _ => 0,
    }
}

/// Why no card can be judged.
fn undecided(verdicts: &Verdicts, by: By) -> String {
    let unit = if by == By::Host { "host" } else { "card" };
    if verdicts.units == 0 {
        return format!("nothing to compare: no timed row in these reports names its {unit}");
    }
    format!(
        "no case was measured on at least {LEAST_UNITS} {unit}s of the same model, the minimum to find a slow {unit}: \
         name more reports"
    )
}
