//! Pieces of text as models send them: a few tokens each, some with escapes, some beyond ASCII.

use fastrand::Rng;

const WORDS: &[&str] = &[
    "the",
    " answer",
    " is",
    " that",
    " we",
    " first",
    " look",
    " at",
    " what",
    " users",
    " wrote",
    ",",
    " then",
    " compare",
    " both",
    " results",
    ".",
    " It",
    " follows",
    " from",
    " one",
    " rule",
    ":",
    " every",
    " reply",
    " ends",
    " once",
    " and",
    " no",
    " event",
    " is",
    " lost",
    " in",
    " between",
    ";",
    " check",
    " it",
    " again",
    " with",
    " another",
    " file",
    " because",
    " numbers",
    " may",
    " differ",
    " by",
    " a",
    " rounding",
    " error",
    " (",
    "see",
    " below",
    ")",
    " —",
    " about",
    " 12",
    " %",
    " less",
    " memory",
    " than",
    " before",
    "!",
];

const ESCAPED: &[&str] = &["\n", "\n\n", "\n- ", "\"", " \"yes\"", "\t", "\\", "```\n", "\n    return", "\r\n"];

const FOREIGN: &[&str] =
    &["你好", "世界", "，我们", "先看", "结果", "こんにちは", "データ", "한국어", "é", "naïve", "🙂", "👩‍💻", "🚀 ", "½", "π≈3"];

/// A piece of text, 10 to 40 bytes more often than not.
pub(super) fn piece(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.usize(2..=5) {
        let list = match rng.u8(..100) {
            0..5 => ESCAPED,
            5..9 => FOREIGN,
            _ => WORDS,
        };
        text.push_str(list[rng.usize(..list.len())]);
    }
    text
}

/// The arguments of a call: the JSON text of an object.
pub(super) fn arguments(rng: &mut Rng) -> String {
    let (query, note) = (piece(rng) + &piece(rng), piece(rng) + &piece(rng) + &piece(rng));
    let quote = |text: &str| serde_json::Value::from(text).to_string();
    format!(
        r#"{{"query": {}, "limit": {}, "path": "src/part_{}.rs", "exact": {}, "note": {}}}"#,
        quote(&query),
        rng.u32(1..500),
        rng.u32(..1000),
        rng.bool(),
        quote(&note)
    )
}

/// Cuts a text into pieces of these sizes in bytes, between characters.
pub(super) fn cut(mut text: &str, mut size: impl FnMut() -> usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let mut end = size().clamp(1, text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let (piece, rest) = text.split_at(end);
        pieces.push(piece);
        text = rest;
    }
    pieces
}
