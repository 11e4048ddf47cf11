"""Foreign reports: CSV, JSON and gzip files with hostile fields, damaged bytes and hostile sizes."""

import csv
import gzip
import io
import json
import random

from harness import MEMORY, Folder

TEXTS = [
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "\x9b31m", "\x90q",
    "\r\x1b[2K", "a\rb", "a\nb", "a\tb", "\x00", "\x7f", "\u0085", "\u202eexe.csv", "\u2066x\u2069", "\u200ex", "\u061cx",
    "\u2028", "\u2029", "=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=1", "'=1", "|x|y|", "`x`", "[a](b)",
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "${x}", "{{x}}",
    "../../etc/passwd", "", " ", "x" * 10000, "\ufeff", "e\u0301" * 500, "\U0001f600" * 50, "%s%n", "NaN",
]
NUMBERS = [
    "0", "-0", "-1", "1", "NaN", "inf", "-inf", "1e308", "1e309", "-1e308", "1e-320", "100000000000", "1e11", "0x10",
    "18446744073709551616", "9223372036854775807", "4294967296", "1,5", "1.5.5", "1e", "--1", " 1", "1 ", "٣", "0" * 400,
    "9" * 400, "1;2;3", ";", "1;NaN", "1;-1", "1;" * 20000,
]
VALUES = [None, True, [], {}, [1], {"a": 1}, 0, -1, 1e308, 10**30, "", "x", -0.5, [[[[]]]], "\u202e", 1e-320]
COMMANDS = [
    ["report", "FILE", "--out", "page.html", "--force"],
    ["compare", "FILE", "honest.csv"],
    ["compare", "honest.csv", "FILE", "--format", "markdown"],
    ["compare", "honest.csv", "FILE", "--format", "csv"],
    ["explain", "transpose", "--report", "FILE"],
    ["explain", "ceiling", "--report", "FILE", "--format", "markdown"],
    ["report", "folder", "--format", "index"],
]


def table(path, rows=14):
    """Header and some rows of a report, from all over it."""
    with open(path, newline="") as file:
        lines = list(csv.reader(file))
    step = max(1, (len(lines) - 1) // rows)
    return [lines[0], *lines[1::step][:rows]]


def write_table(lines):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue().encode("utf-8", "surrogatepass")


def as_objects(lines):
    def value(text):
        try:
            return float(text) if "." in text or "e" in text else int(text)
        except ValueError:
            return text or None

    return [{name: value(text) for name, text in zip(lines[0], line)} for line in lines[1:]]


def fields(lines):
    """Each column with each hostile text and number, in one row and in all rows."""
    for column, name in enumerate(lines[0]):
        for value in TEXTS + NUMBERS:
            changed = [list(line) for line in lines]
            rows = changed[1:] if (column + len(value)) % 2 else changed[1:2]
            for line in rows:
                line[column] = value
            yield "fields", write_table(changed), "csv"


def json_values(lines):
    objects = as_objects(lines)
    for name in lines[0]:
        for value in VALUES:
            changed = [dict(row) for row in objects]
            changed[0][name] = value
            yield "JSON values", json.dumps(changed).encode(), "json"
        changed = [dict(row) for row in objects]
        del changed[0][name]
        yield "JSON values", json.dumps(changed).encode(), "json"


def shapes(lines):
    """Files that are no reports, or reports of an odd form."""
    whole = write_table(lines)
    objects = json.dumps(as_objects(lines)).encode()
    header = write_table(lines[:1])
    odd = [
        b"", b"\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf" + whole, whole.replace(b"\n", b"\r\n"), whole.replace(b"\n", b"\r"),
        whole.decode().encode("utf-16"), header, header * 2 + whole, whole + whole, whole + header, b"\n\n" + whole,
        whole.replace(b",", b";"), whole.replace(b",", b"\t"), b'"' + whole, whole + b'"', whole[:-1], whole * 50,
        b"PK\x03\x04" + bytes(100), b"\xfd7zXZ\x00" + bytes(100), b"\x28\xb5\x2f\xfd" + bytes(100), b"BZh9" + bytes(100),
        b"\x7fELF" + bytes(200), b"%PDF-1.4\n", b"<html>", b"\x1f\x8b", gzip.compress(whole), gzip.compress(objects),
        gzip.compress(gzip.compress(whole)), gzip.compress(whole)[:-5], gzip.compress(whole) + b"x",
        gzip.compress(bytes(1 << 28), 9), gzip.compress(b"x," * (1 << 26), 9), gzip.compress(b"[" * (1 << 27), 9),
        b"[" * 100000, b"{" * 100000, b'[{"a":' * 50000, b"[]", b"{}", b"null", b"[null]", b"[1]", objects[:-3], objects * 2,
        objects + b"x", b"a,b\n" * 1000, b"," * 100000, b"\n" * 100000, b'"' * 100001, (b"x" * 5000000) + b"\n", b"=" + whole,
        b"# notes\n" * 50,
    ]
    reordered = [list(reversed(line)) for line in lines]
    missing = [[text for at, text in enumerate(line) if at % 3] for line in lines]
    for contents in [*odd, write_table(reordered), write_table(missing)]:
        for ending in ["csv", "json", "csv.gz", "txt"]:
            yield "shapes", contents, ending


def damage(lines, count, seed):
    """Random bytes changed, cut, repeated or inserted."""
    source = random.Random(seed)
    wholes = [write_table(lines), json.dumps(as_objects(lines)).encode(), gzip.compress(write_table(lines))]
    endings = ["csv", "json", "csv.gz"]
    for number in range(count):
        which = number % len(wholes)
        contents = bytearray(wholes[which])
        for _ in range(source.randint(1, 8)):
            at = source.randrange(len(contents))
            kind = source.randrange(5)
            if kind == 0:
                contents[at] = source.randrange(256)
            elif kind == 1:
                del contents[at:at + source.randint(1, 40)]
            elif kind == 2:
                contents[at:at] = contents[at:at + source.randint(1, 400)]
            elif kind == 3:
                contents[at:at] = source.randbytes(source.randint(1, 20))
            else:
                contents[at:at] = source.choice(TEXTS + NUMBERS).encode("utf-8", "surrogatepass")
            if not contents:
                contents = bytearray(b"x")
        yield "damage", bytes(contents), endings[which]


def write_corpus(source, folder):
    """Every hostile field and shape on a report of two rows, by ending, in files that a fuzzer takes."""
    lines = table(source, 2)
    for number, (_, contents, ending) in enumerate([*fields(lines), *json_values(lines), *shapes(lines)]):
        if ending in ("csv", "json") and len(contents) <= 8192 and (number % 7 == 0 or len(contents) < 200):
            path = folder / ending / f"hostile-{number}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)


def attack(attacker, source, count, seed):
    """Yields one function for each input: they may run side by side."""
    lines = table(source)
    honest = write_table(lines)
    inputs = [*fields(lines), *json_values(lines), *shapes(lines), *damage(lines, count, seed)]
    for number, (group, contents, ending) in enumerate(inputs):
        yield lambda number=number, group=group, contents=contents, ending=ending: one(
            attacker, group, contents, ending, honest, number)


def one(attacker, group, contents, ending, honest, number):
    # Each input meets one command, in turn; those that may be special meet all of them.
    commands = COMMANDS if group == "shapes" else [COMMANDS[number % len(COMMANDS)]]
    attacker.tally.count(group)
    for command in commands:
        with Folder() as folder:
            name = f"hostile.{ending}"
            folder.write("honest.csv", honest)
            folder.write(name, contents)
            folder.write(f"folder/{name}", contents)
            folder.write("folder/honest.csv", honest)
            before = folder.state()
            arguments = [name if part == "FILE" else part for part in command]
            attacker.run(group, arguments, folder.path, memory=MEMORY, counts=False)
            after = folder.state()
            for path, state in before.items():
                if after.get(path) != state:
                    attacker.tally.fault("files clobbered", f"{group} {number}: {command[0]} changed {path}")
            if "index" in command and "folder/README.md" in after:
                attacker.check_text(f"{group} {number}: README.md", after["folder/README.md"][1])
            page = after.get("page.html")
            if page and any(text in page[1] for text in [b"</script><script>alert", b"<img src=x", b"<svg onload"]):
                attacker.tally.fault("other faults", f"{group} {number}: markup of the report is in the page")


def paths(attacker, source):
    """Files whose names are hostile, and folders that do not end."""
    honest = write_table(table(source))
    names = ["\x1b[31m.csv", "a\nb.csv", "\u202ex.csv", b"\xff\xfe.csv", "-x.csv", "=1.csv", " .csv", "a,b.csv", "'.csv", "|.csv",
             "%.csv", "x" * 240 + ".csv", "\t.csv", "\x7f.csv", "<b>.csv", "[a](b).csv", "`.csv"]
    for contents in [honest, b"broken"]:
        for name in names:
            with Folder() as folder:
                target = (bytes(folder.path) + b"/" + name) if isinstance(name, bytes) else folder.path / name
                with open(target, "wb") as file:
                    file.write(contents)
                folder.write("honest.csv", honest)
                for command in [["report", b"./" + name if isinstance(name, bytes) else "./" + name, "--out", "p.html"],
                                ["report", ".", "--format", "index"], ["report", ".", "--out", "q.html"],
                                ["compare", "honest.csv", b"./" + name if isinstance(name, bytes) else "./" + name]]:
                    attacker.run("file names", command, folder.path)
    with Folder() as folder:
        folder.write("a/honest.csv", honest)
        (folder.path / "a/loop").symlink_to("..")
        (folder.path / "a/self").symlink_to(".")
        (folder.path / "a/gone.csv").symlink_to("nowhere")
        (folder.path / "a/zero.csv").symlink_to("/dev/zero")
        for command in [["report", "a", "--format", "index"], ["report", "a", "--out", "p.html"], ["compare", "a/zero.csv", "a/honest.csv"],
                        ["compare", "a/gone.csv", "a/honest.csv"], ["report", "/dev/zero", "--out", "p.html"],
                        ["compare", "a", "a/honest.csv"], ["explain", "transpose", "--report", "/dev/zero"]]:
            attacker.run("endless", command, folder.path, memory=MEMORY)
