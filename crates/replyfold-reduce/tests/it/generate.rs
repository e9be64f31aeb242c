//! Logs for proptest: any order of events of every type, with so few ids that they collide.

use proptest::collection::vec;
use proptest::prelude::*;
use replyfold_event::AgentEvent;

/// Every type once or more, without its envelope. `B` stands for a block id, `C` for a call id.
const BODIES: &[&str] = &[
    r#""type":"AGENT_START","role":"assistant","name":"Friday""#,
    r#""type":"AGENT_END","finishedReason":"completed""#,
    r#""type":"MODEL_CALL_START""#,
    r#""type":"MODEL_CALL_END","inputTokens":3,"outputTokens":18446744073709551615"#,
    r#""type":"MODEL_CALL_END","inputTokens":3,"outputTokens":4,"retry":{"attempt":1,"maxRetries":3,"delayMs":10}"#,
    r#""type":"TEXT_BLOCK_START","blockId":"B""#,
    r#""type":"TEXT_BLOCK_DELTA","blockId":"B","delta":"té""#,
    r#""type":"TEXT_BLOCK_END","blockId":"B""#,
    r#""type":"TEXT_BLOCK_END","blockId":"B","text":"whole""#,
    r#""type":"THINKING_BLOCK_START","blockId":"B""#,
    r#""type":"THINKING_BLOCK_DELTA","blockId":"B","delta":"hm""#,
    r#""type":"THINKING_BLOCK_END","blockId":"B","metadata":{"signature":"S","taskId":"t"}"#,
    r#""type":"DATA_BLOCK_START","blockId":"B","mediaType":"image/png""#,
    r#""type":"DATA_BLOCK_DELTA","blockId":"B","mediaType":"image/png","data":"AQ==""#,
    r#""type":"DATA_BLOCK_DELTA","blockId":"B","mediaType":"image/png","data":"*""#,
    r#""type":"DATA_BLOCK_DELTA","blockId":"B","mediaType":"image/png","url":"u://x""#,
    r#""type":"DATA_BLOCK_END","blockId":"B""#,
    r#""type":"TOOL_CALL_START","toolCallId":"C","toolCallName":"f""#,
    r#""type":"TOOL_CALL_DELTA","toolCallId":"C","delta":"{\"a\":1}""#,
    r#""type":"TOOL_CALL_DELTA","toolCallId":"C","delta":"{\"a""#,
    r#""type":"TOOL_CALL_END","toolCallId":"C""#,
    r#""type":"TOOL_RESULT_START","toolCallId":"C","toolCallName":"""#,
    r#""type":"TOOL_RESULT_TEXT_DELTA","toolCallId":"C","delta":"out""#,
    r#""type":"TOOL_RESULT_DATA_DELTA","toolCallId":"C","blockId":"B","mediaType":"image/png","data":"AgM=""#,
    r#""type":"TOOL_RESULT_DATA_DELTA","toolCallId":"C","mediaType":"image/png","url":"u://y""#,
    r#""type":"TOOL_RESULT_END","toolCallId":"C","state":"success","metadata":{"k":1}"#,
    r#""type":"TOOL_RESULT_END","toolCallId":"C","state":"running""#,
    r#""type":"EXCEED_MAX_ITERS","maxIters":3,"currentIter":3"#,
    r#""type":"REQUEST_STOP","generateReason":"INTERRUPTED""#,
    r#""type":"REQUIRE_USER_CONFIRM","toolCalls":[{"type":"tool_use","id":"C","name":"f","input":{"b":1,"a":2}}]"#,
    r#""type":"USER_CONFIRM_RESULT","confirmResults":[{"confirmed":true,"toolCall":{"type":"tool_use","id":"C","name":"g","input":{"a":3}}}]"#,
    r#""type":"USER_CONFIRM_RESULT","confirmResults":[{"confirmed":false,"toolCall":{"type":"tool_use","id":"C","name":"f","input":{}}}]"#,
    r#""type":"REQUIRE_EXTERNAL_EXECUTION","toolCalls":[{"type":"tool_use","id":"C","name":"f","input":{}}]"#,
    r#""type":"EXTERNAL_EXECUTION_RESULT","toolResults":[{"type":"tool_result","id":"C","name":"f","output":[{"type":"text","text":"o"}],"state":"success"}]"#,
    r#""type":"SUBAGENT_EXPOSED","subagentId":"a","agentId":"b","sessionId":"s""#,
    r#""type":"HINT_BLOCK","blockId":"B","hint":"h""#,
    r#""type":"USER_INTERRUPT""#,
    r#""type":"AGENT_RESULT""#,
    r#""type":"ALL_TOOLS_DENIED","deniedToolCalls":[]"#,
    r#""type":"CUSTOM","name":"n","value":{}"#,
    r#""type":"FROM_THE_FUTURE""#,
];

/// Events of two replies and two speakers, each with an id of its own.
pub(crate) fn log() -> BoxedStrategy<Vec<AgentEvent>> {
    let event = (0..BODIES.len(), 0..2_u8, 0..2_u8, 0..8_u8, any::<bool>());
    vec(event, 0..60)
        .prop_map(|drawn| {
            let events = drawn.into_iter().enumerate().map(|(at, (body, block, call, reply, absent))| {
                let body = BODIES[body].replace("\"B\"", &format!("\"b{block}\"")).replace("\"C\"", &format!("\"c{call}\""));
                let reply = if reply == 0 { "r2" } else { "r1" };
                let source = if reply == "r2" && block == 0 { r#","source":"main/helper""# } else { "" };
                let envelope = format!(r#""id":"e{at}","createdAt":"T{at}","replyId":"{reply}"{source}"#);
                let mut event = AgentEvent::from_json(&format!("{{{body},{envelope}}}")).unwrap();
                event.absent.block_id = absent && block == 1 && event.block_id().is_some();
                event
            });
            events.collect()
        })
        .boxed()
}
