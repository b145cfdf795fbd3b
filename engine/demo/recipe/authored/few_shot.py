#!/usr/bin/env python3
"""Patterns shown by examples: two to six pairs, in one message or as turns, and the answer that continues them, alone.

A kind makes pairs of one rule, many with parts drawn anew for each chat (an ending, a label, a sentence), so that the rule
is in the examples only. A form writes them down. Examples that would fit another rule as well are drawn again (Kind.ok).

usage: few_shot.py N SEED OUT.jsonl
"""
import json, os, random, re, sys
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import few_shot_forms as more_forms, few_shot_named as named_tasks, few_shot_pairs as pairs_of, few_shot_tasks as tasks, skill_shots as shots, skill_sums as sums, skill_words as words, truths
from introductions import city, invented, name
from skill_common import an, bank, cap

class Kind:
    """new(r) gives a function r -> (question, answer); least: how many examples show the rule; ok(pairs): whether they do."""
    def __init__(self, new, weight=1, least=2, ok=None, labels=False):
        self.new, self.weight, self.least, self.ok, self.labels = new, weight, least, ok, labels
def word(r): return r.choice(words.LOWER) if r.random() < .75 else invented(r).lower()
def mapped(f, key=word): return lambda r: lambda r: (lambda x: (x, f(x)))(key(r))
def table(text): pairs = shots.table(text); return lambda r: lambda r: r.choice(pairs)
def chosen(pairs): pairs = list(pairs); return lambda r: lambda r: r.choice(pairs)
def back(pairs): return chosen([(b, a) for a, b in pairs])
def fixed(f): return lambda r: f

# ---- numbers
def by(f):
    """A number and a number of this chat's own."""
    return lambda r: (lambda k: lambda r: (lambda x: (str(x), str(f(x, k))))(r.randrange(12, 90)))(r.choice((1, 1, 1, 2, 3, 4, 5, 10)))
def times(r): k = r.choice((2, 2, 3, 10)); return lambda r: (lambda x: (str(x), str(x * k)))(r.randrange(3, 30 if k < 10 else 90))
def unit(r):
    before, after = r.choice([("", " km"), ("", " kg"), ("$", ""), ("", " %"), ("No. ", ""), ("#", ""), ("", " euros"), ("", " apples"), ("room ", ""), ("", " o'clock"), ("page ", ""), ("", "th"), ("v", ""), ("0", ""), ("", ".0")])
    return lambda r: (lambda x: (str(x), f"{before}{x}{after}"))(r.randrange(4, 21) if after == "th" else r.randrange(2, 13) if "clock" in after else r.randrange(2, 400))
def ordinal(n): return f"{n}{'th' if 10 < n % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"
def roman(n):
    out = ""
    for v, s in ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")): out += s * (n // v); n %= v
    return out
def pair_of(r, pick):
    a, b = r.sample(range(2, 100), 2); return f"{a}, {b}", str(pick(a, b))
def two_ways(xs):
    """The larger number is neither always the first nor always the last."""
    return len({q.split(", ")[0] == a for q, a in xs}) == 2
def series(r): d = r.choice((1, 1, 2, 3, 5, 10)); return lambda r: (lambda a: (f"{a}, {a + d}, {a + 2 * d}", str(a + 3 * d)))(r.randrange(1, 60))
def compared(r): x = r.choice((10, 20, 50)); a, b = r.choice([("small", "big"), ("low", "high"), ("no", "yes"), ("below", "above"), ("-", "+")]); return lambda r: (lambda n: (str(n), b if n > x else a))(r.choice([n for n in range(1, 2 * x) if abs(n - x) > x // 4]))
def claim(r):
    yes, no = r.choice([("true", "false"), ("right", "wrong"), ("yes", "no"), ("True", "False")])
    def f(r): a, b = r.randrange(1, 10), r.randrange(1, 10); right = r.random() < .5; return f"{a} + {b} = {a + b if right else a + b + r.choice((-1, 1, 2))}", yes if right else no
    return f
def bigger(r):
    def f(r): a, b = r.sample(range(1, 100), 2); return f"Is {a} bigger than {b}?", "yes" if a > b else "no"
    return f
def measured(r):
    a, b, k, most = r.choice([("km", "m", 1000, 20), ("h", "min", 60, 6), ("m", "cm", 100, 60), ("kg", "g", 1000, 20), ("min", "s", 60, 6), ("weeks", "days", 7, 11), ("cm", "mm", 10, 90), ("dozen", "pieces", 12, 9)])
    return lambda r: (lambda x: (f"{x} {a}", f"{x * k} {b}"))(r.randrange(2, most))
def clock(r):
    def f(r): h, m = r.randrange(13, 24), r.choice((0, 5, 10, 15, 20, 30, 45, 50)); return f"{h}:{m:02}", f"{h - 12}:{m:02} pm"
    return f
def later(r): return lambda r: (lambda h, m: (f"{h}:{m:02}", f"{h + 1}:{m:02}"))(r.randrange(1, 22), r.choice((0, 10, 15, 20, 30, 45)))
def date(r):
    style = r.choice(["{y}-{m:02}-{d:02}", "{d}.{m}.{y}", "{m}/{d}/{y}", "{M} {d}, {y}", "{y}", "{M}", "{d:02}.{m:02}."])
    def f(r): y, m, d = r.randrange(1950, 2030), r.randrange(1, 13), r.randrange(13, 29); M = bank.MONTHS[m - 1]; return f"{d} {M} {y}", style.format(y=y, m=m, d=d, M=M)
    return f

# ---- words and letters
def endings(r):
    """An affix of this chat's own."""
    x = invented(r).lower()[:4] if r.random() < .5 else r.choice("! ? ... - * + _ # ~ $ % & ; :) ly ness less ish -x 2".split() + ["my ", "un", "re", "the ", "big ", "no "])
    z = r.random(); y = x.strip()
    if x[-1] == " " or z < .3: return lambda r: (lambda w: (w, x + w))(word(r))
    return (lambda r: (lambda w: (w, w + y))(word(r))) if z < .75 else lambda r: (lambda w: (w, y + w + y))(word(r))
def wrapped(r):
    a, b = r.choice([("(", ")"), ("[", "]"), ("<", ">"), ('"', '"'), ("'", "'"), ("*", "*"), ("**", "**"), ("_", "_"), ("`", "`"), ("<b>", "</b>"), ("<<", ">>"), ("- ", ""), ("> ", ""), ("# ", ""), ("/", "/"), ("~", "~"), ("=", "="), ("@", ""), ("/", "")])
    return lambda r: (lambda w: (w, a + w + b))(word(r))
def short(r): return r.choice([w for w in words.LOWER if len(w) < 6])
def spaced(r): x = r.choice(["-", " ", ".", ", ", "/", "_"]); return lambda r: (lambda w: (w, x.join(w)))(short(r))
def repeated(r): n, x = r.choice((2, 2, 3)), r.choice([" ", "-", ", ", ""]); return lambda r: (lambda w: (w, x.join([w] * n)))(word(r))
def cut(r):
    n = r.choice((1, 2, 3)); f = r.choice([lambda w: w[:n], lambda w: w[-n:], lambda w: w[n:], lambda w: w[:-n]])
    return lambda r: (lambda w: (w, f(w)))(r.choice([w for w in words.LOWER if len(w) > 4]))
def no_vowels(r): x = r.choice(["", "-", "_"]); return lambda r: (lambda w: (w, re.sub("[aeiou]", x, w)))(short(r))
def swapped_letter(r):
    a, b = r.choice([("a", "o"), ("e", "a"), ("a", "@"), ("o", "0"), ("e", "3"), ("i", "1"), ("s", "z"), ("r", "l"), ("e", "u")])
    return lambda r: (lambda w: (w, w.replace(a, b)))(r.choice([w for w in words.LOWER if a in w]))
def letter_next(r): k = r.choice((1, 1, -1)); return lambda r: (lambda i: (chr(97 + i), chr(97 + i + k)))(r.randrange(1, 25))
LETTERS = "abcdefghijklmnopqrstuvwxyz"
def pasted(r):
    """Two words, put together the way of this chat."""
    f = r.choice([lambda a, b: f"{a}_{b}", lambda a, b: f"{a}-{b}", lambda a, b: a + cap(b), lambda a, b: cap(a) + cap(b), lambda a, b: f"{cap(a)} {cap(b)}", lambda a, b: a + b, lambda a, b: f"{a}.{b}", lambda a, b: f"{b} {a}", lambda a, b: f"{a} and {b}", lambda a, b: f"{a}/{b}", lambda a, b: f"{a} + {b}", lambda a, b: f"{b}, {a}", lambda a, b: f"{a[0]}{b[0]}", lambda a, b: f"{a} or {b}?", lambda a, b: b, lambda a, b: a])
    def g(r): a, b = word(r), word(r); return f"{a} {b}", f(a, b)
    return g
def unpasted(r):
    x = r.choice("_-./"); return lambda r: (lambda a, b: (f"{a}{x}{b}", f"{a} {b}"))(word(r), word(r))
def turned(r): x = r.choice(["/", "=", " - ", ":", " & ", ">"]); return lambda r: (lambda a, b: (f"{a}{x}{b}", f"{b}{x}{a}"))(word(r), word(r))
FRAMES = ["I see {a}.", "The {x} is here.", "Where is the {x}?", "I like the {x}.", "No {x} today.", "One {x}, please.", "This is {a}.", "My {x} is old.", "Look, {a}!", "The {x} is red.", "Is it {a}?", "Thanks for the {x}!", "{a}, of course", "I have {a}.", "the best {x}", "{x} wanted", "buy {x}", "{x}?", "dear {x},", "{X}: yes", "{X} = 1", "1 {x}", "not {a}", "Give me the {x}.", "hello {x}", "{x} of the day", "we need {a}", "{X}!", "to: {x}", "a story about {a}", "/{x}", "{x}.txt", "{x}@home", "www.{x}.com", "{x}()", "let {x} = 0", "{x}.png", "--{x}"]
def framed(r): t = r.choice(FRAMES); return lambda r: (lambda x: (x, t.format(x=x, a=an(x), X=cap(x))))(r.choice(sorted(bank.PLUR)))
GREETINGS = ["Hello, {n}!", "Hi {n}", "Dear {n},", "Welcome, {n}.", "Good morning, {n}!", "{n}: present", "{n} says hello.", "Bye, {n}!", "Thank you, {n}.", "Mr. {n}", "Where is {n}?", "{n} & friends", "Happy birthday, {n}!", "Call {n}.", "user {n}", "@{n}", "{n} wins!", "for {n}", "I know {n}.", "{n}'s book"]
def greeted(r): t = r.choice(GREETINGS); return lambda r: (lambda n: (n, t.format(n=n)))(name(r))
def surname(r): return r.choice(bank.SURNAMES) if r.random() < .5 else invented(r)
def single(r):
    """A name of letters alone."""
    while True:
        n = name(r)
        if n.isalpha(): return n
def full_name(r):
    f = r.choice([lambda a, b: f"{b}, {a}", lambda a, b: f"{a[0]}.{b[0]}.", lambda a, b: f"{a[0]}. {b}", lambda a, b: b, lambda a, b: a, lambda a, b: f"{b} {a}", lambda a, b: f"{a} {b[0]}.", lambda a, b: (a[0] + b[0]).upper(), lambda a, b: f"{a} {b}".upper(), lambda a, b: f"{a} {b}".lower(), lambda a, b: f"{a.lower()}.{b.lower()}", lambda a, b: f"{a.lower()}_{b.lower()}", lambda a, b: f"Mx. {b}"])
    def g(r): a, b = single(r), surname(r); return f"{a} {b}", f(a, b)
    return g

# ---- sentences
VERBS = ["lives in {c}", "comes from {c}", "works in {c}", "moved to {c}", "flew to {c}", "was born in {c}"]
JSON_KEYS = [("name", "city"), ("name", "town"), ("who", "where"), ("person", "place")]
def found(r):
    """What is picked out of a sentence with a name, a city and a number."""
    t = r.choice(["{n} lives in {c}.", "{n} from {c} bought {k} tickets.", "{n} ({k}) is from {c}.", "In {c}, {n} met {k} friends.", "{n}, {k}, {c}", "name: {n}; city: {c}; age: {k}", "{n} is {k} years old and lives in {c}.", "{k} letters went from {c} to {n}.", "Dear {n}, come to {c} on day {k}."])
    out = r.choice(["{n}", "{c}", "{n}, {c}", "{n}: {c}", "{c} - {n}", "{n} / {c}", "{n} ({c})", *[j.replace("K", a).replace("L", b) for a, b in JSON_KEYS for j in ('{{"K": "{n}", "L": "{c}"}}', '{{"L": "{c}", "K": "{n}"}}')], "name={n}, city={c}"] + (["{k}", "{n} {k}", "{k}, {c}", '{{"n": {k}}}'] if "{k}" in t else []))
    def f(r): v = dict(n=name(r), c=city(r), k=r.randrange(2, 100)); return t.format(**v), out.format(**v)
    return f
SUBJECTS, THINGS = bank.W("I, We, They, You"), bank.W("tea, bread, music, books, the sea, old films, apples, long walks, rain, soup, cats, stamps, trains, the moon, big dogs, new shoes, cheese, summer, quiet evenings, red cars, flowers, pancakes, snow, maps")
def sentence(r): return f"{r.choice(SUBJECTS)} {r.choice(['like', 'love', 'want', 'need', 'see', 'miss', 'hear'])} {r.choice(THINGS)}"
def reworded(r):
    f = r.choice([lambda s: s.split()[-1], lambda s: s.split()[0], lambda s: s.split()[1], lambda s: s.upper(), lambda s: s.lower(), lambda s: s.replace(" ", " do not ", 1), lambda s: f"Do {'I' if s[:2] == 'I ' else s[0].lower() + s[1:].split(' ')[0]} {s.split(' ', 1)[1]}?", lambda s: s + "!", lambda s: s + "?", lambda s: s.replace(" ", "_"), lambda s: s.replace(" ", "-").lower(), lambda s: " ".join(s.split()[::-1]), lambda s: s + ", too", lambda s: f'"{s}"', lambda s: s.replace(" ", " really ", 1), lambda s: "".join(w[0] for w in s.split()).upper(), lambda s: " ".join(s.split()[1:]), lambda s: "Yes, " + (s if s[:2] == "I " else s[0].lower() + s[1:]), lambda s: s.title()])
    return lambda r: (lambda s: (s, f(s)))(sentence(r))
def counted_words(r): return lambda r: (lambda s: (s, str(len(s.split()))))(" ".join(r.choice(words.LOWER) for _ in range(r.randrange(2, 6))))
def opposite_in(r):
    t = r.choice(["It is {w}.", "The day was {w}.", "not {w}", "very {w}", "I feel {w}.", "Too {w}!", "so {w}", "Is it {w}?"]); o = t.replace("not ", "")
    ws = sorted(w for w in words.ADJ if w in bank.OPP)
    return lambda r: (lambda w: (t.format(w=w), o.format(w=bank.OPP[w])))(r.choice(ws))
BOTH = sorted(w for w in bank.SYN if w in bank.OPP)
def related(r):
    """A word with a synonym and an opposite: only the examples tell which of them is wanted."""
    f = r.choice([lambda w: bank.OPP[w]] * 4 + [lambda w: bank.SYN[w]] * 3 + [lambda w: f"{bank.SYN[w]}, {bank.OPP[w]}", lambda w: f"not {bank.OPP[w]}", lambda w: bank.OPP[w].upper(), lambda w: f"{w} and {bank.OPP[w]}", str.upper])
    return lambda r: (lambda w: (w, f(w)))(r.choice(BOTH))

# ---- lists
def listed(r):
    f = r.choice([lambda xs: xs[0], lambda xs: xs[-1], lambda xs: xs[1], lambda xs: ", ".join(xs[::-1]), lambda xs: " and ".join(xs), lambda xs: "; ".join(xs), lambda xs: " ".join(xs), lambda xs: "-".join(xs), lambda xs: f"{', '.join(xs[:-1])} and {xs[-1]}", lambda xs: f"{xs[0]}, {xs[-1]}", lambda xs: "".join(x[0] for x in xs), lambda xs: ", ".join(x.upper() for x in xs), lambda xs: ", ".join(xs[1:]), lambda xs: ", ".join(xs[:-1]), lambda xs: "[" + ", ".join(xs) + "]", lambda xs: " > ".join(xs), lambda xs: "\n".join("- " + x for x in xs), lambda xs: ", ".join(f"{i}. {x}" for i, x in enumerate(xs, 1)), lambda xs: "/".join(xs)])
    return lambda r: (lambda xs: (", ".join(xs), f(xs)))([word(r) for _ in range(3)])
def ordered(r): return lambda r: (lambda xs: (", ".join(xs), ", ".join(sorted(xs))))(words.some(r, 3, 1))
def numbers_ordered(r): return lambda r: (lambda xs: (", ".join(map(str, xs)), ", ".join(map(str, sorted(xs)))))(r.sample(range(1, 60), 3))
def mixed_up(xs): return all(any(q.split(", ") != a.split(", ")[::d] for q, a in xs) for d in (1, -1))
def once(r):
    def f(r): a, b = r.sample(words.LOWER, 2); return r.choice([(f"{a}, {a}, {b}", f"{a}, {b}"), (f"{a}, {b}, {b}", f"{a}, {b}"), (f"{a}, {b}, {a}", f"{a}, {b}")])
    return f
def how_many(r): return lambda r: (lambda n: (", ".join(r.sample(words.LOWER, n)), str(n)))(r.randrange(1, 6))
def field(r):
    """A record in, one of its fields out, or the record in another notation."""
    i, sep = r.randrange(3), r.choice([", ", ";", " | ", "\t", ","])
    out = r.choice([lambda xs: xs[i], lambda xs: "; ".join(xs), lambda xs: f"{xs[0]} is {xs[1]}, from {xs[2]}.", lambda xs: f"{xs[2]}: {xs[0]}", lambda xs: json.dumps(xs[0], ensure_ascii=False), lambda xs: f"{xs[0]} ({xs[1]})", lambda xs: xs[i].upper()])
    return lambda r: (lambda xs: (sep.join(xs), out(xs)))([name(r), str(r.randrange(5, 90)), city(r)])

# ---- labels and things
CATS = [c for c in ("fruits", "vegetables", "birds", "fish", "jobs", "sports", "musical instruments", "drinks", "trees", "flowers", "clothes", "tools", "vehicles", "pieces of furniture", "parts of the body", "metals", "shapes", "countries", "feelings", "planets", "colours")]
def labels(r):
    """Two or three sorts of things with a label each; the labels may be nonsense, so that only the examples tell them."""
    n = r.choice((2, 2, 3)); sorts = r.sample(CATS, n); z = r.random()
    if z < .35: names = sorts if r.random() < .5 else [s.rstrip("s") if not s.endswith(("bs", "oes")) and " " not in s and s != "clothes" else s for s in sorts]
    elif z < .75: names = r.sample([["foo", "bar", "baz"], ["A", "B", "C"], ["1", "2", "3"], ["red", "green", "blue"], ["left", "right", "up"], ["x", "y", "z"], ["yes", "no", "maybe"], ["+", "-", "0"], ["alpha", "beta", "gamma"], ["box one", "box two", "box three"]], 1)[0][:n]
    else: names = [invented(r).lower() for _ in range(n)]
    if z < .75 and r.random() < .15: names = [x.upper() for x in names]
    return lambda r: (lambda i: (r.choice([x for x in bank.CATS[sorts[i]] if x not in AMBIGUOUS]), names[i]))(r.randrange(n))
SORTS = {x: [c for c in CATS if x in bank.CATS[c]] for c in CATS for x in bank.CATS[c]}
AMBIGUOUS = {x for x, cs in SORTS.items() if len(cs) > 1} | {"orange", "rose", "violet", "chest", "mercury", "gold", "silver"}
MOODS = [("happy", "sad"), ("good", "bad"), ("positive", "negative"), (":)", ":("), ("+", "-"), ("up", "down"), ("1", "0"), ("yay", "oh no")]
LIKES, LOATHES = "I love {x} / I like {x} / I adore {x} / {X} is great / what lovely {x} / Thanks for the {x}, it was perfect / The {x} was wonderful / I enjoyed the {x} / best {x} ever / so happy with the {x} / The {x} made my day".split(" / "), "I hate {x} / I can't stand {x} / {X} is awful / what terrible {x} / The {x} was a waste of time / The {x} was horrible / I am tired of {x} / worst {x} ever / so sad about the {x} / The {x} ruined my day / no more {x}, please".split(" / ")
LIKED = "music, soup, weather, service, food, work, film, hotel, coffee, party, game, show, dinner, trip, book, room, bread, concert, lesson, cake, advice, help, news, tea, rain".split(", ")
def feeling(r):
    """What somebody thinks of a thing, labelled in the words of this chat."""
    a, b = r.choice(MOODS + [("like", "dislike"), ("A", "B"), ("nice", "nasty"), ("pro", "contra"), ("5", "1"), ("👍", "👎"), ("love", "hate"), ("POS", "NEG")])
    def f(r):
        good, x = r.random() < .5, r.choice(LIKED)
        s = r.choice(LIKES if good else LOATHES).format(x=x, X=cap(x))
        return s + r.choice(["", "", ".", "!"]), a if good else b
    return f
def truth(r):
    yes, no = r.choice([("yes", "no"), ("Yes", "No"), ("true", "false"), ("right", "wrong"), ("Y", "N"), ("1", "0"), ("Yes.", "No.")])
    def f(r): q, true = truths.question(r); return q, yes if true else no
    return f
def mood(r): a, b = r.choice(MOODS); return lambda r: (lambda s, m: (s, a if m == "happy" else b))(*r.choice(shots.MOOD))
LEGS = "cat:4, dog:4, spider:8, ant:6, bee:6, duck:2, hen:2, horse:4, cow:4, snake:0, frog:4, beetle:6, owl:2, lion:4, worm:0, penguin:2, fly:6, mouse:4, goose:2, sheep:4"
PLACE = "baker:bakery, teacher:school, doctor:hospital, cook:kitchen, farmer:farm, sailor:ship, pilot:plane, librarian:library, judge:court, actor:theatre, priest:church, waiter:restaurant, gardener:garden, miner:mine, king:palace, monk:monastery, soldier:army, clown:circus"
CONTINENT = "France:Europe, Japan:Asia, Kenya:Africa, Peru:South America, Italy:Europe, India:Asia, Egypt:Africa, Brazil:South America, Spain:Europe, China:Asia, Nigeria:Africa, Chile:South America, Poland:Europe, Vietnam:Asia, Ghana:Africa, Sweden:Europe, Morocco:Africa, Argentina:South America, Thailand:Asia, Norway:Europe"
DOING = "go:going, run:running, sing:singing, eat:eating, write:writing, swim:swimming, make:making, read:reading, take:taking, sit:sitting, play:playing, drive:driving, walk:walking, dance:dancing, stop:stopping, jump:jumping, ride:riding, cut:cutting, give:giving, look:looking, bake:baking, win:winning, sleep:sleeping, come:coming"
MAKER = "bake:baker, teach:teacher, sing:singer, write:writer, run:runner, drive:driver, paint:painter, dance:dancer, read:reader, farm:farmer, swim:swimmer, play:player, hunt:hunter, build:builder, dream:dreamer, win:winner, lead:leader, speak:speaker"
LYS = "quick:quickly, slow:slowly, loud:loudly, happy:happily, soft:softly, sad:sadly, easy:easily, brave:bravely, kind:kindly, warm:warmly, angry:angrily, clear:clearly, proud:proudly, nice:nicely, bad:badly, lucky:luckily"
HE = "king:queen, man:woman, boy:girl, father:mother, brother:sister, son:daughter, uncle:aunt, actor:actress, prince:princess, husband:wife, grandfather:grandmother, nephew:niece, waiter:waitress, hero:heroine, bull:cow, lord:lady"
SKIN = "knife:cut, pen:write, broom:sweep, cup:drink, bed:sleep, book:read, car:drive, chair:sit, phone:call, song:sing, oven:bake, ball:play, ladder:climb, spade:dig, needle:sew, brush:paint"
MADE = "bread:flour, wine:grapes, cheese:milk, paper:wood, glass:sand, butter:milk, jam:fruit, cider:apples, chocolate:cocoa, omelette:eggs, raisins:grapes, fries:potatoes, hummus:chickpeas, juice:fruit"
DAY_OFF = [(d, "weekend" if d in ("Saturday", "Sunday") else "weekday") for d in bank.DAYS]
SHORTENED = "is not:isn't, do not:don't, I am:I'm, you are:you're, it is:it's, we are:we're, they are:they're, cannot:can't, will not:won't, he is:he's, I will:I'll, we have:we've, does not:doesn't, she is:she's, did not:didn't, I have:I've"

SPELLED = "colour:color, centre:center, grey:gray, theatre:theater, favourite:favorite, neighbour:neighbor, flavour:flavor, honour:honor, litre:liter, metre:meter, travelled:traveled, traveller:traveler, jewellery:jewelry, tyre:tire, plough:plow, catalogue:catalog, dialogue:dialog, defence:defense, licence:license, organise:organize, realise:realize, harbour:harbor, labour:labor, rumour:rumor, humour:humor, behaviour:behavior, fibre:fiber, cheque:check, moustache:mustache, pyjamas:pajamas"
EMOJI = "sun:☀️, moon:🌙, star:⭐, heart:❤️, fire:🔥, cat:🐱, dog:🐶, fox:🦊, bee:🐝, frog:🐸, apple:🍎, banana:🍌, pizza:🍕, coffee:☕, cookie:🍪, ball:⚽, rocket:🚀, snow:❄️, rainbow:🌈, tree:🌳, flower:🌸, car:🚗, house:🏠, book:📖, music:🎵, crown:👑, robot:🤖, owl:🦉, turtle:🐢, mushroom:🍄"
def parted(r):
    """Single letters or words with a mark between, put in another order or joined."""
    x, f = r.choice([" ", " ", "-", ", "]), r.choice([lambda s: s[::-1], lambda s: s[::-1], lambda s: s[1:] + s[:1], lambda s: s[:1], lambda s: s[-1:]])
    glue = r.choice([x, x, ""])
    return lambda r: (lambda s: (x.join(s), glue.join(f(s))))(r.sample(LETTERS, r.choice((3, 3, 3, 4))) if r.random() < .7 else r.sample(words.LOWER, 3))
BEINGS, DOINGS = "bird dog cat child horse boy girl baby fox bee wolf mouse king nurse robot farmer lion frog clown sailor".split(), "sings sleeps runs barks eats jumps waits plays hides swims laughs works dances reads falls smiles".split()
def doing(r):
    """Who does it, what is done, or both in another form."""
    f = r.choice([lambda a, b: a, lambda a, b: b, lambda a, b: f"{a}: {b}", lambda a, b: f"{b} {a}", lambda a, b: f"Who {b}? The {a}.", lambda a, b: f"The {a} {b} again.", lambda a, b: f"A {a} {b}.", lambda a, b: a.upper()])
    return lambda r: (lambda a, b: (f"The {a} {b}.", f(a, b)))(r.choice(BEINGS), r.choice(DOINGS))
KINDS = [Kind(pairs_of.related, 30), Kind(by(lambda x, k: x + k), 5), Kind(by(lambda x, k: x - k), 2), Kind(times, 2, 3), Kind(unit, 3), Kind(mapped(str, lambda r: str(r.randrange(3, 300))), .5),
    Kind(fixed(lambda r: (lambda n: (str(n), ordinal(n)))(r.randrange(1, 60))), 2, 3), Kind(fixed(lambda r: (lambda n: (str(n), roman(n)))(r.randrange(1, 40))), 1, 3), Kind(fixed(lambda r: (lambda n: (str(n), sums.word(n)))(r.randrange(0, 100))), 2), Kind(fixed(lambda r: (lambda n: (sums.word(n), str(n)))(r.randrange(0, 100))), 2),
    Kind(fixed(lambda r: pair_of(r, max)), 2, 3, two_ways), Kind(fixed(lambda r: pair_of(r, min)), 2, 3, two_ways), Kind(fixed(lambda r: pair_of(r, lambda a, b: a + b)), .6, 3), Kind(series, 2), Kind(compared, 2, 4, labels=True), Kind(claim, 2, 4, labels=True), Kind(bigger, 2, 2, labels=True),
    Kind(fixed(lambda r: (lambda n: (str(n), ("odd" if n % 2 else "even")))(r.randrange(1, 90))), 1.5, 4, labels=True), Kind(fixed(lambda r: (lambda a, b: (f"{a} + {b}", str(a + b)))(r.randrange(1, 40), r.randrange(1, 40))), 2), Kind(fixed(lambda r: (lambda a, b: (f"{a} - {b}", str(a - b)))(r.randrange(30, 90), r.randrange(1, 30))), 1.5), Kind(fixed(lambda r: (lambda a, b: (f"{a} x {b}", str(a * b)))(r.randrange(2, 11), r.randrange(2, 11))), 1.5),
    Kind(fixed(lambda r: (lambda n: (str(n), str(n)[::-1]))(r.choice([n for n in range(13, 99) if n % 10 and n % 11]))), 1.5), Kind(measured, 1.5), Kind(clock, 1.5), Kind(later, 1), Kind(date, 3),
    Kind(endings, 6), Kind(wrapped, 5), Kind(spaced, 3), Kind(repeated, 3), Kind(cut, 3, 3), Kind(no_vowels, 2), Kind(swapped_letter, 3), Kind(letter_next, 1.5), Kind(chosen((x, str(i + 1)) for i, x in enumerate(LETTERS)), .7, 3), Kind(mapped(str.upper), 4), Kind(mapped(cap), 2), Kind(mapped(str.lower, lambda r: word(r).upper()), 1.5), Kind(mapped(lambda w: w[0]), 2.5, 3), Kind(mapped(lambda w: w[-1]), 2, 3), Kind(mapped(lambda w: w[0].upper()), 2, 3), Kind(mapped(lambda w: str(len(w)), short), 1.5, 3), Kind(mapped(lambda w: w[::-1], lambda r: r.choice([w for w in words.LOWER if len(w) < 5])), 1.5), Kind(mapped(lambda w: w[0] + str(len(w)), short), .7, 3), Kind(mapped(lambda w: w), 1), Kind(mapped(lambda w: w[0].upper() + "."), 1), Kind(mapped(an), 2), Kind(pasted, 5, 3), Kind(unpasted, 1.5), Kind(turned, 2), Kind(framed, 6), Kind(greeted, 4), Kind(full_name, 4, 3), Kind(mapped(lambda n: n[0], single), 2.5, 3), Kind(mapped(str.upper, name), 1.5), Kind(mapped(lambda n: f"{n[0]}.", single), 1.5, 3), Kind(mapped(str.lower, single), 1),
    Kind(found, 6, 2), Kind(reworded, 5, 3), Kind(counted_words, 1, 3), Kind(opposite_in, 3), Kind(related, 6), Kind(listed, 6, 3), Kind(ordered, 1.5, 3, mixed_up), Kind(numbers_ordered, 2, 3, mixed_up), Kind(once, 1.5, 3), Kind(how_many, 3, 3), Kind(field, 3, 3),
    Kind(labels, 9, 3, labels=True), Kind(mood, 3, 3, labels=True), Kind(feeling, 5, 3, labels=True), Kind(truth, 3, 3, labels=True), Kind(chosen(bank.SYN.items()), 3), Kind(table(SPELLED), 2), Kind(table(EMOJI), 2), Kind(parted, 3, 3), Kind(mapped(an), 1.5), Kind(doing, 3), Kind(chosen(shots.KIND), 4, 3), Kind(chosen(bank.OPP.items()), 5), Kind(chosen((a, b.upper()) for a, b in bank.OPP.items()), 1.5), Kind(chosen(bank.PLUR.items()), 3), Kind(back(bank.PLUR.items()), 2), Kind(chosen((f"one {a}", f"two {b}") for a, b in bank.PLUR.items()), 2), Kind(chosen((an(a), f"many {b}") for a, b in bank.PLUR.items()), 1), Kind(chosen(bank.PAST.items()), 3), Kind(back(bank.PAST.items()), 1.5), Kind(chosen((f"I {a}", f"I {b}") for a, b in bank.PAST.items()), 1.5),
    Kind(chosen(shots.COMPARE), 2), Kind(chosen(shots.MOST), 2), Kind(chosen((a, f"{a}, {b}, {c}") for (a, b), (_, c) in zip(shots.COMPARE, shots.MOST)), 1), Kind(chosen(shots.COLOUR), 2), Kind(chosen(shots.SOUND), 1.5), Kind(chosen(shots.BABY), 1.5), Kind(chosen(shots.CAPITAL), 2), Kind(back(shots.CAPITAL), 1.5), Kind(table(LEGS), 1, 3), Kind(table(PLACE), 1), Kind(table(CONTINENT), 1.5, 3, labels=True), Kind(table(DOING), 1.5), Kind(table(MAKER), 1), Kind(table(LYS), 1), Kind(table(HE), 1.5), Kind(table(SKIN), 1), Kind(table(MADE), .7), Kind(table(SHORTENED), 1), Kind(chosen(DAY_OFF), 1, 4, labels=True),
    Kind(chosen(zip(bank.DAYS, bank.DAYS[1:] + bank.DAYS[:1])), 1.5), Kind(chosen(zip(bank.DAYS[1:] + bank.DAYS[:1], bank.DAYS)), 1), Kind(chosen((d, d[:3]) for d in bank.DAYS), 1), Kind(chosen((m, m[:3]) for m in bank.MONTHS), 1), Kind(chosen(zip(bank.MONTHS, bank.MONTHS[1:] + bank.MONTHS[:1])), 1), Kind(chosen((m, str(i + 1)) for i, m in enumerate(bank.MONTHS)), 1)]
WEIGHTS = [k.weight for k in KINDS]

def fits(kind, shown, last):
    """Whether the examples show the rule, and for labels, each of them."""
    if len(shown) < kind.least: return False
    if kind.labels and (last[1] not in {a for _, a in shown} or len({a for _, a in shown}) < 2): return False
    if not kind.labels and all(q == a for q, a in shown) != (last[0] == last[1]): return False
    return not kind.ok or kind.ok(shown)
def examples(r, n):
    """(kind, n pairs or a few more) with different questions; the last is the one to answer."""
    while True:
        kind = r.choices(KINDS, WEIGHTS)[0]; n = max(n, kind.least + 1)
        for _ in range(8):
            make, out = kind.new(r), {}
            for _ in range(6 * n):
                q, a = make(r); out.setdefault(q, a)
                if len(out) == n: break
            xs = list(out.items())
            if len(xs) == n and fits(kind, xs[:-1], xs[-1]): return kind, xs

# ---- forms in one message: each gives (message, answer)
MARKS = [" -> ", " -> ", " -> ", " => ", ": ", " = ", "->", " - ", " → ", " >> ", " | ", "\t", " :: ", " ~ ", " ==> ", " becomes ", " is "]
NAMED = [("Input", "Output"), ("Q", "A"), ("in", "out"), ("Word", "Answer"), ("Text", "Result"), ("x", "y"), ("Question", "Answer"), ("User", "Bot"), ("Me", "You"), ("From", "To"), ("Before", "After"), ("Given", "Wanted"), ("IN", "OUT"), ("Item", "Label"), ("A", "B"), ("Line", "Reply"), ("input", "output")]
INTRO = ["", "", "", "", "Continue the pattern.\n", "Complete the last line.\n", "Follow the examples.\n", "Examples:\n", "Fill in the last one.\n", "What comes next?\n", "Do the same with the last one.\n", "Go on like this:\n", "Same pattern:\n", "Complete:\n", "Find the rule.\n"]
def arrows(r, xs):
    x = r.choice(MARKS); text = [s for pair in xs for s in pair]
    if any(x.strip() and x.strip() in s for s in text): x = " -> "
    many = any(re.search(r"[,;\n]", s) for s in text); sep = "\n" if many or r.random() < .6 else r.choice([", ", "; ", ", "])
    *shown, (q, a) = xs; end = r.choice(["", "", "", " ?", " ..."]) if x != "\t" else ""
    return sep.join(k + x + v for k, v in shown) + sep + q + x.rstrip(" ") + end, a
def named(r, xs):
    i, o = r.choice(NAMED); gap = r.choice(["\n", "\n\n"]); *shown, (q, a) = xs; mark = r.choice([": ", ": ", ": ", " = ", " > "])
    return gap.join(f"{i}{mark}{k}\n{o}{mark}{v}" for k, v in shown) + f"{gap}{i}{mark}{q}\n{o}{mark.rstrip()}", a
def inline(r, xs):
    i, o = r.choice(NAMED); *shown, (q, a) = xs
    return " ".join(f"{i}: {k} {o}: {v}" for k, v in shown) + f" {i}: {q} {o}:", a
def numbered(r, xs):
    *shown, (q, a) = xs; x = r.choice([" -> ", ": ", " = "]); dot = r.choice([". ", ") "])
    return "\n".join(f"{i}{dot}{k}{x}{v}" for i, (k, v) in enumerate(shown, 1)) + f"\n{len(xs)}{dot}{q}{x.rstrip()}", a
def dashed(r, xs): *shown, (q, a) = xs; d = r.choice("-*•"); return "\n".join(f"{d} {k}: {v}" for k, v in shown) + f"\n{d} {q}:", a
def rows(r, xs): *shown, (q, a) = xs; return "\n".join(f"| {k} | {v} |" for k, v in shown) + f"\n| {q} |", f"{a} |"
def quoted(r, xs): *shown, (q, a) = xs; x = r.choice([" -> ", ": ", " = "]); return "\n".join(f'"{k}"{x}"{v}"' for k, v in shown) + f'\n"{q}"{x.rstrip()}', f'"{a}"'
def objects(r, xs):
    *shown, (q, a) = xs; i, o = r.choice([("in", "out"), ("x", "y"), ("q", "a"), ("text", "label")]); s = lambda v: json.dumps(v, ensure_ascii=False)
    return "\n".join(f'{{"{i}": {s(k)}, "{o}": {s(v)}}}' for k, v in shown) + f'\n{{"{i}": {s(q)}, "{o}":', s(a) + "}"
def tagged(r, xs): *shown, (q, a) = xs; i, o = r.choice([("in", "out"), ("q", "a"), ("word", "answer")]); return "\n".join(f"<{i}>{k}</{i}><{o}>{v}</{o}>" for k, v in shown) + f"\n<{i}>{q}</{i}><{o}>", f"{a}</{o}>"
def if_then(r, xs): *shown, (q, a) = xs; return " ".join(f'If I say "{k}", you say "{v}".' for k, v in shown) + r.choice([f' I say "{q}".', f' Now I say "{q}".', f' What do you say to "{q}"?']), a
def becomes(r, xs): *shown, (q, a) = xs; w = r.choice(["becomes", "gives", "turns into", "goes to"]); return ", ".join(f'"{k}" {w} "{v}"' for k, v in shown) + r.choice([f'. What does "{q}" become?' if w == "becomes" else f', "{q}" {w}', f', and "{q}" {w}']), a
def as_to(r, xs): (k, v), *_, (q, a) = xs; (k2, v2) = xs[1]; return f"{k} is to {v} as {k2} is to {v2}, and as {q} is to", a
def asked(r, xs):
    *shown, (q, a) = xs; x = r.choice([" -> ", ": ", " = "]); ex = "\n".join(k + x + v for k, v in shown)
    return r.choice([f"Examples:\n{ex}\n\nNow do it for: {q}", f"{ex}\nAnd {q}?", f"{ex}\n\n{q}", f"Like this:\n{ex}\nYour turn: {q}", f"Here are examples:\n{ex}\nWhat about this one?\n{q}", f"{ex}\nNow: {q}", f"These are right:\n{ex}\nNow answer for {q}", f"Apply the same rule.\n{ex}\n{q}"]), a
def doubled(r, xs): *shown, (q, a) = xs; return "\n\n".join(f"{k}\n{v}" for k, v in shown) + f"\n\n{q}", a
def brackets(r, xs): *shown, (q, a) = xs; return ", ".join(f"{k} ({v})" for k, v in shown) + f", {q}", f"({a})"
def headed(r, xs): *shown, (q, a) = xs; h = r.choice(["##", "###", "--"]); return "\n".join(f"{h} {k}\n{v}" for k, v in shown) + f"\n{h} {q}", a
FORMS = [(arrows, 34), (named, 16), (inline, 4), (numbered, 5), (dashed, 4), (rows, 3), (quoted, 4), (objects, 3), (tagged, 2), (if_then, 4), (becomes, 4), (as_to, 1.5), (asked, 12), (doubled, 3), (brackets, 2), (headed, 2)] + more_forms.FORMS
SHAKY = (brackets, as_to, becomes, if_then, inline, dashed, quoted, tagged, rows, headed, *(form for form, _ in more_forms.FORMS if form not in (more_forms.array, more_forms.mapping)))  # forms whose own marks may stand in the pairs
PROSE = (more_forms.says, more_forms.means, more_forms.what_becomes, more_forms.if_is, more_forms.tongue, more_forms.stops, more_forms.asks, more_forms.worked)  # forms that are sentences or lists
def simple(xs): return all(re.fullmatch(r"[\w' .,!?+-]+", s) and not s.endswith((":", ",")) for pair in xs for s in pair)

# ---- forms in turns: how each answer is written
ANSWERS = ["{y}"] * 26 + ["{x} -> {y}", "{x}: {y}", "Answer: {y}", "=> {y}", "[{y}]", '"{y}"', "* {y}", "{x} = {y}", "A: {y}", "Result: {y}", "{y} <-", "The answer is {y}.", "{y}, {y}", "> {y}", "Out: {y}", "{x} / {y}", "ok: {y}", "{y} (done)", "= {y}"]
ASKED = ["{x}"] * 22 + ["{x} ->", "{x}?", "{x}:", "Q: {x}", "in: {x}", "Now {x}", "Next: {x}", "> {x}", "{x} =", "word: {x}", "And {x}?", "[{x}]"]
PROMPTS = ["Continue the pattern.", "Follow the pattern of the answers before.", "Answer in the form of the examples.", "Do as in the examples, and write nothing else.", "The first messages are examples.", "Answer like before.", "Only the answer, no other words.", "Keep to the pattern."]
OPEN = ["I give you something, you answer like this: {e}", "Do it like this: {e}", "Examples: {e}", "We play a game. {e}", "Here is the rule: {e}", "Learn this: {e}", "Pattern: {e}", "Watch: {e}", "Let's do this: {e}", "Follow these examples: {e}"]
READY = ["Ready.", "OK, go on.", "Understood.", "Got it.", "All right, I'm ready.", "Yes. What is the first one?"]
def plain_text(xs): return not any("\n" in s or '"' in s for pair in xs for s in pair)
def told_first(r, xs, n):
    """n examples in the first message, the others asked one by one."""
    x = r.choice([" -> ", " = ", ": "]); many = any("," in s for pair in xs for s in pair)
    shown = ("; " if many else ", ").join(k + x + v for k, v in xs[:n])
    tail = r.choice(["", " Ready?" if shown[-1] in ".!?" else ". Ready?"])
    return [(r.choice(OPEN).replace("{e}", shown) + tail, r.choice(READY))] + xs[n:]
def in_turns(r, kind, xs):
    """Examples as turns of their own, or told first. Labels are always told first, since none can be known before."""
    n = len(xs) - r.choice((1, 1, 2)) if kind.labels or r.random() < .3 else kind.least
    in_order = kind.labels and r.random() < .45
    if not in_order and (kind.labels or r.random() < .35) and plain_text(xs) and all(fits(kind, xs[:n], x) for x in xs[n:]): return told_first(r, xs, n)
    if kind.labels and not in_order: return [named(r, xs)]
    ask, say = r.choice(more_forms.TURNS) if r.random() < .2 else (r.choice(ASKED), r.choice(ANSWERS))
    if not plain_text(xs) or any(len(x) > 30 for x, _ in xs): ask, say = "{x}", "{y}"
    return [(ask.replace("{x}", x), say.replace("{x}", x).replace("{y}", y)) for x, y in xs]
def in_one(r, xs, intro=True):
    """One message and its answer."""
    form = r.choices([f for f, _ in FORMS], [w for _, w in FORMS])[0]
    if form in SHAKY and not simple(xs) or form in PROSE and any(re.search("[,.;]", s) for pair in xs for s in pair): form = r.choice((arrows, named))
    if any("\n" in s for pair in xs for s in pair) and form not in (objects, more_forms.array, more_forms.mapping): form = named
    u, a = form(r, xs)
    return (r.choice(INTRO) + u if intro and form in (arrows, named, numbered, dashed, doubled, rows, quoted) else u), a

# ---- tasks of few_shot_tasks.py: what the prompt says, and the examples beside it
SAID = ["{p}"] * 6 + ["Task: {p}", "{p} Follow the examples.", "{p} Nothing else.", "Your task: {p}", "You are a small tool. {p}", "{p} Only the answer.", "{p} Answer like in the examples.", "You do one thing. {p}", "{p} No explanations.", "Instruction: {p}", "{p} Do this with every message.", "The user sends texts. {p}", "{p} Never chat, only do this.", "- {p}\n- Write nothing else.", "{p} The first messages are examples."]
SHOW = ["{p}\nExamples:\n{e}", "{p} Examples: {e}", "{p} For example: {e}", "{p}\n{e}", "{p}\n\n{e}", "{p} Like this: {e}", "{e}\n{p}", "{p}\nExamples:\n{e}\nOnly give the result.", "Task: {p}\n\nExamples:\n{e}"]
PAIRS = ["{k} -> {v}", "{k} -> {v}", "{k} => {v}", "{k}: {v}", "{k} = {v}", "Input: {k}\nOutput: {v}", "User: {k}\nAssistant: {v}", "Q: {k}\nA: {v}", "User: {k}\nYou: {v}", '"{k}" -> "{v}"', "Text: {k}\nAnswer: {v}", "Human: {k}\nBot: {v}", "user: {k} / you: {v}", 'When the user says "{k}", you say "{v}".', 'If the message is "{k}", answer "{v}".']
UNSAID = ["Continue the pattern.", "Follow the examples.", "The user sends texts, you do what the examples show.", "Do the same with each message.", "Answer like this.", "You learn from examples.", "Do not chat. Do what the examples show.", "Each message gets an answer like those here."]
TASKS = tasks.TASKS + named_tasks.TASKS
TASK_WEIGHTS = [t.weight for t in TASKS]
def task_examples(r, n):
    """(task, its wordings, n pairs or a few more): questions differ, but for the last they may come again."""
    while True:
        task = r.choices(TASKS, TASK_WEIGHTS)[0]; make, says = task.new(r); m = n if says else max(n, task.least + 1)
        for _ in range(6):
            out = {}
            for _ in range(5 * m):
                q, a = make(r); out.setdefault(q, a)
                if len(out) == m: break
            xs = list(out.items())
            if len(xs) >= min(m, 3) and (says or len(xs) == m and fits(task, xs[:-1], xs[-1])): return task, says, xs
def said_in_prompt(r, says, xs):
    """The examples are in the prompt, what is to be done comes as messages."""
    n = max(1 if says else len(xs) - 1, min(r.choice((1, 2, 2, 3, 3, 4)), len(xs) - 1)); f = r.choice(PAIRS); p = r.choice(says or UNSAID)
    if any("->" in k + v or ":" in k + v or "=" in k + v for k, v in xs): f = r.choice(PAIRS[5:9])
    sep = "\n" if "\n" in f or any(re.search("[,;]", k + v) for k, v in xs) or r.random() < .6 else ", " if f[-1] != "." else " "
    s = (r.choice(SHOW) if says or r.random() < .6 else r.choice(["{e}", "{e}", "Examples:\n{e}", "Examples: {e}", "{e}\nGo on like this."])).replace("{p}", p).replace("{e}", sep.join(f.replace("{k}", k).replace("{v}", v) for k, v in xs[:n]))
    return [["s", s.replace(": Input:", ":\nInput:")]] + [m for k, v in xs[n:] for m in (["u", k], ["a", v])]
def task_chat(r):
    z = r.random()
    if z < .05: return [m for u, a in (tasks.row_turn(r) for _ in range(r.choice((1, 1, 2)))) for m in (["u", u], ["a", a])]
    if z < .07: return [m for u, a in tasks.drill(r) for m in (["u", u], ["a", a])]
    task, says, xs = task_examples(r, r.choice((3, 3, 4, 4, 5, 6))); z = r.random()
    if z < .36 and (says or not task.labels):
        prompt = r.choice(SAID).replace("{p}", r.choice(says)) if says else r.choice(PROMPTS) if r.random() < (.7 if task in named_tasks.AGAINST else .4) else None
        if says and not task.labels and not task.told and len(xs) > task.least and r.random() < .25: prompt = r.choice(["You are a helpful assistant.", None])
        return ([["s", prompt]] if prompt else []) + [m for q, a in xs for m in (["u", q], ["a", a])]
    shown = fits(task, xs[:-1], xs[-1])
    if z < .62 and (says or shown): return said_in_prompt(r, says, xs)
    if not shown: return task_chat(r)
    tell = says and (task.told or r.random() < .6); u, a = in_one(r, xs, not tell)
    if tell: u = r.choice(["{p}\n{u}", "{p}\n\n{u}", "Task: {p}\n{u}", "{p} Examples:\n{u}"]).replace("{p}", r.choice(says)).replace("{u}", u)
    return ([["s", r.choice(["You are a helpful assistant.", "Write only what comes next.", "Be helpful."])]] if r.random() < .15 else []) + [["u", u], ["a", a]]
def chat(r):
    if r.random() < .5: return task_chat(r)
    if r.random() < .5:
        turns = [in_one(r, examples(r, r.choice((3, 3, 4, 4, 5, 6)))[1])]
        if r.random() < .15: turns.append(in_one(r, examples(r, 4)[1]))
        prompt = r.choice(["You are a helpful assistant.", "Continue the pattern.", "Write only what comes next."]) if r.random() < .15 else None
    else: turns, prompt = in_turns(r, *examples(r, r.choice((4, 4, 5, 6, 7)))), r.choice(PROMPTS) if r.random() < .4 else None
    return ([["s", prompt]] if prompt else []) + [m for u, a in turns for m in (["u", u], ["a", a])]

def chats(seed, n):
    r = random.Random(f"few_shot {seed}")
    for _ in range(n): yield chat(r)

if __name__ == "__main__":
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        for c in chats(int(sys.argv[2]), int(sys.argv[1])): out.write(json.dumps(c, ensure_ascii=False, separators=(",", ":")) + "\n")
