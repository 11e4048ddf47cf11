#!/usr/bin/env bash
# Runs contrib/ on a cluster of one machine, with the software device: a Slurm array on six nodes (Debian's slurm-wlm,
# several slurmd on this host), then ReFrame (from PyPI) through that Slurm. Merges the reports, slows one down, and looks
# for it. Checks the exports with the tools that read them, and the Kubernetes Job with its schema.
# Needs root and Debian or Ubuntu; installs what is missing. PROGRAM names an existing program. CONTAINER=yes also builds
# contrib/Containerfile, with podman or docker.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
release_program
PROGRAM=$(realpath "$PROGRAM")
export NODEVICE_SELECT=1 VK_DRIVER_FILES="${VK_DRIVER_FILES:-$(ls /usr/share/vulkan/icd.d/lvp_icd*.json)}"
work=$(mktemp -d /tmp/shaderbench-fleet-XXXXXX)
host=$(hostname -s)
pids=()
trap 'for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; wait 2>/dev/null || true; rm -rf "$work"' EXIT

packages=()
command -v slurmctld >/dev/null || packages+=(slurm-wlm munge)
command -v xmllint >/dev/null || packages+=(libxml2-utils)
command -v jq >/dev/null || packages+=(jq)
python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
[ "${#packages[@]}" -eq 0 ] || apt_install "${packages[@]}" >/dev/null

echo "== Slurm $(slurmd -V | cut -d' ' -f2): six nodes on $host"
mkdir -p "$work"/{munge,state,log,reports}
# A munged of its own, so that the system's is left alone.
chmod 755 "$work" && chown -R munge: "$work/munge"
head -c 128 /dev/urandom >"$work/munge/key" && chown munge: "$work/munge/key" && chmod 400 "$work/munge/key"
runuser -u munge -- munged --foreground --key-file="$work/munge/key" --socket="$work/munge/socket" \
    --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" >"$work/log/munged" 2>&1 &
pids+=($!)
cat >"$work/slurm.conf" <<END
ClusterName=fleet
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldPort=16817
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
ReturnToService=2
NodeName=node[1-6] NodeHostname=$host NodeAddr=127.0.0.1 Port=[17001-17006] CPUs=1
PartitionName=all Nodes=ALL Default=YES State=UP
END
export SLURM_CONF="$work/slurm.conf"
for _ in $(seq 50); do [ -S "$work/munge/socket" ] && break || sleep 0.1; done
slurmctld -D >"$work/log/slurmctld" 2>&1 &
pids+=($!)
for node in 1 2 3 4 5 6; do
    slurmd -D -N "node$node" >"$work/log/node$node" 2>&1 &
    pids+=($!)
done
for _ in $(seq 60); do [ "$(sinfo -hN -t idle -o %N 2>/dev/null | wc -l)" -eq 6 ] && break || sleep 0.5; done
sinfo

# On a busy machine, a software device may seem to beat its ceilings: implausible rows are no fault here.
faults=(--fail-on wrong,failed)
# The nodes share this machine's cores: the runs wait for each other.
cat >"$work/one-by-one" <<END
#!/bin/sh
exec flock "$work/lock" "$PROGRAM" "\$@"
END
chmod +x "$work/one-by-one"
SHADERBENCH="$work/one-by-one" REPORTS="$work/reports" sbatch --wait --array=1-6 --output="$work/log/array-%a" \
    contrib/slurm.sh reduction transpose --profile quick --size 512 --epochs 2 "${faults[@]}" ||
    { tail "$work"/log/array-*; exit 1; }
ls "$work/reports"
[ "$(ls "$work/reports" | cut -d- -f1 | sort -u | wc -l)" -eq 6 ]

echo "== ReFrame, through Slurm"
python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet ReFrame-HPC prometheus_client kubernetes-validate
cat >"$work/settings.py" <<END
site_configuration = {
    "systems": [{"name": "fleet", "hostnames": [".*"], "partitions": [
        {"name": "all", "scheduler": "slurm", "launcher": "srun", "environs": ["builtin"], "max_jobs": 1}]}],
    "environments": [{"name": "builtin", "cc": "", "cxx": "", "ftn": ""}],
    "general": [{"use_login_shell": False}],
}
END
# The job accounting that ReFrame asks by default needs a database.
sed -i 's/"slurm"/"squeue"/' "$work/settings.py"
TMPDIR="$work" "$work/python/bin/reframe" --config-file "$work/settings.py" -c contrib/reframe.py --prefix "$work/reframe" \
    -S program="$PROGRAM" -S options='--profile quick --size 256 --epochs 2 '"${faults[*]}" -r

echo "== one file of many reports, and outliers"
"$PROGRAM" report "$work/reports" --out "$work/fleet.csv.gz"
status=0
"$PROGRAM" outliers "$work/fleet.csv.gz" || status=$?
[ "$status" -eq 0 ] || [ "$status" -ge 3 ] || exit 1 # This machine may be uneven, and implausible rows give 3.
"$PROGRAM" outliers "$work/fleet.csv.gz" --by model
# A node on which everything takes four times as long must be found.
python3 - "$work/reports" <<'END'
import csv, glob, sys
for path in glob.glob(f"{sys.argv[1]}/node2-*.csv"):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["median_ns"] = row["median_ns"] and repr(4 * float(row["median_ns"]))
        row["epochs_ns"] = ";".join(repr(4 * float(ns)) for ns in row["epochs_ns"].split(";") if ns)
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
END
status=0
"$PROGRAM" outliers "$work/reports" --limit 50 | tee "$work/slow" || status=$?
[ "$status" -eq 4 ]
grep -q '^host node2, [^:]*$' "$work/slow"
# Lines with a colon count faulty rows.
if grep -q '^host node[13456], [^:]*$' "$work/slow"; then
    echo "error: a node other than node2 is called slow" >&2
    exit 1
fi
"$PROGRAM" report "$work/fleet.csv.gz" --out "$work/fleet.csv"

echo "== exports"
"$PROGRAM" report "$work/fleet.csv" --format github --out "$work/github"
"$PROGRAM" report results/nvidia-h200/2026-11-30-vulkan.csv --out "$work/h200.json"
for format in openmetrics junit bencher; do
    jq -rf "contrib/$format.jq" "$work/h200.json" >"$work/$format"
done
"$work/python/bin/python" - "$work" <<'END'
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as textfile
with open(f"{sys.argv[1]}/openmetrics", encoding="utf-8") as file:
    text = file.read()
strict = {family.name: len(family.samples) for family in openmetrics(text)}
assert strict == {family.name: len(family.samples) for family in textfile(text)}, "both parsers agree"
assert strict["shaderbench_time_seconds"] > 20, strict
print("openmetrics:", strict)
bencher, github = (json.load(open(f"{sys.argv[1]}/{name}")) for name in ("bencher", "github"))
assert len(bencher) == strict["shaderbench_time_seconds"] and len(github) > 20
print("bencher:", len(bencher), "github:", len(github), "benchmarks")
END
xmllint --noout "$work/junit" && echo "junit: $(grep -c '<testcase' "$work/junit") tests, well-formed"

echo "== Kubernetes and the container"
"$work/python/bin/kubernetes-validate" --strict contrib/kubernetes.yaml
if [ "${CONTAINER:-}" = yes ]; then
    engine=$(command -v podman || command -v docker)
    mkdir "$work/image" && cp contrib/Containerfile "$PROGRAM" "$work/image/"
    "$engine" build --quiet --tag shaderbench:fleet --file "$work/image/Containerfile" "$work/image"
    "$engine" run --rm shaderbench:fleet devices | grep -q llvmpipe
else
    echo "SKIPPED: the container is not built (set CONTAINER=yes to build it)"
fi
echo "fleet: every part of contrib/ ran"
