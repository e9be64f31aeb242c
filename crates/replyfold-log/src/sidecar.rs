//! Files that are there only once they are whole: written beside their place and renamed.

use std::io;
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// A file beside the place that it is for, with the rights of any new file.
pub(crate) fn create(place: &Path) -> io::Result<NamedTempFile> {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(".replyfold-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What the process masks is taken away by the system.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Gives the file its place, once its bytes are on the disk.
pub(crate) fn keep(file: NamedTempFile, place: &Path, replace: bool) -> io::Result<()> {
    file.as_file().sync_all()?;
    match replace {
        true => file.persist(place).map_err(|err| err.error)?,
        false => file.persist_noclobber(place).map_err(|err| err.error)?,
    };
    Ok(())
}
