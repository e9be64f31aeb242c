//! Blocks of every kind, nested ones among them.

use super::{object, rules, text, time};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use replyfold_message::{
    Block, BlockId, DataBlock, DataSource, Hint, HintBlock, Media, TextBlock, ThinkingBlock, ToolCallBlock, ToolCallState, ToolResultBlock,
    ToolResultState,
};

pub(super) fn block_id() -> BoxedStrategy<BlockId> {
    text().prop_map(|text| BlockId::new(&text)).boxed()
}

pub(super) fn url() -> BoxedStrategy<String> {
    let urls = ["https://example.com/a%20b?c=d#e", "HTTP://EXAMPLE.com", "data:image/png;base64,AAAA", "nope"];
    prop_oneof![3 => select(urls.to_vec()).prop_map(str::to_owned), 1 => text()].boxed()
}

/// Base64 text, valid or not.
pub(super) fn base64() -> BoxedStrategy<String> {
    let texts = ["", "AA==", "AQID", "AB==", "AA", "***", "A Q I D"];
    prop_oneof![3 => select(texts.to_vec()).prop_map(str::to_owned), 1 => text()].boxed()
}

pub(super) fn media_type() -> BoxedStrategy<String> {
    let types = ["image/png", "application/octet-stream", "x/Y; a=\"é\""];
    prop_oneof![3 => select(types.to_vec()).prop_map(str::to_owned), 1 => text()].boxed()
}

fn text_block() -> BoxedStrategy<Block> {
    (of(block_id()), text(), of(time()), of(time()))
        .prop_map(|(id, text, created_at, finished_at)| {
            let mut block = TextBlock::new(text);
            (block.id, block.created_at, block.finished_at) = (id, created_at, finished_at);
            block.into()
        })
        .boxed()
}

fn data_block() -> BoxedStrategy<Block> {
    let source = prop_oneof![
        (media_type(), base64()).prop_map(|(media_type, text)| DataSource::base64(media_type, Media::from_base64(&text))),
        (url(), of(media_type())).prop_map(|(url, media_type)| DataSource::url(url, media_type)),
    ];
    (source, of(block_id()), of(text()), of(time()), of(time()))
        .prop_map(|(source, id, name, created_at, finished_at)| {
            let mut block = DataBlock::new(source);
            (block.id, block.name, block.created_at, block.finished_at) = (id, name, created_at, finished_at);
            block.into()
        })
        .boxed()
}

fn thinking_block() -> BoxedStrategy<Block> {
    (of(block_id()), text(), object(), of(time()), of(time()))
        .prop_map(|(id, thinking, metadata, created_at, finished_at)| {
            let mut block = ThinkingBlock::new(thinking);
            (block.id, block.metadata, block.created_at, block.finished_at) = (id, metadata, created_at, finished_at);
            block.into()
        })
        .boxed()
}

/// A call whose text and input agree, or do not: a call that still streams has no input.
pub(super) fn call() -> BoxedStrategy<ToolCallBlock> {
    let content = prop_oneof![object().prop_map(|input| input.as_str().to_owned()), Just(r#"{"path":"/t"#.to_owned()), text()];
    let arguments = prop_oneof![
        3 => content.clone().prop_map(|content| (None, content)),
        1 => (object(), content).prop_map(|(input, content)| (Some(input), content)),
        1 => object().prop_map(|input| (Some(input), String::new())),
    ];
    (text(), text(), arguments, select(ToolCallState::ALL), rules(), of(time()), of(time()))
        .prop_map(|(id, name, (input, content), state, rules, created_at, finished_at)| {
            let mut call = ToolCallBlock::new(id, name).with_content(content).with_state(state).with_suggested_rules(rules);
            call.input = input.unwrap_or(call.input);
            (call.created_at, call.finished_at) = (created_at, finished_at);
            call
        })
        .boxed()
}

pub(super) fn result(output: BoxedStrategy<Block>) -> BoxedStrategy<ToolResultBlock> {
    (text(), text(), vec(output, 0..3), select(ToolResultState::ALL), object(), of(time()), of(time()))
        .prop_map(|(id, name, output, state, metadata, created_at, finished_at)| {
            let mut result = ToolResultBlock::new(id, name).with_output(output).with_state(state).with_metadata(metadata);
            (result.created_at, result.finished_at) = (created_at, finished_at);
            result
        })
        .boxed()
}

pub(super) fn hint(blocks: BoxedStrategy<Block>) -> BoxedStrategy<Hint> {
    prop_oneof![text().prop_map(Hint::Text), vec(blocks, 0..3).prop_map(Hint::Blocks)].boxed()
}

fn hint_block(blocks: BoxedStrategy<Block>) -> BoxedStrategy<Block> {
    (of(block_id()), hint(blocks), of(text()), of(time()), of(time()))
        .prop_map(|(id, hint, source, created_at, finished_at)| {
            let mut block = HintBlock::new(hint);
            (block.id, block.source, block.created_at, block.finished_at) = (id, source, created_at, finished_at);
            block.into()
        })
        .boxed()
}

/// A text or data block: what outputs, hints and a person's messages hold.
pub(super) fn part() -> BoxedStrategy<Block> {
    prop_oneof![text_block(), data_block()].boxed()
}

/// A text block: what a host's messages hold.
pub(super) fn plain() -> BoxedStrategy<Block> {
    text_block()
}

/// Any block, in two levels.
pub(super) fn block() -> BoxedStrategy<Block> {
    let flat = prop_oneof![2 => part(), 1 => thinking_block(), 1 => call().prop_map(Block::from)].boxed();
    let nested = result(flat.clone()).prop_map(Block::from);
    prop_oneof![3 => flat.clone(), 2 => nested, 1 => hint_block(flat)].boxed()
}
