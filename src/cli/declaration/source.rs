//! Makes WGSL or SPIR-V from other sources: by a command, a compiler on the PATH, or common preprocessor directives.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::expression::{Meaning, Value};
use super::script::{Scope, Script};
use super::spec::Spec;
use crate::cli::compiler::{NOT_FOUND, printed, temporary};
use crate::cli::inputs;
use crate::cli::shaders;
use gpu::shader::Formats;
use record::error::{Error, Result, in_words, shown, usage};
use record::suite::Constants;

/// How to read the kernels of a declaration.
#[derive(Default)]
pub(super) struct Reading<'a> {
    /// The command that prints a kernel.
    pub command: Option<&'a str>,
    /// The environment of commands.
    pub variables: Vec<(String, String)>,
    pub folder: PathBuf,
    /// Of specialization constants.
    pub values: Constants,
    /// Formats of images that declare none.
    pub formats: Formats,
    /// Values of names, which take precedence over the source's `#define`.
    pub defines: BTreeMap<String, String>,
    /// Files in front of the source.
    pub prepend: Vec<PathBuf>,
}

/// The deepest nesting of files that include each other.
const MOST_FILES: usize = 32;

/// Compilers of other languages to SPIR-V, in order of preference.
const GLSL: [&str; 3] = [
    "glslc -fshader-stage=compute --target-env=vulkan1.2 {in} -o {out}",
    "glslangValidator -V -S comp --target-env vulkan1.2 {in} -o {out}",
    "glslang -V -S comp --target-env vulkan1.2 {in} -o {out}",
];
const HLSL: [&str; 2] = [
    "dxc -spirv -T cs_6_6 -E main {in} -Fo {out}",
    "glslangValidator -V -D -S comp -e main --target-env vulkan1.2 {in} -o {out}",
];
const SLANG: [&str; 1] = ["slangc {in} -target spirv -o {out}"];

pub(super) fn compilers(path: &Path) -> Option<&'static [&'static str]> {
    match path.extension()?.to_str()? {
        "comp" | "glsl" => Some(&GLSL),
        "hlsl" => Some(&HLSL),
        "slang" => Some(&SLANG),
        _ => None,
    }
}

impl<'a> Reading<'a> {
    pub(super) fn new(spec: &'a Spec, folder: &Path) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder }.to_owned();
        let defines = spec.defines.iter().map(|(name, value)| (name.clone(), value.text())).collect();
        let prepend = spec.prepend.iter().map(|file| folder.join(file)).collect();
        Self { command: spec.preprocess.as_deref(), folder, defines, prepend, ..Self::default() }
    }

    /// The output of the declaration's command for this file; `None` without a command.
    pub(super) fn by_command(&self, path: &Path) -> Result<Option<Vec<u8>>, String> {
        let Some(command) = self.command else { return Ok(None) };
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let output = printed(command, &[("{in}", &path)], &self.variables, &self.folder);
        output.map(Some).map_err(|why| format!("preprocess: {why}"))
    }

    /// SPIR-V from the first installed compiler, for GLSL, HLSL or Slang; `None` for other languages.
    pub(super) fn compiled(&self, path: &Path) -> Result<Option<Vec<u8>>, String> {
        let Some(compilers) = compilers(path) else { return Ok(None) };
        let temporary = temporary()?;
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let output = temporary.path().join("kernel.spv");
        let defines: String = self.defines.iter().map(|(name, value)| format!(" '-D{name}={value}'")).collect();
        for command in compilers {
            match printed(&format!("{command}{defines}"), &[("{in}", &path), ("{out}", &output)], &[], &self.folder) {
                Ok(_) => {
                    return inputs::read(&output, inputs::KERNEL).map(Some).map_err(|error| in_words(&error, "read"));
                }
                Err(why) if why.ends_with(NOT_FOUND) => {}
                Err(why) => return Err(why),
            }
        }
        let names: Vec<&str> = compilers.iter().filter_map(|command| command.split(' ').next()).collect();
        let names = names.join(", ");
        Err(format!(
            "no compiler for this language is installed ({names}); install one, or set preprocess = \"COMMAND {{in}}\""
        ))
    }

    /// A WGSL kernel with the files in front of it, and with directives and names replaced.
    pub(super) fn expanded(&self, text: &str, path: &Path) -> Result<String> {
        let mut expanding = Expanding { defines: self.defines.clone(), text: String::new(), conditions: Vec::new() };
        for file in &self.prepend {
            expanding.file(file, 0)?;
        }
        expanding.add(text, path, 0)?;
        match expanding.conditions.pop() {
            Some(_) => Err(usage!("{}: an #if has no #endif", shown(path))),
            None => Ok(expanding.text),
        }
    }
}

/// A part of a source between `#if` and `#endif`.
struct Condition {
    is_on: bool,
    /// Whether later branches are off: a branch was taken, or the enclosing `#if` is off.
    was_on: bool,
}

/// A source while its directives are processed.
struct Expanding {
    defines: BTreeMap<String, String>,
    text: String,
    conditions: Vec<Condition>,
}

impl Expanding {
    fn file(&mut self, path: &Path, depth: usize) -> Result<()> {
        let text = shaders::text(inputs::contents(path, inputs::KERNEL)?);
        self.add(&text.map_err(|why| usage!("{}: {why}", shown(path)))?, path, depth)
    }

    fn add(&mut self, text: &str, path: &Path, depth: usize) -> Result<()> {
        if depth > MOST_FILES {
            let path = shown(path);
            return Err(usage!("{path}: files include each other, or are nested more than {MOST_FILES} levels deep"));
        }
        for (number, line) in (1..).zip(text.lines()) {
            let fault = |why: String| usage!("{}, line {number}: {why}", shown(path));
            let is_on = self.conditions.iter().all(|condition| condition.is_on);
            let Some(directive) = line.trim_start().strip_prefix('#') else {
                if is_on {
                    let line = self.replaced(line).map_err(fault)?;
                    self.text.push_str(&line);
                }
                // Keeps the line numbers of errors.
                self.text.push('\n');
                continue;
            };
            let directive = directive.trim();
            let (word, rest) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
            let rest = rest.split("//").next().unwrap_or_default().trim();
            match word {
                "if" => {
                    let is_true = is_on && self.is_true(rest).map_err(fault)?;
                    self.conditions.push(Condition { is_on: is_true, was_on: is_true || !is_on });
                }
                "ifdef" | "ifndef" => {
                    let is_true = is_on && self.defines.contains_key(rest) == (word == "ifdef");
                    self.conditions.push(Condition { is_on: is_true, was_on: is_true || !is_on });
                }
                "elif" | "else" => {
                    let is_last = word == "else";
                    let was_on = self.conditions.last().map(|own| own.was_on);
                    let was_on = was_on.ok_or_else(|| fault(format!("#{word} has no #if")))?;
                    let is_true = !was_on && (is_last || self.is_true(rest).map_err(fault)?);
                    if let Some(own) = self.conditions.last_mut() {
                        *own = Condition { is_on: is_true, was_on: was_on || is_true };
                    }
                }
                "endif" => _ = self.conditions.pop().ok_or_else(|| fault("#endif has no #if".to_owned()))?,
                _ if !is_on => {}
                "define" => {
                    let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                    if name.contains('(') {
                        let why =
                            format!("#define {name} has arguments; expand it with preprocess = \"cpp -P {{in}}\"");
                        return Err(fault(why));
                    }
                    self.defines.entry(name.to_owned()).or_insert_with(|| value.trim().to_owned());
                }
                "undef" => _ = self.defines.remove(rest),
                "include" | "import" => {
                    let name = rest.trim_matches(['"', '<', '>', ';', '\'']);
                    let found = path.with_file_name(name);
                    if !found.is_file() {
                        return Err(fault(format!("#{word} {rest}: there is no file {}", shown(&found))));
                    }
                    self.file(&found, depth + 1)?;
                }
                // Directives of other tools have no effect, including `# 1 "file"` of cpp.
                "define_import_path" | "pragma" | "line" | "version" => {}
                _ if word.chars().all(|c| c.is_ascii_digit()) => {}
                _ => {
                    let why = format!(
                        "'#{word}' is not WGSL; expand the source first with preprocess = \"COMMAND {{in}}\" in a \
                         .toml file"
                    );
                    return Err(fault(why));
                }
            }
            self.text.push('\n');
        }
        Ok(())
    }

    /// Replaces names by their values, also names in double braces.
    fn replaced(&self, line: &str) -> Result<String, String> {
        let mut line = line.to_owned();
        while let Some((before, rest)) = line.split_once("{{") {
            let Some((name, after)) = rest.split_once("}}") else { break };
            let value = self.defines.get(name.trim()).ok_or_else(|| {
                format!(
                    "{{{{{name}}}}} has no value; set one in [defines], or expand the source with preprocess = \
                     \"COMMAND {{in}}\""
                )
            })?;
            line = format!("{before}{value}{after}");
        }
        if line.trim_start().starts_with("{%") {
            let why = "'{%' is not WGSL; expand the source first with preprocess = \"COMMAND {in}\" in a .toml file";
            return Err(why.to_owned());
        }
        if self.defines.is_empty() {
            return Ok(line);
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let (mut text, mut rest) = (String::new(), line.as_str());
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|c| is_part(c) != is_part(first)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            text.push_str(self.defines.get(word).map_or(word, String::as_str));
            rest = after;
        }
        Ok(text)
    }

    /// Whether the expression of an `#if` is nonzero. A name without a value is 0, as in C.
    fn is_true(&self, text: &str) -> Result<bool, String> {
        let mut plain = text.to_owned();
        while let Some((before, rest)) = plain.split_once("defined") {
            let rest = rest.trim_start();
            let (name, after) = match rest.strip_prefix('(') {
                Some(inner) => inner.split_once(')').ok_or("missing ')'")?,
                None => rest.split_at(rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())),
            };
            plain = format!("{before}{}{after}", u8::from(self.defines.contains_key(name.trim())));
        }
        let plain = self.replaced(&plain)?;
        let plain = if plain.trim().is_empty() { "0".to_owned() } else { plain };
        let plain = plain.replace("&&", " and ").replace("||", " or ");
        let script = Script::new("#if", &plain).map_err(|error| error.to_string())?;
        let names = plain.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        let zero = || Meaning::Value(Value::Whole(0));
        let scope: Scope = names.map(|name| (name.to_owned(), zero())).collect();
        script.value(&scope).map(|value| value != 0.0).map_err(|error| error.to_string())
    }
}

/// Fails if the file does not exist.
pub(super) fn check_there(path: &Path) -> Result<()> {
    std::fs::metadata(path).map(drop).map_err(Error::io("read", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str, defines: &[(&str, &str)]) -> Result<String, String> {
        let defines = defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let reading = Reading { defines, ..Reading::default() };
        let text = reading.expanded(text, Path::new("k.wgsl")).map_err(|error| error.to_string())?;
        Ok(text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("|"))
    }

    #[test]
    fn directives_are_followed_and_names_replaced() {
        for (text, wanted) in [
            ("#define N 4u\nlet a = N + NN;\n#undef N\nlet b = N;", "let a = 4u + NN;|let b = N;"),
            ("#ifdef X\na\n#else\nb\n#endif\n#ifndef Z\nc\n#endif", "a|c"),
            ("#if X == 3 && !defined(Z)\na\n#elif 1\nb\n#else\nc\n#endif", "a"),
            ("#if Z || 0\na\n#elif X > 2\nb\n#else\nc\n#endif // end", "b"),
            ("#if 0\n#if 1\na\n#endif\n#else\nb\n#endif", "b"),
            ("let a = {{ X }}; vec{{X}}<f32>", "let a = 3; vec3<f32>"),
            ("#define X 9\nX", "3"),
            ("# 1 \"k.wgsl\"\n#define_import_path a::b\na", "a"),
        ] {
            assert_eq!(expanded(text, &[("X", "3")]).as_deref(), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn a_fault_of_a_directive_has_its_line() {
        for (text, part) in [
            ("a\n#endif", "k.wgsl, line 2: #endif has no #if"),
            ("#if 1\na", "k.wgsl: an #if has no #endif"),
            ("#define F(x) x", "line 1: #define F(x) has arguments; expand it with preprocess"),
            ("{{ N }}", "line 1: {{ N }} has no value; set one in [defines]"),
            ("#import a::b", "line 1: #import a::b: there is no file a::b"),
            ("#warp", "line 1: '#warp' is not WGSL"),
            ("{% for %}", "line 1: '{%' is not WGSL"),
        ] {
            let fault = expanded(text, &[]).expect_err(text);
            assert!(fault.contains(part), "{text}: {fault}");
        }
    }
}
