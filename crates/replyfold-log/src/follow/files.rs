//! The files of a log that is being written: which one is read, and which comes next.

use crate::segments::{missing, resolved, segment_path};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Most files that were renamed between two looks, of those that are named with a number.
const RENAMED: u32 = 64;
/// Looks at names with a gap in their numbers after which the gap is taken to stay: renaming takes less long.
const UNSETTLED: u32 = 16;

/// What makes a file another one than the one that had its name before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Identity {
    #[cfg(unix)]
    file: (u64, u64),
    /// Elsewhere the time at which it was made has to do.
    #[cfg(not(unix))]
    file: Option<std::time::SystemTime>,
}

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Self { file: (metadata.dev(), metadata.ino()) }
        }
        #[cfg(not(unix))]
        {
            Self { file: metadata.created().ok() }
        }
    }
}

/// The file that is read after this one.
pub(super) struct Next {
    pub(super) file: File,
    pub(super) path: PathBuf,
    pub(super) why: Why,
}

/// Why it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Why {
    /// It is the next segment of the log, with this number.
    Segment(u32),
    /// It has the name that the other one had.
    Replaced,
}

/// The files of one log.
pub(super) struct Files {
    base: PathBuf,
    /// The file itself, if that is a link: segments stand beside it.
    home: PathBuf,
    base_identity: Identity,
    /// Number of the segment that is read, and its file.
    number: u32,
    path: PathBuf,
    identity: Identity,
    /// Files that were renamed before they were read.
    renamed: VecDeque<File>,
    /// Looks that found a gap in the numbers of renamed files.
    unsettled: u32,
    is_missing: bool,
}

/// What became of the names.
pub(super) enum Around {
    Same,
    /// The file that is read has no name any more, and no other has it: told once.
    Missing,
    Next(Next),
}

impl Files {
    pub(super) fn open(base: &Path) -> io::Result<(Self, File)> {
        let file = File::open(base)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        let identity = Identity::of(&metadata);
        let files = Self {
            base: base.to_owned(),
            home: resolved(base),
            base_identity: identity,
            number: 0,
            path: base.to_owned(),
            identity,
            renamed: VecDeque::new(),
            unsettled: 0,
            is_missing: false,
        };
        Ok((files, file))
    }

    /// The file that is read.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Number of the segment that is read.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Goes on with the next file.
    pub(super) fn go_to(&mut self, next: &Next) -> io::Result<()> {
        self.identity = Identity::of(&next.file.metadata()?);
        self.path.clone_from(&next.path);
        self.is_missing = false;
        match next.why {
            Why::Segment(number) => self.number = number,
            Why::Replaced => {
                if self.path == self.base {
                    (self.number, self.base_identity, self.home) = (0, self.identity, resolved(&self.base));
                }
            }
        }
        Ok(())
    }

    /// Whether another file is to be read after this one, which was read to its end.
    pub(super) fn look_around(&mut self) -> io::Result<Around> {
        if let Some(file) = self.renamed.pop_front() {
            return Ok(Around::Next(Next { file, path: self.path.clone(), why: Why::Replaced }));
        }
        if let Some(next) = self.next_segment()? {
            return Ok(Around::Next(next));
        }
        match identity(&self.path)? {
            Some(same) if same == self.identity => {
                self.is_missing = false;
                Ok(Around::Same)
            }
            Some(_) => self.replaced(),
            None if self.number > 0 && identity(&self.base)?.is_some_and(|base| base != self.base_identity) => {
                let (base, why) = (self.base.clone(), Why::Replaced);
                Ok(written(&base)?.map_or(Around::Same, |file| Around::Next(Next { file, path: base, why })))
            }
            None => Ok(if std::mem::replace(&mut self.is_missing, true) { Around::Same } else { Around::Missing }),
        }
    }

    fn next_segment(&self) -> io::Result<Option<Next>> {
        let [number, after] = [1, 2].map(|more| self.number.saturating_add(more));
        let path = segment_path(&self.home, number);
        match File::open(&path) {
            Ok(file) => Ok(Some(Next { file, path, why: Why::Segment(number) })),
            Err(err) if err.kind() != io::ErrorKind::NotFound => Err(err),
            Err(err) => {
                let later = segment_path(&self.home, after);
                // It was made after the look for the one before it.
                if later.exists() && !path.exists() {
                    return Err(io::Error::new(err.kind(), format!("{}: {}", path.display(), missing(&self.home, after))));
                }
                Ok(None)
            }
        }
    }

    /// Another file has the name. As long as nothing is written to it, the writer may still have the old one.
    fn replaced(&mut self) -> io::Result<Around> {
        let Some(file) = written(&self.path)? else { return Ok(Around::Same) };
        let Some(mut files) = self.renamed_since()? else { return Ok(Around::Same) };
        // All of this was so at one moment, unless the name was passed on meanwhile.
        if identity(&self.path)? != Some(Identity::of(&file.metadata()?)) {
            return Ok(Around::Same);
        }
        files.push_back(file);
        self.renamed = files;
        self.look_around()
    }

    /// The files that had the name after the one that is read and have it no more, where rotation counts up numbers behind the name:
    /// `run.jsonl.1` is younger than `run.jsonl.2`. `None` while they are being renamed.
    fn renamed_since(&mut self) -> io::Result<Option<VecDeque<File>>> {
        let mut place = None;
        for number in 1..=RENAMED {
            if identity(&self.numbered(number))? == Some(self.identity) {
                place = Some(number);
                break;
            }
        }
        let Some(place) = place else { return Ok(Some(VecDeque::new())) };
        let mut files = VecDeque::new();
        for number in (1..place).rev() {
            match File::open(self.numbered(number)) {
                Ok(file) => files.push_back(file),
                Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(err),
                // A file that stays away was taken away.
                Err(_) if self.unsettled >= UNSETTLED => {}
                Err(_) => {
                    self.unsettled += 1;
                    return Ok(None);
                }
            }
        }
        if identity(&self.numbered(place))? != Some(self.identity) {
            return Ok(None);
        }
        self.unsettled = 0;
        Ok(Some(files))
    }

    fn numbered(&self, number: u32) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(format!(".{number}"));
        PathBuf::from(name)
    }
}

fn identity(path: &Path) -> io::Result<Option<Identity>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(Identity::of(&metadata))),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err),
    }
}

/// The file, if it is there and something was written to it.
fn written(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok((file.metadata()?.len() > 0).then_some(file)),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err),
    }
}
