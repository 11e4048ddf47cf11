#!/bin/sh
# Installs the program, and the script `shaderbench` that the suite calls for each run.
rm -rf program
mkdir program
tar -xzf shaderbench-*-linux-gnu.tar.gz -C program --strip-components=1
echo $? >install-exit-status

# The summary's JSON as lines such as `jobs GEMM f32 gflop_per_s = 48700.1`, which results-definition.xml names.
# PHP is what the suite itself runs on.
cat >figures.php <<'PHP'
<?php
[$run] = json_decode(stream_get_contents(STDIN), true);
foreach (['memory' => 'level', 'arithmetic' => 'dtype', 'jobs' => 'job'] as $list => $key) {
    foreach ($run[$list] as $entry) {
        $name = !empty($entry['is_tensor']) ? 'tensor' : $entry[$key];
        foreach ($entry as $field => $value) {
            // An estimate is an object with its interval.
            $value = $value['value'] ?? $value;
            if (is_float($value) || is_int($value)) {
                echo "$list $name $field = $value\n";
            }
        }
    }
}
if ($run['launch_ns'] !== null) {
    echo "launch_ns = {$run['launch_ns']}\n";
}
PHP

cat >shaderbench <<'SH'
#!/bin/sh
rm -f report.csv
./program/shaderbench run --profile quick --table none --fail-on wrong,failed --out report.csv "$@" >run.log 2>&1
echo $? >test-exit-status
./program/shaderbench summary report.csv --format json | "${PHP_BIN:-php}" figures.php >"$LOG_FILE"
SH
chmod +x shaderbench
