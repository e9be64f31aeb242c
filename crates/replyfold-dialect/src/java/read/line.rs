//! The fields of one camelCase line, and what it leaves out.

use super::{Extra, Lenience};
use crate::java::blocks::read_block;
use crate::java::messages::read_usage;
use crate::java::scalars::{Object, count};
use replyfold_event::{Absent, MediaDelta, Payload, ToolResultDataDelta, ToolResultTextDelta};
use replyfold_message::json::{DecodeError, JsonText, Value, ValueKind};
use replyfold_message::{Block, BlockId, DataSource, ReplyId, ToolCallId, Usage};

/// One line while it is read.
pub(super) struct Line<'f, 'a> {
    pub(super) object: Object<'f, 'a>,
    pub(super) extra: Extra,
    pub(super) missing: Absent,
}

impl<'a> Line<'_, 'a> {
    /// A string that the taxonomy demands; Java demands none.
    pub(super) fn demanded(&mut self, key: &'static str) -> Result<String, DecodeError> {
        match (self.object.string(key)?, self.object.lenience) {
            (Some(text), _) => Ok(text),
            (None, Lenience::Jackson) => {
                self.extra.absent.push(key);
                Ok(String::new())
            }
            (None, Lenience::Taxonomy) => Err(DecodeError::missing(key)),
        }
    }

    /// A string that any line may leave out.
    pub(super) fn allowed_gap(&mut self, key: &'static str) -> Result<String, DecodeError> {
        let found = self.object.string(key)?;
        if found.is_none() {
            self.extra.absent.push(key);
        }
        Ok(found.unwrap_or_default())
    }

    /// An id that the taxonomy demands, and whether it is missing.
    pub(super) fn id<T: for<'t> From<&'t str>>(&mut self, key: &'static str) -> Result<(T, bool), DecodeError> {
        match (self.object.text(key)?, self.object.lenience) {
            (Some(text), _) => Ok((T::from(&text), false)),
            (None, Lenience::Jackson) => {
                self.extra.absent.push(key);
                Ok((T::from(""), true))
            }
            (None, Lenience::Taxonomy) => Err(DecodeError::missing(key)),
        }
    }

    pub(super) fn reply(&mut self) -> Result<ReplyId, DecodeError> {
        let (id, missing) = self.id("replyId")?;
        self.missing.reply_id = missing;
        Ok(id)
    }

    /// The reply of a start or an end, which any line may leave out: a forwarded child's has none.
    pub(super) fn open_reply(&mut self) -> Result<ReplyId, DecodeError> {
        let found = self.object.text("replyId")?;
        if found.is_none() {
            self.extra.absent.push("replyId");
            self.missing.reply_id = true;
        }
        Ok(ReplyId::new(&found.unwrap_or_default()))
    }

    pub(super) fn optional_reply(&mut self) -> Result<Option<ReplyId>, DecodeError> {
        Ok(self.object.text("replyId")?.map(|text| ReplyId::new(&text)))
    }

    pub(super) fn block(&mut self) -> Result<BlockId, DecodeError> {
        let (id, missing) = self.id("blockId")?;
        self.missing.block_id = missing;
        Ok(id)
    }

    pub(super) fn call(&mut self) -> Result<ToolCallId, DecodeError> {
        let (id, missing) = self.id("toolCallId")?;
        self.missing.tool_call_id = missing;
        Ok(id)
    }

    /// The tool's name where the taxonomy has none.
    pub(super) fn tool_name(&mut self) -> Result<(), DecodeError> {
        self.extra.tool_call_name = self.object.text("toolCallName")?.map(Into::into);
        Ok(())
    }

    /// A list that the taxonomy demands.
    pub(super) fn list<T>(
        &mut self,
        key: &'static str,
        read: impl FnMut(Value<'a>) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        match (self.object.optional(key, |value| value.list(read))?, self.object.lenience) {
            (Some(list), _) => Ok(list),
            (None, Lenience::Jackson) => Ok(Vec::new()),
            (None, Lenience::Taxonomy) => Err(DecodeError::missing(key)),
        }
    }

    /// Counts: flat in the taxonomy, an object in Java. Without either there are none.
    pub(super) fn usage(&mut self) -> Result<Option<Usage>, DecodeError> {
        let object = self.object;
        if let Some(usage) = object.optional("usage", |value| read_usage(value).map(|usage| (usage, JsonText::from(value))))? {
            self.extra.raw = Some(("usage", usage.1));
            return Ok(Some(usage.0));
        }
        let tokens = |key| object.optional(key, count);
        let (input, output) = (tokens("inputTokens")?, tokens("outputTokens")?);
        let (read, created) = (tokens("cacheInputTokens")?, tokens("cacheCreationInputTokens")?);
        match (input, output) {
            (None, None) if read.is_none() && created.is_none() => Ok(None),
            (Some(input), Some(output)) => {
                Ok(Some(Usage::new(input, output).with_cache(read.unwrap_or_default(), created.unwrap_or_default())))
            }
            (None, _) => Err(DecodeError::missing("inputTokens")),
            (_, None) => Err(DecodeError::missing("outputTokens")),
        }
    }

    /// A piece of a data block: `delta` in Java, `data` or `url` in the taxonomy.
    pub(super) fn block_media(&mut self) -> Result<MediaDelta, DecodeError> {
        let object = self.object;
        let lenience = object.lenience;
        let found = (object.string("delta")?, object.string("data")?, object.string("url")?);
        match found {
            (Some(data), None, None) | (None, Some(data), None) => Ok(MediaDelta::Base64(data)),
            (None, None, Some(url)) => Ok(MediaDelta::Url(url)),
            (None, None, None) if lenience == Lenience::Jackson => {
                self.extra.absent.push("delta");
                Ok(MediaDelta::Base64(String::new()))
            }
            (None, None, None) => Err(DecodeError::invalid("expected one of the fields `data`, `url` and `delta`, found none")),
            _ => Err(DecodeError::invalid("expected one of the fields `data`, `url` and `delta`, found several")),
        }
    }

    /// A piece of a result's media. Java sends a whole block: text is a text piece, media is split up, other kinds have no effect. The block
    /// is kept as it came.
    pub(super) fn result_media(&mut self) -> Result<Payload, DecodeError> {
        let object = self.object;
        let lenience = object.lenience;
        let (reply, call) = (self.reply()?, self.call()?);
        let data = object.fields.present("data");
        let block = match data {
            Some(value) if value.kind() == ValueKind::Object => {
                let block = read_block(value, lenience).map_err(|err| err.within("data"))?;
                self.extra.raw = Some(("data", value.into()));
                block
            }
            None if lenience == Lenience::Jackson && object.fields.present("url").is_none() => {
                self.extra.absent.push("data");
                return Ok(no_effect(reply, call));
            }
            _ => {
                let media = match (object.string("data")?, object.string("url")?) {
                    (Some(data), None) => MediaDelta::Base64(data),
                    (None, Some(url)) => MediaDelta::Url(url),
                    (None, None) => return Err(DecodeError::invalid("expected one of the fields `data` and `url`, found neither")),
                    _ => return Err(DecodeError::invalid("expected one of the fields `data` and `url`, found both")),
                };
                let mut delta = ToolResultDataDelta::new(reply, call, media);
                delta.block_id = object.text("blockId")?.map(|text| BlockId::new(&text));
                delta.media_type = object.string("mediaType")?;
                delta.name = object.string("name")?;
                return Ok(delta.into());
            }
        };
        Ok(result_piece(reply, call, block))
    }
}

/// The event that says what Java says with one whole block.
pub(in crate::java) fn result_piece(reply: ReplyId, call: ToolCallId, block: Block) -> Payload {
    match block {
        Block::Text(text) => ToolResultTextDelta::new(reply, call, text.text).into(),
        Block::Data(block) => {
            let (media, media_type) = match block.source {
                DataSource::Base64 { media_type, data, .. } => (MediaDelta::Base64(data.to_base64()), Some(media_type)),
                DataSource::Url { url, media_type, .. } => (MediaDelta::Url(url), media_type),
                // Demanded by `#[non_exhaustive]`.
                _ => return no_effect(reply, call),
            };
            let mut delta = ToolResultDataDelta::new(reply, call, media);
            (delta.block_id, delta.media_type, delta.name) = (block.id, media_type, block.name);
            delta.into()
        }
        _ => no_effect(reply, call),
    }
}

/// A piece without text changes nothing, and says so in the only way that the taxonomy has.
fn no_effect(reply: ReplyId, call: ToolCallId) -> Payload {
    ToolResultDataDelta::new(reply, call, MediaDelta::None).into()
}
