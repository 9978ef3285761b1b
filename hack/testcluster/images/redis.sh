#!/bin/sh
# As in the official image, arguments that aren't a program are the server's, and anyone may connect.
set -eu

case "${1:-}" in
'' | -* | *.conf) set -- redis-server "$@" ;;
esac
case "$*" in
'redis-server --version' | 'redis-server --help') ;;
redis-server*) set -- "$@" --protected-mode no ;;
esac
exec "$@"
