//! DirectX 12 on fake devices: a compiler of its own, and guards that naga leaves in HLSL.

use crate::common::{Behaviour, Fake, cases, fake_on, measure};
use gpu::backend::{Compiler, HlslCompiler};
use record::suite::Api;
use record::{Record, Status};

fn with(compiler: Compiler, version: [u32; 4]) -> Fake {
    let mut fake = fake_on(Api::Dx12, |_| Behaviour::Right);
    fake.device.compiler = Some(HlslCompiler::new(compiler, version, Some((6, 6))));
    fake
}

fn fxc() -> Fake {
    with(Compiler::Fxc, [10, 0, 26100, 1])
}

fn dxc() -> Fake {
    with(Compiler::Dxc, [1, 8, 0, 0])
}

fn zeroed(records: &[Record]) -> Vec<&Record> {
    records.iter().filter(|row| row.params.get("ZERO_INIT").is_some_and(|value| *value == 1.0)).collect()
}

#[test]
fn a_kernel_that_fxc_compiles_for_minutes_is_skipped_and_dxc_compiles_it() {
    let cases = cases(&["workgroup_memory/zero_init"], &["65536"]);
    let by_fxc = measure(&mut fxc(), &cases);
    let slow = zeroed(&by_fxc);
    assert!(!slow.is_empty() && slow.len() < by_fxc.len());
    for row in slow {
        assert_eq!(row.status, Status::Skipped);
        assert_eq!(
            row.reason,
            "FXC would take minutes to compile this kernel, since it zeroes 4096 words of workgroup memory one by one. \
             Use DXC: put dxcompiler.dll and dxil.dll next to the program"
        );
    }
    assert!(by_fxc.iter().any(|row| row.status == Status::Ok), "without zeroing FXC compiles it");
    let by_dxc = measure(&mut dxc(), &cases);
    assert!(zeroed(&by_dxc).iter().all(|row| row.status == Status::Ok));
}

#[test]
fn fxc_compiles_kernels_that_zero_little() {
    let cases = cases(&["safety_tax/transpose", "safety_tax/matmul"], &["64x96", "64x96x32"]);
    let records = measure(&mut fxc(), &cases);
    assert!(zeroed(&records).len() > 1);
    assert!(zeroed(&records).iter().all(|row| row.status == Status::Ok), "{records:?}");
}

#[test]
fn rows_name_the_guards_of_divisions_that_stay_in_hlsl() {
    let cases = cases(&["cache_curve/latency", "stream/copy"], &["65536"]);
    let checks = |fake: &mut Fake| {
        let records = measure(fake, &cases);
        ["cache_curve/latency", "stream/copy"].map(|name| {
            let row = records.iter().find(|row| row.name() == name).expect("a row");
            assert_eq!(row.status, Status::Ok, "{}", row.reason);
            row.cell("checks")
        })
    };
    assert_eq!(checks(&mut fxc()), ["division", "off"]);
    assert_eq!(checks(&mut dxc()), ["division", "off"]);
    assert_eq!(checks(&mut fake_on(Api::Vulkan, |_| Behaviour::Right)), ["off", "off"]);
}
