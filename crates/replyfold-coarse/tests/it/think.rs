//! Section 4 with section 11: think tags.

use proptest::prelude::*;
use replyfold_coarse::{Piece, ThinkOptions, ThinkSplitter, split_think_tags, strip_think_tags};

/// Text and thinking of a text that comes in these pieces.
pub(crate) fn split(chunks: &[&str], options: ThinkOptions) -> (String, String) {
    let mut splitter = ThinkSplitter::new(options);
    let mut pieces: Vec<Piece> = Vec::new();
    for chunk in chunks {
        pieces.extend(splitter.push(chunk));
    }
    pieces.extend(splitter.finish());
    let (mut text, mut thinking) = (String::new(), String::new());
    for piece in pieces {
        match piece {
            Piece::Text(piece) => {
                assert!(!piece.is_empty());
                text.push_str(&piece);
            }
            Piece::Thinking(piece) => {
                assert!(!piece.is_empty());
                thinking.push_str(&piece);
            }
        }
    }
    (text, thinking)
}

fn expect(chunks: &[&str], text: &str, thinking: &str) {
    assert_eq!(split(chunks, ThinkOptions::new()), (text.to_owned(), thinking.to_owned()), "{chunks:?}");
    let whole = chunks.concat();
    assert_eq!(split_think_tags(&whole, ThinkOptions::new()), (text.to_owned(), thinking.to_owned()), "{whole:?}");
    assert_eq!(strip_think_tags(&whole), text);
}

#[test]
fn the_table_of_chunks_gives_its_events() {
    expect(&["<think>a</think>b"], "b", "a");
    expect(&["<th", "ink>a</thi", "nk>b"], "b", "a");
    expect(&["a < b"], "a < b", "");
    expect(&["<thin"], "<thin", "");
    expect(&["<think>a"], "", "a");
}

#[test]
fn tags_with_attributes_and_of_both_names_count_and_others_do_not() {
    expect(&["<think type=\"x\">a</think >b"], "b", "a");
    expect(&["<thinking>a</thinking>b"], "b", "a");
    expect(&["<thinking n=1>a</think>b"], "b", "a");
    expect(&["<thinker>a</thinker>"], "<thinker>a</thinker>", "");
    expect(&["<thinks>"], "<thinks>", "");
    expect(&["< think>", "<//think>", "<think/>"], "< think><//think><think/>", "");
    expect(&["<think a<think>b"], "<think a", "b");
    expect(&["<think\n>b"], "<think\n>b", "");
}

#[test]
fn several_blocks_stray_closers_and_inner_openers_are_dropped() {
    expect(&["<think>a</think>b<think>c</think>d"], "bd", "ac");
    expect(&["a</think>b"], "ab", "");
    expect(&["<think>a<think>b</think>c"], "c", "ab");
    expect(&["<<think>a</think>"], "<", "a");
}

#[test]
fn white_space_is_kept_and_one_line_break_dropped_on_request() {
    expect(&["<think>a</think>\n\nb"], "\n\nb", "a");
    let drop = ThinkOptions::new().with_drop_line_break(true);
    let text = |chunks: &[&str]| split(chunks, drop.clone()).0;
    assert_eq!(text(&["<think>a</think>\n\nb"]), "\nb");
    assert_eq!(text(&["<think>a</think>\r", "\nb"]), "b");
    assert_eq!(text(&["<think>a</think>\r"]), "\r");
    assert_eq!(text(&["<think>a</think>\rb"]), "\rb");
    assert_eq!(text(&["\n<think>a</think>b\n"]), "\nb\n");
}

#[test]
fn tags_in_code_of_the_answer_are_text_unless_switched_off() {
    expect(&["use `<think>` here <think>a</think>b"], "use `<think>` here b", "a");
    expect(&["``a ` <think>`` <think>b"], "``a ` <think>`` ", "b");
    expect(&["```xml\n<think>x</think>\n", "```\n<think>b"], "```xml\n<think>x</think>\n```\n", "b");
    expect(&["~~~\n<think>\n~~~\n</think>c"], "~~~\n<think>\n~~~\nc", "");
    expect(&["   ````\n```\n<think>\n````\n<think>b"], "   ````\n```\n<think>\n````\n", "b");
    // A span ends with its line, and thinking has no code.
    expect(&["it`s\n<think>a"], "it`s\n", "a");
    expect(&["<think>`a</think>b`"], "b`", "`a");
    let off = ThinkOptions::new().with_code_spans(false);
    assert_eq!(split(&["`<think>a`"], off), ("`".to_owned(), "a`".to_owned()));
}

#[test]
fn a_text_may_begin_inside_and_names_may_be_others() {
    let inside = ThinkOptions::new().with_starts_inside(true);
    assert_eq!(split(&["a</think>b"], inside.clone()), ("b".to_owned(), "a".to_owned()));
    assert_eq!(split(&["<think>a"], inside), (String::new(), "a".to_owned()));
    let names = ThinkOptions::new().with_names(["Reason"]);
    assert_eq!(split(&["<reason>a</REASON><think>"], names), ("<think>".to_owned(), "a".to_owned()));
}

#[test]
fn what_is_held_back_never_exceeds_a_tag() {
    let mut splitter = ThinkSplitter::new(ThinkOptions::new());
    let long = format!("<think {}", "x".repeat(10_000));
    let mut shown = 0;
    for (index, char) in long.chars().enumerate() {
        for piece in splitter.push(char.encode_utf8(&mut [0; 4])) {
            match piece {
                Piece::Text(text) | Piece::Thinking(text) => shown += text.len(),
            }
        }
        assert!(index + 1 - shown <= 256, "{} held back after {index}", index + 1 - shown);
    }
    assert!(shown > 9_000);
}

proptest! {
    #[test]
    fn any_chunking_gives_what_the_whole_text_gives(
        text in proptest::collection::vec(prop::sample::select(vec!["<", "/", "t", "h", "i", "n", "k", ">", "a", "\n", "é", "漢", "`", "~", " ", "\r", "<think>", "</think>", "```", "<think a"]), 0..40),
        cuts in proptest::collection::vec(any::<bool>(), 200),
        inside: bool, code: bool, drop: bool,
    ) {
        let text = text.concat();
        let options = ThinkOptions::new().with_starts_inside(inside).with_code_spans(code).with_drop_line_break(drop);
        let mut chunks = vec![String::new()];
        for (index, char) in text.chars().enumerate() {
            if cuts.get(index).copied().unwrap_or_default() {
                chunks.push(String::new());
            }
            chunks.last_mut().unwrap().push(char);
        }
        let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
        prop_assert_eq!(split(&chunks, options.clone()), split_think_tags(&text, options));
    }

    #[test]
    fn text_of_the_tag_alphabet_alone_is_the_same_in_any_chunks(text in "[</think>a\né漢]{0,60}", size in 1_usize..7) {
        let chars: Vec<char> = text.chars().collect();
        let chunks: Vec<String> = chars.chunks(size).map(|chunk| chunk.iter().collect()).collect();
        let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
        prop_assert_eq!(split(&chunks, ThinkOptions::new()), split_think_tags(&text, ThinkOptions::new()));
    }

    #[test]
    fn text_without_a_tag_comes_out_as_it_went_in(text in "[^<]{0,60}") {
        prop_assert_eq!(strip_think_tags(&text), text);
    }
}
