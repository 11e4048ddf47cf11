//! What the rates of instructions show.

use record::claim::{Claim, DeviceRows, Facts, Measured, flop_rate, of};

pub(crate) const CLAIMS: &[Claim] = &[Claim::Measured(Measured {
    name: "instruction rates",
    rows: "f32_fma, f16_fma, f64_fma, u32_multiply, f32_sin with CHAINS=8",
    condition: "each figure's interval is within ±15 %",
    state: rates,
})];

fn rates(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let names = ["f32_fma", "f16_fma", "f64_fma", "u32_multiply", "f32_sin"];
    let parts: Vec<_> = names
        .into_iter()
        .filter_map(|name| {
            let row = of(rows, name).find(|row| row.params.get("CHAINS") == Some(&8.0))?;
            let rate = flop_rate(row)?;
            let is_float = name.starts_with('f');
            let rate = if is_float {
                facts.flop_rate(name, rate)
            } else {
                facts.operations(name, rate).map(|rate| rate + "OP/s")
            }?;
            Some(format!("{} {rate}", name.replace('_', " ")))
        })
        .collect();
    (!parts.is_empty()).then(|| format!("Instructions: {}.", parts.join("; ")))
}
