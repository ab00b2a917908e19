//! Nested values in source text: on one line where they fit, else a line for each part.

/// The longest line of an example.
const WIDTH: usize = 100;

/// A value in source text.
pub enum Layout {
    Text(String),
    Nested(Nested),
}

pub struct Nested {
    pub open: String,
    /// What stands before each part and behind it, such as `name=` and nothing.
    pub parts: Vec<(String, Layout, &'static str)>,
    pub close: &'static str,
    pub style: Style,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Style {
    /// Commas between the parts; one behind the last where each has its own line.
    Commas,
    /// The same, with what stands before a part filled up to one width, as gofmt does: next to each other, where they have
    /// one line each.
    Aligned,
    /// Nothing between the parts.
    Chained,
}

impl Layout {
    fn on_one_line(&self) -> String {
        let Layout::Nested(it) = self else {
            let Layout::Text(text) = self else { unreachable!("a text or nested") };
            return text.clone();
        };
        let parts: Vec<_> =
            it.parts.iter().map(|(before, value, behind)| format!("{before}{}{behind}", value.on_one_line())).collect();
        let between = if it.style == Style::Chained { "" } else { ", " };
        format!("{}{}{}", it.open, parts.join(between), it.close)
    }

    /// The value where `before` of its line is written already, in lines that begin with `indent`; `behind` characters
    /// follow it.
    pub fn lay(&self, before: usize, indent: &str, unit: &str, behind: usize) -> String {
        let flat = self.on_one_line();
        let Layout::Nested(it) = self else { return flat };
        if before + flat.chars().count() + behind <= WIDTH {
            return flat;
        }
        let inner = format!("{indent}{unit}");
        let columns = inner.replace('\t', "    ").len();
        let separator = if it.style == Style::Chained { "" } else { "," };
        let lines: Vec<(String, String)> = it
            .parts
            .iter()
            .map(|(before, value, behind)| {
                let used = columns + before.chars().count();
                let value = value.lay(used, &inner, unit, behind.len() + separator.len());
                (before.clone(), format!("{value}{behind}{separator}"))
            })
            .collect();
        let mut out = it.open.clone();
        for (index, (before, value)) in lines.iter().enumerate() {
            let width = if it.style == Style::Aligned { width_of_the_run(&lines, index) } else { 0 };
            out += &format!("\n{inner}{before:width$}{value}");
        }
        if !it.close.is_empty() {
            out += &format!("\n{indent}{}", it.close);
        }
        out
    }
}

/// The widest name of the lines around this one, up to values that take several lines.
fn width_of_the_run(lines: &[(String, String)], index: usize) -> usize {
    let is_single = |(_, value): &&(String, String)| !value.contains('\n');
    if !is_single(&&lines[index]) {
        return 0;
    }
    let before = lines[..index].iter().rev().take_while(is_single);
    let from = lines[index..].iter().take_while(is_single);
    before.chain(from).map(|(name, _)| name.chars().count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: &str) -> Layout {
        Layout::Text(of.to_owned())
    }

    fn nested(style: Style, open: &str, parts: Vec<(&str, Layout)>, close: &'static str) -> Layout {
        let behind = if style == Style::Chained { ")" } else { "" };
        let parts = parts.into_iter().map(|(before, value)| (before.to_owned(), value, behind)).collect();
        Layout::Nested(Nested { open: open.to_owned(), parts, close, style })
    }

    #[test]
    fn what_fits_is_on_one_line() {
        let call = nested(Style::Commas, "f(", vec![("a=", text("1")), ("b=", text("2"))], ")");
        assert_eq!(call.lay(80, "", "    ", 0), "f(a=1, b=2)");
        assert_eq!(call.lay(90, "  ", "    ", 0), "f(\n      a=1,\n      b=2,\n  )");
        let chain = nested(Style::Chained, "r()", vec![(".a(", text("1")), (".b(", text("2"))], "");
        assert_eq!(chain.lay(0, "", "    ", 0), "r().a(1).b(2)");
        assert_eq!(chain.lay(95, "", "    ", 0), "r()\n    .a(1)\n    .b(2)");
    }

    #[test]
    fn names_are_aligned_between_values_of_several_lines() {
        let long = "x".repeat(60);
        let wide = || nested(Style::Aligned, "T{", vec![("A: ", text(&long)), ("Bc: ", text(&long))], "}");
        let all = vec![("Abcd: ", text("1")), ("A: ", text(&long)), ("Abcdef: ", wide()), ("B: ", text("2"))];
        let made = nested(Style::Aligned, "S{", all, "}").lay(0, "\t", "\t", 0);
        let expected = format!(
            "S{{\n\t\tAbcd: 1,\n\t\tA:    {long},\n\t\tAbcdef: T{{\n\t\t\tA:  {long},\n\t\t\tBc: {long},\n\t\t}},\n\t\tB: 2,\n\t}}"
        );
        assert_eq!(made, expected);
    }
}
