//! The Python binding as rendered for an endpoint that nobody has: Python must understand it.

use std::path::Path;
use std::process::Command;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Answer, ApiKey, Certainty, Endpoint, Field, Kind, Location, Member, Method, Safety, Wire};
use xtask::codegen::python;

use crate::support::{root, run};

const fn field(name: &'static str, kind: Kind, location: Location, required: bool) -> Field {
    Field { location, required, ..Field::optional(name, kind, "what \"it\" is, \\ or \"\"\"not\"\"\"") }
}

const PARCEL: Endpoint = Endpoint {
    name: "parcel_send",
    method: Method::Put,
    path: "/parcel/{parcelId}/send",
    key: ApiKey::Secret,
    key_setting: None,
    encrypted: true,
    headers: &[],
    headers_setting: None,
    fields: &[
        field("parcelId", Kind::Text, Location::Path, true),
        field("from", Kind::Text, Location::Query, false),
        field("weight", Kind::Integer, Location::Body, true),
        field(
            "sentTo",
            Kind::Object(&[field("price", Kind::Amount(Wire::Text), Location::Body, false)]),
            Location::Body,
            false,
        ),
        field("nothing", Kind::Object(&[]), Location::Body, false),
        field("amount", Kind::Amount(Wire::Text), Location::Body, false),
        field("fragile", Kind::Flag, Location::Body, false),
        field(
            "boxes",
            Kind::List(&[field("price", Kind::Amount(Wire::Number), Location::Body, true)]),
            Location::Body,
            false,
        ),
    ],
    allows_extra: true,
    safety: Safety::Moves,
    doubt: Endpoint::ROW.doubt,
    answer: Answer { members: PARCELS, ..Endpoint::ANSWER },
    looked_up_by: None,
    certainty: Certainty::Documented,
    key_certainty: Certainty::Documented,
    body_certainty: Certainty::Documented,
    doc: "Sends a parcel.",
};

const DOC: &str = "what \"it\" is, \\ or \"\"\"not\"\"\", and a good deal more about it, so that this text takes more than the one \
                   line that there is for it at the beginning of a docstring";

/// Every kind, with names that Python, or the class of an answer, has for something else.
const PARCELS: &[Member] = &[
    Member::text("from", DOC),
    Member::integer("int", DOC),
    Member::amount("Decimal", DOC),
    Member::decimal("str", DOC),
    Member::flag("bool", DOC),
    Member::time("datetime", DOC),
    Member::any("raw", DOC),
    Member::object(
        "property",
        &[Member::text("property", DOC), Member::text("answer", DOC), Member::object("_leaf", INNER, DOC)],
        DOC,
    ),
    Member::list("tuple", INNER, DOC),
    Member::text("keys", DOC),
    Member::text("__init__", DOC),
    Member::text("self", DOC),
    Member::text("3ds", DOC),
    Member::text("_3ds", DOC),
    Member::text("a \"/~\\ \u{e9}", DOC),
    Member::text("later", DOC).certainty(Certainty::Guessed),
];

const INNER: &[Member] = &[Member::text("None", DOC), Member::any("import", DOC)];

/// Beside the package's own files, without the library, which has no such function: `_native`, which loads it, and `_progress` are empty.
const PROGRAM: &str = r#"
import asyncio, sys
from decimal import Decimal
sys.modules["paysvc"] = type(sys)("paysvc")
sys.modules["paysvc"].__path__ = ["."]
sys.modules["paysvc._native"] = type(sys)("paysvc._native")
sys.modules["paysvc._native"].Call = object
sys.modules["paysvc._progress"] = type(sys)("paysvc._progress")
sys.modules["paysvc._progress"].Progress = object
sys.modules["paysvc._store"] = type(sys)("paysvc._store")
sys.modules["paysvc._store"].Store = object
from paysvc._endpoints import AsyncEndpoints, Endpoints
from paysvc._generated import Boxes, Outcome, SentTo, Status
from paysvc._replies import ParcelSendReply
from paysvc._values import encode

class Client(Endpoints):
    def _open(self, config): pass
    def call(self, name, members, *, idempotency_key, timeout, call): return name, members, timeout, call

class AsyncClient(AsyncEndpoints):
    def _open(self, config): pass
    async def call(self, name, members, *, idempotency_key, timeout): return name, members, timeout

arguments = dict(parcel_id="p", weight=3, sent_to=SentTo(price=Decimal("1E+2")), amount=Decimal("0.10"), members={"x": 1})
name, members, timeout, call = Client().parcel_send(**arguments, from_="home", timeout=5)
assert (name, timeout, call) == ("parcel_send", 5, None)
assert list(members) == ["parcelId", "from", "weight", "sentTo", "amount", "x"], list(members)
assert (members["amount"], members["sentTo"]["price"]) == ("0.10", "100")
name, members, timeout = asyncio.run(AsyncClient().parcel_send(**arguments))
assert (name, timeout, list(members)) == ("parcel_send", None, ["parcelId", "weight", "sentTo", "amount", "x"])
boxes = (Boxes(price=Decimal("1E+2")), {"price": Decimal("0.50")}, Boxes(price="7.10"))
name, members, timeout, call = Client().parcel_send(parcel_id="p", weight=3, boxes=boxes)
text = '"boxes":[{"price":"100"},{"price":0.50},{"price":"7.10"}]}'
assert encode(members) == ('{"parcelId":"p","weight":3,' + text).encode(), encode(members)
assert encode({"boxes": list(boxes)}) == ("{" + text).encode() and "price" in repr(boxes[0]) and "100" not in repr(boxes)
for wrong in ([{"price": 0.1}], b"12", bytearray(b"12"), {1: 2}):
    try:
        encode({"boxes": wrong})
    except TypeError as error:
        assert str(error).startswith("boxes"), error
    else:
        raise AssertionError(wrong)
try:
    Client().parcel_send(parcel_id="p", weight=3, amount=0.1)
except TypeError as error:
    assert str(error).startswith("amount: "), error
else:
    raise AssertionError("took a float")
print(Client.parcel_send.__doc__)

text = """{"from": "a", "int": "7", "Decimal": 1.50, "str": "2.5", "bool": "TRUE", "datetime": "2026-01-31T09:30:00",
    "raw": [1.50], "property": {"property": "b", "answer": 100.10, "_leaf": {"None": "c"}},
    "tuple": [{"import": {}}, 7], "keys": "d", "__init__": "e", "self": "f", "3ds": "g", "_3ds": "h",
    "a \\"/~\\\\ \u00e9": "i", "later": "j"}"""
answer = ParcelSendReply(status=Status.OK, outcome=Outcome.CONFIRMED, text=text).answer
assert (answer.from_, answer.int_, str(answer.decimal), str(answer.str_), answer.bool_) == ("a", 7, "1.50", "2.5", True)
assert answer.datetime_.isoformat() == "2026-01-31T09:30:00+00:00" and answer.raw_ == [Decimal("1.50")]
assert (answer.property_.property_, answer.property_.answer, answer.property_.leaf.none) == ("b", "100.10", "c")
assert [bool(element) for element in answer.tuple_] == [True, False] and answer.tuple_[0].import_ == {}
assert (answer.keys, answer.init__, answer.self, answer.member_3ds, answer.member_3ds_) == tuple("defgh")
assert answer.raw["keys"] == "d" and not hasattr(answer, "later") and answer.a_______ == "i"
assert [getattr(answer, name) is not None for name, kind in answer.__members__.values()] == [True] * 15
print(type(answer).datetime_.__doc__)
"#;

#[test]
fn a_made_up_row_becomes_a_method_that_python_runs() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["_answer.py", "_errors.py", "_leaf.py", "_numbers.py", "_reply.py", "_values.py"] {
        std::fs::copy(root().join("bindings/python/src/paysvc").join(name), folder.path().join(name)).unwrap();
    }
    write(folder.path(), &[PARCEL]);
    let output = run(Command::new("python3").args(["-W", "error", "-c", PROGRAM]).current_dir(folder.path()));
    let printed = String::from_utf8(output.stdout).unwrap();
    for part in
        ["PUT /parcel/{parcelId}/send, secret key, encrypted.", "\\ or \"\"\"not\"\"\"", "/datetime: time, UTC where"]
    {
        assert!(printed.contains(part), "{printed}");
    }
}

/// Writes the rendered files.
fn write(folder: &Path, rows: &[Endpoint]) {
    for (name, text) in [
        ("_generated.py", python::render(rows)),
        ("_replies.py", python::render_replies(rows)),
        ("_answers.py", python::render_answers(rows)),
        ("_endpoints.py", python::render_endpoints(rows)),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

/// As `make test-python` judges the package itself.
#[test]
fn a_made_up_row_is_well_written_and_typed() {
    let (folder, python) = (tempfile::tempdir().unwrap(), root().join("bindings/python"));
    let package = folder.path().join("src/paysvc");
    std::fs::create_dir_all(&package).unwrap();
    for entry in std::fs::read_dir(python.join("src/paysvc")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, package.join(path.file_name().unwrap())).unwrap();
        }
    }
    std::fs::copy(python.join("pyproject.toml"), folder.path().join("pyproject.toml")).unwrap();
    write(&package, &[ENDPOINTS, &[PARCEL]].concat());
    let tools = root().join("build/venv/bin");
    run(Command::new(tools.join("ruff")).args(["check", "--no-cache", "."]).current_dir(folder.path()));
    let mut mypy = Command::new(tools.join("python"));
    mypy.args(["-m", "mypy", "--cache-dir", "cache", "src"]).current_dir(folder.path());
    run(&mut mypy);
}
