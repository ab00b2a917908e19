//! The manual pages of the C interface: a page for each function, and `paysvc(7)`, all from the text of the header.

mod comments;
mod roff;

use minijinja::{Value, context};
use paysvc_spec::settings;

use crate::interface::{Argument, Function, functions};
use crate::{templates, text};
use comments::{Block, Item};

/// Each page by its path in a folder of manual pages.
pub fn render(header: &str) -> Vec<(String, String)> {
    let items = comments::items(header);
    let functions = functions(header);
    let page = |function: &Function| {
        let text = templates::render("function.3", page(function, &functions, &items));
        (format!("man3/{}.3", function.name), text)
    };
    let mut pages: Vec<_> = functions.iter().map(page).collect();
    let overview = templates::render("paysvc.7", overview(header, &functions, &items));
    pages.push(("man7/paysvc.7".to_owned(), overview));
    pages
}

fn page(function: &Function, all: &[Function], items: &[Item]) -> Value {
    let item = item(items, &function.name);
    let roff = roff::Writer::new(all);
    let callbacks: Vec<&Item> = function.arguments.iter().filter_map(|argument| callback(items, argument)).collect();
    let texts: String = callbacks.iter().chain([&item]).map(|item| item.text.as_str()).collect();
    let mut related: Vec<String> = all.iter().map(|it| it.name.clone()).collect();
    related.retain(|name| *name != function.name && texts.contains(&format!("{name}()")));
    related.sort_unstable();
    context! {
        name => &function.name,
        version => paysvc_spec::status::VERSION,
        brief => roff::escape(&brief(item)),
        callbacks => callbacks.iter().map(|it| context! { declaration => roff::escape(&it.declaration), text => roff.blocks(&it.description) }).collect::<Vec<_>>(),
        synopsis => synopsis(function),
        description => roff.blocks(&item.description),
        arguments => item.arguments.iter().map(|(name, blocks)| context! { name, text => roff.blocks(blocks) }).collect::<Vec<_>>(),
        returns => item.returns.as_ref().map(|blocks| roff.blocks(blocks)),
        related,
    }
}

fn overview(header: &str, all: &[Function], items: &[Item]) -> Value {
    let roff = roff::Writer::new(all);
    let numbers = |prefix: &'static str, but: &[&str]| -> Vec<Value> {
        let defined =
            items.iter().filter_map(|item| Some((item.declaration.strip_prefix("#define ")?.split_once(' ')?, item)));
        let chosen = defined.filter(|((name, _), _)| {
            name.strip_prefix(prefix).is_some_and(|rest| !but.iter().any(|other| rest.starts_with(other)))
        });
        chosen.map(|((name, value), item)| context! { name, value => roff::escape(value), text => roff.blocks(&item.description) }).collect()
    };
    let types = items.iter().filter(|item| item.declaration.starts_with("typedef "));
    context! {
        version => paysvc_spec::status::VERSION,
        intro => roff.blocks(&comments::introduction(header)),
        statuses => [numbers("PAYSVC_OK", &[]), numbers("PAYSVC_E_", &[])].concat(),
        outcomes => numbers("PAYSVC_OUTCOME_", &[]),
        states => numbers("PAYSVC_STATE_", &[]),
        json_types => numbers("PAYSVC_JSON_", &[]),
        others => numbers("PAYSVC_", &["OK", "E_", "OUTCOME_", "STATE_", "JSON_"]),
        types => types.map(|it| context! { declaration => roff::escape(&it.declaration), text => roff.blocks(&it.description) }).collect::<Vec<_>>(),
        functions => all.iter().map(|it| context! { name => &it.name, brief => roff::escape(&brief(item(items, &it.name))) }).collect::<Vec<_>>(),
        settings => settings::CONFIG.iter().map(|it| context! { variable => settings::variable(it.name), text => roff.blocks(&[Block::Paragraph(text::capitalise(&it.doc_with_default()))]) }).collect::<Vec<_>>(),
    }
}

/// # Panics
/// When the header does not document it.
fn item<'a>(items: &'a [Item], function: &str) -> &'a Item {
    let call = format!("{function}(");
    let declares = |item: &&Item| !item.declaration.starts_with("typedef ") && item.declaration.contains(&call);
    items.iter().find(declares).unwrap_or_else(|| panic!("{function} is not documented"))
}

/// The type of a callback that the function takes.
fn callback<'a>(items: &'a [Item], argument: &Argument) -> Option<&'a Item> {
    let name = format!("*{})", argument.kind);
    items.iter().find(|item| item.declaration.starts_with("typedef ") && item.declaration.contains(&name))
}

/// The first sentence, as the line of the section NAME.
fn brief(item: &Item) -> String {
    let Some(Block::Paragraph(text)) = item.description.first() else { panic!("{}: no text", item.declaration) };
    let mut ends = text.match_indices(". ").map(|(at, _)| at);
    let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_uppercase()) || text.starts_with("paysvc_");
    let end = ends.find(|at| begins(&text[at + 2..]));
    let sentence = text[..end.unwrap_or(text.len())].trim_end_matches('.');
    // An abbreviation, such as HTTP, stays as it is.
    match sentence.chars().nth(1) {
        Some(second) if second.is_ascii_uppercase() => sentence.to_owned(),
        _ => text::uncapitalise(sentence),
    }
}

/// The declaration with an argument on each line.
fn synopsis(function: &Function) -> String {
    let spaced = |kind: &str| if kind.ends_with('*') { kind.to_owned() } else { format!("{kind} ") };
    let head = format!("{}{}(", spaced(&function.returns), function.name);
    if function.arguments.is_empty() {
        return format!("\\fB{}void);\\fR", roff::escape(&head));
    }
    let argument = |it: &Argument| format!("{}\\fI{}\\fB", roff::escape(&spaced(&it.kind)), roff::escape(&it.name));
    let arguments: Vec<_> = function.arguments.iter().map(argument).collect();
    let separator = format!(",\\fR\n\\fB{}", " ".repeat(head.len()));
    format!("\\fB{}{});\\fR", roff::escape(&head), arguments.join(&separator))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"/* A library.
 *
 * Rules
 * 1. One. Free it.
 * 2. Two.
 */
/**
 * Receives a line; see
 * paysvc_new().
 */
typedef void (PAYSVC_CALLBACK *paysvc_log_fn)(void *userdata);

/**
 * All is well.
 */
#define PAYSVC_OK 0

/**
 * HTTP things, e.g. "\x". Opens - nothing, free it with paysvc_free().
 *
 * @param json  one object:
 *   - a (object): it's
 *     - b-c (string): .5
 *   Others are refused.
 * @param log  may be NULL
 * @return PAYSVC_OK or
 *   'more'
 */
int paysvc_new(const char *json,
               paysvc_log_fn log);

/**
 * Frees it.
 */
void paysvc_free(void);
"#;

    fn page(name: &str) -> String {
        render(HEADER).into_iter().find(|(page, _)| page == name).unwrap().1
    }

    #[test]
    fn a_function_has_a_page_with_all_that_the_header_says() {
        let text = page("man3/paysvc_new.3");
        for part in [
            ".SH NAME\npaysvc_new \\- HTTP things, e.g. \"\\(rsx\"\n",
            "\\fBtypedef void (PAYSVC_CALLBACK *paysvc_log_fn)(void *userdata);\\fR\n",
            "\\fBint paysvc_new(const char *\\fIjson\\fB,\\fR\n\\fB               paysvc_log_fn \\fIlog\\fB);\\fR\n",
            "Opens \\- nothing, free it with \\fBpaysvc_free\\fR(3).\n",
            ".IP \\fIjson\\fR\none object:\n.RS\n.IP \\fBa\\fR\n(object) it\\(aqs\n.RS\n.IP \\fBb\\-c\\fR\n(string) .5\n.RE\n.RE\n.IP\nOthers are refused.\n",
            ".SH RETURN VALUE\n\\fBPAYSVC_OK\\fR or \\(aqmore\\(aq\n",
            ".SH SEE ALSO\n\\fBpaysvc_free\\fR(3), \\fBpaysvc\\fR(7)\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(page("man3/paysvc_free.3").contains("\\fBvoid paysvc_free(void);\\fR\n"));
    }

    #[test]
    fn the_overview_has_rules_numbers_and_functions() {
        let text = page("man7/paysvc.7");
        for part in [
            ".IP 1. 4\nOne. Free it.\n.IP 2. 4\nTwo.\n",
            ".TP\n.BR PAYSVC_OK \" (0)\"\nAll is well.\n",
            ".TP\n.BR paysvc_free (3)\nfrees it\n",
            ".TP\n.B PAYSVC_TIMEOUT_MS\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
