"""Runs the program under attack, and notes what it must never do."""

import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

# Characters that steer a terminal or change the order of text: C0 without newline, DEL, C1, marks and overrides of
# direction, separators of lines. https://trojansource.codes
CONTROLS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f\x80-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
# 0 to 4 are documented; 130 is an interrupted run.
CODES = {0, 1, 2, 3, 4, 130}
MEMORY = 1 << 30


class Tally:
    """Counts of inputs and of faults; the faults with the commands that show them."""

    KINDS = ["panics", "hangs", "rows lost", "files clobbered", "raw control bytes", "other faults"]

    def __init__(self):
        self.inputs = {}
        self.faults = {kind: [] for kind in self.KINDS}
        self.memory = 0
        self.lock = threading.Lock()

    def count(self, group):
        with self.lock:
            self.inputs[group] = self.inputs.get(group, 0) + 1

    def fault(self, kind, what):
        with self.lock:
            self.faults[kind].append(what)

    def summary(self):
        lines = [f"{group}: {count} inputs" for group, count in sorted(self.inputs.items())]
        total = sum(self.inputs.values())
        counts = ", ".join(f"{kind} {len(self.faults[kind])}" for kind in self.KINDS)
        lines.append(f"inputs tried {total}, {counts}; at most {self.memory >> 20} MiB to read reports")
        return "\n".join(lines)

    def details(self, limit=5):
        for kind, faults in self.faults.items():
            for fault in faults[:limit]:
                yield f"{kind}: {fault}"
            if len(faults) > limit:
                yield f"{kind}: {len(faults) - limit} more"

    def is_clean(self):
        return not any(self.faults.values())


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


class Attacker:
    def __init__(self, program, tally):
        self.program, self.tally = str(program), tally

    def run(self, group, arguments, folder, *, env=None, stdout=None, stderr=None, timeout=60, codes=CODES,
            is_text=True, memory=None, counts=True):
        """Runs the program in `folder`; checks its exit code, its time and the characters of its output."""
        if counts:
            self.tally.count(group)
        shown = " ".join(str(part) if isinstance(part, str) else repr(part) for part in arguments)
        shown = f"{group}: shaderbench {shown[:300]}"
        environment = {**os.environ, "NODEVICE_SELECT": "1", "RUST_BACKTRACE": "0", **(env or {})}
        environment.pop("NO_COLOR", None)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen(
                [self.program, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=out if stdout is None else stdout, stderr=err if stderr is None else stderr,
                restore_signals=True,
            )
            timer = threading.Timer(timeout, child.kill)
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            is_late = not timer.is_alive()
            timer.cancel()
            code = os.waitstatus_to_exitcode(status)
            child.returncode = code
            out.seek(0)
            err.seek(0)
            result = Result(code, out.read(), err.read())
        if memory is not None:
            with self.tally.lock:
                self.tally.memory = max(self.tally.memory, usage.ru_maxrss * 1024)
            if usage.ru_maxrss * 1024 > memory:
                self.tally.fault("other faults", f"{shown}: {usage.ru_maxrss >> 10} MiB")
        if is_late and code == -signal.SIGKILL:
            self.tally.fault("hangs", f"{shown}: {timeout} s")
        elif code == 101 or code < 0 or b"panicked at" in result.err:
            self.tally.fault("panics", f"{shown}: code {code}: {result.err[-300:]!r}")
        elif code not in codes:
            self.tally.fault("other faults", f"{shown}: code {code}: {result.err[-300:]!r}")
        elif code in (1, 2) and stderr is None and b"error: " not in result.err:
            self.tally.fault("other faults", f"{shown}: code {code} without a sentence: {result.err[-300:]!r}")
        if is_text:
            for name, text in [("stdout", result.out), ("stderr", result.err)]:
                self.check_text(f"{shown}: {name}", text)
        return result

    def check_text(self, what, text):
        try:
            found = CONTROLS.search(text.decode())
        except UnicodeDecodeError as error:
            self.tally.fault("raw control bytes", f"{what}: {error}")
            return
        if found:
            around = text.decode()[max(0, found.start() - 60):found.end() + 60]
            self.tally.fault("raw control bytes", f"{what}: {around!r}")


class Folder:
    """A folder that is removed at the end, and whose files are compared with what they were."""

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp(prefix="attack-"))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def write(self, name, contents):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
        return path

    def state(self):
        """What each file is: its kind, mode and contents."""
        found = {}
        for path in sorted(self.path.rglob("*")):
            at = path.lstat()
            contents = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path.relative_to(self.path))] = (oct(at.st_mode), contents)
        return found


def unlimited_files():
    """Raises the number of open files to what the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
