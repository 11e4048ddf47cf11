//! The tables of gpu-benches, which name no device: gpu-stream, gpu-latency, gpu-l2-cache.

use super::output::{Found, Output, Value};

/// One output without a device's name; none if no line is one of a table.
pub(super) fn read(text: &str) -> Vec<Output> {
    let figures: Vec<Found> = [stream(text), latency(text), l2_cache(text)].into_iter().flatten().flatten().collect();
    if figures.is_empty() { Vec::new() } else { vec![Output { figures, ..Output::default() }] }
}

/// gpu-stream: `32  4224  3 %  |  GB/s:  297  123  240  334 …`, the columns named by the heading. The fastest row of
/// `read` and `triad`.
fn stream(text: &str) -> Option<Vec<Found>> {
    let heading = text.lines().find(|line| line.contains('|') && line.contains("read") && line.contains("triad"))?;
    let names: Vec<&str> = heading.split('|').nth(1)?.split_whitespace().collect();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter_map(|line| line.split_once("GB/s:"))
        .map(|(_, rates)| rates.split_whitespace().map_while(|rate| rate.parse().ok()).collect())
        .collect();
    let fastest = |column: &str, name: &str| {
        let index = names.iter().position(|known| *known == column)?;
        let most = rows.iter().filter_map(|row: &Vec<f64>| row.get(index)).copied().reduce(f64::max)?;
        Some(Found { name: name.to_owned(), source: format!("stream, {column}"), value: Value::GbPerS(most) })
    };
    Some([fastest("read", "DRAM read"), fastest("triad", "triad")].into_iter().flatten().collect())
}

/// gpu-latency: iterations, clock in MHz, working set in kB, milliseconds, cycles of a load. The smallest set is in L1.
fn latency(text: &str) -> Option<Vec<Found>> {
    let row = |line: &str| -> Option<[f64; 5]> {
        let fields: Vec<f64> = line.split_whitespace().map(|field| field.parse().ok()).collect::<Option<_>>()?;
        let row = <[f64; 5]>::try_from(fields).ok()?;
        row.iter().all(|field| *field > 0.0).then_some(row)
    };
    let rows: Vec<[f64; 5]> = text.lines().filter_map(row).collect();
    let [_, mhz, _, _, cycles] = *rows.iter().min_by(|a, b| a[2].total_cmp(&b[2])).filter(|_| rows.len() > 1)?;
    let source = "latency of the smallest working set".to_owned();
    Some(vec![Found { name: "L1 latency".to_owned(), source, value: Value::Ns(cycles * 1000.0 / mhz) }])
}

/// gpu-l2-cache: `512 kB  1536 kB  4ms  1.0%  13526.6 GB/s …`: the largest data set is in DRAM.
fn l2_cache(text: &str) -> Option<Vec<Found>> {
    let row = |line: &str| -> Option<(f64, f64)> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let at = fields.iter().position(|field| *field == "GB/s")?;
        let rate = fields.get(at.checked_sub(1)?)?.parse().ok()?;
        let sets: Vec<f64> =
            fields.windows(2).filter(|pair| pair[1] == "kB").filter_map(|pair| pair[0].parse().ok()).collect();
        Some((sets.into_iter().reduce(f64::max)?, rate))
    };
    let (_, rate) = text.lines().filter_map(row).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let source = "l2-cache, the largest data set".to_owned();
    Some(vec![Found { name: "DRAM read".to_owned(), source, value: Value::GbPerS(rate) }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::published::output::figures;

    #[test]
    fn the_three_tables_are_read() {
        let stream = "blockSize   threads       %occ  |                init       read       scale     triad       3pt        5pt\n       \
            32        4224      3 %  |  GB/s:         200        100        240        334        222        218\n     \
            1024      135168  100.0 %  |  GB/s:        380        270       310       350       310       300\n";
        assert_eq!(figures(&read(stream)), [("DRAM read", Value::GbPerS(270.0)), ("triad", Value::GbPerS(350.0))]);
        let latency = "clock: 1500 1500 \n  1000000  1500        1     20.0    30.0\n  1000000  1500      999    200.0   300.0\n\n";
        assert_eq!(figures(&read(latency)), [("L1 latency", Value::Ns(20.0))]);
        let cache = "     data set   exec time     spread       Eff. bw\n       512 kB      1536 kB         4ms       1.0%   900.5 \
            GB/s        0 GB/s      0 GB/s      0 GB/s      0 GB/s \n       512 kB   4881920 kB        13ms       0.1%    300.5 \
            GB/s        0 GB/s      0 GB/s      0 GB/s      0 GB/s \n";
        assert_eq!(figures(&read(cache)), [("DRAM read", Value::GbPerS(300.5))]);
        assert!(read("nothing of this | read triad\n1 2 3\n").is_empty());
    }
}
