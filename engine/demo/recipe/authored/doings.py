"""What people say that they do, have or have done, with an answer that fits it, what follows, and at times the question what it was.

doings_src/doings.txt has the kinds (see its head).
"""
import os, re
from skill_common import T, cap

HERE = os.path.dirname(os.path.abspath(__file__))
KIN = "mother, father, sister, brother, aunt, uncle, cousin, best friend, son, daughter, neighbour, nephew, niece, flatmate".split(", ")
OLD, YOUNG = "grandmother, grandfather, great-aunt, neighbour".split(", "), "son, daughter, niece, nephew, cousin, little brother, little sister".split(", ")
SERIOUS = re.compile("gave up|sold|slept|got up|moving house|dentist|long drive|lot of work")  # what only its own answers fit
def kinds():
    found = {}
    for line in open(HERE + "/doings_src/doings.txt", encoding="utf-8").read().split("\n"):
        if line[:1] == "@": kind = found[line[1:]] = {"x": [], "r": None, "f": []}
        elif not line or line[0] == "#": continue
        elif line[0] == "x": x, says = line[2:].split(": ", 1); kind["x"].append((x, says.split(" / ")))
        elif line[0] in "rf":
            pair = [part.split(" / ") for part in line[2:].split(" => ")]
            if line[0] == "r": kind["r"] = pair
            else: kind["f"].append(pair)
        else: kind[line[0]] = line[2:].split(" / ")
    return found
KINDS = kinds()
WEIGHT = {name: len(kind["x"]) for name, kind in KINDS.items()}
def yours(x): return re.sub(r"\bme\b", "you", re.sub(r"\bmyself\b", "yourself", re.sub(r"\bmy\b", "your", x)))
def typed(r, u):
    """As people type, with nothing added."""
    if r.random() < .2: u = u.lower()
    if r.random() < .25: u = u.rstrip(".?!")
    if r.random() < .06: u = u.replace("'", "")
    i = r.randrange(1, max(2, len(u) - 3))
    if len(u) > 16 and r.random() < .05 and u[i - 1:i + 3].isalpha(): u = u[:i] + r.choice([u[i + 1] + u[i] + u[i + 2:], u[i + 1:]])
    return u
# Which reply fits which question: (the question, what the reply begins with)
FITS = [(r"(Do|Does|Is|Are|Did|Have|Has|Was|Were|Will|Can|Would|Found) ", r"(yes|no$|not really|a little|mostly|sometimes|I think so|thank)"),
        (r"How (is it going|was it|were|do you feel|does it feel|do you like|did they go|was your|was the|are)", r"(well|good|great|it's going|nearly|slowly|not so|it's (hard|great|tiring|stressful|fun)|it wears|it was (great|hard)|very (good|nice)|tired|a bit tired|exhausted|lovely|bad|badly|so-so|I like it|I love it|I'm happy|it feels|not bad)"),
        (r".*(called|names|name)\?", r"(Momo|Bella|Max|Coco|Bella)"), (r"How old", r"(six|three|they are grown|he is)"), (r"(Boys|Older|Are they older)", r"(older|younger|both)"), (r"How long", r"(for|since|all|only)"), (r"How many", r"(hundreds|about|a lot|too many)"),
        (r"(What comes next|Now)", r"(nothing|a break|sleep|a cup|I don't know)"), (r"How did (you|it)", r"(since school|it was chance|my father|from my|by chance|as a)"), (r"What made", r"(I like)")]
WARM = re.compile(r"\b(like|enjoy|close|looking forward|ready|nice\?|get on|together|proud|tasty|good\?)")  # questions whose yes is good news
PLAIN = ("yes / no / yes, a bit / not really / a little".split(" / "), ["I see. Thanks for telling me!", "I see! I like to hear about it.", "Good to know.", "I understand.", "Ah, I see.", "Thanks, now I can picture it."])
def last(a): return re.split(r"(?<=[.!?:]) ", a)[-1]
def fits(a, reply):
    """Whether a reply fits the question at the end of an answer."""
    q = last(a)
    return "tip" in reply or "advice" in reply or "better?" in reply or any(re.match(x, q) and re.match(y, reply, re.I) for x, y in FITS)
FOLLOW = [("And you?", ["I only chat, but I do that gladly.", "I sit in your computer and guess words.", "Nothing but words here, all day long."]), ("What about you?", ["I only chat, but gladly.", "Words, words, words: that is all that I have."])]

class Doing:
    """One thing that a person says."""
    def __init__(self, r, name=None):
        self.name = name or r.choices(list(KINDS), list(WEIGHT.values()))[0]; self.kind = KINDS[self.name]
        self.x, own = r.choice(self.kind["x"])
        k = r.choice(OLD if "ninety" in self.x else YOUNG if re.search("eighteen|ride a bike|the test", self.x) else KIN)
        self.u = cap(r.choice(self.kind["t"]).replace("{x}", self.x).replace("{k}", k)) if r.random() < .85 else r.choice(self.kind["t"]).replace("{x}", self.x).replace("{k}", k)
        self.a = self.fill(r.choice(own if r.random() < .72 or SERIOUS.search(self.x) else self.kind["g"]))
    def fill(self, says): x = yours(self.x); return says.replace("{x}", x).replace("{X}", cap(x))
    def asked(self, r):
        """The question what it was, and the answer."""
        asks, says = self.kind["r"]
        return T(typed(r, r.choice(asks)), self.fill(r.choice(says)), None)
    def more(self, r):
        """What the person says to an answer that asks, and what is said to that."""
        if self.name != "others" and re.match(FITS[0][0], last(self.a)) and not WARM.search(last(self.a)): asks, says = PLAIN; return [T(typed(r, r.choice(asks)), r.choice(says), None)]
        found = [(u, says) for asks, says in self.kind["f"] for u in asks if fits(self.a, u)]
        if not found: return []
        u, says = r.choice(found); return [T(typed(r, u), r.choice(says), None)]
def seg(r, fillers=None):
    d = Doing(r); out = [T(typed(r, d.u), d.a, None)]
    if d.a[-1] == "?" and r.random() < .5: out += d.more(r)
    elif d.a[-1] != "?" and d.name != "bad_news" and r.random() < .12: u, says = r.choice(FOLLOW); out.append(T(u, r.choice(says), None))
    if d.kind["r"] and r.random() < .22:
        for _ in range(r.choice((0, 0, 1, 2)) if fillers else 0): out += fillers(r)
        out.append(d.asked(r))
    return out
