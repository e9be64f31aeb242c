//! Logs for proptest: any order of events of every type, with so few ids that they collide; and logs as a sound agent writes them.

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

/// A well-formed log of one reply, and what its message has to say, block by block.
#[derive(Clone, Debug)]
pub(crate) struct WellFormed {
    pub(crate) events: Vec<AgentEvent>,
    /// Kind and content of each block, in the order of the starts.
    pub(crate) blocks: Vec<(&'static str, String)>,
}

/// One block as it is drawn: its kind, and its pieces.
type Drawn = (u8, Vec<String>);

/// Model calls of several blocks. The blocks of one call stream side by side: `turns` says whose piece comes next.
pub(crate) fn well_formed() -> BoxedStrategy<WellFormed> {
    let block = (0..3_u8, vec("[a-zé漢 \"\\\\]{0,4}", 0..5));
    vec((vec(block, 0..4), vec(0..4_usize, 0..24)), 0..4).prop_map(written).boxed()
}

fn written(calls: Vec<(Vec<Drawn>, Vec<usize>)>) -> WellFormed {
    let (mut bodies, mut blocks) = (vec![r#""type":"AGENT_START","role":"assistant""#.to_owned()], Vec::new());
    let mut next = 0;
    for (drawn, turns) in calls {
        bodies.push(r#""type":"MODEL_CALL_START""#.to_owned());
        let mut streams: Vec<std::vec::IntoIter<String>> = Vec::new();
        let mut results = Vec::new();
        for (kind, pieces) in drawn {
            next += 1;
            streams.push(stream(kind, next, &pieces, &mut blocks).into_iter());
            if kind == 2 {
                results.push(next);
            }
        }
        // Starts come first, in order, since blocks stand in the order of their starts.
        bodies.extend(streams.iter_mut().filter_map(Iterator::next));
        let order = turns.into_iter().chain((0..streams.len()).flat_map(|at| std::iter::repeat_n(at, 8)));
        for at in order {
            bodies.extend(streams.get_mut(at).and_then(Iterator::next));
        }
        bodies.push(r#""type":"MODEL_CALL_END","inputTokens":1,"outputTokens":1"#.to_owned());
        for id in results {
            blocks.push(("tool_result", format!("out{id}")));
            bodies.push(format!(r#""type":"TOOL_RESULT_START","toolCallId":"c{id}","toolCallName":"f""#));
            bodies.push(format!(r#""type":"TOOL_RESULT_TEXT_DELTA","toolCallId":"c{id}","delta":"out{id}""#));
            bodies.push(format!(r#""type":"TOOL_RESULT_END","toolCallId":"c{id}","state":"success""#));
        }
    }
    bodies.push(r#""type":"AGENT_END","finishedReason":"completed""#.to_owned());
    let event =
        |(at, body): (usize, String)| AgentEvent::from_json(&format!(r#"{{{body},"id":"e{at}","createdAt":"T{at}","replyId":"r1"}}"#));
    WellFormed { events: bodies.into_iter().enumerate().map(event).collect::<Result<_, _>>().unwrap(), blocks }
}

/// The start, pieces and end of one block; what it says goes to `blocks`.
fn stream(kind: u8, id: usize, pieces: &[String], blocks: &mut Vec<(&'static str, String)>) -> Vec<String> {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let text = pieces.concat();
    let (name, field, pieces) = match kind {
        0 => ("TEXT_BLOCK", "blockId", pieces.to_vec()),
        1 => ("THINKING_BLOCK", "blockId", pieces.to_vec()),
        // The arguments are one object, cut where the pieces are.
        _ => {
            let inner = quoted(&text);
            let whole = format!(r#"{{"q":{inner}}}"#);
            let cut = whole.char_indices().nth(whole.chars().count() / 2).map_or(0, |(at, _)| at);
            ("TOOL_CALL", "toolCallId", vec![whole[..cut].to_owned(), whole[cut..].to_owned()])
        }
    };
    blocks.push(match kind {
        0 => ("text", text),
        1 => ("thinking", text),
        _ => ("tool_use", pieces.concat()),
    });
    let (letter, extra) = if kind == 2 { ("c", r#","toolCallName":"f""#) } else { ("b", "") };
    let address = format!(r#""{field}":"{letter}{id}""#);
    let mut out = vec![format!(r#""type":"{name}_START",{address}{extra}"#)];
    out.extend(pieces.iter().map(|piece| format!(r#""type":"{name}_DELTA",{address},"delta":{}"#, quoted(piece))));
    out.push(format!(r#""type":"{name}_END",{address}"#));
    out
}
