"""Commands and options with an argument, and the sides of a command that a person asks about first: is it safe, how is
it undone, how does it look. What a form does is said for that very argument."""

WORDS = "zero one two three four five six seven eight nine ten".split()
NTH = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth".split()
# form ; what it does ; wishes ({n} a number of 2 to 9, {w} the same in words, {o} the ordinal, {c} a command, {v} a value)
FORMS = """/regen {n} ; writes {w} answers at once, and you pick one. ; have {w} new answers at once / get {n} answers beside each other / see {w} other answers to my last question
/rewind {n} ; goes back {w} turns; /redo {n} goes forward again. ; go back {w} turns / undo the last {w} turns / take back {n} turns
/redo {n} ; goes {w} turns forward again. ; go forward {w} turns / redo {n} turns / take back a rewind of {w} turns
/history {n} ; shows the last {w} turns. ; see the last {w} turns / read the last {n} turns again / show {n} turns of this chat
/fork {n} ; forks before turn {n}; the original stays. ; fork before turn {n} / make a fork that starts before the {o} turn / branch off before turn {w}
/fork {n}a ; forks after the answer of turn {n}. ; fork after the answer of turn {n} / make a fork right behind the {o} answer / branch off after answer {n}
/beam {n} ; searches with {w} beams for the likeliest answer. ; search with {w} beams / get the likeliest answer by {n} beams / use {n} beams for one answer
/alt {n} ; goes on with the {o} of the answers so far. ; take the {o} answer / go on with answer {n} / pick answer number {n}
/copy {n} ; copies the answer to turn {n} to the clipboard. ; copy the answer of turn {n} / put the {o} answer on the clipboard / get answer {n} into the clipboard
/edit {n} ; goes back to turn {n} with its text in the editor. ; change what I wrote in turn {n} / edit my {o} message / rewrite turn {n}
/help {c} ; explains /{c}, with an example. ; get help on /{c} / read the help for one command, such as /{c} / see an example of /{c}
/copy code {n} ; copies the {o} block of code in the answer. ; copy the {o} code block / put block {n} of the code on the clipboard / get only the {o} piece of code
/set tokens {v}0 ; stops an answer after {v}0 tokens; 0 takes the limit away. ; limit answers to {v}0 tokens / stop each answer after {v}0 tokens / have at most {v}0 tokens in an answer
/set samples {n} ; gives {w} answers to each message, written at once. ; get {w} answers to every message / have {n} answers each time / always see {w} answers
/set seed {v} ; makes answers repeatable: the same seed, the same random numbers. ; use the seed {v} / set the random seed to {v} / repeat an answer with seed {v}
/set top-k {v} ; takes each token from the {v} likeliest. ; choose among the {v} likeliest tokens / set top-k to {v} / sample from {v} tokens only
/set temp 0.{n} ; sets the temperature to 0.{n}; 0 always takes the likeliest token. ; set the temperature to 0.{n} / change temp to 0.{n} / have a temperature of 0.{n}
--samples {n} ; gives {w} answers to each message, written at once. ; start with {w} answers to each message / get {n} answers from the command line / have {w} answers at once by an option
--speculate {n} ; guesses up to {w} tokens from the text so far and checks them in one step. ; guess {w} tokens ahead / speculate with {n} tokens / have {w} tokens guessed at once
--beams {n} ; gives the likeliest answer that {w} beams find. ; start with {w} beams / search with {n} beams by an option / find the likeliest answer with {w} beams from the shell
--fork={n} ; works in a fork that begins before turn {n}. ; start in a fork before turn {n} / fork before the {o} turn from the shell / begin a fork at turn {n} by an option
--seed {v} ; makes the random numbers the same each time. ; start with seed {v} / fix the seed to {v} from the shell / use seed {v} by an option
-n {v}0 ; allows at most {v}0 tokens for an answer. ; limit answers to {v}0 tokens from the shell / start with a limit of {v}0 tokens / allow {v}0 tokens per answer by an option
-t {n} ; computes with {w} threads. ; use {w} threads / run it on {n} threads / compute with {n} cores only
-c {v}00 ; sets the context to {v}00 tokens. ; start with a context of {v}00 tokens / have {v}00 tokens of context / set the context length to {v}00"""
FORMS = [tuple(x.strip() for x in line.split(" ; ")) for line in FORMS.split("\n")]
HELPED = "fork rewind list resume regen alt system preset read export import compact think kv model name delete copy tree diff ask".split()
MEANS = "What does {f} do? / What does {f} mean? / what does {f} do / What happens when I {t} {f}? / {f}? / What is {f}? / Explain {f}. / Why would I {t} {f}? / I {d} {f}. What now? / What is the effect of {f}? / {f} does what? / What do I get with {f}? / what's {f} for".split(" / ")

# the exit codes: what each means, and how people ask
CODES = {"0": "done: all went well", "1": "failure: it did not work", "2": "usage: it was called wrongly", "3": "model or GPU cannot be used: it says why", "4": "does not fit the context: the prompt is too long", "5": "no such conversation: nothing has that id or name", "130": "interrupted: it was stopped by ^C", "143": "terminated: it was stopped from outside"}
CODE_ASKS = "What does exit code {n} mean? / exit code {n} / what is exit code {n} / quire ended with {n}. Why? / My script got exit status {n} from quire. / What is status {n}? / quire returned {n} / Why did quire exit with {n}? / The exit code was {n}, what is that? / echo $? says {n} after quire. What went wrong?".split(" / ")

# sides of a command: the key of guide.SHARED under which the topic has the answer
SIDES = {
    "lost": "Does {c} delete anything? / Do I lose anything with {c}? / Is anything lost when I use {c}? / Is {c} safe? / Is {c} dangerous? / Will {c} delete my text? / does {c} remove something / Can I lose my words by {c}? / Is something gone after {c}? / Does {c} destroy what was there? / Does {c} overwrite anything? / is it risky to use {c} / Is the old text gone after {c}? / What is lost by {c}? / Does {c} erase my messages? / Will I regret {c}?",
    "undo": "How do I undo {c}? / Can I undo {c}? / undo {c} / How do I take {c} back? / What reverses {c}? / I typed {c} by mistake. How do I get back? / What is the opposite of {c}? / How do I go back after {c}? / I used {c} and want to go back. / Is there a way back after {c}? / {c} was a mistake, what now? / Can {c} be undone? / reverse {c} / how do i get back from {c}",
    "ex": "Give me an example of {c}. / an example of {c} please / How does {c} look in use? / Show me how {c} is used. / Can I see {c} with an argument? / {c} example / Example for {c}? / What would I type with {c}, for example? / How is {c} written out?",
    "shell": "How do I do what {c} does from the shell? / Is there an option for what {c} does? / {c} from the command line? / What is {c} in the shell? / Can I do {c} without opening the chat? / Does {c} have an option at the start? / the same as {c} at the start? / Which option does what {c} does?",
    "key": "Is there a key for {c}? / Which key does the same as {c}? / {c} by a key? / Is there a shortcut for {c}? / What key is like {c}?",
}
SIDES = {key: asks.split(" / ") for key, asks in SIDES.items()}


def of_form(r, frames):
    """A form with its argument: what it does is asked, or it is what a wish needs."""
    form, does, wishes = r.choice(FORMS)
    n = r.randrange(2, 10)
    parts = dict(n=n, w=WORDS[n], o=NTH[n], c=r.choice(HELPED), v=r.choice([7, 10, 12, 20, 25, 40, 42, 50, 60, 64, 80, 99]))
    form, does, wishes = form.format(**parts), does.format(**parts), wishes.format(**parts).split(" / ")
    if r.random() < .5:
        return r.choice(MEANS).format(f=form, t=r.choice(("type", "use")), d=r.choice(("typed", "used", "saw"))), f"{form} {does}"
    return r.choice(frames).format(w=r.choice(wishes)), f"{form} {does}"


def of_code(r):
    code = r.choice(list(CODES) + ["130", "143"])
    return r.choice(CODE_ASKS).format(n=code), f"Exit code {code} is {CODES[code]}."


def of_side(r, commands, topic):
    """A side of a command as a first question, or None where its topic has no such side."""
    command = r.choice(list(commands))
    sides = [key for key in topic[commands[command]].sides if key in SIDES and (key != "key" or command[0] == "/")]
    if not sides: return None
    key = r.choice(["lost"] * 2 * ("lost" in sides) + sides)
    return r.choice(SIDES[key]).format(c=command), topic[commands[command]].sides[key]
