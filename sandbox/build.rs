//! Renders the response to `GET /openapi.json`: the endpoints as an OpenAPI 3.1 document, a line for each path and each
//! schema. It is all that the sandbox has of the library's tables.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fs};

use paysvc_spec::schema::{
    AnswerKind, ApiKey, Certainty, Endpoint, Envelope, Field, Form, Kind, Location, Member, Safety, Wire,
};
use serde_json::{Map, Value, json};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
const ABOUT: &str = "The endpoints of the payments service, as the tables of libpaysvc have them. x-certainty says what supports a statement: \
    documented, reported (seen in a real response), integrated (public integrations rely on it) or guessed; without it, it is documented. \
    No field of a response is required, because answers differ. An HTTP status of 200 does not mean that a request succeeded, \
    and success of a request does not mean that an order is paid: read the state.";
const ENCRYPTED: &str = "The request, as compact JSON, encrypted with RSA (PKCS #1 v1.5) and the account's public key: one block in base64. \
    x-plaintext of the operation names the schema of what is encrypted.";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let to = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("openapi.json");
    fs::write(&to, render(paysvc_spec::ENDPOINTS)).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
}

fn render(rows: &[Endpoint]) -> String {
    let mut paths = BTreeMap::<&str, Map<String, Value>>::new();
    for row in rows {
        let methods = paths.entry(row.path).or_default();
        methods.insert(row.method.name().to_ascii_lowercase(), operation(row));
    }
    let paths = paths.iter().map(|(path, methods)| format!("{}:{}", json!(path), Value::from(methods.clone())));
    let own = rows.iter().filter(|row| has_body(row)).map(|row| (request_name(row), request(row)));
    let schemas = shared().into_iter().chain(own);
    let schemas = schemas.map(|(name, schema)| format!("{}:{schema}", json!(name)));
    let info = json!({"title": "The payments service", "version": paysvc_spec::status::VERSION, "description": ABOUT});
    format!(
        "{{\"openapi\":\"3.1.0\",\"jsonSchemaDialect\":\"{DIALECT}\",\n\"info\":{info},\n\"servers\":[{{\"url\":\"/\"}}],\n\
         \"paths\":{{\n{}\n}},\n\"components\":{{\"securitySchemes\":{},\n\"responses\":{},\n\"schemas\":{{\n{}\n}}}}}}\n",
        paths.collect::<Vec<_>>().join(",\n"),
        security_schemes(),
        responses(),
        schemas.collect::<Vec<_>>().join(",\n"),
    )
}

fn operation(row: &Endpoint) -> Value {
    let mut operation = json!({
        "operationId": row.name,
        "summary": row.doc,
        "security": keys(row).iter().map(|key| json!({scheme(*key): []})).collect::<Vec<_>>(),
        "responses": {
            "200": {
                "description": "A response. It may also report a failure.",
                "headers": {"x-sandbox-assumed": {"schema": {"const": "1"}, "description": "Only of the sandbox: the shape of this response is not documented."}},
                "content": {"application/json": {"schema": answer(row)}},
            },
            "400": {"$ref": "#/components/responses/Failure"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "404": {"$ref": "#/components/responses/Failure"},
            "429": {"$ref": "#/components/responses/TooManyRequests"},
            "5XX": {"$ref": "#/components/responses/Unavailable"},
        },
        "x-effect": row.safety.name(),
    });
    let mut set = |name: &str, value: Value| operation[name] = value;
    let parameters = parameters(row);
    if !parameters.is_empty() {
        set("parameters", parameters.into());
    }
    if has_body(row) {
        let plain = json!({"$ref": format!("#/components/schemas/{}", request_name(row))});
        let sent = if row.encrypted { json!({"$ref": "#/components/schemas/Encrypted"}) } else { plain.clone() };
        set("requestBody", json!({"required": true, "content": {"application/json": {"schema": sent}}}));
        if row.encrypted {
            set("x-plaintext", plain);
        }
    }
    if row.safety == Safety::Moves {
        set("description", json!("Moves money. If its response is lost, do not repeat it: ask what became of it."));
    }
    for (name, certainty) in [
        ("x-certainty", row.certainty),
        ("x-key-certainty", row.key_certainty),
        ("x-body-certainty", row.body_certainty),
        ("x-answer-certainty", row.answer.certainty),
    ] {
        if certainty != Certainty::Documented {
            set(name, certainty.name().into());
        }
    }
    operation
}

fn has_body(row: &Endpoint) -> bool {
    row.encrypted || row.fields.iter().any(|field| field.location == Location::Body)
}

fn request_name(row: &Endpoint) -> String {
    format!("{}_request", row.name)
}

/// Both, where integrations differ.
fn keys(row: &Endpoint) -> &[ApiKey] {
    match (row.key_setting, row.key) {
        (Some(_), _) => ApiKey::ALL,
        (None, ApiKey::Public) => &ApiKey::ALL[..1],
        (None, ApiKey::Secret) => &ApiKey::ALL[1..],
    }
}

fn scheme(key: ApiKey) -> String {
    format!("{}Key", key.name())
}

fn security_schemes() -> Value {
    let scheme = |key: &ApiKey| {
        let about = format!("The merchant's {} API key. The account has both.", key.name());
        (scheme(*key), json!({"type": "apiKey", "in": "header", "name": "api-key", "description": about}))
    };
    Value::Object(ApiKey::ALL.iter().map(scheme).collect())
}

fn parameters(row: &Endpoint) -> Vec<Value> {
    let within = row.fields.iter().filter(|field| field.location != Location::Body).map(|field| {
        let required = field.required || field.location == Location::Path;
        json!({"name": field.name, "in": field.location.name(), "required": required, "description": field.doc, "schema": field_schema(field)})
    });
    let headers = row.headers.iter().map(|(name, value)| {
        json!({"name": name, "in": "header", "required": row.headers_setting.is_none(), "schema": {"const": value}})
    });
    within.chain(headers).collect()
}

fn request(row: &Endpoint) -> Value {
    let fields: Vec<&Field> = row.fields.iter().filter(|field| field.location == Location::Body).collect();
    let mut schema = object_of(&fields);
    schema["additionalProperties"] = row.allows_extra.into();
    schema
}

fn object_of(fields: &[&Field]) -> Value {
    let members: Map<_, _> = fields.iter().map(|field| (field.name.to_owned(), field_schema(field))).collect();
    let required: Vec<_> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = json!({"type": "object", "properties": members});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

fn field_schema(field: &Field) -> Value {
    let members = || field.kind.members().iter().collect::<Vec<_>>();
    let mut schema = match field.kind {
        Kind::Text => json!({"type": "string", "minLength": 1}),
        Kind::Integer => json!({"type": "integer"}),
        Kind::Amount(Wire::Text) => json!({"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?$"}),
        Kind::Amount(Wire::Number) => json!({"type": "number", "exclusiveMinimum": 0}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Any => json!({}),
        Kind::Object(_) => object_of(&members()),
        Kind::List(_) => json!({"type": "array", "minItems": 1, "items": object_of(&members())}),
    };
    schema["description"] = field.doc.into();
    if field.secret {
        schema["writeOnly"] = true.into();
    }
    with_certainty(schema, field.certainty)
}

fn with_certainty(mut schema: Value, certainty: Certainty) -> Value {
    if certainty != Certainty::Documented {
        schema["x-certainty"] = certainty.name().into();
    }
    schema
}

/// A success; where the envelope allows it, the response may also be a failure's.
fn answer(row: &Endpoint) -> Value {
    let success = members(row.answer.members);
    match row.answer.envelope {
        Envelope::Bare => success,
        _ => {
            json!({"anyOf": [success, {"$ref": "#/components/schemas/Failure"}, {"$ref": "#/components/schemas/Error"}]})
        }
    }
}

fn members(members: &[Member]) -> Value {
    let of: Map<_, _> = members.iter().map(|member| (member.name.to_owned(), member_schema(member))).collect();
    json!({"type": "object", "properties": of})
}

fn member_schema(member: &Member) -> Value {
    let mut types = match member.kind {
        AnswerKind::Text | AnswerKind::Time => vec!["string"],
        AnswerKind::Integer => vec!["integer"],
        AnswerKind::Amount | AnswerKind::Decimal => vec!["number"],
        AnswerKind::Flag => vec!["boolean"],
        AnswerKind::Any => vec![],
        AnswerKind::Object(_) => vec!["object"],
        AnswerKind::List(_) => vec!["array"],
    };
    if member.form == Form::NumberOrText {
        types.extend(match types[..] {
            ["string"] => ["number"],
            _ => ["string"],
        });
    }
    if member.nullable && !types.is_empty() {
        types.push("null");
    }
    let mut schema = match member.kind {
        AnswerKind::Object(_) => members(&member.inner()),
        AnswerKind::List(_) => json!({"items": members(&member.inner())}),
        _ => json!({}),
    };
    match types[..] {
        [] => {}
        [one] => schema["type"] = one.into(),
        _ => schema["type"] = types.into(),
    }
    if let Some(unit) = member.kind.unit() {
        schema["x-unit"] = unit.into();
    }
    schema["description"] = member.doc.into();
    with_certainty(schema, member.certainty)
}

fn responses() -> Value {
    let of = |name: &str, about: &str| json!({"description": about, "content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}}});
    let mut many = of(
        "Error",
        "Too many requests. Wait, for Retry-After seconds if it is given, then repeat it if its body names no payment.",
    );
    many["headers"] = json!({"Retry-After": {"schema": {"type": "string"}, "description": "How many seconds to wait, or until when."}});
    let mut failure = of("Failure", "The request is not valid, or the state does not allow it.");
    failure["content"]["application/json"]["schema"] =
        json!({"anyOf": [{"$ref": "#/components/schemas/Failure"}, {"$ref": "#/components/schemas/Error"}]});
    json!({
        "Failure": failure,
        "Unauthorized": of("Error", "The api-key header is missing, unknown, or has the other one of the two keys."),
        "TooManyRequests": many,
        "Unavailable": of("Error", "The service failed. Nobody knows whether the request was executed; the body may also be a page."),
    })
}

/// Schemas that belong to no row.
fn shared() -> Vec<(String, Value)> {
    let text = json!({"type": ["string", "null"]});
    let data = json!({"type": "string", "contentEncoding": "base64"});
    vec![
        (
            "Encrypted".to_owned(),
            json!({"type": "object", "required": ["data"], "additionalProperties": false, "properties": {"data": data}, "description": ENCRYPTED}),
        ),
        (
            "Error".to_owned(),
            json!({"type": "object", "required": ["error"], "properties": {"error": {"type": "object", "properties": {"code": text, "message": text, "description": text}}}}),
        ),
        (
            "Failure".to_owned(),
            json!({"type": "object", "required": ["status"], "properties": {"status": {"enum": [false, "failed"]}, "message": text, "errors": {"type": "object", "additionalProperties": {"type": "string"}, "description": "What is wrong, by member."}}}),
        ),
    ]
}
