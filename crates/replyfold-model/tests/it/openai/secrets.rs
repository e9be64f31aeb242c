//! Nothing that may be a key stands in a failure, wherever it was given and however the provider echoes it.

use super::server::{Reply, Server};
use super::{builder, call, client};
use replyfold_model::{OpenAiBuilder, OpenAiCompatible};
use serde_json::json;

/// What a failure says if the provider echoes this.
async fn told(set: impl FnOnce(OpenAiBuilder, &str) -> OpenAiBuilder, echo: &str) -> String {
    let body = json!({ "error": { "message": format!("[{echo}] is wrong"), "code": echo } });
    let server = Server::start([Reply::json("401 Unauthorized", &body.to_string())]).await;
    let model = set(builder(&server), &server.url().replace("http://", "")).build().unwrap();
    let error = call(&model).await.1.unwrap();
    let detail = error.detail.unwrap();
    let message = error.message.strip_prefix("the provider answered 401 Unauthorized: [").and_then(|rest| rest.strip_suffix("] is wrong"));
    let message = message.unwrap_or_else(|| panic!("{}", error.message)).to_owned();
    assert_eq!(detail, format!("code {message}"));
    message
}

#[tokio::test]
async fn every_header_is_hidden_whatever_its_name() {
    for name in ["X-Auth", "X-Amz-Credential", "password", "x-gateway", "api-key", "Authorization", "Proxy-Authorization", "cookie"] {
        for (value, echo, hidden) in [
            ("s3cr3t-1", "s3cr3t-1", "***"),
            // With a scheme, of which either part may come back.
            ("Bearer s3cr3t-1", "Bearer s3cr3t-1 / s3cr3t-1", "*** / ***"),
            ("Basic dXNlci1uYW1lOnBhc3N3MHJk", "dXNlci1uYW1lOnBhc3N3MHJk: user-name, passw0rd", "***: ***, ***"),
            ("token  s3cr3t-1", "s3cr3t-1", "***"),
            // Of many fields, each.
            (
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/x, SignedHeaders=host, Signature=\"5d672d79\"",
                "AKIDEXAMPLE/x and 5d672d79",
                "*** and ***",
            ),
            ("session=s3cr3t-1; theme=s3cr3t-2", "s3cr3t-2 s3cr3t-1", "*** ***"),
            // What a server escapes in JSON is itself again in its message.
            ("a/b\"c\\d/e", "a/b\"c\\d/e", "***"),
        ] {
            assert_eq!(told(|builder, _| builder.header(name, value), echo).await, hidden, "{name}: {value}");
        }
    }
}

#[tokio::test]
async fn every_parameter_of_the_url_is_hidden_and_so_are_name_and_password() {
    for name in ["sig", "code", "key", "token", "subscription", "x"] {
        let set = |builder: OpenAiBuilder, host: &str| builder.base_url(format!("http://{host}/v1?a=b&{name}=s3%2Fcr+3t-1"));
        assert_eq!(told(set, "s3/cr 3t-1, s3%2Fcr+3t-1").await, "***, ***", "{name}");
    }
    let bare = |builder: OpenAiBuilder, host: &str| builder.base_url(format!("http://{host}/v1?s3cr3t-1"));
    assert_eq!(told(bare, "s3cr3t-1").await, "***");
    let both = |builder: OpenAiBuilder, host: &str| builder.base_url(format!("http://user-name:pass%20w+0rd@{host}/v1"));
    // Both are sent as one text in Base64.
    let echo = "user-name, pass w+0rd, pass%20w+0rd, Basic dXNlci1uYW1lOnBhc3MgdyswcmQ=";
    assert_eq!(told(both, echo).await, "***, ***, ***, Basic ***");
    let key = |builder: OpenAiBuilder, host: &str| builder.base_url(format!("http://sk-abcdef@{host}/v1"));
    assert_eq!(told(key, "sk-abcdef and c2stYWJjZGVmOg==").await, "*** and ***");
}

#[tokio::test]
async fn keys_in_the_body_are_hidden_and_other_fields_are_not() {
    let set = |builder: OpenAiBuilder, _: &str| {
        let builder = builder.parameter("api_key", "s3cr3t-1").parameter("reasoning_effort", "highest");
        builder.parameter("tools", json!([{ "headers": { "X-Token": "Bearer s3cr3t-2" } }]))
    };
    assert_eq!(told(set, "s3cr3t-1, s3cr3t-2, highest").await, "***, ***, highest");
}

#[tokio::test]
async fn a_secret_that_begins_another_leaves_no_rest_of_it() {
    let set = |builder: OpenAiBuilder, _: &str| builder.api_key("sk-abc").header("x-a", "sk-abc-def").header("x-b", "sk-abc-def-ghi");
    assert_eq!(told(set, "sk-abc-def-ghi sk-abc sk-abc-def").await, "*** *** ***");
}

#[tokio::test]
async fn what_is_no_secret_stays_readable() {
    // Keys for servers that want any, and what is too short to be one.
    for key in ["1", "x", "none", "EMPTY", "dummy", "ollama", "Ollama", "lm-studio", "not-needed", "placeholder"] {
        let echo = format!("EMPTY and none of 1 dummy: {key}");
        assert_eq!(told(|builder, _| builder.api_key(key), &echo).await, echo);
    }
    // Headers and parameters that hold none, and what is told anyway.
    let set = |builder: OpenAiBuilder, host: &str| {
        let builder = builder.header("User-Agent", "my-app/1.0").header("X-Title", "My App").header("x-model", "qwen3:8b");
        let builder = builder.header("x-sse", "enable").header("OpenAI-Beta", "assistants=v2-long");
        builder.base_url(format!("http://{host}/v1?api-version=2024-10-21&on=true"))
    };
    let echo = "my-app/1.0 cannot enable 2024-10-21 for My App, true, v2-long";
    assert_eq!(told(set, echo).await, echo);
    let server = Server::start([Reply::json("404 Not Found", r#"{"error":"no model qwen3:8b"}"#)]).await;
    let model =
        OpenAiCompatible::builder("qwen3:8b").base_url(server.url()).client(client()).header("x-model", "qwen3:8b").build().unwrap();
    let error = call(&model).await.1.unwrap();
    assert_eq!(error.message, "the provider answered 404 Not Found: no model qwen3:8b");
}

#[tokio::test]
async fn excerpts_hide_what_json_escapes_and_what_has_blanks() {
    let server = Server::start([
        Reply::stream("data: {\"choices\": oops a\\/b\\/c-d\n\n"),
        Reply::stream("data: {\"choices\": oops in  two  parts\n\n"),
    ])
    .await;
    let model = builder(&server).header("x-a", "a/b/c-d").header("x-b", "in  two  parts").build().unwrap();
    for _ in 0..2 {
        let detail = call(&model).await.1.unwrap().detail.unwrap();
        assert!(detail.ends_with("`{\"choices\": oops ***`"), "{detail}");
    }
}

#[test]
fn debug_output_and_errors_of_the_setup_tell_no_secret() {
    let new = || OpenAiCompatible::builder("m").api_key("sk-s3cr3t").header("X-Auth", "Basic s3cr3t-1");
    let set = new().base_url("https://s3cr3t-name:s3cr3t-word@h/v1?sig=s3cr3t-2#s3cr3t-3").parameter("api_key", "s3cr3t-4");
    let model = set.clone().build().unwrap();
    for text in [format!("{set:?}"), format!("{model:?}")] {
        assert!(!text.contains("s3cr3t"), "{text}");
    }
    assert!(format!("{model:?}").contains("https://h/v1/chat/completions"));
    // A key in the path is one too.
    let model = new().base_url("https://h/sk-s3cr3t/v1").build().unwrap();
    assert!(format!("{model:?}").contains("https://h/***/v1/chat/completions"), "{model:?}");
    for set in [
        new().base_url("s3cr3t:s3cr3t@h/v1"),
        new().base_url("http://s3cr3t:s3cr3t@/v1"),
        new().api_key("sk-s3cr3t\nx"),
        new().header("X-Auth", "s3cr3t\nx"),
        // Name and value were taken for each other, or stand in one.
        new().header("Bearer s3cr3t", "authorization"),
        new().header("authorization: s3cr3t", ""),
    ] {
        let error = set.build().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error}");
    }
}
