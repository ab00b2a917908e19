//! Keys: the service, mode and merchant, the kind, and the name.

/// What distinguishes the keys of one merchant at one service from others in the same store.
pub struct Scope(String);

impl Scope {
    /// Empty: the mode is not known, or no merchant is configured.
    pub fn new(base_url: &str, mode: &str, merchant: &str) -> Scope {
        let part = |text: &str| if text.is_empty() { "-".to_owned() } else { text.replace(' ', "%20") };
        Scope(format!("{} {} {} ", part(base_url), part(mode), part(merchant)))
    }

    /// Of a charge, by its order.
    pub fn charge(&self, order: &str) -> String {
        self.key("charge", order)
    }

    /// Of an authorization, by its attempt to pay.
    pub fn authorization(&self, payment: &str) -> String {
        self.key("authorization", payment)
    }

    /// Of an order that is created but not charged.
    pub fn order(&self, order: &str) -> String {
        self.key("order", order)
    }

    /// As the caller gave it.
    pub fn explicit(&self, key: &str) -> String {
        self.key("key", key)
    }

    /// A recipient of a list of payouts.
    pub fn payout(&self, client_reference: &str) -> String {
        self.key("payout", client_reference)
    }

    fn key(&self, kind: &str, name: &str) -> String {
        format!("{}{kind} {name}", self.0)
    }

    /// The key belongs to it.
    pub fn has(&self, key: &str) -> bool {
        key.starts_with(&self.0)
    }

    /// The kind and the name, without the part that all keys of the scope share.
    pub fn short<'a>(&self, key: &'a str) -> &'a str {
        key.strip_prefix(&self.0).unwrap_or(key)
    }

    pub fn long(&self, short: &str) -> String {
        format!("{}{short}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_two_merchants_or_kinds_are_never_equal() {
        let mut all = std::collections::HashSet::new();
        for base in ["https://a", "https://a/b"] {
            for mode in ["", "test", "live"] {
                for merchant in ["", "m", "m charge"] {
                    let scope = Scope::new(base, mode, merchant);
                    for name in ["R", "charge R", ""] {
                        for key in
                            [scope.charge(name), scope.authorization(name), scope.order(name), scope.explicit(name)]
                        {
                            assert!(scope.has(&key) && scope.long(scope.short(&key)) == key);
                            assert!(all.insert(key));
                        }
                    }
                }
            }
        }
    }
}
