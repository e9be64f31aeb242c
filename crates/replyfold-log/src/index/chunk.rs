//! What the events of one interval did to one reply, in as few events as say the same.

use super::bytes::{Decoder, Encoder};
use super::detail::Patch;
use crate::pieces::{PieceKind, are_alike, kind_of};
use replyfold_event::{AgentEvent, EventRef};
use replyfold_message::BlockId;
use replyfold_reduce::{Applied, Change};

const LINE: u64 = 0;
const MORE: u64 = 1;
const REPEAT: u64 = 2;

/// One step of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item<'a> {
    /// The event of this line.
    Line { position: u64, block: Option<&'a str>, text: &'a [u8] },
    /// The event of the line before, with this text.
    More(&'a str),
    /// The reply had an event with this id already.
    Repeat { position: u64, id: &'a str },
}

/// A chunk while it is written.
#[derive(Default)]
pub(super) struct ChunkWriter {
    out: Encoder,
    /// The event of the last line, if pieces may follow it, and the text of those so far.
    run: Option<(AgentEvent, PieceKind)>,
    more: String,
}

impl ChunkWriter {
    /// An event of the interval that begins at `start`, and what it did.
    pub(super) fn push(&mut self, start: u64, position: u64, event: EventRef<'_>, patch: Option<&Patch>, text: &[u8], applied: Applied) {
        if applied.duplicate {
            self.flush();
            self.run = None;
            self.out.number(REPEAT);
            self.out.number(position - start);
            self.out.bytes(event.id().unwrap_or_default().as_bytes());
            return;
        }
        // A piece that was noted, or did more than go on with a block, stands for itself.
        let is_usual = !applied.noted && !applied.opened && matches!(applied.change, Change::Block(_));
        let piece = event.piece().filter(|_| is_usual);
        if let (Some((run, kind)), Some((base, piece))) = (&self.run, piece)
            && are_alike(run, base)
        {
            match kind {
                PieceKind::Text => piece.text.push_to(&mut self.more),
                PieceKind::Base64 => {
                    self.out.number(MORE);
                    self.out.bytes(piece.text.get().as_bytes());
                }
            }
            return;
        }
        self.flush();
        self.run = piece.and_then(|(base, _)| Some((base.clone(), kind_of(base)?)));
        self.out.number(LINE);
        self.out.number(position - start);
        self.out.optional(patch.and_then(|patch| patch.block.as_ref()).map(BlockId::as_str));
        self.out.bytes(text);
    }

    fn flush(&mut self) {
        if !self.more.is_empty() {
            self.out.number(MORE);
            self.out.bytes(self.more.as_bytes());
            self.more.clear();
        }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.out.0
    }
}

/// Gives the steps of a chunk of the interval that begins at `start` until `take` fails; `None` if it is no chunk.
pub(crate) fn each<E>(chunk: &[u8], start: u64, mut take: impl FnMut(Item<'_>) -> Result<(), E>) -> Option<Result<(), E>> {
    let mut bytes = Decoder(chunk);
    while !bytes.is_empty() {
        let item = match bytes.number()? {
            LINE => {
                let position = start.checked_add(bytes.number()?)?;
                Item::Line { position, block: bytes.optional()?, text: bytes.bytes()? }
            }
            MORE => Item::More(bytes.text()?),
            REPEAT => Item::Repeat { position: start.checked_add(bytes.number()?)?, id: bytes.text()? },
            _ => return None,
        };
        if let Err(err) = take(item) {
            return Some(Err(err));
        }
    }
    Some(Ok(()))
}
