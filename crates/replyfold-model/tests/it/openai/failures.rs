//! What failures are told as: each status, each way to fail inside of an answer, and no key anywhere.

use super::server::{Reply, Server};
use super::{DONE, KEY, builder, call, delta, events, failure, stop, text};
use replyfold_runtime::ModelErrorKind::{
    Authentication, ContentFilter, ContextLength, Incomplete, InvalidRequest, Overloaded, Permission, Protocol, RateLimit,
    Server as Failed, Timeout,
};
use replyfold_runtime::{ModelError, ModelErrorKind};
use std::time::Duration;

#[tokio::test]
async fn each_status_has_its_class() {
    let openai = |code: &str, message: &str| format!(r#"{{"error":{{"message":"{message}","type":"t","param":null,"code":"{code}"}}}}"#);
    let cases: Vec<(&str, String, ModelErrorKind)> = vec![
        ("400 Bad Request", openai("x", "no"), InvalidRequest),
        ("400 Bad Request", openai("context_length_exceeded", "no"), ContextLength),
        (
            "400 Bad Request",
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens","code":400}"#.into(),
            ContextLength,
        ),
        ("400 Bad Request", r#"{"error":{"code":400,"message":"too big","type":"exceed_context_size_error"}}"#.into(), ContextLength),
        ("400 Bad Request", openai("x", "Your input exceeds the context window"), ContextLength),
        ("400 Bad Request", openai("content_filter", "no"), ContentFilter),
        ("400 Bad Request", openai("data_inspection_failed", "no"), ContentFilter),
        ("401 Unauthorized", openai("invalid_api_key", "no"), Authentication),
        ("402 Payment Required", r#"{"error":{"message":"Insufficient Balance"}}"#.into(), Permission),
        ("403 Forbidden", String::new(), Permission),
        ("404 Not Found", r#"{"error":"model 'm' not found"}"#.into(), InvalidRequest),
        ("408 Request Timeout", String::new(), Timeout),
        ("413 Payload Too Large", "<html>".into(), ContextLength),
        ("422 Unprocessable Entity", r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#.into(), InvalidRequest),
        ("429 Too Many Requests", openai("rate_limit_exceeded", "no"), RateLimit),
        ("429 Too Many Requests", openai("insufficient_quota", "no"), Permission),
        ("500 Internal Server Error", "oh".into(), Failed),
        ("502 Bad Gateway", "<html><h1>Bad Gateway</h1></html>".into(), Failed),
        ("503 Service Unavailable", r#"{"error":{"message":"Loading model","code":503}}"#.into(), Overloaded),
        ("504 Gateway Timeout", String::new(), Timeout),
        ("529 Overloaded", String::new(), Overloaded),
        ("599 What", String::new(), Failed),
        ("418 Teapot", String::new(), InvalidRequest),
    ];
    for (status, body, kind) in cases {
        let error = failure(Reply::json(status, &body)).await;
        let told = format!("the provider answered {}", &status[..3]);
        assert!(error.kind == kind && error.message.starts_with(&told), "{status} {body}: {error}");
        assert!(!error.message.contains('<') && !error.message.contains('{'), "{error}");
        assert_eq!(error.retry_after, None);
    }
}

#[tokio::test]
async fn what_the_provider_says_is_told() {
    let told = async |body: &str| failure(Reply::json("400 Bad Request", body)).await.message;
    let begin = "the provider answered 400 Bad Request";
    assert_eq!(told(r#"{"error":{"message":"no such field"}}"#).await, format!("{begin}: no such field"));
    assert_eq!(told(r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#).await, format!("{begin}: field required"));
    assert_eq!(told(r#"{"message":"no","code":"c"}"#).await, format!("{begin}: no"));
    assert_eq!(told("plain").await, format!("{begin}: plain"));
    assert_eq!(told("<html>").await, begin);
    assert_eq!(told(&"é".repeat(1000)).await, format!("{begin}: {}…", "é".repeat(300)));
    let error = failure(Reply::json("400 Bad Request", r#"{"error":{"message":"no","type":"t","code":"c"}}"#)).await;
    assert_eq!(error.detail.as_deref(), Some("code c t"));
    let error = failure(Reply::raw("HTTP/1.1 307 Temporary Redirect\r\nlocation: http://elsewhere/\r\ncontent-length: 0\r\n\r\n")).await;
    assert!(error.kind == InvalidRequest && error.message.contains("set the base URL"), "{error}");
}

#[tokio::test]
async fn the_wait_that_a_provider_asks_for_is_told() {
    let date = "date: Wed, 21 Oct 2026 07:28:00 GMT\r\n";
    for (headers, wait) in [
        ("retry-after: 7".to_owned(), Some(Duration::from_secs(7))),
        ("retry-after: 0.5".to_owned(), Some(Duration::from_millis(500))),
        ("retry-after-ms: 1500\r\nretry-after: 9".to_owned(), Some(Duration::from_millis(1500))),
        (format!("{date}retry-after: Wed, 21 Oct 2026 07:30:00 GMT"), Some(Duration::from_secs(120))),
        (format!("{date}retry-after: Wed, 21 Oct 2026 07:00:00 GMT"), Some(Duration::ZERO)),
        ("retry-after: Wed, 21 Oct 2015 07:00:00 GMT".to_owned(), Some(Duration::ZERO)),
        ("retry-after: soon".to_owned(), None),
        ("retry-after: -1".to_owned(), None),
        ("retry-after: nan".to_owned(), None),
        ("retry-after-ms: -5\r\nretry-after: 9".to_owned(), Some(Duration::from_secs(9))),
        // More than any wait is asked for, which is not the same as nothing.
        ("retry-after: 1e300".to_owned(), Some(Duration::MAX)),
        ("retry-after: 99999999999999999999999".to_owned(), Some(Duration::MAX)),
        (format!("{date}retry-after: Wed, 21 Oct 2026 07:28:00 +0000"), Some(Duration::ZERO)),
        (format!("{date}retry-after: Thu, 22 Oct 2026 07:28:00 GMT"), Some(Duration::from_secs(86_400))),
        (format!("{date}retry-after: Fri, 31 Dec 9999 23:59:59 GMT"), Some(Duration::from_secs(251_609_733_119))),
        (format!("{date}retry-after: Wednesday, 21-Oct-26 07:29:00 GMT"), Some(Duration::from_secs(60))),
        (format!("{date}retry-after: Wed Oct 21 07:29:00 2026"), Some(Duration::from_secs(60))),
    ] {
        let error = failure(Reply::json(&format!("429 Too Many Requests\r\n{headers}"), "{}")).await;
        assert_eq!((error.kind, error.retry_after), (RateLimit, wait), "{headers}");
    }
}

#[tokio::test]
async fn an_error_inside_of_an_answer_has_its_class() {
    for (event, kind, told) in [
        (r#"data: {"error":{"message":"The server had an error","type":"server_error","code":null}}"#, Failed, "The server had an error"),
        (r#"data: {"error":{"message":"slow down","type":"rate_limit_error"}}"#, RateLimit, "slow down"),
        (
            r#"data: {"error":{"message":"Provider returned error","code":502},"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}"#,
            Failed,
            "Provider",
        ),
        (r#"data: {"error":"model runner has unexpectedly stopped"}"#, Failed, "runner"),
        ("event: error\ndata: it broke", Failed, "it broke"),
        ("event: error\ndata: {\"message\":\"busy\",\"code\":503}", Overloaded, "busy"),
        (
            r#"data: {"object":"error","message":"maximum context length is 8","type":"BadRequestError","code":400}"#,
            ContextLength,
            "length is 8",
        ),
        (r#"data: {"code":"DataInspectionFailed","message":"Output data may contain inappropriate content."}"#, ContentFilter, "Output"),
        (r#"data: {"code":"Throttling.RateQuota","message":"Requests rate limit exceeded","request_id":"r"}"#, RateLimit, "exceeded"),
        (r#"data: {"base_resp":{"status_code":1008,"status_msg":"insufficient balance"},"choices":null}"#, Permission, "balance"),
        (r#"data: {"base_resp":{"status_code":1002,"status_msg":"rate limit"}}"#, RateLimit, "rate limit"),
        (r#"data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Overloaded, "Overloaded"),
        (r#"{"error":{"message":"without a frame","type":"authentication_error"}}"#, Authentication, "without a frame"),
        (r#"data: {"error":{"type":"timeout"}}"#, Timeout, "timeout"),
        (r#"data: {"error":{"type":"permission_denied","message":"x"}}"#, Permission, "x"),
        (r#"data: {"error":{"type":"invalid_request_error","message":"x"}}"#, InvalidRequest, "x"),
    ] {
        // What follows an error is not read.
        let body = [&delta(r#"{"content":"Par"}"#), event, "\n\n", &delta(r#"{"content":"no"}"#), &stop("stop"), DONE].concat();
        let (chunks, error) = events(&body).await;
        let error = error.unwrap();
        assert!(error.kind == kind && error.message.contains(told), "{event}: {error:?}");
        assert_eq!(chunks, [text("Par")], "{event}");
    }
    let error = failure(Reply::json("200 OK", r#"{"error":{"message":"no such model","code":404}}"#)).await;
    assert_eq!((error.kind, error.detail.as_deref()), (InvalidRequest, Some("code 404")));
    let none = r#"data: {"error":null,"base_resp":{"status_code":0},"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#;
    assert_eq!(events(&format!("{none}\n\n")).await.1, None);
}

#[tokio::test]
async fn what_is_no_answer_is_told_with_its_place() {
    let body = [&delta(r#"{"content":"Par"}"#), "data: {\"choices\": oops\n\n"].concat();
    let (chunks, error) = events(&body).await;
    let error = error.unwrap();
    assert_eq!((error.kind, chunks), (Protocol, vec![text("Par")]));
    assert_eq!(error.message, format!("what the provider sent in event 2 at byte {} is no JSON", delta(r#"{"content":"Par"}"#).len()));
    assert!(error.detail.unwrap().ends_with("`{\"choices\": oops`"));
    let error = events("data: {\"choices\":5}\n\n").await.1.unwrap();
    assert!(error.detail.unwrap().starts_with("a number stands where a list of choices belongs"));
    let error = events("data: {\"choices\":5}\n\n").await.1.unwrap();
    assert_eq!(error.message, "what the provider sent in event 1 at byte 0 is no chat completion");
    // Invalid UTF-8 is never replaced.
    let mut body = delta(r#"{"content":"Par"}"#).into_bytes();
    let at = body.len();
    body.extend_from_slice(b"data: {\"choices\":[{\"delta\":{\"content\":\"\xE4\xBD\"}}]}\n\n");
    let server = Server::start([Reply::stream(body)]).await;
    let (chunks, error) = call(&builder(&server).build().unwrap()).await;
    assert_eq!(chunks, [text("Par")]);
    assert_eq!(error.unwrap(), ModelError::new(Protocol, format!("the line at byte {at} of the provider's answer is no UTF-8")));
    for (content_type, body, told) in [
        ("text/html", "<!doctype html><p>Hi", "a web page"),
        ("text/event-stream", " \n<html>", "a web page"),
        ("text/plain", "Ollama is running", "`text/plain`"),
        // What begins as a field does, and is none: nothing but a colon or the end of the line ends one.
        ("text/plain", "data loss occurred", "`text/plain`"),
        ("text/plain", "database locked", "`text/plain`"),
        ("text/plain", "events are off", "`text/plain`"),
        ("text/plain", "identity unknown\n", "`text/plain`"),
        ("text/plain", "retry later: busy", "`text/plain`"),
        ("text/plain", "dat", "`text/plain`"),
        // What is written as a field, and holds no event.
        ("text/plain", "id: 5 is not known", "`text/plain`"),
        ("", "event: busy", "something of no type"),
        ("text/event-stream", "Internal error: try again\n", "a stream without an event"),
        ("text/event-stream", "data loss occurred", "a stream without an event"),
        ("application/json", "[1]", "`application/json`"),
    ] {
        let error = failure(Reply::whole("200 OK", content_type, body)).await;
        assert!(error.kind == Protocol && error.message.contains(told) && error.message.contains("base URL"), "{body}: {error}");
        // However it was cut: the first bytes that decide are enough.
        let head = format!("200 OK\r\ncontent-type: {content_type}");
        let cut = failure(Reply::cut(&head, body.as_bytes(), 1..body.len())).await;
        assert_eq!((cut.kind, cut.message), (Protocol, error.message.clone()), "{body}");
        let words = body.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(error.detail, Some(format!("it begins with `{words}`")));
    }
    assert_eq!(failure(Reply::json("200 OK", "{\"choices\":")).await.message, "what the provider sent in its answer is no JSON");
    assert_eq!(failure(Reply::json("200 OK", "")).await.kind, Incomplete);
}

#[tokio::test]
async fn no_failure_tells_a_key() {
    let long = format!("{}{KEY} is wrong", "x".repeat(290));
    let replies = [
        Reply::json("401 Unauthorized", &format!(r#"{{"error":{{"message":"{KEY} is wrong","code":"{KEY}"}}}}"#)),
        Reply::json("401 Unauthorized", &format!(r#"{{"error":{{"message":"{long}"}}}}"#)),
        Reply::json("500 Internal Server Error", KEY),
        Reply::stream(format!("data: {{\"error\":{{\"message\":\"{KEY}\"}}}}\n\n")),
        Reply::stream(format!("data: {KEY}\n\n")),
        Reply::whole("200 OK", KEY, KEY),
        Reply::stream("data: {\"error\":\"other-secret and in-query\"}\n\n"),
    ];
    let count = replies.len();
    let server = Server::start(replies).await;
    let builder = builder(&server).base_url(format!("{}/v1?key=in-query", server.url())).header("x-api-key", "other-secret");
    let model = builder.clone().build().unwrap();
    for text in [format!("{builder:?}"), format!("{model:?}")] {
        assert!(!text.contains("secret") && !text.contains("in-query"), "{text}");
    }
    for _ in 0..count {
        let error = call(&model).await.1.unwrap();
        let told = format!("{error:?} {error}");
        assert!(!told.contains("sk-") && !told.contains("secret") && !told.contains("in-query"), "{told}");
        assert!(told.contains("***") || told.contains('…'), "{told}");
    }
}

#[tokio::test]
async fn half_a_character_in_arguments_is_a_failure_and_never_dropped() {
    let piece = |arguments: &str| {
        delta(&format!(r#"{{"tool_calls":[{{"index":0,"id":"c1","function":{{"name":"f","arguments":{arguments}}}}}]}}"#))
    };
    let error = events(&[piece(r#""{\"t\":\"a""#), piece(r#""\ud83d""#), piece(r#""\ude00""#)].concat()).await.1.unwrap();
    assert_eq!(error.kind, Protocol);
}
