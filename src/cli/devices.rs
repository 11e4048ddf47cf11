//! `devices`: device properties and limits (source workloads A1 and C5).

use serde_json::{Map, Value, json};

use super::format::Format;
use super::output::{print, print_json, terminal};
use super::selection::{is_same_card, no_device};
use super::target::Through;
use super::worker::list;
use answers::report::layout::columns;
use answers::report::markdown::{escape, table};
use gpu::backend::Device;
use gpu::backend::wgpu::refusal;
use record::error::{Error, Result};
use record::suite::Api;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Show only devices with this API [default: all APIs]
    #[arg(long, value_name = "API", value_parser = Through::parser())]
    backend: Option<Through>,
    /// Also show all limits and features (JSON always has them)
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
}

pub(super) fn devices(arguments: &Arguments) -> Result<()> {
    let Arguments { backend, all: is_long, format } = *arguments;
    let entries = entries(backend)?;
    let sheets = |sheet: fn(&Entry, &[Entry], bool) -> String| {
        entries.iter().map(|entry| sheet(entry, &entries, is_long)).collect::<Vec<_>>().join("\n")
    };
    match format {
        Format::Table => print(&sheets(sheet)),
        Format::Markdown => print(&sheets(markdown)),
        Format::Json => print_json(&entries.iter().map(|entry| object(entry, &entries)).collect::<Value>()),
    }
}

/// The facts of the short list: those that identify cards or explain results.
const MAIN_FACTS: [&str; 11] = [
    "PCI address",
    "PCIe link",
    "smallest subgroup",
    "largest subgroup",
    "compute capability",
    "multiprocessors",
    "warp size",
    "memory (bytes)",
    "L2 cache (bytes)",
    "peak DRAM bandwidth (GB/s)",
    "ECC",
];

fn facts(device: &Device, is_long: bool) -> impl Iterator<Item = (&str, &str, &str)> {
    let texts = device.facts.iter().map(|(section, name, value)| (section.as_ref(), name.as_str(), value.as_str()));
    texts.filter(move |(_, name, _)| is_long || MAIN_FACTS.contains(name))
}

struct Entry {
    /// Number for `--device`: among the adapters, or among CUDA's devices with `--backend cuda`.
    index: usize,
    device: Device,
}

impl Entry {
    /// `[0]`, or `[cuda 0]`.
    fn label(&self) -> String {
        if self.device.api == Api::Cuda { format!("[cuda {}]", self.index) } else { format!("[{}]", self.index) }
    }

    /// Other entries for the same card, by PCI address or UUID.
    fn others<'a>(&self, all: &'a [Self]) -> Vec<&'a Self> {
        let is_other = |other: &&Self| other.label() != self.label();
        all.iter().filter(is_other).filter(|other| is_same_card(&self.device, &other.device) == Some(true)).collect()
    }
}

/// The adapters, then CUDA's devices; with `backend`, only those of one API. Missing CUDA is an error only on request.
fn entries(backend: Option<Through>) -> Result<Vec<Entry>> {
    let numbered = |found: Vec<Device>| found.into_iter().enumerate().map(|(index, device)| Entry { index, device });
    let mut all: Vec<Entry> = Vec::new();
    if backend != Some(Through::One(Api::Cuda)) {
        all.extend(numbered(list(None)?.devices));
    }
    match list(Some(Through::One(Api::Cuda))) {
        Ok(found) => all.extend(numbered(found.devices)),
        Err(error) if backend == Some(Through::One(Api::Cuda)) => return Err(error),
        Err(_) => {}
    }
    if let Some(Through::One(api)) = backend {
        let is_empty = all.is_empty();
        all.retain(|entry| entry.device.api == api);
        if all.is_empty() && !is_empty {
            return Err(Error::NoDevice(format!("no device supports {api}: see `shaderbench devices`")));
        }
    }
    if all.is_empty() { Err(no_device()) } else { Ok(all) }
}

/// The lines above the facts: why the device is unusable, if it is; other entries of the same card; basic properties.
fn head(entry: &Entry, all: &[Entry]) -> Vec<(&'static str, String)> {
    let label = |other: &&Entry| format!("{} ({})", other.label(), other.device.api);
    let others: Vec<_> = entry.others(all).iter().map(label).collect();
    let same = (!others.is_empty()).then(|| ("same card as", others.join(", ")));
    let unusable = refusal(&entry.device).map(|reason| ("unusable", reason));
    let or_none = |(name, value): (_, String)| (name, if value.is_empty() { "none".to_owned() } else { value });
    unusable.into_iter().chain(same).chain(entry.device.basics().into_iter().skip(1).map(or_none)).collect()
}

fn sheet(entry: &Entry, all: &[Entry], is_long: bool) -> String {
    let device = &entry.device;
    let mut text = format!("{} {} ({})\n", entry.label(), device.name, device.api);
    let row = |name: &str, value: &str| vec![name.to_owned(), value.to_owned()];
    let mut rows: Vec<Vec<String>> = head(entry, all).iter().map(|(name, value)| row(name, value)).collect();
    let mut section = "";
    for (of, name, value) in facts(device, is_long) {
        if is_long && of != section {
            text += &columns(&std::mem::take(&mut rows), 4, terminal());
            section = of;
            text += &format!("\n  {section}\n");
        }
        rows.push(row(name, value));
    }
    text + columns(&rows, 4, terminal()).as_str() + "\n"
}

fn markdown(entry: &Entry, all: &[Entry], is_long: bool) -> String {
    let device = &entry.device;
    let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
    let head = head(entry, all);
    let head = head.iter().map(|(name, value)| row(["", name, value]));
    let facts = facts(device, is_long).map(|(section, name, value)| row([section, name, value]));
    let rows: Vec<_> = head.chain(facts).collect();
    let heading = escape(&format!("{} {} ({})", entry.label(), device.name, device.api));
    format!("### {heading}\n\n{}", table(&["section", "property", "value"].map(str::to_owned), &[false; 3], &rows))
}

fn object(entry: &Entry, all: &[Entry]) -> Value {
    let (mut object, device) = (Map::new(), &entry.device);
    object.insert("index".to_owned(), json!(entry.index));
    let same_card = |other: &&Entry| json!({ "backend": other.device.api.name(), "index": other.index });
    object.insert("same card".to_owned(), entry.others(all).iter().map(same_card).collect());
    object.extend(refusal(device).map(|reason| ("unusable".to_owned(), Value::from(reason))));
    object.extend(device.basics().into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))));
    for (section, name, value) in &device.facts {
        let section = object.entry(section.as_ref()).or_insert_with(|| json!({}));
        // Features have no value; write true.
        let value = if value.is_empty() { json!(true) } else { serde_json::from_str(value).unwrap_or(json!(value)) };
        section[name.as_str()] = value;
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::selection::fakes::{at, device};

    fn entry(index: usize, api: Api, pci_address: &str) -> Entry {
        let device = if pci_address.is_empty() { device("Fake 9000", api, &[]) } else { at(api, pci_address) };
        Entry { index, device }
    }

    #[test]
    fn one_card_through_two_apis_is_known_by_its_pci_address() {
        let all = [
            entry(0, Api::Vulkan, "0000:1b:00.0"),
            entry(1, Api::Vulkan, "0000:43:00.0"),
            entry(2, Api::Gl, ""),
            entry(0, Api::Cuda, "0000:43:00.0"),
            entry(1, Api::Cuda, "0000:1B:00.0"),
        ];
        let line = |index: usize, text: &str| {
            let sheet = sheet(&all[index], &all, false).split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(sheet.contains(text), "{sheet}");
            sheet
        };
        line(0, "same card as [cuda 1] (cuda)");
        line(1, "same card as [cuda 0] (cuda)");
        assert!(!line(2, "[2] Fake 9000 (gl)").contains("same card"));
        line(3, "[cuda 0] Fake 9000 (cuda) same card as [1] (vulkan)");
        assert_eq!(object(&all[4], &all)["same card"], json!([{ "backend": "vulkan", "index": 0 }]));
        assert_eq!(object(&all[2], &all)["same card"], json!([]));
    }

    #[test]
    fn a_device_that_runs_no_kernel_is_listed_with_the_reason() {
        let mut old = entry(0, Api::Gl, "");
        assert!(!object(&old, &[]).as_object().expect("an object").contains_key("unusable"));
        old.device.driver = "3.3.0 NVIDIA 580.159.04".to_owned();
        let all = [old];
        let reason = "cannot be opened: wgpu needs OpenGL 4.3 or OpenGL ES 3.1. Use --backend vulkan";
        assert!(object(&all[0], &all)["unusable"].as_str().expect("a text").ends_with(reason));
        let text = sheet(&all[0], &all, false).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("unusable Fake 9000 (gl, 3.3.0 NVIDIA 580.159.04)") && text.contains(reason), "{text}");
    }

    #[test]
    fn each_of_several_cards_is_listed_once_for_each_api() {
        let all = [
            entry(0, Api::Vulkan, "0000:1b:00.0"),
            entry(1, Api::Vulkan, "0000:43:00.0"),
            entry(0, Api::Cuda, "00000000:43:00.0"),
            entry(1, Api::Cuda, "1B:00.0"),
        ];
        let pairs: Vec<_> = all
            .iter()
            .map(|entry| (entry.label(), entry.others(&all).iter().map(|other| other.label()).collect::<Vec<_>>()))
            .collect();
        let pair = |label: &str, other: &str| (label.to_owned(), vec![other.to_owned()]);
        let expected =
            [pair("[0]", "[cuda 1]"), pair("[1]", "[cuda 0]"), pair("[cuda 0]", "[1]"), pair("[cuda 1]", "[0]")];
        assert_eq!(pairs, expected);
    }
}
