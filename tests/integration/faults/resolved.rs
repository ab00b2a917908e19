//! After each UNKNOWN: the result of `resolve`, against the ledger.

use std::collections::BTreeMap;

use paysvc_spec::schema::{Endpoint, Keep, Settles};
use paysvc_spec::status::{Outcome, State};
use serde_json::{Value, json};

use super::{Call, FAULTS, REUSE, call, client, made};
use crate::support::capi::Reply;
use crate::support::sandbox::Sandbox;
use crate::support::target::{Target, good, target};

/// A card that the sandbox declines.
const DECLINED: &str = "4000000000000002";

#[derive(Default)]
pub struct Resolved {
    /// By endpoint, how often each outcome was found: with and without the number of attempts.
    found: BTreeMap<&'static str, [[usize; 4]; 2]>,
    pub wrong: Vec<String>,
}

impl Resolved {
    pub fn add(&mut self, other: Resolved) {
        for (endpoint, counts) in other.found {
            let sums = self.found.entry(endpoint).or_default();
            for (sum, count) in sums.as_flattened_mut().iter_mut().zip(counts.as_flattened()) {
                *sum += count;
            }
        }
        self.wrong.extend(other.wrong);
    }

    /// Resolves a call whose outcome is UNKNOWN.
    pub fn ask(&mut self, sandbox: &Sandbox, target: &Target, reply: &Reply, at: &str) {
        if target.row.read_only() || reply.outcome() != Outcome::Unknown {
            return;
        }
        // A rule that has not fired would meet the status query.
        sandbox.send("DELETE", "/sandbox/faults", "");
        for (index, attempts) in [Some(reply.attempts()), None].into_iter().enumerate() {
            let mut request = json!({"endpoint": target.row.name, "request": kept(target)});
            if let Some(attempts) = attempts {
                request["attempts"] = attempts.into();
            }
            let found = client(sandbox, REUSE[0]).call("resolve", &request);
            let (effects, state) = (made(sandbox, target), found.state());
            self.found.entry(target.row.name).or_default()[index][found.outcome() as usize] += 1;
            let right = match found.outcome() {
                Outcome::NotSent => false,
                Outcome::Unknown => true,
                Outcome::Confirmed => effects == 1 && (!pays(target.row) || state == State::SUCCESSFUL.0),
                Outcome::Rejected => effects == 0 && attempts.is_some(),
            };
            if !right {
                let (verdict, message) = (found.verdict(), found.message());
                let told = attempts.map_or(String::new(), |attempts| format!(", {attempts} attempts"));
                self.wrong.push(format!("{at}{told}: {verdict}, state {state}, {effects} effects: {message}"));
            }
        }
    }

    /// The same for calls that fail at the service, or do all of what the good one does in part.
    pub fn variants(&mut self, sandbox: &Sandbox, row: &'static Endpoint) {
        for variant in [declined, whole] {
            for (fault, ..) in FAULTS.iter().filter(|(_, on, ..)| *on == Call) {
                let mut target = target(row, sandbox);
                let Some(name) = variant(&mut target) else { break };
                let reply = call(sandbox, REUSE[0], fault, Call, &target);
                self.ask(sandbox, &target, &reply, &format!("{} / {fault} / {name}", row.name));
            }
        }
    }

    pub fn print(&self) {
        println!("\nresolved after each UNKNOWN; in brackets without the number of attempts");
        println!("\n| endpoint | CONFIRMED | REJECTED | UNKNOWN |\n|---|---|---|---|");
        for (name, [with, without]) in &self.found {
            let count = |outcome: Outcome| format!("{} ({})", with[outcome as usize], without[outcome as usize]);
            let [confirmed, rejected, unknown] = [Outcome::Confirmed, Outcome::Rejected, Outcome::Unknown].map(count);
            println!("| {name} | {confirmed} | {rejected} | {unknown} |");
        }
        println!("\nresolved wrongly:                      {}", self.wrong.len());
    }

    /// Returns whether one of the endpoints has a status query that can settle a call whose response is lost.
    pub fn can_settle(&self) -> bool {
        // The reference of a batch is lost with the response.
        let settles = |name: &str| {
            paysvc_spec::endpoint(name).looked_up_by.is_some_and(|look_up| look_up.settles != Settles::Batch)
        };
        self.found.keys().any(|name| settles(name))
    }

    /// The number of settled calls.
    pub fn settled(&self) -> usize {
        let settled = [Outcome::Confirmed, Outcome::Rejected];
        self.found
            .values()
            .flatten()
            .map(|counts| settled.map(|outcome| counts[outcome as usize]).iter().sum::<usize>())
            .sum()
    }
}

/// The fields of the request that a program keeps.
fn kept(target: &Target) -> Value {
    let mut kept = json!({});
    for keep in target.row.looked_up_by.iter().flat_map(|look_up| look_up.keep) {
        let pointer = keep.pointer();
        let value = match keep {
            Keep::Value(_) => target.request.pointer(pointer).cloned(),
            Keep::Presence(_) => target.request.pointer(pointer).map(|_| json!({})),
            // The caller's knowledge about the order is from before the call.
            Keep::Added(_) => good(target.row).setup.iter().find_map(|setup| setup.with.pointer(pointer).cloned()),
        };
        if let Some(value) = value {
            let steps = pointer.split('/').skip(1);
            *steps.fold(&mut kept, |place, step| &mut place[step]) = value;
        }
    }
    kept
}

/// CONFIRMED means a payment.
fn pays(row: &Endpoint) -> bool {
    let settles = row.looked_up_by.map(|look_up| look_up.settles);
    matches!(settles, Some(Settles::Charge | Settles::ChargeOrOrder | Settles::Attempt | Settles::Refund))
}

fn declined(target: &mut Target) -> Option<&'static str> {
    *target.request.pointer_mut("/card/cardnumber")? = DECLINED.into();
    Some("declined card")
}

/// A full refund, which has no amount.
fn whole(target: &mut Target) -> Option<&'static str> {
    target.row.looked_up_by.filter(|look_up| look_up.settles == Settles::Refund)?;
    target.request.as_object_mut()?.remove("amount")?;
    let price = good(target.row).setup.iter().find_map(|setup| setup.with["amount"].as_str())?;
    let key = format!("{}/{price}", target.business_key()?);
    target.effect.as_mut()?.1 = key;
    Some("all of it")
}
