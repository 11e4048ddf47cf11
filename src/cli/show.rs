//! `show`: a kernel in the language of each platform.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::explain::dtypes;
use super::output::{print, say};
use super::outputs::{ANOTHER_FILE, check_new};
use super::values::param;
use answers::report::write_file;
use gpu::backend::{Compiler, HlslCompiler};
use gpu::engine::plan::{Request, plan, select, unknown};
use gpu::job::{Job, Kernel};
use gpu::shader::module::{disassemble, specialize};
use gpu::shader::twin::without_prelude;
use gpu::shader::{Shader, ShaderModel, Target};
use record::error::{Error, Result, usage};
use record::suite::Checks;
use record::suite::{Benchmark, Case, Profile};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Benchmark to show, for example transpose/tiled
    #[arg(value_name = "NAME")]
    name: String,
    /// Language to print
    #[arg(long, value_name = "LANG", value_enum, default_value_t)]
    lang: OutputLanguage,
    /// Kernel parameter, for example PAD=1 [default: as in the first case]
    ///
    /// Repeat the option or write WG=128,PAD=1 for several parameters.
    #[arg(long = "param", value_name = "K=V", value_parser = param, value_delimiter = ',')]
    params: Vec<(String, f64)>,
    /// Run-time checks: off, as in measurements, or on, as in a browser
    ///
    /// [default: off, unless a parameter turns a check on]
    #[arg(long, value_name = "SWITCH", value_enum)]
    checks: Option<Switch>,
    /// HLSL shader model (with --lang hlsl)
    ///
    /// FXC accepts 5.1, DXC later models [default: 6.0, or 6.2 for f16]
    #[arg(long, value_name = "MODEL", value_parser = shader_models())]
    shader_model: Option<ShaderModel>,
    /// With --lang cuda: also print the definitions that all CUDA ports share
    ///
    /// NVRTC can then compile the output.
    #[arg(long)]
    prelude: bool,
    /// Element type [default: the benchmark's first type]
    #[arg(long, value_name = "T")]
    dtype: Option<String>,
    /// Output file [default: stdout]
    ///
    /// SPIR-V is binary if the name ends in .spv, else text.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum OutputLanguage {
    /// WebGPU: the source with types and parameters filled in
    #[default]
    Wgsl,
    /// Vulkan, disassembled
    Spirv,
    /// Metal
    Msl,
    /// DirectX 12
    Hlsl,
    /// OpenGL; for kernels written only for Vulkan and CUDA, their GLSL source
    Glsl,
    /// CUDA C++ port, with types and parameters filled in
    Cuda,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

/// Parses the number of a shader model.
fn shader_models() -> impl TypedValueParser<Value = ShaderModel> {
    PossibleValuesParser::new(ShaderModel::ALL.map(ShaderModel::name))
        .try_map(|name| ShaderModel::ALL.into_iter().find(|model| model.name() == name).ok_or("no shader model"))
}

pub(super) fn show(arguments: &Arguments) -> Result<()> {
    let case = case(arguments)?;
    let kernel = Job::new(&case)?.kernel;
    let text = text(arguments, &case, &kernel)?;
    match &arguments.out {
        None => print(&String::from_utf8_lossy(&text))?,
        Some(path) => {
            check_new(path, arguments.force, ANOTHER_FILE)?;
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
            }
            write_file(path, &text, arguments.force)?;
        }
    }
    if arguments.lang == OutputLanguage::Wgsl {
        let name = case.name();
        say(&format!(
            "to change the kernel, run `shaderbench show {name} -o new/{name}.wgsl`, edit the file and compare both \
             kernels with `shaderbench run {name} --against-shaders new`"
        ));
    }
    Ok(())
}

/// The first case of the benchmark with the requested type and parameters.
fn case(arguments: &Arguments) -> Result<Case> {
    let selected = select(std::slice::from_ref(&arguments.name))?;
    let names: Vec<String> =
        selected.iter().map(|(family, benchmark)| format!("{}/{}", family.name, benchmark.name)).collect();
    let [name] = &names[..] else {
        return Err(usage!("'{}' matches several kernels: name one of {}", arguments.name, names.join(", ")));
    };
    let dtype = dtype(selected[0].1, arguments.dtype.as_deref())?;
    let request = Request { params: arguments.params.clone(), ..Request::new(vec![name.clone()], Profile::Thorough) };
    // Filter by name: a plan also contains the ceilings of its cases.
    let is_wanted = |case: &Case| case.name() == *name && case.shape.dtype.name() == dtype;
    // Prefers the kernel's own workgroup size.
    let is_other_launch = |case: &Case| case.shape.params.contains_key("WG");
    let found = plan(&request)?.into_iter().filter(is_wanted).min_by_key(is_other_launch);
    found.ok_or_else(|| usage!("{name} has no {dtype} case"))
}

fn dtype<'a>(benchmark: &'a Benchmark, asked: Option<&'a str>) -> Result<&'a str> {
    let known = dtypes(benchmark);
    match asked {
        None => Ok(known.first().copied().unwrap_or_default()),
        Some(asked) if known.contains(&asked) => Ok(asked),
        Some(asked) => {
            let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
            Err(Error::Usage(unknown("element type", asked, &known)))
        }
    }
}

fn text(arguments: &Arguments, case: &Case, kernel: &Kernel) -> Result<Vec<u8>> {
    let lacks = |why: String| Error::Unsupported(format!("{} {why}", case.name()));
    if arguments.shader_model.is_some() && arguments.lang != OutputLanguage::Hlsl {
        return Err(usage!("--shader-model needs --lang hlsl"));
    }
    if kernel.is_empty() {
        return Err(lacks("has no kernel: it measures API or library calls".to_owned()));
    }
    if arguments.lang == OutputLanguage::Cuda {
        if arguments.checks == Some(Switch::On) {
            return Err(lacks("has no run-time checks in CUDA: remove --checks".to_owned()));
        }
        if kernel.cuda.is_empty() {
            return Err(lacks("has no CUDA port".to_owned()));
        }
        if arguments.prelude {
            return Ok((*kernel.cuda).into());
        }
        let note = "// Without the prelude that all CUDA ports share: add --prelude to print it.\n";
        return Ok([note, without_prelude(&kernel.cuda)].concat().into());
    }
    if arguments.prelude {
        return Err(usage!("--prelude needs --lang cuda"));
    }
    if !kernel.module.is_empty() {
        return module(arguments, case, kernel);
    }
    if let Some(why) = case.benchmark.only_cuda {
        return Err(lacks(format!("exists only in CUDA: {why} (--lang cuda shows it)")));
    }
    let shader = Shader::parse(&kernel.source, case.shape.dtype.name())?;
    let checks = match arguments.checks {
        Some(Switch::On) => Checks::ALL,
        Some(Switch::Off) => Checks::default(),
        None => kernel.checks,
    };
    let target = match arguments.lang {
        OutputLanguage::Wgsl | OutputLanguage::Cuda => {
            if checks != Checks::default() {
                say("the WGSL is the same with and without checks: translation to other languages adds them");
            }
            return Ok(shader.source_with(&kernel.constants)?.into());
        }
        OutputLanguage::Spirv => Target::SpirV,
        OutputLanguage::Msl => Target::Msl,
        OutputLanguage::Hlsl => Target::Hlsl(arguments.shader_model),
        OutputLanguage::Glsl => Target::Glsl,
    };
    let written = shader.translate(target, &kernel.constants, checks)?;
    if arguments.shader_model == Some(ShaderModel::V5_1) && checks.zero_init {
        let fxc = HlslCompiler::new(Compiler::Fxc, [0; 4], None);
        if let Some(reason) = fxc.slow_zeroing(kernel.interface.workgroup_bytes) {
            say(&format!("note: {reason}"));
        }
    }
    if target == Target::SpirV && !is_binary(arguments) { Ok(disassemble(&written)?.into()) } else { Ok(written) }
}

/// The GLSL of a kernel that WGSL cannot express, or its SPIR-V with the parameter values filled in.
fn module(arguments: &Arguments, case: &Case, kernel: &Kernel) -> Result<Vec<u8>> {
    let lacks = |why: String| Error::Unsupported(format!("{} {why}", case.name()));
    if arguments.checks == Some(Switch::On) {
        return Err(lacks("is SPIR-V, which has no run-time checks: remove --checks".to_owned()));
    }
    match arguments.lang {
        OutputLanguage::Glsl => Ok(case.benchmark.glsl.into()),
        OutputLanguage::Spirv => {
            let mut words = kernel.module.clone();
            specialize(&mut words, &kernel.interface.overrides).map_err(|why| lacks(format!("in SPIR-V {why}")))?;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            if is_binary(arguments) { Ok(bytes) } else { Ok(disassemble(&bytes)?.into()) }
        }
        _ => {
            let why = case.benchmark.only_cuda.unwrap_or_default();
            Err(lacks(format!("exists only in CUDA and Vulkan: {why} (--lang glsl, spirv and cuda show it)")))
        }
    }
}

/// Whether SPIR-V is written in binary.
fn is_binary(arguments: &Arguments) -> bool {
    arguments.out.as_ref().and_then(|path| path.extension()).is_some_and(|ending| ending == "spv")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args as _, Command, FromArgMatches as _};
    use rayon::prelude::*;
    use record::suite::{Constants, Shape};

    /// The kernels that can be shown in a language, each with its name and text.
    fn shown_in(language: &str) -> Vec<(&'static Benchmark, String, String)> {
        let show = |name: &str| {
            let command = Arguments::augment_args(Command::new("show").no_binary_name(true));
            let matches = command.get_matches_from([name, "--lang", language, "--checks", "off"]);
            let arguments = Arguments::from_arg_matches(&matches).expect("valid");
            let case = case(&arguments)?;
            text(&arguments, &case, &Job::new(&case)?.kernel)
        };
        let one = |(family, benchmark): (&record::suite::Family, &'static Benchmark)| {
            let name = format!("{}/{}", family.name, benchmark.name);
            match show(&name) {
                Ok(text) => Some((benchmark, name, String::from_utf8(text).expect("UTF-8"))),
                Err(Error::Unsupported(_)) => None,
                Err(error) => panic!("{name}: {error}"),
            }
        };
        select(&[]).expect("all").into_par_iter().filter_map(one).collect()
    }

    #[test]
    fn every_kernel_is_shown_in_every_language_that_can_express_it() {
        let all = select(&[]).expect("all");
        let with = |has: fn(&Benchmark) -> bool| all.iter().filter(|(_, benchmark)| has(benchmark)).count();
        let (kernels, twins) = (with(|one| !one.wgsl.is_empty()), with(|one| !one.cuda.is_empty()));
        let modules = with(|one| !one.spirv.is_empty());
        for (language, expected) in [
            ("wgsl", kernels),
            ("spirv", kernels + modules),
            // Metal's matrices have 8×8 elements. Seven kernels have f64, four divide 64-bit integers, and six have
            // atomic operations on them.
            ("msl", kernels - 4 - 17),
            // naga has no cooperative matrices (four kernels) for DirectX and OpenGL, and no f16 (a fifth) for OpenGL.
            // Of `rates`, one adds f32 atomically.
            ("hlsl", kernels - 4 - 1),
            // Four have f16, two i16, fourteen i64 or u64, and one adds f32 atomically.
            ("glsl", kernels - 5 - 20 + modules),
            ("cuda", twins),
        ] {
            let shown = shown_in(language);
            assert!(shown.iter().all(|(.., text)| text.lines().count() > 5), "{language}");
            assert_eq!(shown.len(), expected, "{language}");
        }
    }

    #[test]
    fn shown_wgsl_is_complete_without_constants() {
        for (benchmark, name, text) in shown_in("wgsl") {
            let block = &benchmark.cases[0];
            let dtype = block.dtypes[0].name();
            let shader = Shader::parse(&text, dtype).expect("valid");
            let original = Shader::parse(benchmark.wgsl, dtype).expect("valid");
            let own = block.params[0].iter().filter(|(name, _)| original.overrides().contains(*name));
            let mut constants: Constants = own.map(|(name, value)| ((*name).to_owned(), *value)).collect();
            let shape = Shape::new(block.dtypes[0], benchmark.small.unwrap_or(block.extents[0]), Default::default());
            constants.extend(benchmark.of_size.iter().map(|(name, value)| ((*name).to_owned(), value(&shape))));
            let alone = shader.interface(&Constants::new()).expect("resolved");
            assert_eq!(alone, original.interface(&constants).expect("resolved"), "{name}");
        }
    }
}
