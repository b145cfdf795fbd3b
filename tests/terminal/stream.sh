#!/bin/sh
# stream.sh QUIRE PLAYER: an answer with all that Markdown shows, at three widths and in each
# setting, as the screens in screens/ have it. UPDATE=1 writes them again. The styles are looked at
# by themselves: versions of tmux write them down in different ways.
. "$(dirname "$0")/stage.sh"
player=$2
screens=$(dirname "$0")/screens
bad=0

# play NAME WIDTH ENVIRONMENT WORDS…: the screen is screens/NAME.
play() {
    name=$1 columns=$2 lines=30 environment=$3
    shift 3
    run "echo '> How?'; env $environment '$player' '$screens/answer.md' $*; echo done with \$?; exec cat"
    wait_for "done with 0"
    on_tmux capture-pane -p -S - | sed -e 's/for [0-9.]* s,/for N s,/' -e 's/ *$//' \
        -e '/done with 0/,$d' > "$QUIRE_HOME/screen"
    [ -z "$UPDATE" ] || cp "$QUIRE_HOME/screen" "$screens/$name"
    diff "$screens/$name" "$QUIRE_HOME/screen" || { echo "$name differs"; bad=1; }
}

styled() { on_tmux capture-pane -p -e -S - | grep -q "$1" || { echo "no style: $1"; bad=1; }; }

play stream-40 40 TERM=tmux
play stream-80 80 TERM=tmux
styled '\[[0-9;]*1m[^m]*bold words'
styled '\[[0-9;]*3m[^m]*slanted'
styled '\[36m.inline code'
styled '\[[0-9;]*4m[^m]*a link'
styled '\[2m.*thought for'
play stream-300 300 TERM=tmux
play stream-stays-40 40 TERM=tmux stays
play stream-hidden-80 80 TERM=tmux hidden
play stream-40 40 TERM=tmux typing # the same text above the line
play stream-raw-80 80 TERM=tmux raw
play stream-dumb-80 80 TERM=dumb
play stream-40 40 "LC_ALL=POSIX TERM=tmux" # the screen is the same in any locale
! on_tmux capture-pane -p -e -S - | grep -q "$(printf '\033')" && { echo "no styles at all"; bad=1; }
play stream-80 80 "NO_COLOR=1 TERM=tmux" # colours only
on_tmux capture-pane -p -e -S - | grep "$(printf '\033')\[[0-9;]*3[1-7]" && { echo "NO_COLOR has colours"; bad=1; }
styled '\[[0-9;]*4m[^m]*inline code'
styled '\[[0-9;]*1m[^m]*bold words'
exit $bad
