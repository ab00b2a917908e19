//! The compiler's errors if something is missing.

use std::path::Path;

use super::shop::Shop;

/// Commands that must fail, and the text that the error must have.
const ERRORS: [(&str, &str); 3] = [
    ("CGO_ENABLED=0 go build .", "paysvc_needs_cgo_set_CGO_ENABLED_to_1_and_have_a_C_compiler"),
    (
        "GOARCH=386 CGO_ENABLED=1 CC='zig cc -target x86-linux-musl' go build -tags musl .",
        "for others build libpaysvc and use the tag paysvc_system",
    ),
    (
        "GOOS=windows CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc go build -tags paysvc_static .",
        "paysvc_is_linked_as_paysvc_dll_on_Windows",
    ),
];

/// In a shop that has the module; the exports are those of the proxy.
pub fn told(shop: &Shop, exports: &str, zig: &Path) -> Result<(), String> {
    shop.link("zig", zig)?;
    shop.tool("x86_64-w64-mingw32-gcc")?;
    for (command, says) in ERRORS {
        refused(shop, &format!("{exports}{command}"), says)?;
    }
    // Go takes a machine without compiler as one without cgo.
    shop.remove_tool("gcc")?;
    let result = refused(shop, "go build .", ERRORS[0].1);
    shop.tool("gcc")?;
    result
}

fn refused(shop: &Shop, command: &str, says: &str) -> Result<(), String> {
    let (worked, printed) = shop.attempt(command)?;
    if worked || !printed.contains(says) {
        return Err(format!("{command} should say {says}: {printed}"));
    }
    Ok(())
}
