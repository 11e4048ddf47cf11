//! Runs the commands of a compiler.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::spec::{IN, OUT, Spec, WEBGPU, words};
use crate::backend::Translator;
use crate::cli::group::{self, grouped};
use crate::cli::inputs;
use crate::error::{Error, Result, visible};
use crate::job::Kernel;
use crate::suite::budget::Budget;

/// Time limit of a program that is asked for its version.
const LONGEST_VERSION: Duration = Duration::from_secs(5);

/// Time between two looks at a command that runs: an error of the translation's time.
const STEP: Duration = Duration::from_micros(200);

/// Maximum size of what a command prints, in bytes.
const MOST_MESSAGES: u64 = 16 << 20;

/// Largest number of characters of a message or a version.
const LONGEST_LINE: usize = 200;

/// The first word of a SPIR-V module.
const MAGIC: u32 = 0x0723_0203;

/// A compiler that consists of commands.
pub(super) struct Chain {
    spec: Spec,
    version: String,
}

/// Whether the programs of all commands can be started.
///
/// # Errors
/// [`Error::Usage`] with the first one that cannot.
pub(super) fn check(spec: &Spec) -> Result<()> {
    for command in &spec.commands {
        let mut program = Command::new(&command[0]);
        program.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = program.spawn().map_err(|error| why_not(&error));
        match started {
            Ok(mut child) => _ = (child.kill(), child.wait()),
            Err(why) => return Err(Error::Usage(format!("--compiler: {}: {why}", command[0]))),
        }
    }
    Ok(())
}

impl Chain {
    /// # Errors
    /// [`Error::Usage`] if a program is missing.
    pub(super) fn new(spec: &Spec) -> Result<Self> {
        check(spec)?;
        let own = spec.starts_built_in.then(|| crate::backend::BUILT_IN_VERSION.to_owned());
        let versions = own.into_iter().chain(spec.commands.iter().map(|command| version(&command[0])));
        Ok(Self { spec: spec.clone(), version: versions.collect::<Vec<_>>().join(" | ") })
    }

    fn run(&self, kernel: &Kernel) -> Result<Vec<u32>, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("cannot create a temporary folder: {error}"))?;
        let file = |name: &str| folder.path().join(name);
        let write = |name: &str, bytes: &[u8]| {
            let path = file(name);
            std::fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            Ok::<_, String>(path)
        };
        let text = |error: Error| match error {
            Error::Shader(why) => why,
            other => other.to_string(),
        };
        let (mut input, mut webgpu) = (PathBuf::new(), PathBuf::new());
        if self.spec.starts_built_in {
            let words = kernel.spirv().map_err(text)?;
            input = write("0.spv", bytemuck::cast_slice(&words))?;
        } else {
            let source = kernel.constant_source().map_err(text)?;
            if self.spec.commands[0].iter().any(|word| word.contains(WEBGPU)) {
                webgpu = write("webgpu.wgsl", format!("{}{source}", kernel.directives()).as_bytes())?;
            }
            if self.spec.commands[0].iter().any(|word| word.contains(IN)) {
                input = write("0.wgsl", source.as_bytes())?;
            }
        }
        for (index, command) in self.spec.commands.iter().enumerate() {
            let output = file(&format!("{}.spv", index + 1));
            let shown = |path: &Path| path.to_string_lossy().into_owned();
            let placed = [(IN, shown(&input)), (WEBGPU, shown(&webgpu)), (OUT, shown(&output))];
            let place = |word: &String| placed.iter().fold(word.clone(), |word, (from, to)| word.replace(from, to));
            let arguments: Vec<String> = command[1..].iter().map(place).collect();
            run(&command[0], &arguments, folder.path())?;
            if !output.exists() {
                return Err(format!("{} wrote no {OUT}", command[0]));
            }
            input = output;
            // A command before others may write WGSL again, which its reader knows by the name.
            let is_last = index + 1 == self.spec.commands.len();
            if !is_last && spirv(&input).is_err() {
                let renamed = file(&format!("{}.wgsl", index + 1));
                std::fs::rename(&input, &renamed).map_err(|error| error.to_string())?;
                input = renamed;
            }
        }
        let last = self.spec.commands.last().map_or("", |command| &command[0]);
        spirv(&input).map_err(|why| format!("{last} wrote no SPIR-V: {why}"))
    }
}

impl Translator for Chain {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn keeps_checks(&self) -> bool {
        self.spec.starts_built_in
    }

    fn translate(&mut self, kernel: &Kernel) -> Result<Vec<u32>> {
        self.run(kernel).map_err(Error::Shader)
    }
}

/// The words of a SPIR-V file.
///
/// # Errors
/// Why it is none.
pub(in crate::cli) fn spirv(path: &Path) -> Result<Vec<u32>, String> {
    let bytes = inputs::read(path, inputs::KERNEL).map_err(|error| error.to_string())?;
    if bytes.is_empty() {
        return Err("the file is empty".to_owned());
    }
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    match words.first() {
        Some(&MAGIC) if bytes.len() % 4 == 0 && words.len() > 5 => Ok(words),
        Some(&MAGIC) => Err(format!("it is cut off after {} bytes", bytes.len())),
        Some(first) if first.swap_bytes() == MAGIC => Err("it is big-endian".to_owned()),
        _ => Err("it does not start with SPIR-V's magic number".to_owned()),
    }
}

/// Runs a program, and waits for it.
///
/// # Errors
/// Why it failed, with its first line.
fn run(program: &str, arguments: &[String], folder: &Path) -> Result<(), String> {
    let path = folder.join("messages");
    let ended = ended(Command::new(program).args(arguments), &path, Budget::start())
        .map_err(|why| format!("{program}: {why}"))?;
    let Some(fault) = ended else { return Ok(()) };
    // Paths of temporary files say nothing, and differ from run to run.
    let folder = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
    let line = first_line(&path).replace(&folder, "");
    Err(if line.is_empty() { format!("{program} {fault}") } else { format!("{program} {fault}: {line}") })
}

/// Why a command does not start.
fn why_not(error: &std::io::Error) -> String {
    if error.kind() == ErrorKind::NotFound { "command not found".to_owned() } else { error.to_string() }
}

/// What a command of the user's prints: `text` with these files in place of words in braces, run in `folder` with these
/// variables in its environment.
///
/// # Errors
/// Why it failed, with the last line of its messages.
pub(in crate::cli) fn printed(
    text: &str,
    places: &[(&str, &Path)],
    variables: &[(String, String)],
    folder: &Path,
) -> Result<Vec<u8>, String> {
    let mut commands = words(text)?;
    let (Some(command), true) = (commands.pop().filter(|command| !command.is_empty()), commands.is_empty()) else {
        return Err(format!("'{text}' is no single command: write a script for several"));
    };
    let place =
        |word: &String| places.iter().fold(word.clone(), |word, (from, to)| word.replace(from, &to.to_string_lossy()));
    let own = tempfile::tempdir().map_err(|error| format!("cannot create a temporary folder: {error}"))?;
    let (output, messages) = (own.path().join("output"), own.path().join("messages"));
    let create = |path: &Path| File::create(path).map_err(|error| error.to_string());
    let mut program = Command::new(&command[0]);
    program.args(command[1..].iter().map(place)).current_dir(folder).envs(variables.iter().cloned());
    let waited = wait(&mut program, create(&output)?, create(&messages)?, &messages, Budget::start());
    if let Some(fault) = waited.map_err(|why| format!("{}: {why}", command[0]))? {
        let text = inputs::read(&messages, MOST_MESSAGES).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        let line: String = visible(line).chars().take(LONGEST_LINE).collect();
        return Err(format!("{} {fault}{}{line}", command[0], if line.is_empty() { "" } else { ": " }));
    }
    inputs::read(&output, inputs::KERNEL).map_err(|error| error.to_string())
}

/// How a command ended, if not well. Everything that it prints goes into the file at `messages`.
fn ended(command: &mut Command, messages: &Path, budget: Budget) -> Result<Option<String>, String> {
    let file = File::create(messages).map_err(|error| error.to_string())?;
    let copy = file.try_clone().map_err(|error| error.to_string())?;
    wait(command, file, copy, messages, budget)
}

fn wait(
    command: &mut Command,
    output: File,
    errors: File,
    messages: &Path,
    budget: Budget,
) -> Result<Option<String>, String> {
    let started = grouped(command.stdin(Stdio::null()).stdout(output).stderr(errors)).spawn();
    let mut child = started.map_err(|error| why_not(&error))?;
    loop {
        if messages.metadata().is_ok_and(|file| file.len() > MOST_MESSAGES) {
            group::end(&mut child);
            return Ok(Some(format!("printed more than {} MiB", MOST_MESSAGES >> 20)));
        }
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(None),
            Some(status) => {
                let code = status.code().map(|code| format!("ended with exit code {code}"));
                return Ok(Some(code.unwrap_or_else(|| "was ended by a signal".to_owned())));
            }
            None if budget.left().is_zero() => {
                group::end(&mut child);
                return Ok(Some(format!("is {}", budget.exceeded())));
            }
            None => std::thread::sleep(STEP),
        }
    }
}

/// The first line of a file with text in it, and the next one if it ends with a colon.
fn first_line(path: &Path) -> String {
    let mut text = Vec::new();
    let _ = File::open(path).map(|file| file.take(MOST_MESSAGES).read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut line = lines.next().unwrap_or_default().to_owned();
    if let Some(next) = lines.next().filter(|_| line.ends_with(':')) {
        line = format!("{line} {next}");
    }
    visible(&line).chars().take(LONGEST_LINE).collect()
}

/// What a program prints when it is asked for its version; of one that knows no version, a hash of its file.
fn version(program: &str) -> String {
    let reported = || {
        let folder = tempfile::tempdir().ok()?;
        let messages = folder.path().join("messages");
        let fault = ended(Command::new(program).arg("--version"), &messages, Budget::within(LONGEST_VERSION)).ok()?;
        Some(first_line(&messages)).filter(|line| fault.is_none() && !line.is_empty())
    };
    reported().unwrap_or_else(|| {
        let hash = found(program).and_then(|path| std::fs::read(path).ok()).map(|bytes| Sha256::digest(&bytes));
        hash.map_or_else(String::new, |hash| digits(&hash))
    })
}

/// The first digits of a hash.
pub(super) fn digits(hash: &[u8]) -> String {
    let digits: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("sha256 {digits}")
}

/// The file of a program.
fn found(program: &str) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(PathBuf::from(program));
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_modules_are_spirv() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.spv");
        let fault = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("written");
            spirv(&path).err()
        };
        let module = [MAGIC, 0x0001_0300, 0, 8, 0, 0x0002_0011, 1];
        let bytes: &[u8] = bytemuck::cast_slice(&module);
        assert_eq!(fault(bytes), None);
        assert_eq!(fault(&bytes[..26]).as_deref(), Some("it is cut off after 26 bytes"));
        assert_eq!(fault(b"").as_deref(), Some("the file is empty"));
        assert_eq!(fault(b"fn main() {}").as_deref(), Some("it does not start with SPIR-V's magic number"));
        let swapped: Vec<u8> = module.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(fault(&swapped).as_deref(), Some("it is big-endian"));
    }
}
