"""What a person notes and asks for again, at once or a little later: times, places, numbers, lists, who is who, and small sums with it.

notes_src/notes.txt has the pools. Every kind gives a statement and its questions, each with a full and a short answer.
"""
import os, re
from counting import word
from skill_common import T, an, bank, cap, careless, join, low, name, two

HERE = os.path.dirname(os.path.abspath(__file__))
def pools():
    found = {}
    for line in open(HERE + "/notes_src/notes.txt", encoding="utf-8").read().split("\n"):
        if line[:1] == "@": key = line[1:]
        elif line and line[0] != "#": found[key] = [x.split("|") if "|" in x else x for x in line.split(" / ")]
    return found
P = pools()
YOURS = [(r"\bmy\b", "your"), (r"\bour\b", "your"), (r"\bmine\b", "yours"), (r"\bI am\b", "you are"), (r"\bI\b", "you"), (r"\bme\b", "you")]
def yours(s):
    """The same words said back."""
    for a, b in YOURS: s = re.sub(a, b, re.sub(a.replace("my", "My").replace("our", "Our"), cap(b), s))
    return s
def clock(r):
    z = r.random(); h = r.randrange(1, 13)
    if z < .3: return f"at {h}"
    if z < .55: return f"at {r.randrange(6, 23)}:{r.choice(('00', '05', '10', '15', '20', '30', '40', '45', '50', '55'))}"
    if z < .7: return f"at {word(h)}" + r.choice(["", "", " o'clock", " in the evening" if 5 <= h <= 11 else "", " sharp"])
    if z < .85: return f"at {r.choice(('half past', 'quarter past', 'quarter to', 'ten past', 'ten to'))} {word(h)}"
    return r.choice(["at noon", "at midnight", f"at {h} pm" if h < 12 else "at noon", f"at {h} am" if h < 12 else "at noon"])
def day(r):
    z = r.random()
    if z < .6: return "on " + r.choice(bank.DAYS)
    if z < .8: return f"on {r.choice(bank.DAYS)} {clock(r)}"
    return r.choice([f"on {r.randrange(1, 29)} {r.choice(bank.MONTHS)}", f"on {r.choice(bank.MONTHS)} {r.randrange(1, 29)}", "next week", f"in {r.choice(bank.MONTHS)}", f"tomorrow {clock(r)}", "tomorrow", "tonight " + clock(r)])
def number(r, kind):
    if kind[0] == "N": n = int(kind[1:]); return str(r.randrange(10 ** (n - 1), 10 ** n) if n > 1 else r.randrange(1, 10))
    if kind == "F": return "".join(r.choices("ABDEFKLMNRSTX", k=2)) + str(r.randrange(10, 1000))
    if kind == "S": return f"{r.randrange(1, 60)}{r.choice('ABCDEF')}"
    if kind == "G": return r.choice("ABCDE") + str(r.randrange(1, 40))
    if kind == "SC": return f"{r.randrange(0, 6)} to {r.randrange(0, 6)}"
    if kind == "E": return f"{r.randrange(2, 100)} {r.choice(('euros', 'dollars', 'pounds'))}"
    return r.choice(sorted(bank.PLUR)) + r.choice(["", str(r.randrange(2, 100))])

# ---- kinds: (statement, [(question, full answer, short answer)])
def starts(r):
    s, b, v = r.choice(P["starts"]); t = clock(r) if r.random() < .75 else day(r)
    qs = [f"When does {s} {b}?", f"when does {s} {b}"] + ([f"What time does {s} {b}?", f"At what time does {s} {b}?"] if t[:3] == "at " else []) + ([f"On which day does {s} {b}?"] if re.match("on .*day$", t) else [])
    return cap(f"{s} {v} {t}."), [(r.choice(qs), cap(yours(f"{s} {v} {t}.")), cap(t) + ".")]
def event(r):
    s, t = r.choice(P["events"]), day(r)
    qs = [f"When is {s}?", f"when is {s}", f"When was {s} again?"] + ([f"What day is {s}?", f"On which day is {s}?"] if re.match("on .*day$", t) else [])
    return cap(f"{s} is {t}."), [(r.choice(qs), cap(yours(f"{s} is {t}.")), cap(t) + ".")]
def hours(r):
    s = r.choice(["shop", "museum", "library", "pool", "bank", "café", "bakery", "zoo", "market", "post office", "gym", "cinema"]); words = r.random() < .5; a, b = r.randrange(6, 12), r.randrange(1, 10)
    a, b = (word(a), word(b)) if words else (a, b); it = r.choice(["it", f"the {s}"])
    return f"The {s} opens at {a} and closes at {b}.", [(f"When does {it} close?", f"It closes at {b}.", f"At {b}."), (f"When does {it} open?", f"It opens at {a}.", f"At {a}.")]
def put(r):
    x, be = r.choice(P["things"]); w = r.choice(P["places"]); v = r.choice(["put", "left", "hid", "stored", "have put"])
    said = r.choice([f"I {v} {x} {w}.", cap(f"{x} {be} {w}."), f"I keep {x} {w}.", f"i {v} {x} {w}"])
    return said, [(r.choice([f"Where {be} {x}?", f"where {be} {x}", f"Where did I put {x}?", f"Where do I find {x}?", f"Do you know where {x} {be}?"]), yours(cap(f"{x} {be} {w}.")), yours(cap(w)) + ".")]
def parked(r):
    x = r.choice(["the car", "my car", "my bike", "the van", "my motorbike"]); w, q = r.choice([(f"on level {r.randrange(1, 9)}", "On which level did I park?"), (f"in row {r.choice('ABCDEFGH')}", "In which row did I park?"), ("behind the station", None), ("next to the bakery", None), ("in front of the school", None), (f"in Mill Street {r.randrange(1, 90)}", None), ("under a big oak", None), (f"at spot {r.randrange(1, 300)}", None)])
    return f"I parked {x} {w}.", [(q or r.choice([f"Where did I park {x}?", f"Where is {x}?", f"where did i park"]), f"You parked {yours(x)} {w}.", cap(w) + ".")]
def code(r):
    s, kind = r.choice(P["numbers"]); v = number(r, kind)
    return r.choice([cap(f"{s} is {v}."), cap(f"{s}: {v}"), f"{s} is {v}"]), [(r.choice([f"What is {s}?", f"What was {s}?", f"what was {s} again", f"Tell me {s}.", f"What's {s}?", f"Do you still know {s}?"]), cap(yours(f"{s} is {v}.")), v + ".")]
def room(r):
    s, k, kind = r.choice(P["rooms"]); v = number(r, kind); on = "at" if k in ("gate", "stop", "number") else "on" if k == "platform" else "in"
    x = f"{on} {k} {v}" if s != "our table" else f"number {v}"
    if s == "our table": return f"Our table is {x}.", [("Which number is our table?", f"Your table is {x}.", cap(x) + ".")]
    return cap(f"{s} is {x}."), [(r.choice([f"Which {k} is {s} {on}?", f"{cap(on)} which {k} is {s}?", f"Where is {s}?", f"which {k} for {s}?"]), cap(yours(f"{s} is {x}.")), cap(x) + ".")]
def bought(r):
    v, base, key = r.choice([("bought", "buy", "buys"), ("bought", "buy", "buys"), ("packed", "pack", "packs"), ("saw", "see", "sees"), ("need", "need", "buys"), ("forgot", "forget", "packs"), ("ate", "eat", "buys")])
    pool = P[key] if v != "ate" else bank.CATS["fruits"] and ["soup", "bread", "an apple", "rice", "a salad", "two eggs", "cheese", "a banana", "noodles", "fish", "a biscuit", "tomatoes", "toast", "porridge"]
    xs = r.sample(pool, r.choice((2, 3, 3, 3, 4, 5))); l = join(xs); did = "do" if v == "need" else "did"; when = r.choice(["", "", " today", " yesterday"]) if v != "need" else ""
    return f"I {v} {l}{when}.", [(r.choice([f"What {did} I {base}?", f"what {did} i {base}", f"What was it that I {v}?" if v != "need" else "What is on my list?", f"Which things {did} I {base}?"]), f"You {v} {l}.", cap(l) + "."),
        (f"How many things {did} I {base}?", f"{len(xs)}: {l}.", f"{len(xs)}.")]
def amounts(r):
    a, b = r.choice(P["countable"]); n, m = r.sample(range(2, 13), 2); v, base = r.choice([("have", "have"), ("need", "need"), ("bought", "buy"), ("see", "see"), ("want", "want")]); did = "did" if v == "bought" else "do"
    return f"I {v} {n} {a} and {m} {b}.", [(f"How many {a} {did} I {base}?", f"You {v} {n} {a}.", f"{n} {a}."), (f"How many {b} {did} I {base}?", f"You {v} {m} {b}.", f"{m} {b}."), (r.choice(["How many is that together?", "How many are that in all?", f"How many {did} I {base} in total?"]), f"{n} + {m} = {n + m}.", f"{n + m}.")]
def two_things(r):
    x, a, b = r.choice(P["pairs"]); c, d = r.sample(P["colours"], 2)
    if r.random() < .5: a, b = b, a
    return f"The {c} {x} is {a} and the {d} {x} is {b}.", [(f"Which {x} is {a}?", f"The {c} {x} is {a}.", f"The {c} one."), (f"Which {x} is {b}?", f"The {d} {x} is {b}.", f"The {d} one."), (r.choice([f"What about the {c} {x}?", f"How is the {c} {x}?"]), f"The {c} {x} is {a}.", cap(a) + ".")]
def two_animals(r):
    x, y = r.sample(P["animals"], 2); (v, b, w), (u, c, o) = r.sample(P["lies"], 2); rest = lambda s: s.split(" ", 1)[1]
    return cap(f"{x} {v} and {y} {u}."), [(f"Where does {x} {b}?", cap(f"{x} {v}."), cap(rest(v)) + "."), (f"Where does {y} {c}?", cap(f"{y} {u}."), cap(rest(u)) + "."), (f"Who {v}?", cap(x) + ".", cap(x) + "."), (f"Who {u}?", cap(y) + ".", cap(y) + ".")]
def taller(r):
    a, b = two(r, name); more, less, most, least = r.choice(P["compare"]); z = r.random()
    if z < .55: return f"{a} is {more} than {b}.", [(f"Who is {more}?", f"{a} is {more}.", f"{a}."), (f"Who is {less}?", f"{b} is {less}.", f"{b}."), (f"Is {a} {more} than {b}?", f"Yes, {a} is {more} than {b}.", "Yes."), (f"Is {b} {more} than {a}?", f"No, {a} is {more} than {b}.", "No.")]
    c = next(x for x in iter(lambda: name(r), None) if x not in (a, b))
    return r.choice([f"{a} is {more} than {b}, and {b} is {more} than {c}.", f"{a} is {more} than {b}. {b} is {more} than {c}."]), [(f"Who is the {most}?", f"{a} is the {most}.", f"{a}."), (f"Who is the {least}?", f"{c} is the {least}.", f"{c}.")]
def ages(r):
    a, b = r.sample(range(4, 80), 2); k = r.choice("sister, brother, cousin, friend, neighbour, wife, husband, aunt, uncle, daughter".split(", "))
    if r.random() < .5: n, m = two(r, name); said, one, other = f"{n} is {a} and {m} is {b}.", n, m; is1, is2 = f"{n} is", f"{m} is"
    else: said = f"My {k} is {a} and I am {b}."; is1, is2 = f"Your {k} is", "You are"
    old, young = (is1, is2) if a > b else (is2, is1)
    return said, [("Who is older?", old + " older.", old.rsplit(" ", 1)[0] + "."), ("Who is younger?", young + " younger.", young.rsplit(" ", 1)[0] + "."), ("How many years are between us?" if "My" in said else "How many years are between them?", f"{max(a, b)} - {min(a, b)} = {abs(a - b)}, so {abs(a - b)} year{'s' * (abs(a - b) > 1)}.", f"{abs(a - b)}.")]
def relation(r):
    a, b = two(r, name); k, o = r.choice(P["kin"]); of = b + ("'" if b[-1] == "s" else "'s")
    return r.choice([f"{a} is the {k} of {b}.", f"{a} is {of} {k}.", f"{of} {k} is {a}."]), [(f"Who is {of} {k}?", f"{of} {k} is {a}.", f"{a}."), (f"Who is {a}?", f"{a} is {of} {k}.", f"{of} {k}.")]
def office(r):
    a = name(r); k = r.choice("the captain, our teacher, the mayor, my dentist, our neighbour, my boss, the driver, the winner, my best friend, our coach, the new cook, the king in the play, my landlord, the singer, our guide, my piano teacher, the baker".split(", "))
    return r.choice([f"{cap(k)} is {a}.", f"{a} is {k}.", f"{cap(k)} is called {a}."]), [(r.choice([f"Who is {k}?", f"What is {k} called?"]), cap(yours(f"{k} is {a}." if r.random() < .5 else f"{k} is called {a}.")), f"{a}."), (f"Who is {a}?", f"{a} is {yours(k)}.", cap(yours(k)) + ".")]
def does(r):
    a, b = two(r, name); x, y = r.sample(P["does"], 2)
    return f"{a} {x} and {b} {y}.", [(f"Who {x}?", f"{a} {x}.", f"{a}."), (f"Who {y}?", f"{b} {y}.", f"{b}.")]
def gave(r):
    a, b = two(r, name); x = r.choice(P["gives"]); v, base = r.choice([("gave", "give"), ("sent", "send"), ("brought", "bring"), ("sold", "sell"), ("showed", "show")])
    return f"{a} {v} {b} {x}.", [(f"What did {a} {base} {b}?", f"{a} {v} {b} {x}.", cap(x) + "."), (f"Who {v} {b} {x}?", f"{a} {v} {b} {x}.", f"{a}."), (f"To whom did {a} {base} {x}?", f"{a} {v} it to {b}.", f"To {b}.")]
def coloured(r):
    x, c = r.choice(P["owned"]), r.choice(P["colours"])
    return f"My {x} is {c}.", [(r.choice([f"What colour is my {x}?", f"What color is my {x}?", f"Which colour has my {x}?"]), f"Your {x} is {c}.", cap(c) + "."), (f"Is my {x} {c}?", f"Yes, your {x} is {c}.", "Yes.")]
def today(r):
    i = r.randrange(7); d = lambda k: bank.DAYS[(i + k) % 7]; m = r.randrange(12)
    if r.random() < .25: return f"It is {bank.MONTHS[m]}.", [("Which month is next?", f"After {bank.MONTHS[m]} comes {bank.MONTHS[(m + 1) % 12]}.", bank.MONTHS[(m + 1) % 12] + "."), ("Which month was before?", f"Before {bank.MONTHS[m]} comes {bank.MONTHS[m - 1]}.", bank.MONTHS[m - 1] + ".")]
    return r.choice([f"Today is {d(0)}.", f"It is {d(0)} today.", f"It's {d(0)}."]), [(r.choice(["What day is tomorrow?", "What is tomorrow?", "Which day is tomorrow?"]), f"Tomorrow is {d(1)}.", d(1) + "."), ("What day was yesterday?", f"Yesterday was {d(-1)}.", d(-1) + "."), ("What is the day after tomorrow?", f"The day after tomorrow is {d(2)}.", d(2) + "."), ("What day is today?", f"Today is {d(0)}.", d(0) + ".")]
# ---- sums with what was told
def sums(r):
    x, p, n = r.choice(P["counted"]), r.choice(P["people"]), name(r); a, b = r.randrange(2, 30), r.randrange(2, 20); big, small = max(a, b) + 1, min(a, b); k, each = r.randrange(2, 9), r.randrange(2, 10)
    who, have, lose, do = r.choice([("I", "have", "lose", "do I"), (n, "has", "loses", f"does {n}"), ("My son", "has", "loses", "does he"), ("My daughter", "has", "loses", "does she"), ("We", "have", "lose", "do we")]); you = {"I": "You", "We": "You"}.get(who, "")
    get = lambda *vs: r.choice(vs) + ("s" if have == "has" else "")
    found = r.randrange(6)
    if found == 0: return f"{who} {have} {a} {x} and {get('buy', 'get', 'find', 'pick')} {b} more.", [(f"How many {x} {do} have now?", f"{a} + {b} = {a + b} {x}.", f"{a + b}.")]
    if found == 1: return f"{who} {have} {big} {x} and {r.choice([lose, get('give').replace('gives', 'gives') + ' away', get('eat') if x in ('apples', 'cookies', 'sweets', 'eggs', 'plums', 'nuts', 'pears') else get('sell')])} {small}.", [(r.choice(["How many are left?", f"How many {x} are left?", f"How many {do} have now?"]), f"{big} - {small} = {big - small} {x}.", f"{big - small}.")]
    if found == 2: return f"There are {k * each} {x} and {k} {p}.", [(r.choice([f"How many {x} does each get?", f"How many {x} for each?", "How many does each one get?"]), f"{k * each} / {k} = {each} {x} each.", f"{each}.")]
    if found == 3: v, y = r.choice(P["daily"]); return f"I {v} {each} {y} a day.", [(r.choice([f"How many {y} do I {v} in {k} days?", f"How many {y} is that in {k} days?", f"How many in {k} days?"]), f"{k} x {each} = {k * each} {y}.", f"{k * each}.")]
    if found == 4: return f"There are {k} bags with {each} {x} each.", [(f"How many {x} are there?", f"{k} x {each} = {k * each} {x}.", f"{k * each}.")]
    return f"I had {big} {x} this morning and now I have {small}.", [(r.choice(["How many are gone?", f"How many {x} are missing?"]), f"{big} - {small} = {big - small} {x}.", f"{big - small}.")]
def money(r):
    (x, xs), c = r.choice(P["goods"]), r.choice(("euros", "dollars", "pounds", "coins")); k, each = r.randrange(2, 10), r.randrange(2, 11); a = r.randrange(12, 100); b = r.randrange(2, a - 1)
    z = r.randrange(4)
    if z == 0: return cap(f"{an(x)} costs {each} {c}."), [(r.choice([f"How much are {k} {xs}?", f"What do {k} {xs} cost?", f"How much do I pay for {k} {xs}?"]), f"{k} x {each} = {k * each} {c}.", f"{k * each} {c}."), (r.choice([f"What does {an(x)} cost?", f"How much is {an(x)}?"]), cap(f"{an(x)} costs {each} {c}."), f"{each} {c}.")]
    if z == 1: return f"I {r.choice(['had', 'had', 'took'])} {a} {c} and spent {b}.", [(r.choice(["How much is left?", "How much do I have left?", "What is left?"]), f"{a} - {b} = {a - b} {c}.", f"{a - b} {c}.")]
    if z == 2: return f"The {r.choice(['hat', 'book', 'lamp', 'bag', 'shirt'])} costs {b} {c}, and I pay with {a}.", [(r.choice(["How much do I get back?", "How much change do I get?"]), f"{a} - {b} = {a - b} {c}.", f"{a - b} {c}.")]
    return f"I have {b} {c} and my {r.choice(['sister', 'brother', 'friend'])} has {a}.", [("How much do we have together?", f"{b} + {a} = {a + b} {c}.", f"{a + b} {c}."), ("Who has more?", None, None)][:1]
def lasts(r):
    h, n = r.randrange(1, 10), r.randrange(1, 3); x = r.choice(["film", "meeting", "concert", "lesson", "match", "party", "flight", "walk"])
    return f"The {x} starts at {h} and lasts {n} hour{'s' * (n > 1)}.", [(r.choice(["When does it end?", f"When does the {x} end?", "When is it over?"]), f"{h} + {n} = {h + n}, so it ends at {h + n}.", f"At {h + n}."), (f"When does the {x} start?", f"It starts at {h}.", f"At {h}.")]
def older(r):
    a, d = r.randrange(8, 70), r.randrange(2, 8); k, he = r.choice([("brother", "he"), ("sister", "she"), ("wife", "she"), ("friend", "he"), ("cousin", "she")]); up = r.random() < .5
    return f"I am {a} and my {k} is {d} years {'older' if up else 'younger'}.", [(f"How old is {r.choice([he, 'my ' + k])}?", f"{a} {'+' if up else '-'} {d} = {a + d if up else a - d}, so {he} is {a + d if up else a - d}.", f"{a + d if up else a - d}.")]

KINDS = [(starts, 10), (event, 8), (hours, 4), (put, 10), (parked, 3), (code, 10), (room, 5), (bought, 9), (amounts, 5), (two_things, 6), (two_animals, 5), (taller, 7), (ages, 4), (relation, 5), (office, 5), (does, 6), (gave, 5), (coloured, 4), (today, 4), (sums, 14), (money, 9), (lasts, 3), (older, 3)]
OPEN = re.compile(r"(The|My|Our|It|It's|Today|There|We) ")
ALONE = (sums, money, lasts, older)  # sums: what is told is asked about at once or in the next turn
def asked(r, q):
    z = r.random()
    if z < .1: q = f"{r.choice(P['between'])} {q[0].lower() + q[1:] if not q.startswith('I ') else q}"
    elif z < .16 and q[-1] == "?": q = f"{q[:-1]} {r.choice(P['again'])}?"
    return careless(r, q)
def seg(r, fillers=None):
    """Something told and asked for: in one message, in two turns, or with other turns between."""
    kind = r.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0]; said, asks = kind(r)
    asks = r.sample(asks, min(len(asks), r.choice((1, 1, 1, 2))))
    if r.random() < .12: said = f"{r.choice(P['before'])} {low(said) if OPEN.match(said) else said}"
    if r.random() < .1: said = said.lower() if kind in (starts, put, parked, two_things, two_animals, coloured) else said
    out = []
    for i, (q, full, short) in enumerate(asks):
        a = full if r.random() < .68 else short
        if i == 0 and r.random() < (.75 if kind in ALONE else .5): out.append(T(f"{said if said[-1] in '.!' else said + '.'} {q if r.random() < .9 else q[0].lower() + q[1:]}".replace("..", "."), a, short))
        else:
            if i == 0:
                out.append(T(said, r.choice(P["ack"]), "OK"))
                for _ in range(r.choice((0, 0, 0, 1, 2)) if fillers else 0): out += fillers(r)
            out.append(T(asked(r, q), a, short))
    return out
def untold(r):
    """Asked for what was never told."""
    if r.random() < .5: s, b, v = r.choice([x for x in P["starts"] if x[0][:3] == "my "]); q, what = f"When does {s} {b}?", f"when {yours(s)} {v}"
    else: s, b = r.choice([x for x in P["things"] if x[0][:3] == "my "]); q, what = r.choice([f"Where {b} {s}?", f"Where did I put {s}?"]), f"where {yours(s)} {b}"
    return [T(careless(r, q), r.choice([f"You have not told me {what}.", f"I don't know {what}: you have not told me.", f"You haven't told me {what} yet."]), "You have not told me.")]
