//! The manual pages: troff and man report no problems, every function has one, and the sandbox's has every option.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{build, missing, root, run};

fn pages() -> Vec<PathBuf> {
    let list =
        |folder: PathBuf| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let folders = [root().join("docs/man"), build().join("share/man")];
    folders.into_iter().flat_map(list).flat_map(list).collect()
}

#[test]
fn every_page_is_correct_troff() {
    let pages = pages();
    assert!(pages.len() > 50, "{pages:?}");
    if Command::new("groff").arg("--version").output().is_err() {
        return missing("groff is not on this machine; the manual pages are NOT tested");
    }
    for page in pages {
        let output = run(Command::new("groff").args(["-man", "-ww", "-z", "-Tutf8"]).arg(&page));
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// As people read it, without any markup.
#[test]
fn a_page_reads_as_the_header_does() {
    if Command::new("groff").arg("--version").output().is_err() {
        return missing("groff is not on this machine; the manual pages are NOT tested");
    }
    let read = |page: &str| {
        let mut groff = Command::new("groff");
        groff.args(["-man", "-Tascii", "-P-cbou", "-rLL=2000n"]).arg(build().join("share/man").join(page));
        String::from_utf8(run(&mut groff).stdout).unwrap()
    };
    let text = read("man3/paysvc_json_new.3");
    for part in [
        "paysvc_json *paysvc_json_new(void);",
        "\"-\" as the last step appends.",
        "In a name, ~1 stands for / and ~0 for ~.",
        "free it with paysvc_json_free(3).",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let text = read("man7/paysvc.7");
    for part in ["PAYSVC_E_TIMEOUT (11)", "PAYSVC_OUTCOME_UNKNOWN (3)", "PAYSVC_TIMEOUT_MS", "2.  Arguments. Strings"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn every_function_has_a_page_that_the_overview_names() {
    let header = std::fs::read_to_string(root().join("include/paysvc.h")).unwrap();
    let overview = std::fs::read_to_string(build().join("share/man/man7/paysvc.7")).unwrap();
    let functions: BTreeSet<_> =
        xtask::interface::functions(&header).into_iter().map(|function| function.name).collect();
    let named = pages().into_iter().filter(|page| page.extension().is_some_and(|section| section == "3"));
    let named: BTreeSet<_> = named.map(|page| page.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(named, functions);
    for name in functions {
        assert!(overview.contains(&format!("\n.BR {name} (3)\n")), "{name}");
    }
}

/// Its page is written by hand. The help has a line "- value: what it means" for each value of an option.
#[test]
fn the_page_of_the_sandbox_has_its_options() {
    let options = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_lowercase() && c != '-').filter(|word| word.starts_with("--"));
        words.filter(|word| word.len() > 2).map(str::to_owned).collect()
    };
    let page = std::fs::read_to_string(root().join("docs/man/man1/paysvc-sandbox.1")).unwrap();
    let help = run(Command::new(build().join("bin/paysvc-sandbox")).arg("--help"));
    let help = String::from_utf8(help.stdout).unwrap();
    assert_eq!(options(&page.replace("\\-", "-")), options(&help));
    let values = help.lines().filter_map(|line| line.trim_start().strip_prefix("- ")?.split(':').next());
    let words: Vec<_> = page.split(|c: char| !c.is_ascii_lowercase()).collect();
    let missing: Vec<_> = values.filter(|value| !words.contains(value)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
