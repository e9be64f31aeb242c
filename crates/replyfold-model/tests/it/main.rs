//! The scripted model: every step of its language, and what is wrong with a script. The model over HTTP has a module of its own.
#![cfg_attr(feature = "openai", expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test"))]

#[cfg(feature = "openai")]
mod openai;

use futures_util::StreamExt as _;
use replyfold_message::Usage;
use replyfold_model::{Scripted, ScriptedArguments, ScriptedUsage, read_yaml};
use replyfold_runtime::{CallFragment, ChatModel, ModelChunk, ModelError, ModelErrorKind, ModelRequest};
use std::time::Duration;

const ALL: &str = r#"
- - thinking: hm
  - text: let me
  - call: {name: search, id: c1, arguments: {q: x, n: [1, 2.50]}}
  - call: {name: read}
  - piece: {arguments: '{"a":'}
  - piece: {id: c1, arguments: ""}
  - wait: 1500
  - usage: {input: 10, output: 3}
- - fail: {kind: rate_limit, message: slow down}
- - text: Par
  - fail: {kind: server}
- - text: Par
  - cut: true
  - text: never
- - cut: false
  - finish: length
  - text: never
- []
"#;

async fn call(model: &Scripted) -> Result<Vec<Result<ModelChunk, ModelError>>, ModelError> {
    let stream = model.call(ModelRequest::default()).await?;
    Ok(stream.collect().await)
}

fn finish(reason: &str) -> Result<ModelChunk, ModelError> {
    Ok(ModelChunk::Finish(reason.to_owned()))
}

fn text(text: &str) -> Result<ModelChunk, ModelError> {
    Ok(ModelChunk::Text(text.to_owned()))
}

#[tokio::test(start_paused = true)]
async fn every_step_is_played_as_it_stands() {
    let model = Scripted::from_yaml(ALL).unwrap().with_name("m");
    assert_eq!((model.name(), model.left()), ("m", 6));
    let start = tokio::time::Instant::now();
    assert_eq!(
        call(&model).await.unwrap(),
        [
            Ok(ModelChunk::Thinking("hm".to_owned())),
            text("let me"),
            Ok(ModelChunk::Call(CallFragment::new(r#"{"q":"x","n":[1,2.5]}"#).with_name("search").with_id("c1"))),
            Ok(ModelChunk::Call(CallFragment::new("").with_name("read"))),
            Ok(ModelChunk::Call(CallFragment::new(r#"{"a":"#))),
            Ok(ModelChunk::Call(CallFragment::new("").with_id("c1"))),
            Ok(ModelChunk::Usage(Usage::new(10, 3))),
            finish("stop"),
        ]
    );
    assert_eq!(start.elapsed(), Duration::from_millis(1500));
    let err = call(&model).await.unwrap_err();
    assert_eq!((err.kind, err.message.as_str()), (ModelErrorKind::RateLimit, "slow down"));
    let broken = call(&model).await.unwrap();
    assert!(matches!(&broken[..], [Ok(_), Err(err)] if err.kind == ModelErrorKind::Server), "{broken:?}");
    assert_eq!(call(&model).await.unwrap(), [text("Par")]);
    assert_eq!(call(&model).await.unwrap(), [finish("length")]);
    assert_eq!(call(&model).await.unwrap(), [finish("stop")]);
    let err = call(&model).await.unwrap_err();
    assert_eq!(err.message, "the script is over: it has no turn for call 7");
    assert_eq!((model.requests().len(), model.clone().left()), (7, 0));
}

#[test]
fn arguments_are_what_stands_there() {
    for (yaml, json) in [
        ("{z: 1, a: {y: [], x: {}}, b: [1, [2], {n: ~}]}", r#"{"z":1,"a":{"y":[],"x":{}},"b":[1,[2],{"n":null}]}"#),
        // The words of YAML 1.1 are text, as keys too.
        ("{no: no, y: y, on: On, yes: YES, t: true, f: False}", r#"{"no":"no","y":"y","on":"On","yes":"YES","t":true,"f":false}"#),
        ("{a: 010, b: 1_000, c: '7', d: 12:30, e: -007}", r#"{"a":"010","b":"1_000","c":"7","d":"12:30","e":"-007"}"#),
        ("{a: 1e3, b: 0x1F, c: 0o17, d: .5, e: -5, f: +7}", r#"{"a":1000.0,"b":31,"c":15,"d":0.5,"e":-5,"f":7}"#),
        ("{a: 18446744073709551615, b: -9223372036854775808}", r#"{"a":18446744073709551615,"b":-9223372036854775808}"#),
        ("'{\"n\": 1e3, \"a\": 010'", "{\"n\": 1e3, \"a\": 010"),
        ("no", "no"),
        ("~", ""),
        ("[a, 1]", "[\"a\",1]"),
    ] {
        assert_eq!(read_yaml::<ScriptedArguments>(yaml).unwrap().into_text(), json, "{yaml}");
    }
    for yaml in ["{a: 123456789012345678901234567890}", "{a: [-123456789012345678901234567890]}", "{a: 18446744073709551616}"] {
        let told = read_yaml::<ScriptedArguments>(yaml).unwrap_err().to_string();
        assert!(told.contains("line 1, column ") && told.ends_with("write the arguments as text, '{…}'"), "{told}");
    }
    assert!(read_yaml::<ScriptedArguments>("{a: .nan}").is_err() && read_yaml::<ScriptedArguments>("{a: 1, a: 2}").is_err());
}

#[test]
fn a_count_of_tokens_that_is_left_out_is_none() {
    for (yaml, input, output) in [("{input: 3}", 3, 0), ("{output: 2}", 0, 2), ("{}", 0, 0)] {
        let usage: ScriptedUsage = read_yaml(yaml).unwrap();
        assert_eq!((usage.input, usage.output), (input, output), "{yaml}");
    }
}

#[test]
fn what_is_wrong_with_a_script_is_told_with_its_line() {
    for (script, line, reason) in [
        ("- - text: a\n  - texts: b\n", "line 2", "texts"),
        ("- - call: {id: c1}\n", "line 1", "name"),
        ("- - fail: {kind: nonsense}\n", "line 1", "`nonsense` is no class of failures; there are rate_limit, overloaded"),
        ("- - wait: soon\n", "line 1, column 11: ", "this is no whole number from 0 on"),
        ("- - wait: 010\n", "line 1, column 11: ", "this is no whole number from 0 on"),
        ("- - cut: yes\n", "line 1, column 10: ", "true or false expected"),
        ("- - text: [\n", "line 1, column 11: ", "expected string"),
    ] {
        let told = Scripted::from_yaml(script).map(|_| ()).unwrap_err().to_string();
        assert!(told.starts_with("the script cannot be read: ") && told.contains(line) && told.contains(reason), "{script}: {told}");
    }
}
