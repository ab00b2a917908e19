//! The start line: address and keys as one line of JSON, or as environment variables.

use std::io::Write;
use std::path::Path;

use crate::service::sandbox::Sandbox;
use crate::util::files::write_owner_only;
use crate::util::json::{Json, object};

pub struct StartLine<'a> {
    pub sandbox: &'a Sandbox,
    pub ca_file: Option<&'a Path>,
}

impl StartLine<'_> {
    pub fn print(&self) -> Result<(), String> {
        let line = self.json().to_string();
        let mut out = std::io::stdout().lock();
        writeln!(out, "{line}")
            .and_then(|()| out.flush())
            .map_err(|error| format!("could not write the start line: {error}"))
    }

    fn json(&self) -> Json {
        object! {
            "base_url": &self.sandbox.base_url,
            "public_key": &self.sandbox.keys.public,
            "secret_key": &self.sandbox.keys.secret,
            "encryption_key": self.sandbox.encryption_key.as_ref(),
            "ca_file": self.ca_file.map(|path| path.display().to_string()),
        }
    }

    /// The same as environment variables.
    pub fn variables(&self) -> Vec<(String, String)> {
        let Json::Object(members) = self.json() else {
            return Vec::new();
        };
        let of = |(name, value): &(String, Json)| {
            Some((format!("PAYSVC_{}", name.to_ascii_uppercase()), value.as_text()?.to_string()))
        };
        members.iter().filter_map(of).collect()
    }

    /// `PAYSVC_…=` lines, which a shell reads with `set -a; . FILE`.
    pub fn write_env_file(&self, path: &Path) -> Result<(), String> {
        let lines = self.variables().into_iter().map(|(name, value)| format!("{name}={value}\n"));
        write_owner_only(path, lines.collect::<String>().as_bytes())
    }
}
