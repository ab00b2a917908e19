//! Random paths beside a resolver of its own, which reads a URL in all the ways in which servers and proxies do.

use std::collections::BTreeSet;

use super::*;
use paysvc_spec::schema::Endpoint;
use paysvc_test_common::random::Random;

/// One way to read a path.
#[derive(Clone, Copy)]
struct Server {
    /// The number of times it unescapes before it splits the path, and each segment after.
    before: usize,
    after: usize,
    parameters: bool,
    backslash: bool,
    merges_slashes: bool,
}

impl Server {
    fn all() -> Vec<Server> {
        let mut all = Vec::new();
        for number in 0..72 {
            let flag = |bit: usize| (number / 9) >> bit & 1 == 1;
            let (before, after) = (number % 3, number / 3 % 3);
            all.push(Server { before, after, parameters: flag(0), backslash: flag(1), merges_slashes: flag(2) });
        }
        all
    }

    /// The path in lower case, with its dots resolved.
    fn read(self, path: &str) -> String {
        let mut path = path.to_ascii_lowercase();
        (0..self.before).for_each(|_| path = unescape(&path));
        if self.backslash {
            path = path.replace('\\', "/");
        }
        let mut stack: Vec<String> = Vec::new();
        for segment in path.split('/').skip(1) {
            let bare = if self.parameters { segment.split(';').next().unwrap_or_default() } else { segment };
            let mut segment = bare.to_owned();
            (0..self.after).for_each(|_| segment = unescape(&segment));
            // A server that unescapes late may find slashes and parameters then.
            for part in segment.split(if self.backslash { &['/', '\\'][..] } else { &['/'][..] }) {
                match if self.parameters { part.split(';').next().unwrap_or_default() } else { part } {
                    "." => {}
                    "" if self.merges_slashes => {}
                    ".." => drop(stack.pop()),
                    other => stack.push(other.trim().to_owned()),
                }
            }
        }
        // A query that the escapes hid, and a slash at the end, select no other endpoint.
        let whole = stack.join("/");
        whole.split(['?', '#', '\0']).next().unwrap_or_default().trim_end_matches('/').to_owned()
    }
}

fn unescape(text: &str) -> String {
    let (mut out, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match digits.filter(|_| *first == b'%').and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &tail[2..];
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).to_ascii_lowercase()
}

/// One of these.
fn any<'t>(random: &mut Random, all: &[&'t str]) -> &'t str {
    all[below(random, all.len())]
}

fn below(random: &mut Random, limit: usize) -> usize {
    random.below(limit as u64) as usize
}

/// Text that may be between two segments, or in place of one.
const BETWEEN: &[&str] =
    &["/", "/", "/", "/", "/", "/", "//", "/./", "%2f", "%2F", "%252f", "%5c", "\\", ";/", ";a=b/", "/;/"];
const DETOURS: &str = r"x/../ x/..;/ x/..;a=b/ x/%2e%2E/ x/.%2e/ x/%252e%252e/ x/%2e%2e%3b/ x/..%3Ba/ x/..%2f x/..%5c x/..\ x;/../ ../ ./ ;/ %2e/ x/y/../../ x/..%00/ x/..%20/";
const ENDS: &[&str] =
    &["", "", "", "", "/", "/.", "/x/..", "/x/..;", ";v=1", "%3bv", "?", "%3f", "%23", "%00", "%20", "/x", "/;"];

/// A row's path with detours in it, and in part with escapes.
fn path(row: &Endpoint, random: &mut Random) -> String {
    let mut path = "/".to_owned();
    for (index, segment) in row.path.split('/').skip(1).enumerate() {
        if index > 0 {
            path.push_str(any(random, BETWEEN));
        }
        if random.below(8) == 0 {
            path.push_str(any(random, &DETOURS.split(' ').collect::<Vec<_>>()));
        }
        for c in segment.chars().filter(|c| !matches!(c, '{' | '}')) {
            match random.below(90) {
                0 => path.push_str(&format!("%{:02x}", c as u32)),
                1 => path.push_str(&format!("%25{:02X}", c as u32)),
                2 => path.extend(c.to_uppercase()),
                _ => path.push(c),
            }
        }
    }
    path + any(random, ENDS)
}

/// The rows at or above a path as a server reads it, with the number of segments below.
fn related(read: &str) -> impl Iterator<Item = (&'static Endpoint, usize)> {
    let read: Vec<String> = read.trim_start_matches("api/").split('/').map(str::to_owned).collect();
    ENDPOINTS.iter().filter_map(move |row| {
        let known: Vec<_> = row.path.split('/').skip(1).collect();
        let same = |(known, given): (&&str, &String)| known.starts_with('{') || *known == given;
        let fits = read.len() >= known.len() && known.iter().zip(&read).all(same);
        fits.then(|| (row, read.len() - known.len()))
    })
}

#[test]
fn no_accepted_path_is_read_as_an_endpoint_whose_rules_do_not_apply() {
    let (servers, mut random) = (Server::all(), Random::new(1, 0));
    let (mut accepted, mut guarded) = (0, BTreeSet::new());
    for _ in 0..3_000 {
        let row = &ENDPOINTS[below(&mut random, ENDPOINTS.len())];
        // Divided at any slash, also within a detour. The part before the endpoints is in `base_url`.
        let (api, path) = (any(&mut random, &["", "", "/api"]), path(row, &mut random));
        let slashes: Vec<_> = path.match_indices('/').map(|(at, _)| at).collect();
        let (base, path) = path.split_at(slashes[below(&mut random, slashes.len())]);
        let base = format!("{api}{base}");
        let whole = format!("{base}{path}");
        let read: BTreeSet<_> = servers.iter().map(|server| server.read(&whole)).collect();
        let in_clear = serde_json::json!({"method": "POST", "path": path, "key": "public", "body": {"a": 1}});
        let is_refused = prepared(&base, &in_clear).is_err();
        accepted += usize::from(!is_refused);
        let reread = |key: &str| serde_json::json!({"method": "POST", "path": path, "key": key, "read_only": true});
        let is_never_reread = ["public", "secret"].iter().all(|key| prepared(&base, &reread(key)).is_err());
        for read in &read {
            let related: Vec<_> = related(read).collect();
            for (row, _) in related.iter().filter(|(row, below)| row.encrypted && *below == 0) {
                guarded.insert(row.name);
                assert!(is_refused, "{} in clear: {base} + {path}", row.name);
            }
            let reads = |row: &Endpoint| row.read_only() && row.method == Method::Post;
            if related.iter().any(|(row, below)| *below == 0 && reads(row)) {
                continue;
            }
            for (row, _) in related.iter().filter(|(row, _)| !row.read_only()) {
                guarded.insert(row.name);
                assert!(is_never_reread, "{} repeated: {base} + {path}", row.name);
            }
        }
    }
    let all: BTreeSet<_> =
        ENDPOINTS.iter().filter(|row| !row.read_only() || row.encrypted).map(|row| row.name).collect();
    assert_eq!(guarded, all);
    assert!(accepted > 50, "{accepted}");
}
