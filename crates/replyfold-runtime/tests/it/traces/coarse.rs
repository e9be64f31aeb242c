//! Worked examples of the coarse protocol (`coarse.md` section 9), from the agent itself.

use super::{agent, coarse, run};
use crate::script::{Model, call, cut, fail, piece, text, thinking, turn};
use replyfold_runtime::ModelErrorKind;

#[tokio::test]
async fn c9_1_one_tool_then_the_answer() {
    let model = Model::new([
        turn([thinking("look it up"), text("One moment"), call("c1", "A", "{\"x\":"), piece("\"q\"}"), text("…")]),
        turn([text("Found"), text(" two.")]),
    ]);
    assert_eq!(
        coarse(&[&run(&agent(&model), "hi").await]),
        [
            r#"{"type":"thinking","content":"look it up"}"#,
            r#"{"type":"text","content":"One moment"}"#,
            r#"{"type":"tool_start","toolName":"A","toolCallId":"c1","arguments":"{\"x\":\"q\"}"}"#,
            r#"{"type":"tool_end","toolName":"A","toolCallId":"c1","result":"A(q)"}"#,
            r#"{"type":"text","content":"Found"}"#,
            r#"{"type":"text","content":" two."}"#,
            r#"{"type":"complete"}"#,
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn c9_3_recovered() {
    let model = Model::new([cut([fail(ModelErrorKind::Server)]), turn([text("done")])]);
    let told = coarse(&[&run(&agent(&model), "hi").await]);
    assert!(told[0].contains("(1/3)"), "{told:?}");
    assert_eq!(&told[1..], [r#"{"type":"text","content":"done"}"#, r#"{"type":"complete"}"#]);
}

#[tokio::test]
async fn c9_4_a_failing_tool_is_no_error_event() {
    let model = Model::new([turn([call("c1", "fails", "{\"x\":\"1\"}")]), turn([text("sorry")])]);
    let told = coarse(&[&run(&agent(&model), "hi").await]);
    assert!(told[1].contains("工具执行失败：no luck"), "{told:?}");
    assert!(told.iter().all(|event| !event.contains("\"type\":\"error\"")));
}
