#!/bin/bash
# A report for each card of each node: sbatch --array=1-NODES contrib/slurm.sh [FILTER…] [OPTIONS of run]
# An element of the array takes a whole node. A node that gets two of them has two runs, which `outliers` averages.
# SHADERBENCH names the program, REPORTS the folder, which all nodes share.
#SBATCH --job-name=shaderbench
#SBATCH --array=1-4
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --time=01:00:00
#SBATCH --output=shaderbench-%A_%a.log
set -euo pipefail
reports="${REPORTS:-$SLURM_SUBMIT_DIR/reports}"
mkdir -p "$reports"
srun "${SHADERBENCH:-shaderbench}" run --device all --host "$SLURMD_NODENAME" --table none \
    --out "$reports/$SLURMD_NODENAME-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID.csv" "$@"
