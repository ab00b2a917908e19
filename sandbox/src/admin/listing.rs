//! Which entries of a list an admin call returns: by `reference`, `search`, `before`, `limit` and `show` in
//! the query.

use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::state::State;
use crate::util::json::Json;

pub struct Wanted {
    /// Entries that name one of these; the first one is what was asked for.
    references: Option<Vec<String>>,
    /// In lower case.
    search: Option<String>,
    /// Entries with a smaller number.
    before: Option<u64>,
    limit: usize,
    /// A kind of entry, by the name that it has in its list.
    pub show: Option<String>,
}

impl Wanted {
    pub fn of(query: &Json, state: &State) -> Result<Wanted, ApiError> {
        let mut fields = Fields::of(query);
        let limit = fields.optional_count("limit").map_or(usize::MAX, |limit| limit as usize);
        let before = fields.optional_count("before");
        let reference = fields.optional("reference");
        let search = fields.optional("search").map(|text| text.trim().to_lowercase());
        let show = fields.optional("show");
        fields.finish()?;
        Ok(Wanted { references: reference.map(|reference| state.related(&reference)), search, before, limit, show })
    }

    /// The newest entries that are wanted, in the order in which they were made. `newest_first` is in reverse order.
    pub fn of_list<T>(
        &self,
        newest_first: impl Iterator<Item = T>,
        number: impl Fn(&T) -> u64,
        names: impl Fn(&T) -> Vec<String>,
    ) -> Vec<T> {
        let meant = newest_first
            .filter(|entry| self.before.is_none_or(|before| number(entry) < before))
            .filter(|entry| self.names_it(|| names(entry)));
        let mut found: Vec<T> = meant.take(self.limit).collect();
        found.reverse();
        found
    }

    /// Nothing in the query chooses.
    pub fn is_everything(&self) -> bool {
        self.references.is_none() && self.search.is_none() && self.before.is_none() && self.limit == usize::MAX
    }

    fn names_it(&self, names: impl FnOnce() -> Vec<String>) -> bool {
        if self.references.is_none() && self.search.is_none() {
            return true;
        }
        let names = names();
        let is_one = |references: &Vec<String>| names.iter().any(|name| references.contains(name));
        let has = |words: &String| names.iter().any(|name| name.to_lowercase().contains(words));
        self.references.as_ref().is_none_or(is_one) && self.search.as_ref().is_none_or(has)
    }

    /// Tells whether an entry that is kept as JSON has one of the references as a value or in its path.
    pub fn in_text(&self) -> impl Fn(&str) -> bool {
        let quoted = |text: &String| Json::from(text).to_string();
        let values = |reference: &String| [quoted(reference), format!("/{}", &quoted(reference)[1..])];
        let references: Option<Vec<String>> = self.references.as_ref().map(|all| all.iter().flat_map(values).collect());
        let within = |quoted: String| quoted[1..quoted.len() - 1].to_string();
        let search = self.search.as_ref().map(|words| within(quoted(words)));
        move |json| {
            references.as_ref().is_none_or(|all| all.iter().any(|value| json.contains(value)))
                && search.as_ref().is_none_or(|words| json.to_lowercase().contains(words))
        }
    }

    pub fn is_before(&self, number: u64) -> bool {
        self.before.is_none_or(|before| number < before)
    }

    pub fn limit(&self) -> usize {
        self.limit
    }
}
