#!/usr/bin/env bash
# Kills runs at random moments and completes each with --resume, and the workers of as many, and prints the result. Usage:
# scripts/kill_test.sh [KILLS] (50 by default).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
setup
export NODEVICE_SELECT=1
KILLS="${1:-50}" exec cargo test --locked --quiet --test suite -- --nocapture kill::a_run_killed kill::a_worker_that_dies
