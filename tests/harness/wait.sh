# tests/harness/wait.sh — waiting for a state rather than a time, for tests that are shell scripts.

# Up to a minute, looking often.
wait_until() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || return 1
        sleep 0.05
    done
}

# has_ended PID: it may be killed a moment before.
has_ended() { ! grep -q '^State:.[^ZX]' "/proc/$1/status" 2> /dev/null; }
