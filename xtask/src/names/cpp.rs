//! C++ keeps the interface's own names.

/// Reserved words of C++11 to C++23, and the alternative spellings of operators.
const RESERVED: &str = include_str!("cpp_reserved.txt");

/// What `paysvc::object`, the base of every request, has itself.
const METHODS_OF_OURS: &[&str] = &["extra", "json", "set"];

/// The interface's own name, unless it means something else in C++ or in `object`.
pub fn method(name: &str) -> String {
    let taken = RESERVED.split_whitespace().any(|word| word == name) || METHODS_OF_OURS.contains(&name);
    if taken { format!("{name}_") } else { name.to_owned() }
}

/// The class of an object within a request: `order_create_request` and `card` make `order_create_card`.
pub fn nested(parent: &str, member: &str) -> String {
    format!("{}_{member}", parent.trim_end_matches("_request"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_taken_get_an_underscore() {
        for (name, expected) in
            [("class", "class_"), ("json", "json_"), ("co_await", "co_await_"), ("cardnumber", "cardnumber")]
        {
            assert_eq!(method(name), expected);
        }
        assert_eq!(nested("order_create_request", "card"), "order_create_card");
    }
}
