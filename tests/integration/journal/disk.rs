//! The files in a folder after a power cut.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::recording::Op;

/// Which of the unsynced writes survive a power cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    Nothing,
    All,
    /// All, except that the names of files are as they were synced.
    OldNames,
    /// All, but only a part of the last one; the disk writes sectors.
    FirstSectors,
    LastSectors,
    /// All, and zeros for the last one.
    Zeroed,
    /// The last one, and none before it.
    LastAlone,
}

pub const CUTS: [Cut; 7] =
    [Cut::Nothing, Cut::All, Cut::OldNames, Cut::FirstSectors, Cut::LastSectors, Cut::Zeroed, Cut::LastAlone];

const SECTOR: usize = 512;

#[derive(Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Truncate(usize),
}

#[derive(Clone, Default)]
struct File {
    durable: Vec<u8>,
    /// Not synced, each with its number among all writes.
    pending: Vec<(usize, Change)>,
}

/// The files of a folder, as they are on a disk.
#[derive(Clone, Default)]
pub struct Disk {
    files: Vec<File>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    writes: usize,
}

pub type Files = BTreeMap<String, Vec<u8>>;

impl Disk {
    /// One that has these files and has synced them.
    pub fn with(files: Files) -> Disk {
        let names: BTreeMap<_, _> = files.keys().cloned().zip(0..).collect();
        let files = files.into_values().map(|durable| File { durable, pending: Vec::new() }).collect();
        Disk { files, durable_names: names.clone(), names, writes: 0 }
    }

    pub fn apply(&mut self, op: &Op) {
        match op {
            Op::Created(name) if !self.names.contains_key(name) => {
                self.names.insert(name.clone(), self.files.len());
                self.files.push(File::default());
            }
            Op::Write { name, at, bytes } => self.change(name, Change::Write { at: *at, bytes: bytes.clone() }),
            Op::Truncate { name, length } => self.change(name, Change::Truncate(*length)),
            Op::Sync(name) => {
                if let Some(file) = self.file(name) {
                    let pending = std::mem::take(&mut file.pending);
                    pending.iter().for_each(|(_, change)| change.apply(&mut file.durable));
                }
            }
            Op::FailedSync(name) => _ = self.file(name).map(|file| file.pending.clear()),
            Op::SyncNames => self.durable_names = self.names.clone(),
            Op::Link { from, to } => _ = self.names.insert(to.clone(), self.names[from]),
            Op::Unlink(name) => _ = self.names.remove(name),
            Op::Created(_) | Op::Opened(_) | Op::Sent(_) | Op::Told => {}
        }
    }

    fn file(&mut self, name: &str) -> Option<&mut File> {
        self.names.get(name).map(|index| &mut self.files[*index])
    }

    fn change(&mut self, name: &str, change: Change) {
        self.writes += 1;
        let number = self.writes;
        if let Some(file) = self.file(name) {
            file.pending.push((number, change));
        }
    }

    /// The files after a power cut. The -shm file is memory that programs share; SQLite makes it again.
    pub fn after(&self, cut: Cut) -> Files {
        let names = if matches!(cut, Cut::Nothing | Cut::OldNames) { &self.durable_names } else { &self.names };
        let numbers = self.files.iter().flat_map(|file| &file.pending).map(|(number, _)| *number);
        let last = numbers.max().unwrap_or(0);
        let left = |index: &usize| {
            let file = &self.files[*index];
            let mut bytes = file.durable.clone();
            for (number, change) in &file.pending {
                match (cut, *number == last) {
                    (Cut::Nothing, _) | (Cut::LastAlone, false) => {}
                    (Cut::FirstSectors | Cut::LastSectors | Cut::Zeroed, true) => change.apply_in_part(cut, &mut bytes),
                    _ => change.apply(&mut bytes),
                }
            }
            bytes
        };
        let kept = names.iter().filter(|(name, _)| !name.ends_with("-shm"));
        kept.map(|(name, index)| (name.clone(), left(index))).collect()
    }
}

impl Change {
    fn apply(&self, file: &mut Vec<u8>) {
        match self {
            Change::Write { at, bytes } => {
                file.resize(file.len().max(at + bytes.len()), 0);
                file[*at..at + bytes.len()].copy_from_slice(bytes);
            }
            Change::Truncate(length) => file.resize(*length, 0),
        }
    }

    fn apply_in_part(&self, cut: Cut, file: &mut Vec<u8>) {
        let Change::Write { at, bytes } = self else { return self.apply(file) };
        let middle = ((at + bytes.len() / 2) / SECTOR * SECTOR).clamp(*at, at + bytes.len()) - at;
        let (at, bytes) = match cut {
            Cut::FirstSectors => (*at, bytes[..middle].to_vec()),
            Cut::LastSectors => (at + middle, bytes[middle..].to_vec()),
            _ => (*at, vec![0; bytes.len()]),
        };
        Change::Write { at, bytes }.apply(file);
    }
}

/// The files of a folder as they are now.
pub fn files_of(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())).collect()
}

/// Writes them.
pub fn put(files: &Files, folder: &Path) {
    files.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).unwrap());
}
