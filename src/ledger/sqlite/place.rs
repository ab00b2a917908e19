//! The places where the file may be, and the check that it is still the same one.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::call::Bounds;

/// The result of a search at a path.
pub enum JournalPath {
    /// A file, without symbolic links in its path.
    File(PathBuf),
    /// Nothing; a file could be created there.
    Nothing(PathBuf),
}

pub fn find(path: &Path) -> Result<JournalPath, String> {
    let shown = path.display();
    match fs::canonicalize(path) {
        Ok(path) => {
            let about = fs::metadata(&path).map_err(|error| format!("the journal {shown} cannot be read: {error}"))?;
            if about.is_dir() {
                return Err(format!("the journal {shown} is a folder: give the path of a file in it"));
            }
            if !about.is_file() {
                return Err(format!("the journal {shown} is not a regular file: give the path of one"));
            }
            Ok(JournalPath::File(path))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                return Err(format!(
                    "the journal {shown} is a symbolic link to a file that is missing: is its volume mounted?"
                ));
            }
            let Some(name) = path.file_name() else {
                return Err(format!("the journal {shown} is not the path of a file"));
            };
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let folder = fs::canonicalize(folder).map_err(|error| {
                format!("the folder of the journal {shown} cannot be opened: {error}; is its volume mounted?")
            })?;
            Ok(JournalPath::Nothing(folder.join(name)))
        }
        Err(error) => Err(format!("the journal {shown} cannot be opened: {error}")),
    }
}

/// Refuses a file system that loses what was synced, or on which locks cannot be relied on. Checks the file and its
/// folder, where SQLite writes as well, because a file may be mounted alone.
pub fn check_file_system(path: &Path) -> Result<(), String> {
    match unfit(path) {
        None => Ok(()),
        Some(why) => Err(format!("the journal cannot be kept on {why} ({}): put it on a local disk", path.display())),
    }
}

const NETWORK: &str = "a network file system, whose locks and syncs are not reliable";
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
const MEMORY: &str = "a file system in memory, which a restart empties";
#[cfg(any(target_os = "linux", target_os = "android"))]
const LAYER: &str = "the layer of a container, which is removed with the container; mount a volume";
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
const FUSE: &str = "a FUSE file system, whose locks and syncs may not be reliable";

#[cfg(any(target_os = "linux", target_os = "android"))]
fn unfit(path: &Path) -> Option<&'static str> {
    // As `linux/magic.h` has them, and what file systems outside the kernel use. The type's width depends on the
    // target.
    unfit_type(nix::sys::statfs::statfs(path).ok()?.filesystem_type().0 as u32)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn unfit_type(number: u32) -> Option<&'static str> {
    Some(match number {
        // NFS, SMB (three), NCP, AFS (two), Coda, Ceph, 9P, Lustre, GFS2, OCFS2, GPFS, VirtualBox, BeeGFS
        0x6969 | 0x517b | 0xff53_4d42 | 0xfe53_4d42 | 0x564c | 0x5346_414f | 0x6b41_4653 | 0x7375_7245
        | 0x00c3_6400 | 0x0102_1997 | 0x0bd0_0bd0 | 0x0116_1970 | 0x7461_636f | 0x4750_4653 | 0x786f_4256
        | 0x1983_0326 => NETWORK,
        // tmpfs, ramfs
        0x0102_1994 | 0x8584_58f6 => MEMORY,
        // overlayfs, aufs
        0x794c_7630 | 0x6175_6673 => LAYER,
        0x6573_5546 => FUSE,
        _ => return None,
    })
}

#[cfg(target_vendor = "apple")]
fn unfit(path: &Path) -> Option<&'static str> {
    match nix::sys::statfs::statfs(path).ok()?.filesystem_type_name() {
        "nfs" | "smbfs" | "afpfs" | "webdav" | "cifs" => Some(NETWORK),
        "tmpfs" => Some(MEMORY),
        name if name.contains("fuse") => Some(FUSE),
        _ => None,
    }
}

/// A mapped drive, too, once the path is a canonical one. The device behind a drive's letter is not checked.
#[cfg(windows)]
fn unfit(path: &Path) -> Option<&'static str> {
    use std::path::{Component, Prefix};
    match path.components().next() {
        Some(Component::Prefix(prefix)) if matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..)) => {
            Some(NETWORK)
        }
        _ => None,
    }
}

/// Not checked on other systems.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple", windows)))]
fn unfit(_: &Path) -> Option<&'static str> {
    None
}

/// The identity of a file, whatever its path.
#[derive(Debug)]
pub struct Identity {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
    #[cfg(unix)]
    links: u64,
    /// Windows gives no number without `unsafe`. There, nobody can rename, replace or remove a file that is open and
    /// does not permit it.
    #[cfg(windows)]
    _held: fs::File,
}

impl Identity {
    /// Compares it with the identity of a file that another client of this process has opened.
    #[cfg(unix)]
    pub fn is(&self, other: &Identity) -> bool {
        self.device_and_inode == other.device_and_inode
    }

    /// Nobody can put another file in its place while it is held.
    #[cfg(windows)]
    pub fn is(&self, _other: &Identity) -> bool {
        true
    }

    pub fn of(path: &Path) -> Result<Identity, String> {
        Identity::read(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => format!(
                "the journal {} has been removed or renamed: put it back, or stop the program and start it again",
                path.display()
            ),
            _ => format!("the journal {} cannot be opened: {error}", path.display()),
        })
    }

    #[cfg(unix)]
    fn read(path: &Path) -> io::Result<Identity> {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).map(|about| Identity { device_and_inode: (about.dev(), about.ino()), links: about.nlink() })
    }

    #[cfg(windows)]
    fn read(path: &Path) -> io::Result<Identity> {
        use std::os::windows::fs::OpenOptionsExt;
        /// FILE_SHARE_READ and FILE_SHARE_WRITE.
        const SHARED: u32 = 1 | 2;
        fs::OpenOptions::new().read(true).share_mode(SHARED).open(path).map(|_held| Identity { _held })
    }

    /// It stays the same after a restart, and a copy has a different one.
    pub fn number_of_file(self) -> String {
        #[cfg(unix)]
        return self.device_and_inode.1.to_string();
        #[cfg(not(unix))]
        String::new()
    }

    /// Fails if another file is at this path.
    #[cfg(unix)]
    pub fn check(&self, path: &Path) -> Result<(), String> {
        let now = Identity::of(path)?;
        if now.links > 1 {
            return Err(linked(path));
        }
        if now.is(self) {
            return Ok(());
        }
        Err(format!(
            "another file is now at the path of the journal {}: stop the program, and start it with the right file",
            path.display()
        ))
    }

    #[cfg(windows)]
    pub fn check(&self, _path: &Path) -> Result<(), String> {
        Ok(())
    }
}

/// Programs that open it by its other name would write another -wal file.
#[cfg(unix)]
fn linked(path: &Path) -> String {
    format!(
        "the journal {} has another name, a hard link, as `cp -al` and `rsync --link-dest` make it: remove the other name, and \
         copy journals instead",
        path.display()
    )
}

/// A journal has two names for a moment when it is made.
#[cfg(unix)]
pub fn wait_for_one_link(path: &Path, bounds: &Bounds) -> Result<(), String> {
    while Identity::of(path)?.links > 1 {
        if bounds.pause(std::time::Duration::from_millis(2)).is_some() {
            return Err(linked(path));
        }
    }
    Ok(())
}

#[cfg(not(unix))]
pub fn wait_for_one_link(_: &Path, _: &Bounds) -> Result<(), String> {
    Ok(())
}

/// Makes the entries of a folder durable. Windows does that by itself.
pub fn sync_folder_of(path: &Path) -> Result<(), String> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        fs::File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| format!("the folder {} cannot be synced: {error}", folder.display()))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn file_systems_that_lose_rows_are_refused() {
        for (number, word) in [(0x6969, "network"), (0x0102_1994, "memory"), (0x794c_7630, "container")] {
            assert!(unfit_type(number).unwrap().contains(word));
        }
        // ext4, XFS, Btrfs, ZFS, F2FS, FAT
        for number in [0xef53, 0x5846_5342, 0x9123_683e, 0x2fc1_2fc1, 0xf2f5_2010, 0x4d44] {
            assert_eq!(unfit_type(number), None);
        }
    }
}
