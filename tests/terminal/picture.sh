# tests/terminal/picture.sh PROGRAM >.github/screen.svg — the README's picture: a chat, a fork of it, and /tree.
#
# A real session with the built-in model, whose answers are the same each time (--temp 0). Only ids
# and speeds differ. picture.py draws the screen as tmux gives it out.
columns=76
lines=34
. "$(dirname "$0")/stage.sh"

start --titles off
ask "What is the capital of Peru?"
ask "/fork other"
ask "And of Chile?"
ask "/resume -"
ask "Name three rivers."
ask_only "/tree"
wait_for "Enter chooses"
wait_until is_still || fail "the screen does not rest"
on_tmux capture-pane -p -e | python3 "$here/picture.py" $columns
