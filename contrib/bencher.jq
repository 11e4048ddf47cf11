# Bencher Metric Format: jq -f contrib/bencher.jq r.json | bencher run --adapter json
[.[] | select(.median_ns and (.status == "ok" or .status == "unverified"))
  | { key: ([.family + "/" + .benchmark, .dtype, .n, .params, .backend] | map(values) | join(" ")),
      value: { latency: ({ value: .median_ns } + if .ci_low_ns then
        { lower_value: .ci_low_ns, upper_value: .ci_high_ns } else {} end) } }] | from_entries
