"""Times and verifies compute kernels on any GPU, by the program shaderbench that this package brings.

    rows = shaderbench.bench("saxpy.toml", size="2^20")
    print(rows[0]["benchmark"], rows[0]["median_ns"], rows[0]["status"])

Options are those of the command line, with underscores: `shaderbench bench --help` lists them. A list gives an option
several times, True a switch. Rows are dicts by the names of the CSV's columns: numbers, lists of numbers, texts, None.
"""

import json
import os
import shutil
import subprocess
import sysconfig
import tempfile

__all__ = ["Failed", "bench", "run"]


class Failed(Exception):
    """The program's own sentence about what was wrong."""


def program():
    """The path of the program: beside this package, else on PATH."""
    name = "shaderbench.exe" if os.name == "nt" else "shaderbench"
    beside = os.path.join(sysconfig.get_path("scripts"), name)
    found = beside if os.path.exists(beside) else shutil.which(name)
    if found is None:
        raise Failed("the program shaderbench is not installed: pip install shaderbench")
    return found


def bench(*files, **options):
    """Rows of kernels in .wgsl, .spv, .cu or .toml files, without those of the measured peaks.

    Raises Failed where a file or an option is not valid, or there is no device. A wrong or failed kernel is a row with
    that status.
    """
    return [row for row in _rows("bench", files, options) if row["family"] != "ceiling"]


def run(*filters, **options):
    """Rows of the suite's own kernels that match these filters; all without one. Raises Failed as bench does."""
    return _rows("run", filters, options)


def _rows(command, names, options):
    words = [program(), command, *map(os.fspath, names)]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            for item in value if isinstance(value, (list, tuple)) else [value]:
                words += [flag, str(item)]
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "rows.json")
        words += ["--json", report]
        if "out" not in options:
            words += ["--out", os.path.join(folder, "rows.csv")]
        ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        # 3: some rows are wrong or failed, which their statuses say.
        if ended.returncode not in (0, 3) or not os.path.exists(report):
            lines = [line for line in ended.stderr.splitlines() if line.startswith("error")]
            raise Failed("\n".join(lines) or ended.stderr.strip() or "exit code %d" % ended.returncode)
        with open(report, encoding="utf-8") as file:
            return json.load(file)
