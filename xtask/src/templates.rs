//! The templates, one for each rendered file, and the engine that fills them in.

use std::fs;
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use crate::text::{self, python};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");

/// The template of that name, filled in.
///
/// # Panics
/// When the template is wrong, for example when it names what the context does not have.
pub fn render(name: &str, context: Value) -> String {
    // Compiling them takes longer than filling one.
    static ENGINE: LazyLock<Environment> =
        LazyLock::new(|| with_templates().unwrap_or_else(|error| panic!("{error:#}")));
    let made = ENGINE.get_template(name).and_then(|template| template.render(context));
    made.unwrap_or_else(|error| panic!("{name}.j2: {error:#}"))
}

fn with_templates() -> Result<Environment<'static>, Box<dyn std::error::Error>> {
    let mut engine = engine()?;
    for file in fs::read_dir(FOLDER)? {
        let path = file?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // They live as long as the engine, which is static.
        engine.add_template(name.leak(), fs::read_to_string(&path)?.leak())?;
    }
    Ok(engine)
}

fn engine() -> Result<Environment<'static>, minijinja::Error> {
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
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use minijinja::context;

    #[test]
    fn a_name_that_the_context_lacks_is_an_error() {
        let fill = |text: &str| super::engine()?.render_str(text, context! { row => context! { name => "order_pay" } });
        assert_eq!(fill("{{ row.name }}\n").unwrap(), "order_pay\n");
        for wrong in [
            "{{ nothing }}",
            "{{ row.nothing }}",
            "{% if row.nothing %}x{% endif %}",
            "{% for x in nothing %}{% endfor %}",
        ] {
            assert!(fill(wrong).is_err(), "{wrong}");
        }
    }
}
