//! The files of one log: the base file, and the segments that it was continued in.

use crate::LogError;
use crate::input::Input;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Digits of a segment's number, at least.
const DIGITS: usize = 5;

/// The file of a segment of a log: of segment 0 the base file itself, of a later one the name with the number before the extension.
///
/// ```
/// use replyfold_log::segment_path;
/// use std::path::Path;
///
/// assert_eq!(segment_path("logs/run.jsonl", 0), Path::new("logs/run.jsonl"));
/// assert_eq!(segment_path("logs/run.jsonl", 12), Path::new("logs/run.00012.jsonl"));
/// assert_eq!(segment_path("run.jsonl.zst", 1), Path::new("run.00001.jsonl.zst"));
/// ```
#[must_use]
pub fn segment_path(base: impl AsRef<Path>, number: u32) -> PathBuf {
    let base = base.as_ref();
    if number == 0 {
        return base.to_owned();
    }
    let (mut name, extension) = Name::of(base).into_parts();
    name.push(format!(".{number:0DIGITS$}"));
    name.push(extension);
    base.with_file_name(name)
}

/// The files of a log that are there, in the order in which they are read.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let base = dir.path().join("run.jsonl");
/// # std::fs::write(&base, "")?;
/// # std::fs::write(dir.path().join("run.00001.jsonl"), "")?;
/// let files = replyfold_log::segments(&base)?;
/// assert_eq!(files, [base, dir.path().join("run.00001.jsonl")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The base file or one between it and the last is missing: what is left is not the log.
pub fn segments(base: impl AsRef<Path>) -> Result<Vec<PathBuf>, LogError> {
    let base = &resolved(base.as_ref());
    let last = last(base, &names_beside(base));
    let files: Vec<PathBuf> = (0..=last).map(|number| segment_path(base, number)).collect();
    match files.iter().find(|file| !file.exists()) {
        Some(file) if last == 0 => Err(LogError::open(file, io::ErrorKind::NotFound.into())),
        Some(file) => Err(LogError::open(file, missing(base, last))),
        None => Ok(files),
    }
}

/// The file itself, of a link to it: the segments stand beside that.
pub(crate) fn resolved(base: &Path) -> PathBuf {
    let is_link = fs::symlink_metadata(base).is_ok_and(|metadata| metadata.is_symlink());
    is_link.then(|| fs::canonicalize(base).ok()).flatten().unwrap_or_else(|| base.to_owned())
}

/// The names in the directory of a log. One that cannot be listed shows none; whoever reads still finds each next file by its name.
pub(crate) fn names_beside(base: &Path) -> Vec<OsString> {
    fs::read_dir(directory_of(base)).map_or_else(|_| Vec::new(), |entries| entries.flatten().map(|entry| entry.file_name()).collect())
}

/// The directory that a file stands in.
pub(crate) fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The bytes of a file, unpacked; `None` if it is not there.
pub(crate) fn open_input(path: &Path) -> io::Result<Option<Input>> {
    match File::open(path) {
        Ok(file) => Input::new(file).map(Some),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err),
    }
}

/// The number of the last segment among these names; 0 if there are none.
pub(crate) fn last(base: &Path, names: &[OsString]) -> u32 {
    let base = Name::of(base);
    names.iter().filter_map(|name| base.number_in(name)).max().unwrap_or(0)
}

/// The base of which this file would be a segment, by its name.
pub(crate) fn base_of(path: &Path) -> Option<PathBuf> {
    let (stem, extension) = Name::of(path).into_parts();
    if let Some(digits) = extension.as_encoded_bytes().strip_prefix(b".")
        && number_of(digits).is_some()
    {
        return Some(path.with_file_name(stem));
    }
    let (mut base, number) = split(Path::new(&stem));
    number_of(number.as_encoded_bytes().strip_prefix(b".")?)?;
    base.push(extension);
    Some(path.with_file_name(base))
}

/// Why a segment that should be there cannot be opened.
pub(crate) fn missing(base: &Path, last: u32) -> io::Error {
    let last = segment_path(base, last);
    let last = last.file_name().unwrap_or_default().display();
    io::Error::new(
        io::ErrorKind::NotFound,
        format!("it is missing, and {last} is there, which goes on after it; give that one to read it alone"),
    )
}

/// The name of a base file in two parts, between which a number may stand.
struct Name {
    stem: OsString,
    /// With its dot; both endings of a packed log.
    extension: OsString,
}

impl Name {
    fn of(base: &Path) -> Self {
        let name = Path::new(base.file_name().unwrap_or_default());
        let (mut stem, mut extension) = split(name);
        if matches!(extension.as_encoded_bytes(), b".zst" | b".gz") {
            let (inner, format) = split(Path::new(&stem));
            (stem, extension) = (inner, [format, extension].into_iter().collect());
        }
        Self { stem, extension }
    }

    fn into_parts(self) -> (OsString, OsString) {
        (self.stem, self.extension)
    }

    /// The number of the segment that has this name.
    fn number_in(&self, name: &OsStr) -> Option<u32> {
        let rest = name.as_encoded_bytes().strip_prefix(self.stem.as_encoded_bytes())?.strip_prefix(b".")?;
        number_of(rest.strip_suffix(self.extension.as_encoded_bytes())?)
    }
}

fn split(name: &Path) -> (OsString, OsString) {
    let stem = name.file_stem().unwrap_or_default().to_owned();
    let extension = name.extension().map(|extension| [OsStr::new("."), extension].into_iter().collect()).unwrap_or_default();
    (stem, extension)
}

/// The number that these digits are, if they are written as [`segment_path`] writes them.
fn number_of(digits: &[u8]) -> Option<u32> {
    let number: u32 = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    (number > 0 && format!("{number:0DIGITS$}").as_bytes() == digits).then_some(number)
}

/// Opens a file of a log, to be read; `None` if there is none.
type Open = Box<dyn FnMut(&Path) -> io::Result<Option<Input>> + Send>;

/// The segments of a log that come after the one that is being read.
pub(crate) struct Rest {
    base: PathBuf,
    /// Number of the segment that is being read.
    number: u32,
    /// The last one that was there when the log was opened.
    last: u32,
    open: Open,
}

impl Rest {
    /// The segments that stand beside a file.
    pub(crate) fn beside(base: &Path) -> Self {
        let base = &resolved(base);
        Self::new(base, last(base, &names_beside(base)), open_input)
    }

    /// Those that follow the segment with this number.
    pub(crate) fn after(base: &Path, number: u32) -> Self {
        Self { number, ..Self::beside(base) }
    }

    pub(crate) fn new(base: &Path, last: u32, open: impl FnMut(&Path) -> io::Result<Option<Input>> + Send + 'static) -> Self {
        Self { base: base.to_owned(), number: 0, last, open: Box::new(open) }
    }

    /// The file that is being read.
    pub(crate) fn path(&self) -> PathBuf {
        segment_path(&self.base, self.number)
    }

    /// The next segment and its number; `None` after the last one.
    pub(crate) fn next(&mut self) -> Result<Option<(Input, u32)>, LogError> {
        let Some(number) = self.number.checked_add(1) else { return Ok(None) };
        let path = segment_path(&self.base, number);
        match (self.open)(&path) {
            Ok(Some(input)) => {
                self.number = number;
                Ok(Some((input, number)))
            }
            Ok(None) if number <= self.last => Err(LogError::open(&path, missing(&self.base, self.last))),
            Ok(None) => Ok(None),
            Err(err) => Err(LogError::open(&path, err)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_as_they_are_written_are_segments() {
        let names = ["run.00001.jsonl", "run.00012.jsonl", "run.123456.jsonl"].map(OsString::from);
        assert_eq!(last(Path::new("a/run.jsonl"), &names), 123_456);
        for name in [
            "run.1.jsonl",
            "run.00000.jsonl",
            "run.000012.jsonl",
            "run.00001.jsonl.zst",
            "other.00001.jsonl",
            "run.+0001.jsonl",
            "run.jsonl",
        ] {
            assert_eq!(last(Path::new("run.jsonl"), &[name.into()]), 0, "{name}");
        }
    }

    #[test]
    fn a_segment_names_its_base() {
        for base in ["x/run.jsonl", "run.jsonl.zst", "run", ".jsonl"] {
            assert_eq!(base_of(&segment_path(base, 7)).as_deref(), Some(Path::new(base)));
            assert_eq!(base_of(Path::new(base)), None);
        }
    }
}
