# tests/remote/serve.sh — starts the test server and says where it is: $url, for -m "$url#MODEL".
#
# Sourced with $folder set, where its log of requests is. stop_servers ends all.
command -v python3 > /dev/null || { echo "skipped: python3 is not installed"; exit 77; }
remote=$(cd "$(dirname "$0")" && pwd)
. "$remote/../harness/wait.sh"
servers=

# serve FOLDER [CERTIFICATE KEY]: $port
serve() {
    mkdir -p "$1"
    python3 "$remote/server.py" "$@" > "$1/log" 2>&1 &
    servers="$servers $!"
    wait_until test -s "$1/port" || { cat "$1/log"; echo "the test server does not start"; exit 1; }
    port=$(cat "$1/port")
}

stop_servers() { [ -z "$servers" ] || kill $servers 2> /dev/null; }
