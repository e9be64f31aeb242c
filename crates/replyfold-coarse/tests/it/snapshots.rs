//! Real logs as a front end sees them: the coarse stream and the timeline.

use crate::corpus::{collapse, events, logs};
use replyfold_coarse::Timeline;

const LOGS: [&str; 15] = [
    "java/logs/confirm-allowed",
    "java/logs/confirm-edited",
    "java/logs/denied-by-rule",
    "java/logs/external-partial",
    "java/logs/fallback-model",
    "java/logs/text-single",
    "java/logs/tool-returns-error",
    "python/runs/a2a_artifact_stream",
    "python/runs/allowed_bypass_mode",
    "python/runs/exceed_max_iters_text",
    "python/runs/tool_not_found",
    "python/runs/ask_confirmed",
    "python/runs/ask_confirmed_modified_input",
    "python/runs/mixed_hitl",
    "python/runs/model_error_mid_stream",
];

#[test]
fn real_logs_look_as_they_did() {
    let logs = logs();
    for name in LOGS {
        let log =
            logs.iter().find(|log| log.to_string_lossy().contains(&format!("{name}.events.jsonl"))).unwrap_or_else(|| panic!("no {name}"));
        let mut shown = String::new();
        for (reply, stream) in collapse(&events(log)) {
            shown.push_str(&format!("reply {reply}\n"));
            let mut timeline = Timeline::new();
            for event in &stream {
                timeline.apply(event);
                shown.push_str(&format!("{}\n", event.to_json()));
            }
            shown.push_str(&format!("timeline {}\n", timeline.to_json()));
        }
        insta::assert_snapshot!(name.replace('/', "__"), shown);
    }
}
