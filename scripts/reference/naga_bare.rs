//! `naga-bare IN.wgsl OUT.spv`: what naga writes with wgpu's options for kernels without run-time checks. naga-cli always
//! bounds loops and zeroes workgroup memory. `scripts/compilers.sh` builds it with each version of naga.

use naga::back::spv;
use naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (input, output) = match (arguments.next(), arguments.next()) {
        (Some(version), _) if version == "--version" => {
            println!("{}", env!("NAGA_VERSION"));
            return Ok(());
        }
        (Some(input), Some(output)) => (input, output),
        _ => return Err("give the WGSL file to read and the SPIR-V file to write".to_owned()),
    };
    let source = std::fs::read_to_string(&input).map_err(|error| error.to_string())?;
    let module = naga::front::wgsl::parse_str(&source).map_err(|error| error.message().to_owned())?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.subgroup_stages(ShaderStages::COMPUTE).subgroup_operations(SubgroupOperationSet::all());
    let info = validator.validate(&module).map_err(|error| error.into_inner().to_string())?;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::empty(),
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        // The option is new in naga 30. Older versions always guard divisions.
        #[cfg(has_int_div_checks)]
        emit_int_div_checks: false,
        ..Default::default()
    };
    let words = spv::write_vec(&module, &info, &options, None).map_err(|error| error.to_string())?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(&output, bytes).map_err(|error| error.to_string())
}
