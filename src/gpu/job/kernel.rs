//! The program of a job, and its hash.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use crate::shader::{Enabled, Layout, ModuleInterface, Shader, module, twin};
use record::error::{Error, Result};
use record::suite::{Case, Checks, Constants, Dtype, Feature, Fnv, HOST_PARAMS, Interface};

/// A kernel, ready to compile.
///
/// A [trusted](Kernel::is_trusted) kernel runs without the run-time checks that are off in `checks`. Whoever edits the
/// texts of a trusted kernel must keep the promise of [`Case::trust`].
#[derive(Clone)]
pub struct Kernel {
    /// WGSL, with the case's element type; empty if there is none.
    pub source: String,
    /// CUDA C++ of the same algorithm, with element type and overrides (see [`crate::shader::twin`]); empty if none.
    pub cuda: String,
    /// SPIR-V from a file, which Vulkan gets in place of the WGSL; empty if there is none.
    pub module: Vec<u32>,
    /// Bytes of dynamic shared memory of a launch.
    pub dynamic_bytes: u32,
    /// Values of the overrides.
    pub constants: Constants,
    /// Bindings, workgroup size and needed features.
    pub interface: Interface,
    /// The run-time checks that the API adds, if it can switch them.
    pub checks: Checks,
    /// Whether the case measures the cost of single checks, so that the API must be able to switch them.
    pub measures_checks: bool,
    is_trusted: bool,
}

impl Kernel {
    /// The kernel of `case`; empty where the case measures the API itself.
    pub(super) fn new(case: &Case) -> Result<Self> {
        let shape = &case.shape;
        let (dtype, lanes) = (shape.dtype, shape.dtype.lanes());
        if !shape.count().is_multiple_of(lanes) {
            let (name, n) = (dtype.name(), shape.extent);
            return Err(Error::Unsupported(format!(
                "{n} scalars do not divide evenly into {name}: use a multiple of {lanes}"
            )));
        }
        let is_override = |name: &str| !HOST_PARAMS.contains(&name);
        let mut constants: Constants =
            shape.params.iter().filter(|(name, _)| is_override(name)).map(|(k, v)| (k.clone(), *v)).collect();
        // A kernel that replaces the suite's may lack these overrides.
        let of_size = case.benchmark.of_size.iter();
        let of_size = of_size.filter(|(name, _)| case.benchmark.wgsl.contains(&format!("override {name}:")));
        constants.extend(of_size.map(|(name, value)| ((*name).to_owned(), value(shape))));
        let Texts { source, cuda, module, interface } = Texts::of(case, &constants)?;
        Ok(Self {
            source,
            cuda,
            module,
            dynamic_bytes: twin::dynamic_bytes(case),
            constants,
            interface,
            checks: case.checks(),
            measures_checks: Checks::of(shape) != Checks::default(),
            is_trusted: case.is_trusted(),
        })
    }

    /// Whether there is no kernel.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.source.is_empty() && self.cuda.is_empty() && self.module.is_empty()
    }

    /// Whether it may run without run-time checks: see [`Case::trust`].
    #[must_use]
    pub const fn is_trusted(&self) -> bool {
        self.is_trusted
    }

    /// Whether the kernel reads buffer lengths: bindings must then end where the buffers do.
    #[must_use]
    pub fn reads_lengths(&self) -> bool {
        code(&self.source, Language::Wgsl).contains("arrayLength") || module::reads_lengths(&self.module)
    }

    /// Directives that WebGPU compilers other than naga need before the WGSL.
    #[must_use]
    pub fn directives(&self) -> &'static str {
        if self.interface.features.contains(&Feature::Subgroups) { SUBGROUPS } else { "" }
    }

    /// The layouts of the entry points' bindings; empty for CUDA C++.
    ///
    /// # Errors
    /// [`Error::Shader`] if the kernel is not valid.
    pub fn layouts(&self) -> Result<Vec<Layout>> {
        let entries: Vec<&str> = self.interface.entries.iter().map(|entry| entry.name.as_str()).collect();
        match (self.source.is_empty(), self.module.is_empty() || !self.cuda.is_empty()) {
            (false, _) => Shader::read(&self.source)?.layouts(&entries, &self.constants),
            (true, false) => ModuleInterface::read(&self.module, &self.constants)?.layouts(&entries),
            (true, true) => Ok(Vec::new()),
        }
    }

    /// The SPIR-V that wgpu generates, without names.
    ///
    /// # Errors
    /// [`Error::Shader`] if the kernel cannot be translated.
    pub fn spirv(&self) -> Result<Vec<u32>> {
        Shader::read(&self.source)?.spirv(&self.constants, self.checks)
    }

    /// The SPIR-V that wgpu generates for one entry point on a device with `enabled`.
    ///
    /// # Errors
    /// Those of [`Kernel::spirv`], and if the kernel needs a capability that is not enabled.
    pub fn spirv_of(&self, entry: &str, enabled: &Enabled) -> Result<Vec<u32>> {
        Shader::read(&self.source)?.spirv_of(entry, &self.constants, self.checks, enabled)
    }

    /// Whether APIs of this language have code to compile.
    #[must_use]
    pub const fn is_in(&self, language: Language) -> bool {
        match language {
            Language::Wgsl => !self.source.is_empty() || !self.module.is_empty(),
            Language::Cuda => !self.cuda.is_empty(),
        }
    }

    /// The text in that language; empty if there is none.
    #[must_use]
    pub fn text(&self, language: Language) -> &str {
        match language {
            Language::Wgsl => &self.source,
            Language::Cuda => &self.cuda,
        }
    }

    /// Sixteen hexadecimal digits that change with the compiled code: source, element type and constants. Comments and
    /// whitespace do not count, checks have a column of their own. Empty without source in this language.
    #[must_use]
    pub fn hash(&self, language: Language) -> String {
        let mut hasher = Fnv::default();
        match language {
            Language::Wgsl if !self.is_in(language) => return String::new(),
            Language::Wgsl => {
                if self.module.is_empty() {
                    code(&self.source, language).hash(&mut hasher);
                } else {
                    self.module.hash(&mut hasher);
                }
                for (name, value) in &self.constants {
                    (name, value.to_bits()).hash(&mut hasher);
                }
                // The usual entry point `main` is no part of the hash.
                if !self.interface.is_plain() {
                    self.interface.entries.iter().for_each(|entry| entry.name.hash(&mut hasher));
                }
            }
            Language::Cuda if self.cuda.is_empty() => return String::new(),
            // The constants are part of the text.
            Language::Cuda => code(&self.cuda, language).hash(&mut hasher),
        }
        format!("{:016x}", hasher.finish())
    }

    /// A key for caches in this process.
    #[must_use]
    pub fn key(&self, language: Language) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.hash(language), self.checks, self.is_trusted).hash(&mut hasher);
        hasher.finish()
    }
}

/// What [`Kernel::new`] reads from a benchmark's files. Cached, since every epoch of every size needs it (1 ms).
#[derive(Clone)]
struct Texts {
    source: String,
    cuda: String,
    module: Vec<u32>,
    interface: Interface,
}

/// What the texts depend on. Files are identified by their addresses: they live as long as the process.
type TextsKey = (String, [(usize, usize); 3], &'static [&'static str], Dtype, Vec<(String, u64)>);

impl Texts {
    fn of(case: &Case, constants: &Constants) -> Result<Self> {
        static KNOWN: Mutex<BTreeMap<TextsKey, Texts>> = Mutex::new(BTreeMap::new());
        let (benchmark, shape) = (case.benchmark, &case.shape);
        let address = |file: &'static [u8]| (file.as_ptr() as usize, file.len());
        let files = [benchmark.wgsl.as_bytes(), benchmark.cuda.as_bytes(), benchmark.spirv];
        let values = shape.params.iter().chain(constants).map(|(name, value)| (name.clone(), value.to_bits()));
        let key = (case.name(), files.map(address), benchmark.entries, shape.dtype, values.collect());
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(texts) = known().get(&key) {
            return Ok(texts.clone());
        }
        let module = module::words(benchmark.spirv);
        let (source, mut interface) = if !benchmark.wgsl.is_empty() {
            let shader = Shader::parse_for(benchmark.wgsl, shape.dtype.name(), constants)?;
            let interface = match benchmark.entries {
                [] => shader.interface(constants)?,
                entries => shader.interface_of(entries, constants)?,
            };
            (shader.source().to_owned(), interface)
        } else if !benchmark.cuda.is_empty() {
            (String::new(), twin::interface(case)?)
        } else if !module.is_empty() {
            let read = ModuleInterface::read(&module, constants)?;
            let main = read.entries();
            let entries = if benchmark.entries.is_empty() { &main } else { benchmark.entries };
            (String::new(), read.interface_of(entries, constants)?)
        } else {
            (String::new(), Interface::default())
        };
        interface.features.extend(module::features(&module));
        let cuda = twin::program(case, &interface);
        let texts = Self { source, cuda, module, interface };
        known().insert(key, texts.clone());
        Ok(texts)
    }
}

/// Directives of kernels with subgroup operations. naga does not know the first and warns about the second. Without the
/// second, browsers refuse loops whose exit condition is a subgroup result, which they cannot prove uniform.
const SUBGROUPS: &str = "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n";

/// A language that kernels are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Language {
    /// WebGPU's shading language, or the SPIR-V of a kernel that it cannot express.
    Wgsl,
    /// CUDA C++.
    Cuda,
}

/// `source` without comments and with single spaces. In CUDA, preprocessor directives keep the line breaks around them.
fn code(source: &str, language: Language) -> String {
    let is_cuda = language == Language::Cuda;
    let mut code = String::with_capacity(source.len());
    let mut gap = None;
    let (mut is_line_start, mut is_directive) = (true, false);
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = after_comment(rest, language) {
            gap = gap.or(Some(' '));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("\\\n").filter(|_| is_cuda) {
            gap = gap.or(Some(' '));
            rest = after;
        } else if first.is_whitespace() {
            let is_line_end = first == '\n';
            gap = if is_line_end && is_directive { Some('\n') } else { gap.or(Some(' ')) };
            is_line_start |= is_line_end;
            is_directive &= !is_line_end;
            rest = rest.trim_start_matches(first);
        } else {
            if is_cuda && is_line_start && first == '#' {
                is_directive = true;
                gap = Some('\n');
            }
            is_line_start = false;
            let is_digit_separator = first == '\'' && gap.is_none() && code.ends_with(char::is_alphanumeric);
            let is_literal = is_cuda && matches!(first, '"' | '\'') && !is_digit_separator;
            let length = if is_literal { literal_length(rest) } else { first.len_utf8() };
            if !code.is_empty() {
                code.extend(gap);
            }
            gap = None;
            let (token, after) = rest.split_at(length);
            code.push_str(token);
            rest = after;
        }
    }
    code
}

/// The text behind the comment that `text` starts with, if any. Block comments nest in WGSL, not in CUDA.
fn after_comment(text: &str, language: Language) -> Option<&str> {
    if text.starts_with("//") {
        return text.find('\n').map_or(Some(""), |end| text.get(end..));
    }
    let mut rest = text.strip_prefix("/*")?;
    let mut depth = 1;
    while depth > 0 && !rest.is_empty() {
        let inner = rest.strip_prefix("/*").filter(|_| language == Language::Wgsl);
        if let Some(after) = rest.strip_prefix("*/") {
            (rest, depth) = (after, depth - 1);
        } else if let Some(after) = inner {
            (rest, depth) = (after, depth + 1);
        } else {
            let mut chars = rest.chars();
            chars.next();
            rest = chars.as_str();
        }
    }
    Some(rest)
}

/// Bytes of the string or character literal that `text` starts with, quotes included.
fn literal_length(text: &str) -> usize {
    let mut chars = text.char_indices();
    let quote = chars.next().map(|(_, quote)| quote);
    let mut is_escaped = false;
    for (at, char) in chars {
        if !is_escaped && Some(char) == quote {
            return at + char.len_utf8();
        }
        is_escaped = !is_escaped && char == '\\';
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_whitespace_are_no_code() {
        let one_line = "let a = b / c; d();";
        let commented = "// first\nlet a = /* x /* nested */ y */ b /\n    c; // last\n\nd();\n";
        assert_eq!(code(commented, Language::Wgsl), one_line);
        assert_eq!(code("let a = /* x /* y */ b / c; d(); /* open", Language::Cuda), one_line);
        assert_eq!(code("int/**/a;", Language::Cuda), "int a;");
        assert_ne!(code("a + b", Language::Wgsl), code("a - b", Language::Wgsl));
    }

    #[test]
    fn literals_of_cuda_are_code() {
        let source = r#"asm("// %0;  \" /* %1 */" : "=r"(a)); // gone"#;
        assert_eq!(code(source, Language::Cuda), r#"asm("// %0;  \" /* %1 */" : "=r"(a));"#);
        assert_eq!(code("c = '\"'; // gone", Language::Cuda), "c = '\"';");
        assert_eq!(code("n = 1'000; // gone", Language::Cuda), "n = 1'000;");
    }

    #[test]
    fn directives_of_cuda_stay_lines() {
        let source =
            "int  a;\n\n#define A(x)  \\\n    (x) // gone\n/* gone\n */\n  #if A\nint b;\nint c;\n#endif\nint d;\n";
        assert_eq!(code(source, Language::Cuda), "int a;\n#define A(x) (x)\n#if A\nint b; int c;\n#endif\nint d;");
    }

    #[test]
    fn a_comment_leaves_the_hash_and_a_constant_changes_it() {
        let kernel = Kernel {
            source: "fn main() {}".to_owned(),
            cuda: "void kernel() {}".to_owned(),
            module: Vec::new(),
            measures_checks: false,
            is_trusted: true,
            dynamic_bytes: 0,
            constants: Constants::new(),
            interface: Interface::default(),
            checks: Checks::default(),
        };
        let mut commented = kernel.clone();
        commented.source = "// What it does.\nfn main() {}\n".to_owned();
        commented.cuda = "// What it does.\nvoid kernel() {}\n".to_owned();
        for language in [Language::Wgsl, Language::Cuda] {
            assert_eq!(commented.hash(language), kernel.hash(language));
        }
        commented.constants.insert("PAD".to_owned(), 1.0);
        assert_ne!(commented.hash(Language::Wgsl), kernel.hash(Language::Wgsl));
    }
}
