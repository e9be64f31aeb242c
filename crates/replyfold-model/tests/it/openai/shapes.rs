//! What eight servers send, cut everywhere.

use super::server::{Reply, Server};
use super::{DONE, builder, call, delta, finish, piece, stop, text, thinking};
use replyfold_message::{Block, Usage};
use replyfold_runtime::{Agent, FnTool, ModelChunk, ToolSpec, text_of};
use serde_json::json;
use std::fmt::Write as _;

/// A stream of a server, and what is in it.
struct Shape {
    name: &'static str,
    body: &'static str,
    chunks: Vec<ModelChunk>,
    /// Thinking, text and calls of the message.
    message: (&'static str, &'static str, &'static str),
}

fn usage(input: u64, output: u64, cached: u64) -> ModelChunk {
    ModelChunk::Usage(Usage::new(input, output).with_cache(cached, 0))
}

fn shapes() -> Vec<Shape> {
    vec![
        Shape {
            name: "openai",
            body: include_str!("shapes/openai.sse"),
            chunks: vec![
                piece(0, "call_a", "weather", ""),
                piece(0, "", "", "{\"ci"),
                piece(0, "", "", "ty\":\"Zürich\"}"),
                piece(1, "call_b", "time", ""),
                piece(1, "", "", "{}"),
                usage(82, 31, 64),
                finish("tool_calls"),
            ],
            message: ("", "done", "weather call_a {\"city\":\"Zürich\"}; time call_b {}; "),
        },
        Shape {
            name: "vllm",
            body: include_str!("shapes/vllm.sse"),
            chunks: vec![
                thinking("Grüße"),
                usage(20, 3, 0),
                thinking(" zuerst.\n"),
                usage(20, 6, 0),
                text("\n\nHallo"),
                usage(20, 8, 0),
                text(" 🦀"),
                usage(20, 10, 0),
                usage(20, 11, 0),
                usage(20, 12, 0),
                finish("stop"),
            ],
            message: ("Grüße zuerst.\n", "\n\nHallo 🦀", ""),
        },
        Shape {
            name: "ollama",
            body: include_str!("shapes/ollama.sse"),
            chunks: vec![
                thinking("Two calls."),
                piece(0, "call_o1", "weather", "{\"city\":\"Bern\"}"),
                piece(0, "call_o2", "weather", "{\"city\":\"Genf\"}"),
                usage(160, 58, 0),
                finish("tool_calls"),
            ],
            message: ("Two calls.", "done", "weather call_o1 {\"city\":\"Bern\"}; weather call_o2 {\"city\":\"Genf\"}; "),
        },
        Shape {
            name: "llama-cpp",
            body: include_str!("shapes/llama-cpp.sse"),
            chunks: vec![thinking("hm"), text("It is 3."), usage(20, 9, 0), finish("stop")],
            message: ("hm", "It is 3.", ""),
        },
        Shape {
            name: "dashscope",
            body: include_str!("shapes/dashscope.sse"),
            chunks: vec![
                thinking("查天气"),
                piece(0, "call_d1", "weather", ""),
                piece(0, "", "weather", "{\"city\": "),
                piece(0, "", "weather", "\"杭州\"}"),
                usage(205, 27, 0),
                finish("tool_calls"),
            ],
            message: ("查天气", "done", "weather call_d1 {\"city\": \"杭州\"}; "),
        },
        Shape {
            name: "deepseek",
            body: include_str!("shapes/deepseek.sse"),
            chunks: vec![thinking("9.11 < 9.8"), text("9.8 > 9.11, as 0.8 < 1."), usage(30, 25, 16), finish("stop")],
            message: ("9.11 < 9.8", "9.8 > 9.11, as 0.8 < 1.", ""),
        },
        Shape {
            name: "minimax",
            body: include_str!("shapes/minimax.sse"),
            chunks: vec![thinking("\nShort.\n"), text("\n\nYes — 是。"), usage(44, 16, 0), finish("stop")],
            message: ("\nShort.\n", "\n\nYes — 是。", ""),
        },
        Shape {
            name: "openrouter",
            body: include_str!("shapes/openrouter.sse"),
            chunks: vec![thinking("One word."), text("Sure"), usage(11, 6, 0), finish("stop")],
            message: ("One word.", "Sure", ""),
        },
    ]
}

const HEAD: &str = "200 OK\r\ncontent-type: text/event-stream";

#[tokio::test]
async fn each_shape_is_read_whole_and_byte_by_byte() {
    for shape in shapes() {
        let body = shape.body.as_bytes();
        let server = Server::start([Reply::stream(body), Reply::cut(HEAD, body, 1..body.len())]).await;
        let model = builder(&server).build().unwrap();
        for way in ["whole", "byte by byte"] {
            assert_eq!(call(&model).await, (shape.chunks.clone(), None), "{}, {way}", shape.name);
        }
    }
}

#[tokio::test]
async fn no_cut_changes_what_a_shape_is() {
    for shape in shapes() {
        let body = shape.body.as_bytes();
        let server = Server::start((1..body.len()).map(|cut| Reply::cut(HEAD, body, [cut]))).await;
        let model = builder(&server).build().unwrap();
        for cut in 1..body.len() {
            assert_eq!(call(&model).await, (shape.chunks.clone(), None), "{}, cut at {cut}", shape.name);
        }
    }
}

#[tokio::test]
async fn each_shape_makes_the_message_of_an_agent() {
    for shape in shapes() {
        let last = [delta(r#"{"content":"done"}"#), stop("stop"), DONE.to_owned()].concat();
        let server = Server::start([Reply::stream(shape.body), Reply::stream(last)]).await;
        let mut agent = Agent::builder(builder(&server).build().unwrap());
        for name in ["weather", "time"] {
            let spec = ToolSpec::new(name, "", json!({ "type": "object" }));
            agent = agent.tool(FnTool::new(spec, |_| async { Ok("fine".to_owned()) }));
        }
        let msg = agent.build().unwrap().reply("hi").await.unwrap();
        let (mut thinking, mut calls) = (String::new(), String::new());
        for block in msg.content.iter() {
            match block {
                Block::Thinking(block) => thinking.push_str(&block.thinking),
                Block::ToolCall(call) => write!(calls, "{} {} {}; ", call.name, call.id.as_str(), call.input.as_str()).unwrap(),
                _ => {}
            }
        }
        assert_eq!((thinking.as_str(), text_of(&msg).as_str(), calls.as_str()), shape.message, "{}", shape.name);
        let last = shape.chunks.iter().rev().find_map(|chunk| if let ModelChunk::Usage(usage) = chunk { Some(*usage) } else { None });
        assert_eq!(msg.usage, last, "{}", shape.name);
        assert_eq!(server.asked().len(), if calls.is_empty() { 1 } else { 2 }, "{}", shape.name);
    }
}

#[tokio::test]
async fn a_shape_without_its_end_is_incomplete() {
    for shape in shapes() {
        // Up to the first event that says why the model stopped.
        let at = shape.body.find("\"finish_reason\":\"stop\"").or_else(|| shape.body.find("\"finish_reason\":\"tool_calls\"")).unwrap();
        let end = shape.body[..at].rfind("data: ").unwrap();
        let body = &shape.body.as_bytes()[..end];
        // Ended well, and broken.
        let server = Server::start([Reply::cut(HEAD, body, []), Reply::open(HEAD, body, [])]).await;
        let model = builder(&server).build().unwrap();
        for told in ["ended in the middle", "connection broke"] {
            let (chunks, error) = call(&model).await;
            let error = error.unwrap();
            assert_eq!(error.kind.as_str(), "incomplete", "{}", shape.name);
            assert!(error.message.contains(told) && !chunks.is_empty(), "{}: {error}", shape.name);
        }
    }
}
