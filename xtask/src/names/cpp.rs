//! The interface's names as the standard library of C++ writes names: in snake_case.

use paysvc_spec::schema::Member;

use super::python::snake;

/// Reserved words of C++11 to C++23, and the alternative spellings of operators.
const RESERVED: &str = include_str!("cpp_reserved.txt");

/// Macros of compilers and of headers that many programs include.
const MACROS: &str = "assert linux unix major minor errno min max small near far interface \
                      signals slots emit foreach";

/// What `paysvc::object`, the base of every request, has itself.
const METHODS_OF_OBJECT: &[&str] = &["extra", "json", "leave_out", "put", "put_json", "put_list"];

/// What `paysvc::view`, the base of every answer, has itself.
const METHODS_OF_VIEW: &[&str] = &["present", "readable", "raw", "pointer"];

/// What the classes of a row are called after it.
const SUFFIXES: &[&str] = &["request", "reply", "answer"];

/// The method of a request that sets a member: its name in snake_case, unless that means something else in C++ or in `object`.
pub fn method(name: &str) -> String {
    free(name, METHODS_OF_OBJECT)
}

/// The methods of an answer that read these members: their names in snake_case, unless they mean something else in C++
/// or in `view`.
/// No two are the same.
///
/// # Panics
/// For a name that is a number: a pointer could not tell it from the index of an array.
pub fn accessors(members: &[&Member]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for member in members {
        let is_number = !member.name.is_empty() && member.name.bytes().all(|byte| byte.is_ascii_digit());
        assert!(!is_number, "the member {:?} of an answer would be taken for the index of an array", member.name);
        let mut name = free(member.name, METHODS_OF_VIEW);
        while all.contains(&name) {
            name.push('_');
        }
        all.push(name);
    }
    all
}

/// The class of an object within a request: `order_create_request` and `card` make `order_create_card`.
pub fn nested(parent: &str, member: &str) -> String {
    format!("{}_{}", parent.trim_end_matches("_request"), free(member, SUFFIXES))
}

/// The class of an object within an answer: `order_pay_answer` and `data` make `order_pay_answer_data`.
pub fn view(parent: &str, accessor: &str) -> String {
    format!("{parent}_{accessor}")
}

/// The name as an identifier, with an underscore if it is taken.
fn free(name: &str, ours: &[&str]) -> String {
    let mut out = snake(name);
    if out.is_empty() {
        out.push('_');
    }
    let mut words = RESERVED.split_whitespace().chain(MACROS.split_whitespace());
    if words.any(|word| word == out) || ours.contains(&out.as_str()) {
        out.push('_');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_taken_get_an_underscore() {
        for (name, expected) in [
            ("class", "class_"),
            ("json", "json_"),
            ("co_await", "co_await_"),
            ("unix", "unix_"),
            ("x-request", "x_request"),
            ("3ds", "_3ds"),
            ("raw", "raw"),
            ("cardnumber", "cardnumber"),
        ] {
            assert_eq!(method(name), expected);
        }
        assert_eq!(nested("order_create_request", "card"), "order_create_card");
        assert_eq!(nested("order_create_request", "answer"), "order_create_answer_");
    }

    #[test]
    fn members_of_answers_keep_their_names_where_they_can() {
        let members =
            ["class", "raw", "present", "json", "major", "a-b", "a_b", "3ds", "view", "value", "std", "paysvc"];
        let members = members.map(|name| Member::text(name, ""));
        let expected =
            ["class_", "raw_", "present_", "json", "major_", "a_b", "a_b_", "_3ds", "view", "value", "std", "paysvc"];
        assert_eq!(accessors(&members.iter().collect::<Vec<_>>()), expected);
        assert_eq!(view("order_pay_answer", "data"), "order_pay_answer_data");
    }

    #[test]
    #[should_panic(expected = "index of an array")]
    fn a_number_is_no_name() {
        accessors(&[&Member::text("0", "")]);
    }
}
