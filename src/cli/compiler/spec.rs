//! The value of `--compiler`.

use std::path::Path;

use crate::suite::BUILT_IN;

/// The file with the kernel, or with the output of the command before.
pub(super) const IN: &str = "{in}";
/// The file with the kernel and the directives that tint and browsers need.
pub(super) const WEBGPU: &str = "{webgpu}";
/// The file to write.
pub(super) const OUT: &str = "{out}";
/// The name of no compiler: SPIR-V files as they are.
pub(super) const FILE: &str = "file";

/// A compiler: commands, each of which reads what the one before wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Spec {
    /// Its name in reports.
    pub(in crate::cli) name: String,
    /// Whether wgpu's own compiler comes first.
    pub(super) starts_built_in: bool,
    /// The words of each command.
    pub(super) commands: Vec<Vec<String>>,
    /// The commands as they were given.
    pub(super) text: String,
}

impl Spec {
    /// SPIR-V files as they are.
    pub(in crate::cli) fn file() -> Self {
        Self { name: FILE.to_owned(), starts_built_in: false, commands: Vec::new(), text: FILE.to_owned() }
    }

    /// Parses `[NAME=]COMMAND | COMMAND …`. Words are separated by spaces; quotes keep them together.
    pub(in crate::cli) fn parse(text: &str) -> Result<Self, String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || ".-_+".contains(c);
        let named = text.split_once('=').filter(|(name, _)| !name.is_empty() && name.chars().all(is_name));
        let (name, text) = named.map_or((None, text), |(name, rest)| (Some(name), rest));
        let mut commands = words(text)?;
        if name.is_none() && commands == [[FILE]] {
            return Ok(Self::file());
        }
        if commands.iter().any(Vec::is_empty) {
            return Err("a command is empty".to_owned());
        }
        let starts_built_in = commands[0] == [BUILT_IN];
        if starts_built_in {
            commands.remove(0);
        }
        for (index, command) in commands.iter().enumerate() {
            let has = |placeholder: &str| command[1..].iter().any(|word| word.contains(placeholder));
            let is_first = index == 0 && !starts_built_in;
            let joined = command.join(" ");
            if !has(OUT) || !(has(IN) || is_first && has(WEBGPU)) {
                return Err(format!("'{joined}' needs {IN} and {OUT}: the files to read and to write"));
            }
            if has(WEBGPU) && !is_first {
                return Err(format!("'{joined}' reads what the command before it wrote: write {IN}"));
            }
        }
        let usual = || {
            let own = starts_built_in.then(|| BUILT_IN.to_owned());
            own.into_iter().chain(commands.iter().map(|command| short(command))).collect::<Vec<_>>().join(" | ")
        };
        let spec = Self {
            name: name.map_or_else(usual, str::to_owned),
            starts_built_in,
            text: text.trim().to_owned(),
            commands,
        };
        if spec.name == BUILT_IN && !spec.is_built_in() {
            return Err(format!("'{BUILT_IN}' is the name of wgpu's own compiler: write NAME={}", spec.text));
        }
        if spec.name == FILE {
            return Err(format!("'{FILE}' is the name of SPIR-V files as they are: write another NAME={}", spec.text));
        }
        if spec.is_built_in() && spec.name != BUILT_IN {
            return Err(format!("wgpu's own compiler is called '{BUILT_IN}'"));
        }
        Ok(spec)
    }

    /// Whether it stands for SPIR-V files as they are.
    pub(in crate::cli) fn is_file(&self) -> bool {
        !self.starts_built_in && self.commands.is_empty()
    }

    /// Whether it is wgpu's own compiler alone.
    pub(super) fn is_built_in(&self) -> bool {
        self.starts_built_in && self.commands.is_empty()
    }
}

/// The words of each command.
pub(super) fn words(text: &str) -> Result<Vec<Vec<String>>, String> {
    let (mut commands, mut word, mut quote) = (vec![Vec::new()], None::<String>, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c == '|' || c.is_whitespace() => {
                if let (Some(word), Some(command)) = (word.take(), commands.last_mut()) {
                    command.push(word);
                }
                if c == '|' {
                    commands.push(Vec::new());
                }
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(quote) = quote {
        return Err(format!("the quote {quote} is not closed"));
    }
    if let (Some(word), Some(command)) = (word, commands.last_mut()) {
        command.push(word);
    }
    Ok(commands)
}

/// A command without its files: `spirv-opt -O` of `/usr/bin/spirv-opt -O {in} -o {out}`.
fn short(command: &[String]) -> String {
    let program =
        Path::new(&command[0]).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let is_file = |word: &str| [IN, WEBGPU, OUT].iter().any(|placeholder| word.contains(placeholder));
    let option = |pair: &[String]| {
        let announces = pair[0].starts_with('-') && pair.get(1).is_some_and(|next| next == OUT);
        (!is_file(&pair[0]) && !announces).then(|| pair[0].clone())
    };
    let rest = (1..command.len()).filter_map(|at| option(&command[at..command.len().min(at + 2)]));
    std::iter::once(program).chain(rest).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Spec {
        Spec::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn commands_are_words_and_names_are_short() {
        let one = parsed("/opt/my tools/x {in} {out}".replace("my tools", "tools").as_str());
        assert_eq!((one.name.as_str(), one.commands.len(), one.starts_built_in), ("x", 1, false));
        let two = parsed("naga | /usr/bin/spirv-opt -O {in} -o {out}");
        assert_eq!((two.name.as_str(), two.commands.len(), two.starts_built_in), ("naga | spirv-opt -O", 1, true));
        let quoted = parsed("n27='/my tools/naga' \"--entry-point\" main {in} -o={out}");
        assert_eq!((quoted.name.as_str(), quoted.commands[0][0].as_str()), ("n27", "/my tools/naga"));
        assert_eq!(quoted.commands[0][1..], ["--entry-point", "main", "{in}", "-o={out}"]);
        assert_eq!(parsed("naga --validate 0 {in} {out}").name, "naga --validate 0");
        assert_eq!(parsed("tint --format spirv -o {out} {webgpu}").name, "tint --format spirv");
        assert!(parsed("naga").is_built_in() && !two.is_built_in() && !two.is_file());
        assert!(parsed("file").is_file() && !parsed("naga").is_file());
    }

    #[test]
    fn faults_are_named() {
        for (text, fault) in [
            ("", "a command is empty"),
            ("tint {in} {out} |", "a command is empty"),
            ("tint {in}", "'tint {in}' needs {in} and {out}"),
            ("naga | x {webgpu} {out}", "needs {in} and {out}"),
            ("a {in} {out} | x {in} {webgpu} {out}", "reads what the command before it wrote: write {in}"),
            ("'tint {in} {out}", "the quote ' is not closed"),
            ("naga {in} {out}", "'naga' is the name of wgpu's own compiler: write NAME=naga {in} {out}"),
            ("file=x {in} {out}", "'file' is the name of SPIR-V files as they are: write another NAME=x {in} {out}"),
            ("mine=naga", "wgpu's own compiler is called 'naga'"),
        ] {
            let error = Spec::parse(text).expect_err(text);
            assert!(error.contains(fault), "{text}: {error}");
        }
    }
}
