//! Words, codes and HTTP statuses of refusals, and of doubt about them: a refusal may be about an earlier request, or
//! about one whose end is not known.
//!
//! The service publishes no list. These were collected from what banks, gateways and frameworks write, so every entry is
//! a guess about this service. A missing doubt can cost a second charge, and a missing proof only makes a response UNKNOWN.

named! {
    /// Where texts like the entries of a group were seen.
    pub enum Source(words) {
        /// The response texts of ISO 8583, as banks and card schemes write them.
        Iso8583 = "response texts of ISO 8583",
        CardGateways = "card gateways",
        /// Card gateways and public clients of payment services, for references and one-time codes.
        PublicClients = "public clients of payment services",
        /// Frameworks, databases and networks: .NET, Java, Node.js, SQL, nginx.
        Software = "frameworks, databases, networks",
        /// Mobile money and banks in countries that use XOF, XAF and CDF.
        French = "banks and mobile money in French",
        /// Not seen: a form of another entry, or what such a service may write.
        Guess = "guess",
    }
}

named! {
    /// The meaning of an entry where a text has it.
    pub enum Meaning(words) {
        Doubt = "doubt",
        DoubtUnlessDenied = "doubt unless denied",
        /// Doubt unless denied, and unless the response has a code of failure other than 4 or this payment's own state is FAILED.
        WeakDoubt = "weak doubt",
        ProofOfRefusal = "proof of refusal",
    }
}

/// Entries are separated by commas. An entry is a run of folded words, of which the last may go on unless `=` follows.
pub struct Group {
    pub meaning: Meaning,
    pub source: Source,
    pub entries: &'static [&'static str],
}

const fn group(meaning: Meaning, source: Source, entries: &'static [&'static str]) -> Group {
    Group { meaning, source, entries }
}

use Meaning::{Doubt, DoubtUnlessDenied, ProofOfRefusal, WeakDoubt};
use Source::{CardGateways, French, Guess, Iso8583, PublicClients, Software};

#[rustfmt::skip]
pub const GROUPS: &[Group] = &[
    group(Doubt, PublicClients, &[
        "already", "duplicat", "double payment", "double charge", "double debit", "double transaction", "double bill",
        "not unique", "be unique", "charged twice", "paid twice", "processed twice", "submitted twice", "sent twice",
        "paid again", "charged again", "processed again", "pay again", "same request", "another request",
        "same transaction", "another transaction", "identical", "similar transaction", "same reference", "idempoten",
        "in use", "been taken", "is closed",
    ]),
    group(Doubt, French, &[
        "deja", "doublon", "en double", "deux fois", "meme reference", "meme transaction", "meme demande",
        "delai d attente", "delai depasse", "delai expire", "pas de reponse", "aucune reponse", "sans reponse",
        "injoignable", "reponse invalide",
    ]),
    group(Doubt, Iso8583, &["time out", "timeout", "invalid response", "malfunction", "not received", "no response"]),
    group(Doubt, CardGateways, &[
        "not respond", "not reachable", "unreachable", "unable to confirm", "could not confirm", "cannot confirm",
        "unable to determine", "requery", "check status", "check the status", "verify status", "verify the status",
        "confirm status", "status unknown", "unknown status", "order status", "payment status", "transaction status",
        "bad response", "unexpected response", "timed out", "time limit", "time exceeded", "took too long",
        "otp required", "code required", "pin required", "action required", "authentication required",
        "authorization required", "verification required", "confirmation required", "approval required",
        "validation required", "must be confirm", "must be verif", "must be approv", "must be authori",
        "must be authenti", "must be validat",
    ]),
    group(Doubt, Software, &[
        "unique key", "unique constraint", "primary key", "concurren", "timedout", "etimedout", "task was cancel",
        "operation was cancel", "object reference", "deadlock", "econn", "socket", "connection reset",
        "connection refused", "connection closed", "remote host", "upstream", "bad gateway", "exception",
    ]),
    group(DoubtUnlessDenied, PublicClients, &[
        "been used", "paid=", "been charged", "was charged", "were charged", "debited", "captured", "settled",
        "refunded", "reversed", "processed", "queued", "in progress", "in process", "under process", "successful",
        "approved",
    ]),
    group(DoubtUnlessDenied, French, &[
        "debite=", "rembourse", "approuve", "en attente", "en cours de traitement", "transaction en cours",
        "paiement en cours", "operation en cours", "demande en cours", "traite=", "traitee", "effectue=", "effectuee=",
        "paye=", "payee=", "regle=", "reglee=", "reussi",
    ]),
    group(WeakDoubt, PublicClients, &[
        "exist", "completed", "pending", "processing", "awaiting", "been submitted", "transaction expired",
        "request expired", "payment expired", "session expired",
    ]),
    group(WeakDoubt, Iso8583, &["inoperative", "unable to process", "communication"]),
    group(WeakDoubt, CardGateways, &["cannot process", "could not process", "failed to process"]),
    group(WeakDoubt, Software, &[
        "went wrong", "error occurred", "unknown error", "unexpected error", "system error", "internal error",
        "internal server", "general error", "technical error", "unavailable", "not available", "network",
    ]),
    group(WeakDoubt, French, &[
        "existe", "erreur technique", "erreur interne", "une erreur", "indisponible", "reseau",
    ]),
    group(ProofOfRefusal, Iso8583, &[
        "declin", "insufficient", "not sufficient", "do not honour", "do not honor", "not permitted", "invalid",
        "incorrect", "expired card", "no such", "limit", "exceed", "restrict", "stolen", "lost card", "pick up",
        "fraud", "refer to card issuer", "security violation", "unrecogni",
    ]),
    group(ProofOfRefusal, CardGateways, &[
        "not enough", "not allowed", "denied", "wrong pin", "wrong cvv", "wrong otp", "wrong card", "wrong amount",
        "wrong code", "card expired", "card has expired", "otp expired", "otp has expired", "code has expired",
        "minimum amount", "maximum amount", "blocked", "not active", "inactive", "disabled", "deactivat", "suspend",
        "not registered", "not enrolled", "not eligible", "dormant", "cancelled by user", "canceled by user",
        "cancelled by customer", "authentication failed", "not enabled", "not configured", "not supported",
        "unsupported",
    ]),
    group(ProofOfRefusal, Software, &[
        "not authorized", "not authorised", "unauthor", "forbidden", "token has expired", "not valid", "is required",
        "are required", "is missing", "are missing", "mandatory", "cannot be empty", "not found", "not be found",
        "does not exist", "less than", "greater than", "at least", "not match", "mismatch", "must be", "must contain",
        "must not", "too short", "too large", "api key", "encrypt", "decrypt",
    ]),
    group(ProofOfRefusal, French, &[
        "insuffisan", "refus", "rejete", "invalide", "errone", "expiree", "obligatoire", "requis", "introuvable",
        "inconnu", "plafond", "depasse", "bloque", "opposition", "volee", "perdue", "non autorise", "pas autorise",
        "interdit", "desactive", "suspendu", "doit etre",
    ]),
    // The sentences of the tests have these, and the groups above do not.
    group(Doubt, Iso8583, &["no reply", "too late"]),
    group(Doubt, PublicClients, &["not yet"]),
    group(Doubt, French, &["pas encore", "non parvenu", "trop tard", "inaccessible", "mauvais fonctionnement", "arret momentane"]),
    group(DoubtUnlessDenied, PublicClients, &["waiting", "ongoing", "delayed", "payment received", "confirmed", "credited", "succeeded"]),
    group(DoubtUnlessDenied, French, &["traitement en cours", "debitee=", "paiement recu"]),
    group(DoubtUnlessDenied, Guess, &[
        "success=", "succes=", "preleve=", "prelevee=", "encaisse=", "encaissee=", "validee=", "ete valide", "confirme=",
        "confirmee=", "credite=", "creditee=",
    ]),
    group(WeakDoubt, Software, &["error occured", "error has occur", "server error"]),
    group(WeakDoubt, PublicClients, &["could not perform"]),
    group(WeakDoubt, French, &["probleme technique", "erreur serveur"]),
    group(ProofOfRefusal, Iso8583, &[
        "closed account", "no credit account", "no checking account", "no savings account", "customer cancel",
    ]),
    group(ProofOfRefusal, CardGateways, &["low balance", "account closed"]),
    group(ProofOfRefusal, French, &["ne pas honorer", "non permis", "carte a expire"]),
];

/// These entries are no doubt directly before words that begin so.
pub const ALREADY: &[&str] = &["already", "deja"];
pub const AFTER_ALREADY: &[&str] =
    &["expir", "exceed", "block", "lock", "reach", "deactiv", "cancel", "depass", "annul"];

/// Words that deny what follows. "n't" at the end of a word is "not".
#[rustfmt::skip]
pub const DENIALS: &[&str] = &[
    "not", "cannot", "never", "no", "non", "unable", "failed", "without", "n", "ne", "pas", "aucun", "jamais",
];
/// Words that may stand between a denial and what it denies.
#[rustfmt::skip]
pub const BETWEEN: &[&str] = &[
    "be", "been", "being", "have", "has", "had", "to", "yet", "longer", "successfully", "ete", "etre", "encore", "pu",
    "est", "a",
];

/// Entries that are plain refusals in `errors` under fields whose names contain one of these: an e-mail address that is
/// in use is no payment.
pub const OF_PAYMENTS: &[&str] = &["already", "in use", "exist"];
pub const OF_PERSONS: &[&str] = &["email", "mobile", "phone", "alias"];

/// The ends of names, in any case, of the fields within `data` whose texts are searched; codes that are words are too.
pub const MESSAGES_IN_DATA: &[&str] = &["message", "reason", "remarks"];

named! {
    /// The meaning of a code.
    pub enum CodeClass(words) {
        Success = "success",
        Progress = "progress",
        Doubt = "doubt",
        Failure = "failure",
    }
}

/// From, to, class: the first that has a number decides its meaning. Every other number means nothing.
pub const CODES: &[(u64, u64, CodeClass)] = &[
    (0, 0, CodeClass::Success),
    (200, 200, CodeClass::Success),
    // The service's own.
    (1, 2, CodeClass::Progress),
    // ISO 8583: error, in progress, suspected malfunction, file update, duplicate, late, cut-off, issuer, routing,
    // duplicate, reconciliation, malfunction, and codes of public clients.
    (6, 6, CodeClass::Doubt),
    (9, 9, CodeClass::Doubt),
    (19, 20, CodeClass::Doubt),
    (22, 22, CodeClass::Doubt),
    (26, 26, CodeClass::Doubt),
    (68, 68, CodeClass::Doubt),
    (90, 91, CodeClass::Doubt),
    (94, 97, CodeClass::Doubt),
    (99, 99, CodeClass::Doubt),
    // HTTP.
    (408, 409, CodeClass::Doubt),
    (423, 425, CodeClass::Doubt),
    (429, 429, CodeClass::Doubt),
    (499, 599, CodeClass::Doubt),
    (3, 99, CodeClass::Failure),
    (400, 498, CodeClass::Failure),
];

pub fn code_class(code: u64) -> Option<CodeClass> {
    CODES.iter().find(|(from, to, _)| (*from..=*to).contains(&code)).map(|(_, _, class)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn entries_are_folded_words_and_stand_once() {
        let mut seen = BTreeSet::new();
        for entry in GROUPS.iter().flat_map(|group| group.entries) {
            let words = entry.strip_suffix('=').unwrap_or(entry);
            assert!(
                words.split(' ').all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()) && !word.is_empty())
            );
            assert!(seen.insert(words), "{entry} stands twice");
        }
        let entries = [ALREADY, OF_PAYMENTS].concat();
        assert!(entries.iter().all(|entry| seen.contains(entry)), "rules of entries that there are");
    }

    #[test]
    fn codes_mean_one_thing() {
        let class =
            |codes: &[u64], wanted| codes.iter().for_each(|code| assert_eq!(code_class(*code), wanted, "{code}"));
        class(&[0, 200], Some(CodeClass::Success));
        class(&[1, 2], Some(CodeClass::Progress));
        class(&[6, 9, 19, 20, 22, 26, 68, 90, 91, 94, 95, 96, 97, 99], Some(CodeClass::Doubt));
        class(&[408, 409, 423, 424, 425, 429, 499, 500, 504, 599], Some(CodeClass::Doubt));
        class(&[3, 4, 5, 8, 12, 14, 51, 54, 93, 98, 400, 401, 404, 422, 426, 498], Some(CodeClass::Failure));
        class(&[100, 199, 201, 399, 600, 1000, u64::MAX], None);
    }
}
