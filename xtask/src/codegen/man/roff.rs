//! Text as troff reads it.

use std::fmt::Write as _;

use super::comments::Block;
use crate::interface::Function;
use crate::text::wrap;

const WIDTH: usize = 100;

/// Text in which nothing is an instruction, on one line that does not begin with it.
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\(rs"),
            // As they are typed: troff would make typographic ones of them.
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '`' => out.push_str("\\(ga"),
            '^' => out.push_str("\\(ha"),
            '~' => out.push_str("\\(ti"),
            c if c.is_ascii() => out.push(c),
            c => write!(out, "\\[u{:04X}]", u32::from(c)).expect("a string takes any text"),
        }
    }
    out
}

/// Writes text that refers to functions and numbers of the interface.
pub struct Writer<'a> {
    functions: &'a [Function],
}

impl<'a> Writer<'a> {
    pub fn new(functions: &'a [Function]) -> Writer<'a> {
        Writer { functions }
    }

    /// The blocks, ending with a line end.
    pub fn blocks(&self, blocks: &[Block]) -> String {
        let (mut out, mut depth) = (String::new(), 0);
        for (index, block) in blocks.iter().enumerate() {
            let next = if let Block::Entry { depth, .. } = block { depth + 1 } else { 0 };
            out.push_str(&".RS\n".repeat(next.saturating_sub(depth)));
            out.push_str(&".RE\n".repeat(depth.saturating_sub(next)));
            match block {
                Block::Paragraph(_) if index == 0 => {}
                // Indented as the text of the argument to which the list belongs.
                Block::Paragraph(_) if depth > 0 => out.push_str(".IP\n"),
                Block::Paragraph(_) => out.push_str(".PP\n"),
                Block::Entry { term, .. } => out.push_str(&format!(".IP \\fB{}\\fR\n", escape(term))),
                Block::Numbered(number, _) => out.push_str(&format!(".IP {number} 4\n")),
            }
            let (Block::Paragraph(text) | Block::Entry { text, .. } | Block::Numbered(_, text)) = block;
            out.push_str(&self.lines(text));
            depth = next;
        }
        out + &".RE\n".repeat(depth)
    }

    fn lines(&self, text: &str) -> String {
        let line = |words: String| {
            let text: Vec<_> = words.split(' ').map(|word| self.word(word)).collect();
            let text = text.join(" ");
            // A point at the beginning of a line makes a request of it.
            if text.starts_with('.') { format!("\\&{text}\n") } else { text + "\n" }
        };
        wrap(text, WIDTH).into_iter().map(line).collect()
    }

    /// Functions as references to their pages, numbers in bold, what stands between backticks in italics.
    fn word(&self, word: &str) -> String {
        if let [before, name, after] = word.split('`').collect::<Vec<_>>()[..] {
            return format!("{}\\fI{}\\fR{}", escape(before), escape(name), escape(after));
        }
        let begins = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
        let (before, rest) = word.split_at(begins);
        let ends = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, after) = rest.split_at(ends);
        let (before, escaped) = (escape(before), escape(after));
        match after.strip_prefix("()") {
            Some(after) if self.functions.iter().any(|function| function.name == name) => {
                format!("{before}\\fB{name}\\fR(3){}", escape(after))
            }
            _ if name.starts_with("PAYSVC_") && name.len() > 7 && !after.starts_with("...") => {
                format!("{before}\\fB{name}\\fR{escaped}")
            }
            _ => format!("{before}{}{escaped}", escape(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_an_instruction() {
        assert_eq!(escape("a\\fB-`x^~'é"), "a\\(rsfB\\-\\(gax\\(ha\\(ti\\(aq\\[u00E9]");
        let writer = Writer::new(&[]);
        assert_eq!(writer.lines(".TH x"), "\\&.TH x\n");
        assert_eq!(writer.lines("'br"), "\\(aqbr\n");
        assert_eq!(writer.lines("(`*a-b`, ` `c"), "(\\fI*a\\-b\\fR, \\(ga \\(gac\n");
    }

    #[test]
    fn only_what_there_is_becomes_a_reference() {
        let functions = [Function { name: "paysvc_abi".into(), returns: "int".into(), arguments: Vec::new() }];
        let writer = Writer::new(&functions);
        assert_eq!(
            writer.lines("(paysvc_abi(), paysvc_abi paysvc_x() PAYSVC_OK: PAYSVC_E_..."),
            "(\\fBpaysvc_abi\\fR(3), paysvc_abi paysvc_x() \\fBPAYSVC_OK\\fR: PAYSVC_E_...\n"
        );
    }
}
