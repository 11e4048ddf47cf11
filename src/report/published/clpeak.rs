//! clpeak's output: a device, then groups of figures, `Global memory bandwidth (GBPS)` and `float4  : 840.63`.

use super::output::{Found, Output, Value};

/// A group of figures: the start of its heading, the headline figure that its fastest entry is, and its unit.
type Group = (&'static str, &'static str, fn(f64) -> Value);

const GROUPS: [Group; 6] = [
    ("global memory bandwidth", "DRAM read", Value::GbPerS),
    ("single-precision compute", "FMA f32", Value::GflopPerS),
    ("half-precision compute", "FMA f16", Value::GflopPerS),
    ("double-precision compute", "FMA f64", Value::GflopPerS),
    ("integer compute (", "FMA u32", Value::GflopPerS),
    ("transfer bandwidth", "host to device", Value::GbPerS),
];

/// One output for each device.
pub(super) fn read(text: &str) -> Vec<Output> {
    let mut outputs: Vec<Output> = Vec::new();
    let mut version = String::new();
    let mut group: Option<usize> = None;
    for line in text.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("clpeak version:").or_else(|| line.strip_prefix("clpeak ")) {
            version = rest.trim().chars().take(20).collect();
            continue;
        }
        let Some((name, value)) = line.split_once(':').map(|(name, value)| (name.trim(), value.trim())) else {
            if !line.is_empty() {
                let heading = line.to_lowercase();
                group = GROUPS.iter().position(|(start, ..)| heading.starts_with(start));
            }
            continue;
        };
        if name == "Device" || is_numbered_device(name) {
            outputs.push(Output { device: value.to_owned(), version: version.clone(), ..Output::default() });
            group = None;
        } else if let Some(output) = outputs.last_mut() {
            if name.eq_ignore_ascii_case("Driver version") {
                output.driver = value.split(" (").next().unwrap_or_default().to_owned();
            } else if let Some((group, number)) = group.zip(value.parse::<f64>().ok()) {
                keep_fastest(output, group, name, number);
            }
        }
    }
    outputs.retain(|output| !output.figures.is_empty());
    outputs
}

/// `Device 0`.
fn is_numbered_device(name: &str) -> bool {
    name.strip_prefix("Device ").is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The entries of a group are types and ways of one measurement. Of transfers only writes go to the device.
fn keep_fastest(output: &mut Output, group: usize, entry: &str, number: f64) {
    let (heading, name, value) = GROUPS[group];
    if name == "host to device" && !entry.starts_with("enqueueWriteBuffer") {
        return;
    }
    let found = Found {
        name: name.to_owned(),
        source: format!("{}, {entry}", heading.trim_end_matches(" (")),
        value: value(number),
    };
    match output.figures.iter_mut().find(|known| known.name == name) {
        Some(known) => {
            let (Value::GbPerS(old) | Value::GflopPerS(old) | Value::Ns(old)) = known.value;
            if number > old {
                *known = found;
            }
        }
        None => output.figures.push(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::published::output::figures;

    #[test]
    fn the_fastest_entry_of_each_group_is_kept_for_each_device() {
        let text = "clpeak version: 9.9.9\n\nPlatform: Some platform\n  Device: Card A\n    Driver version  : 1.2.3 (Linux x64)\n    \
            Compute units   : 4\n\n    Global memory bandwidth (GBPS)\n      float   : 90.5\n      float4  : 100.25\n      \
            float16 : 95\n\n    Single-precision compute (GFLOPS)\n      float   : 2000\n\n    No half precision support! \
            Skipped\n\n    Integer compute (GIOPS)\n      int   : 500\n\n    Integer compute Fast 24bit (GIOPS)\n      int   : \
            900\n\n    Transfer bandwidth (GBPS)\n      enqueueWriteBuffer              : 12.5\n      enqueueReadBuffer       \
            : 13.5\n        memcpy from mapped ptr        : 20.1\n\n    Kernel launch latency : 5.5 us\n\nBackend: Vulkan\n  \
            Device 1: Card B\n    Global memory bandwidth (GBPS)\n      float4 : 7\n";
        let outputs = read(text);
        let names: Vec<(&str, &str, &str)> =
            outputs.iter().map(|of| (of.device.as_str(), of.driver.as_str(), of.version.as_str())).collect();
        assert_eq!(names, [("Card A", "1.2.3", "9.9.9"), ("Card B", "", "9.9.9")]);
        assert_eq!(
            figures(&outputs),
            [
                ("DRAM read", Value::GbPerS(100.25)),
                ("FMA f32", Value::GflopPerS(2000.0)),
                ("FMA u32", Value::GflopPerS(500.0)),
                ("host to device", Value::GbPerS(12.5)),
                ("DRAM read", Value::GbPerS(7.0)),
            ]
        );
        assert_eq!(outputs[0].figures[0].source, "global memory bandwidth, float4");
    }
}
