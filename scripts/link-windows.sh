#!/bin/sh
# Makes what Windows programs link from the Rust archive: link-windows.sh ARCHIVE TARGET FOLDER
#   bin/paysvc.dll              stripped, with version information; imports system DLLs only
#   lib/debug/paysvc.dll.debug  its symbols
#   lib/libpaysvc.dll.a         import library for MinGW
#   lib/paysvc.lib              import library for Microsoft's linker, and for others that read its format
#   lib/paysvc.def              the names of the exports, for all other tools
#   lib/libpaysvc.a             static library for MinGW: one object in which only the exports are global, and the imports
#                               of system DLLs that MinGW's own import libraries lack
# TARGET is Rust's name, such as i686-pc-windows-gnu. CC is MinGW's compiler for it, BINUTILS what the names of its ld, objcopy
# and ar begin with. The second import library is made by zig or llvm-dlltool. Exit status 3 and a line "MISSING: ..." where
# one of them is not there. Called by `cargo platforms libs`.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
archive=${1:?usage: link-windows.sh ARCHIVE TARGET FOLDER} target=${2:?the target} folder=${3:?the folder}

missing() {
    echo "MISSING: $*" >&2
    exit 3
}
fail() {
    echo "link-windows: $*" >&2
    exit 1
}

# The image bases are those of Microsoft's linker. C symbols have a prefix on i686 only.
case $target in
    x86_64-*)
        triplet=x86_64-w64-mingw32 package=gcc-mingw-w64-x86-64-posix format=pe-x86-64 prefix="" machine=i386:x86-64
        layout=-Wl,--image-base=0x180000000,--high-entropy-va
        ;;
    i686-*)
        triplet=i686-w64-mingw32 package=gcc-mingw-w64-i686-posix format=pe-i386 prefix=_ machine=i386
        layout=-Wl,--image-base=0x10000000
        ;;
    *) fail "no target of MinGW: $target" ;;
esac
# Libraries of rustc --print native-static-libs, as in describe.sh, and the threads that AWS-LC uses with MinGW.
libraries="-lws2_32 -luserenv -ldbghelp -lntdll -lbcrypt -lcrypt32 -ladvapi32 -lpthread -lkernel32"

# Debian has a compiler for each kind of threads; Rust's standard library is built for this one.
CC=${CC:-$triplet-gcc-posix} BINUTILS=${BINUTILS:-$triplet-}
for tool in "$CC" "${BINUTILS}ld"; do
    command -v "$tool" >/dev/null || missing "there is no $tool: install $package"
done
dlltool=""
for zig in "$here"/build/tools/venv/lib/python*/site-packages/ziglang/zig zig; do
    [ -n "$dlltool" ] || ! command -v "$zig" >/dev/null || dlltool="$zig dlltool"
done
[ -n "$dlltool" ] || ! command -v llvm-dlltool >/dev/null || dlltool=llvm-dlltool
[ -n "$dlltool" ] || missing "neither zig nor llvm-dlltool is there, to make paysvc.lib: run scripts/setup.sh libs"

archive=$(cd "$(dirname "$archive")" && pwd)/$(basename "$archive")
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
# Relative names: some of these tools write the names of their files into what they make.
cd "$work"

cp "$here/src/ffi/exports.def" paysvc.def
sed -n 's/^ *\(paysvc_[a-z0-9_]*\) *$/\1/p' paysvc.def | sort >exports
[ -s exports ] || fail "src/ffi/exports.def has no exports"

# 1. One object of the library's own code, and the parts of import libraries that Rust put beside it. Members with debug
# information only are no objects. Objects may ask the linker for exports and other things (.drectve), which they must not
# choose, and LLVM's bitcode is not needed.
names() { # archive, extended regular expression of what a line of objdump -h says: the members with such a line
    "${BINUTILS}objdump" -h "$1" | awk -v wanted="$2" '/file format/ { name = $1; sub(/:$/, "", name); said = 0 }
        $0 ~ wanted && !said { print name; said = 1 }'
}
cp "$archive" members.a
"${BINUTILS}ar" t members.a | grep '\.dwo$' >none || :
# Word splitting is intended: one word for each member.
# shellcheck disable=SC2046
[ ! -s none ] || "${BINUTILS}ar" dS members.a $(cat none)
# ld refuses to leave this one symbol undefined, so it has another name until the object is made.
"${BINUTILS}objcopy" -w -R .llvmbc -R .llvmcmd -R .drectve --redefine-sym "${prefix}_tls_used=paysvc_tls_used" members.a objects.a
names objects.a '[.]idata[$]' | sort >stubs
imports=""
if [ -s stubs ]; then # The archive for Windows 7 has none.
    imports=imports.a
    cp objects.a imports.a
    "${BINUTILS}ar" t objects.a | sort >all
    comm -23 all stubs >own
    # shellcheck disable=SC2046
    "${BINUTILS}ar" d objects.a $(cat stubs)
    # shellcheck disable=SC2046
    "${BINUTILS}ar" d imports.a $(cat own)
fi
# COMDAT sections lose their names, by which the linker of a program would merge them with those of another Rust archive.
# Other suffixes stay, because order matters there: .CRT$ and .tls$. ld would sort a section named .pdata, but
# not its relocations.
cat >object.ld <<'EOF'
SECTIONS
{
  .text : { *(.text .text.* .text$*) }
  .data : { *(.data .data.* .data$*) }
  .rdata : { *(.rdata .rdata.* .rdata$*) }
  .eh_frame : { *(.eh_frame .eh_frame.* .eh_frame$*) }
  .gcc_except_table : { *(.gcc_except_table .gcc_except_table.* .gcc_except_table$*) }
  .xdata : { *(.xdata .xdata.* .xdata$*) }
  .pdata$later : { *(.pdata .pdata.* .pdata$*) }
  .bss : { *(.bss .bss.* .bss$* COMMON) }
}
EOF
# shellcheck disable=SC2046
"${BINUTILS}ld" -r -d --oformat "$format" -T object.ld $(sed "s/.*/-u $prefix&/" exports) -o object.o objects.a
# A section into which a COMDAT section went is one itself, until its flags are set again. A symbol of a source file has that
# file's name here; nasm writes the folder in which it ran into it.
code=contents,alloc,load,readonly,code rdata=contents,alloc,load,readonly,data data=contents,alloc,load,data
"${BINUTILS}objcopy" -w --keep-global-symbol="${prefix}paysvc_*" -N '/*' --redefine-sym "paysvc_tls_used=${prefix}_tls_used" \
    --set-section-flags .text=$code --set-section-flags .rdata=$rdata --set-section-flags .data=$data \
    --set-section-flags .xdata=$rdata --rename-section ".pdata\$later=.pdata,$rdata" object.o whole.o
if "${BINUTILS}objdump" -h whole.o | grep -B 1 LINK_ONCE >&2; then
    fail "a section of the object would be merged with another library's"
fi
"${BINUTILS}nm" -g --defined-only whole.o | sed "s/.* $prefix//" | sort >globals
diff exports globals >&2 || fail "the global symbols of libpaysvc.a are not those of src/ffi/exports.def"

# 2. Imports that MinGW lacks. Rust's import libraries have everything of each DLL, and the folder of the build in their
# symbols, so those few are made again. Where they come last, the linker's map shows what is taken from them.
: >members
: >lacking
# shellcheck disable=SC2086
[ -z "$imports" ] || "$CC" -shared -static -o first.dll whole.o paysvc.def $libraries $imports -Wl,-Map=map
[ -z "$imports" ] || awk '/^[^ ].*[.]a[(]/ { dll = "" }
    /^imports[.]a[(].*s[0-9]*[.]o[)]/ { dll = $1; sub(/^imports[.]a[(]/, "", dll); sub(/s[0-9]*[.]o[)]$/, "", dll) }
    dll && /whole[.]o [(]/ { symbol = $NF; gsub(/^[(]|[)]$/, "", symbol); print dll, symbol; dll = "" }' map |
    sed 's/ _*imp_/ /' | sort >lacking
# Rust's imports have no underscore and no size of their arguments, also on i686, where MinGW's have both.
if grep -q ' _\|@' lacking; then fail "imports with other names than those in their DLLs: $(cat lacking)"; fi
for dll in $(cut -d " " -f 1 lacking | uniq); do
    { printf 'LIBRARY %s\nEXPORTS\n' "$dll"; sed -n "s/^$dll //p" lacking; } >"$dll.def"
    "${BINUTILS}dlltool" --no-leading-underscore -t "paysvc_$dll" -d "$dll.def" -l "paysvc_$dll.a"
    "${BINUTILS}ar" x "paysvc_$dll.a"
    "${BINUTILS}ar" t "paysvc_$dll.a" >>members
done
# The order is that of their names, which the linker needs.
sort -o members members

# 3. The static library.
"${BINUTILS}strip" -D --strip-unneeded -o paysvc.o whole.o
# shellcheck disable=SC2046
"${BINUTILS}ar" rcsD libpaysvc.a paysvc.o $(cat members)

# 4. The DLL.
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -n 1)
numbers=$(echo "${version%%[-+]*}" | tr . ,),0
description=$(sed -n 's/^description = "\([^":]*\).*/\1/p' "$here/Cargo.toml" | head -n 1)
licence=$(sed -n 's/^license = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -n 1)
cat >version.rc <<EOF
1 VERSIONINFO
FILEVERSION $numbers
PRODUCTVERSION $numbers
FILEFLAGSMASK 0x3f
FILEFLAGS 0
FILEOS 0x40004 /* VOS_NT_WINDOWS32 */
FILETYPE 2 /* VFT_DLL */
BEGIN
    BLOCK "StringFileInfo"
    BEGIN
        BLOCK "040904B0" /* English, UTF-16 */
        BEGIN
            VALUE "FileDescription", "$description"
            VALUE "FileVersion", "$version"
            VALUE "InternalName", "paysvc"
            VALUE "LegalCopyright", "Licence: $licence"
            VALUE "OriginalFilename", "paysvc.dll"
            VALUE "ProductName", "libpaysvc"
            VALUE "ProductVersion", "$version"
        END
    END
    BLOCK "VarFileInfo"
    BEGIN
        VALUE "Translation", 0x409, 1200
    END
END
EOF
"${BINUTILS}windres" version.rc version.o
# -static: MinGW's own libraries become part of the DLL.
# shellcheck disable=SC2046,SC2086
"$CC" -shared -static -o paysvc.dll whole.o $(cat members) version.o paysvc.def $libraries "$layout" \
    -Wl,--dynamicbase,--nxcompat,--no-insert-timestamp,--exclude-all-symbols,--out-implib=libpaysvc.dll.a
"${BINUTILS}objdump" -p paysvc.dll | sed -n '/^\[Ordinal\/Name Pointer\]/,/^$/s/.*\[ *[0-9]*\] \(.*\)/\1/p' |
    sed 's/^+base.*\] *//; s/^[0-9a-f]* *//' | sort >exported
diff exports exported >&2 || fail "the exports of paysvc.dll are not those of src/ffi/exports.def"
"${BINUTILS}objcopy" -p --only-keep-debug paysvc.dll paysvc.dll.debug
"${BINUTILS}strip" -p --strip-all paysvc.dll
"${BINUTILS}objcopy" -p --add-gnu-debuglink=paysvc.dll.debug paysvc.dll

# 5. The import library in Microsoft's format.
# shellcheck disable=SC2086
$dlltool -m "$machine" -d paysvc.def -l paysvc.lib

place() { # mode, folder, file...
    mode=$1 to=$folder/$2
    shift 2
    sh "$here/scripts/place.sh" -m "$mode" "$@" "$to"
}
place 755 bin paysvc.dll
place 644 lib/debug paysvc.dll.debug
place 644 lib libpaysvc.a libpaysvc.dll.a paysvc.lib paysvc.def
