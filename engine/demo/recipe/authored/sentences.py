"""Work on a sentence or a few words: counting them, the longest, the first by the alphabet, backwards, replaced, in order, shorter, formal."""
import re
from skill_common import T, cap, join, low, name
import skill_persons, skill_words as words

def sentence(r):
    """A sentence of three to nine words."""
    while True:
        z = r.random()
        s = words.sentence(r) if z < .4 else skill_persons.Said(r).plain() if z < .85 else f"{name(r)} {r.choice(('likes', 'sees', 'wants', 'buys'))} {r.choice(('a red hat', 'fresh bread', 'the old house', 'warm soup', 'two books', 'my new bike'))}."
        if 3 <= len(s.split()) <= 9: return s
def plainly(r, asks):
    """One of the questions as people type, with no letter changed."""
    u = r.choice(asks)
    if r.random() < .2: u = u[0].lower() + u[1:]
    return u.rstrip("?.") if r.random() < .25 else u
def some(r, n):
    return r.sample([w for w in words.WORDS if w.islower() and 3 <= len(w) <= 9], n)
def framed(r, asks, x): return r.choice(asks).replace("{x}", x if r.random() < .7 else f'"{x}"')

COUNT = ["How many words are in this sentence: {x}", "Count the words: {x}", "How many words does this have: {x}", "count the words in this: {x}", "How many words: {x}", "How many words do you count here: {x}", "Word count of: {x}", "{x} - how many words is that?", "How many words has this sentence? {x}", "Please count the words in {x}"]
def count_words(r):
    s = sentence(r); s = s if r.random() < .75 else low(s).rstrip("."); ws = re.sub(r"[.\"]", "", s).split(); n = len(ws)
    full = f"{', '.join(ws)}: {n} words."
    return [T(framed(r, COUNT, s), r.choice([full, full, full, f"{n} words: {', '.join(ws)}."]), f"{n}.", "data")]
def letters(r):
    w = r.choice([w for w in words.WORDS if 3 <= len(w) <= 8]); n = len(w); x = r.choice(w); k = w.lower().count(x.lower())
    if r.random() < .75: return [T(plainly(r, [f"How many letters are in the word {w}?", f"How many letters does {w} have?", f"Count the letters: {w}", f"how many letters has {w}", f"How long is the word {w}?", f"Letters in {w}?"]), r.choice([f"{'-'.join(w.upper())}: {n} letters.", f"{cap(w)} has {n} letters: {'-'.join(w.upper())}."]), f"{n}.")]
    return [T(plainly(r, [f"How many {x}'s are in {w}?", f"How often is the letter {x} in {w}?", f"Count the {x} in {w}."]), f"{'-'.join(w.upper())}: {x.upper()} is there {['', 'once', 'twice', 'three times', 'four times'][k]}.", f"{k}.")] if k < 5 else letters(r)
def longest(r):
    while True:
        xs = some(r, r.choice((2, 3, 3, 4))); long = r.random() < .65; ends = sorted(map(len, xs))
        if (ends[-1] - ends[-2] if long else ends[1] - ends[0]) >= 2: break
    v = (max if long else min)(xs, key=len); w = ("longest" if len(xs) > 2 else "longer") if long else ("shortest" if len(xs) > 2 else "shorter"); l = ", ".join(xs) if r.random() < .7 else join(xs, "or")
    return [T(plainly(r, [f"Which is the {w} word: {l}?", f"Which word is the {w}: {l}?", f"Which word is {w}: {l}?", f"the {w} word of {l}?", f"Find the {w} word: {l}", f"What is the {w} of these words: {l}?", f"{l}: which one is {w}?", f"{w} word: {l}"]), r.choice([f"The {w} word is {v}.", f"{cap(v)}.", f"{cap(v)} is the {w}, with {len(v)} letters.", f"{cap(v)}, with {len(v)} letters."]), cap(v))]
def alphabet(r):
    xs = some(r, r.choice((2, 2, 2, 3, 4)))
    while len({x[0] for x in xs}) < len(xs): xs = some(r, len(xs))
    first = r.random() < .7; v = (min if first else max)(xs); w = "first" if first else "last"; l = join(xs, "or")
    return [T(plainly(r, [f"Which word comes {w} in the alphabet: {l}?", f"Which comes {w} in the alphabet, {l}?", f"What comes {w} by the alphabet: {l}?", f"alphabetically {w}: {l}?", f"{w} in the dictionary: {l}?", f"Which of these is {w} in alphabetical order: {l}?"]), r.choice([f"{cap(v)}.", f"{cap(v)} comes {w}.", f"{cap(v)}: {v[0].upper()} is {'before' if first else 'after'} {join([x[0].upper() for x in sorted(xs) if x != v])}."]), cap(v))]
def sort_few(r):
    xs = some(r, r.choice((3, 3, 4, 5)))
    while len({x[0] for x in xs}) < len(xs): xs = some(r, len(xs))
    a = ", ".join(sorted(xs)); l = r.choice([", ".join(xs), " ".join(xs), join(xs)])
    return [T(plainly(r, [f"Sort these words: {l}", f"Put these in alphabetical order: {l}", f"alphabetical order: {l}", f"Sort by the alphabet: {l}", f"sort {l} from a to z", f"Order these from A to Z: {l}", f"Can you sort these? {l}"]), a, a, "data")]
def backwards(r):
    w = r.choice([w for w in words.WORDS if w.islower() and 3 <= len(w) <= 6]); v = w[::-1]
    return [T(plainly(r, [f"Spell the word {w} backwards.", f"Spell {w} backwards.", f"Write {w} backwards.", f"What is {w} backwards?", f"{w} backwards", f"Turn the word {w} around.", f"reverse the word {w}", f"Say {w} from the end to the start."]), r.choice([f"{'-'.join(v.upper())}: {v}", f"{'-'.join(v.upper())}"]), None, "data")]
SWAPS = [x.split("/") for x in "cat/dog,red/blue,black/white,big/small,old/new,house/car,apple/pear,tea/coffee,man/woman,boy/girl,summer/winter,sun/moon,book/letter,bread/cake,Monday/Friday,river/lake,horse/cow,happy/sad,green/yellow,train/bus,mother/father,morning/evening,hot/cold,chair/table,king/queen,milk/water".split(",")]
FRAMES = "The {x} is here. / I like the {x} very much. / Where is the {x}? / My {x} is not for sale. / This {x} belongs to Anna. / We talked about the {x} all day. / The {x} was a surprise. / There is a {x} in the picture. / She wrote a song about a {x}. / Nobody saw the {x}. / The word {x} is on the wall. / He asked for the {x} twice.".split(" / ")
def replaced(r):
    a, b = r.choice(SWAPS); a, b = (a, b) if r.random() < .5 else (b, a); noun = a in "cat dog house car apple pear man woman boy girl book letter bread cake river lake horse cow train bus chair table king queen sun moon".split()
    s = r.choice(FRAMES if noun else [f for f in FRAMES if "word" in f] + [f"It was a {{x}} day.", "I wrote {x} on the list.", "She said {x}, and we laughed."])
    u, v = s.replace("{x}", a), s.replace("{x}", b); u, v = (re.sub(r"\ba (?=[aeiou])", "an ", t) for t in (u, v)); q = r.choice(['"', "'", ""])
    return [T(r.choice([f"Replace {q}{a}{q} with {q}{b}{q}: {u}", f"replace {q}{a}{q} by {q}{b}{q} in this: {u}", f"Change {q}{a}{q} to {q}{b}{q}: {u}", f"Put {q}{b}{q} instead of {q}{a}{q}: {u}", f"Swap {q}{a}{q} for {q}{b}{q}: {u}", f"Write this with {q}{b}{q} instead of {q}{a}{q}: {u}"]), v, v, "data")]
def ordered(r):
    s = sentence(r); ws = low(s).rstrip(".").split()
    if len(ws) > 6: return ordered(r)
    xs = ws[:]
    while xs == ws: r.shuffle(xs)
    l = r.choice([" ".join(xs), ", ".join(xs), " / ".join(xs)])
    return [T(r.choice([f"Put the words in order: {l}", f"Put these words in the right order: {l}", f"Make a sentence of these words: {l}", f"Unscramble this sentence: {l}", f"What sentence is this? {l}", f"bring the words in order: {l}"]), s, s, "data")]
def nth(r):
    s = sentence(r); ws = s.rstrip(".").split(); i = r.choice((0, 0, 1, 2, -1, -1)); w = {0: "first", 1: "second", 2: "third", -1: "last"}[i]
    return [T(framed(r, [f"What is the {w} word of this sentence: {{x}}", f"the {w} word of: {{x}}", f"Which word is {w} in this: {{x}}", f"Tell me the {w} word: {{x}}", f"{cap(w)} word? {{x}}"], s), f"{cap(ws[i])}.", cap(ws[i]))]
def without(r):
    a = r.choice("old, little, red, big, green, quiet, young, tall, new, friendly".split(", ")); n = r.choice("dog, house, man, boat, garden, car, bird, lamp, clock, train".split(", ")); rest = r.choice(["is here", "came back", "was lost", "looks nice", "is mine", "was in the park"])
    return [T(framed(r, [f"Leave out the word {a}: {{x}}", f"Remove '{a}' from this: {{x}}", f"Delete the word {a}: {{x}}", f"Take {a} out of this sentence: {{x}}"], f"The {a} {n} {rest}."), f"The {n} {rest}.", None, "data")]
WANT = "go home|stay here|eat something|sleep a little|call my mother|drink some tea|leave early|see a film|buy a bike|learn to swim|take a walk|read in peace|go to bed|sit down|travel more|have a dog".split("|")
WHY = "I am really tired|it is getting late|the day was long|I feel like it|it is so nice outside|I have some time now|my feet hurt|it makes me happy|I have waited for it for weeks|there is nothing else to do".split("|")
def shorter(r):
    w, y = r.choice(WANT), r.choice(WHY); z = r.random()
    long = r.choice(["I would so much like to {w} now because {y}.", "If it is possible, I would like to {w}, because {y}.", "I think that I would very much like to {w}, since {y}.", "What I really want right now is to {w}, because {y}."]).format(w=w, y=y); a = r.choice([f"I want to {w}.", f"I'd like to {w}."])
    if z < .4:
        s = low(sentence(r)); long, a = r.choice([("I just wanted to tell you that {s}", ""), ("It is important to me to say that {s}", ""), ("There is one thing that I know, and that is that {s}", ""), ("I am writing to you to let you know that {s}", ""), ("Maybe you know it already, but {s}", ""), ("As everybody in our street knows, {s}", "")])[0].format(s=s), cap(s)
    return [T(framed(r, ["Shorten this: {x}", "Make this shorter: {x}", "shorter: {x}", "Say this in fewer words: {x}", "Cut this down: {x}", "Write this in a shorter way: {x}", "Can you shorten this? {x}", "Make it short: {x}"], long), a, a, "data")]
FORMAL = [x.split("|") for x in """hey, how's it going?|Good day, how are you?
hi there!|Good day.
gimme a call|Please call me.
can't come tomorrow, sorry|I am sorry, but I cannot come tomorrow.
thanks a lot!|Thank you very much.
see ya!|Goodbye.
wanna grab lunch?|Would you like to have lunch?
I gotta go|I have to leave now.
that's cool|That is very good.
no way!|I am afraid that is not possible.
what do you want?|How may I help you?
yeah, sure|Yes, certainly.
nope|No, thank you.
hurry up, will you?|Could you please hurry a little?
I dunno|I do not know.
my bad|I apologize.
got your mail, thanks|Thank you, I have received your message.
let's meet at 5|I suggest that we meet at five o'clock.
is this seat free?|May I ask whether this seat is free?
the food was awful|I am afraid the food was not good.
you're late|I notice that you are a little late.
I want my money back|I would like to have my money back, please.
it's broken, fix it|It is broken. Could you please repair it?
tell the boss I'm sick|Please tell the manager that I am ill.
don't forget the keys|Please remember the keys.
this is way too expensive|I find this rather expensive.""".split("\n")]
def formal(r):
    a, b = r.choice(FORMAL)
    return [T(framed(r, ["Say this more formally: {x}", "Make this formal: {x}", "formal version: {x}", "Rewrite this in a formal way: {x}", "How do I say this in a letter: {x}", "More formal, please: {x}", "Make it sound professional: {x}"], a), b, b, "data")]
def quoted(r):
    """Rewriting with the sentence in the middle of the wish."""
    x = skill_persons.Said(r); p = x.plain(); q = r.choice(['"', "'"]); s = r.choice([p, p.rstrip("."), p[0].lower() + p[1:].rstrip(".") if p[:2] != "I " else p.rstrip(".")])
    how, a = r.choice([("in the past tense", x.past()), ("in the past", x.past()), ("in the future tense", x.future()), ("in the future", x.future()), ("as a question", x.ask()), ("in the negative", x.deny())])
    return [T(r.choice([f"Rewrite {q}{s}{q} {how}.", f"rewrite {q}{s}{q} {how}", f"Put {q}{s}{q} {how}.", f"Say {q}{s}{q} {how}.", f"Write {q}{s}{q} {how}.", f"How is {q}{s}{q} {how}?", f"{q}{s}{q} {how}, please"]), a, a, "data")]
ASKED = "book, salt, bill, key, menu, ticket, newspaper, milk, towel, map, pen, letter, report, blanket, ladder, photo, address, receipt, bread, umbrella".split(", ")
DO = "Give me|Bring me|Pass me|Send me|Show me|Lend me|Find me|Get me".split("|")
ACTS = "Close the door|Open the window|Turn off the light|Wash the dishes|Wait here|Sit down|Be quiet|Move your car|Water the plants|Feed the cat|Call a taxi|Sign here|Read the letter|Take off your shoes|Clean the table|Stop the music|Help my mother|Carry this box|Write it down|Speak louder|Leave the room|Shut the gate|Come back tomorrow|Hold this for me|Look at this|Check the list".split("|")
def polite(r):
    x = f"{r.choice(DO)} the {r.choice(ASKED)}" if r.random() < .5 else r.choice(ACTS); x += r.choice([".", ".", "!", " now!"] if r.random() < .8 else [""]); core = low(re.sub(r"( now)?[.!]*$", "", x))
    return [T(framed(r, ["Make this polite: {x}", "Make this more polite: {x}", "Say this politely: {x}", "polite version: {x}", "How do I say this in a nice way: {x}", "Be nicer: {x}", "Rewrite this politely: {x}", "Make it friendlier: {x}"], x), r.choice(["Could you please {c}?", "Could you please {c}?", "Would you please {c}?"]).format(c=core), None, "data")]
REGULAR = "bake, call, cook, walk, talk, play, work, wash, clean, paint, open, close, help, jump, laugh, learn, like, listen, live, look, love, move, need, rain, smile, start, stay, thank, travel, turn, use, visit, wait, want, watch, wish, ask, answer, dance, hope, arrive, agree, smoke, study, carry, try, cry, stop, plan, hug, chat, drop".split(", ")
def past(v):
    """The past of a regular verb."""
    return v + "d" if v[-1] == "e" else v[:-1] + "ied" if v[-1] == "y" and v[-2] not in "aeiou" else v + v[-1] + "ed" if v in ("stop", "plan", "hug", "chat", "drop") else v + "led" if v == "travel" else v + "ed"
def past_of(r):
    v = r.choice(REGULAR); p = past(v)
    if r.random() < .12: return [T(f"Today I {v}, yesterday I ...?", r.choice([f"{cap(p)}.", f"Yesterday I {p}."]), cap(p))]
    return [T(plainly(r, [f"What is the past tense of {v}?", f"past tense of {v}", f"What's the past tense of {v}?", f"The past of {v}?", f"How do I say {v} in the past?", f"{v} in the past tense?", f"Past tense: {v}"]), r.choice([f"{cap(p)}.", f"The past tense of {v} is {p}.", f"It is {p}."]), cap(p))]
KINDS = [(past_of, 4), (count_words, 12), (letters, 8), (longest, 9), (alphabet, 6), (sort_few, 7), (backwards, 6), (replaced, 7), (ordered, 5), (nth, 4), (without, 2), (shorter, 6), (formal, 4), (quoted, 8), (polite, 6)]
def seg(r): return r.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0](r)
