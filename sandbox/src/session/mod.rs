//! A session as a file: the requests with their answers and faults (`--record`), and a sandbox that answers from it
//! (`--replay`).

pub mod exchange;
pub mod record;
mod renaming;
pub mod replay;

pub use exchange::asked;
use record::Recorder;
use replay::Replay;

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
