//! `--replay`: answers from a file, each request as the same request was answered.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use strsim::levenshtein;

use super::exchange::{self, Exchange, LARGEST_FILE, Places, VERSION, asked_unread};
use super::renaming::{Pair, Renaming, is_exact};
use crate::faults::Chosen;
use crate::http::answer::{Answer, ApiError};
use crate::http::incoming::Incoming;
use crate::util::json::{Json, object};

/// Max number of unrecorded requests kept; a client that repeats one for ever fills no memory.
const MOST_UNMATCHED: usize = 100;

pub struct Replay(Mutex<Progress>);

#[derive(Default)]
struct Progress {
    exchanges: Vec<Recorded>,
    unmatched: Vec<String>,
    renaming: Renaming,
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

    /// The response of the first request that asks the same and was not answered yet, and its fault. A status query that was
    /// answered is answered as the last time: clients ask more or less often.
    pub fn answer(&self, asked: &Json, looks_up: bool) -> (Option<Answer>, Option<Chosen>) {
        let mut progress = self.lock();
        let Progress { exchanges, renaming, .. } = &mut *progress;
        let asked = renaming.recorded(asked);
        if let Some((place, pairs)) = matching(exchanges, renaming, &asked, looks_up) {
            renaming.add(pairs);
            let Exchange { answer, chosen, .. } = exchanges[place].take();
            return (answer.clone().map(|answer| renamed(answer, renaming)), *chosen);
        }
        let why = progress.unmatched(&asked);
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
        progress.renaming.clear();
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

/// The place of the exchange that answers, and the names that are new with it. A request sent as it was recorded comes
/// before one with other names.
fn matching(exchanges: &[Recorded], renaming: &Renaming, asked: &Json, looks_up: bool) -> Option<(usize, Vec<Pair>)> {
    let same = |(place, recorded): (usize, &Recorded)| Some((place, recorded.compare(renaming, asked)?.ok()?));
    let unused = exchanges.iter().enumerate().filter(|(_, recorded)| !recorded.is_used);
    let mut fits: Vec<_> = unused.filter_map(same).collect();
    if !fits.is_empty() {
        let exact = fits.iter().position(|(_, pairs)| is_exact(pairs)).unwrap_or(0);
        return Some(fits.swap_remove(exact));
    }
    if looks_up { exchanges.iter().enumerate().rev().find_map(same) } else { None }
}

/// The response with this client's names.
fn renamed(answer: Answer, renaming: &Renaming) -> Answer {
    let headers = answer.headers.iter().map(|(name, value)| (name.clone(), renaming.sent(value)));
    let headers = headers.collect();
    let body = String::from_utf8_lossy(&answer.body);
    Answer { body: renaming.sent(&body).into_bytes(), headers, ..answer }
}

impl Progress {
    /// Why nothing answers this request, in words, with the recorded one that is nearest to it.
    fn unmatched(&self, asked: &Json) -> String {
        let name = name(asked);
        let read = || self.exchanges.iter().filter(|recorded| !recorded.is_unread());
        let compared = read().filter_map(|recorded| Some((recorded, recorded.compare(&self.renaming, asked)?)));
        let (same, other): (Vec<_>, Vec<_>) = compared.partition(|(_, compared)| compared.is_ok());
        if !same.is_empty() {
            return format!("{name} was sent more often than in the recording.");
        }
        let other = other.into_iter().filter_map(|(recorded, compared)| Some((recorded, compared.err()?)));
        // Exchanges that are left count before those that were answered.
        if let Some((recorded, differs)) = other.min_by_key(|(recorded, differs)| (recorded.is_used, differs.len())) {
            return format!("{name} differs from line {}: {}.", recorded.line, differs.join("; "));
        }
        let nearest = read().min_by_key(|recorded| (levenshtein(&recorded.name(), &name), recorded.is_used));
        match nearest {
            Some(near) => format!("{name} was not recorded; the nearest call is line {}: {}.", near.line, near.name()),
            None => format!("{name} was not recorded."),
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

    /// The new names, or what differs; `None`: it is another call.
    fn compare(&self, renaming: &Renaming, asked: &Json) -> Option<Result<Vec<Pair>, Vec<String>>> {
        let recorded = self.exchange.asked.as_ref()?;
        let is_here = ["method", "path"].iter().all(|name| recorded.get(name) == asked.get(name));
        is_here.then(|| renaming.compare(recorded, asked))
    }

    /// Returns whether it has the method, path and query of this request.
    fn asks_at(&self, asked: &Json) -> bool {
        let same =
            |recorded: &Json| ["method", "path", "query"].iter().all(|name| recorded.get(name) == asked.get(name));
        self.exchange.asked.as_ref().is_some_and(same)
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
