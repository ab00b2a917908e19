//! The payment options of `order_pay`.

use crate::schema::{Certainty, PayOption};

pub const OPTIONS: &[PayOption] = &[
    PayOption { needs: &["card"], ..option(&["C"], CARD_SPELLING, Certainty::Documented, "card") },
    PayOption {
        needs: &["directDebitPaymentRequest"],
        ..option(&["NDD"], DEBIT_SPELLING, Certainty::Documented, "direct debit under a mandate")
    },
    PayOption {
        needs: &["BankTransfer"],
        ..option(
            &["bank-transfer", "BT"],
            CARD_SPELLING,
            Certainty::Reported,
            "bank transfer: the answer has the account, which lives for 10 to 30 minutes",
        )
    },
    option(&["Opay"], DEBIT_SPELLING, Certainty::Integrated, "OPay wallet"),
    option(&["momo"], DEBIT_SPELLING, Certainty::Integrated, "mobile money; what it needs is not known"),
    option(&["USSD"], DEBIT_SPELLING, Certainty::Integrated, "USSD code; what it needs is not known"),
    option(&["NQR"], DEBIT_SPELLING, Certainty::Integrated, "QR code; what it needs is not known"),
    option(&["BA"], DEBIT_SPELLING, Certainty::Integrated, "bank account; what it needs is not known"),
];

/// As the service documents the payload of a card, and as transfers were seen.
const CARD_SPELLING: &str = "paymentoption";
/// As the service documents `order_pay`, for direct debits.
const DEBIT_SPELLING: &str = "paymentOption";

const fn option(
    words: &'static [&'static str],
    sent_as: &'static str,
    certainty: Certainty,
    doc: &'static str,
) -> PayOption {
    PayOption { words, sent_as, needs: &[], certainty, doc }
}
