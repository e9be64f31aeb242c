//! Logs for proptest, as lines: any order of events in any dialect, with few ids, repetitions, blank lines, envelopes and lines that are no
//! events; and what only Java's logs have, ids of their own and none at all.

use proptest::collection::vec;
use proptest::prelude::*;
use replyfold_dialect::{Dialect, write_event};
use replyfold_event::AgentEvent;

/// Payloads; `B` stands for a block id, `C` for a call id. Pieces come more than once, so that runs of them come about.
const BODIES: &[&str] = &[
    r#""type":"AGENT_START","role":"assistant","name":"Friday""#,
    r#""type":"AGENT_START","role":"assistant","name":"Friday","sessionId":"s""#,
    r#""type":"AGENT_END","finishedReason":"completed""#,
    r#""type":"MODEL_CALL_START""#,
    r#""type":"MODEL_CALL_END","inputTokens":3,"outputTokens":4"#,
    r#""type":"MODEL_CALL_END","inputTokens":3,"outputTokens":4,"retry":{"attempt":1,"maxRetries":3,"delayMs":10}"#,
    r#""type":"TEXT_BLOCK_START","blockId":"B""#,
    r#""type":"TEXT_BLOCK_END","blockId":"B""#,
    r#""type":"TEXT_BLOCK_END","blockId":"B","text":"whole""#,
    r#""type":"THINKING_BLOCK_START","blockId":"B""#,
    r#""type":"THINKING_BLOCK_END","blockId":"B","metadata":{"signature":"S","taskId":"t"}"#,
    r#""type":"DATA_BLOCK_START","blockId":"B","mediaType":"image/png""#,
    r#""type":"DATA_BLOCK_DELTA","blockId":"B","mediaType":"image/png","data":"*""#,
    r#""type":"DATA_BLOCK_DELTA","blockId":"B","mediaType":"image/png","url":"u://x""#,
    r#""type":"DATA_BLOCK_END","blockId":"B""#,
    r#""type":"TOOL_CALL_START","toolCallId":"C","toolCallName":"f""#,
    r#""type":"TOOL_CALL_END","toolCallId":"C""#,
    r#""type":"TOOL_RESULT_START","toolCallId":"C","toolCallName":"""#,
    r#""type":"TOOL_RESULT_DATA_DELTA","toolCallId":"C","mediaType":"image/png","url":"u://y""#,
    r#""type":"TOOL_RESULT_DATA_DELTA","toolCallId":"C","mediaType":"image/png","data":"AgM=""#,
    r#""type":"TOOL_RESULT_END","toolCallId":"C","state":"success","metadata":{"k":1}"#,
    r#""type":"TOOL_RESULT_END","toolCallId":"C","state":"running""#,
    r#""type":"EXCEED_MAX_ITERS","maxIters":3,"currentIter":3"#,
    r#""type":"REQUEST_STOP","generateReason":"PERMISSION_ASKING""#,
    r#""type":"REQUIRE_USER_CONFIRM","toolCalls":[{"type":"tool_use","id":"C","name":"f","input":{"b":1,"a":2}}]"#,
    r#""type":"USER_CONFIRM_RESULT","confirmResults":[{"confirmed":true,"toolCall":{"type":"tool_use","id":"C","name":"g","input":{"a":3}}}]"#,
    r#""type":"USER_CONFIRM_RESULT","confirmResults":[{"confirmed":false,"toolCall":{"type":"tool_use","id":"C","name":"f","input":{}}}]"#,
    r#""type":"REQUIRE_EXTERNAL_EXECUTION","toolCalls":[{"type":"tool_use","id":"C","name":"f","input":{}}]"#,
    r#""type":"EXTERNAL_EXECUTION_RESULT","toolResults":[{"type":"tool_result","id":"C","name":"f","output":[{"type":"text","text":"o"}],"state":"success"}]"#,
    r#""type":"SUBAGENT_EXPOSED","subagentId":"a","agentId":"b","sessionId":"s""#,
    r#""type":"HINT_BLOCK","blockId":"B","hint":"h""#,
    r#""type":"USER_INTERRUPT""#,
    r#""type":"AGENT_RESULT""#,
    r#""type":"CUSTOM","name":"n","value":{}"#,
    r#""type":"FROM_THE_FUTURE""#,
];

/// Pieces, drawn as runs.
const PIECES: &[(&str, &[&str])] = &[
    (r#""type":"TEXT_BLOCK_DELTA","blockId":"B","delta":"#, &[r#""té""#, r#""""#, r#""\"\\n\ud83d\ude80\n""#, r#""x""#]),
    (r#""type":"THINKING_BLOCK_DELTA","blockId":"B","delta":"#, &[r#""hm""#, r#"" ""#]),
    (r#""type":"TOOL_CALL_DELTA","toolCallId":"C","delta":"#, &[r#""{\"a\":1}""#, r#""{\"a""#, r#""\":[1""#, r#""]}""#]),
    (r#""type":"TOOL_RESULT_TEXT_DELTA","toolCallId":"C","delta":"#, &[r#""out""#, r#""""#, r#""put\r\n""#]),
    (r#""type":"DATA_BLOCK_DELTA","blockId":"B","mediaType":"image/png","data":"#, &[r#""AQ==""#, r#""AgME""#, r#""A Q""#, r#""*""#]),
    (r#""type":"TOOL_RESULT_DATA_DELTA","toolCallId":"C","blockId":"B","mediaType":"image/png","data":"#, &[r#""AQ==""#, r#""AgM""#]),
];

/// What is drawn for one or a few lines.
#[derive(Clone, Debug)]
enum Drawn {
    Event {
        body: usize,
        at: Address,
    },
    Run {
        piece: usize,
        texts: Vec<usize>,
        at: Address,
    },
    /// The line this far back once more.
    Again(usize),
    Odd(&'static str),
}

#[derive(Clone, Copy, Debug)]
struct Address {
    block: u8,
    call: u8,
    reply: u8,
    shape: u8,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let address = || (0..2_u8, 0..2_u8, 0..10_u8, 0..8_u8).prop_map(|(block, call, reply, shape)| Address { block, call, reply, shape });
    let odd = [
        "nonsense",
        r#"{"type":"TEXT_BL"#,
        r#"{"type":"TEXT_BLOCK_DELTA","reply_id":"r1","block_id":"b1","delta":"\ud83d"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","id":"half","replyId":"r1","blockId":"b1","delta":"\ude80"}"#,
        r#"{"type":"CUSTOM","created_at":"t","name":"n","value":{"x":NaN}}"#,
        r#"{"type":"session_created","id":"e1"}"#,
        r#"{"seq":3,"payload":{"type":"TEXT_BLOCK_DELTA","id":"wrapped","replyId":"r1","blockId":"b1","delta":"in"}}"#,
        r#"{"seq":4,"payload":{"type":"TEXT_BLOCK_DELTA","id":"wrapped too","replyId":"r1","blockId":"b1","delta":"side"}}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","reply_id":"r1","block_id":"b1","delta":"p"}"#,
        "",
        "  ",
    ];
    prop_oneof![
        6 => (0..BODIES.len(), address()).prop_map(|(body, at)| Drawn::Event { body, at }),
        6 => (0..PIECES.len(), vec(0..4_usize, 1..6), address()).prop_map(|(piece, texts, at)| Drawn::Run { piece, texts, at }),
        1 => (0..12_usize).prop_map(Drawn::Again),
        1 => proptest::sample::select(odd.to_vec()).prop_map(Drawn::Odd),
    ]
}

/// The text of a log of one dialect.
pub(crate) fn log() -> BoxedStrategy<String> {
    let dialects = proptest::sample::select(Dialect::ALL.to_vec());
    (dialects, vec(drawn(), 0..40), any::<bool>(), any::<bool>())
        .prop_map(|(dialect, drawn, carriage, ended)| {
            let mut lines = Vec::new();
            for drawn in drawn {
                match drawn {
                    Drawn::Event { body, at } => lines.push(line(dialect, BODIES[body], at, lines.len())),
                    Drawn::Run { piece, texts, at } => {
                        let (head, pieces) = PIECES[piece];
                        for text in texts {
                            lines.push(line(dialect, &format!("{head}{}", pieces[text % pieces.len()]), at, lines.len()));
                        }
                    }
                    Drawn::Again(back) => lines.extend(lines.len().checked_sub(back + 1).map(|at| lines[at].clone())),
                    Drawn::Odd(text) => lines.push(text.to_owned()),
                }
            }
            let end = if carriage { "\r\n" } else { "\n" };
            let mut log = lines.join(end);
            if ended {
                log.push_str(end);
            }
            log
        })
        .boxed()
}

fn line(dialect: Dialect, body: &str, at: Address, number: usize) -> String {
    let body = body.replace("\"B\"", &format!("\"b{}\"", at.block)).replace("\"C\"", &format!("\"c{}\"", at.call));
    let reply = if at.reply == 0 { "r2" } else { "r1" };
    let source = if at.reply < 2 { r#","source":"main/helper""# } else { "" };
    let envelope = format!(r#""id":"e{number}","createdAt":"T{number}","replyId":"{reply}"{source}"#);
    let event = AgentEvent::from_json(&format!("{{{envelope},{body}}}")).unwrap();
    let mut out = Vec::new();
    write_event(&event, dialect, &mut out);
    if out.is_empty() {
        event.write_json(&mut out);
    }
    let mut text = String::from_utf8(out).unwrap();
    if dialect == Dialect::Java {
        // Ids of a run, a model call and none; the constants that Java calls its blocks by; and the mark of its lines.
        text = match at.shape {
            0 => text.replace(r#","replyId":"r1""#, "").replace(r#","blockId":"b0""#, ""),
            1 | 2 => text.replace(r#""replyId":"r1""#, r#""replyId":"call1""#).replace(r#""blockId":"b0""#, r#""blockId":"text""#),
            3 => text.replace(r#""replyId":"r1""#, r#""replyId":"call2""#).replace(r#""blockId":"b0""#, r#""blockId":"text""#),
            4 => text.replace(r#","toolCallId":"c0""#, ""),
            _ => text,
        };
        if text.ends_with('}') {
            text.insert_str(text.len() - 1, &format!(r#","type":"{}""#, event.type_name()));
        }
    }
    text
}
