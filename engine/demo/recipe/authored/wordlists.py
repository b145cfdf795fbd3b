"""Lists and words that fit: adjectives and words for a thing, what is where, colours, rhymes, first letters, lists in order; nothing twice.

lists_src/lists.txt has the words.
"""
import os, re
from skill_common import T, an, bank, cap, careless, join, sloppy

HERE = os.path.dirname(os.path.abspath(__file__))
def tables():
    found = {}
    for line in open(HERE + "/lists_src/lists.txt", encoding="utf-8").read().split("\n"):
        if line[:1] == "@": table = found[line[1:]] = {}
        elif line and line[0] != "#": k, xs = line.split(": ", 1); table[k] = [[x.strip() for x in part.split(",")] for part in xs.split("|")]
    return found
L = tables()
NUMBER = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
def many(r, most, least=2):
    """A number of things, in a word or a figure."""
    w = r.choice([w for w, n in NUMBER.items() if least <= n <= most for _ in range(4 if n in (3, 5) else 2 if n in (2, 4) else 1)])
    return NUMBER[w], str(NUMBER[w]) if r.random() < .3 else w
def shown(r, ys):
    z = r.random()
    return cap(join(ys)) + "." if z < .6 else "\n".join("- " + y for y in ys) if z < .78 else "\n".join(f"{i + 1}. {y}" for i, y in enumerate(ys))
def more(r, out, rest):
    """One or two more of the same, none of which was said."""
    rest = list(rest)
    while rest and r.random() < .3 and len(out) < 4:
        n = 2 if len(rest) > 1 and r.random() < .25 else 1; ys = [rest.pop(r.randrange(len(rest))) for _ in range(n)]
        out.append(T(sloppy(r, ["Two more.", "two more please", "And two more?"] if n == 2 else ["Another one.", "another one?", "One more.", "and another", "One more, please.", "name another", "Another?"]), cap(join(ys)) + ".", None, "data"))
    return out
ASK = ["Give me {d} {w}.", "{d} {w}", "{d} {w}, please", "Name {d} {w}.", "I need {d} {w}.", "Find {d} {w}.", "Tell me {d} {w}.", "Can you give me {d} {w}?", "Think of {d} {w}.", "list {d} {w}", "Write down {d} {w}.", "Do you know {d} {w}?", "Say {d} {w}.", "What are {d} {w}?", "{d} {w} pls", "Could you find {d} {w}?", "Make a list of {d} {w}.", "Help me with {d} {w}."]
def ask(r, d, w): return careless(r, cap(r.choice(ASK).format(d=d, w=w)) if r.random() < .8 else r.choice(ASK).format(d=d, w=w))

def fitting(r):
    x = r.choice(list(L["fitting"])); adjectives, nouns = L["fitting"][x]; n, d = many(r, 4); z = r.random()
    if z < .4: w, xs = r.choice(["adjectives for {x}", "adjectives that describe {x}", "adjectives about {x}", "describing words for {x}", "words that describe {x}", "adjectives that fit {x}", "good adjectives for {x}"]), adjectives
    elif z < .75: w, xs = r.choice(["words for {x}", "words about {x}", "words that go with {x}", "words to do with {x}", "words on {x}", "things that make you think of {x}", "words that belong to {x}"]), r.choice((nouns, nouns, adjectives))
    else:
        ys = r.sample(adjectives, n)
        return [T(careless(r, r.choice(["Describe {x} in {d} words.", "describe {x} in {d} words", "{x} in {d} words?", "What is {x} like, in {d} words?", "Sum up {x} in {d} words.", "How would you describe {x} in {d} words?", "{x}: {d} words, please"]).format(x=x, d=d)), cap(join(ys)) + ".", None, "data")]
    ys = r.sample(xs, n); return more(r, [T(ask(r, d, w.format(x=x)), shown(r, ys), None, "data")], [y for y in xs if y not in ys])
def one_word(r):
    x = r.choice(list(L["fitting"])); y = r.choice(L["fitting"][x][0])
    return [T(sloppy(r, [f"Give me a word for {x}.", f"Describe {x} in one word.", f"One word for {x}?", f"An adjective for {x}, please.", f"What is {x} like?", f"one adjective that fits {x}", f"Find an adjective for {x}."]), cap(y) + ".", cap(y))]
def found(r):
    x = r.choice(list(L["found"])); xs = L["found"][x][0]; n, d = many(r, min(6, len(xs)))
    on = "on" if x in ("desk", "farm", "beach", "ship", "playground") else "at" if x in ("airport", "train station", "circus", "picnic") else "in"; the = "the " if x in ("sea", "sky") else an(x)[:-len(x)]
    w = r.choice(["things you find {on} {x}", "things {on} {x}", "things that are {on} {x}", "things one finds {on} {x}", "things you can see {on} {x}"]).format(on=on, x=the + x)
    ys = r.sample(xs, n); return more(r, [T(ask(r, d, w), shown(r, ys), None, "data")], [y for y in xs if y not in ys])
def being(r):
    """Things of a colour, or of which something is true."""
    key = r.choice(("coloured", "being")); c = r.choice(list(L[key])); xs = L[key][c][0]
    if c.startswith("that "): w = f"things {c}"
    elif " " in c: w = r.choice([f"things {c}", f"things that are {c}"])
    else: w = r.choice([f"{c} things", f"things that are {c}"])
    if r.random() < .25 and not c.startswith("that "):
        y = r.choice(xs); return more(r, [T(sloppy(r, [f"Name something {c}.", f"Tell me something {c}.", f"something {c}?", f"What is {c}?" if key == "coloured" else f"Think of something {c}.", f"one thing that is {c}"]), cap(y) + ".", cap(y))], [x for x in xs if x != y])
    n, d = many(r, min(5, len(xs))); ys = r.sample(xs, n); return more(r, [T(ask(r, d, w), shown(r, ys), None, "data")], [y for y in xs if y not in ys])
def colours(r):
    z = r.random()
    if z < .4:
        pair = r.choice(list(L["mixed"])); v = L["mixed"][pair][0][0]; a, b = pair.split(" and ")
        if r.random() < .5: a, b = b, a
        return [T(sloppy(r, [f"What colour do you get from {a} and {b}?", f"What do {a} and {b} make?", f"Mix {a} and {b}. Which colour is it?", f"What colour is {a} mixed with {b}?", f"{a} and {b} mixed?", f"If I mix {a} and {b}, what do I get?", f"What color do {a} and {b} make?", f"{a} + {b} paint = ?", f"which colour comes out of {a} and {b}"]), r.choice([f"{cap(a)} and {b} make {v}.", f"{cap(v)}.", f"You get {v}."]), cap(v))]
    x = r.choice(list(L["suits"])); xs = L["suits"][x][0]
    if z < .55 and len(xs) > 2: n = r.choice((2, 3)); ys = r.sample(xs, n); return [T(ask(r, {2: "two", 3: "three"}[n], f"colours for {x}"), cap(join(ys)) + ".", None, "data")]
    v = r.choice(xs)
    return more(r, [T(sloppy(r, [f"Give me a colour for {x}.", f"Which colour suits {x}?", f"What colour for {x}?", f"a colour for {x}?", f"Which colour fits {x}?", f"I need a colour for {x}.", f"What is a good colour for {x}?", f"What color would you choose for {x}?", f"Which colour should I take for {x}?", f"Suggest a colour for {x}."]), r.choice([f"{cap(v)}.", f"{cap(v)} would suit.", f"I'd take {v}.", f"How about {v}?"]), cap(v))], [y for y in xs if y != v])
RHYMES = [g for g in bank.RHY] + [g.split() for g in "hand sand land band stand;nose rose hose close;door floor four more;bell well shell sell tell;top shop hop drop stop;fun sun run one;bed red head bread;pan man fan can van;pen ten men hen;sock clock rock lock block;heart part start art;bread head bed red;snow go show blow low;down town brown crown;cold gold old told hold;ground sound round found;dream cream team stream;meat street feet sweet heat;wine fine nine line mine;sky high fly my dry;bear chair hair pear;stone bone phone alone;mind kind find blind;flower tower power shower hour;letter better sweater;money honey funny sunny bunny;dinner winner thinner;ship trip lip tip;nest best test rest west;fish dish wish".split(";")]
RHYME_OF = {w: sorted({v for g in RHYMES if w in g for v in g} - {w}) for g in RHYMES for w in g}
def rhymes(r):
    w = r.choice(sorted(RHYME_OF)); xs = RHYME_OF[w]; q = w if r.random() < .7 else f'"{w}"'
    if r.random() < .5 or len(xs) < 2:
        v = r.choice(xs); return more(r, [T(sloppy(r, [f"What rhymes with {q}?", f"what rhymes with {q}", f"Give me a rhyme for {q}.", f"A word that rhymes with {q}?", f"rhyme for {q}", f"Find a word that rhymes with {q}.", f"I need a rhyme for {q}.", f"Which word rhymes with {q}?"]), r.choice([f"{cap(v)}.", f"{cap(w)} rhymes with {v}.", f"{cap(v)} rhymes with {w}."]), cap(v))], [x for x in xs if x != v])
    n, d = many(r, min(4, len(xs))); ys = r.sample(xs, n)
    return [T(ask(r, d, r.choice([f"words that rhyme with {q}", f"rhymes for {q}", f"words rhyming with {q}"])), cap(join(ys)) + ".", None, "data")]
POOLS = ("fruits", "vegetables", "animals", "birds", "clothes", "tools", "jobs", "sports", "trees", "flowers", "drinks", "insects")
def initials(r):
    """Words, or things of one kind, with a first letter."""
    import skill_words
    one = {"fruits": "a fruit", "vegetables": "a vegetable", "animals": "an animal", "birds": "a bird", "jobs": "a job", "sports": "a sport", "trees": "a tree", "flowers": "a flower"}
    if r.random() < .45:
        k = r.choice(list(one)); x = r.choice(bank.CATS[k]); a = x[0].upper(); same = [y for y in bank.CATS[k] if y[0].upper() == a]
        return [T(sloppy(r, [f"Name {one[k]} that starts with {a}.", f"{one[k]} with {a}?", f"{cap(one[k])} beginning with {a}, please.", f"Tell me {one[k]} with the letter {a}.", f"Which {one[k].split(' ', 1)[1]} starts with {a}?"]), cap(r.choice(same)) + ".", cap(x))]
    words = [w for w in skill_words.WORDS if w.islower() and 3 <= len(w) <= 8]; a = r.choice("abcdefghlmnoprstw"); xs = [w for w in words if w[0] == a]; n, d = many(r, 5)
    return [T(ask(r, d, r.choice([f"words that start with {a.upper()}", f"words with {a.upper()} at the start", f"words beginning with {a.upper()}", f"words that begin with the letter {a.upper()}"])) if r.random() < .8 else sloppy(r, [f"Give me words that start with {a.upper()}.", f"words with {a.upper()}", f"Which words start with {a.upper()}?"]), cap(join(r.sample(xs, n))) + ".", None, "data")]
ORDERED = {"days of the week": bank.DAYS, "weekdays": bank.DAYS[:5], "months": bank.MONTHS, "months of the year": bank.MONTHS, "seasons": bank.SEASONS, "planets": [p[0] for p in bank.PLANETS], "colours of the rainbow": bank.W("red, orange, yellow, green, blue, indigo, violet"), "vowels": list("AEIOU"), "fingers of a hand": bank.W("thumb, index finger, middle finger, ring finger, little finger"), "meals of the day": bank.W("breakfast, lunch, dinner"), "five senses": bank.W("sight, hearing, smell, taste, touch"), "points of the compass": bank.W("north, east, south, west")}
def ordered(r):
    k = r.choice(list(ORDERED)); xs = ORDERED[k]; d = {4: "four", 5: "five", 7: "seven", 8: "eight", 12: "twelve", 3: "three"}[len(xs)]
    if r.random() < .3 and len(xs) > 4 and k not in ("five senses", "fingers of a hand"):
        n = r.choice((2, 3, 4)); first = r.random() < .65; ys = xs[:n] if first else xs[-n:]; w = {2: "two", 3: "three", 4: "four"}[n]
        return [T(sloppy(r, [f"What are the {'first' if first else 'last'} {w} {k}?", f"Name the {'first' if first else 'last'} {w} {k}.", f"the {'first' if first else 'last'} {w} {k}"]), cap(join(ys)) + ".", None, "data")]
    ask_ = [f"List the {k}.", f"Name the {k}.", f"What are the {k}?", f"the {k}, please", f"Tell me the {k}.", f"Which {k} are there?", f"list all {k}", f"Say the {k} in order."] + ([f"Name the {d} {k}.", f"List the {d} {k}.", f"list {d} {k}", f"Name all {d} {k}."] if not k.startswith("five") else [])
    return [T(sloppy(r, ask_), shown(r, xs), None, "data")]
def plenty(r):
    """More things of one kind, up to eight."""
    k = r.choice([k for k in bank.CATS if len(bank.CATS[k]) >= 10]); n, d = many(r, 8, 3); xs = bank.CATS[k]; ys = r.sample(xs, n)
    return more(r, [T(ask(r, d, k), shown(r, ys), None, "data")], [y for y in xs if y not in ys])
ONE = {"animals": "animal", "fruits": "fruit", "vegetables": "vegetable", "birds": "bird", "tools": "tool", "trees": "tree", "flowers": "flower", "insects": "insect", "sports": "sport", "drinks": "drink", "musical instruments": "musical instrument", "colours": "colour", "jobs": "job", "metals": "metal", "shapes": "shape", "languages": "language", "vehicles": "vehicle", "desserts": "dessert", "countries": "country"}
def single(r):
    k = r.choice(list(ONE)); xs = bank.CATS[k]; y = r.choice(xs)
    return more(r, [T(sloppy(r, [f"Name {an(ONE[k])}.", f"name {an(ONE[k])}", f"Tell me {an(ONE[k])}.", f"Any {ONE[k]}?", f"Give me {an(ONE[k])}.", f"{an(ONE[k])}, please", f"Say the name of {an(ONE[k])}."]), cap(y) + ".", cap(y))], [x for x in xs if x != y])
def both(r):
    """Some of one kind and some of another."""
    a, b = r.sample(list(ONE), 2); n, d = many(r, 4); m = r.choice((1, 1, 2)); ys, zs = r.sample(bank.CATS[a], n), r.sample([x for x in bank.CATS[b] if x not in bank.CATS[a]], m)
    w = f"{a} and {an(ONE[b]).replace('a ', 'one ', 1) if m == 1 and an(ONE[b])[:2] == 'a ' else 'one ' + ONE[b] if m == 1 else 'two ' + b}"
    return [T(ask(r, d, w), r.choice([f"{cap(join(ys))}; {join(zs)}.", f"{cap(a)}: {join(ys)}. {cap(ONE[b] if m == 1 else b)}: {join(zs)}."]), None, "data")]
def another(r):
    """Another word for one."""
    w = r.choice(sorted(bank.SYN)); xs = bank.SYN[w]; xs = [xs] if isinstance(xs, str) else list(xs); y = r.choice(xs); q = w if r.random() < .6 else f'"{w}"'
    return more(r, [T(sloppy(r, [f"Give me another word for {q}.", f"another word for {q}", f"a word for {q}?", f"Give me a word for {q}.", f"What is a synonym for {q}?", f"Another word for {q}, please.", f"How else can I say {q}?", f"What can I say instead of {q}?", f"I need a different word for {q}."]), r.choice([f"{cap(y)}.", f"Another word for {w} is {y}.", f"You can say {y}."]), cap(y))], [x for x in xs if x != y])
KINDS = [(another, 5), (fitting, 14), (one_word, 4), (found, 12), (being, 9), (colours, 8), (rhymes, 8), (initials, 8), (ordered, 8), (plenty, 14), (single, 6), (both, 5)]
def seg(r): return r.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0](r)
