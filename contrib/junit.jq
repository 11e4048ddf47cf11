# JUnit XML, a suite for each family: jq -rf contrib/junit.jq r.json > junit.xml
def text: tostring | gsub("[\u0000-\u001f]"; " ") | @html;
def tag($name): "<\($name) message=\"\(.reason // "" | text)\"/>";
"<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites name=\"shaderbench\">",
(group_by(.family)[]
  | "<testsuite name=\"\(.[0].family | text)\" tests=\"\(length)\">",
    (.[] | "<testcase classname=\"\(.family | text)\" name=\"" +
      ([.benchmark, .dtype, .n, .params, .backend] | map(values) | join(" ") | text) +
      "\" time=\"\((.median_ns // 0) / 1e9)\">" +
      ({ wrong: "failure", implausible: "failure", failed: "error", skipped: "skipped" }[.status] as $tag
        | if $tag then tag($tag) else "" end) + "</testcase>"),
    "</testsuite>"),
"</testsuites>"
