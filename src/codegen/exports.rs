//! Rust source of everything in `src/ffi` that follows from a table: constants, and the functions of the endpoints.

use std::fmt::Write as _;

use super::{kind, manner};
use crate::endpoints::{Endpoint, Field, Kind};
use crate::settings;
use crate::status::{ABI, Constant, OUTCOMES, STATES, STATUSES};

pub fn render(rows: &[Endpoint]) -> String {
    let mut out = String::new();
    item(
        &mut out,
        &["Version of the binary interface. Compare it with paysvc_abi() before any other call."],
        &format!("pub const PAYSVC_ABI: c_int = {ABI};"),
    );
    for (table, kind) in [(STATUSES, "paysvc_status"), (OUTCOMES, "paysvc_outcome"), (STATES, "paysvc_state")] {
        for Constant { name, number, doc } in table {
            item(&mut out, &[doc], &format!("pub const PAYSVC_{name}: {kind} = {number};"));
        }
    }
    client_new(&mut out);
    for (index, row) in rows.iter().enumerate() {
        endpoint(&mut out, index, row);
    }
    request(&mut out);
    out
}

const REPLY: &str = "@param reply  may be NULL; else *reply is set on every path: free it with paysvc_reply_free()";
const CALL: &str = "@param call  deadline and cancel of this request; may be NULL";

fn item(out: &mut String, doc: &[&str], code: &str) {
    for line in doc {
        writeln!(out, "///{}{line}", if line.is_empty() { "" } else { " " }).unwrap();
    }
    writeln!(out, "{code}\n").unwrap();
}

fn function(out: &mut String, doc: &[String], name: &str, parameters: &str, body: &str) {
    let doc: Vec<&str> = doc.iter().map(String::as_str).collect();
    let code = format!(
        "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn paysvc_{name}({parameters}) -> paysvc_status {{\n    \
         // SAFETY: the caller keeps the rules at the top of the header.\n    unsafe {{ {body} }}\n}}"
    );
    item(out, &doc, &code);
}

const PARAMETERS: &str = "client: *const paysvc_client, request_json: *const c_char, call: *const paysvc_call, reply: *mut *mut paysvc_reply";

fn endpoint(out: &mut String, index: usize, row: &Endpoint) {
    let mut doc = vec![
        row.doc.to_owned(),
        String::new(),
        format!("{} {} (interface {}), {}.", row.method.name(), row.path, row.section, manner(row)),
        String::new(),
    ];
    members(&mut doc, "@param request_json  one JSON object:", row.fields, row.open);
    doc.extend([CALL, REPLY].map(str::to_owned));
    doc.push(format!(
        "@return PAYSVC_OK when the service answered success; {}any other status otherwise. paysvc_reply_outcome() says \
         whether it may be repeated.",
        if row.encrypted { "PAYSVC_E_ENCRYPT when the payload does not fit the key; " } else { "" },
    ));
    function(
        out,
        &doc,
        row.name,
        PARAMETERS,
        &format!("super::client::endpoint({index}, client, request_json, call, reply)"),
    );
}

fn client_new(out: &mut String) {
    let mut doc = vec![
        "Makes a client: configuration and connections, shared by threads. Opens no connection.".to_owned(),
        String::new(),
    ];
    let head = format!(
        "@param config_json  one JSON object; NULL: all from the environment. {} Unknown members are refused:",
        settings::ENVIRONMENT
    );
    members(&mut doc, &head, settings::CONFIG, false);
    doc.extend([
        "@param client  set to the new client, to NULL unless PAYSVC_OK: free it with paysvc_client_free()".to_owned(),
        REPLY.to_owned(),
        "@return PAYSVC_OK, PAYSVC_E_ARGUMENT or PAYSVC_E_CONFIG. What a call needs is checked by that call."
            .to_owned(),
    ]);
    let parameters = "config_json: *const c_char, client: *mut *mut paysvc_client, reply: *mut *mut paysvc_reply";
    function(out, &doc, "client_new", parameters, "super::client::new(config_json, client, reply)");
}

fn request(out: &mut String) {
    let mut doc = vec![
        "Sends a request that has no function of its own yet. What the library knows of a path is still held to: its \
         key, its encryption, and that it is not repeated."
            .to_owned(),
        String::new(),
    ];
    members(&mut doc, "@param request_json  one JSON object:", settings::REQUEST, false);
    doc.extend([CALL, REPLY].map(str::to_owned));
    doc.push("@return as the functions of the endpoints.".to_owned());
    function(out, &doc, "request", PARAMETERS, "super::client::request(client, request_json, call, reply)");
}

fn members(doc: &mut Vec<String>, head: &str, fields: &[Field], open: bool) {
    doc.push(head.to_owned());
    list(doc, fields, "  ");
    if open {
        doc.push("  Further members are passed on.".to_owned());
    }
}

fn list(doc: &mut Vec<String>, fields: &[Field], indent: &str) {
    for field in fields {
        let required = if field.required { ", required" } else { "" };
        doc.push(format!("{indent}- {} ({}{required}): {}", field.name, kind(field.kind), field.doc));
        if let Kind::Object(fields) = field.kind {
            list(doc, fields, &format!("{indent}  "));
        }
    }
}
