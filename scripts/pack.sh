#!/bin/sh
# Packs a folder so that the same files give the same bytes: pack.sh FOLDER ARCHIVE, a .tar.gz or a .zip. Every file has the
# time SOURCE_DATE_EPOCH, no owner, and one of two modes; for a .zip, those of FOLDER itself are changed.
set -eu
: "${SOURCE_DATE_EPOCH:?}"
folder=${1:?usage: pack.sh FOLDER ARCHIVE} archive=${2:?the archive}
name=$(basename "$folder")
cd "$(dirname "$folder")"
export LC_ALL=C TZ=UTC
rm -f "$archive"
case $archive in
    *.tar.gz)
        tar --create --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
            "--mtime=@$SOURCE_DATE_EPOCH" "$name" | gzip -9 -n >"$archive"
        ;;
    *.zip)
        chmod -R u=rwX,go=rX "$name"
        find "$name" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
        find "$name" | sort | zip -q -9 -X --symlinks "$archive" -@
        ;;
    *)
        echo "pack: $archive is neither a .tar.gz nor a .zip" >&2
        exit 2
        ;;
esac
