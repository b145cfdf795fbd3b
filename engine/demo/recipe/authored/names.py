"""Names and cities, real and invented, the wordings of what a person tells, and the way people type them.

introductions_src has the pools (names.txt, cities.txt) and the wordings (phrases.txt, tellings.txt).
"""
import os, re, unicodedata
from skill_common import bank, syllables

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = HERE + "/introductions_src/"
def pool(path):
    """The entries of a list with commas, each once."""
    lines = [line for line in open(SRC + path, encoding="utf-8").read().split("\n") if line and line[0] != "#"]
    return sorted({x.strip() for line in lines for x in line.split(",")} - {""})
def phrases():
    """{key: lines}, each line a list of parts (between =>), each part a list of wordings."""
    out = {}
    for line in "\n".join(open(SRC + name, encoding="utf-8").read() for name in ("phrases.txt", "tellings.txt")).split("\n"):
        if line[:1] == "@": lines = out[line[1:]] = []
        elif line and line[0] != "#": lines.append([part.split(" / ") for part in line.split(" => ")])
    return out
NAMES, CITIES, P = pool("names.txt"), pool("cities.txt"), phrases()
SHORT = [n for n in NAMES if n.isalpha() and len(n) < 6]
KNOWN = set(NAMES) | set(CITIES)
def wordings(key): return P[key][0][0]

# ---- names and cities, real and invented
ONSET = "B Br C Ch D Dr F Fl G Gr H J K Kl Kr L M N P Pr Qu R S Sh Sk St T Th Tor Tr V W Y Z Zh".split()
MIDDLE = "a e i o u a e i o ae ai ea ei ia io oa or ar el en in al".split()
INNER = "b d f g k l ll m mb n nd nt r rr rv s ss st t th v x z".split()
LAST = "a an ane ara as e el ella en er eth i ia ian ick id in ina ion ira is ix o on or ra ric rin us wen y yn".split()
TOWN = "ton ham ford bury field wick stad berg ville ova dale mouth bridge burg port holm grad hurst by minster haven stein abad pur gard ona eda ino os".split()
RUDE = re.compile(r"ass\b|asss|puke|fuck|shit|shat|cunt|tits?|cum|dick|nig|fag|rape|anus|nazi|piss|slut|cock|porn|sex|poo|penis|pedo|hoe|whor|jew|homo|kkk|die|kill|dead|dumb|idiot|suck|fart|crap|damn|hell", re.I)
def part(r):
    """The middle of a made name, with no more than two consonants in a row."""
    m = r.choice(MIDDLE)
    return m + r.choice(INNER if m[-1] in "aeiou" else "bdfgkmtv")
def invented(r):
    while True:
        v = syllables(r, r.choice((1, 2, 2, 3))) if r.random() < .3 else r.choice(ONSET) + part(r) + (part(r) if r.random() < .25 else "") + r.choice(LAST)
        if not RUDE.search(v): return v
def plain(r, v):
    """Some type without accents."""
    if v.isascii() or r.random() < .65: return v
    bare = "".join(x for x in unicodedata.normalize("NFKD", v) if not unicodedata.combining(x))
    return bare if bare.isascii() else v
def name(r):
    z = r.random()
    if z < .05: return plain(r, r.choice(NAMES)) + " " + (r.choice(bank.SURNAMES) if z < .02 else invented(r))
    if z < .07: return "-".join(r.sample(SHORT, 2))
    if z < .64: return plain(r, r.choice(NAMES))
    v = invented(r)
    return f"{v}-{invented(r)}" if z < .67 else r.choice(["O'", "D'", "Mc", "Al-", "De ", "Van ", "M'", "N'", "St. "]) + v if z < .70 else v
def city(r):
    if r.random() < .64: return plain(r, r.choice(CITIES))
    v = r.choice(ONSET) + (part(r) if r.random() < .2 else "") + r.choice(MIDDLE) + r.choice(["", "", "l", "n", "r", "s", "m", "d", "k"]) + r.choice(TOWN)
    if RUDE.search(v): return city(r)
    z = r.random()
    if z < .14: return r.choice(["New", "Old", "Upper", "Little", "Port", "San", "Santa", "Saint", "Nova", "Bad", "Los", "Mount", "East", "Villa", "Al", "Great", "Castle", "Fort", "Lake", "Hay", "El", "La", "Le", "Monte", "Rio", "Puerto", "Long", "Market", "Chipping"]) + " " + invented(r)
    if z < .2: return invented(r) + " " + r.choice(["Falls", "City", "Springs", "Bay", "Regis", "Cross", "Green", "Hill", "Norton", "Bridge", "Beach", "Creek", "Island", "Valley", "Junction", "Abbey", "Lake", "Point"])
    if z < .23: return f"{invented(r)}'s {r.choice(['Lynn', 'Cross', 'Stortford', 'Hill', 'Ferry', 'Bay', 'Castle', 'Green'])}"
    if z < .25: return r.choice(["L'", "Sant'", "Al-", "As-", "Ville-"]) + invented(r)
    return f"{v}-{r.choice(['on-Sea', 'sur-Mer', 'le-Bois', 'am-See', 'les-Bains', 'on-Wye', 'under-Lyne', 'upon-Tees', 'by-the-Sea', invented(r)])}" if z < .33 else v
def fresh(r, make, used):
    """A value that no one here has."""
    while True:
        v = make(r)
        if v not in used: used.add(v); return v
SAME = [("c", "k"), ("k", "c"), ("i", "y"), ("y", "i"), ("s", "z"), ("z", "s"), ("ph", "f"), ("f", "ph"), ("e", "a"), ("a", "e"), ("o", "u"), ("th", "t"), ("t", "th")]
def respelled(r, v):
    """(the same name spelled a little differently, what a person says of it or None)"""
    for i in range(1, len(v)):
        if v[i] == v[i - 1] and v[i].isalpha() and v[i].islower(): return v[:i] + v[i + 1:], f"with one {v[i]}"
    i = r.randrange(1, len(v))
    if v[i] in "lnrstm" and r.random() < .4: return v[:i] + v[i] + v[i:], f"with two {v[i]}'s"
    a, b = r.choice([x for x in SAME if x[0] in v[1:]] or [("", "")])
    return (v[0] + v[1:].replace(a, b, 1) if a else v + "e"), None

# ---- the way people type
SLOT = re.compile(r"(\{\w\})")
def may_be_lower(v): return "İ" not in v and (v == v.lower().capitalize() and v.isalpha() or v in CITIES_SET and "'" not in v)
CITIES_SET = set(CITIES)
def typed(r, text, vals=None):
    """A wording with its values, typed carelessly: never inside a value, but for the case of one that stays clear in lower case."""
    vals = vals or {}; parts = SLOT.split(text)
    if r.random() < .14: parts = [p if p[:1] == "{" else p.lower() for p in parts]
    if r.random() < .2 and parts[-1][:1] != "{": parts[-1] = parts[-1].rstrip(".?!")
    if r.random() < .07: parts = [p.replace("'", "") for p in parts]
    if r.random() < .06:
        i = r.choice([k for k, p in enumerate(parts) if p[:1] != "{"]); p = parts[i]
        if len(p) > 9:
            k = r.randrange(2, len(p) - 2)
            if p[k - 1:k + 3].isalpha(): parts[i] = p[:k] + r.choice([p[k + 1] + p[k] + p[k + 2:], p[k + 1:], p[k] + p[k:]])
    small = all(p[:1] == "{" or p == p.lower() for p in parts) and r.random() < .5 and all(may_be_lower(v) for v in vals.values() if v[:1].isupper())
    u = "".join(vals.get(p[1], "").lower() if p[:1] == "{" and small else vals.get(p[1], "") if p[:1] == "{" else p for p in parts)
    return u.strip()
def fill(text, vals): return SLOT.sub(lambda m: vals[m.group(1)[1]], text)
