//! A session as a file: the requests with their answers and faults (`--record`), and a sandbox that answers from it
//! (`--replay`).

mod difference;
mod exchange;
mod places;
pub mod record;
pub mod replay;

pub use exchange::asked;
use record::Recorder;
use replay::Replay;

/// To be raised when an older program could misread a line.
const VERSION: u64 = 1;
/// The largest file that is written or read.
const LARGEST_FILE: u64 = 64 << 20;

#[derive(Default)]
pub enum Session {
    #[default]
    NotKept,
    Recorded(Recorder),
    Replayed(Replay),
}

impl Session {
    pub fn recorder(&self) -> Option<&Recorder> {
        match self {
            Session::Recorded(recorder) => Some(recorder),
            Session::NotKept | Session::Replayed(_) => None,
        }
    }

    pub fn replay(&self) -> Option<&Replay> {
        match self {
            Session::Replayed(replay) => Some(replay),
            Session::NotKept | Session::Recorded(_) => None,
        }
    }
}
