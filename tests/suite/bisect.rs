//! `bisect`, over commands that write reports with planted times and faults.
#![cfg(unix)]

use crate::command::{Folder, Output};

/// Writes a report with one row: `$1` is the version, `$2` the path. From version `SLOW` on a time is 3 % longer, from
/// version `WRONG` on the result is wrong, else its status is `RIGHT`; version `BROKEN` writes nothing. Times vary by 0.4 % from call to call.
const VERSION: &str = r#"
calls=$(($(cat calls 2>/dev/null || echo 0) + 1)); echo $calls > calls
[ "$1" = "${BROKEN:-0}" ] && { echo "does not build" >&2; exit 1; }
awk -v version="$1" -v calls=$calls -v slow="${SLOW:-99}" -v wrong="${WRONG:-99}" -v right="${RIGHT:-ok}" 'BEGIN {
    srand(calls * 7919)
    noise = sqrt(-2 * log(rand() + 1e-9)) * cos(6.283185307 * rand())
    ns = 10000 * (version >= slow ? 1.03 : 1) * exp(0.004 * noise)
    status = version >= wrong ? "wrong" : "ok"
    print "family,benchmark,dtype,n,status,reason,timer,median_ns,ci_low_ns,ci_high_ns"
    if (status == "ok") printf "stream,copy,f32,1024,%s,,timestamp,%.3f,%.3f,%.3f\n", right, ns, ns * 0.996, ns * 1.004
    else print "stream,copy,f32,1024,wrong,\"element 3 is 1, must be 2\",,,,"
    if (version == 1 && slow == 98) print "stream,copy,f32,2048,ok,,timestamp,1,1,1"
}' > "$2"
"#;

/// `bisect` over 16 versions, with these settings of [`VERSION`] and options.
fn bisect(settings: &str, options: &[&str]) -> Output {
    let folder = Folder::new();
    folder.write("version.sh", VERSION);
    let commands: Vec<String> = (1..=16).map(|version| format!("{settings} sh version.sh {version} {{out}}")).collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    folder.run(&[&["bisect", "stream/copy"], options, &["--commands"], &commands].concat())
}

#[test]
fn the_first_slow_version_is_named_with_its_probability() {
    let output = bisect("SLOW=9", &[]).succeeds();
    let text = &output.stdout;
    // Every awk has random numbers of its own.
    let percent = text.strip_prefix("stream/copy f32 1024: slower from version 9 on, by ").expect("version 9");
    let percent: f64 = percent.split(' ').next().and_then(|percent| percent.parse().ok()).expect("a number");
    assert!((2.0..4.0).contains(&percent), "{text}");
    assert!(text.contains("), probability 9") || text.contains("), probability above 99 %"), "{text}");
    assert!(text.contains("\nbefore  version 8: SLOW=9 sh version.sh 8 {out}\nafter  version 9: "), "{text}");
    // All 16 versions once would be more than it takes.
    let measurements = output.stderr.lines().filter(|line| line.contains(". version ")).count();
    assert!((6..40).contains(&measurements), "{output}");
}

#[test]
fn times_of_unverified_rows_count() {
    let output = bisect("SLOW=9 RIGHT=unverified", &[]).succeeds();
    assert!(output.stdout.starts_with("stream/copy f32 1024: slower from version 9 on"), "{output}");
    assert!(output.stderr.contains("The rows are unverified: only their times count."), "{output}");
}

#[test]
fn without_a_slow_version_none_is_named() {
    let text = bisect("", &[]).succeeds().stdout;
    assert!(text.starts_with("stream/copy f32 1024: no version is slower"), "{text}");
}

#[test]
fn the_first_wrong_version_is_named_and_a_silent_one_left_out() {
    let output = bisect("WRONG=5 BROKEN=9", &[]).succeeds();
    assert!(output.stdout.starts_with("stream/copy f32 1024: wrong from version 5 on"), "{output}");
    assert!(output.stderr.contains("version 9 is left out: "), "{output}");
    assert!(output.stderr.contains("does not build"), "{output}");
    assert!(output.stderr.contains("wrong: element 3 is 1, must be 2"), "{output}");
}

#[test]
fn what_cannot_be_searched_is_said_in_one_sentence() {
    bisect("BROKEN=16", &[]).fails_with(1, "the last version cannot be measured: ");
    bisect("WRONG=1", &[]).fails_with(1, "the first version is wrong already: element 3 is 1, must be 2");
    bisect("SLOW=9", &["--most", "5"]).fails_with(1, "5 measurements do not decide it: ");
    bisect("SLOW=98", &[]).fails_with(2, "stream/copy selects 2 cases, and bisect measures one: ");
    bisect("", &["--dtype", "f16"]).fails_with(1, "has no row of stream/copy");
    let folder = Folder::new();
    folder.run(&["bisect", "x", "--commands", "true", "true {out}"]).fails_with(2, "write {out} in place of the path");
    folder.run(&["bisect", "x", "--programs", "./a", "./b"]).fails_with(1, "./a does not start: ");
}

/// Reports of one row with these times, compared for `git bisect run`. The second report's card is the first one's.
fn code(old_ns: f64, new_ns: f64, half: f64, arguments: &[&str]) -> Output {
    let folder = Folder::new();
    for (name, ns) in [("old.csv", old_ns), ("new.csv", new_ns)] {
        let epochs: Vec<String> =
            [-1.0, 0.5, 0.5, -0.7, 0.7, -0.3, 0.3].map(|part: f64| (ns * (1.0 + half * part)).to_string()).into();
        let row = format!("stream,copy,f32,1024,ok,timestamp,{ns},{},{},{name}", ns * (1.0 - half), epochs.join(";"));
        let header = "family,benchmark,dtype,n,status,timer,median_ns,ci_low_ns,epochs_ns,tool_version";
        folder.write(name, format!("{header}\n{row}\n"));
    }
    folder.run(&[&["compare", "old.csv", "new.csv"], arguments].concat())
}

#[test]
fn compare_answers_git_bisect_run() {
    let code = |old, new, half| code(old, new, half, &["--bisect", "2"]).code;
    assert_eq!(code(1000.0, 1060.0, 0.002), Some(1), "certainly slower");
    assert_eq!(code(1000.0, 1001.0, 0.002), Some(0), "certainly not");
    assert_eq!(code(1000.0, 1020.0, 0.02), Some(125), "not certain");
    let folder = Folder::new();
    folder.run(&["compare", "none.csv", "other.csv", "--bisect", "2"]).fails_with(125, "none.csv");
}
