//! Reads recorded event logs: JSONL, SSE captures and JSON arrays, plain or compressed.
