//! Lines that are predicted from earlier ones read as if each was parsed on its own.

use crate::corpus::{files, lines};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use replyfold_dialect::{Dialect, Error, EventReader, LoneSurrogates, ReadEvent, ReadOptions};

/// Reads each line twice in four ways: parsed on its own, owned, lent, and as the first of a text of many lines. All of an event is compared,
/// what is no part of equality too. Gives the number of readings that were predicted.
fn compare<'a>(lines: impl IntoIterator<Item = &'a str>, options: ReadOptions) -> usize {
    let show = |read: Result<ReadEvent, Error>| read.map(|read| format!("{read:?}")).map_err(|err| err.to_string());
    let mut each = EventReader::new(options.with_parse_each(true));
    let (mut owned, mut lent, mut walked) = (EventReader::new(options), EventReader::new(options), EventReader::new(options));
    let mut predicted = 0;
    for line in lines.into_iter().flat_map(|line| [line, line]) {
        let parsed = each.read(line);
        let (id, time) = match &parsed {
            Ok(read) => (read.event.id.as_ref().map(|id| id.to_string()), read.event.created_at.as_ref().map(|time| time.to_string())),
            Err(_) => (None, None),
        };
        let parsed = show(parsed);
        assert_eq!(show(owned.read(line)), parsed, "owned: {line}");
        let read = lent.read_ref(line);
        if let Ok(read) = &read {
            assert_eq!((read.event.id(), read.event.created_at()), (id.as_deref(), time.as_deref()), "{line}");
        }
        assert_eq!(show(read.map(|read| read.to_read())), parsed, "lent: {line}");
        let text = format!("{line}\n{{\"next\":1}}\n");
        let read = match walked.read_alike(text.as_bytes()) {
            Some(length) => {
                predicted += 1;
                assert_eq!(length, line.len() + 1, "{line}");
                Ok(walked.alike(text.as_bytes()).unwrap().to_read())
            }
            None => walked.read(line),
        };
        assert_eq!(show(read), parsed, "walked: {line}");
    }
    predicted
}

#[test]
fn recorded_logs_read_the_same() {
    let (mut all, mut predicted) = (0, 0);
    for (folder, suffix) in [
        ("java/logs", ".events.jsonl"),
        ("python/runs", ".events.jsonl"),
        ("python/service", ".events.jsonl"),
        ("python/synthetic", ".events.jsonl"),
        ("python/fuzz", ".events.jsonl"),
    ] {
        for (_, text) in files(folder, suffix) {
            if lines(&text).count() > 2_000 {
                continue;
            }
            all += lines(&text).count();
            predicted += compare(lines(&text), ReadOptions::new());
            compare(lines(&text), ReadOptions::new().with_lone_surrogates(LoneSurrogates::Replace));
        }
    }
    // Each line is read several times, so nearly every piece, start and end is predicted.
    assert!(predicted * 2 > all, "{predicted} of {all}");
}

/// A line of one of the kinds that are predicted, now and then with something in it that is not.
fn line() -> impl Strategy<Value = String> {
    let kind = select(vec![
        "TEXT_BLOCK_DELTA",
        "THINKING_BLOCK_DELTA",
        "TOOL_CALL_DELTA",
        "TOOL_RESULT_TEXT_DELTA",
        "TEXT_BLOCK_START",
        "TOOL_CALL_START",
        "TOOL_RESULT_END",
        "DATA_BLOCK_DELTA",
        "AGENT_START",
        "AGENT_END",
        "REPLY_START",
        "REPLY_END",
        "MODEL_CALL_START",
    ]);
    let id = select(vec![
        "\"00000000000000000000000000000001\"",
        "\"2\"",
        "\"\"",
        "\"é\"",
        "\"a\\u0062\"",
        "null",
        "7",
        "\"longer than what is kept in place: 0123456789\"",
        "\"\\ud83d\"",
    ]);
    let short = || select(vec!["\"r1\"", "\"r1\"", "\"r2\"", "\"text\"", "\"\"", "null", "\"é\"", "3"]);
    let delta = select(vec![
        "\"Hello\"",
        "\"\"",
        "\"a\\n\\\"b\\\"\"",
        "\"\\u6f22\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"漢字\"",
        "\"AQID\"",
        "null",
        "12",
        "{}",
        "\"a\tb\"",
        "\"bad \\x\"",
        "\"{\\\"type\\\":\\\"AGENT_END\\\"}\"",
    ]);
    let more = select(vec![
        "",
        "",
        "",
        r#","metadata":{"k":1}"#,
        r#","source":"main/a""#,
        r#","type":"X""#,
        r#","extra":1"#,
        r#","delta":"twice""#,
        ",",
        " ",
    ]);
    (kind, id, short(), short(), delta, more, 0..6_u8, 0..12_u8, any::<prop::sample::Index>()).prop_map(|(kind, id, reply, block, delta, more, form, damage, at)| {
        let line = match form {
            0 | 1 => format!(r#"{{"id":{id},"created_at":"T","metadata":{{}},"type":"{kind}","reply_id":{reply},"block_id":{block},"tool_call_id":{block},"tool_call_name":"n","media_type":"m","state":"success","delta":{delta},"data":{delta}{more}}}"#),
            2 => format!(r#"{{"type":"{kind}","id":{id},"createdAt":"T","replyId":{reply},"blockId":{block},"toolCallId":{block},"toolCallName":"n","delta":{delta}{more}}}"#),
            _ => format!(r#"{{"type":"{kind}","id":{id},"createdAt":"T","replyId":{reply},"blockId":{block},"toolCallId":{block},"toolCallName":"n","delta":{delta}{more},"type":"{kind}"}}"#),
        };
        // One line in twelve is cut somewhere.
        match damage {
            0 => line.chars().take(at.index(line.chars().count())).collect(),
            _ => line,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn made_lines_read_the_same(lines in vec(line(), 1..40), told in select(vec![None, Some(Dialect::Java), Some(Dialect::Python), Some(Dialect::Canonical)]), replace in any::<bool>()) {
        let mut options = ReadOptions::new();
        options.dialect = told;
        if replace {
            options = options.with_lone_surrogates(LoneSurrogates::Replace);
        }
        compare(lines.iter().map(String::as_str), options);
    }
}
