# shellcheck shell=bash
# Starts programs that belong together, and stops them when the script ends. For the scripts in these folders.
# Sourced in the root of the repository, with: `command`, `port` and its variable `port_variable` for messages, and the
# folder `data`. The programs use three ports, from `port`.

# Only this user may read the files: they contain keys, sessions and names.
umask 077
mkdir -p "$data"
log=$data/log
: > "$log"

fail() {
    echo "$command: $1" >&2
    [ ! -s "$log" ] || { echo "The end of $log:" >&2; tail -n 15 "$log" >&2; }
    exit 1
}

for offset in 0 1 2; do
    if (exec 3<> "/dev/tcp/127.0.0.1/$((port + offset))") 2> "$data/ports"; then
        fail "port $((port + offset)) is in use; give three other ports with $port_variable=PORT"
    fi
done

pids=()
stop() {
    trap - EXIT
    trap '' INT TERM
    # In reverse order, so that a program stops before those that it calls.
    for ((index = ${#pids[@]} - 1; index >= 0; index--)); do
        kill -TERM "${pids[index]}" 2>> "$log" || true
        wait "${pids[index]}" || true
    done
}
trap stop EXIT
trap 'exit 0' INT TERM

# run NAME ADDRESS COMMAND…: starts a program and waits until the address responds with success.
run() {
    local name=$1 address=$2
    shift 2
    "$@" >> "$log" 2>&1 < /dev/null &
    pids+=($!)
    for _ in $(seq 600); do
        kill -0 "${pids[-1]}" 2>> "$log" || fail "$name did not start"
        curl --silent --fail --output /dev/null "$address" && return
        sleep 0.1
    done
    fail "$name did not answer at $address within a minute"
}

# Removes settings from the environment: with them, this registry could use the database of another service.
for variable in $(compgen -e HANDLES_ || true) $(compgen -e PG || true) DATABASE_URL; do unset "$variable"; done

# Until a signal comes, or a program ends by itself.
wait_for_end() {
    wait -n || true
    fail 'a program has ended'
}
