#!/usr/bin/env python3
"""Writes small hostile reports as a fuzzer's first inputs. Usage: fuzz/corpus.py REPORT.csv FOLDER

Each is a report of two rows with one hostile field, or a file that is no report. `scripts/fuzz.sh` calls this."""

import csv
import gzip
import io
import json
import sys
from pathlib import Path

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


def table(path, rows=14):
    """The header and some evenly spaced rows of a report."""
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
    """Files that are no reports, and reports of an odd form."""
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
        b"[" * 4000, b"{" * 4000, b'[{"a":' * 1000, b"[]", b"{}", b"null", b"[null]", b"[1]", objects[:-3], objects * 2,
        objects + b"x", b"a,b\n" * 1000, b"," * 4000, b"\n" * 4000, b'"' * 4001, (b"x" * 8000) + b"\n", b"=" + whole,
        b"# notes\n" * 50,
    ]
    reordered = [list(reversed(line)) for line in lines]
    missing = [[text for at, text in enumerate(line) if at % 3] for line in lines]
    for contents in [*odd, write_table(reordered), write_table(missing)]:
        for ending in ["csv", "json", "csv.gz", "txt"]:
            yield "shapes", contents, ending


def write_corpus(source, folder):
    """Writes hostile fields and shapes of a two-row report: small ones, and a seventh of those up to 8 KiB."""
    lines = table(source, 2)
    for number, (_, contents, ending) in enumerate([*fields(lines), *json_values(lines), *shapes(lines)]):
        if ending in ("csv", "json") and len(contents) <= 8192 and (number % 7 == 0 or len(contents) < 200):
            path = folder / ending / f"hostile-{number}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: fuzz/corpus.py REPORT.csv FOLDER")
    write_corpus(Path(sys.argv[1]), Path(sys.argv[2]))
