# tests/harness/wait.sh — waits for states rather than for times. Sourced by tests that are shell
# scripts.

# wait_until COMMAND…: runs it again and again until it succeeds. Fails after 1,200 attempts, which
# take at least a minute.
wait_until() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || return 1
        sleep 0.05
    done
}

# has_ended PID: the process is gone, or a zombie whose parent has not noticed yet.
has_ended() { ! grep -q '^State:.[^ZX]' "/proc/$1/status" 2> /dev/null; }
