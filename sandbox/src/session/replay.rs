//! `--replay`: answers from a file, each request as the same request was answered.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::difference::difference;
use super::exchange::{self, Exchange, LARGEST_FILE, VERSION, asked_unread};
use super::places::Places;
use crate::faults::Chosen;
use crate::http::answer::{Answer, ApiError};
use crate::http::incoming::Incoming;
use crate::util::json::{Json, object};

/// Of the requests that are not in the file; a client that repeats one for ever fills no memory.
const MOST_UNMATCHED: usize = 100;

pub struct Replay(Mutex<Progress>);

#[derive(Default)]
struct Progress {
    exchanges: Vec<Recorded>,
    unmatched: Vec<String>,
}

pub struct Recorded {
    line: usize,
    exchange: Exchange,
    is_used: bool,
}

impl Replay {
    pub fn open(path: &Path, places: &Places) -> Result<Replay, String> {
        let problem = |why: String| format!("--replay {}: {why}", path.display());
        let size = std::fs::metadata(path).map_err(|error| problem(error.to_string()))?.len();
        if size > LARGEST_FILE {
            return Err(problem(format!("it is larger than {} MB", LARGEST_FILE >> 20)));
        }
        let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
        let exchanges = read(&places.filled(&text)).map_err(problem)?;
        Ok(Replay(Mutex::new(Progress { exchanges, ..Progress::default() })))
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fault of a new connection, if that comes next.
    pub fn connection(&self) -> Option<Chosen> {
        let mut progress = self.lock();
        let next = progress.exchanges.iter_mut().find(|recorded| !recorded.is_used)?;
        next.exchange.asked.is_none().then(|| next.take())?.chosen
    }

    /// The fault of a request that is not to be read, if that comes next of those with this path.
    pub fn unread(&self, incoming: &Incoming) -> Option<Chosen> {
        let head = asked_unread(incoming);
        let mut progress = self.lock();
        let mut unused = progress.exchanges.iter_mut().filter(|recorded| !recorded.is_used);
        let next = unused.find(|recorded| recorded.asks_at(&head))?;
        next.is_unread().then(|| next.take())?.chosen
    }

    /// The answer of the first request that asks the same and was not answered yet, and its fault. A look-up that was
    /// answered is answered as the last time: clients ask more or less often.
    pub fn answer(&self, asked: &Json, looks_up: bool) -> (Option<Answer>, Option<Chosen>) {
        let mut progress = self.lock();
        let same = |recorded: &Recorded| recorded.difference(asked).is_none();
        let exchanges = &mut progress.exchanges;
        let place = exchanges.iter().position(|recorded| !recorded.is_used && same(recorded));
        let place = place.or_else(|| exchanges.iter().rposition(|recorded| looks_up && same(recorded)));
        if let Some(place) = place {
            let Exchange { answer, chosen, .. } = exchanges[place].take();
            return (answer.clone(), *chosen);
        }
        let why = progress.unmatched(asked);
        eprintln!("paysvc-sandbox: --replay: {why}");
        let answer = ApiError::new(500, format!("This sandbox answers from a recording. {why}")).into_answer();
        if progress.unmatched.len() < MOST_UNMATCHED {
            progress.unmatched.push(why);
        }
        (Some(answer), None)
    }

    pub fn rewind(&self) {
        let mut progress = self.lock();
        progress.unmatched.clear();
        progress.exchanges.iter_mut().for_each(|recorded| recorded.is_used = false);
    }

    pub fn json(&self) -> Json {
        let progress = self.lock();
        let unused = progress.exchanges.iter().filter(|recorded| !recorded.is_used);
        let unused = unused.map(|recorded| object! { "line": recorded.line, "request": recorded.name() });
        object! {
            "exchanges": progress.exchanges.len(),
            "unused": unused.collect::<Vec<_>>(),
            "unmatched": progress.unmatched.clone(),
        }
    }

    /// An error if a request was not in the file.
    pub fn end(&self) -> Result<(), String> {
        match self.lock().unmatched.len() {
            0 => Ok(()),
            MOST_UNMATCHED => Err(format!("--replay: at least {MOST_UNMATCHED} requests were not in the recording")),
            count => Err(format!("--replay: requests that were not in the recording: {count}")),
        }
    }
}

impl Progress {
    /// Why nothing answers this request, in words.
    fn unmatched(&self, asked: &Json) -> String {
        let name = name(asked);
        let here: Vec<_> = self.exchanges.iter().filter(|recorded| recorded.asks_at(asked)).collect();
        let unused = here.iter().find(|recorded| !recorded.is_used && !recorded.is_unread());
        match (unused, here.iter().any(|recorded| recorded.difference(asked).is_none())) {
            (Some(recorded), _) => {
                let differs = recorded.difference(asked).unwrap_or_default();
                format!("{name} differs from line {}: {differs}.", recorded.line)
            }
            (None, true) => format!("{name} was sent more often than in the recording."),
            (None, false) => format!("{name} was not recorded."),
        }
    }
}

impl Recorded {
    fn take(&mut self) -> &Exchange {
        self.is_used = true;
        &self.exchange
    }

    fn is_unread(&self) -> bool {
        self.exchange.asked.as_ref().is_some_and(|asked| asked.get("key").is_none())
    }

    /// Whether it has the method, path and query of this request.
    fn asks_at(&self, asked: &Json) -> bool {
        let same =
            |recorded: &Json| ["method", "path", "query"].iter().all(|name| recorded.get(name) == asked.get(name));
        self.exchange.asked.as_ref().is_some_and(same)
    }

    fn difference(&self, asked: &Json) -> Option<String> {
        match &self.exchange.asked {
            Some(recorded) => difference(recorded, asked, ""),
            None => Some("it is a connection".to_string()),
        }
    }

    fn name(&self) -> String {
        self.exchange.asked.as_ref().map_or_else(|| "a new connection".to_string(), name)
    }
}

fn name(asked: &Json) -> String {
    let text = |name: &str| asked.get(name).and_then(Json::as_text).unwrap_or_default();
    format!("{} {}", text("method"), text("path"))
}

pub fn read(text: &str) -> Result<Vec<Recorded>, String> {
    let (whole, torn) = text.rsplit_once('\n').unwrap_or(("", text));
    if !torn.is_empty() && !whole.is_empty() {
        // The recording sandbox was killed while it wrote.
        eprintln!("paysvc-sandbox: --replay: the last line is not whole, and is left out");
    }
    let mut lines = whole.lines().enumerate().map(|(index, line)| (index + 1, Json::parse(line.as_bytes())));
    let version = lines.next().and_then(|(_, head)| head.ok()?.get("paysvc_sandbox_session").map(Json::to_string));
    match version {
        None => return Err("it is not a session of paysvc-sandbox".to_string()),
        Some(found) if found != VERSION.to_string() => {
            return Err(format!("its version is {found}, and this paysvc-sandbox reads version {VERSION} only"));
        }
        Some(_) => {}
    }
    let is_end = |json: &Result<Json, String>| json.as_ref().is_ok_and(|json| json.get("ended").is_some());
    let recorded = lines.filter(|(_, json)| !is_end(json)).map(|(line, json)| {
        let exchange = json.and_then(|json| exchange::parse(&json)).map_err(|why| format!("line {line}: {why}"))?;
        Ok(Recorded { line, exchange, is_used: false })
    });
    recorded.collect()
}
