#!/bin/sh
# tests/remote/unsaved.sh QUIRE — on a full disk each answer is kept in memory until it can be saved: one
# in the background, each of several, those of several conversations, and the one that /quit ends.
. "$(dirname "$0")/../terminal/stage.sh"
folder=$QUIRE_HOME/server
. "$(dirname "$0")/serve.sh"
trap 'stop_servers; finish' EXIT
unset CURL_CA_BUNDLE SSL_CERT_FILE http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
command -v prlimit > /dev/null || { echo "skipped: prlimit is not installed"; exit 77; }
serve "$folder"

fill() { prlimit --pid "$(quire_pid)" --fsize=0:unlimited; }
make_space() { prlimit --pid "$(quire_pid)" --fsize=unlimited:unlimited; }
kept="[the answer is kept in memory; your next line saves it]"
ends_with() { case $(last_line) in *"$1") ;; *) return 1 ;; esac; }
gone() { ! test -e "$folder/go"; }
go() {
    : > "$folder/go"
    wait_until gone || fail "the server does not go on"
}
count() { screen | grep -cF -e "$1"; }
occurs() { [ "$(count "$1")" = "$2" ]; }
wait_count() { wait_until occurs "$1" "$2" || fail "$(count "$1") times and not $2: $1"; }
newest() { "$program" list | awk 'NR == 2 { print $1 }'; }

# In the background.
start -m "http://127.0.0.1:$port/v1#gated"
ask_only "Tell one."
wait_for "Half an ans"
fill
text "/bg"
wait_until ends_with "/bg" || fail "no /bg"
keys Enter
wait_for "The answer continues in the background"
go
wait_for "its answer is kept in memory; your next line saves it]"
ask_only "Hello."
wait_last "> Hello."
on_screen "You said" && fail "sent before the answer is saved"
clear_line() { keys C-u; wait_idle; }
clear_line
text "/resume -"
keys Enter
wait_last "> /resume -"
clear_line
keys C-d
wait_for "; ^D again quits without the last answer"
make_space
ask "Hello."
on_screen "[the answer is saved now]" || fail "it is not said that the answer is saved"
on_screen "You said: Hello." || fail "no answer"
ask "/resume -"
answer_to "Tell one." | grep -qF "Half an answer." || fail "the answer in the background is lost"

# Several at once, and then the first alone.
clear_screen
ask_only "/regen 2"
wait_for "Half an ans"
fill
go
wait_for "$kept"
make_space
clear_screen
ask "/save"
clear_screen
ask "/history"
on_screen "Half an answer." || fail "no answer"
ask_only "/alt"
wait_for "3 of 3 "
keys Escape

# Of several conversations.
clear_screen
one=$(newest)
ask "/new"
ask "Good morning."
two=$(newest)
clear_screen
ask_only "/ask $one,$two Tell three."
wait_for "waiting for 2 of 2"
fill
go
go
wait_count "$kept" 2
wait_count "Half an answer." 2
wait_idle
make_space
ask "/save"
kill -9 "$(quire_pid)"
wait_for "left with"
for id in "$one" "$two"; do
    "$program" show "$id" | tail -n 3 | grep -qF "Half an answer." || fail "the answer in $id is lost"
done

# One that /quit ends.
start -i -p "Tell_four." -m "http://127.0.0.1:$port/v1#gated"
wait_for "Half an ans"
fill
text "/quit"
wait_until ends_with "/quit" || fail "no /quit"
keys Enter
wait_for "; ^D again quits without the last answer"
wait_idle
make_space
leave
"$program" show "$(newest)" | grep -qF "Half an ans" || fail "the answer that /quit ended is lost"
