//! `run --soak`: the seconds of a load as CSV, and what they show in words.

use super::{LEAST, ends, limits, sag};
use crate::record::Moment;
use crate::record::format;
use crate::report::layout::BAR;
use crate::suite::{Case, Reading, Throttle};

/// First line of the CSV.
pub const HEADER: &str = "date,host,device,card,backend,case,seconds,launch_ns,gb_per_s,gflop_per_s,sm_mhz,memory_mhz,celsius,watts,throttling\n";

/// What is the same in all lines of a load.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// Start of the run, UTC, RFC 3339.
    pub date: String,
    /// Name of the host; may be empty.
    pub host: String,
    /// Name of the device.
    pub device: String,
    /// The card, as in the rows of a run.
    pub card: String,
    /// Name of the API.
    pub api: String,
}

/// A line of the CSV.
#[must_use]
pub fn line(head: &Head, case: &Case, moment: &Moment) -> String {
    let reading = moment.reading.clone().unwrap_or_default();
    let (gb, gflop) = rates(case, moment);
    let text = |value: &str| format!("\"{}\"", crate::error::visible(value).replace('"', "\"\""));
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format::significant(value, 7));
    let whole = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
    let limits: Vec<&str> = reading.throttling.iter().map(|throttle| word(*throttle)).collect();
    let fields = [
        head.date.clone(),
        text(&head.host),
        text(&head.device),
        text(&head.card),
        head.api.clone(),
        text(&case.to_string()),
        format!("{:.3}", moment.seconds),
        format::significant(moment.launch_ns, 7),
        number(gb),
        number(gflop),
        whole(reading.sm_mhz),
        whole(reading.memory_mhz),
        whole(reading.celsius),
        number(reading.watts),
        limits.join("+"),
    ];
    fields.join(",") + "\n"
}

/// Bytes and operations per nanosecond.
fn rates(case: &Case, moment: &Moment) -> (Option<f64>, Option<f64>) {
    let work = case.work();
    let rate = |amount: u64| (amount > 0).then(|| amount as f64 / moment.launch_ns);
    (rate(work.bytes), rate(work.flops))
}

/// The keyword of a limit.
const fn word(throttle: Throttle) -> &'static str {
    match throttle {
        Throttle::Idle => "idle",
        Throttle::ApplicationClocks => "clocks that the user set",
        Throttle::PowerCap => "power limit",
        Throttle::HardwareSlowdown => "hardware slowdown",
        Throttle::SyncBoost => "another card of its sync group",
        Throttle::SoftwareThermal | Throttle::HardwareThermal => "temperature",
        Throttle::PowerBrake => "power brake",
        Throttle::DisplayClocks => "clocks of the display",
    }
}

/// A change that may be this large is not called none.
const TOO_UNEVEN: f64 = 0.05;

/// Maximum number of lines in the table: each stands for an equal part of the time.
const LINES: usize = 12;

/// A table of the load, at most 12 lines of at most 76 columns, and the sentences about it. The bar is the speed, relative
/// to the fastest line.
#[must_use]
pub fn table(case: &Case, moments: &[Moment]) -> String {
    let parts = moments.len().min(LINES);
    if parts == 0 {
        return format!("{case}: no second of it was measured\n");
    }
    let part = |index: usize| &moments[index * moments.len() / parts..(index + 1) * moments.len() / parts];
    let mean = |part: &[Moment]| Moment {
        seconds: part.last().map_or(0.0, |moment| moment.seconds),
        launch_ns: part.iter().map(|moment| moment.launch_ns).sum::<f64>() / part.len() as f64,
        reading: part.last().and_then(|moment| moment.reading.clone()),
    };
    let lines: Vec<Moment> = (0..parts).map(|index| mean(part(index))).collect();
    let fastest = lines.iter().map(|line| line.launch_ns).fold(f64::INFINITY, f64::min);
    let mut text = format!("{case}\n{:>8}  {:>13}  {:<18}", "until", "rate", "speed");
    let has_monitor = lines.iter().any(|line| line.reading.is_some());
    if has_monitor {
        text.push_str(&format!("{:>9}{:>8}{:>8}", "SM clock", "°C", "W"));
    }
    text = text.trim_end().to_owned() + "\n";
    for line in &lines {
        let (gb, gflop) = rates(case, line);
        let rate = match (gb, gflop) {
            (Some(gb), _) => format::byte_rate(gb),
            (None, Some(gflop)) => format::operation_rate(gflop, case.shape.dtype.scalar().is_float()),
            (None, None) => format::time(line.launch_ns),
        };
        let speed = fastest / line.launch_ns;
        let cells = (speed * 10.0 * 8.0).round() as usize;
        let mut bar: String = vec![BAR[7]; cells / 8].into_iter().collect();
        bar.extend(BAR[..7].get((cells % 8).wrapping_sub(1)));
        let mut row = format!("{:>8}  {rate:>13}  {bar:<10} {:>5.1} % ", time(line.seconds), 100.0 * speed);
        if let Some(reading) = &line.reading {
            let whole = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
            let watts = reading.watts.map_or_else(String::new, |watts| format!("{watts:.0}"));
            row.push_str(&format!("{:>9}{:>8}{watts:>8}", whole(reading.sm_mhz), whole(reading.celsius)));
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text.push_str(&sentences(moments));
    text
}

/// Whether the load became slower, and what clocks, temperature and power did.
#[must_use]
pub fn sentences(moments: &[Moment]) -> String {
    let seconds = moments.last().map_or(0.0, |moment| moment.seconds);
    let mut text = match sag(moments) {
        None => format!("{} s are too short to say whether it became slower: {LEAST} s are needed\n", seconds.round()),
        Some(sag) if sag.is_certain() => format!(
            "{:.1} % {} in the last quarter of {} than in the first (±{})\n",
            100.0 * sag.change.abs(),
            if sag.change < 0.0 { "slower" } else { "faster" },
            time(seconds),
            format::percent(sag.reach)
        ),
        Some(sag) if sag.change.abs() + sag.reach > TOO_UNEVEN => {
            "the seconds vary too much to say whether it became slower\n".to_owned()
        }
        Some(sag) => format!(
            "as fast in the last quarter of {} as in the first (within {})\n",
            time(seconds),
            format::percent(sag.change.abs() + sag.reach)
        ),
    };
    type Value = fn(&Reading) -> Option<f64>;
    let values: [(Value, &str); 3] = [
        (|reading| reading.sm_mhz.map(f64::from), "MHz"),
        (|reading| reading.celsius.map(f64::from), "°C"),
        (|reading| reading.watts, "W"),
    ];
    let changes: Vec<String> = values
        .iter()
        .filter_map(|(value, unit)| {
            let (first, last) = ends(moments, *value)?;
            Some(format!("{first:.0} to {last:.0} {unit}"))
        })
        .collect();
    if !changes.is_empty() {
        text.push_str(&format!("from the first tenth to the last: {}\n", changes.join(", ")));
    }
    for (throttle, share) in limits(moments) {
        text.push_str(&format!("clocks limited in {} of the time by: {}\n", format::percent(share), word(throttle)));
    }
    text
}

/// Seconds, or minutes from two on.
fn time(seconds: f64) -> String {
    if seconds < 120.0 { format!("{seconds:.0} s") } else { format!("{:.1} min", seconds / 60.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_say_what_happened_and_what_did_not() {
        let moment = |index: u32, slower: f64| Moment {
            seconds: f64::from(index) + 1.0,
            launch_ns: 1e6 * (1.0 + slower * f64::from(index / 60)) * (1.0 + 1e-4 * f64::from(index % 3)),
            reading: Some(Reading {
                sm_mhz: Some(1980 - index / 10),
                celsius: Some(40 + index / 10),
                watts: Some(600.0),
                throttling: if index >= 60 { vec![Throttle::PowerCap] } else { Vec::new() },
                ..Reading::default()
            }),
        };
        let slower: Vec<Moment> = (0..120).map(|index| moment(index, 0.05)).collect();
        assert_eq!(
            sentences(&slower),
            "4.8 % slower in the last quarter of 2.0 min than in the first (±<0.1 %)\n\
             from the first tenth to the last: 1980 to 1969 MHz, 40 to 51 °C, 600 to 600 W\n\
             clocks limited in 50 % of the time by: power limit\n"
        );
        let steady: Vec<Moment> = (0..60).map(|index| Moment { reading: None, ..moment(index, 0.0) }).collect();
        assert_eq!(sentences(&steady), "as fast in the last quarter of 60 s as in the first (within <0.1 %)\n");
        let uneven = |index: u32| Moment { launch_ns: 1e6 * f64::from(1 + index % 2), ..moment(index, 0.0) };
        let uneven: Vec<Moment> = (0..60).map(uneven).collect();
        assert!(sentences(&uneven).starts_with("the seconds vary too much"), "{}", sentences(&uneven));
        assert!(sentences(&steady[..10]).starts_with("10 s are too short"));
    }
}
