use serde_json::Value;

use super::field::Field;
use super::row::Record;

/// Kind of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Identifies the row: run, device, API and case.
    Identity,
    /// A measured value. Rows without a valid measurement have none.
    Figure,
    /// Any other value.
    Text,
}

/// A column.
pub struct Column {
    /// Name in the CSV's first line.
    pub name: &'static str,
    /// Kind of its values.
    pub kind: Kind,
    /// Unit of the value; empty for text.
    pub unit: &'static str,
    /// Description.
    pub doc: &'static str,
    /// The value as text; empty if there is none.
    pub get: fn(&Record) -> String,
    /// Sets the value from text.
    pub set: fn(&mut Record, &str) -> Result<(), String>,
    /// The value for JSON: a number, a string, or null.
    pub json: fn(&Record) -> Value,
}

macro_rules! column {
    ($kind:ident $field:ident, $unit:literal, $doc:literal) => {
        Column {
            name: stringify!($field),
            kind: Kind::$kind,
            unit: $unit,
            doc: $doc,
            get: |record| record.$field.text(),
            set: |record, text| {
                record.$field = Field::parse(text)?;
                Ok(())
            },
            json: |record| record.$field.json(),
        }
    };
}

/// The columns of the CSV, in their order, and the keys of the JSON report.
pub const COLUMNS: &[Column] = &[
    column!(Text schema, "", "version of this list of columns"),
    column!(Identity tool_version, "", "version of shaderbench"),
    column!(Identity date, "", "start of the run, in UTC (RFC 3339)"),
    column!(Text os, "", "operating system of the host"),
    column!(Text cpu, "", "CPU of the host"),
    column!(Identity device, "", "name of the device, as the driver reports it"),
    column!(Text vendor, "", "vendor of the device"),
    column!(Text device_type, "", "type of the device: discrete, integrated, virtual, software or other"),
    column!(Identity driver, "", "driver and its version; on DirectX 12 also the shader compiler and its shader model"),
    column!(Identity backend, "", "API that ran the kernel: vulkan, metal, dx12, gl, cuda, webgpu"),
    column!(Identity family, "", "group of kernels that do the same job"),
    column!(Identity benchmark, "", "name of the kernel in its family"),
    column!(Identity dtype, "", "element type, in WGSL's notation where WGSL has it"),
    column!(Identity n, "", "size: number of elements, rows x columns, or m x n x k"),
    column!(Identity params, "", "parameters as K=V, separated by ';' and sorted by name"),
    column!(Text workgroup_size, "", "workgroup size, for example 256x1x1"),
    column!(
        Text checks,
        "",
        "run-time checks added to the kernel: off, on, or their names; DirectX 12 always guards integer divisions"
    ),
    column!(Text shader_hash, "", "hash of the compiled source, including constants but not comments"),
    column!(Text status, "", "status of the row: ok, unverified, wrong, skipped, failed or implausible"),
    column!(Text reason, "", "reason why the status is not ok, or a remark about the row"),
    column!(
        Figure timer,
        "",
        "clock that timed the row: timestamp (device clock) or wall (host clock around submit and wait)"
    ),
    column!(Figure tick_ns, "ns", "smallest observed step of the timer"),
    column!(Figure samples, "", "number of timed submissions"),
    column!(Figure launches, "", "number of launches in each timed submission"),
    column!(
        Figure median_ns,
        "ns",
        "time of one launch: geometric mean of the epochs' medians; in schema 1, median of one series"
    ),
    column!(Figure min_ns, "ns", "time of one launch in the fastest sample"),
    column!(Figure mean_ns, "ns", "mean time of one launch"),
    column!(Figure stddev_ns, "ns", "sample standard deviation of the time of one launch"),
    column!(
        Figure ci_low_ns,
        "ns",
        "lower end of the 95 % interval for median_ns in another run of the same build; in schema 1, of one series"
    ),
    column!(Figure ci_high_ns, "ns", "upper end of the interval that starts at ci_low_ns"),
    column!(Figure end_to_end_ns, "ns", "median wall time, including copies to and from the host"),
    column!(Text bytes, "B", "bytes that the algorithm must move, reads plus writes"),
    column!(Text flops, "FLOP", "arithmetic operations that the algorithm must do; an FMA counts as 2"),
    column!(Figure gb_per_s, "GB/s", "bytes divided by the median time; 1 GB/s is 10^9 bytes per second"),
    column!(Figure gflop_per_s, "GFLOP/s", "flops divided by the median time"),
    column!(Figure ceiling, "", "measured peak that the row is compared with, and the peak's working set"),
    column!(
        Figure share,
        "",
        "share of the measured peak (1 = the peak); for arithmetic, of the card's highest rate for the same kind of \
         arithmetic"
    ),
    column!(Text model, "", "speed that the model predicts, relative to the first row of the same type and size"),
    column!(Figure drift, "", "relative change of the canary kernel's time from before the case to after it"),
    column!(
        Figure in_kernel_ns,
        "ns",
        "median time from the earliest start to the latest end of any workgroup, by a clock that the kernel reads"
    ),
    column!(
        Text subgroup_size,
        "",
        "subgroup size that the API reports: `32`, or `8-32` if the driver selects it; empty if not reported"
    ),
    column!(Text cause, "", "keyword for the reason, for example timed-out, unsupported or above-ceiling"),
    column!(Figure epochs_ns, "ns", "median launch time of each epoch, in epoch order, separated by ';'"),
    column!(Figure noise_within, "", "relative standard error of an epoch's median, estimated from its samples"),
    column!(Figure noise_between, "", "relative standard deviation of the epochs' medians"),
    column!(Figure slope_ns, "ns", "time that one more launch adds to a submission: slope over k, 2k and 4k launches"),
    column!(Figure share_low, "", "lower end of the share's 95 % confidence interval"),
    column!(Figure share_high, "", "upper end of the share's 95 % confidence interval"),
    column!(Figure canary_ns, "ns", "time of the canary kernel around the case, mean over the epochs"),
    column!(Text seed, "", "seed for the inputs and the order of the cases"),
    column!(
        Identity card,
        "",
        "UUID of the card, or else its PCI address; anonymous reports have a hash of the UUID and no address"
    ),
    column!(Text apis, "", "all APIs of the run, separated by '+'"),
    column!(Text l2_bytes, "B", "size of the L2 cache as the driver reports it"),
    column!(Text profile, "", "profile of the run: quick, standard or thorough"),
    column!(
        Identity compiler,
        "",
        "source of the SPIR-V: against (the command given to --against), file (a SPIR-V file given to bench) or, in \
         older reports, a compiler's name; otherwise empty"
    ),
    column!(
        Text compiler_version,
        "",
        "version that the compiler or the --against command reports, or a hash of the compiler's executable"
    ),
    column!(Text translation_ms, "ms", "time to produce the SPIR-V, if the row names a compiler"),
    column!(
        Text pipeline_ms,
        "ms",
        "time that the API takes to create the pipeline, from WGSL with naga, or from SPIR-V"
    ),
    column!(Text spirv_bytes, "B", "size of the SPIR-V, if the row names a compiler"),
    column!(
        Text spirv_instructions,
        "",
        "number of SPIR-V instructions, including declarations but not debug names"
    ),
    column!(Identity host, "", "name of the host; empty in anonymous reports"),
    column!(
        Figure energy_j,
        "J",
        "energy of the whole card for one launch: mean over the epochs that measured energy (--energy)"
    ),
    column!(
        Figure energy_noise,
        "",
        "half-width of the 95 % interval of energy_j, relative to energy_j; empty with one epoch"
    ),
    column!(
        Figure energies_j,
        "J",
        "energy of one launch in each epoch that measured energy, in epoch order, separated by ';'"
    ),
    column!(Figure power_w, "W", "mean power of the card during the launches that energy_j covers"),
    column!(
        Figure sensor_w,
        "W",
        "power read from the card's sensor at the end of the launches that energy_j covers; empty unless power_w is \
         from an energy counter"
    ),
    column!(Figure gflop_per_j, "GFLOP/J", "flops divided by energy_j; 1 GFLOP/J is 1 GFLOP/s per watt"),
    column!(Figure gb_per_j, "GB/J", "bytes divided by energy_j"),
    column!(Figure alone_epochs_ns, "ns", "epochs_ns measured while other cards wait; only in files of version 0.1.0"),
    column!(Text declaration, "", "hash of the declaration given to bench: kernel, buffers, work and expected values"),
    column!(Text items, "", "number of items that a launch processes, as declared for bench"),
    column!(Text unit, "", "name of the items, for example keys or pixels"),
    column!(
        Text registers,
        "",
        "registers per invocation, as the driver reports them; the maximum if several kernels run"
    ),
    column!(
        Text local_bytes,
        "B",
        "local memory per invocation: spilled registers, and arrays that do not fit in registers; the maximum if \
         several kernels run"
    ),
    column!(Text workgroup_bytes, "B", "workgroup memory per workgroup, static and dynamic, as the driver reports it"),
    column!(
        Text occupancy,
        "",
        "occupancy: subgroups of this kernel that fit on an SM or SIMD unit, as a share of the unit's maximum \
         (1 = full)"
    ),
    column!(Text binary_bytes, "B", "size of the machine code, as the driver reports it"),
    column!(
        Text subgroup_size_run,
        "",
        "subgroup size counted by a probe kernel with the same workgroup size; empty without subgroup operations"
    ),
    column!(
        Text dram_peak_gb_per_s,
        "GB/s",
        "peak DRAM bandwidth computed from the driver's figures: twice the highest memory clock times the bus width"
    ),
    column!(
        Text pcie,
        "",
        "PCI Express link of the card: generation and lanes, for example 5 x16; read after copies over the link"
    ),
    column!(
        Text cache,
        "",
        "state of the caches before a launch: cold with --cache cold, hot if the bytes that the launch moves fit in \
         L2; empty if they do not fit or the size of L2 is unknown"
    ),
    column!(
        Figure sm_mhz,
        "MHz",
        "clock of the SMs or compute units right after the last epoch's samples, as the driver reports it"
    ),
    column!(
        Text instructions,
        "",
        "number of machine-code instructions, including padding at the end; the maximum if several kernels run"
    ),
];

impl Record {
    /// The values that identify the row: run, device, API and case.
    #[must_use]
    pub fn identity(&self) -> Vec<String> {
        COLUMNS.iter().filter(|column| column.kind == Kind::Identity).map(|column| (column.get)(self)).collect()
    }

    /// The text of a column; empty if there is no such column.
    #[must_use]
    pub fn cell(&self, column: &str) -> String {
        COLUMNS.iter().find(|known| known.name == column).map_or_else(String::new, |column| (column.get)(self))
    }

    /// Removes all measured values.
    pub fn drop_figures(&mut self) {
        let blank = Self::default();
        for column in COLUMNS.iter().filter(|column| column.kind == Kind::Figure) {
            // A column parses what it writes.
            let _ = (column.set)(self, &(column.get)(&blank));
        }
        self.all_samples_ns.clear();
        self.epoch_samples.clear();
        // It belongs to the removed figures; restored later, it would replace the reason for their removal.
        self.unjudged = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clock, Status};

    /// Programs that read reports rely on the order.
    #[test]
    fn columns_have_the_documented_order() {
        let names: Vec<_> = COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(
            names.join(","),
            "schema,tool_version,date,os,cpu,device,vendor,device_type,driver,backend,family,benchmark,dtype,n,params,\
             workgroup_size,checks,shader_hash,status,reason,timer,tick_ns,samples,launches,median_ns,min_ns,mean_ns,\
             stddev_ns,ci_low_ns,ci_high_ns,end_to_end_ns,bytes,flops,gb_per_s,gflop_per_s,ceiling,share,model,drift,\
             in_kernel_ns,subgroup_size,cause,epochs_ns,noise_within,noise_between,slope_ns,share_low,share_high,canary_ns,\
             seed,card,apis,l2_bytes,profile,compiler,compiler_version,translation_ms,pipeline_ms,spirv_bytes,\
             spirv_instructions,host,energy_j,energy_noise,energies_j,power_w,sensor_w,gflop_per_j,gb_per_j,\
             alone_epochs_ns,declaration,items,unit,registers,local_bytes,workgroup_bytes,occupancy,binary_bytes,\
             subgroup_size_run,dram_peak_gb_per_s,pcie,cache,sm_mhz,instructions"
        );
    }

    #[test]
    fn dropping_figures_keeps_all_other_values() {
        let known = Record { bytes: Some(8), model: Some(0.5), device: "card".to_owned(), ..Record::default() };
        let mut record = Record {
            timer: Some(Clock::Timestamp),
            median_ns: Some(1.0),
            samples: Some(3),
            share: Some(0.9),
            all_samples_ns: vec![1.0],
            ..known.clone()
        };
        record.drop_figures();
        assert_eq!(record, known);
    }

    #[test]
    fn values_that_are_not_numbers_are_refused() {
        for text in ["NaN", "inf", "-inf", "fast"] {
            assert!(<Option<f64> as Field>::parse(text).is_err(), "{text}");
        }
        assert_eq!(<Option<f64> as Field>::parse(""), Ok(None));
        assert!(Status::parse("great").expect_err("no such status").contains("implausible"));
    }
}
