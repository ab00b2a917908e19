//! The C that calls each function of `paysvc.h` in every wrong way.

use std::fmt::Write as _;

use paysvc_spec::operations::about_earlier;
use xtask::interface::{Argument, Function};

trait InC {
    fn is_number(&self) -> bool;
    fn is_text(&self) -> bool;
    /// NULL is allowed, and means something.
    fn is_optional(&self) -> bool;
    /// The valid argument of this type in `tests/c/nulls.c`.
    fn valid(&self) -> &'static str;
}

impl InC for Argument {
    fn is_number(&self) -> bool {
        matches!(self.kind.as_str(), "int" | "size_t" | "paysvc_status" | "paysvc_outcome" | "paysvc_state")
    }

    /// Text in UTF-8: in Windows-1252 nearly all bytes are text.
    fn is_text(&self) -> bool {
        self.kind == "const char *" && self.name != "cp1252"
    }

    fn is_optional(&self) -> bool {
        matches!(
            self.name.as_str(),
            "call" | "reply" | "config_json" | "log" | "progress" | "userdata" | "why_not" | "traceparent"
        )
    }

    fn valid(&self) -> &'static str {
        match self.kind.as_str() {
            "const paysvc_client *" => "client",
            "const paysvc_call *" => "call",
            "const paysvc_reply *" => "old_reply",
            "paysvc_client **" => "&made",
            "const char **" => "&why",
            "paysvc_reply **" => "&reply",
            "paysvc_log_fn" => "on_log",
            "paysvc_progress_fn" => "on_progress",
            "const paysvc_store *" => "&store",
            "paysvc_reply_view *" => "&view",
            // There is one only while a callback runs.
            "paysvc_sink *" => "NULL",
            "char *" => "text",
            "void *" => "&here",
            // A new one each time, because a failure is final.
            "paysvc_json *" | "const paysvc_json *" => "new_request()",
            "const char *" if self.name == "config_json" => "config",
            "const char *" if self.name == "prefix" => "\"T7\"",
            "const char *" if self.name == "function" => "\"resolve\"",
            "const char *" if self.name == "pointer" => "\"/a\"",
            "const char *" if self.name == "number" => "\"1\"",
            "const char *" if self.name == "traceparent" => {
                "\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\""
            }
            "const char *" => "\"{}\"",
            // Only the function that frees it takes a handle so.
            "paysvc_client *" | "paysvc_call *" | "paysvc_reply *" => "NULL",
            _ if self.is_number() => "1",
            _ => panic!("tests/support/header.rs does not know what a valid {} {} is", self.kind, self.name),
        }
    }
}

/// The C that `tests/c/nulls.c` includes.
pub fn inc(functions: &[Function]) -> String {
    let mut out = String::new();
    for function in functions {
        nulls(function, &mut out);
        for (index, argument) in function.arguments.iter().enumerate() {
            if argument.is_number() {
                let call = called(
                    function,
                    |other| if other == index { "ends[i]" } else { function.arguments[other].valid() },
                );
                let has_reply = function.arguments.iter().any(|argument| argument.kind == "paysvc_reply **");
                let each = "    for (i = 0; i < sizeof ends / sizeof ends[0]; i++)";
                let freed = if has_reply { " paysvc_reply_free(reply); reply = NULL;" } else { "" };
                writeln!(out, "{each} {{ (void){call};{freed} }}").unwrap();
            }
            if argument.is_text() {
                text(function, index, &mut out);
            }
        }
    }
    out
}

fn called(function: &Function, argument: impl Fn(usize) -> &'static str) -> String {
    let arguments: Vec<_> = (0..function.arguments.len()).map(argument).collect();
    format!("{}({})", function.name, arguments.join(", "))
}

/// The outcome where nothing was sent. For an earlier request, that proves nothing.
fn unsent(function: &Function) -> &'static str {
    // paysvc_invoke gets the name of such a function.
    let is_it = |name: &str| function.name.strip_prefix("paysvc_") == Some(name);
    match about_earlier().chain(["invoke"]).any(is_it) {
        true => "PAYSVC_OUTCOME_UNKNOWN",
        false => "PAYSVC_OUTCOME_NOT_SENT",
    }
}

/// Returns whether it changes a request under construction.
fn is_setter(function: &Function) -> bool {
    function.returns == "paysvc_status" && function.arguments.iter().any(|argument| argument.kind == "paysvc_json *")
}

/// Every set of pointers is NULL once, the empty set included.
fn nulls(function: &Function, out: &mut String) {
    let arguments = &function.arguments;
    for set in 0..1 << arguments.len() {
        let is_null = |index: usize| set >> index & 1 == 1;
        if (0..arguments.len()).any(|index| is_null(index) && arguments[index].is_number()) {
            continue;
        }
        let frees = function.name.ends_with("_free");
        let call = called(function, |index| if is_null(index) || frees { "NULL" } else { arguments[index].valid() });
        match function.returns.as_str() {
            "paysvc_status" if is_setter(function) => {
                let no_request = (0..arguments.len()).any(|i| is_null(i) && arguments[i].kind == "paysvc_json *");
                let (call_text, no_request, any) = (format!("{call:?}"), i32::from(no_request), i32::from(set > 0));
                writeln!(out, "    after_set({call_text}, {call}, {no_request}, {any});").unwrap();
                continue;
            }
            "paysvc_status" => {}
            handle if handle.ends_with('*') && !handle.starts_with("const") => {
                writeln!(out, "    {}_free({call});", handle.trim_end_matches([' ', '*'])).unwrap();
                continue;
            }
            _ => {
                writeln!(out, "    (void){call};").unwrap();
                continue;
            }
        }
        let missing = arguments.iter().enumerate().find(|(index, argument)| is_null(*index) && !argument.is_optional());
        let missing = match missing {
            Some((_, argument)) => format!("{} is NULL", argument.name),
            None => String::new(),
        };
        let has_reply = arguments.iter().enumerate().any(|(index, a)| a.kind == "paysvc_reply **" && !is_null(index));
        // With a reply alone, its status, which is E_ARGUMENT for NULL.
        let (has_reply, unsent) = (i32::from(has_reply), unsent(function));
        writeln!(out, "    after({call:?}, {call}, {has_reply}, {missing:?}, {unsent});").unwrap();
    }
}

fn text(function: &Function, index: usize, out: &mut String) {
    let call =
        called(function, |other| if other == index { "not_utf8[i].text" } else { function.arguments[other].valid() });
    let each = "    for (i = 0; i < sizeof not_utf8 / sizeof not_utf8[0]; i++)";
    match function.returns.as_str() {
        "paysvc_status" if is_setter(function) => {
            writeln!(out, "{each} after_set_text({:?}, i, {call});", function.name)
        }
        "paysvc_status" if !function.arguments.iter().any(|argument| argument.kind == "paysvc_reply **") => {
            writeln!(out, "{each} CHECK({call} == PAYSVC_E_ARGUMENT);")
        }
        "paysvc_status" => writeln!(out, "{each} after_text({:?}, i, {call}, {});", function.name, unsent(function)),
        "int" | "size_t" => writeln!(out, "{each} CHECK({call} == 0);"),
        _ => writeln!(out, "{each} CHECK({call} == NULL);"),
    }
    .unwrap();
}
