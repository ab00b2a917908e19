//! What requests take from the client's configuration.

use crate::request::encryption::EncryptionKey;
use crate::request::url::BaseUrl;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{ApiKey, Endpoint};
use paysvc_spec::settings;
use paysvc_spec::status::Status;

#[derive(Default)]
pub struct Settings {
    pub base_url: Option<BaseUrl>,
    pub has_public_key: bool,
    pub has_secret_key: bool,
    pub encryption_key: Option<EncryptionKey>,
    pub choices: Choices,
}

/// What the configuration changes in rows about which integrations in production differ, by the names of the settings.
#[derive(Default)]
pub struct Choices {
    pub keys: Vec<(&'static str, ApiKey)>,
    pub without_headers: Vec<&'static str>,
}

impl Choices {
    /// The key that the row's requests carry.
    pub fn key(&self, row: &Endpoint) -> ApiKey {
        let chosen = self.keys.iter().find(|(name, _)| row.key_setting == Some(*name));
        chosen.map_or(row.key, |(_, key)| *key)
    }

    /// The headers that the row's requests carry.
    pub fn headers(&self, row: &Endpoint) -> &'static [(&'static str, &'static str)] {
        match row.headers_setting {
            Some(name) if self.without_headers.contains(&name) => &[],
            _ => row.headers,
        }
    }
}

impl Settings {
    fn has_key(&self, key: ApiKey) -> bool {
        match key {
            ApiKey::Public => self.has_public_key,
            ApiKey::Secret => self.has_secret_key,
        }
    }

    /// The address of the service. Fails unless everything is configured that a request needs; the error names
    /// everything that is missing.
    pub fn require(&self, what: &str, key: ApiKey, encrypted: bool) -> Result<&BaseUrl, ValidationError> {
        let mut missing = Vec::new();
        let mut need = |present: bool, member: &str| {
            if !present {
                missing.push((member.to_owned(), settings::not_configured(member)));
            }
        };
        need(self.base_url.is_some(), "base_url");
        need(self.has_key(key), key.setting());
        need(!encrypted || self.encryption_key.is_some(), "encryption_key");
        match &self.base_url {
            Some(base_url) if missing.is_empty() => Ok(base_url),
            _ => Err(ValidationError::of_members(Status::Config, what, missing)),
        }
    }

    /// The encryption key, or an error of `what` that says how to configure it.
    pub fn require_encryption_key(&self, what: &str) -> Result<&EncryptionKey, ValidationError> {
        self.encryption_key.as_ref().ok_or_else(|| {
            let reason = settings::not_configured("encryption_key");
            ValidationError::of_member(Status::Config, what, "encryption_key", reason)
        })
    }
}
