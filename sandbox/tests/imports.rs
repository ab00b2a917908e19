//! The import graph of the source files has no cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Module path (empty for the crate root) to source text.
type Sources = BTreeMap<Vec<String>, String>;
/// Each module and the modules that it imports.
type Graph = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

fn read(folder: &Path, module: &[String], sources: &mut Sources) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let child = [module, std::slice::from_ref(&name)].concat();
        if path.is_dir() {
            read(&path, &child, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let of = if name == "main" || name == "mod" { module.to_vec() } else { child };
            sources.insert(of, std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Names and punctuation of the source, without comments and unit tests.
fn tokens(source: &str) -> Vec<String> {
    let program = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let mut tokens: Vec<String> = Vec::new();
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    for line in program.lines() {
        let mut before = ' ';
        for letter in line.split("//").next().unwrap().chars() {
            match tokens.last_mut() {
                Some(last) if is_name(letter) && is_name(before) => last.push(letter),
                Some(last) if letter == ':' && last == ":" && before == ':' => last.push(letter),
                _ if letter.is_whitespace() => {}
                _ => tokens.push(letter.to_string()),
            }
            before = letter;
        }
    }
    tokens
}

/// The paths of one `use`, with nested groups in braces.
fn paths_of_use(tokens: &mut std::slice::Iter<String>, prefix: &[String], paths: &mut Vec<Vec<String>>) {
    let mut path = prefix.to_vec();
    while let Some(token) = tokens.next() {
        match token.as_str() {
            "::" => {}
            "{" => paths_of_use(tokens, &path, paths),
            "," | "}" | ";" => {
                if path.len() > prefix.len() {
                    paths.push(std::mem::replace(&mut path, prefix.to_vec()));
                }
                path.truncate(prefix.len());
                if token != "," {
                    return;
                }
            }
            name => path.push(name.to_owned()),
        }
    }
}

/// All paths that could name a module: those of `use` declarations, and those in expressions and types.
fn paths(source: &str) -> Vec<Vec<String>> {
    let tokens = tokens(source);
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] == "use" {
            let mut rest = tokens[at + 1..].iter();
            paths_of_use(&mut rest, &[], &mut paths);
            at = tokens.len() - rest.len();
        } else {
            let mut path = vec![tokens[at].clone()];
            while tokens.get(at + 1).is_some_and(|next| next == "::") && at + 2 < tokens.len() {
                path.push(tokens[at + 2].clone());
                at += 2;
            }
            if path.len() > 1 {
                paths.push(path);
            }
            at += 1;
        }
    }
    paths
}

/// The module that a path in `module` refers to; `None` if it is in another crate.
fn resolve(path: &[String], module: &[String], sources: &Sources) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|name| *name == "super").count();
    let (mut target, rest) = match path[0].as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (module.to_vec(), &path[1..]),
        "super" => (module[..module.len() - supers].to_vec(), &path[supers..]),
        child if sources.contains_key(&[module, &[child.to_owned()]].concat()) => (module.to_vec(), path),
        _ => return None,
    };
    for name in rest {
        let child = [target.as_slice(), std::slice::from_ref(name)].concat();
        if !sources.contains_key(&child) {
            break;
        }
        target = child;
    }
    Some(target)
}

fn graph(sources: &Sources) -> Graph {
    let of = |module: &Vec<String>, source: &String| {
        let found = paths(source).iter().filter_map(|path| resolve(path, module, sources)).collect::<BTreeSet<_>>();
        found.into_iter().filter(|target| target != module).collect()
    };
    sources.iter().map(|(module, source)| (module.clone(), of(module, source))).collect()
}

fn module(path: &str) -> Vec<String> {
    path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// All modules that the module imports directly or indirectly.
fn reached(from: &[String], graph: &Graph) -> BTreeSet<Vec<String>> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![from.to_vec()]);
    while let Some(module) = next.pop() {
        let targets = graph[&module].iter().filter(|target| reached.insert((*target).clone()));
        next.extend(targets.cloned());
    }
    reached
}

/// The modules that are in a cycle.
fn in_cycles(graph: &Graph) -> Vec<String> {
    graph.keys().filter(|module| reached(module, graph).contains(*module)).map(|module| module.join("::")).collect()
}

fn of_the_sandbox() -> Graph {
    let mut sources = Sources::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &[], &mut sources);
    graph(&sources)
}

#[test]
fn the_import_graph_has_no_cycle() {
    let graph = of_the_sandbox();
    for (from, to) in [
        ("", "server::accept"),
        ("server::accept", "server::exchange"),
        ("service::router", "service::built_in"),
        ("service::built_in", "endpoints::order_pay"),
        ("endpoints::order_pay", "endpoints"),
        ("state::payments", "state"),
        ("state", "state::model"),
        ("admin", "admin::acts"),
    ] {
        assert!(graph[&module(from)].contains(&module(to)), "{from} imports {to}: {:?}", graph[&module(from)]);
    }
    assert_eq!(in_cycles(&graph), [""; 0]);
}

#[test]
fn the_state_knows_no_http() {
    let graph = of_the_sandbox();
    for from in graph.keys().filter(|module| module.first().is_some_and(|name| name == "state")) {
        let reached = reached(from, &graph);
        for http in
            ["http::answer", "http::incoming", "crypto::envelope", "endpoints", "service::endpoint", "server::exchange"]
        {
            assert!(graph.contains_key(&module(http)), "there is no module {http}");
            assert!(!reached.contains(&module(http)), "{from:?} imports {http}");
        }
    }
    assert!(reached(&module("endpoints::order_pay"), &graph).contains(&module("http::answer")));
}

#[test]
fn cycles_are_found() {
    let sources = |files: &[(&str, &str)]| -> Sources {
        files.iter().map(|(path, text)| (module(path), (*text).to_owned())).collect()
    };
    let found = |files: &[(&str, &str)]| in_cycles(&graph(&sources(files)));
    let by_use =
        [("", ""), ("a", "use crate::{b::{self, B}, c::C};"), ("b", "pub struct B;"), ("c", "use super::a::A;")];
    assert_eq!(found(&by_use), ["a", "c"]);
    let by_path = [("", "mod a;"), ("a", "fn f() { child::g() }"), ("a::child", "fn g() { super::f() }")];
    assert_eq!(found(&by_path), ["a", "a::child"]);
    let of_three =
        [("", ""), ("a", "use crate::b;"), ("b", "fn f() -> crate::c::C {}"), ("c", "use crate::a::x as y;")];
    assert_eq!(found(&of_three), ["a", "b", "c"]);
    // Comments, unit tests and names in other crates do not count.
    let none = [
        ("", "use a::A;"),
        ("a", "// crate::b::B\nuse std::b::B;\n#[cfg(test)]\nmod tests {\n use crate::b;\n}"),
        ("b", "use crate::a::{\n    A,\n    C,\n};"),
    ];
    assert_eq!(found(&none), [""; 0]);
}
