//! Writing the canonical wire and reading it back.

use replyfold_event::message::json::JsonObject;
use replyfold_event::message::{
    DataBlock, DataSource, Failure, FinishedReason, Msg, PermissionBehavior, PermissionRule, Role, TextBlock, ToolCallBlock, ToolCallState,
    ToolResultBlock, ToolResultState, Usage,
};
use replyfold_event::*;

/// Every full payload of the taxonomy with the bytes it must give, `id` to `metadata` included.
fn full_events() -> Vec<(AgentEvent, &'static str)> {
    let rule = PermissionRule::new("rm", PermissionBehavior::Allow, "suggested").with_content("rm *");
    let call = ToolCallBlock::new("c1", "rm").with_content(r#"{"q": 1}"#).with_state(ToolCallState::Asking);
    let suggested = call.clone().with_suggested_rules(vec![rule.clone()]);
    let media = DataBlock::new(DataSource::base64("image/png", &[1, 2, 3][..])).with_id("d1").with_name("a.png");
    let result = ToolResultBlock::new("c1", "rm")
        .with_output(vec![TextBlock::new("ok").into(), media.into()])
        .with_state(ToolResultState::Success)
        .with_metadata(JsonObject::parse(r#"{"cost":1.10}"#).unwrap())
        .with_finished_at("T2");
    let failure = Failure::new("no answer").with_kind("connection").with_code("E1").with_detail("timeout");
    vec![
        (
            AgentEvent::new(AgentStart::new("r1", Role::Assistant).with_session_id("s1").with_name("Friday"))
                .with_id("e1")
                .with_created_at("T1")
                .with_source("main/a")
                .with_metadata(JsonObject::parse(r#"{"k": [1, 2.50]}"#).unwrap()),
            r#"{"type":"AGENT_START","id":"e1","createdAt":"T1","replyId":"r1","role":"assistant","sessionId":"s1","name":"Friday","source":"main/a","metadata":{"k": [1, 2.50]}}"#,
        ),
        (
            AgentEvent::new(AgentEnd::new("r1").with_finished_reason(FinishedReason::Error).with_error(failure.clone())),
            r#"{"type":"AGENT_END","replyId":"r1","finishedReason":"error","error":{"type":"connection","code":"E1","message":"no answer","detail":"timeout"}}"#,
        ),
        (
            AgentEvent::new(
                ModelCallEnd::new("r1", Some(Usage::new(10, 20).with_cache(3, 4)))
                    .with_finished_reason("length")
                    .with_error(failure)
                    .with_retry(Retry::new(1, 3, 10_000)),
            ),
            r#"{"type":"MODEL_CALL_END","replyId":"r1","inputTokens":10,"outputTokens":20,"cacheInputTokens":3,"cacheCreationInputTokens":4,"finishedReason":"length","error":{"type":"connection","code":"E1","message":"no answer","detail":"timeout"},"retry":{"attempt":1,"maxRetries":3,"delayMs":10000}}"#,
        ),
        (
            AgentEvent::new(
                ToolResultDataDelta::new("r1", "c1", MediaDelta::Base64("AA==".into()))
                    .with_block_id("d1")
                    .with_media_type("image/png")
                    .with_name("a.png"),
            ),
            r#"{"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","data":"AA==","blockId":"d1","mediaType":"image/png","name":"a.png"}"#,
        ),
        (
            AgentEvent::new(RequireUserConfirm::new("r1", vec![suggested])),
            r#"{"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c1","name":"rm","input":{"q": 1},"content":"{\"q\": 1}","state":"asking","suggestedRules":[{"toolName":"rm","ruleContent":"rm *","behavior":"allow","source":"suggested"}]}]}"#,
        ),
        (
            AgentEvent::new(UserConfirmResult::new("r1", vec![ConfirmResult::new(true, call.clone()).with_rules(vec![rule])])),
            r#"{"type":"USER_CONFIRM_RESULT","replyId":"r1","confirmResults":[{"confirmed":true,"toolCall":{"type":"tool_use","id":"c1","name":"rm","input":{"q": 1},"content":"{\"q\": 1}","state":"asking"},"rules":[{"toolName":"rm","ruleContent":"rm *","behavior":"allow","source":"suggested"}]}]}"#,
        ),
        (
            AgentEvent::new(ExternalExecutionResult::new("r1", vec![result])),
            r#"{"type":"EXTERNAL_EXECUTION_RESULT","replyId":"r1","toolResults":[{"type":"tool_result","id":"c1","name":"rm","output":[{"type":"text","text":"ok"},{"type":"data","id":"d1","source":{"type":"base64","mediaType":"image/png","data":"AQID"},"name":"a.png"}],"state":"success","metadata":{"cost":1.10},"finishedAt":"T2"}]}"#,
        ),
        (
            AgentEvent::new(RequestStop::new("PERMISSION_ASKING").with_reply_id("r1").with_reason("asking")),
            r#"{"type":"REQUEST_STOP","generateReason":"PERMISSION_ASKING","replyId":"r1","reason":"asking"}"#,
        ),
        (
            AgentEvent::new(ExceedMaxIters::new("r1").with_max_iters(5_i64).with_current_iter(5_i64).with_name("Friday")),
            r#"{"type":"EXCEED_MAX_ITERS","replyId":"r1","maxIters":5,"currentIter":5,"name":"Friday"}"#,
        ),
        (
            AgentEvent::new(SubagentExposed::new("u1", "helper", "s2").with_reply_id("r1").with_label("Helper")),
            r#"{"type":"SUBAGENT_EXPOSED","subagentId":"u1","agentId":"helper","sessionId":"s2","replyId":"r1","label":"Helper"}"#,
        ),
        (
            AgentEvent::new(HintBlock::new("r1", "h1", vec![TextBlock::new("x").into()]).with_hint_source("alice")),
            r#"{"type":"HINT_BLOCK","replyId":"r1","blockId":"h1","hint":[{"type":"text","text":"x"}],"hintSource":"alice"}"#,
        ),
        (
            AgentEvent::new(AgentResult::new().with_result(Msg::new("m1", Role::Tool).with_name("t"))),
            r#"{"type":"AGENT_RESULT","result":{"id":"m1","name":"t","role":"tool","content":[]}}"#,
        ),
        (
            AgentEvent::new(AllToolsDenied::new(vec![call])),
            r#"{"type":"ALL_TOOLS_DENIED","deniedToolCalls":[{"type":"tool_use","id":"c1","name":"rm","input":{"q": 1},"content":"{\"q\": 1}","state":"asking"}]}"#,
        ),
        (
            AgentEvent::new(Custom::new("n", JsonObject::parse(r#"{"big":123456789012345678901234567890}"#).unwrap())),
            r#"{"type":"CUSTOM","name":"n","value":{"big":123456789012345678901234567890}}"#,
        ),
        (AgentEvent::new(Custom::new("n", JsonObject::default())), r#"{"type":"CUSTOM","name":"n","value":{}}"#),
    ]
}

#[test]
fn full_events_give_their_bytes_and_read_back_as_themselves() {
    for (event, text) in full_events() {
        assert_eq!(event.to_json(), text);
        assert_eq!(AgentEvent::from_json(text).unwrap(), event);
    }
}

#[test]
fn serde_in_and_out_is_the_canonical_wire() {
    for (event, text) in full_events() {
        assert_eq!(serde_json::to_string(&event).unwrap(), text);
        assert_eq!(serde_json::from_str::<AgentEvent>(text).unwrap(), event);
        assert_eq!(serde_json::from_value::<AgentEvent>(serde_json::to_value(&event).unwrap()).unwrap().type_name(), event.type_name());
    }
    let err = serde_json::from_str::<Vec<AgentEvent>>(r#"[{"type":"AGENT_END"}]"#).unwrap_err();
    assert!(err.to_string().starts_with("event `AGENT_END`: missing field `replyId`"), "{err}");
}
