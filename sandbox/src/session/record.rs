//! `--record`: writes each request and its response to a file, one a line.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::exchange::{self, LARGEST_FILE, Places, VERSION, asked, asked_unread};
use crate::crypto::envelope::Opened;
use crate::crypto::keys::KeyKind;
use crate::faults::Chosen;
use crate::http::answer::Answer;
use crate::http::incoming::Incoming;
use crate::util::clock::Moment;
use crate::util::files::owner_only;
use crate::util::json::{Json, object};

/// Kept for the line that gives the reason for the file's end.
const LAST_LINE: u64 = 256;

pub struct Recorder {
    places: Places,
    path: PathBuf,
    file: Mutex<Open>,
}

struct Open {
    file: File,
    left: u64,
    has_ended: bool,
}

impl Recorder {
    /// Makes the file; one that exists is another session, and is kept.
    pub fn start(path: &Path, places: Places) -> Result<Recorder, String> {
        let problem = |error: std::io::Error| format!("--record {}: {error}", path.display());
        let file = owner_only(OpenOptions::new().append(true).create_new(true), 0o600).open(path).map_err(problem)?;
        let path = std::path::absolute(path).map_err(problem)?;
        let open = Open { file, left: LARGEST_FILE - LAST_LINE, has_ended: false };
        let recorder = Recorder { places, path, file: Mutex::new(open) };
        recorder.write(&object! {
            "paysvc_sandbox_session": VERSION,
            "made_by": concat!("paysvc-sandbox ", env!("CARGO_PKG_VERSION")),
            "started": Moment::now().millis_utc(),
        });
        Ok(recorder)
    }

    /// The response is the one before a fault changes it; `None`: the request was not executed.
    pub fn request(
        &self,
        incoming: &Incoming,
        key: KeyKind,
        opened: &Opened,
        chosen: Option<Chosen>,
        answer: Option<&Answer>,
    ) {
        let answer = answer.map_or(Json::Null, |answer| exchange::shown(answer, incoming, opened));
        self.write(&exchange::line(Some(asked(incoming, key, opened)), chosen, answer));
    }

    /// A request whose body a fault left unread.
    pub fn unread(&self, incoming: &Incoming, chosen: Chosen) {
        self.write(&exchange::line(Some(asked_unread(incoming)), Some(chosen), Json::Null));
    }

    pub fn connection(&self, chosen: Chosen) {
        self.write(&exchange::line(None, Some(chosen), Json::Null));
    }

    /// At once, so that a client that has a response finds it in the file.
    fn write(&self, line: &Json) {
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if open.has_ended {
            return;
        }
        let line = format!("{}\n", self.places.named(&line.to_string()));
        let left = open.left.checked_sub(line.len() as u64);
        let written = match left {
            Some(_) => open.file.write_all(line.as_bytes()),
            None => writeln!(open.file, "{}", object! { "ended": "the file has its largest size" }),
        };
        let problem = match (left, written) {
            (Some(left), Ok(())) => {
                open.left = left;
                return;
            }
            (None, Ok(())) => format!("it has its largest size, {} MB", LARGEST_FILE >> 20),
            (_, Err(error)) => error.to_string(),
        };
        open.has_ended = true;
        eprintln!("paysvc-sandbox: --record {}: the recording has ended: {problem}", self.path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::replay;

    #[test]
    fn a_full_file_says_that_it_has_ended() {
        let path = std::env::temp_dir().join(format!("paysvc-sandbox-full-{}", std::process::id()));
        let file = OpenOptions::new().append(true).create_new(true).open(&path).unwrap();
        let open = Open { file, left: 100, has_ended: false };
        let recorder = Recorder { places: Places::default(), path: path.clone(), file: Mutex::new(open) };
        recorder.write(&object! { "paysvc_sandbox_session": VERSION });
        (0..5).for_each(|_| recorder.write(&object! { "fault": "reset_before_read", "at": "a moment" }));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(text.matches("fault").count(), 1, "{text}");
        assert!(text.ends_with("{\"ended\":\"the file has its largest size\"}\n"), "{text}");
        assert_eq!(replay::read(&text).unwrap().len(), 1);
    }
}
