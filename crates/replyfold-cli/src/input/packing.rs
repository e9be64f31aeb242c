//! How a log is packed, in words.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The first bytes of a log, once they were read.
#[derive(Default)]
pub(crate) struct Packing(Arc<OnceLock<Vec<u8>>>);

impl Packing {
    /// Of what is read through the reader that this gives.
    pub(crate) fn watch<R: Read + Send + 'static>(raw: R) -> (impl Read + Send + 'static, Self) {
        let head = Arc::new(OnceLock::new());
        (Watched { raw, head: Arc::clone(&head), seen: Vec::new() }, Self(head))
    }

    /// Of a file. A pipe with a name gives its bytes once only, so nothing is told of it.
    pub(crate) fn of_file(path: &Path) -> Self {
        let packing = Self::default();
        let mut head = Vec::new();
        if path.is_file() && File::open(path).is_ok_and(|file| file.take(4).read_to_end(&mut head).is_ok()) {
            let _ = packing.0.set(head);
        }
        packing
    }

    /// To stand before the name of the format.
    pub(crate) fn words(&self) -> &'static str {
        match self.0.get().map(Vec::as_slice) {
            Some([0x1f, 0x8b, ..]) => "gzip of ",
            Some([0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]) => "zstd of ",
            _ => "",
        }
    }
}

struct Watched<R> {
    raw: R,
    head: Arc<OnceLock<Vec<u8>>>,
    seen: Vec<u8>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.raw.read(buffer)?;
        if self.seen.len() < 4 {
            let missing = 4 - self.seen.len();
            self.seen.extend(buffer.iter().take(count.min(missing)));
            if self.seen.len() == 4 {
                let _ = self.head.set(self.seen.clone());
            }
        }
        Ok(count)
    }
}
