//! The code blocks of a document, and the shell's among them as a script that shows what each command printed.

/// The comment right before a block.
#[derive(Debug, PartialEq)]
pub enum Note {
    None,
    /// `<!-- not run: why -->`
    NotRun,
    /// `<!-- serves until the end -->`: a server; the next command starts when it has printed its first line.
    Serves,
}

pub struct Block {
    pub language: String,
    pub text: String,
    /// Where it is, for messages: file and line.
    pub place: String,
    pub note: Note,
    /// The file that a reader makes of it: the line before it says "Save this as `charge.c`".
    pub saved_as: Option<String>,
}

impl Block {
    /// `sh` is commands alone; `console` is commands after `$ `, each with what it prints.
    pub fn is_shell(&self) -> bool {
        ["sh", "console"].contains(&self.language.as_str())
    }
}

/// Kinds of blocks without commands. A block of any other kind is an error, so that none is forgotten.
const NOT_SHELL: &[&str] = &[
    "c",
    "cmake",
    "cpp",
    "csharp",
    "dockerfile",
    "go",
    "html",
    "json",
    "pascal",
    "powershell",
    "python",
    "sql",
    "text",
    "toml",
    "xml",
];

pub fn blocks(name: &str, text: &str) -> Result<Vec<Block>, String> {
    let (mut blocks, mut lines, mut before) = (Vec::new(), text.lines().enumerate(), "");
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else {
            if !line.is_empty() {
                before = line;
            }
            continue;
        };
        let place = format!("{name}:{}", number + 1);
        let body: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```").collect();
        let saved_as =
            before.split_once("ave this as `").and_then(|(_, rest)| rest.split('`').next()).map(str::to_owned);
        let text = body.join("\n");
        let mut block = Block { language: language.to_owned(), text, place, note: Note::None, saved_as };
        if block.is_shell() {
            block.note = note(before).map_err(|why| format!("{}: {why}", block.place))?;
        } else if !NOT_SHELL.contains(&language) {
            return Err(format!("{}: a block in {language:?}: is it a shell's (sh, console) or not?", block.place));
        }
        blocks.push(block);
        before = "";
    }
    Ok(blocks)
}

fn note(before: &str) -> Result<Note, String> {
    let Some(said) = before.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) else {
        return Ok(Note::None);
    };
    match said.trim().split_once(':') {
        Some(("not run", why)) if why.split_whitespace().count() >= 3 => Ok(Note::NotRun),
        None if said.trim() == "serves until the end" => Ok(Note::Serves),
        _ => Err(format!("{before}: neither <!-- not run: why --> nor <!-- serves until the end -->")),
    }
}

/// A command and what the document says that it prints.
pub struct Expected {
    pub place: String,
    pub command: String,
    pub output: Option<String>,
}

/// Before the output of each command, with its number.
const MARK: &str = "@@@ ";

/// All blocks that are run, in their order, as one script for one shell.
pub fn script(blocks: &[Block]) -> (String, Vec<Expected>) {
    let (mut script, mut expected) = ("exec 2>&1\n".to_owned(), Vec::new());
    for block in blocks.iter().filter(|block| block.is_shell() && block.note != Note::NotRun) {
        let commands = match block.language.as_str() {
            "console" => transcript(block),
            _ => vec![Expected { place: block.place.clone(), command: block.text.clone(), output: None }],
        };
        for command in commands {
            script += &format!("echo; echo '{MARK}{}'\n", expected.len());
            script += &match (&block.note, &command.output) {
                (Note::Serves, _) => format!(
                    "{{ {}\n}} >serves 2>&1 &\nserver=$!; trap 'kill $server; wait $server' EXIT\n\
                     until [ -s serves ]; do kill -0 $server || exit 1; sleep 0.1; done\n",
                    command.command.replace('\n', " &&\n")
                ),
                (_, None) => format!("set -e\n{}\nset +e\n", command.command),
                (_, Some(_)) => format!("{}\n", command.command),
            };
            expected.push(command);
        }
    }
    (script + &format!("echo; echo '{MARK}end'\n"), expected)
}

fn transcript(block: &Block) -> Vec<Expected> {
    let mut commands: Vec<Expected> = Vec::new();
    for line in block.text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            let (place, command) = (block.place.clone(), command.to_owned());
            commands.push(Expected { place, command, output: Some(String::new()) });
        } else {
            let last = commands.last_mut().unwrap_or_else(|| panic!("{}: output before a command", block.place));
            *last.output.as_mut().unwrap() += line;
        }
    }
    commands
}

/// Returns the errors in a script's output.
pub fn judge(expected: &[Expected], printed: &str) -> Vec<String> {
    let mut parts = printed.split(MARK).skip(1);
    let mut wrong = Vec::new();
    for (number, expected) in expected.iter().enumerate() {
        let said = parts.next().and_then(|part| part.strip_prefix(&format!("{number}\n")));
        let Some(said) = said else {
            wrong.push(format!("{}: was not reached: {}", expected.place, expected.command));
            break;
        };
        if let Some(output) = &expected.output
            && !fits(output, &said.replace('\n', ""))
        {
            wrong.push(format!("{}: {}\nshould print {output}\nprints       {said}", expected.place, expected.command));
        }
    }
    if wrong.is_empty() && parts.next() != Some("end\n") {
        let last = expected.last().map_or("", |expected| &expected.place);
        wrong.push(format!("{last}: the last command failed"));
    }
    wrong
}

/// Returns whether a text is as a document shows it, where `…` stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let pieces: Vec<&str> = pattern.split('…').collect();
    let [first, .., last] = pieces[..] else { return pattern == text };
    let Some(mut rest) = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    pieces[1..pieces.len() - 1].iter().all(|piece| match rest.split_once(piece) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}
