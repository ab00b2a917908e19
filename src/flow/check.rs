//! Is everything ready for the first sale? Looks at the configuration, opens a connection, and asks the service
//! something that only reads.

use std::time::{Duration, SystemTime};

use super::Client;
use crate::answer::reply::Reply;
use crate::call::Call;
use crate::json::Given;
use crate::json::object::{list, object, object_text};
use crate::request;
use crate::wire::clock;
use paysvc_spec::checks::{ASKED, CARD_PAYLOAD, CLOCK_TOLERANCE, Check};
use paysvc_spec::schema::ApiKey;
use paysvc_spec::settings;
use paysvc_spec::status::{Outcome, Status};

enum CheckResult {
    Ok(String),
    Wrong(Status, String),
    /// Another check must be ok first.
    NotChecked(Check),
}

impl Client {
    /// One check after the other. Moves no money and changes nothing, so its outcome is always NOT_SENT.
    pub fn check(&self, context: &Call<'_>) -> Reply {
        let mut found = self.check_configuration();
        found.extend(self.check_connection(context));
        found.extend(self.check_service(context, &found));
        report(&found, &self.config.warnings)
    }

    fn check_configuration(&self) -> Vec<CheckResult> {
        let missing = |name| CheckResult::Wrong(Status::Config, settings::not_configured(name));
        let address = self.config.base_url.as_ref().map(|base_url| CheckResult::Ok(base_url.text.clone()));
        let key = |key: ApiKey| match self.config.key(key) {
            Some(_) => CheckResult::Ok("is configured".into()),
            None => missing(key.setting()),
        };
        let encryption_key = match &self.config.encryption_key {
            None => missing(Check::EncryptionKey.name()),
            Some(key) => size(key.max_payload()),
        };
        let address = address.unwrap_or_else(|| missing(Check::BaseUrl.name()));
        vec![address, key(ApiKey::Public), key(ApiKey::Secret), self.check_mode(), encryption_key, self.check_journal()]
    }

    fn check_journal(&self) -> CheckResult {
        CheckResult::Ok(match (self.journal.get(), &self.config.journal) {
            (None, _) => "there is none: a second call for the same payment can charge twice".into(),
            (Some(_), Some(path)) => format!("the file {}", path.display()),
            (Some(_), None) => "the program's own store".into(),
        })
    }

    /// A configured mode has already been compared with the keys.
    fn check_mode(&self) -> CheckResult {
        match self.config.modes() {
            [Some(public), Some(secret)] if public != secret => CheckResult::Wrong(
                Status::Config,
                format!(
                    "public_key is a {} key but secret_key is a {} key: copy both from the same mode of the dashboard, \
                     and set mode",
                    public.name(),
                    secret.name()
                ),
            ),
            [Some(mode), _] | [None, Some(mode)] => CheckResult::Ok(format!("{} keys", mode.name())),
            [None, None] => CheckResult::Ok("the form of the keys does not show their mode".into()),
        }
    }

    fn check_connection(&self, context: &Call<'_>) -> Vec<CheckResult> {
        const STEPS: [Check; 3] = [Check::NameLookUp, Check::Connection, Check::Tls];
        let Some(transport) = &self.transport else {
            return STEPS.map(|_| CheckResult::NotChecked(Check::BaseUrl)).into();
        };
        let result = transport.probe(context);
        let of = |check: Check| match &result {
            Err((at, error)) if *at == check => CheckResult::Wrong(error.status, error.message.clone()),
            Err((at, _)) if (*at as usize) < check as usize => CheckResult::NotChecked(*at),
            _ if check == Check::Tls && !self.config.base_url.as_ref().is_some_and(|base_url| base_url.https) => {
                CheckResult::Ok("not used: base_url begins with http://".into())
            }
            _ if check == Check::Connection => CheckResult::Ok(format!("done, {}", self.config.route)),
            _ => CheckResult::Ok("done".into()),
        };
        STEPS.map(of).into()
    }

    /// The service's response, and its clock.
    fn check_service(&self, context: &Call<'_>, before: &[CheckResult]) -> [CheckResult; 2] {
        let needed = [Check::BaseUrl, Check::PublicKey, Check::NameLookUp, Check::Connection, Check::Tls];
        if let Some(first) = needed.into_iter().find(|check| !matches!(before[*check as usize], CheckResult::Ok(_))) {
            return [CheckResult::NotChecked(first), CheckResult::NotChecked(first)];
        }
        let nothing = Given::read("{}");
        let prepared = request::prepare(ASKED, &nothing, &self.config, &|| context.bounds.is_over());
        let sent = prepared.and_then(|prepared| self.send_once(context, &prepared));
        let (reply, date) = match sent {
            Ok(sent) => sent,
            Err(error) => {
                return [CheckResult::Wrong(error.status, error.message), CheckResult::NotChecked(Check::Service)];
            }
        };
        let clock = match (date, reply.http_status()) {
            (_, 0) => CheckResult::NotChecked(Check::Service),
            (Some(date), _) => compare_clocks(&date, SystemTime::now()),
            (None, _) => CheckResult::Ok("not compared: the service's response has no date".into()),
        };
        let service = match reply.status() {
            Status::Ok => CheckResult::Ok("answered".into()),
            Status::Unauthorized => CheckResult::Wrong(
                reply.status(),
                format!("the service refuses public_key: copy it from the dashboard again; {}", reply.message),
            ),
            _ => CheckResult::Wrong(reply.status(), reply.message),
        };
        [service, clock]
    }
}

/// Checks whether a key of this capacity is long enough for a card payment.
fn size(max_payload: usize) -> CheckResult {
    let bytes = format!("can encrypt {max_payload} bytes, and the payload of a card payment has about {CARD_PAYLOAD}");
    match max_payload < CARD_PAYLOAD {
        true => {
            CheckResult::Wrong(Status::Config, format!("{bytes}: use a key of 4096 bits, as the dashboard shows it"))
        }
        false => CheckResult::Ok(bytes),
    }
}

fn compare_clocks(date: &str, now: SystemTime) -> CheckResult {
    let Ok(service) = httpdate::parse_http_date(date) else {
        return CheckResult::Ok("not compared: the service's response has no date".into());
    };
    let off = now.duration_since(service).unwrap_or_else(|error| error.duration());
    match off <= Duration::from_secs(CLOCK_TOLERANCE) {
        true => CheckResult::Ok("agrees with the service's".into()),
        false => CheckResult::Wrong(
            Status::Config,
            format!("this machine's clock reads {}, the service's {date}: set this machine's clock", clock::text(now)),
        ),
    }
}

/// The question to the service needs neither of these keys.
const ALL_PASSED: &str = "every check passed; the secret key and the encryption key were not tried with the service";

/// The status is that of the first check that is not ok.
fn report(found: &[CheckResult], warnings: &[String]) -> Reply {
    let is_wrong = |found: &&CheckResult| !matches!(found, CheckResult::Ok(_));
    let wrong = found.iter().filter(is_wrong).count();
    let first = found.iter().zip(Check::ALL).find_map(|(found, check)| match found {
        CheckResult::Wrong(status, text) => Some((*status, format!("{}: {text}", check.name()))),
        _ => None,
    });
    let (status, mut message) = first.unwrap_or((Status::Ok, ALL_PASSED.into()));
    if wrong > 1 {
        message += &format!(" ({wrong} checks are not ok, see checks)");
    }
    for warning in warnings {
        message += &format!("; {warning}");
    }
    let reply = Reply::without_body(status, Outcome::NotSent, message);
    let one = |out: &mut Vec<u8>, (found, check): (&CheckResult, &Check)| {
        let (ok, text) = match found {
            CheckResult::Ok(text) => (true, text.clone()),
            CheckResult::Wrong(_, text) => (false, text.clone()),
            CheckResult::NotChecked(first) => (false, format!("not checked: {} must be ok first", first.name())),
        };
        object(out, |members| {
            members.text("check", check.name());
            members.literal("ok", ok);
            members.text("message", &text);
        });
    };
    let body = object_text(|members| {
        members.literal("status", status == Status::Ok);
        members.text("message", &reply.message);
        members.raw("checks", |out| list(out, found.iter().zip(Check::ALL), one));
    });
    Reply { body, ..reply }
}
