# show.sh OUT: writes every kernel at each model, checks on and off
out=$1; S=/work/windows/target/debug/shaderbench
$S list --json > /tmp/fx/list.json
