//! Runs the commands of a declaration, and reads SPIR-V files.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::cli::inputs;
use gpu::shader::module;
use record::error::{in_words, shown, visible};
use record::format::plural;
use record::suite::budget::Budget;

/// Time between two checks of a running command, which may take this much longer.
const STEP: Duration = Duration::from_micros(200);

/// Most bytes of messages that a command may print.
const MOST_MESSAGES: u64 = 16 << 20;

/// Most characters of a quoted line of messages, and most lines.
const LONGEST_LINE: usize = 400;
const MOST_LINES: usize = 60;

/// Suffix of the error message if the program is not installed.
pub(in crate::cli) const NOT_FOUND: &str = "command not found";

/// Placeholder for the folder of a command's files.
pub(in crate::cli) const FOLDER: &str = "{folder}";

const MAGIC: u32 = 0x0723_0203;

pub(in crate::cli) fn spirv(path: &Path) -> Result<Vec<u32>, String> {
    let bytes = inputs::read(path, inputs::KERNEL).map_err(|error| in_words(&error, "read"))?;
    if bytes.is_empty() {
        return Err("the file is empty".to_owned());
    }
    let words = module::words(&bytes);
    match words.first() {
        Some(&MAGIC) if bytes.len() % 4 == 0 && words.len() > 5 => Ok(words),
        Some(&MAGIC) => Err(format!("the file is cut off after {} bytes", bytes.len())),
        Some(first) if first.swap_bytes() == MAGIC => Err("the file is big-endian, not little-endian".to_owned()),
        _ => Err("the file does not start with SPIR-V's magic number".to_owned()),
    }
}

pub(in crate::cli) fn temporary() -> Result<TempDir, String> {
    let fault = |error| {
        let folder = std::env::temp_dir();
        format!("cannot create a temporary folder in {}: {}", shown(&folder), in_words(&error, "create"))
    };
    tempfile::tempdir().map_err(fault)
}

/// The output of a user's command: `text` with these files for words in braces, run in `folder` with `variables` set.
pub(in crate::cli) fn printed(
    text: &str,
    places: &[(&str, &Path)],
    variables: &[(String, String)],
    folder: &Path,
) -> Result<Vec<u8>, String> {
    let mut commands = words(text)?;
    let (Some(command), true) = (commands.pop().filter(|command| !command.is_empty()), commands.is_empty()) else {
        return Err(format!("'{text}' is not a single command; to run several commands, write a script"));
    };
    let place =
        |word: &String| places.iter().fold(word.clone(), |word, (from, to)| word.replace(from, &to.to_string_lossy()));
    let temporary = temporary()?;
    let (output, messages) = (temporary.path().join("output"), temporary.path().join("messages"));
    let create = |path: &Path| File::create(path).map_err(|error| in_words(&error, "create"));
    let mut program = Command::new(&command[0]);
    program.args(command[1..].iter().map(place)).current_dir(folder).envs(variables.iter().cloned());
    let of_command = places.iter().filter(|(name, _)| *name == FOLDER).map(|(_, path)| *path);
    let folders: Vec<&Path> = of_command.chain([temporary.path()]).collect();
    let waited = wait(&mut program, create(&output)?, create(&messages)?, &messages, (&folders, Budget::start()));
    if let Some(fault) = waited.map_err(|why| format!("{}: {why}", command[0]))? {
        // Some compilers print their errors to stdout.
        let mut text = inputs::read(&messages, MOST_MESSAGES).unwrap_or_default();
        text.extend(inputs::read(&output, MOST_MESSAGES).unwrap_or_default());
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let shown = |line: &&str| visible(line).chars().take(LONGEST_LINE).collect::<String>();
        let left_out = lines.len().saturating_sub(MOST_LINES);
        let mut told: Vec<String> = lines.iter().take(MOST_LINES).map(shown).collect();
        told.extend((left_out > 0).then(|| format!("… {} not shown", plural(left_out, "line", "lines"))));
        let gap = if told.len() > 1 { ":\n" } else { ": " };
        return Err(format!("{} {fault}{}{}", command[0], if told.is_empty() { "" } else { gap }, told.join("\n")));
    }
    inputs::read(&output, inputs::KERNEL).map_err(|error| in_words(&error, "read"))
}

/// Runs a command that writes to these files, and waits for it. Returns how it failed, if it did.
fn wait(
    command: &mut Command,
    output: File,
    errors: File,
    messages: &Path,
    (folders, budget): (&[&Path], Budget),
) -> Result<Option<String>, String> {
    let started = grouped(command.stdin(Stdio::null()).stdout(output).stderr(errors)).spawn();
    let mut child = started.map_err(|error| match error.kind() {
        ErrorKind::NotFound => NOT_FOUND.to_owned(),
        _ => in_words(&error, "start"),
    })?;
    let _guard = Guard::of(&child, folders);
    loop {
        if messages.metadata().is_ok_and(|file| file.len() > MOST_MESSAGES) {
            end_group(&mut child);
            return Ok(Some(format!("printed more than {} MiB", MOST_MESSAGES >> 20)));
        }
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(None),
            Some(status) => {
                let code = status.code().map(|code| format!("ended with exit code {code}"));
                return Ok(Some(code.unwrap_or_else(|| "was killed by a signal".to_owned())));
            }
            None if budget.left().is_zero() => {
                end_group(&mut child);
                return Ok(Some(format!("has {}", budget.exceeded())));
            }
            None => std::thread::sleep(STEP),
        }
    }
}

/// A shell that waits until this program ends in any way, then kills a command's process group and removes its folders.
struct Guard(Option<Child>);

impl Guard {
    fn of(command: &Child, folders: &[&Path]) -> Self {
        const SCRIPT: &str = "read done || { kill -KILL -$0; rm -rf -- \"$@\"; }";
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(SCRIPT).arg(command.id().to_string()).args(folders);
        // Without a shell, commands may outlive the program.
        let shell = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(if cfg!(unix) { grouped(shell).spawn().ok() } else { None })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(shell) = &mut self.0 {
            let told = shell.stdin.take().map(|mut input| input.write_all(b"done\n"));
            let _ = (told, shell.wait());
        }
    }
}

fn grouped(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Kills the process group of a [grouped] command, and waits for its first process.
fn end_group(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(id) = libc::pid_t::try_from(child.id()) {
        #[expect(unsafe_code, reason = "the standard library can end only single processes")]
        // SAFETY: the call takes numbers. The group has the number of its first process, which has not been waited for
        // yet, so no other process can have this number.
        unsafe {
            libc::kill(-id, libc::SIGKILL);
        }
    }
    let _ = (child.kill(), child.wait());
}

/// Splits a text into commands at `|`, and each command into words.
fn words(text: &str) -> Result<Vec<Vec<String>>, String> {
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
        assert_eq!(fault(&bytes[..26]).as_deref(), Some("the file is cut off after 26 bytes"));
        assert_eq!(fault(b"").as_deref(), Some("the file is empty"));
        assert_eq!(fault(b"fn main() {}").as_deref(), Some("the file does not start with SPIR-V's magic number"));
        let swapped: Vec<u8> = module.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(fault(&swapped).as_deref(), Some("the file is big-endian, not little-endian"));
    }

    #[test]
    fn commands_are_words_and_quotes_keep_them_together() {
        let split = |text: &str| words(text).expect("words");
        assert_eq!(
            split("'/my tools/x' \"--entry point\" main -o={out}"),
            [["/my tools/x", "--entry point", "main", "-o={out}"]]
        );
        assert_eq!(split("a | b c"), [vec!["a"], vec!["b", "c"]]);
        assert_eq!(words("'x {in}").expect_err("open"), "the quote ' is not closed");
    }
}
