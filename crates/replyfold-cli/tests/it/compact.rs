//! `replyfold compact`

use crate::run::{LOG, fixture, replyfold, with_log};

#[test]
fn a_log_gets_smaller_and_replays_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("small.jsonl");
    let (log, small) = (fixture("python/runs/very_long_10k.events.jsonl.zst"), out.to_str().unwrap());
    let ran = replyfold(&["compact", log.to_str().unwrap(), "-o", small]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let (before, after) = (replyfold(&["stats", log.to_str().unwrap(), "-v"]), replyfold(&["stats", small, "-v"]));
    let records = |stderr: &str| stderr.split(": ").nth(2).unwrap().split(' ').next().unwrap().to_owned();
    let told = format!("{} records became {}: ", records(&before.stderr), records(&after.stderr));
    assert!(
        ran.stdout.starts_with(&told) && ran.stdout.ends_with(&format!(" bytes became {}\n", out.metadata().unwrap().len())),
        "{}",
        ran.stdout
    );
    let replay = |log: &str| replyfold(&["replay", log, "--format", "json"]).stdout;
    assert!(replay(small) == replay(log.to_str().unwrap()));
}

#[test]
fn nothing_is_replaced_unless_it_is_told_and_the_log_never() {
    let folder = tempfile::tempdir().unwrap();
    let (log, out) = (folder.path().join("log.jsonl"), folder.path().join("out.jsonl"));
    std::fs::write(&log, LOG).unwrap();
    let (log, out) = (log.to_str().unwrap(), out.to_str().unwrap());
    assert_eq!(replyfold(&["compact", log, "-o", out]).code, 0);
    let ran = replyfold(&["compact", log, "-o", out]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.ends_with("out.jsonl: the file is there already and was not to be replaced: --force replaces it\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(replyfold(&["compact", log, "-o", out, "--force"]).code, 0);
    let ran = replyfold(&["compact", log, "-o", log, "--force"]);
    assert!(ran.code == 2 && ran.stderr.contains("never compacted in place"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(log).unwrap(), LOG);

    let ran = with_log(format!("{LOG}nonsense\n"), &["compact", "-", "-o", out, "--force", "--strict"]);
    assert!(ran.code == 1 && ran.stderr.contains("line 6 "), "{}", ran.stderr);
    let ran = with_log("data: {}\n\n", &["compact", "-", "-o", out, "--force"]);
    assert!(ran.code == 2 && ran.stderr.starts_with("replyfold: standard input: the log is a capture of"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(out).unwrap(), LOG);
}
