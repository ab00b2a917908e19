use super::super::Document;
use super::*;

const NAMES: [&str; 8] = ["a", "b", "", "a/b", "m~n", r"\u0061", r"x\u0000y", r"\ud800"];

fn scan(text: &str) -> Document {
    Document::scan(text, &|| false).unwrap()
}

fn is_indexed(document: &Document) -> bool {
    document.index.get().is_some()
}

/// A small generator of numbers below a bound.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }
}

/// A value with containers of every size around [`FEW`], and names that are there twice, once with an escape.
fn value(random: &mut Random, depth: usize) -> String {
    let count = [0, 1, 3, FEW - 1, FEW, FEW + 1, FEW + 2, 100][random.below(8)];
    if depth == 0 || count == 0 {
        return ["1", "\"x\"", "null", "{}", "[]"][random.below(5)].to_owned();
    }
    let object = random.below(3) > 0;
    let mut out = String::new();
    for index in 0..count {
        out.push(if index == 0 { ' ' } else { ',' });
        if object {
            match random.below(4) {
                0 => out.push_str(&format!("\"{}\":", NAMES[random.below(NAMES.len())])),
                _ => out.push_str(&format!("\"name{}\":", random.below(150))),
            }
        }
        // A few of the children are containers, at both ends and between.
        let deeper = index < 2 || index + 2 > count || random.below(20) == 0;
        out.push_str(&value(random, if deeper { depth - 1 } else { 0 }));
    }
    if object { format!("{{{out}}}") } else { format!("[{out}]") }
}

/// Compares every look from this value on with the plain walk; returns how many were made.
fn compare(value: Value<'_>, pointer: &str, root: Value<'_>) -> usize {
    let same = |pointer: &str| {
        let (walked, looked) = (root.find(pointer), root.look(pointer));
        assert_eq!(looked.map(Value::index), walked.map(Value::index), "{pointer}");
        walked
    };
    let children: Vec<_> = value.children().collect();
    assert_eq!(value.count(), children.len(), "{pointer}");
    for past in [children.len(), children.len() + 1, FEW, 1000, usize::MAX] {
        let found = value.look_child(past).map(Value::index);
        assert_eq!(found, children.get(past).map(|child| child.index()), "{pointer}, {past}");
        same(&format!("{pointer}/{past}"));
    }
    for absent in ["absent", "-", "01", "~2"] {
        assert!(same(&format!("{pointer}/{absent}")).is_none());
    }
    let mut looks = 0;
    for (number, child) in children.iter().enumerate() {
        assert_eq!(value.look_child(number).map(Value::index), Some(child.index()), "{pointer}, {number}");
        let step = child.step().map_or_else(|| number.to_string(), |step| step.into_owned());
        let pointer = format!("{pointer}/{step}");
        let found = same(&pointer).unwrap_or_else(|| panic!("{pointer} is not found"));
        assert!(found.index() <= child.index(), "{pointer}: not the first of that name");
        looks += 1;
        if found.index() == child.index() {
            looks += compare(*child, &pointer, root);
        }
    }
    looks
}

#[test]
fn every_look_finds_what_the_plain_walk_finds() {
    let mut random = Random(7);
    let (mut indexed, mut looks) = (0, 0);
    for _ in 0..40 {
        let text = value(&mut random, 3);
        let document = scan(&text);
        looks += compare(document.root(&text), "", document.root(&text));
        indexed += usize::from(is_indexed(&document));
    }
    assert!(looks > 10_000 && (10..40).contains(&indexed), "{looks} looks, {indexed} documents with an index");
}

#[test]
fn a_few_siblings_need_no_index() {
    let list = |count: usize| format!(r#"{{"data":[{}]}}"#, vec![r#"{"x":1}"#; count].join(","));
    for (count, pointer, needed) in [(FEW, "/data/31/x", false), (500, "/data/31/x", false), (500, "/data/32/x", true)]
    {
        let text = list(count);
        let document = scan(&text);
        assert_eq!(document.root(&text).look(pointer).map(Value::raw), Some("1"));
        assert_eq!(document.root(&text).look("/data").map(Value::count), Some(count));
        assert_eq!(is_indexed(&document), needed || count > FEW, "{count} {pointer}");
        let document = scan(&text);
        assert!(document.root(&text).look(pointer).is_some() && document.root(&text).find(pointer).is_some());
        assert_eq!(is_indexed(&document), needed, "{count} {pointer}");
    }
}

/// As many looks as members take a time that grows with the members, not with their square.
#[test]
fn looks_into_a_hostile_answer_do_not_add_up() {
    const MANY: usize = 200_000;
    let text = format!("{{{}\"x\":1}}", (0..MANY).map(|index| format!("\"m{index}\":{index},")).collect::<String>());
    let document = scan(&text);
    let root = document.root(&text);
    assert_eq!(root.count(), MANY + 1);
    for index in (0..MANY).step_by(2) {
        assert_eq!(root.look(&format!("/m{index}")).map(Value::raw), Some(index.to_string().as_str()));
        assert_eq!(root.look_child(index).and_then(Value::step).as_deref(), Some(format!("m{index}").as_str()));
        assert!(root.look(&format!("/n{index}")).is_none());
    }
}
