//! The tables of platforms: the short one of docs/linking.md, and that of docs/platforms.md with what ran where and what did not.

use paysvc_platforms::table::{PLATFORMS, Platform, Proof, Runner, System};

use super::table;

pub fn short() -> String {
    let line = |it: &Platform| {
        let (needs, untested) = (needs(it.system), untested(it.system, it.runner));
        let effort = if it.best_effort { ", best effort" } else { "" };
        format!("| {} | {needs} | `{}` | {}{effort} | {untested} |", it.title, it.target, it.runner.place())
    };
    table("| platform | needs | libraries for it | tested in | not tested |", PLATFORMS.iter().map(line))
}

pub fn long() -> String {
    let line = |it: &Platform| {
        let (needs, untested) = (needs(it.system), untested(it.system, it.runner));
        let effort = if it.best_effort { " (best effort)" } else { "" };
        let (place, ran) = (it.runner.place(), ran(it.proofs));
        format!("| {}, `{}`{effort} | {needs} | {place} | {ran} | {untested} |", it.title, it.target)
    };
    table("| platform, folder in `build/libs` | needs | ran in | what ran | not tested |", PLATFORMS.iter().map(line))
}

fn needs(system: System) -> String {
    match system {
        System::Glibc(version) => format!("glibc {version} or newer"),
        System::Musl => "musl".into(),
        System::Windows(version) => format!("Windows {version} or newer"),
    }
}

fn ran(proofs: &[Proof]) -> String {
    // The journal is tried wherever a program in C runs.
    let (mut languages, mut others) = (Vec::new(), vec!["tills with a journal that are killed"]);
    for proof in proofs {
        match proof {
            Proof::C => languages.push("C"),
            Proof::Cpp => languages.push("C++"),
            Proof::Go => languages.push("Go"),
            Proof::Python => languages.push("Python"),
            Proof::UnitTests => others.push("the unit tests"),
            Proof::GoStatic => others.push("a Go program linked with `-static`, in an empty root"),
            Proof::AllFaults => others.push("every endpoint with every fault"),
            Proof::SomeFaults => others.push("three endpoints with every fault"),
            Proof::Cancel => others.push("the latency of a cancel"),
        }
    }
    let scenarios = format!("all scenarios in {}", languages.join(", "));
    [&scenarios[..]].into_iter().chain(others).collect::<Vec<_>>().join("; ")
}

/// Platforms that look like tested ones, but were not tested.
fn untested(system: System, runner: Runner) -> String {
    let mut untested = Vec::new();
    match system {
        System::Glibc(version) => untested.push(format!("glibc {version} itself: only the symbols are checked")),
        System::Musl => untested.push("Alpine and other systems".into()),
        System::Windows(version) => untested.push(format!("Windows {version} itself, link.exe")),
    }
    if runner.emulator().is_some() {
        untested.push("real processors".into());
    }
    untested.join("; ")
}
