"""Prints the headline figures of the committed reports as JSON, for the page to show beside those of a tab.

usage: references.py data/references.json.gz results

An array of models, hardware first: `device`, the number of `reports`, `is_software`, and `figures`, each with name, unit
and the median of the model's reports. Reports of CUDA are left out: their kernels are other ones.
"""

import csv
import gzip
import json
import pathlib
import statistics
import sys

packed, folder = sys.argv[1:]
software = set()
for path in pathlib.Path(folder).glob("*/*.csv"):
    with path.open(newline="") as report:
        row = next(csv.DictReader(report))
    if row["device_type"] == "software":
        software.add(row["device"])

models = {}
for run in json.loads(gzip.open(packed).read())["runs"]:
    if run["api"] != "cuda":
        models.setdefault(run["device"], []).append(run)


def figures(runs):
    values = {}
    for run in runs:
        # Of one name, the first is the fastest kernel's. Where caches are told apart, what is behind them is DRAM.
        first = {}
        for figure in run["figures"]:
            first.setdefault((figure["name"].replace("DRAM ", "memory ", 1), figure["unit"]), figure["value"])
        for key, value in first.items():
            values.setdefault(key, []).append(value)
    return [[*key, float(f"{statistics.median(of):.4g}")] for key, of in values.items()]


found = [
    {"device": device, "reports": len(runs), "is_software": device in software, "figures": figures(runs)}
    for device, runs in sorted(models.items(), key=lambda of: (of[0] in software, of[0]))
]
json.dump(found, sys.stdout, separators=(",", ":"))
