//! The members that the library itself writes into the bodies of replies.

use crate::schema::Member;

/// What `webhook_verify` puts in front of the service's answer.
pub const WEBHOOK: &[Member] = &[
    Member::flag("authentic", "whether the service says the same as the event"),
    Member::flag("match", "whether the service says what was expected; absent if nothing was"),
    Member::list(
        "differences",
        &[
            Member::text("member", "what differs"),
            Member::text("event", "its value in the event").nullable().number_or_text(),
            Member::text("service", "its value in the service's answer").nullable().number_or_text(),
            Member::text("expected", "the value that was expected, if the service says something else"),
        ],
        "where the event, the service and the expectation differ",
    ),
    Member::text("event", "what the event is about: order, session, payout or unknown"),
    Member::text("about", "the reference, session or batch that the service was asked for; absent if it was not asked"),
    Member::text("key", "the same for every delivery of the event; absent unless it is authentic"),
    Member::integer(
        "respond",
        "the HTTP status for the sender: 200, of an authentic event once it is handled; 400 if it is no event; 503 if nothing is decided, so that it must be sent again",
    ),
    Member::integer("retry_after", "seconds for the header Retry-After; absent unless respond is 503"),
];

/// The report of `payout_bulk`.
pub const REPORT: &[Member] = &[
    Member::text("status", "success if the service accepted all, otherwise failed"),
    Member::text("message", "one line for people"),
    Member::integer("total", "how many recipients the list has"),
    Member::integer("accepted", "how many are ACCEPTED"),
    Member::integer("rejected", "how many are REJECTED"),
    Member::integer("not_sent", "how many are NOT_SENT"),
    Member::integer("unknown", "how many are UNKNOWN"),
    Member::list(
        "batches",
        &[
            Member::integer("index", "place of the batch, from 0"),
            Member::text("batchReference", "the service's reference, by which the batch is looked up"),
            Member::text("batchId", "the service's number for the batch"),
            Member::text("outcome", "what became of the request"),
            Member::text("status", "why its call ended as it did"),
            Member::integer("recipients", "how many recipients it has"),
            Member::text("message", "one line for people"),
        ],
        "the batches that were tried, also by earlier calls",
    ),
    Member::list(
        "payouts",
        &[
            Member::text("clientReference", "the reference that was given"),
            Member::text("outcome", "ACCEPTED, REJECTED, NOT_SENT or UNKNOWN"),
            Member::text("payoutReference", "the service's reference of the payout"),
            Member::text("batchReference", "the service's reference of the batch"),
            Member::flag("settled", "true: a person settled it as done, in the journal; it has no references"),
            Member::flag("replayed", "true: an earlier call paid it, and this one sent nothing for it"),
            Member::text("date", "the day on which the journal recorded that, in UTC, e.g. 2026-01-31"),
            Member::integer("batch", "index of the batch"),
            Member::text("accountNumber", "the recipient's account"),
            Member::text("bankCode", "code of the recipient's bank"),
            Member::amount("amount", "what the recipient gets"),
            Member::text("message", "why it is UNKNOWN, although its batch may be ACCEPTED"),
        ],
        "the recipients, in the order of the list",
    ),
];
