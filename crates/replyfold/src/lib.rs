//! Event streams of LLM agents: typed events, folding into messages, dialects, logs.
