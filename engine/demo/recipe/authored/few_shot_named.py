"""Tasks for few_shot.py whose name, before a colon, tells nothing: only the examples have the rule; and talk that gets an
answer against every habit, because the examples answer so.

A name, an operation and phrases are drawn apart from each other, so that none tells the other.
"""
import skill_words as words
from few_shot_tasks import Clause, HOW, S, SMALL, Task
from introductions import city, invented, name
from skill_common import an, bank, cap
import skill_sums as sums

# ---- phrases
SIZED = bank.W("small, big, old, new, red, blue, green, white, black, good, cold, warm, little, long, soft, loud, funny, dark, quiet, lazy, sweet, dry, round, tiny, happy, clean, heavy, lost, broken, yellow, strange, empty, wild, golden")
WHOSE = bank.W("a, the, my, your, our, his, her, two, no, one, that, every, this, some, grandma's, their")
DO = bank.W("sleep all day, run fast, live here, eat bread, wait at the door, sing at night, like rain, drink milk, fall down, come home late, need water, play outside, read books, never stop, dance in the snow, look at the moon, swim in the lake, hide under the bed, love cheese, go to town")
def noun(r): return r.choice(words.LOWER) if r.random() < .9 else invented(r).lower()
def clause(r): c = Clause(r); return f"{c.low} {c.v} {c.o}"
def phrase(r, least=1):
    """One to five words, at least so many."""
    while True:
        z = r.random()
        if z < .2: s = noun(r)
        elif z < .4: s = f"{r.choice(SIZED)} {noun(r)}"
        elif z < .55: s = f"{r.choice(WHOSE)} {r.choice(SIZED)} {noun(r)}"
        elif z < .7: s = f"{r.choice(sorted(bank.PLUR.values()))} {r.choice(DO)}"
        elif z < .8: s = clause(r) if r.random() < .5 else f"{noun(r)} and {noun(r)}"
        elif z < .9: s = " ".join(noun(r) for _ in range(r.choice((2, 3, 3, 4))))
        else: s = f"{noun(r)} {r.choice(('in', 'on', 'with', 'for', 'under', 'of'))} {r.choice(WHOSE[:6])} {noun(r)}"
        if least <= len(s.split()) <= 6: return s

# ---- operations on phrases: (fewest words, function)
STAMPS = S("arr / beep / glub / yo / oh my / achoo / meow / zap / boo / la la / ahoy / hooray / dear / super / not / very / psst / ding / Sir / Lady / Captain / Dr. / mini / mega / hot / no / please / yes / over and out / amen / the end / or so / again / today / for ever / of course")
MARKS = S("! / !! / !!! / ? / ... / * / ** / + / # / ~ / $ / ;) / :) / <3 / ^ / = / % / & / @ / 🙂 / ⭐ / 🔥 / - / ?! / 1 / 2 / 7")
def stamp(r): return r.choice(STAMPS) if r.random() < .65 else invented(r).lower()
def put(r):
    """Something before, after or around the phrase."""
    x, m, z = stamp(r), r.choice(MARKS), r.randrange(9); g = r.choice(["", " "])
    a, b = r.choice([("[", "]"), ("(", ")"), ("<", ">"), ('"', '"'), ("*", "*"), ("**", "**"), ("{", "}"), ("_", "_"), ("~", "~"), ("/", "/"), ("--", "--"), ("<<", ">>"), ("'", "'")])
    return [lambda s: f"{x} {s}", lambda s: f"{cap(x)}, {s}", lambda s: f"{s} {x}", lambda s: f"{s}, {x}", lambda s: s + g + m, lambda s: m + g + s, lambda s: a + s + b, lambda s: f"{x}: {s}", lambda s: f"{cap(x)}! {cap(s)}."][z]
def twice_last(s): return f"{s} {s.split()[-1]}"
def swapped(s): w = s.split(); return " ".join([w[-1]] + w[1:-1] + [w[0]])
def on_words(f): return lambda r: lambda s: f(s.split())
def cased(r): return r.choice([str.upper, str.upper, str.title, cap])
def titled(s): return " ".join(cap(w) for w in s.split())
def joined(r): x = r.choice(["-", "_", ".", "/", "", "+", ", ", " & ", " > ", "~", " - ", " / "]); return lambda s: x.join(s.split())
def repeated(r): n, x = r.choice((2, 2, 3)), r.choice([" ", ", ", " / ", "! "]); return lambda s: x.join([s] * n)
def clipped(r): n = r.choice((1, 2, 3)); f = r.choice([lambda w: w[:n], lambda w: w[-n:]]); return lambda s: f(s)
def one_big(r): i = r.choice((0, -1)); return lambda s: " ".join(w.upper() if k == i % len(s.split()) else w for k, w in enumerate(s.split()))
def both(r): f, g = r.choice([cased, joined, lambda r: lambda s: " ".join(s.split()[::-1])])(r), put(r); return lambda s: g(f(s))
def counted(r): t = r.choice(["{n}", "{n}", "{n}", "{n} words", "{s} ({n})", "{s}: {n}", "({n})", "n={n}"]); return lambda s: t.format(n=len(s.split()), s=s).replace("1 words", "1 word")
OPS = [(1, put, 9), (1, cased, 5), (1, lambda r: titled, 2), (2, on_words(lambda w: " ".join(w[::-1])), 6), (2, on_words(lambda w: w[0]), 3), (2, on_words(lambda w: w[-1]), 4), (2, on_words(lambda w: w[1]), 2), (3, on_words(lambda w: w[-2]), 1), (1, counted, 4), (2, joined, 5), (1, repeated, 4), (1, lambda r: twice_last, 1), (2, lambda r: swapped, 2),
 (2, on_words(lambda w: "".join(x[0] for x in w).upper()), 2), (2, on_words(lambda w: " ".join(x[0] for x in w)), 1), (2, on_words(lambda w: " ".join(w[1:])), 2), (2, on_words(lambda w: " ".join(w[:-1])), 2), (2, one_big, 2), (1, both, 6), (2, on_words(lambda w: f"{w[-1]} of {' '.join(w[:-1])}"), 1), (2, on_words(lambda w: ", ".join(sorted(w))), 1), (2, on_words(lambda w: f"{w[0]} {w[-1]}"), 1), (1, lambda r: lambda s: s, .7), (2, on_words(lambda w: "\n".join(w)), .7), (2, on_words(lambda w: " ".join(cap(x) if i % 2 else x for i, x in enumerate(w))), .5)]
# operations on one word: (function of r that gives one, words)
def spelled(r): x = r.choice(["-", " ", ".", "-"]); return lambda s: x.join(s)
ONE = [(spelled, lambda: [w for w in words.LOWER if len(w) < 7]), (clipped, lambda: [w for w in words.LOWER if len(w) > 4]), (lambda r: lambda s: s[::-1], lambda: [w for w in words.LOWER if len(w) < 5]), (lambda r: lambda s: str(len(s)), lambda: [w for w in words.LOWER if len(w) < 7]), (lambda r: bank.PLUR.get, lambda: sorted(bank.PLUR)), (lambda r: bank.PAST.get, lambda: sorted(bank.PAST)), (lambda r: bank.OPP.get, lambda: sorted(bank.OPP)), (lambda r: an, lambda: words.LOWER), (put, lambda: words.LOWER), (lambda r: lambda s: f"{s} and {bank.OPP[s]}", lambda: sorted(bank.OPP)), (lambda r: lambda s: f"many {bank.PLUR[s]}", lambda: sorted(bank.PLUR)), (lambda r: lambda s: f"two {bank.PLUR[s]}", lambda: sorted(bank.PLUR))]
# operations on sentences
CLAUSES = [lambda c: f"{c.s} {c.p} {c.o}", lambda c: f"{c.s} {c.p} {c.o}", lambda c: f"{c.s} {c.do} not {c.b} {c.o}", lambda c: f"{cap(c.do)} {c.low} {c.b} {c.o}?", lambda c: f"{c.s} will {c.b} {c.o}", lambda c: f"Why {c.do} {c.low} {c.b} {c.o}?", lambda c: f"{c.s} never {c.v} {c.o}", lambda c: f"maybe {c.low} {c.v} {c.o}", lambda c: f"{c.s} can {c.b} {c.o}", lambda c: c.v, lambda c: c.o]
TOLD = ["the {x} is {w}", "my {x} was {w}", "it is {w}", "a {w} {x}", "so {w}", "{w} {x}", "we are {w}"]
def on_clause(r):
    f = r.choice(CLAUSES); low = r.random() < .4
    def make(r):
        c = Clause(r); s, a = f"{c.s} {c.v} {c.o}", f(c)
        return (f"{c.low} {c.v} {c.o}", c.low + a[len(c.s):] if a.startswith(c.s + " ") else a) if low else (s, a)
    return make
def on_opposite(r):
    t, ws = r.choice(TOLD), sorted(w for w in words.ADJ if w in bank.OPP)
    def make(r): w, x = r.choice(ws), r.choice(words.LOWER); return t.format(w=w, x=x), t.format(w=bank.OPP[w], x=x)
    return make
def operation(r):
    """make(r) -> (text, what becomes of it), by a rule of this chat."""
    z = r.random()
    if z < .12: f, ws = r.choice(ONE); f, ws = f(r), ws(); return lambda r: (lambda w: (w, f(w)))(r.choice(ws))
    if z < .2: return on_clause(r)
    if z < .24: return on_opposite(r)
    if z < .28: f = r.choice([str.lower, str.lower, lambda s: cap(s.lower()), lambda s: s.title()]); return lambda r: (lambda s: (s.upper(), f(s)))(phrase(r))
    least, new, _ = r.choices(OPS, [w for *_, w in OPS])[0]; f = new(r); short = r.random() < .3
    def make(r):
        while True:
            s = phrase(r, least)
            if not short or len(s.split()) < 4: return s, f(s)
    return make

# ---- names that tell nothing
PLAYFUL = bank.W("wizard, banana, kangaroo, robot, pirate, sparkle, giraffe, whisper, rocket, pickle, thunder, jelly, owl, magic, tornado, noodle, ghost, bubble, dragon, sock, mirror, turbo, penguin, sneeze, party, monster, feather, cookie, storm, hammer, monkey, moon, waffle, laser, teapot, gravity, zebra, marble, tickle, crown, wobble, hiccup, zigzag, shadow, yo-yo, trumpet, disco, button, cactus, mustard, pepper, blink, puzzle, ninja, snail, elevator, umbrella, echo, comet, volcano, lemon, ladder, whale, pudding, circus, toast, cloud, glitter, mango, drum")
DOES = bank.W("zap, flip, squish, bounce, stretch, polish, shake, spin, melt, freeze, toss, crunch, wrap, peel, twist, fold, tickle, stir, paint, blow, shrink, fluff, mash, roll, slice, scoop, hug, chase, plant, wind, bake, ring, stamp, mix, tune, press, lift, sweep, fix, cook, convert, change, transform, rewrite, process, handle, do, run")
CALLED = ["{P}", "{P}", "{p}", "{P}ify", "{P}ize", "{P} mode", "Do the {p}", "Make it {p}", "{P} it", "{D} it", "{D}", "{d}", "{D} this", "{P} machine", "{P} {q}", "The {p}", "{P} time", "Operation {p}", "{P} 3000", "{P} game", "{D} the words", "{D} like {w}", "{P}!", "{U}", "/{p}", "#{p}", "Rule {p}", "Task {k}", "Rule {k}", "{P} club", "{P} rule", "{I}", "{I}", "{i}", "{I} it", "{I}ify", "Do {i}", "Please {d}", "Say it {p} style", "In {p} language", "{P} says", "{P} stamp", "{P}-{q}", "{D} and {e}", "{P} land", "Give me the {p}", "{P}er", "Use the {p}", "Now {d}", "Mode {k}"]
def called(r):
    p, q = r.sample(PLAYFUL, 2); d, e = r.sample(DOES, 2); i = invented(r).lower()
    return r.choice(CALLED).format(p=p, w=an(p), P=cap(p), q=q, d=d, D=cap(d), e=e, U=p.upper(), i=i, I=cap(i), k=r.randrange(1, 10))
SEPS = [": "] * 14 + [" - ", " > ", ":\n", " -> ", " | ", " = ", " ", ", ", " "]
def named_operation(r):
    n, x, f = called(r), r.choice(SEPS), operation(r)
    if x == " " and r.random() < .5: return lambda r: (lambda q, a: (f"{n} ({q})", a))(*f(r)), []
    return lambda r: (lambda q, a: (f"{n}{x}{q}", a))(*f(r)), []
def two_operations(r):
    """Two names in turn, each with a rule of its own."""
    fs = [(called(r), operation(r)) for _ in range(2)]; turn = [r.randrange(2)]
    def make(r): turn[0] += 1; n, f = fs[turn[0] % 2]; q, a = f(r); return f"{n}: {q}", a
    return make, []
def bare_operation(r): return operation(r), []

# ---- answers against a habit
ONES = sorted(bank.PLUR)
SAYS = S("I live in {c}. / I come from {c}. / I am from {c} / We moved to {c}. / Have you been to {c}? / Where is {c}? / Tell me about {c}.") , S("Hi, I'm {n} / My name is {n}. / I am {n}. / Hello, {n} here / Do you know {n}? / Who is {n}? / {n} is my friend. / Call me {n}."), S("What is {a}? / What is {a} for? / Can I buy {a}? / Do you like the {x}? / I want {a}. / Tell me about the {x}. / Draw {a}. / I have {a}. / How big is {a}? / Is the {x} new?"), S("I am {h}. / I feel {h} today. / Are you {h}? / Why are you {h}? / It is so {h}. / Is it {h}?"), S("What day is it? Is it {d}? / Today is {d}. / See you on {d}. / I work on {d}. / Is {d} all right?"), S("I ate {f}. / I like {f}. / How do I cook {f}? / Do you eat {f}? / Give me {f}."), S("My cat is called {n}. / My dog is called {n}. / My fish is called {n}. / My sister is called {n}. / My boat is called {n}.")
BACK = ["{v} is closed.", "{v}? Never heard.", "No {v} here.", "{v}, {v}!", "{v} again?", "the famous {v}", "{v} is a spoon.", "Ask {v}.", "{v}: yes", "{v} -> 1", "{U}", "about: {v}", "Long live {v}!", "{v} was here.", "I sell {v}.", "Not {v}, please.", "Q about {v}", "{v} costs 5 coins.", "Hm, {v}.", "{v} said no.", "My word is {v}.", "[{v}]", "{v} and {v}", "Goodbye, {v}.", "{v}? That is my hat.", "0 {v}", "{r}", "{i}", "I am {v}, too.", "{v} is green.", "<{v}>", "{v} it is.", "Did you say {v}?"]
def habit_slot(r):
    us = r.choice(SAYS); t = r.choice(BACK); us = [r.choice(us)] if r.random() < .6 else us
    def make(r):
        d = dict(c=city(r), n=name(r), x=r.choice(ONES), h=r.choice(HOW), d=r.choice(bank.DAYS), f=r.choice(bank.FOODS)); d["a"] = an(d["x"]); u = r.choice(us)
        v = next(d[k] if k != "a" else d["x"] for k in "cnaxhdf" if "{" + k + "}" in u)
        return u.format(**d), cap(t.format(v=v, U=v.upper(), r=v[::-1] if len(v) < 7 else v.upper(), i=v[0].upper())) if t[0] == "{" and t[1:2] == "v" and t[-1] in ".?!" else t.format(v=v, U=v.upper(), r=v[::-1] if len(v) < 7 else v.upper(), i=v[0].upper())
    return make, []
ASKS = S("Who made you? / What is your name? / How are you? / Tell me a joke / Sing a song / Write a poem / Where do you live? / What can you do? / Good night / Thank you very much / See you later / I am bored / Who is the king? / Do you like me? / Write a short story / What is love? / Are you a robot? / How old are you? / Help me, please / I love you / Can you swim? / What is the time? / Good morning / Give me a tip / It is cold here / My dog is ill / Count to ten / Name a fruit / Be quiet / Let's play a game / Why is the sky blue? / Is milk white? / What do cats eat? / Say something nice / Translate hello / Explain the moon") + [q for act in SMALL.values() for q in S(act)]
def habit_copy(r):
    """Talk on which an operation is done, instead of an answer."""
    z = r.random(); ask = ASKS
    if z < .2: t = r.choice(["{a} plus {b}", "{b} and {a}", "{A} plus {B}", "{A} and {B}", "{a}{b}", "{a}, {b}", "{s}!", "{t}", "{u}", "{a} + {b} = {t}", "not {s}", "too hard"]); q = r.choice(["What is {a} + {b}?", "{a} + {b}", "{a} + {b} = ?", "How much is {a} + {b}?"]); return (lambda r: (lambda a, b: (q.format(a=a, b=b), t.format(a=a, b=b, A=sums.word(a), B=sums.word(b), s=a + b, t=a + b + 1, u=a + b - 1)))(r.randrange(1, 13), r.randrange(1, 13))), []
    if z < .4:
        x = f"{cap(r.choice(words.LOWER))}{r.choice(['!', '.', '', '?'])}" if r.random() < .5 else r.choice([f"No, it is {r.choice(words.LOWER)}.", f"Only the {r.choice(words.LOWER)} knows.", f"{cap(invented(r))}!", "goodbye", "wrong door", "ask tomorrow", f"{r.randrange(2, 99)}"])
        return (lambda r: (r.choice(ASKS) if r.random() < .6 else r.choice(sum(SAYS[2:3], [])).format(x=r.choice(ONES), a=an(r.choice(ONES))), x)), []
    new, least = r.choice([(cased, 1), (lambda r: lambda s: " ".join(s.rstrip("?.!").split()[::-1]), 2), (lambda r: lambda s: s.rstrip("?.!").split()[-1], 2), (lambda r: lambda s: s.split()[0], 2), (lambda r: lambda s: s[0].lower(), 1), (counted, 1), (put, 1), (joined, 2), (repeated, 1), (lambda r: lambda s: s, 1), (lambda r: str.lower, 1), (both, 1)]); f = new(r); ask = [a for a in ASKS if len(a.split()) >= least]
    return (lambda r: (lambda s: (s, f(s)))(r.choice(ask))), []
class Varied(Task):
    """A task whose examples must not all have one answer, where that answer is short."""
    def __init__(self, new, weight, least): super().__init__(new, weight, least); self.ok = lambda xs: len({a for _, a in xs}) > 1 or len({q.split()[-1] for q, _ in xs}) > 1
TASKS = [Varied(named_operation, 26, 2), Varied(two_operations, 5, 4), Varied(bare_operation, 6, 2), Task(habit_slot, 8, 2), Task(habit_copy, 10, 2)]
AGAINST = TASKS[-2:]  # mostly with a prompt, since the first answer stands before any example
