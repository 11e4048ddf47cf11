"""Counts the rows of a report by status, and names those that are failed or wrong.

tally.py NAME REPORT.csv: exits with 1 if there is such a row, or none is ok.
tally.py --again REPORT.csv: prints benchmark and size of each failed or wrong row.
"""

import csv
import sys
from collections import Counter

name, path = sys.argv[1:]
with open(path, newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
if name == "--again":
    bad = {f"{row['family']}/{row['benchmark']} {row['n']}" for row in rows if row["status"] in ("failed", "wrong")}
    print("\n".join(sorted(bad)))
    sys.exit()
counts = Counter(row["status"] for row in rows)
total = ", ".join(f"{counts[status]} {status}" for status in ("ok", "skipped", "failed", "wrong", "implausible"))
print(f"{name}: {len(rows)} rows: {total}")
reasons = Counter()
for row in rows:
    title = " ".join(row[column] for column in ("family", "benchmark", "dtype", "n", "params"))
    if row["status"] in ("failed", "wrong"):
        print(f"  {row['status']}: {title}: {row['reason'][:300]}")
    if row["status"] == "skipped":
        reasons[row["reason"].split(";")[0][:100]] += 1
for reason, count in reasons.most_common(8):
    print(f"  {count} skipped: {reason}")
print(f"  driver: {rows[0]['driver']}" if rows else "  no row")
print("  checks: " + ", ".join(f"{n} {what}" for what, n in Counter(row["checks"] for row in rows).most_common()))
sys.exit(1 if counts["failed"] or counts["wrong"] or not counts["ok"] else 0)
