//! Files in memory that fail where a test wants them to, and forget what was not made durable.

use super::files::{Files, LogFile};
use crate::input::Input;
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::TryLockError;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The step fails, and from then on the disk is full. A sync that fails forgets: no later one makes those bytes durable.
    Fail,
    /// As before, but half of the bytes of a write are written.
    Short,
    /// As before, and nothing can be taken back.
    ShortAndStuck,
    /// The power goes before the step, or after it.
    Before,
    After,
}

impl Fault {
    pub(super) const ALL: [Self; 5] = [Self::Fail, Self::Short, Self::ShortAndStuck, Self::Before, Self::After];
}

#[derive(Clone, Debug)]
enum Change {
    Write(u64, Vec<u8>),
    Length(u64),
}

#[derive(Default)]
struct Node {
    bytes: Vec<u8>,
    durable: Vec<u8>,
    /// What was done since.
    changes: Vec<Change>,
    has_durable_name: bool,
}

#[derive(Default)]
struct State {
    nodes: BTreeMap<PathBuf, Node>,
    steps: u64,
    fault: Option<(u64, Fault)>,
    /// The fault that came.
    came: Option<Fault>,
    locked: bool,
}

/// A disk.
#[derive(Clone, Default)]
pub(super) struct Faulty(Arc<Mutex<State>>);

fn write_into(bytes: &mut Vec<u8>, offset: u64, more: &[u8]) {
    let (start, end) = (offset as usize, offset as usize + more.len());
    bytes.resize(bytes.len().max(end), 0);
    bytes[start..end].copy_from_slice(more);
}

fn make(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Write(offset, more) => write_into(bytes, *offset, more),
        Change::Length(length) => bytes.resize(*length as usize, 0),
    }
}

fn full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

fn down() -> io::Error {
    io::Error::other("the power is off")
}

impl State {
    /// Counts a step. What goes wrong with it: nothing, a fault for the first time, or one that lasts.
    fn step(&mut self) -> Result<Option<Fault>, io::Error> {
        if matches!(self.came, Some(Fault::Before | Fault::After)) {
            return Err(down());
        }
        self.steps += 1;
        match self.fault {
            Some((at, fault)) if at == self.steps => {
                self.came = Some(fault);
                if fault == Fault::Before { Err(down()) } else { Ok(Some(fault)) }
            }
            _ => Ok(None),
        }
    }

    fn is_full(&self) -> bool {
        self.came.is_some()
    }
}

impl Faulty {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// The step with this number, from 1 on from now, goes wrong.
    pub(super) fn fail_at(&self, step: u64, fault: Fault) {
        let mut state = self.state();
        (state.steps, state.fault, state.came) = (0, Some((step, fault)), None);
    }

    /// The fault that came, if it did.
    pub(super) fn came(&self) -> Option<Fault> {
        self.state().came
    }

    /// Starts again. If the power was off, each file is what was durable and, by chance, some of what was done since, the last of it half or as
    /// zeros; else everything that was written is there, and as little durable as before.
    pub(super) fn restart(&self, power: bool, mut chance: u64) {
        let mut state = self.state();
        (state.fault, state.came, state.locked) = (None, None, false);
        if !power {
            return;
        }
        state.nodes.retain(|_, node| {
            // Knuth's generator: enough to come by every case.
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (draw, more) = ((chance >> 33) as usize, (chance >> 40) as usize);
            let done = draw % (node.changes.len() + 1);
            let mut bytes = std::mem::take(&mut node.durable);
            node.changes.iter().take(done).for_each(|change| make(&mut bytes, change));
            if let Some(Change::Write(offset, last)) = node.changes.get(done) {
                match more % 3 {
                    0 => write_into(&mut bytes, *offset, &last[..more % last.len()]),
                    1 => write_into(&mut bytes, *offset, &vec![0; last.len()]),
                    _ => {}
                }
            }
            (node.bytes, node.durable) = (bytes.clone(), bytes);
            node.changes.clear();
            std::mem::replace(&mut node.has_durable_name, true) || more % 2 == 0
        });
    }

    /// The files and what is in them.
    pub(super) fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.state().nodes.iter().map(|(path, node)| (path.clone(), node.bytes.clone())).collect()
    }

    /// Puts a file there, durable.
    pub(super) fn put(&self, path: impl Into<PathBuf>, bytes: &[u8]) {
        let node = Node { bytes: bytes.to_vec(), durable: bytes.to_vec(), changes: Vec::new(), has_durable_name: true };
        self.state().nodes.insert(path.into(), node);
    }

    fn file(&self, path: &Path) -> Box<dyn LogFile> {
        Box::new(Opened { disk: self.clone(), path: path.to_owned() })
    }
}

/// Gives the lock back.
struct Guard(Faulty);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.state().locked = false;
    }
}

impl Files for Faulty {
    fn lock(&self, base: &Path) -> Result<Box<dyn Any + Send>, TryLockError> {
        let mut state = self.state();
        if !state.nodes.contains_key(base) {
            if state.step().map_err(TryLockError::Error)?.is_some_and(|fault| fault != Fault::After) || state.is_full() {
                return Err(TryLockError::Error(full()));
            }
            state.nodes.insert(base.to_owned(), Node::default());
        }
        if std::mem::replace(&mut state.locked, true) {
            return Err(TryLockError::WouldBlock);
        }
        Ok(Box::new(Guard(self.clone())))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        if self.state().nodes.contains_key(path) { Ok(self.file(path)) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        let mut state = self.state();
        if state.nodes.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if state.step()?.is_some_and(|fault| fault != Fault::After) || state.is_full() {
            return Err(full());
        }
        state.nodes.insert(path.to_owned(), Node::default());
        drop(state);
        Ok(self.file(path))
    }

    fn sync_directory(&self, _of: &Path) -> io::Result<()> {
        let mut state = self.state();
        if state.step()?.is_some_and(|fault| fault != Fault::After) {
            return Err(io::Error::other("the directory cannot be synced"));
        }
        state.nodes.values_mut().for_each(|node| node.has_durable_name = true);
        Ok(())
    }

    fn names(&self, _beside: &Path) -> Vec<OsString> {
        self.state().nodes.keys().filter_map(|path| path.file_name()).map(Into::into).collect()
    }

    fn input(&self, path: &Path) -> io::Result<Option<Input>> {
        let bytes = self.state().nodes.get(path).map(|node| node.bytes.clone());
        bytes.map(|bytes| Input::new(Cursor::new(bytes))).transpose()
    }
}

struct Opened {
    disk: Faulty,
    path: PathBuf,
}

impl Opened {
    fn change(&self, state: &mut State, change: Change) {
        let node = state.nodes.get_mut(&self.path).unwrap();
        make(&mut node.bytes, &change);
        node.changes.push(change);
    }
}

impl LogFile for Opened {
    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.state().nodes[&self.path].bytes.len() as u64)
    }

    fn created(&self) -> Option<SystemTime> {
        None
    }

    fn read_at(&mut self, offset: u64, room: &mut [u8]) -> io::Result<usize> {
        let state = self.disk.state();
        let rest = &state.nodes[&self.path].bytes;
        let rest = &rest[rest.len().min(offset as usize)..];
        // Never all at once.
        let count = rest.len().min(room.len()).min(1000);
        room[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        let was_full = state.is_full();
        let count = match state.step()? {
            Some(Fault::Short | Fault::ShortAndStuck) => bytes.len() / 2,
            Some(Fault::Fail) => return Err(full()),
            _ if was_full => return Err(full()),
            _ => bytes.len(),
        };
        if count == 0 {
            return Err(full());
        }
        self.change(&mut state, Change::Write(offset, bytes[..count].to_vec()));
        Ok(count)
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        if state.step()?.is_some_and(|fault| fault != Fault::After) || state.came == Some(Fault::ShortAndStuck) {
            return Err(io::Error::other("the length cannot be set"));
        }
        self.change(&mut state, Change::Length(length));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.state();
        let fault = state.step()?;
        let node = state.nodes.get_mut(&self.path).unwrap();
        let changes = std::mem::take(&mut node.changes);
        if fault.is_some_and(|fault| fault != Fault::After) {
            return Err(io::Error::other("the disk does not answer"));
        }
        changes.iter().for_each(|change| make(&mut node.durable, change));
        Ok(())
    }
}
