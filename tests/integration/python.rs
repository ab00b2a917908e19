//! The Python binding as rendered for an endpoint that nobody has: Python must understand it.

use std::process::Command;

use paysvc_spec::schema::{ApiKey, Certainty, Endpoint, Field, Kind, Location, Method, Safety, Wire};
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
    encrypted: true,
    headers: &[],
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
    ],
    allows_extra: true,
    safety: Safety::Moves,
    answer: Endpoint::ANSWER,
    looked_up_by: None,
    certainty: Certainty::Documented,
    doc: "Sends a parcel.",
};

/// Beside the package's own files, without the library, which has no such function: `_native`, which loads it, is empty.
const PROGRAM: &str = r#"
import asyncio, sys
from decimal import Decimal
sys.modules["paysvc"] = type(sys)("paysvc")
sys.modules["paysvc"].__path__ = ["."]
sys.modules["paysvc._native"] = type(sys)("paysvc._native")
sys.modules["paysvc._native"].Call = object
from paysvc._endpoints import AsyncEndpoints, Endpoints
from paysvc._generated import SentTo

class Client(Endpoints):
    def _open(self, config): pass
    def call(self, name, members, *, timeout, call): return name, members, timeout, call

class AsyncClient(AsyncEndpoints):
    def _open(self, config): pass
    async def call(self, name, members, *, timeout): return name, members, timeout

arguments = dict(parcel_id="p", weight=3, sent_to=SentTo(price=Decimal("1E+2")), amount=Decimal("0.10"), members={"x": 1})
name, members, timeout, call = Client().parcel_send(**arguments, from_="home", timeout=5)
assert (name, timeout, call) == ("parcel_send", 5, None)
assert list(members) == ["parcelId", "from", "weight", "sentTo", "amount", "x"], list(members)
assert (members["amount"], members["sentTo"]["price"]) == ("0.10", "100")
name, members, timeout = asyncio.run(AsyncClient().parcel_send(**arguments))
assert (name, timeout, list(members)) == ("parcel_send", None, ["parcelId", "weight", "sentTo", "amount", "x"])
try:
    Client().parcel_send(parcel_id="p", weight=3, amount=0.1)
except TypeError as error:
    assert str(error).startswith("amount: "), error
else:
    raise AssertionError("took a float")
print(Client.parcel_send.__doc__)
"#;

#[test]
fn a_made_up_row_becomes_a_method_that_python_runs() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["_numbers.py", "_reply.py", "_values.py"] {
        std::fs::copy(root().join("bindings/python/src/paysvc").join(name), folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("_generated.py"), python::render(&[PARCEL])).unwrap();
    std::fs::write(folder.path().join("_endpoints.py"), python::render_endpoints(&[PARCEL])).unwrap();
    let output = run(Command::new("python3").args(["-W", "error", "-c", PROGRAM]).current_dir(folder.path()));
    let printed = String::from_utf8(output.stdout).unwrap();
    for part in ["PUT /parcel/{parcelId}/send, secret key, encrypted.", "\\ or \"\"\"not\"\"\""] {
        assert!(printed.contains(part), "{printed}");
    }
}
