#!/bin/sh
# Makes the database on the first start, with the same variables as the official image has:
# POSTGRES_USER, POSTGRES_PASSWORD (or POSTGRES_PASSWORD_FILE), POSTGRES_DB and PGDATA. Arguments are the
# server's, with or without its name before them. The root file system may be read-only, with something
# to write on at /tmp, /run/postgresql and the parent of PGDATA, and the user may be any.
set -eu

case "${1:-}" in
postgres) shift ;;
'' | -*) ;;
*) exec "$@" ;;
esac

export PGDATA="${PGDATA:-/var/lib/postgresql/data}"
user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}

# PostgreSQL wants a name for its user; libnss_wrapper gives it one that the system doesn't know.
if ! id -un >/dev/null 2>&1; then
	echo "postgres:x:$(id -u):$(id -g)::/var/lib/postgresql:/bin/sh" >/tmp/passwd
	echo "postgres:x:$(id -g):" >/tmp/group
	export LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD=/tmp/passwd NSS_WRAPPER_GROUP=/tmp/group
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
	password=${POSTGRES_PASSWORD:-}
	if [ -n "${POSTGRES_PASSWORD_FILE:-}" ]; then
		password=$(cat "$POSTGRES_PASSWORD_FILE")
	fi
	if [ -z "$password" ]; then
		echo 'The database is not made yet, and needs a password: set POSTGRES_PASSWORD.' >&2
		exit 1
	fi
	# A start that was cut short leaves half a database, so it becomes the database when it is whole.
	new=$PGDATA/.new
	mkdir -p -m 0700 "$PGDATA"
	rm -rf "$new"
	(umask 077 && printf '%s\n' "$password" >/tmp/password)
	initdb --pgdata="$new" --username="$user" --pwfile=/tmp/password --encoding=UTF8 --locale=C.UTF-8 \
		--auth-local=trust --auth-host=scram-sha-256
	rm /tmp/password
	echo 'host all all all scram-sha-256' >>"$new/pg_hba.conf"
	if [ "$database" != postgres ]; then
		pg_ctl --pgdata="$new" --wait -o "-c listen_addresses='' -c unix_socket_directories=/tmp" start
		createdb --host=/tmp --username="$user" --maintenance-db=postgres "$database"
		pg_ctl --pgdata="$new" --wait --mode=fast stop
	fi
	# PG_VERSION, by which a database is known, comes last.
	mv "$new/PG_VERSION" "$PGDATA/.version"
	for part in "$new"/*; do
		rm -rf "${PGDATA:?}/${part##*/}"
		mv "$part" "$PGDATA/"
	done
	mv "$PGDATA/.version" "$PGDATA/PG_VERSION"
	rmdir "$new"
fi

# fsGroup opens a volume's files to the group, at every mount, and PostgreSQL refuses that.
chmod 0700 "$PGDATA" || :

exec postgres -c listen_addresses='*' -c unix_socket_directories=/run/postgresql "$@"
