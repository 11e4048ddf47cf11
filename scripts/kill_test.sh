#!/usr/bin/env bash
# Kills runs at random moments (50, or as many as the argument says), completes each with --resume, and prints the tally.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
setup
export NODEVICE_SELECT=1
KILLS="${1:-50}" exec cargo test --locked --quiet --test suite a_run_killed -- --nocapture
