#!/bin/sh
# Runs a PostgreSQL for tests until its standard input ends, and then deletes its data. When it is ready it prints the folder
# of its only socket, in a line. The line "crash" on standard input ends it without its last writes, and starts it again.
# Needs Debian's package postgresql, whose user runs it if this is root.
set -eu

die() {
    echo "postgres.sh: $*" >&2
    exit 1
}
programs=""
for programs in /usr/lib/postgresql/*/bin; do :; done
[ -x "$programs/initdb" ] || die "PostgreSQL is not here: make setup FOR=test installs it"

folder=$(mktemp -d "${TMPDIR:-/tmp}/paysvc-postgres.XXXXXX")
server=""
stop() {
    [ -z "$server" ] || kill -QUIT "$server" 2>/dev/null || :
    [ -z "$server" ] || wait "$server" || :
    server=""
}
trap 'stop; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM HUP

user=""
if [ "$(id -u)" = 0 ]; then
    user="--reuid=postgres --regid=postgres --init-groups"
    chown postgres "$folder"
fi
cd "$folder"
# Word splitting is intended: three words or none.
# shellcheck disable=SC2086
setpriv $user "$programs/initdb" --username postgres --auth trust --encoding UTF8 --locale C --no-sync data >log 2>&1 || {
    cat log >&2
    die "initdb failed; the user postgres must be able to write to $folder, or set TMPDIR"
}

start() {
    # It ends with this script, however that ends. A commit that does not wait for the disk comes there much later.
    # shellcheck disable=SC2086
    setpriv $user --pdeathsig QUIT "$programs/postgres" -D data -k "$folder" -p 5432 -c listen_addresses= -c fsync=off \
        -c wal_writer_delay=10s >log 2>&1 </dev/null &
    server=$!
    until "$programs/pg_isready" -q -h "$folder" -p 5432; do
        kill -0 "$server" 2>/dev/null || { cat log >&2; die "PostgreSQL ended"; }
        sleep 0.05
    done
    echo "$folder"
}

start
while read -r line; do
    [ "$line" = crash ] || die "what is $line?"
    stop
    start
done
