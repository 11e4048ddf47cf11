# For the textfile collector of node_exporter: jq -rf contrib/openmetrics.jq r.json > shaderbench.prom
def labels: { device, card, host, api: .backend, family, benchmark, case: ([.dtype, .n, .params] | map(values) | join(" ")) }
  | [to_entries[] | select(.value != null and .value != "") | "\(.key)=\(.value | tojson)"] | "{" + join(",") + "}";
[.[] | select(.median_ns and (.status == "ok" or .status == "unverified"))] as $rows
| "# TYPE shaderbench_time_seconds gauge", "# UNIT shaderbench_time_seconds seconds",
  "# HELP shaderbench_time_seconds Median time of one launch.",
  ($rows[] | "shaderbench_time_seconds\(labels) \(.median_ns / 1e9)"),
  "# TYPE shaderbench_peak_ratio gauge", "# UNIT shaderbench_peak_ratio ratio",
  "# HELP shaderbench_peak_ratio Share of the measured peak that limits the kernel.",
  ($rows[] | select(.share) | "shaderbench_peak_ratio\(labels) \(.share)"),
  "# EOF"
