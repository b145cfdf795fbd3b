#!/bin/sh
# tests/remote/hostile.sh QUIRE — see hostile.py.
command -v python3 > /dev/null || { echo "skipped: python3 is not installed"; exit 77; }
exec python3 "$(dirname "$0")/hostile.py" "$1"
