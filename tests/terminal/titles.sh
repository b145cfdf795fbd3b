#!/bin/sh
# A conversation is named by the model once nobody waits, unless that is off or the person has named it.
. "$(dirname "$0")/stage.sh"

titles() { "$program" list --format jsonl | sed -n 's/.*"title":\("[^"]*"\|null\).*/\1/p'; }
has_title() { titles | head -n 1 | grep -q '^".'; }
tab_is() { [ "$(on_tmux display-message -p '#{pane_title}')" = "quire · $1" ]; }

start --titles on -n 8
ask "What is a fox?"
wait_until has_title || fail "there is no title"
title=$(titles | head -n 1 | tr -d '"')
wait_until tab_is "$title" || fail "the tab does not say the title"
ask_only "/list"
wait_for "$(printf '%.20s' "$title")"
ask "/name my foxes"
wait_until tab_is "my foxes" || fail "the tab does not say the name"
ask "And a bear?"
ask "/list"
on_screen " my foxes · And a bear?" || fail "the name is not first"
ask "/new named"
ask "What is a hen?"
leave
[ "$(titles | head -n 1)" = null ] || fail "a conversation with a name has a title"

start --titles off -n 8
ask "What is an owl?"
ask "And a wren?"
wait_until tab_is "What is an owl?" || fail "the tab does not say the question"
leave
[ "$(titles | head -n 1)" = null ] || fail "--titles off has a title"
