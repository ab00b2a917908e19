//! The tables: all facts about the payments service and the library's own configuration that the library, its generated
//! files, its documentation and its tests use. Data only: no dependencies and no I/O.

#![forbid(unsafe_code)]

/// An enum whose variants have names, all of them in `ALL`, and further words about each if there are any.
macro_rules! named {
    ($(#[$of:meta])* pub enum $type:ident($name:ident) { $($(#[$about:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$of])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $type {
            $($(#[$about])* $variant,)*
        }

        impl $type {
            pub const ALL: &[$type] = &[$($type::$variant,)*];

            pub const fn $name(self) -> &'static str {
                match self {
                    $($type::$variant => $text,)*
                }
            }
        }
    };
    ($(#[$of:meta])* pub enum $type:ident($name:ident, $words:ident) {
        $($(#[$about:meta])* $variant:ident = $text:literal, $more:literal;)*
    }) => {
        named! { $(#[$of])* pub enum $type($name) { $($(#[$about])* $variant = $text,)* } }

        impl $type {
            pub const fn $words(self) -> &'static str {
                match self {
                    $($type::$variant => $more,)*
                }
            }
        }
    };
}

pub mod checks;
pub mod endpoints;
pub mod events;
pub mod journal;
pub mod operations;
pub mod postgres;
pub mod refusals;
pub mod roles;
pub mod schema;
pub mod settings;
pub mod status;
pub mod verdicts;

pub use endpoints::{ENDPOINTS, endpoint};
