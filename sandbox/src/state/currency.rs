//! Currencies by code, the service's numbers for them, and those that the merchant has.

struct Row {
    code: &'static str,
    /// `currencyId`.
    id: u64,
    /// True if the merchant has it unless `--currencies` sets another list.
    by_default: bool,
}

const fn row(code: &'static str, id: u64, by_default: bool) -> Row {
    Row { code, id, by_default }
}

/// The number of USD is the service's; those of the others are made up.
const ROWS: [Row; 14] = [
    row("NGN", 1, true),
    row("USD", 6, true),
    row("GHS", 3, true),
    row("KES", 4, true),
    row("ZAR", 7, true),
    row("CDF", 9, true),
    row("UGX", 10, true),
    row("TZS", 11, true),
    row("RWF", 12, true),
    row("XAF", 13, true),
    row("XOF", 8, true),
    row("ZMW", 14, true),
    row("GBP", 5, false),
    row("EUR", 2, false),
];

/// The code in capital letters; `None`: there is no such currency.
pub fn known(code: &str) -> Option<&'static str> {
    ROWS.iter().find(|row| row.code.eq_ignore_ascii_case(code)).map(|row| row.code)
}

/// `currencyId`.
pub fn id(code: &str) -> u64 {
    ROWS.iter().find(|row| row.code.eq_ignore_ascii_case(code)).map_or(0, |row| row.id)
}

/// The currencies of the merchant, one flag for each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Currencies([bool; ROWS.len()]);

impl Currencies {
    pub fn contain(self, code: &str) -> bool {
        ROWS.iter().zip(self.0).any(|(row, has)| has && row.code == code)
    }

    fn codes(self) -> String {
        let codes = ROWS.iter().zip(self.0).filter(|(_, has)| *has).map(|(row, _)| row.code);
        codes.collect::<Vec<_>>().join(",")
    }
}

impl Default for Currencies {
    fn default() -> Currencies {
        Currencies(ROWS.map(|row| row.by_default))
    }
}

impl std::fmt::Display for Currencies {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.codes())
    }
}

impl std::str::FromStr for Currencies {
    type Err = String;

    /// Codes with commas between them.
    fn from_str(text: &str) -> Result<Currencies, String> {
        let mut has = [false; ROWS.len()];
        for code in text.split(',').map(str::trim) {
            let row = ROWS.iter().position(|row| row.code.eq_ignore_ascii_case(code));
            let all = || Currencies([true; ROWS.len()]).codes();
            has[row.ok_or_else(|| format!("there is no currency {code:?}; there are {}", all()))?] = true;
        }
        Ok(Currencies(has))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_numbers() {
        assert_eq!((known("ngn"), known("EUR"), known("NG"), known("")), (Some("NGN"), Some("EUR"), None, None));
        assert_eq!((id("NGN"), id("usd"), id("XXX")), (1, 6, 0));
        for row in &ROWS {
            assert_eq!(ROWS.iter().filter(|other| other.id == row.id || other.code == row.code).count(), 1);
        }
    }

    #[test]
    fn a_merchant_has_the_currencies_that_are_named() {
        let named: Currencies = "ngn, EUR".parse().unwrap();
        assert_eq!(named.to_string(), "NGN,EUR");
        assert!(named.contain("EUR") && !named.contain("USD"));
        assert!("NGN,".parse::<Currencies>().unwrap_err().contains("no currency \"\"; there are NGN,USD,"));
        assert_eq!(Currencies::default().to_string().parse(), Ok(Currencies::default()));
    }
}
