//! Figures of other programs on the same card: clpeak's CSV and what vkpeak prints.

use std::collections::HashMap;

/// The fastest entry of each test of clpeak 2, as `clpeak/vulkan/TEST` and `clpeak/cuda/TEST`, in 10¹² operations or 10⁹
/// bytes a second. Tests without a rate are left out.
///
/// # Errors
/// If the text is no CSV of clpeak's.
pub(crate) fn clpeak(text: &str) -> Result<HashMap<String, f64>, Box<dyn std::error::Error>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers()?.clone();
    let column = |name: &str| {
        header.iter().position(|known| known == name).ok_or_else(|| format!("clpeak's CSV has no column '{name}'"))
    };
    let [backend, test, unit, value] = [column("backend")?, column("test")?, column("unit")?, column("value")?];
    let mut found = HashMap::new();
    for row in reader.records() {
        let row = row?;
        let factor = match &row[unit] {
            "gflops" | "gops" => 1e-3,
            "tflops" | "tops" | "gbps" => 1.0,
            _ => continue,
        };
        let Ok(figure) = row[value].parse::<f64>() else { continue };
        let best = found.entry(format!("clpeak/{}/{}", row[backend].to_lowercase(), &row[test])).or_insert(0.0);
        *best = f64::max(*best, figure * factor);
    }
    Ok(found)
}

/// The lines `NAME = FIGURE UNIT` of vkpeak, as `vkpeak/vulkan/NAME`, in 10¹² operations a second. Zero stands for what
/// the device cannot do.
pub(crate) fn vkpeak(text: &str) -> HashMap<String, f64> {
    let figure = |line: &str| {
        let (name, rest) = line.split_once('=')?;
        let (figure, unit) = rest.trim().split_once(' ')?;
        let figure = figure.parse::<f64>().ok().filter(|figure| *figure > 0.0)?;
        matches!(unit, "GFLOPS" | "GIOPS").then(|| (format!("vkpeak/vulkan/{}", name.trim()), figure / 1e3))
    };
    text.lines().filter_map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_entry_of_a_test_of_clpeak_counts() {
        let text = "format_version,backend,platform,test,metric,unit,status,value,reason\n\
            2,\"Vulkan\",\"Vulkan\",\"single_precision_compute\",\"float\",\"gflops\",\"ok\",65346.9,\"\"\n\
            2,\"Vulkan\",\"Vulkan\",\"single_precision_compute\",\"float2\",\"gflops\",\"ok\",66000,\"\"\n\
            2,\"Vulkan\",\"Vulkan\",\"coopmat_fp8\",\"coopmat_fp8\",\"tflops\",\"unsupported\",,\"No, none\"\n\
            2,\"CUDA\",\"CUDA\",\"wmma_int8\",\"wmma_int8\",\"tops\",\"ok\",906.8,\"\"\n\
            2,\"CUDA\",\"CUDA\",\"kernel_launch_latency\",\"roundtrip\",\"us\",\"ok\",10.5,\"\"\n";
        let found = clpeak(text).expect("valid");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!((found["clpeak/vulkan/single_precision_compute"] - 66.0).abs() < 1e-9);
        assert!((found["clpeak/cuda/wmma_int8"] - 906.8).abs() < 1e-9);
        assert!(clpeak("a,b\n1,2\n").is_err());
    }

    #[test]
    fn what_vkpeak_cannot_measure_has_no_figure() {
        let text = "device       = NVIDIA H100\n\nfp16-matrix  = 655303.55 GFLOPS\nfp8-matrix   = 0.00 GFLOPS\n\
            copy-d2d     = 418.28 GBPS\n";
        let found = vkpeak(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found["vkpeak/vulkan/fp16-matrix"] - 655.303_55).abs() < 1e-9);
    }
}
