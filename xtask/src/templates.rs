//! The templates, one for each rendered file, and the engine that fills them in.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use crate::text::{self, python};

const TEMPLATES: &[(&str, &str)] = &[
    ("exports.rs", include_str!("../templates/exports.rs.j2")),
    ("exports.map", include_str!("../templates/exports.map.j2")),
    ("exports.def", include_str!("../templates/exports.def.j2")),
    ("generated.go", include_str!("../templates/generated.go.j2")),
    ("generated_answers.go", include_str!("../templates/generated_answers.go.j2")),
    ("generated_postgres.go", include_str!("../templates/generated_postgres.go.j2")),
    ("generated_webhook.go", include_str!("../templates/generated_webhook.go.j2")),
    ("paysvc_generated.hpp", include_str!("../templates/paysvc_generated.hpp.j2")),
    ("python_macros", include_str!("../templates/python_macros.j2")),
    ("_generated.py", include_str!("../templates/_generated.py.j2")),
    ("_replies.py", include_str!("../templates/_replies.py.j2")),
    ("_answers.py", include_str!("../templates/_answers.py.j2")),
    ("_statements.py", include_str!("../templates/_statements.py.j2")),
    ("_endpoints.py", include_str!("../templates/_endpoints.py.j2")),
    ("operations.md", include_str!("../templates/operations.md.j2")),
    ("platforms_short.md", include_str!("../templates/platforms_short.md.j2")),
    ("platforms.md", include_str!("../templates/platforms.md.j2")),
    ("settings.md", include_str!("../templates/settings.md.j2")),
    ("endpoints.md", include_str!("../templates/endpoints.md.j2")),
    ("endpoint.md", include_str!("../templates/endpoint.md.j2")),
    ("function.3", include_str!("../templates/function.3.j2")),
    ("paysvc.7", include_str!("../templates/paysvc.7.j2")),
    ("look_ups.md", include_str!("../templates/look_ups.md.j2")),
    ("sizes.md", include_str!("../templates/sizes.md.j2")),
    ("journal.md", include_str!("../templates/journal.md.j2")),
    ("replays.md", include_str!("../templates/replays.md.j2")),
    ("resolution.md", include_str!("../templates/resolution.md.j2")),
    ("refusals.md", include_str!("../templates/refusals.md.j2")),
    ("codes.md", include_str!("../templates/codes.md.j2")),
    ("verdicts.md", include_str!("../templates/verdicts.md.j2")),
    ("LICENSE-THIRD-PARTY", include_str!("../templates/LICENSE-THIRD-PARTY.j2")),
];

/// The template of that name, filled in.
///
/// # Panics
/// When the template is wrong, for example when it names what the context does not have.
pub fn render(name: &str, context: Value) -> String {
    // Compiling them takes longer than filling one.
    static ENGINE: LazyLock<Environment> =
        LazyLock::new(|| engine(TEMPLATES).unwrap_or_else(|error| panic!("{error:#}")));
    let made = ENGINE.get_template(name).and_then(|template| template.render(context));
    made.unwrap_or_else(|error| panic!("{name}.j2: {error:#}"))
}

fn engine<'a>(templates: &[(&'a str, &'a str)]) -> Result<Environment<'a>, minijinja::Error> {
    let mut engine = Environment::new();
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    engine.set_auto_escape_callback(|_| AutoEscape::None);
    engine
        .set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?);
    engine.add_filter("wrap", |text: &str, width: usize| text::wrap(text, width));
    engine.add_filter("fill", |text: &str, indent: usize| text::fill(text, indent));
    engine.add_filter("capitalise", text::capitalise);
    engine.add_filter("uncapitalise", text::uncapitalise);
    engine.add_filter("docstring", python::docstring);
    engine.add_filter("import_used", |text: &str, module: &str, names: Vec<String>| {
        python::import_used(text, module, &names)
    });
    for (name, source) in templates {
        engine.add_template(name, source)?;
    }
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use super::engine;
    use minijinja::{Value, context};

    fn fill(templates: &[(&str, &str)], name: &str, context: Value) -> Result<String, minijinja::Error> {
        engine(templates)?.get_template(name)?.render(context)
    }

    #[test]
    fn a_name_that_the_context_lacks_is_an_error() {
        let context = || context! { row => context! { name => "order_pay" } };
        assert_eq!(fill(&[("t", "{{ row.name }}\n")], "t", context()).unwrap(), "order_pay\n");
        for wrong in [
            "{{ nothing }}",
            "{{ row.nothing }}",
            "{% if row.nothing %}x{% endif %}",
            "{% for x in nothing %}{% endfor %}",
        ] {
            assert!(fill(&[("t", wrong)], "t", context()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn text_is_not_escaped_and_lines_of_tags_leave_no_trace() {
        let made = fill(&[("t.html", "a\n  {% if true %}\n  <b>\n  {% endif %}\nc\n")], "t.html", context! {}).unwrap();
        assert_eq!(made, "a\n  <b>\nc\n");
    }
}
