//! `devices`: everything that the adapters tell (source workloads A1 and C5).

use serde_json::{Map, Value, json};

use super::{print, print_json};
use crate::backend::Device;
use crate::backend::wgpu::adapters;
use crate::error::Result;
use crate::shader::Feature;

pub(super) fn devices(as_json: bool) -> Result<()> {
    let found = pollster::block_on(adapters(None));
    if found.is_empty() {
        return Err(super::run::no_device());
    }
    if as_json {
        let all = found.iter().enumerate().map(|(index, adapter)| object(index, &adapter.device));
        return print_json(&all.collect());
    }
    let sheets: Vec<_> = found.iter().enumerate().map(|(index, adapter)| sheet(index, &adapter.device)).collect();
    print(&sheets.join("\n"))
}

/// What every API tells, under the names that the benchmarks' needs have.
fn basics(device: &Device) -> Vec<(&'static str, String)> {
    let [x, y, z] = device.max_workgroup_size;
    let features: Vec<_> = Feature::ALL.iter().filter(|f| device.features.contains(f)).map(|f| f.name()).collect();
    vec![
        ("name", device.name.clone()),
        ("vendor", device.vendor.clone()),
        ("type", device.kind.name().to_owned()),
        ("backend", device.backend.to_owned()),
        ("driver", device.driver.clone()),
        ("timestamps", if device.has_timestamps { "yes" } else { "no" }.to_owned()),
        ("shader features", features.join(", ")),
        ("workgroup memory", format!("{} B", device.max_workgroup_bytes)),
        ("invocations a workgroup", format!("{} ({x} x {y} x {z})", device.max_invocations)),
        ("workgroups a side", device.max_groups.to_string()),
        ("storage buffers a kernel", device.max_storage_buffers.to_string()),
        ("largest buffer", format!("{} MiB", device.max_buffer_bytes >> 20)),
        ("largest binding", format!("{} MiB", device.max_binding_bytes >> 20)),
    ]
}

fn sheet(index: usize, device: &Device) -> String {
    let mut text = format!("[{index}] {} ({})\n", device.name, device.backend);
    for (name, value) in basics(device).iter().skip(1) {
        text.push_str(&format!("    {name:<44} {value}\n"));
    }
    let mut section = "";
    for (of, name, value) in &device.facts {
        if *of != section {
            section = of;
            text.push_str(&format!("  {section}\n"));
        }
        text.push_str(format!("    {name:<44} {value}").trim_end());
        text.push('\n');
    }
    text
}

fn object(index: usize, device: &Device) -> Value {
    let mut object = Map::new();
    object.insert("index".to_owned(), json!(index));
    object.extend(basics(device).into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))));
    for (section, name, value) in &device.facts {
        let section = object.entry(*section).or_insert_with(|| json!({}));
        // A feature has no value beyond being there.
        let value = if value.is_empty() { json!(true) } else { serde_json::from_str(value).unwrap_or(json!(value)) };
        section[name.as_str()] = value;
    }
    Value::Object(object)
}
