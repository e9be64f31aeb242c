//! What is asked, as the body of a chat completion.

use super::Config;
use replyfold_message::{Block, DataBlock, DataSource, Hint, ToolResultBlock};
use replyfold_runtime::{Answer, ModelRequest, ToolChoice, Turn, turns};
use serde_json::{Map, Value, json};

pub(super) fn body(config: &Config, request: &ModelRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(*config.model));
    body.insert("messages".to_owned(), messages(config, request));
    body.insert("stream".to_owned(), json!(config.streaming));
    if config.streaming && config.include_usage {
        body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    // A choice without tools is refused.
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
            })
        });
        body.insert("tools".to_owned(), tools.collect());
        // That the model decides is what servers do anyway, and some refuse to be told.
        match &request.tool_choice {
            ToolChoice::None => body.insert("tool_choice".to_owned(), json!("none")),
            ToolChoice::Required => body.insert("tool_choice".to_owned(), json!("required")),
            ToolChoice::Tool(name) => body.insert("tool_choice".to_owned(), json!({ "type": "function", "function": { "name": name } })),
            _ => None,
        };
    }
    for (name, value) in &config.parameters {
        body.insert(name.clone(), value.clone());
    }
    Value::Object(body)
}

fn messages(config: &Config, request: &ModelRequest) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for turn in turns(&request.messages) {
        match turn {
            Turn::System(text) => messages.push(json!({ "role": "system", "content": text })),
            Turn::User { content, .. } => messages.extend(user(content.into_iter())),
            Turn::Hint(Hint::Text(text)) => messages.push(json!({ "role": "user", "content": text })),
            Turn::Hint(Hint::Blocks(blocks)) => messages.extend(user(blocks.iter())),
            Turn::Assistant(answer) => messages.extend(assistant(config, &answer)),
            Turn::Results(results) => tool(&results, &mut messages),
            // A kind of turn that is not known yet cannot be told.
            _ => {}
        }
    }
    Value::Array(messages)
}

/// What a person says: a text, or a list of parts if there is media.
fn user<'a>(blocks: impl Iterator<Item = &'a Block>) -> Option<Value> {
    let mut parts = Vec::new();
    for block in blocks {
        match block {
            Block::Text(block) => parts.push(text(&block.text)),
            Block::Data(block) => parts.push(media(block)),
            Block::Hint(block) => match &block.hint {
                Hint::Text(hint) => parts.push(text(hint)),
                Hint::Blocks(blocks) => parts.extend(blocks.iter().filter_map(|block| match block {
                    Block::Text(block) => Some(text(&block.text)),
                    Block::Data(block) => Some(media(block)),
                    _ => None,
                })),
            },
            Block::ToolResult(result) => parts.push(text(&result.text())),
            _ => {}
        }
    }
    message_of(parts)
}

fn message_of(parts: Vec<Value>) -> Option<Value> {
    if parts.is_empty() {
        return None;
    }
    let texts: Option<Vec<&str>> = parts.iter().map(|part| part.get("text").and_then(Value::as_str)).collect();
    // Many servers take nothing but a text.
    let content = match texts {
        Some(texts) => Value::String(texts.concat()),
        None => Value::Array(parts),
    };
    Some(json!({ "role": "user", "content": content }))
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// Media as a part. What the format has no part for is named, so that the model knows of it.
fn media(block: &DataBlock) -> Value {
    let name = block.name.as_deref().unwrap_or("no name");
    match &block.source {
        DataSource::Url { url, media_type, .. } => match media_type.as_deref() {
            Some(media_type) if !media_type.starts_with("image/") => text(&format!("[{media_type}: {url}]")),
            _ => json!({ "type": "image_url", "image_url": { "url": url } }),
        },
        DataSource::Base64 { media_type, data, .. } => match (media_type.as_str(), audio(media_type)) {
            (_, Some(format)) => json!({ "type": "input_audio", "input_audio": { "data": data.to_base64(), "format": format } }),
            (image, None) if image.starts_with("image/") => {
                json!({ "type": "image_url", "image_url": { "url": format!("data:{image};base64,{}", data.to_base64()) } })
            }
            (other, None) => text(&format!("[{other}, {name}: {} bytes that cannot be shown here]", data.len())),
        },
        _ => text(&format!("[{name}: media that cannot be shown here]")),
    }
}

/// The word for a kind of sound that can be sent.
fn audio(media_type: &str) -> Option<&'static str> {
    match media_type {
        "audio/wav" | "audio/x-wav" | "audio/wave" => Some("wav"),
        "audio/mpeg" | "audio/mp3" => Some("mp3"),
        _ => None,
    }
}

/// What the model answered. Media of its own cannot be sent back; an answer of nothing else is left out.
fn assistant(config: &Config, answer: &Answer<'_>) -> Option<Value> {
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    let thinking: String = answer.thinking.iter().map(|block| block.thinking.as_str()).collect();
    let sends_thinking = config.send_reasoning && !thinking.is_empty();
    if answer.text.is_empty() && answer.calls.is_empty() && !sends_thinking {
        return None;
    }
    let content = if answer.text.is_empty() && !answer.calls.is_empty() { Value::Null } else { json!(answer.text) };
    message.insert("content".to_owned(), content);
    if sends_thinking {
        message.insert("reasoning_content".to_owned(), json!(thinking));
    }
    if !answer.calls.is_empty() {
        let calls = answer.calls.iter().map(|call| {
            json!({ "id": call.id.as_str(), "type": "function", "function": { "name": call.name, "arguments": call.input.as_str() } })
        });
        message.insert("tool_calls".to_owned(), calls.collect());
    }
    Some(Value::Object(message))
}

/// The results of calls. A result holds text alone, so media follows in a message of its own, behind all of them: nothing may stand between.
fn tool(results: &[&ToolResultBlock], messages: &mut Vec<Value>) {
    let mut parts = Vec::new();
    for result in results {
        messages.push(json!({ "role": "tool", "tool_call_id": result.id.as_str(), "content": result.text() }));
        let mut data = result.output.iter().filter_map(|block| if let Block::Data(block) = block { Some(block) } else { None }).peekable();
        if data.peek().is_some() {
            parts.push(text(&format!("Media in the result of {} ({}):", result.name, result.id.as_str())));
            parts.extend(data.map(media));
        }
    }
    messages.extend(message_of(parts));
}
