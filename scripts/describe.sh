#!/bin/sh
# Writes the files by which pkg-config and CMake find an installed library and its needs: paysvc.pc,
# paysvc-static.pc, paysvcConfig.cmake and paysvcConfigVersion.cmake. The library must be there already: system, processor
# and pointer size are read from it. Folders are named in relation to these files, so that the whole may be moved.
#   describe.sh FOLDER                                       include, lib and (on Windows) bin lie in FOLDER
#   describe.sh -p PREFIX -l LIBDIR -i INCLUDEDIR DESTDIR    absolute paths, all below DESTDIR, which may be ""
set -eu
project=$(cd "$(dirname "$0")/.." && pwd)

fail() {
    echo "describe: $*" >&2
    exit 1
}

prefix="" libdir=/lib includedir=/include
while getopts p:l:i: flag; do
    case $flag in
        p) prefix=${OPTARG%/} ;;
        l) libdir=${OPTARG%/} ;;
        i) includedir=${OPTARG%/} ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# = 1 ] || fail "one folder is needed"
destination=${1%/}

version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$project/Cargo.toml" | head -n 1)
abi=$(sed -n 's/^pub const ABI: i32 = \([0-9]*\);/\1/p' "$project/spec/src/status.rs")

number() { # file, offset, size: a number whose lowest byte comes first
    od -An -v -tu1 -j"$2" -N"$3" "$1" | tr -s ' \n' '  ' | awk '{ for (i = NF; i > 0; i--) n = n * 256 + $i; print n }'
}

shared=$destination$libdir/libpaysvc.so.$version
dll=$destination$prefix/bin/paysvc.dll
if [ -e "$shared" ]; then
    system=linux cmake_system=Linux
    # The class of an ELF file.
    case $(number "$shared" 4 1) in
        1) bits=32 ;;
        2) bits=64 ;;
        *) fail "$shared is no ELF library" ;;
    esac
    # Libraries of rustc --print native-static-libs. Every compiler adds the C library and its own unwinder.
    libraries="-lutil -lrt -lpthread -lm -ldl"
elif [ -e "$dll" ]; then
    system=windows cmake_system=Windows
    # The magic number of the optional header of a PE file.
    case $(number "$dll" $(($(number "$dll" 60 4) + 24)) 2) in
        267) bits=32 ;;
        523) bits=64 ;;
        *) fail "$dll is no DLL" ;;
    esac
    # With MinGW, AWS-LC uses POSIX threads, which not every compiler adds. By its name, because -lpthread would take the DLL, which
    # is not part of Windows.
    libraries="-lws2_32 -luserenv -ldbghelp -lntdll -lbcrypt -lcrypt32 -ladvapi32 -l:libwinpthread.a -lkernel32"
else
    fail "neither $shared nor $dll is there"
fi

up() { # relative folder: a step up for each of its parts
    echo "$1" | awk -F / '{ for (i = 1; i <= NF; i++) printf "../" }'
}

below() { # folder: what follows the prefix, if it lies below it
    case $1 in
        "$prefix"/?*) printf '%s\n' "${1#"$prefix"/}" ;;
    esac
}

# Absolute paths only where a folder was chosen outside of the prefix.
lib=$(below "$libdir") include=$(below "$includedir")
if [ -n "$lib" ]; then
    to_prefix=$(up "$lib")
    pc_prefix="\${pcfiledir}/${to_prefix}.." pc_libdir="\${prefix}/$lib"
    cmake_prefix="\${_paysvc_here}/${to_prefix}../.." cmake_libdir="\${_paysvc_prefix}/$lib"
else
    pc_prefix=$prefix pc_libdir=$libdir
    cmake_prefix=$prefix cmake_libdir=$libdir
fi
pc_includedir=$includedir cmake_includedir=$includedir
[ -z "$include" ] || pc_includedir="\${prefix}/$include" cmake_includedir="\${_paysvc_prefix}/$include"

literal() { # text: as the replacement of sed's s||| command
    printf '%s' "$1" | sed 's/[\\&|]/\\&/g'
}

in_pkg_config() { # a path with its blanks escaped
    printf '%s' "$1" | sed 's/ /\\ /g'
}

fill() { # template
    sed -e '/^@SHARED@$/{' -e "r $project/packaging/shared-$system.cmake.in" -e d -e '}' "$project/packaging/$1" | sed \
        -e "s|@VERSION@|$version|" -e "s|@ABI@|$abi|g" \
        -e "s|@CMAKE_SYSTEM@|$cmake_system|g" -e "s|@POINTER_BITS@|$bits|" -e "s|@POINTER_BYTES@|$((bits / 8))|" \
        -e "s|@SYSTEM_LIBRARIES@|$libraries|" \
        -e "s|@CMAKE_SYSTEM_LIBRARIES@|$(echo "$libraries" | sed 's/-l//g; s/ /;/g')|" \
        -e "s|@PREFIX@|$(literal "$(in_pkg_config "$pc_prefix")")|" \
        -e "s|@LIBDIR@|$(literal "$(in_pkg_config "$pc_libdir")")|" \
        -e "s|@INCLUDEDIR@|$(literal "$(in_pkg_config "$pc_includedir")")|" \
        -e "s|@CMAKE_PREFIX@|$(literal "$cmake_prefix")|" \
        -e "s|@CMAKE_LIBDIR@|$(literal "$cmake_libdir")|" \
        -e "s|@CMAKE_INCLUDEDIR@|$(literal "$cmake_includedir")|"
}

place() { # name, folder
    fill "$1.in" | sh "$project/scripts/place.sh" -m 644 -n "$1" - "$destination$libdir/$2"
}

place paysvc.pc pkgconfig
place paysvc-static.pc pkgconfig
place paysvcConfig.cmake cmake/paysvc
place paysvcConfigVersion.cmake cmake/paysvc
