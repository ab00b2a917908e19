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

    /// `PAYSVC_…=` lines, which a shell reads with `set -a; . FILE`.
    pub fn write_env_file(&self, path: &Path) -> Result<(), String> {
        let Json::Object(members) = self.json() else {
            return Ok(());
        };
        let lines = members.iter().filter_map(|(name, value)| {
            let value = value.as_text()?;
            Some(format!("PAYSVC_{}={value}\n", name.to_ascii_uppercase()))
        });
        write_owner_only(path, lines.collect::<String>().as_bytes())
    }
}
