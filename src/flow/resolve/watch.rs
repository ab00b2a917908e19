//! Asks once, or until the question is settled, and waits between two status queries.

use std::time::{Duration, Instant};

use super::Task;
use crate::answer::facts::stated::Text;
use crate::answer::redact::{Redactor, WITHHELD};
use crate::answer::reply::{self, Evidence, Reply};
use crate::answer::resolution::{self, Attempts, Decision, Question};
use crate::answer::verdict::Verdict;
use crate::call::Call;
use crate::call::log::Level;
use crate::flow::Client;
use crate::flow::patience::{Backoff, random};
use crate::json::Fields;
use crate::json::object::object_text;
use crate::util::expiry::{CANCELLED, DEADLINE_EXCEEDED};
use paysvc_spec::schema::{Endpoint, Reference};
use paysvc_spec::status::{self, Outcome, Status};

/// Without it, no program can verify that the order is paid as it was ordered.
const NO_CURRENCY: &str = "its currency is not known: give expect to order_wait, with the field currency";
const LONGEST_REDACTION: Duration = Duration::from_millis(250);

/// One status query, and its proof.
pub struct LookUpResult {
    pub reply: Reply,
    pub decision: Decision,
}

/// Asks until the question is settled, the task needs no second status query, or the call ends.
pub fn watch(client: &Client, context: &Call<'_>, task: &Task<'_>) -> Reply {
    let mut kept: Option<LookUpResult> = None;
    for looks in 1.. {
        let found = look(client, context, task);
        let settled = !task.repeats || !found.decision.verdict.again;
        let goes_on = report(context, task, looks, &found);
        if settled {
            return finish(client, context, task, found, None);
        }
        let retry_after = found.reply.evidence.reading.retry_after_ms.map(Duration::from_millis);
        let known = keep(&mut kept, found);
        let left = context.bounds.time_left();
        let end = match (goes_on, context.bounds.ended()) {
            (_, Some(why)) => Some(why),
            (false, None) => Some(Status::Cancelled),
            (true, None) => match next(looks, task.interval_ms, retry_after, left, random) {
                Next::Look(wait) => context.bounds.pause(wait),
                Next::Wait => Some(context.bounds.pause(left).unwrap_or(Status::Timeout)),
                Next::TooLate => Some(Status::Timeout),
            },
        };
        if let Some(why) = end {
            return finish(client, context, task, known, Some(why));
        }
        kept = Some(known);
    }
    unreachable!("the call has a deadline")
}

pub fn look(client: &Client, context: &Call<'_>, task: &Task<'_>) -> LookUpResult {
    // One that hangs must not use up the time of all others.
    let mut reply = client.look_up(
        &context.within(client.config.timeout),
        task.row,
        Fields::Named(&task.fields),
        Some(&task.secrets),
    );
    let mut decision = decide(task, &reply, None);
    let asked = task.currency_by.filter(|_| decision.lacks_currency);
    let told = asked.and_then(|row| currency(client, context, task, row));
    if told.is_some() {
        decision = decide(task, &reply, told.as_ref());
    }
    if let Some(facts) = &mut reply.evidence.reading.facts {
        facts.is_of_payment &= !matches!(task.asked.question, Question::Refund | Question::Batch | Question::Account);
        let proved = told
            .or_else(|| task.asked.currency_of_order().map(Text::from))
            .filter(|_| decision.verdict.outcome == Outcome::Confirmed);
        if proved.is_some() && facts.currency.is_absent() {
            facts.currency.add(proved, true);
        }
    }
    LookUpResult { reply, decision }
}

fn decide(task: &Task<'_>, reply: &Reply, currency: Option<&Text>) -> Decision {
    let attempts = task.attempts_now.map_or_else(|| Attempts::begun(task.asked.attempts), |now| now());
    resolution::decide(&task.asked, &attempts, reply, currency)
}

/// The currency of the order, as that row's response has it. `None` without its API key, and if it does not name order
/// and currency.
fn currency(client: &Client, context: &Call<'_>, task: &Task<'_>, row: &'static Endpoint) -> Option<Text> {
    client.config.key(client.config.key_of(row))?;
    let reply =
        client.look_up(&context.within(client.config.timeout), row, Fields::Named(&task.fields), Some(&task.secrets));
    let facts = reply.facts().filter(|_| reply.outcome() == Outcome::Confirmed)?;
    facts.reference(Reference::Order).is_requested().then(|| facts.currency.clear().cloned()).flatten()
}

/// The status query to return if none settles the question: the last that the service answered.
fn keep(kept: &mut Option<LookUpResult>, found: LookUpResult) -> LookUpResult {
    match kept.take() {
        Some(earlier) if earlier.decision.answered && !found.decision.answered => {
            let mut earlier = earlier;
            // The wait that the service asked for last.
            earlier.reply.evidence.reading.retry_after_ms = found.reply.evidence.reading.retry_after_ms;
            earlier
        }
        _ => found,
    }
}

/// Reports a status query; false if the caller wants to stop.
fn report(context: &Call<'_>, task: &Task<'_>, looks: u32, found: &LookUpResult) -> bool {
    let outcome = status::name_of_outcome(found.decision.verdict.outcome);
    let step = || {
        object_text(|step| {
            step.text("step", "look");
            step.literal("state", found.decision.verdict.state.0);
            step.text("outcome", outcome);
        })
    };
    !task.reports_progress || context.report(looks as usize, 0, &step())
}

/// The reply. `ended`: why the call ended before the question was settled.
fn finish(client: &Client, context: &Call<'_>, task: &Task<'_>, found: LookUpResult, ended: Option<Status>) -> Reply {
    let LookUpResult { reply: look, mut decision } = found;
    // The service's texts, without the secrets of the earlier request. They are short: only a request with very many
    // fields takes longer.
    let until = Instant::now() + LONGEST_REDACTION;
    let stop = || Instant::now() >= until;
    let key = client.config.key(client.config.key_of(task.row));
    let redactor = Redactor { secrets: &task.secrets, key, stop: &stop };
    let redacted = |text: &str| redactor.redact(text).unwrap_or_else(|| WITHHELD.to_owned());
    let difference = decision.difference.as_deref().map(redacted);
    let end = ended.map(|why| match why {
        Status::Cancelled => format!("{CANCELLED} before the question was settled"),
        _ => format!("{DEADLINE_EXCEEDED}, but the question is not settled"),
    });
    let mut parts: Vec<&str> = end.as_deref().into_iter().collect();
    if let Some(why) = ended {
        // Once the service has answered, the question is not open because the time ended.
        decision.verdict.status = match why {
            Status::Timeout if decision.answered => Status::Unresolved,
            _ => why,
        };
    }
    parts.extend(decision.verdict.explanation);
    parts.extend(difference.as_deref());
    let names_currency = look.facts().is_none_or(|facts| !facts.currency.is_absent());
    if task.asked.question == Question::Final && decision.verdict.outcome == Outcome::Confirmed && !names_currency {
        parts.push(NO_CURRENCY);
    }
    log_verdict(task.what, &decision.verdict, context);
    let message = format!("{}; the status query: {}", parts.join("; "), redacted(&look.message));
    let code = redacted(&look.code);
    let document = look.document.filter(|_| look.evidence.reading.http_status > 0);
    let evidence = Evidence { verdict: decision.verdict, ..look.evidence };
    let reply = Reply::about(evidence, message);
    let body = match &document {
        // Without a response in JSON, the body is the failure in the message.
        None => reply::failure_envelope(&reply.message, &[]),
        Some(_) => look.body,
    };
    Reply { document, body, code, ..reply }
}

pub fn log_verdict(what: &str, verdict: &Verdict, context: &Call<'_>) {
    let level = if verdict.status == Status::Ok { Level::Info } else { Level::Warn };
    context.log(level, || {
        let (status, outcome) = (status::name_of(verdict.status), status::name_of_outcome(verdict.outcome));
        format!("what became of {what}: {status} {outcome}, line {}", verdict.line)
    });
}

/// The longest wait, as many times the first.
const MOST: u64 = 10;
/// The last status query begins when three quarters of the remaining time are over, unless that is sooner than this.
const SHORTEST: Duration = Duration::from_millis(20);

#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Look(Duration),
    /// There is no time for another status query.
    Wait,
    /// The service asks for a wait that is longer than the call lasts.
    TooLate,
}

/// Decides what to do after that many status queries. `asked`: the service's `Retry-After`.
pub fn next(looks: u32, first_ms: u64, asked: Option<Duration>, left: Duration, random: impl FnOnce() -> u64) -> Next {
    let backoff = Backoff { first_ms, longest_ms: first_ms * MOST, growth: 150, jitter: (75, 125) };
    let wait = backoff.wait(looks - 1, random);
    match asked {
        Some(asked) if asked >= left => Next::TooLate,
        Some(asked) if asked >= wait => Next::Look(asked),
        _ if wait < left => Next::Look(wait),
        _ => match left * 3 / 4 {
            last if last < SHORTEST => Next::Wait,
            last => Next::Look(last.max(asked.unwrap_or_default())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: u64 = 1000;
    const MINUTES: Duration = Duration::from_secs(600);
    /// The random number of a first wait without jitter.
    const EXACT: u64 = 250;

    fn ms(looks: u32, asked: Option<u64>, left: Duration, random: u64) -> u128 {
        match next(looks, FIRST, asked.map(Duration::from_millis), left, || random) {
            Next::Look(wait) => wait.as_millis(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn retry_after_is_honoured() {
        assert_eq!(ms(1, Some(4000), MINUTES, EXACT), 4000);
        assert_eq!(ms(5, Some(4000), MINUTES, 5062 / 4), 5061, "the longer one");
        assert_eq!(next(1, FIRST, Some(MINUTES), MINUTES, || EXACT), Next::TooLate);
        assert_eq!(ms(5, Some(900), Duration::from_secs(1), EXACT), 900, "the last look does not come too early");
    }

    #[test]
    fn the_last_look_comes_before_the_end() {
        let mut left = Duration::from_secs(1);
        let mut looks = 0;
        while let Next::Look(wait) = next(9, FIRST, None, left, || EXACT) {
            assert!(wait < left && wait >= SHORTEST);
            left -= wait;
            looks += 1;
        }
        assert_eq!((next(9, FIRST, None, left, || EXACT), looks), (Next::Wait, 3));
        assert_eq!(next(1, FIRST, None, Duration::ZERO, || EXACT), Next::Wait);
    }
}
