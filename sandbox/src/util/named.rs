//! Enums whose variants have names, which stand beside them.

/// `named! { pub enum Kind { One = "one" } }`: `name` returns the text, `ALL` has every variant. A number stands in
/// brackets: `One [1] = "one"`.
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $type:ident {
        $($(#[$about:meta])* $variant:ident $([$number:literal])? = $name:literal,)*
    }) => {
        $(#[$meta])*
        $vis enum $type { $($(#[$about])* $variant $(= $number)?),* }

        #[allow(dead_code, reason = "not every enum needs all of it")]
        impl $type {
            pub const ALL: &[$type] = &[$($type::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }

            pub fn named(name: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|known| known.name() == name)
            }
        }
    };
}
pub(crate) use named;
