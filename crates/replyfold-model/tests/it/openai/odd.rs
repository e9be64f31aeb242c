//! What servers send beside the format, one by one.

use super::server::{Reply, Server};
use super::{DONE, builder, call, delta, events, finish, piece, play, stop, text, thinking};
use replyfold_message::Usage;
use replyfold_model::ThinkOptions;
use replyfold_runtime::{ModelChunk, ModelErrorKind};

/// The chunks of these deltas, without the end.
async fn deltas(list: &[&str]) -> Vec<ModelChunk> {
    let body = list.iter().map(|piece| delta(piece)).chain([stop("stop"), DONE.to_owned()]).collect::<String>();
    let (mut chunks, error) = events(&body).await;
    assert_eq!((error, chunks.pop()), (None, Some(finish("stop"))));
    chunks
}

#[tokio::test]
async fn content_may_be_a_list_of_parts() {
    let parts = r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"},"b"]}"#;
    assert_eq!(deltas(&[parts, r#"{"content":null}"#, r#"{"refusal":"No."}"#, "{}"]).await, [thinking("hm"), text("abNo.")]);
}

#[tokio::test]
async fn reasoning_is_told_once() {
    let both = r#"{"reasoning_content":"a","reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a"}],"content":""}"#;
    let details = r#"{"reasoning_details":[{"type":"reasoning.text","text":"b"},{"type":"reasoning.encrypted","data":"?"}]}"#;
    assert_eq!(deltas(&[both, details, r#"{"reasoning":null,"reasoning_content":""}"#]).await, [thinking("ab")]);
}

#[tokio::test]
async fn think_tags_are_split_also_beside_a_field_for_reasoning() {
    let list = [r#"{"reasoning_content":"a"}"#, r#"{"content":"<thi"}"#, r#"{"content":"nk>b</think>c <"}"#, r#"{"content":"d"}"#];
    assert_eq!(deltas(&list).await, [thinking("ab"), text("c <d")]);
    let body = [delta(r#"{"content":"<think>a</think>b"}"#), stop("stop")].concat();
    let replies = [Reply::stream(&body), Reply::stream([delta(r#"{"content":"a</think>b"}"#), stop("stop")].concat())];
    let server = Server::start(replies).await;
    let off = builder(&server).think_tags(false).build().unwrap();
    assert_eq!(call(&off).await.0, [text("<think>a</think>b"), finish("stop")]);
    let inside = builder(&server).think_options(ThinkOptions::new().with_starts_inside(true)).build().unwrap();
    assert_eq!(call(&inside).await.0, [thinking("a"), text("b"), finish("stop")]);
}

#[tokio::test]
async fn text_that_might_become_a_tag_stands_before_the_call_behind_it() {
    let tool = r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}"#;
    let list = [r#"{"content":"a <"}"#, tool, r#"{"content":"<think>b"}"#, tool, r#"{"content":"c</think>d</"}"#];
    let call = piece(0, "c", "f", "{}");
    assert_eq!(deltas(&list).await, [text("a <"), call.clone(), thinking("b"), call, thinking("c"), text("d</")]);
}

#[tokio::test]
async fn pieces_of_calls_are_told_as_they_come() {
    let list = [
        r#"{"tool_calls":[{"id":"c1","function":{"name":"f","arguments":{"z":1.50,"a":"é"}}},{"index":"1","id":null,"function":{"name":"g","arguments":null}}]}"#,
        r#"{"tool_calls":[{"index":1,"id":"","function":{"name":"","arguments":"{}"}}]}"#,
        r#"{"tool_calls":[{"index":2,"id":7,"type":"function"}]}"#,
        r#"{"tool_calls":[{"index":2,"function":{"arguments":""}}],"content":null}"#,
        r#"{"function_call":{"name":"old","arguments":"{\"a\""}}"#,
        r#"{"function_call":{"arguments":":1}"}}"#,
    ];
    assert_eq!(
        deltas(&list).await,
        [
            piece(None, "c1", "f", r#"{"z":1.50,"a":"é"}"#),
            piece(1, "", "g", ""),
            piece(1, "", "", "{}"),
            piece(2, "7", "", ""),
            piece(None, "", "old", "{\"a\""),
            piece(None, "", "", ":1}"),
        ]
    );
}

#[tokio::test]
async fn only_the_first_choice_counts() {
    let other = "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"},\"finish_reason\":\"length\"},{\"delta\":{\"content\":\"a\"}}]}\n\n";
    assert_eq!(events(&[other, &stop("stop")].concat()).await, (vec![text("a"), finish("stop")], None));
}

#[tokio::test]
async fn tokens_are_read_wherever_they_stand_and_the_last_count_wins() {
    let frame = |usage: &str| format!("data: {{\"choices\":[],\"usage\":{usage}}}\n\n");
    let body = [
        frame("null"),
        frame("{}"),
        frame(r#"{"prompt_tokens":5,"completion_tokens":1}"#),
        delta(r#"{"content":"a"}"#),
        frame(r#"{"prompt_tokens":5,"completion_tokens":1}"#),
        stop("length"),
        frame(r#"{"prompt_tokens":5,"completion_tokens":2,"cached_tokens":4}"#),
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"usage\":{\"input_tokens\":6,\"output_tokens\":3}}]}\n\n".to_owned(),
    ];
    let usage = |input, output, cached| ModelChunk::Usage(Usage::new(input, output).with_cache(cached, 0));
    let expected = vec![usage(5, 1, 0), text("a"), usage(5, 2, 4), usage(6, 3, 0), finish("length")];
    assert_eq!(events(&body.concat()).await, (expected, None));
}

#[tokio::test]
async fn an_end_is_told_in_many_ways() {
    let a = delta(r#"{"content":"a"}"#);
    let whole = vec![text("a"), finish("stop")];
    // Without `[DONE]`, without a reason, without a last line end; what follows `[DONE]` is nothing.
    for body in [
        format!("{a}{}", stop("stop")),
        format!("{a}{DONE}"),
        format!("{a}data:[DONE]"),
        format!("{a}{DONE}{a}"),
        format!("{a}{DONE}\u{1}"),
    ] {
        assert_eq!(events(&body).await, (whole.clone(), None), "{body}");
    }
    let cut = stop("stop");
    assert_eq!(events(&format!("{a}{}", cut.trim_end())).await, (whole, None));
    // An empty reason is none.
    let (_, error) = events(&format!("{a}{}", stop(""))).await;
    assert_eq!(error.unwrap().kind, ModelErrorKind::Incomplete);
    let (_, error) = events(DONE).await;
    assert_eq!(error.unwrap().kind, ModelErrorKind::Empty);
    let (_, error) = events("").await;
    assert_eq!(error.unwrap().kind, ModelErrorKind::Incomplete);
}

const WHOLE: &str = r#"{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","reasoning_content":"hm",
    "content":"<think>so</think>Let me.","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}],
    "refusal":null},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":4}}"#;

#[tokio::test]
async fn an_answer_in_one_piece_is_read_whatever_was_asked_for() {
    let usage = ModelChunk::Usage(Usage::new(9, 4));
    let expected = vec![thinking("hmso"), text("Let me."), piece(None, "c1", "f", "{\"a\":1}"), usage, finish("tool_calls")];
    let one_line = WHOLE.replace('\n', " ");
    for reply in [
        Reply::json("200 OK", WHOLE),
        // The type may be another one, and a byte-order mark or blank lines stand before it.
        Reply::whole("200 OK", "text/event-stream", &format!("\n\u{FEFF}{WHOLE}").replace("\n\u{FEFF}", "\u{FEFF}\n")),
        // A stream of one event that holds the whole answer.
        Reply::stream(format!("data: {one_line}\n\n")),
        Reply::cut("200 OK\r\ncontent-type: application/json", WHOLE.as_bytes(), 1..WHOLE.len()),
    ] {
        assert_eq!(play(reply).await, (expected.clone(), None));
    }
    let server = Server::start([Reply::json("200 OK", WHOLE), Reply::json("200 OK", r#"{"choices":[{"message":{"content":"a"}}]}"#)]).await;
    let model = builder(&server).streaming(false).build().unwrap();
    assert_eq!(call(&model).await, (expected, None));
    assert_eq!(call(&model).await, (vec![text("a"), finish("stop")], None));
}

#[tokio::test]
async fn a_stream_is_read_where_none_was_asked_for_and_under_any_type() {
    let body = ["\u{FEFF}: hi\n\n", &delta(r#"{"content":"a"}"#), &stop("stop")].concat();
    let head = "200 OK\r\ncontent-type: application/json";
    let server = Server::start([Reply::whole("200 OK", "application/json", &body), Reply::cut(head, body.as_bytes(), 1..body.len())]).await;
    let model = builder(&server).streaming(false).build().unwrap();
    for _ in 0..2 {
        assert_eq!(call(&model).await, (vec![text("a"), finish("stop")], None));
    }
}

#[tokio::test]
async fn b034_thinking_that_the_template_opened_is_closed_by_its_tag() {
    let body = |pieces: &[&str]| pieces.iter().map(|piece| delta(piece)).chain([stop("stop")]).collect::<String>();
    let thought = body(&[r#"{"content":"Let me see"}"#, r#"{"content":"…</think>Done."}"#]);
    let closed = body(&[r#"{"content":"</think>Done."}"#]);
    let server = Server::start([Reply::stream(&thought), Reply::stream(&closed)]).await;
    let model = builder(&server).think_options(ThinkOptions::new().with_starts_inside(true)).build().unwrap();
    assert_eq!(call(&model).await, (vec![thinking("Let me see…"), text("Done."), finish("stop")], None));
    assert_eq!(call(&model).await, (vec![text("Done."), finish("stop")], None));
    // Without being told, what was shown stays shown, and the lone tag is not.
    assert_eq!(play(Reply::stream(&thought)).await, (vec![text("Let me see…Done."), finish("stop")], None));
}
