//! The interface's names as the standard library of C++ writes names: in snake_case.

use paysvc_spec::schema::ShapeField;

use super::distinct;
use super::python::snake;

/// Reserved words of C++11 to C++23, and the alternative spellings of operators.
const RESERVED: &str = include_str!("cpp_reserved.txt");

/// Macros of compilers and of headers that many programs include.
const MACROS: &str = "assert linux unix major minor errno min max small near far interface \
                      signals slots emit foreach";

/// Own methods of `paysvc::object`, the base of every request.
const METHODS_OF_OBJECT: &[&str] = &["extra", "json", "leave_out", "put", "put_json", "put_list"];

/// Own methods of every struct of a response, beside its fields.
const METHODS_OF_ANSWER: &[&str] = &["each"];

/// Suffixes of the classes of a row.
const SUFFIXES: &[&str] = &["request", "reply", "answer"];

/// The method of a request that sets a field: its name in snake_case, unless that means something else in C++ or in `object`.
pub fn method(name: &str) -> String {
    free(name, METHODS_OF_OBJECT)
}

/// The data members of a response's struct: the names of the fields, unless they mean something else in C++ or in the struct.
/// No two are the same.
pub fn fields(shape: &[ShapeField]) -> Vec<String> {
    distinct(shape.iter().map(|field| free(&field.name, METHODS_OF_ANSWER)))
}

/// The class of an object within a request: `order_create_request` and `card` make `order_create_card`.
pub fn nested(parent: &str, member: &str) -> String {
    format!("{}_{}", parent.trim_end_matches("_request"), free(member, SUFFIXES))
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
    fn fields_of_answers_keep_their_names_where_they_can() {
        let field = |name: &str| ShapeField { name: name.to_owned(), members: Vec::new(), fields: Vec::new() };
        let names = ["class", "class_", "each", "major", "json", "3ds", "value", "std", "paysvc"];
        let expected = ["class_", "class__", "each_", "major_", "json", "_3ds", "value", "std", "paysvc"];
        assert_eq!(fields(&names.map(field)), expected);
    }
}
