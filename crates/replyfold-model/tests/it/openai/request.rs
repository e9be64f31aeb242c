//! What is sent.

use super::server::{Asked, Reply, Server};
use super::{DONE, KEY, builder, delta};
use futures_util::StreamExt as _;
use replyfold_message::{
    Block, DataBlock, DataSource, Hint, HintBlock, Msg, Role, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock,
};
use replyfold_model::{OpenAiBuilder, OpenAiCompatible};
use replyfold_runtime::{ChatModel as _, ModelRequest, ToolChoice, ToolSpec};
use serde_json::{Value, json};

/// What is sent for this request.
async fn asked(request: &ModelRequest, set: impl FnOnce(OpenAiBuilder) -> OpenAiBuilder) -> Asked {
    let server = Server::start([Reply::stream([&delta(r#"{"content":"a"}"#), DONE].concat())]).await;
    let model = set(builder(&server)).build().unwrap();
    let chunks: Vec<_> = model.call(request.clone()).await.unwrap().collect().await;
    assert!(chunks.iter().all(Result::is_ok), "{chunks:?}");
    server.asked().remove(0)
}

fn said(role: Role, blocks: Vec<Block>) -> Msg {
    let mut msg = Msg::new("m", role);
    blocks.into_iter().for_each(|block| msg.content.push(block));
    msg
}

fn image() -> Block {
    Block::Data(DataBlock::new(DataSource::base64("image/png", &[1_u8, 2, 3][..])))
}

fn words(text: &str) -> Block {
    Block::Text(TextBlock::new(text))
}

/// Every kind of turn.
fn request() -> ModelRequest {
    let url = |url: &str, media_type: Option<&str>| Block::Data(DataBlock::new(DataSource::url(url, media_type.map(str::to_owned))));
    let mut request = ModelRequest::default();
    request.system = "Be brief.".to_owned();
    request.messages = vec![
        said(Role::System, vec![words("Now.")]),
        said(Role::User, vec![words("Hi, "), words("you")]),
        said(Role::Assistant, vec![Block::Thinking(ThinkingBlock::new("hm")), words("Hello")]),
        said(
            Role::User,
            vec![
                words("See"),
                image(),
                url("https://h/a.jpg", None),
                url("https://h/a.mp4", Some("video/mp4")),
                Block::Data(DataBlock::new(DataSource::base64("audio/wav", &[1_u8][..]))),
                Block::Data(DataBlock::new(DataSource::base64("application/pdf", &[1_u8, 2][..])).with_name("a.pdf")),
            ],
        ),
        said(
            Role::Assistant,
            vec![
                Block::Thinking(ThinkingBlock::new("look")),
                Block::ToolCall(ToolCallBlock::new("c1", "f").with_content(r#"{"z":1.50, "a":2}"#)),
                Block::ToolCall(ToolCallBlock::new("c2", "g").with_content("{\"cut")),
                Block::ToolResult(ToolResultBlock::new("c1", "f").with_output(vec![words("3"), image()])),
                Block::ToolResult(ToolResultBlock::new("c2", "g")),
                Block::Hint(HintBlock::new(Hint::Text("Hurry.".to_owned()))),
                words("Done."),
            ],
        ),
    ];
    request
}

fn messages(reasoning: bool) -> Value {
    let png = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AQID" } });
    let mut messages = json!([
        { "role": "system", "content": "Be brief." },
        { "role": "system", "content": "Now." },
        { "role": "user", "content": "Hi, you" },
        { "role": "assistant", "content": "Hello" },
        { "role": "user", "content": [
            { "type": "text", "text": "See" },
            png,
            { "type": "image_url", "image_url": { "url": "https://h/a.jpg" } },
            { "type": "text", "text": "[video/mp4: https://h/a.mp4]" },
            { "type": "input_audio", "input_audio": { "data": "AQ==", "format": "wav" } },
            { "type": "text", "text": "[application/pdf, a.pdf: 2 bytes that cannot be shown here]" },
        ] },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "c1", "type": "function", "function": { "name": "f", "arguments": r#"{"z":1.50, "a":2}"# } },
            { "id": "c2", "type": "function", "function": { "name": "g", "arguments": "{}" } },
        ] },
        { "role": "tool", "tool_call_id": "c1", "content": "3" },
        { "role": "tool", "tool_call_id": "c2", "content": "" },
        { "role": "user", "content": [{ "type": "text", "text": "Media in the result of f (c1):" }, png] },
        { "role": "user", "content": "Hurry." },
        { "role": "assistant", "content": "Done." },
    ]);
    if reasoning {
        messages[3]["reasoning_content"] = json!("hm");
        messages[5]["reasoning_content"] = json!("look");
    }
    messages
}

#[tokio::test]
async fn every_turn_is_a_message() {
    let request = request();
    let sent = asked(&request, |builder| builder).await;
    let head = sent.head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains("content-type: application/json") && head.contains("accept: text/event-stream"), "{head}");
    assert!(sent.head.contains(&format!("Bearer {KEY}")), "{head}");
    assert_eq!(
        sent.body,
        json!({ "model": "m", "stream": true, "stream_options": { "include_usage": true }, "messages": messages(false) })
    );
    let sent = asked(&request, |builder| builder.send_reasoning(true).include_usage(false).api_key("")).await;
    assert!(!sent.head.to_ascii_lowercase().contains("authorization"), "{}", sent.head);
    assert_eq!(sent.body, json!({ "model": "m", "stream": true, "messages": messages(true) }));
}

#[tokio::test]
async fn thinking_alone_is_nothing_to_send_back() {
    let mut request = ModelRequest::default();
    request.messages = vec![said(Role::Assistant, vec![Block::Thinking(ThinkingBlock::new("hm"))])];
    assert_eq!(asked(&request, |builder| builder).await.body["messages"], json!([]));
    let sent = asked(&request, |builder| builder.send_reasoning(true)).await;
    assert_eq!(sent.body["messages"], json!([{ "role": "assistant", "content": "", "reasoning_content": "hm" }]));
}

#[tokio::test]
async fn tools_and_the_choice_of_them_are_sent() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "number" } } });
    let mut request = ModelRequest::default();
    request.tools = vec![ToolSpec::new("f", "does", schema.clone())];
    for (choice, told) in [
        (ToolChoice::Auto, Value::Null),
        (ToolChoice::None, json!("none")),
        (ToolChoice::Required, json!("required")),
        (ToolChoice::Tool("f".to_owned()), json!({ "type": "function", "function": { "name": "f" } })),
    ] {
        request.tool_choice = choice;
        let body = asked(&request, |builder| builder).await.body;
        assert_eq!(
            body["tools"],
            json!([{ "type": "function", "function": { "name": "f", "description": "does", "parameters": schema } }])
        );
        assert_eq!(body["tool_choice"], told);
    }
    // Without tools there is nothing to choose.
    request.tools.clear();
    let body = asked(&request, |builder| builder).await.body;
    assert!(body.get("tools").is_none() && body.get("tool_choice").is_none(), "{body}");
}

#[tokio::test]
async fn parameters_and_headers_are_sent() {
    let request = ModelRequest::default();
    let set = |builder: OpenAiBuilder| {
        let builder = builder.streaming(false).parameter("temperature", 0.5).parameter("stop", json!(["x"])).parameter("model", "n");
        builder.header("X-Team", "red").header("authorization", "Basic other")
    };
    let sent = asked(&request, set).await;
    assert_eq!(sent.body, json!({ "model": "n", "stream": false, "temperature": 0.5, "stop": ["x"], "messages": [] }));
    assert!(sent.head.contains("x-team: red") && sent.head.contains("Basic other") && !sent.head.contains(KEY), "{}", sent.head);
}

#[test]
fn what_cannot_be_sent_is_told_before() {
    let told = |builder: OpenAiBuilder| builder.build().map(|_| ()).unwrap_err().to_string();
    let new = || OpenAiCompatible::builder("m");
    assert!(told(new().base_url("localhost:8000")).contains("give one as `https://api.openai.com/v1`"));
    assert!(told(new().api_key("sk-a\nb")).starts_with("the key has characters that no header can hold"));
    assert!(
        told(new().header("x", "c").header("a b", "c")).starts_with("header 2 of those that were given has a name that is none; names are")
    );
    let value = told(new().header("x-key", "se\ncret"));
    assert!(value.contains("`x-key`") && !value.contains("cret"), "{value}");
}
