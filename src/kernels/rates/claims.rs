//! What the rates of instructions show.

use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[Claim::Measured(Measured { name: "instruction rates", state: rates })];

fn rates(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let names = ["f32_fma", "f16_fma", "f64_fma", "u32_multiply", "f32_sin"];
    let parts = names.into_iter().filter_map(|name| {
        let rate = flop_rate(of(rows, name).find(|row| row.params.get("CHAINS") == Some(&8.0))?)?;
        let rate = match name.starts_with('f') {
            true => facts.flop_rate(name, rate)?,
            false => facts.operations(name, rate)? + "OP/s",
        };
        Some(format!("{} {rate}", name.replace('_', " ")))
    });
    Some(format!("Instruction rates: {}.", joined(parts, "; ")?))
}
