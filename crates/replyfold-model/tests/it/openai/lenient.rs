//! Fields of another shape: one that is odd costs nothing but itself, and what may hold a part of the answer is never dropped.

use super::{DONE, delta, events, failure, finish, piece, stop, text};
use crate::openai::server::Reply;
use replyfold_message::Usage;
use replyfold_runtime::{ModelChunk, ModelErrorKind};

/// The chunks of these frames, behind which the model stops.
async fn frames(list: &[&str]) -> Vec<ModelChunk> {
    let body = list.iter().map(|frame| format!("data: {frame}\n\n")).chain([stop("stop"), DONE.to_owned()]).collect::<String>();
    let (mut chunks, error) = events(&body).await;
    assert_eq!((error, chunks.pop()), (None, Some(finish("stop"))), "{list:?}");
    chunks
}

#[tokio::test]
async fn what_stands_for_nothing_is_skipped() {
    for nothing in ["null", "[]", "{}", "\"\"", "[ ]"] {
        let delta = format!(r#"{{"content":"a","tool_calls":{nothing},"function_call":{nothing}}}"#);
        let list = [
            format!(r#"{{"choices":{nothing},"usage":{nothing},"base_resp":{nothing},"error":null}}"#),
            format!(r#"{{"choices":[{{"delta":{nothing},"message":{nothing},"finish_reason":null}}]}}"#),
            format!(r#"{{"choices":[null,{{"index":null,"delta":{delta},"finish_reason":{nothing},"usage":{nothing}}},null]}}"#),
            r#"{"choices":[null]}"#.to_owned(),
            r#"{"choices":[{"delta":{"tool_calls":[null,{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}},null]}}]}"#
                .to_owned(),
            format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"function":{nothing}}}]}}}}]}}"#),
            "null".to_owned(),
        ];
        let list: Vec<&str> = list.iter().map(String::as_str).collect();
        assert_eq!(frames(&list).await, [text("a"), piece(0, "c", "f", "{}")], "{nothing}");
    }
}

#[tokio::test]
async fn numbers_may_be_texts_and_have_fractions() {
    for (zero, one) in [("0", "1"), ("\"0\"", "\"1\""), ("0.0", "1.0"), ("\" 0 \"", "\"1.0\"")] {
        let call = format!(r#"{{"index":{one},"id":"c","function":{{"name":"f","arguments":"{{}}"}}}}"#);
        let both =
            format!(r#"{{"choices":[{{"index":{one},"delta":{{"content":"no"}}}},{{"index":{zero},"delta":{{"tool_calls":[{call}]}}}}]}}"#);
        let fine = format!(r#"{{"base_resp":{{"status_code":{zero},"status_msg":null}},"choices":[]}}"#);
        let usage = format!(r#"{{"usage":{{"prompt_tokens":{one},"completion_tokens":2.0,"cached_tokens":"x"}}}}"#);
        assert_eq!(frames(&[&both, &fine, &usage]).await, [piece(1, "c", "f", "{}"), ModelChunk::Usage(Usage::new(1, 2))], "{zero}");
    }
    // What is no count is none.
    let odd = r#"{"usage":{"prompt_tokens":-1,"completion_tokens":"many","input_tokens":"7","output_tokens":1e300}}"#;
    assert_eq!(frames(&[odd, r#"{"usage":"none"}"#, r#"{"usage":[1]}"#]).await, [ModelChunk::Usage(Usage::new(7, 0))]);
    // An index that is none is the first one's.
    assert_eq!(frames(&[r#"{"choices":[{"index":"x","delta":{"content":"a"}}]}"#]).await, [text("a")]);
}

#[tokio::test]
async fn one_thing_may_stand_for_a_list_of_it() {
    let call = r#"{"id":"c","function":{"name":"f","arguments":"{}"}}"#;
    let frame = format!(r#"{{"choices":{{"delta":{{"tool_calls":{call}}}}}}}"#);
    assert_eq!(frames(&[&frame]).await, [piece(None, "c", "f", "{}")]);
}

#[tokio::test]
async fn codes_of_failures_may_be_texts() {
    for (code, kind) in [
        ("\"1008\"", ModelErrorKind::Permission),
        ("1002.0", ModelErrorKind::RateLimit),
        ("\"rate_limit\"", ModelErrorKind::RateLimit),
        ("-1", ModelErrorKind::Server),
    ] {
        let error = failure(Reply::json("200 OK", &format!(r#"{{"base_resp":{{"status_code":{code},"status_msg":"no"}}}}"#))).await;
        assert!(error.kind == kind && error.message.ends_with(": no"), "{code}: {error:?}");
    }
}

#[tokio::test]
async fn what_may_be_a_part_of_the_answer_is_never_dropped() {
    for (frame, told) in [
        (r#"{"choices":"Paris"}"#, "a text stands where a list of choices belongs"),
        (r#"{"choices":["Paris"]}"#, "a text stands where a choice belongs"),
        (r#"{"choices":[{"delta":"Paris"}]}"#, "a text stands where a delta or message belongs"),
        (r#"{"choices":[{"message":["Paris"]}]}"#, "a list stands where a delta or message belongs"),
        (r#"{"choices":[{"delta":{"tool_calls":[7]}}]}"#, "a number stands where a call belongs"),
        (r#"{"choices":[{"delta":{"tool_calls":true}}]}"#, "a truth value stands where a list of calls belongs"),
        (r#"{"choices":[{"delta":{"tool_calls":[{"function":"f"}]}}]}"#, "a text stands where a function belongs"),
        (r#"{"choices":[{"delta":{"content":"a","content":"b"}}]}"#, "duplicate field `content`"),
        ("[1]", "a list stands where a chat completion belongs"),
        ("5", "a number stands where a chat completion belongs"),
    ] {
        let body = [&delta(r#"{"content":"a"}"#), "data: ", frame, "\n\n", &stop("stop")].concat();
        let (chunks, error) = events(&body).await;
        let error = error.unwrap();
        assert_eq!((chunks, error.kind), (vec![text("a")], ModelErrorKind::Protocol));
        assert!(error.message.ends_with("is no chat completion") && error.message.contains("event 2 at byte"), "{frame}: {error}");
        let detail = error.detail.unwrap();
        assert!(detail.starts_with(told) && detail.matches(" at line ").count() <= 1, "{frame}: {detail}");
    }
}
