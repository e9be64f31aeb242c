//! A file of pages, each with its checksum: whatever is read of it was written.

use crate::joined::Source;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Bytes of a page on the disk, and of what it holds.
pub(super) const PAGE: usize = 4096;
pub(super) const ROOM: usize = PAGE - 4;

/// Pages that are kept in memory once they were read.
const KEPT: usize = 64;

/// The checksum of a page, which knows its number: no page stands for another.
fn checksum(number: u64, room: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(room);
    hasher.finalize()
}

/// Writes pages, one after the other; the first is the header's, and written last.
pub(super) struct PageWriter<W> {
    out: W,
    page: Vec<u8>,
    /// Number of the page that is being filled.
    number: u64,
}

impl<W: Write + Seek> PageWriter<W> {
    pub(super) fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&[0; PAGE])?;
        Ok(Self { out, page: Vec::with_capacity(PAGE), number: 1 })
    }

    /// Where the next byte goes: counted without checksums and the header.
    pub(super) fn position(&self) -> u64 {
        (self.number - 1) * ROOM as u64 + self.page.len() as u64
    }

    /// Writes bytes; gives where they begin.
    pub(super) fn write(&mut self, mut bytes: &[u8]) -> io::Result<u64> {
        let start = self.position();
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(ROOM - self.page.len()));
            self.page.extend_from_slice(now);
            bytes = rest;
            if self.page.len() == ROOM {
                self.end_page()?;
            }
        }
        Ok(start)
    }

    fn end_page(&mut self) -> io::Result<()> {
        self.page.resize(ROOM, 0);
        let sum = checksum(self.number, &self.page);
        self.out.write_all(&self.page)?;
        self.out.write_all(&sum.to_le_bytes())?;
        self.page.clear();
        self.number += 1;
        Ok(())
    }

    /// Writes the header, which has room in a page.
    pub(super) fn finish(mut self, mut header: Vec<u8>) -> io::Result<W> {
        if !self.page.is_empty() {
            self.end_page()?;
        }
        header.resize(ROOM, 0);
        let sum = checksum(0, &header);
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&header)?;
        self.out.write_all(&sum.to_le_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Reads pages.
pub(super) struct Pages {
    source: Box<dyn Source>,
    kept: Vec<(u64, Vec<u8>)>,
    /// Which of the kept goes next.
    next: usize,
}

/// Why a page is not there.
#[derive(Debug)]
pub(super) enum PageError {
    Io(io::Error),
    /// Another checksum than the page's, or no such page.
    Damaged,
}

impl Pages {
    pub(super) fn new(source: impl Source + 'static) -> Self {
        Self { source: Box::new(source), kept: Vec::new(), next: 0 }
    }

    pub(super) fn header(&mut self) -> Result<Vec<u8>, PageError> {
        self.page(0).map(<[u8]>::to_vec)
    }

    /// Bytes on the disk.
    pub(super) fn length(&mut self) -> io::Result<u64> {
        self.source.seek(SeekFrom::End(0))
    }

    /// Reads bytes, counted without checksums and the header.
    pub(super) fn read(&mut self, start: u64, length: u64) -> Result<Vec<u8>, PageError> {
        let room = ROOM as u64;
        let end = start.checked_add(length).ok_or(PageError::Damaged)?;
        let mut bytes = Vec::new();
        let mut at = start;
        while at < end {
            let (number, within) = (at / room, at % room);
            let until = (end - number * room).min(room);
            let page = self.page(number + 1)?;
            // Both are less than a page.
            bytes.extend_from_slice(page.get(within as usize..until as usize).unwrap_or_default());
            at = number * room + until;
        }
        Ok(bytes)
    }

    /// Holds every page of so many bytes against its checksum.
    pub(super) fn verify(&mut self, length: u64) -> Result<(), PageError> {
        (0..=length.div_ceil(ROOM as u64)).try_for_each(|number| self.fetch(number).map(drop))
    }

    fn page(&mut self, number: u64) -> Result<&[u8], PageError> {
        let at = match self.kept.iter().position(|(kept, _)| *kept == number) {
            Some(at) => at,
            None => {
                let page = (number, self.fetch(number)?);
                let at = self.next;
                self.next = (self.next + 1) % KEPT;
                match self.kept.get_mut(at) {
                    Some(place) => *place = page,
                    None => self.kept.push(page),
                }
                at
            }
        };
        Ok(self.kept.get(at).map_or(&[], |(_, page)| page))
    }

    fn fetch(&mut self, number: u64) -> Result<Vec<u8>, PageError> {
        let mut page = vec![0; PAGE];
        let start = number.checked_mul(PAGE as u64).ok_or(PageError::Damaged)?;
        self.source.seek(SeekFrom::Start(start)).map_err(PageError::Io)?;
        self.source.read_exact(&mut page).map_err(|err| match err.kind() {
            io::ErrorKind::UnexpectedEof => PageError::Damaged,
            _ => PageError::Io(err),
        })?;
        match page.split_last_chunk::<4>() {
            Some((room, sum)) if checksum(number, room) == u32::from_le_bytes(*sum) => {}
            _ => return Err(PageError::Damaged),
        }
        page.truncate(ROOM);
        Ok(page)
    }
}
