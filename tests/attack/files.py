"""Attacks on files that are written: links, devices, folders, full disks, closed outputs, two runs at once."""

import os
import signal
import subprocess
import threading
import time

from harness import Folder

RUN = ["run", "transpose/tiled", "transpose/registers", "--size", "64x96", "--profile", "quick", "--fail-on", "wrong", "--seed", "1"]
OWN = b"my own file\n"


def rows(path):
    """Rows of a CSV report whose text fields have no line breaks."""
    return max(0, len(path.read_bytes().splitlines()) - 1) if path.exists() else 0


def attack(attacker):
    """Yields one function for each attack on a device; they run one after the other."""
    with Folder() as folder:
        attacker.run("outputs", [*RUN, "--out", "r.csv"], folder.path, timeout=180)
        expected = rows(folder.path / "r.csv")
    assert expected > 4, "a run writes rows"
    yield from outputs(attacker, expected)
    yield from own_files(attacker)
    yield lambda: resumed_twice(attacker, expected)
    yield lambda: stopped(attacker, expected)
    yield lambda: full_disk(attacker, expected)


def outputs(attacker, expected):
    """stdout and stderr that are closed, full or go away: the report is complete all the same."""
    def one(name, out, err, also=()):
        with Folder() as folder:
            attacker.run("outputs", [*RUN, "--out", "r.csv", *also], folder.path, stdout=out(), stderr=err(), timeout=180)
            found = rows(folder.path / "r.csv")
            if found != expected:
                attacker.tally.fault("rows lost", f"{name}: {found} of {expected} rows")

    def closed_pipe():
        reader, writer = os.pipe()
        os.close(reader)
        return os.fdopen(writer, "wb")

    def full():
        return open("/dev/full", "wb")

    def head():
        """A reader that goes away after the first bytes."""
        reader, writer = os.pipe()

        def read():
            os.read(reader, 10)
            os.close(reader)

        threading.Thread(target=read, daemon=True).start()
        return os.fdopen(writer, "wb")

    def lost_terminal():
        """A terminal that goes away after the first bytes."""
        main, terminal = os.openpty()

        def read():
            os.read(main, 10)
            os.close(main)

        threading.Thread(target=read, daemon=True).start()
        return os.fdopen(terminal, "wb")

    kinds = {"closed pipe": closed_pipe, "full device": full, "head": head, "lost terminal": lost_terminal}
    for name, make in kinds.items():
        yield lambda name=name, make=make: one(f"stderr: {name}", lambda: None, make)
        yield lambda name=name, make=make: one(f"stdout: {name}", make, lambda: None)
        yield lambda name=name, make=make: one(f"both: {name}", make, make)
    for shell in ["2>&-", ">&-", ">&- 2>&-", "2>&1 | head -1", "2>/dev/full >/dev/full", "</dev/null 2>&1 | true"]:
        yield lambda shell=shell: in_shell(attacker, shell, expected)


def in_shell(attacker, redirection, expected):
    with Folder() as folder:
        attacker.tally.count("outputs")
        line = " ".join([attacker.program, *RUN, "--out", "r.csv", redirection])
        subprocess.run(["bash", "-c", line], cwd=folder.path, capture_output=True, timeout=180,
                       env={**os.environ, "NODEVICE_SELECT": "1"})
        found = rows(folder.path / "r.csv")
        if found != expected:
            attacker.tally.fault("rows lost", f"{redirection}: {found} of {expected} rows")


def own_files(attacker):
    """Paths that would destroy a file of the user's. Files that `make` returns must stay as they are."""
    def one(name, make, arguments, codes=(1, 2)):
        with Folder() as folder:
            kept = make(folder)
            existing = folder.state()
            before = {path: state for path, state in existing.items() if path in kept}
            result = attacker.run("paths", arguments, folder.path, timeout=180)
            after = folder.state()
            for path, state in before.items():
                if after.get(path) != state:
                    attacker.tally.fault("files clobbered", f"{name}: {path}")
            if result.code not in codes:
                attacker.tally.fault("other faults", f"{name}: code {result.code}, not {codes}: {result.err[-200:]!r}")
            left = [path for path in after if "part" in path or "tmp" in path.lower()]
            if [path for path in left if path not in existing]:
                attacker.tally.fault("other faults", f"{name}: left behind {left}")

    def files(*names):
        def make(folder):
            for name in names:
                folder.write(name, OWN)
            return names
        return make

    def link(name, target):
        def make(folder):
            folder.write(target, OWN)
            (folder.path / name).symlink_to(target)
            return (name, target)
        return make

    def folder_at(name):
        def make(folder):
            (folder.path / name).mkdir()
            return (name,)
        return make

    def hard_link(folder):
        folder.write("r.csv", OWN)
        os.link(folder.path / "r.csv", folder.path / "r.json")
        return ()

    def read_only(folder):
        folder.write("locked/own", OWN)
        (folder.path / "locked/own").chmod(0o444)
        return ("locked/own",)

    def part_link(folder):
        folder.write("own", OWN)
        for name in ["r.csv.part", "r.json.part", "r.csv.tmp", ".r.csv.part"]:
            (folder.path / name).symlink_to("own")
        return ("own", "r.csv.part", "r.json.part")

    out = ["--out", "r.csv"]
    cases = [
        ("a file at --out", files("r.csv"), [*RUN, *out], (2,)),
        ("a file at --json", files("r.json"), [*RUN, *out, "--json", "r.json"], (2,)),
        ("the user's .part", files("r.csv.part", "r.json.part", "r.csv.tmp"), [*RUN, *out, "--json", "r.json"], (0, 3)),
        ("links at .part", part_link, [*RUN, *out, "--json", "r.json"], (0, 3)),
        ("--json is --out", files(), [*RUN, *out, "--json", "r.csv"], (2,)),
        ("--json is --out, otherwise spelt", files(), [*RUN, *out, "--json", "./r.csv"], (2,)),
        ("--json is --out, by a hard link", hard_link, [*RUN, *out, "--json", "r.json", "--force"], (2,)),
        ("--json links to --out", link("r.json", "r.csv"), [*RUN, *out, "--json", "r.json", "--force"], (2,)),
        ("a folder at --out", folder_at("r.csv"), [*RUN, *out, "--force"], (1, 2)),
        ("a folder at --json", folder_at("r.json"), [*RUN, *out, "--json", "r.json", "--force"], (1, 2)),
        ("a file in the way of --out", files("a"), [*RUN, "--out", "a/r.csv"], (1, 2)),
        ("no folder for --json", files(), [*RUN, *out, "--json", "/proc/none/r.json"], (1, 2)),
        ("no folder for --out", files(), [*RUN, "--out", "/proc/none/r.csv"], (1, 2)),
        ("a file at --save-image", files("i"), ["run", "texture", "--size", "64x64", *out, "--save-image", "i"], (1, 2)),
        ("a foreign README.md", files("d/README.md"), ["report", "d", "--format", "index"], (1, 2)),
        ("a page", files("report.html"), ["report", "nowhere.csv"], (1, 2)),
        ("an empty --out", files(), [*RUN, "--out", ""], (1, 2)),
        ("a long --out", files(), [*RUN, "--out", "x" * 300 + ".csv"], (1, 2)),
        ("a longest name", files(), [*RUN, "--out", "x" * 251 + ".csv"], (0, 3)),
        ("a foreign file at --resume", files("r.csv"), [*RUN, "--resume", "r.csv"], (1, 2)),
        ("a read-only file", read_only, [*RUN, "--out", "locked/own"], (2,)),
    ]
    for name, make, arguments, codes in cases:
        yield lambda name=name, make=make, arguments=arguments, codes=codes: one(name, make, arguments, codes)
    yield lambda: devices(attacker)
    yield lambda: permissions(attacker)


def devices(attacker):
    """Devices and pipes are written through or refused, and stay what they are."""
    for path in ["/dev/null", "/dev/full", "/dev/stdout"]:
        before = os.stat(path).st_mode if path != "/dev/stdout" else None
        for flag in ["--out", "--json"]:
            with Folder() as folder:
                also = ["--out", "r.csv"] if flag == "--json" else []
                attacker.run("paths", [*RUN, *also, flag, path, "--force"], folder.path, timeout=180, is_text=False)
        if before is not None and os.stat(path).st_mode != before:
            attacker.tally.fault("files clobbered", f"{path} was replaced")
    with Folder() as folder:
        os.mkfifo(folder.path / "r.csv")
        attacker.run("paths", [*RUN, "--out", "r.csv", "--force"], folder.path, timeout=60, codes={0, 1, 2, 3})


def permissions(attacker):
    """A replaced file keeps its mode, and a link to a file stays a link."""
    with Folder() as folder:
        own = folder.write("own.csv", OWN)
        own.chmod(0o640)
        (folder.path / "r.csv").symlink_to("own.csv")
        attacker.run("paths", [*RUN, "--out", "r.csv", "--force"], folder.path, timeout=180)
        if not (folder.path / "r.csv").is_symlink():
            attacker.tally.fault("files clobbered", "a link was replaced by a file")
        if own.stat().st_mode & 0o777 != 0o640:
            attacker.tally.fault("files clobbered", f"the mode 640 became {own.stat().st_mode & 0o777:o}")


def resumed_twice(attacker, expected):
    """Two processes resume one report: no row twice, none lost."""
    with Folder() as folder:
        first = [*RUN, "--out", "r.csv"]
        attacker.run("resume", first, folder.path, timeout=180)
        report = folder.path / "r.csv"
        report.write_bytes(b"".join(report.read_bytes().splitlines(keepends=True)[:4]))
        threads = [threading.Thread(target=attacker.run, args=("resume", [*RUN, "--resume", "r.csv"], folder.path),
                                    kwargs={"timeout": 180}) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        attacker.run("resume", [*RUN, "--resume", "r.csv"], folder.path, timeout=180)
        found = rows(report)
        if found < expected:
            attacker.tally.fault("rows lost", f"resumed three times at once: {found} of {expected} rows")
        if found > expected:
            attacker.tally.fault("other faults", f"resumed three times at once: {found} rows, {expected} cases")


def stopped(attacker, expected):
    """A process that is stopped for a while goes on, without a row that timed out."""
    with Folder() as folder:
        attacker.tally.count("resume")
        child = subprocess.Popen([attacker.program, *RUN, "--out", "r.csv"], cwd=folder.path, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env={**os.environ, "NODEVICE_SELECT": "1"})
        time.sleep(1)
        child.send_signal(signal.SIGSTOP)
        time.sleep(25)  # longer than a silent device is waited for
        child.send_signal(signal.SIGCONT)
        code = child.wait(timeout=180)
        text = (folder.path / "r.csv").read_text() if (folder.path / "r.csv").exists() else ""
        if code != 0 or "answer" in text or rows(folder.path / "r.csv") != expected:
            attacker.tally.fault("rows lost", f"stopped for 25 s: code {code}, {rows(folder.path / 'r.csv')} of {expected} rows")


def full_disk(attacker, expected):
    """A file-size limit that the report meets in mid-run: the rows before it stay."""
    for blocks in [1, 2, 4]:
        with Folder() as folder:
            attacker.tally.count("full disk")
            line = f"ulimit -f {blocks}; trap '' XFSZ; exec " + " ".join([attacker.program, *RUN, "--out", "r.csv"])
            done = subprocess.run(["bash", "-c", line], cwd=folder.path, capture_output=True, timeout=180,
                                  env={**os.environ, "NODEVICE_SELECT": "1"})
            if done.returncode not in (0, 1, 3) or b"panicked" in done.stderr:
                attacker.tally.fault("panics", f"full disk: code {done.returncode}: {done.stderr[-200:]!r}")
            if done.returncode == 1 and b"--resume" not in done.stderr:
                attacker.tally.fault("other faults", f"full disk: no way to go on is named: {done.stderr[-300:]!r}")
            attacker.run("full disk", [*RUN, "--resume", "r.csv"], folder.path, timeout=180)
            if rows(folder.path / "r.csv") != expected:
                attacker.tally.fault("rows lost", f"after a full disk: {rows(folder.path / 'r.csv')} of {expected} rows")
