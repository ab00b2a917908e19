//! The documents that `make install` copies can be read where they are: no link of theirs leads to what is not there.

use std::path::Path;

use crate::install::tree;
use crate::support::installed::Installed;
use crate::support::root;

/// The links of the installed documents, and the documents that the installed header names, that lead nowhere.
fn links_to_nowhere(documents: &Path, header: &Path) -> Vec<String> {
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
    let is_there = |from: &Path, link: &str| from.join(link.split('#').next().unwrap()).exists();
    let mut nowhere = Vec::new();
    for path in tree(documents).into_keys().filter(|path| path.ends_with(".md")) {
        let file = documents.join(&path);
        let text = text(&file);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let links = links.filter(|link| !link.contains("://"));
        let missing = links.filter(|link| !is_there(file.parent().unwrap(), link));
        nowhere.extend(missing.map(|link| format!("{path}: {link}")));
    }
    let header = text(header);
    let named = header.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let named = named.filter(|word| word.starts_with("docs/") && word.ends_with(".md"));
    nowhere.extend(named.filter(|name| !is_there(documents, name)).map(|name| format!("paysvc.h: {name}")));
    nowhere
}

#[test]
fn every_link_of_an_installed_document_leads_to_an_installed_file() {
    let installed = Installed::in_libdir("lib");
    let (documents, header) =
        (installed.prefix().join("share/doc/libpaysvc"), installed.prefix().join("include/paysvc.h"));
    let nowhere = links_to_nowhere(&documents, &header);
    assert!(nowhere.is_empty(), "name what is not installed between backticks:\n{}", nowhere.join("\n"));
    let pages = |folder: &Path| tree(folder).into_keys().filter(|path| path.ends_with(".md")).collect::<Vec<_>>();
    assert_eq!(pages(&documents.join("docs")), pages(&root().join("docs")));

    std::fs::remove_file(documents.join("docs/payouts.md")).unwrap();
    let nowhere = links_to_nowhere(&documents, &header);
    for missing in ["paysvc.h: docs/payouts.md", "README.md: docs/payouts.md", "docs/journal.md: payouts.md"] {
        assert!(nowhere.iter().any(|it| it.starts_with(missing)), "{missing}: {nowhere:?}");
    }
}
