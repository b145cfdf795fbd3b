#!/usr/bin/env python3
"""Names and cities kept over a conversation: told, talked past, corrected, asked for, and never invented.

What is told is copied from pools far too large to be learnt by heart (names.py), so that only the conversation has the answer.
phrases.txt and tellings.txt of introductions_src have the wordings; tellings.py has what is told beyond a name and a city.
What a person has told stands in Person.facts; every answer is made from it.

usage: introductions.py N SEED OUT.jsonl
"""
import json, os, random, re, sys
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import chatter, counting, doings, far, guide, quire_facts, reach, skill_persona, skill_systems, skills
from names import KNOWN, P, city, fill, fresh, invented, name, respelled, typed, wordings
from skill_common import an, bank, cap
from tellings import BARE, JOBS, Tellings, asked, dressed

# ---- what may stand between: exchanges of the other generators that tell nothing of the person
PERSONAL = re.compile(r"\bmy\b|\bmine\b|name|called|\bwho am\b|\bi(?:'m| am|m)? (?:live|like|love|work|have|enjoy|come|from|hate|play|got|met|moved|was|saw)\b|\bremember|\bgreet|told me|told you|\byou said|\bwe\b|\b(train|plane|trip|travel|visit|fly|drive|city|town|village)\b|years old|\bam i\b|the user", re.I)
OPENING = re.compile(r"(hi|hello|hey|hiya|yo|howdy|good (morning|evening|night|afternoon|day)|bye|goodbye|see you|cya|greetings|i have to go|gotta go)\b", re.I)
INSIDE = re.compile(r"(?<=[a-z,:\"'] )\"?([^\W\d_a-z][\w'-]+)|^([A-Z][\w'-]+)")
def apart(u, a):
    """Whether an exchange has nothing to do with names and people."""
    if PERSONAL.search(u) or PERSONAL.search(a) or OPENING.match(u): return False
    return len(u) + len(a) < 420 and not any((m.group(1) or m.group(2)) in KNOWN for m in INSIDE.finditer(u + "\n" + a))
def exchanges(r):
    """One or two exchanges (question, answer, answer in a word or two or None)."""
    z = r.random()
    if z < .55:
        turns = (skills.filler if z < .3 else skills.task)(r)
        out = [(t.u, t.a, t.s) for t in turns[:r.choice((1, 1, 2))]]
    else:
        if z < .62: pairs = reach.refuse(r)[:2],
        elif z < .67: t = far.far(r)[0]; pairs = [(t.u, t.a)]
        elif z < .8: pairs = [(u, a) for u, a in guide.turns_on(r, r.choice(guide.TOPICS))]
        elif z < .93: pairs = chatter.seg(r)
        else: said = [m for role, m in next(quire_facts.chats(r.randrange(1 << 30), 1)) if role != "s"]; pairs = list(zip(said[::2], said[1::2]))
        out = [(u, a, None) for u, a in pairs[:r.choice((1, 1, 2))]]
    return out if out and all(apart(u, a) for u, a, _ in out) else exchanges(r)
class Between:
    """A stock of exchanges: one in three that is taken is replaced."""
    def __init__(self, r): self.stock = [exchanges(r) for _ in range(1200)]
    def take(self, r):
        i = r.randrange(len(self.stock)); out = self.stock[i]
        if r.random() < .33: self.stock[i] = exchanges(r)
        return out

# ---- system prompts: (prompt, how an answer looks under it)
def ended(x): return lambda a, core: f"{a} {x}"
def begun(x): return lambda a, core: f"{x} {a}"
def called(x): return lambda a, core: f"{a[:-1]}, {x}{a[-1]}" if a[-1] in ".!?" else f"{a}, {x}"
def as_is(a, core): return a
ENDS = ["Meow!", "Over.", "Cheers!", "Amen.", "Yay!", "Best wishes.", "Beep!", "So it is.", "Ahoy!", "Have a nice day!", "Moo!", "That is all."]
STARTS = ["Arr!", "Well,", "Hm:", "Beep.", "Ahoy!", "Aha!", "Dear friend:", "Listen:", "Yes, master:", "Answer:", "Oh!"]
TITLES = ["captain", "boss", "sir", "madam", "chief", "professor", "my friend", "champ", "your majesty", "my dear"]
ROLES = ["a friendly librarian", "a gardener", "a patient teacher", "a cook", "a helper in a small shop", "a guide in a museum", "a sailor", "a kind robot", "the assistant of a hotel", "a baker", "a tutor", "a postman", "a coach", "a chat partner", "a wise owl"]
MILD = ["Be brief.", "Answer briefly and kindly.", "Be polite.", "Use simple English.", "Keep your answers short and friendly.", "You remember what the user says.", "Answer in English.", "Do not invent facts.", "Be honest.", "You chat with people in a terminal.", "Stay friendly. Do not make things up.", "Speak plainly."]
def setting(r, used):
    """(prompt or None, style, kind, what the assistant is)"""
    z = r.random()
    if z < .67: return None, as_is, "", None
    if z < .75: return r.choice(skill_systems.GENERIC), as_is, "", None
    if z < .81: return r.choice(MILD), as_is, "", None
    if z < .87:
        n, role = fresh(r, name, used), r.choice(ROLES)
        return r.choice([f"You are {n}, {role}.", f"Your name is {n} and you are {role}.", f"You are {role} called {n}.", f"You're {n}, {role}. Be friendly."]), as_is, "persona", f"{n}, {role}"
    if z < .90: x = r.choice(ENDS); return r.choice([f'End every answer with "{x}"', f'Always end with "{x}"', f'Each answer ends with "{x}"']), ended(x), "style", None
    if z < .92: x = r.choice(STARTS); return r.choice([f'Begin every answer with "{x}"', f'Always start with "{x}"']), begun(x), "style", None
    if z < .945: x = r.choice(TITLES); return r.choice([f'Call the user "{x}" in every answer.', f"Always address the user as {x}.", f"The user wants to be called {x} in every answer."]), called(x), "style", None
    if z < .975: return r.choice(["Answer in as few words as possible.", "Give the shortest answer that you can.", "Answer with a word or two.", "Very short answers only."]), lambda a, core: core or a, "short", None
    if z < .99: return r.choice(["Answer in capital letters.", "WRITE EVERYTHING IN UPPER CASE.", "All your answers are in upper case."]), lambda a, core: a.upper(), "case", None
    return r.choice(["Write everything in lower case.", "Use no capital letters.", "Answer in lower case only."]), lambda a, core: a.lower(), "case", None

# ---- what a person tells: kind: how its value is made; "p" is which relative or animal
RELATIVES = bank.W("sister, brother, wife, husband, mother, father, son, daughter, cousin, aunt, uncle, grandmother, grandfather, niece, nephew") + 3 * bank.W("neighbour, cousin, colleague, best friend, flatmate, twin, roommate, classmate")
ANIMALS = bank.W("cat, dog, hamster, parrot, rabbit, horse, goldfish, pony, canary, turtle, lizard, goat, duck, hen, guinea pig, donkey, snail, ferret, mouse, budgie")
MAKE = {"job": lambda r: an(r.choice(JOBS)), "age": lambda r: str(r.randrange(7, 95)), "colour": lambda r: r.choice(bank.COLOURS[:11]), "food": lambda r: r.choice(bank.FOODS),
        "hobby": lambda r: r.choice(bank.HOBBIES), "number": lambda r: str(r.randrange(2, 1000)), "surname": lambda r: r.choice(bank.SURNAMES) if r.random() < .4 else invented(r), "person": name, "pet": name,
        "work": city, "trip": city, "month": lambda r: r.choice(bank.MONTHS), "instrument": lambda r: r.choice(bank.INSTRUMENTS), "sport": lambda r: r.choice(bank.SPORTS), "language": lambda r: r.choice(bank.LANGS), "drink": lambda r: r.choice(bank.CATS["drinks"]),
        "shoes": lambda r: str(r.randrange(34, 48)), "house": lambda r: str(r.randrange(1, 200))}
SELDOM = ("work", "trip", "month", "instrument", "sport", "language", "drink", "shoes", "house")  # asked for only where told
DATED = re.compile(r"\d|thirty|birthday|hobby|my name|mood for|my (wife|husband|son|daughter|sister|brother|mother|father|dog|cat|hamster|best friend|flatmate|colleague|neighbour|uncle|aunt|grand\w+)\b", re.I)  # days that tell of age, pet or relatives

LIKE = bank.W("sunny, rainy, cold, foggy, snowy, windy, grey, lovely, beautiful, quiet, sleepy, noisy, busy, hot, warm, icy, stormy, wet, dear old, far-away, dusty, green, little, big, frosty, cloudy, merry, boring")
HURTS = [f for f in far.FIELDS if f.core == "hurt"]
MOST = 13  # exchanges; only questions may follow
class Person(Tellings):
    """What one person has told, and the chat so far."""
    MAKE, ANIMALS = MAKE, ANIMALS
    def __init__(self, r, between):
        self.r, self.between, self.used, self.out, self.asked = r, between, set(), [], set()
        self.kin, self.kin_names = {}, {}  # relatives talked of: where each lives and what each is called, or None
        self.prompt, self.style, self.kind, self.me = setting(r, self.used)
        self.facts, self.how, self.was, self.lives, self.moved = {}, "live", None, None, False
    def add(self, u, a, core=None): self.out.append((u, self.style(a, core)))
    def say(self, key, vals): return fill(self.r.choice(wordings(key)), vals)

    # -- telling
    def tell_name(self):
        n = self.facts["name"] = fresh(self.r, name, self.used); v = {"n": n}
        self.add(typed(self.r, dressed(self.r, self.r.choice(wordings("name")), True), v), self.say("ack_name", v), f"Hello, {n}!")
    def tell_city(self):
        c = self.facts["city"] = fresh(self.r, city, self.used); v = {"c": c, "n": "", "j": self.r.choice(LIKE)}
        self.how = self.r.choice(("live", "live", "from"))
        self.add(typed(self.r, dressed(self.r, self.r.choice(wordings(self.how))), v), self.say("ack_city", v), "OK.")
    def tell_both(self):
        v = {"n": fresh(self.r, name, self.used), "c": fresh(self.r, city, self.used), "j": self.r.choice(LIKE)}; self.facts.update(name=v["n"], city=v["c"])
        r = self.r; z = r.random()
        if z < .1:
            a, b = r.choice(wordings("name")), r.choice(wordings("live"))
            t = f"{a if a[-1] in '.!' else a + '.'} {b}"
        else: t = r.choice(wordings("both"))
        self.how = "from" if re.search(r"\bfrom\b|born", t) and not re.search(r"\blive|moved|home", t) else "live"
        if z > .94: t = r.choice(["Please remember this. ", "For later: ", "Just so you know: "]) + t
        self.add(typed(r, dressed(r, t), v), self.say("ack_both", v), f"Hello, {v['n']}!")
    def tell_two_cities(self):
        """Where one was born and where one lives are two things."""
        r = self.r
        if "name" not in self.facts: self.tell_name()
        v = {"o": fresh(r, city, self.used), "c": fresh(r, city, self.used)}; self.facts.update(origin=v["o"], city=v["c"]); self.how = "live"
        self.add(typed(r, r.choice(wordings("two_cities")), v), r.choice([f"From {v['o']} to {v['c']}, I see.", f"Got it: born in {v['o']}, at home in {v['c']}."]) if r.random() < .5 else self.say("ack", {}), "OK.")
    def tell(self, kind, p_asked=None):
        r = self.r; v = fresh(r, MAKE[kind], self.used); told = P[kind][0][0]; p = ""
        if kind in ("person", "pet"): p = p_asked or (self.relative() if kind == "person" else r.choice(ANIMALS))
        self.facts[kind] = (v, p); vals = {"v": v, "p": p}
        self.add(typed(r, dressed(r, r.choice(told)), vals), self.say("ack", {}) if r.random() < .6 or kind not in ("person", "pet") else r.choice([f"{v} is a nice name.", f"Say hello to {v}!", f"Greetings to {v}!"]), "OK.")
        if kind == "person" and r.random() < .4: self.tell_lives()
    def tell_lives(self):
        r = self.r; v, p = self.facts["person"]; self.lives = fresh(r, city, self.used)
        self.add(typed(r, r.choice(P["lives"][0][0]), {"v": v, "p": p, "y": self.lives}), self.say("ack", {}), "OK.")
    def tell_with_person(self):
        r = self.r; n, v, p = fresh(r, name, self.used), fresh(r, name, self.used), self.relative()
        self.facts.update(name=n, person=(v, p))
        self.add(typed(r, r.choice(wordings("with_person")), {"n": n, "v": v, "p": p}), r.choice([f"Hello {n}! Say hello to {v}.", f"Nice to meet you, {n}! Greetings to {v}.", f"Hi {n}, hello {v}!", f"Nice to meet you both, {n} and {v}."]), f"Hello, {n}!")
        if r.random() < .35: self.tell_lives()
        if r.random() < .6: self.tell_city()

    # -- between
    def fillers(self, n):
        least = min(len(self.out) + n, MOST)
        while len(self.out) < least:
            z = self.r.random()
            if z < .2 and self.kind != "short": self.others()
            elif z < .32 and self.kind != "short": self.relatives()
            elif z < .46 and self.kind != "short": self.day()
            elif z < .5: self.count()
            elif z < .54: self.capital()
            elif z < .58: self.self_turn()
            elif z < .68 and self.kind != "short": self.remark()
            else: self.splice()
    def relative(self):
        """One of whom nothing was told."""
        return self.r.choice([k for k in RELATIVES if k not in self.kin and k != self.facts.get("person", ("", ""))[1]])
    def relatives(self):
        """A relative who is not the person, and a city that is not the person's."""
        r = self.r; lives = r.random() < .5; k = self.relative()
        asks, says = r.choice([x for x in P["kin_lives" if lives else "kin_does"] if x[0][0] not in self.asked] or P["kin_lives"]); self.asked.add(asks[0])
        v = {"k": k, "x": fresh(r, name, self.used), "y": fresh(r, city, self.used)}; self.kin[k] = v["y"] if re.search("lives|moved", asks[0]) else None
        self.kin_names[k] = v["x"] if "{x}" in asks[0] else None
        self.add(typed(r, asks[0], v), fill(r.choice(says), v))
        if self.kin[k] and r.random() < .15: self.ask_relative(k)
    def ask_relative(self, k):
        r = self.r; y, x = self.kin[k], self.kin_names[k]
        if r.random() < .35:
            q = typed(r, r.choice(P["person"][0][1]), {"v": "", "p": k})
            return self.add(q, r.choice([f"Your {k} is called {x}.", f"Your {k} is {x}."]), x + ".") if x else self.unknown(q, f"the name of your {k}")
        if y: self.add(typed(r, r.choice(wordings("kin_asks")), {"k": k}), r.choice([f"Your {k} lives in {y}.", f"In {y}.", f"Your {k} is in {y}."]), y + ".")
        else: self.add(typed(r, r.choice(wordings("kin_asks")), {"k": k}), r.choice([f"You have not told me where your {k} lives.", f"I don't know: you haven't told me where your {k} lives."]), "You have not told me.")
    def day(self):
        """Something of the person's day or an accident, which tells neither name nor city."""
        r = self.r; u, a = chatter.day_turns(r)[0]
        if r.random() < .2: t = far.far(r, field=r.choice(HURTS))[0]; u, a = t.u, t.a
        elif r.random() < .3: t = doings.Doing(r, r.choice(("did", "did", "making", "finished"))); u, a = t.u, t.a
        if u.lower() in self.asked or len(u) > 90 or DATED.search(u): return
        self.asked.add(u.lower()); self.add(u, a)
    def remark(self):
        """A courtesy, or words that look like an introduction: they tell neither name nor city."""
        r, n = self.r, self.facts.get("name"); asks, says, named = r.choice([x for x in P["remark"] if x[0][0] not in self.asked]); self.asked.add(asks[0])
        self.add(typed(r, r.choice(asks)), fill(r.choice(named), {"n": n}) if n and r.random() < .4 else r.choice(says))
    def count(self):
        t = counting.seg(self.r)[0]
        if t.u.lower() not in self.asked: self.asked.add(t.u.lower()); self.add(t.u, t.a, t.a)
    def splice(self):
        for u, a, s in self.between.take(self.r):
            if u.lower() in self.asked: return
            if self.kind == "short" and s is None or self.kind in ("style", "case", "short") and re.search(r"[\n`/]|quire", a): return
            self.asked.add(u.lower()); self.add(u, a, cap(s) if s else None)
    def others(self):
        """Names and cities that are not the person's."""
        r = self.r; v = {"x": fresh(r, name, self.used), "y": fresh(r, city, self.used), "z": fresh(r, name, self.used)}
        v.update(Y=v["y"].upper(), X=v["x"].upper(), i=v["x"][0])
        if r.random() < .3:
            story = r.choice(wordings("story"))
            ask = r.choice([t for t in wordings("story_ask") if "{z}" not in t or "{z}" in story])
            self.add(fill(ask, v), fill(story, v))
            if r.random() < .2: self.add(typed(r, r.choice(["Who is the story about?", "Who was the story about?"])), f"{v['x']}." if "{z}" not in ask else f"{v['x']} and {v['z']}.")
            elif r.random() < .2: self.add(typed(r, r.choice(["Where does the story take place?", "Where was that story?"])), f"In {v['y']}.")
            return
        asks, says = r.choice([x for x in P["not_mine"] if x[0][0] not in self.asked]); self.asked.add(asks[0])
        self.add(fill(r.choice(asks), v), fill(r.choice(says), v))
        if "{x}" in asks[0] and self.me is None and re.match("My|I had|Yesterday", asks[0]) and r.random() < .2:
            self.add(typed(r, "Who was that again?"), f"{v['x']}.")
    def capital(self):
        country, c = self.r.choice(reach.CAPITALS)
        if c in self.used or country in self.asked: return
        self.asked.add(country)
        self.add(typed(self.r, self.r.choice(["What is the capital of {x}?", "capital of {x}?", "What's the capital of {x}?"]), {"x": country}), self.r.choice([f"The capital of {country} is {c}.", f"{c}."]), c + ".")
    def self_turn(self):
        r = self.r
        if "self" in self.asked: return
        self.asked.add("self"); u = typed(r, r.choice(["Who are you?", "What's your name?", "What is your name?", "And what is your name?", "And who are you?"]))
        if self.me: self.add(u, f"I am {self.me}.")
        else: self.add(u, r.choice(["I'm quire's built-in model, a small language model that runs on your computer.", "I am quire's small built-in model.", "I'm quire's built-in model."]), "Quire's built-in model.")

    # -- correcting
    def correct(self):
        r = self.r; kinds = [k for k in ("name", "city") if k in self.facts and k not in (self.was or {})]
        if not kinds: return
        k = r.choice(kinds); w = self.facts[k]; self.was = {**(self.was or {}), k: w}; said = None
        if k == "name":
            if r.random() < .35: n, said = respelled(r, w); self.used.add(n)
            else: n = fresh(r, name, self.used)
            self.facts[k] = n; v = {"n": n, "w": w, "v": n}
            t = r.choice(["no, it's {n} " + said, "It's {n} " + said + ".", "No, {n} " + said + "."]) if said else r.choice(wordings("fix_name"))
            self.add(typed(r, t, v), self.say("ack_fix", v) if r.random() < .6 else r.choice([f"Sorry, {n}!", f"OK, {n}.", f"Hello, {n}!", f"Thanks, {n}. I'll remember it."]), n + ".")
        else:
            n = self.facts[k] = fresh(r, city, self.used); self.how = "live"; v = {"c": n, "w": w, "v": n}
            t = r.choice(wordings("fix_city")); self.moved = bool(re.search("moved|any more|left|now|new home", t)); self.add(typed(r, t, v), self.say("ack_move", v), n + ".")

    # -- asking
    def name_answer(self, q):
        n = self.facts["name"]; says = [s for s in wordings("say_name") if "It is" not in s or "name" in q.lower()]
        return yes(self.r, q, fill(self.r.choice(says), {"n": n}))
    def city_answer(self, q):
        r = self.r; low = q.lower(); v = {"c": self.facts["city"]}
        if self.how == "live":
            says = wordings("say_live") if not re.search(r"\bfrom\b", low) else ["You live in {c}.", "You told me that you live in {c}.", "{c}.", "Your city is {c}."]
        else: says = ["You are from {c}.", "You told me that you are from {c}.", "{c}."] if re.search(r"\b(live|home)\b", low) else wordings("say_from")
        if "where" not in low and "in which" not in low: says = [s for s in says if s[:3] not in ("In ", "Fro")]
        return yes(r, q, fill(r.choice(says), v))
    def unknown(self, q, what):
        self.add(q, fill(self.r.choice(wordings("unknown")), {"v": what}), "You have not told me.")
    def question(self, kind, again=False):
        """One question about a fact, answered from what was told, or honestly not at all."""
        r, f = self.r, self.facts
        if kind == "name":
            if ("nick" in f or "full" in f) and not again: return self.form_of_name()
            q = asked(r, r.choice(wordings("ask_name") if "name" not in f or r.random() < .9 else wordings("ask_name_bare")))
            if "name" not in f: return self.unknown(typed(r, q), "your name")
            self.add(typed(r, q), self.name_answer(q), f["name"] + ".")
        elif kind == "city":
            if "origin" in f or self.moved: q = asked(r, r.choice(wordings("ask_home"))); return self.add(typed(r, q), r.choice([f"You live in {f['city']}.", f"{f['city']}.", f"You live in {f['city']} now."]), f["city"] + ".")
            q = asked(r, r.choice(wordings("ask_city") if "city" not in f or r.random() < .9 else wordings("ask_city_bare")))
            if "city" not in f: return self.unknown(typed(r, q), "where you are from" if re.search(r"\bfrom\b|come", q) else r.choice(["where you live", "your city"]))
            self.add(typed(r, q), self.city_answer(q), f["city"] + ".")
        elif kind == "origin":
            q = asked(r, r.choice(wordings("ask_origin"))); c = f["origin"]
            self.add(typed(r, q), r.choice([f"You were born in {c}.", f"In {c}."]) if "born" in q else r.choice([f"You are from {c}.", f"{c}.", f"You come from {c}."]), c + ".")
        else:
            v, p = f.get(kind) or ("", self.relative() if kind == "person" else r.choice(ANIMALS))
            _, asks, says, what = P[kind][0]; q = asked(r, r.choice(asks if kind not in f else asks + BARE.get(kind, []))); vals = {"v": v, "V": cap(v), "p": p}
            if kind not in f: self.unknown(typed(r, q, vals), fill(what[0], vals)); return p
            if "Who" in q: says = says[:1] + says[2:]
            self.add(typed(r, q, vals), fill(r.choice(says), vals), cap(v) + ".")
    def both(self):
        f = self.facts; key = "say_both_live" if self.how == "live" else "say_both_from"
        v = {"n": f["name"], "c": f["city"]}; q = asked(self.r, self.r.choice(wordings("ask_both"))); says = wordings(key)
        if "origin" in f or self.moved: says = ["You are {n} and you live in {c}.", "Your name is {n} and you live in {c}."]; q = asked(self.r, self.r.choice([x for x in wordings("ask_both") if not re.search(r"\bfrom\b", x)]))
        if "sentence" in q: says = [s for s in says if " and " in s]
        self.add(typed(self.r, q), self.say_one(says, v), f"{v['n']}, {v['c']}.")
    def say_one(self, says, v): return fill(self.r.choice(says), v)
    def about(self):
        """All that was told, in sentences."""
        f, parts = self.facts, []
        if "name" in f and "city" in f and "origin" not in f: parts.append(f"You are {f['name']} and you live in {f['city']}." if self.how == "live" else f"You are {f['name']} from {f['city']}.")
        elif "name" in f: parts.append(f"Your name is {f['name']}.")
        elif "city" in f: parts.append(f"You live in {f['city']}." if self.how == "live" else f"You are from {f['city']}.")
        if "origin" in f: parts.append(f"You come from {f['origin']} and live in {f['city']}.")
        for k in MAKE:
            if k in f: parts.append(fill(P[k][0][2][0], {"v": f[k][0], "p": f[k][1]}))
        if self.lives: parts.append(f"{f['person'][0]} lives in {self.lives}.")
        q = typed(self.r, self.r.choice(wordings("ask_all")))
        if not parts: self.add(q, self.r.choice(["You have not told me anything about you yet.", "Nothing yet: you have not told me anything about yourself.", "I know nothing about you yet."]), "Nothing yet.")
        else: self.add(q, " ".join(parts))
    def other_person(self):
        """Who is who."""
        r = self.r; v, p = self.facts["person"]; z = r.random(); n = self.facts.get("name"); c = self.facts.get("city")
        if z < .3: self.question("person")
        elif z < .6: self.add(typed(r, r.choice(wordings("who_person")), {"v": v}), r.choice([f"{v} is your {p}.", f"Your {p}."]), f"Your {p}.")
        elif z < .75 and n: self.add(typed(r, r.choice(wordings("who_person")), {"v": n}), r.choice([f"You are {n}.", f"{n} is you.", f"That is you."]), "You.")
        elif self.lives:
            _, asks, says = P["lives"][0]; vals = {"v": v, "p": p, "y": self.lives}
            self.add(typed(r, r.choice(asks), vals), self.say_one(says, vals), self.lives + ".")
            if c and r.random() < .5: self.question("city")
        else: x = fresh(r, name, self.used); self.add(typed(r, r.choice(wordings("who_person")), {"v": x}), r.choice([f"You have not told me about {x} yet.", f"I don't know {x}. You have not told me who that is.", f"You have not told me who {x} is."]), "You have not told me.")
    def check(self, kind):
        """A question with yes or no."""
        r = self.r; v = self.facts[kind]; right = r.random() < .5; made = name if kind == "name" else city
        x = v if right else (self.was or {}).get(kind) or fresh(r, made, self.used)
        if kind == "name": q, yes_, no = r.choice(wordings("yes_name")), [f"Yes, you are {v}.", f"Yes, your name is {v}."], [f"No, your name is {v}.", f"No, you are {v}."]
        else:
            q = r.choice([t for t in wordings("yes_city") if not (self.was or {}).get("city") or "say" not in t]); yes_ = [f"Yes, you live in {v}.", "Yes, you told me so."] if self.how == "live" else [f"Yes, you told me {v}.", f"Yes, {v}."]
            no = [f"No, you live in {v}."] if self.how == "live" else [f"No, you told me {v}.", f"No, you are from {v}."]
        if "Did I say" in q and x in (self.was or {}).values(): q = "Am I {v}?"
        self.add(typed(r, q, {"v": x}), r.choice(yes_ if right else no), "Yes." if right else "No.")
    def form(self):
        """The name in another shape."""
        r, n = self.r, self.facts["name"]; z = r.random()
        if self.kind == "case": z = .6
        if z < .3 and n.isalpha() and len(n) < 9: self.add(typed(r, r.choice(wordings("ask_spell"))), "-".join(n))
        elif z < .5: self.add(typed(r, r.choice(wordings("ask_upper"))), n.upper())
        elif z < .8: self.add(typed(r, r.choice(wordings("ask_greet"))), r.choice([f"Hello, {n}!", f"Hi {n}!", f"Hello {n}, nice to see you!"]), f"Hello, {n}!")
        elif z < .9 and "city" in self.facts: self.add(typed(r, r.choice(wordings("ask_city_upper"))), self.facts["city"].upper())
        else: self.add(typed(r, r.choice(wordings("ask_initial"))), r.choice([f"{n[0]}.", f"Your name starts with {n[0]}.", f"The first letter is {n[0]}."]), n[0] + ".")
    def questions(self, n):
        """n questions, with the main ones first in weight; at times asked again."""
        r, f = self.r, self.facts
        for i in range(n):
            kinds = [("name", 22 if "name" in f else 2), ("city", 22 if "city" in f else 2)]
            if "name" in f and "city" in f: kinds.append(("both", 22))
            if "name" in f: kinds += [("form", 5), ("check name", 4)]
            if "city" in f: kinds.append(("check city", 3 if "origin" not in f else 0))
            if "origin" in f: kinds.append(("origin", 18))
            if "nick" in f or "full" in f: kinds.append(("name", 20))
            if "person" in f: kinds.append(("who", 22))
            if self.kin: kinds.append(("kin", 8))
            if (self.was or {}).get("city") and self.moved: kinds.append(("old", 6))
            kinds += [(k, 12 if k in f else 0 if k in SELDOM else .9) for k in MAKE if k not in ("person",)] + [("about", 8)]
            k = r.choices([k for k, _ in kinds], [w for _, w in kinds])[0]; before = self.out[-1:] if i else []
            if k == "both": self.both()
            elif k == "form": self.form()
            elif k == "about": self.about()
            elif k == "who": self.other_person()
            elif k == "kin": self.ask_relative(r.choice(list(self.kin)))
            elif k == "old": self.add(typed(r, r.choice(wordings("ask_old_city"))), self.say("say_old_city", {"w": self.was["city"], "c": f["city"]}), self.was["city"] + ".")
            elif k[:5] == "check": self.check(k[6:])
            else: self.question(k)
            if before and before[0][1] == self.out[-1][1]: self.out.pop(); continue
            if r.random() < .06: self.out.append((typed(r, r.choice(wordings("again"))), self.out[-1][1]))
            if r.random() < .15: self.fillers(1)

def yes(r, q, a):
    """Some questions ask first whether it is known at all."""
    if not a.startswith(("You ", "Your ", "You'")): return a
    if q.startswith("Have you forgotten"): return "No, y" + a[1:]
    if re.match(r"Do you|Can you|Did I|Remember", q) and r.random() < .4: return "Yes, y" + a[1:]
    return a

def introduce(x):
    """What is told first, in one turn or several."""
    r = x.r; z = r.random()
    if z < .24: x.tell_both()
    elif z < .42:
        tell = [x.tell_name, x.tell_city]
        if r.random() < .4: tell.reverse()
        tell[0]()
        if r.random() < .5: x.fillers(r.choice((1, 1, 2)))
        tell[1]()
    elif z < .48: x.tell_name()
    elif z < .53: x.tell_city()
    elif z < .60: x.tell_with_person()
    elif z < .66: x.tell_two_cities()
    elif z < .82: x.tell_many()
    elif z < .87: x.tell_home_with()
    elif z < .91: x.tell_slip()
    elif z < .94: x.tell_moved()
    else:
        (x.tell_nick if z < .975 else x.tell_full)()
        if r.random() < .3: x.fillers(1)
        if r.random() < .7: x.tell_city()
    if len(x.facts) > 3: return
    for k in r.sample([k for k in MAKE if k not in x.facts], r.choices((0, 1, 2), (64, 26, 10))[0]):
        if r.random() < .3: x.fillers(1)
        x.tell(k)
def by_prompt(x):
    """The system prompt tells of the user."""
    r = x.r; v = {"n": fresh(r, name, x.used), "c": fresh(r, city, x.used)}; x.facts.update(name=v["n"], city=v["c"])
    told = r.choice([f"The user's name is {v['n']}. The user lives in {v['c']}.", f"The user is called {v['n']} and lives in {v['c']}.", f"You talk to {v['n']}, who lives in {v['c']}.", f"User: {v['n']}, {v['c']}."])
    x.prompt = f"{x.prompt} {told}" if x.prompt else told

def chat(r, between):
    """One conversation: at times asked too early, told, talked past, at times corrected, asked."""
    x = Person(r, between)
    if r.random() < .06: by_prompt(x)
    else:
        early = r.choice(("name", "city", "name", "age")) if r.random() < .09 else None
        if early: x.question(early)
        elif r.random() < .04: x.about()
        elif r.random() < .1: x.fillers(1)
        if early in ("name", "city") and r.random() < .55:
            x.reply(early)
            if r.random() < .3: x.fillers(1)
            (x.tell_city if early == "name" else x.tell_name)()
        else: introduce(x)
    x.fillers(r.choices((0, 1, 2, 3, 4, 5, 6, 7), (8, 16, 18, 18, 15, 11, 8, 6))[0])
    for _ in range(r.choices((0, 1, 2), (74, 21, 5))[0]):
        x.correct()
        if r.random() < .7: x.fillers(r.choice((1, 1, 2, 3)))
    x.questions(r.choices((1, 2, 3, 4), (26, 36, 24, 14))[0])
    if r.random() < .12:
        missing = [k for k in ("name", "city", "age", "job", "food", "colour", "person", "pet", "surname") if k not in x.facts]
        k = r.choice(missing); p = x.question(k)
        if k in ("name", "city") and r.random() < .6: x.reply(k)
        elif k in ("name", "city"): (x.tell_name if k == "name" else x.tell_city)()
        else: x.tell(k, p)
        if r.random() < .6: x.fillers(r.choice((1, 1, 2)))
        x.question(k)
        if r.random() < .5: x.questions(1)
    return ([["s", x.prompt]] if x.prompt else []) + [m for u, a in x.out for m in (["u", u], ["a", a])]

def chats(seed, n):
    r = random.Random(f"introductions {seed}"); between = Between(r)
    for _ in range(n): yield chat(r, between)

if __name__ == "__main__":
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        for c in chats(int(sys.argv[2]), int(sys.argv[1])): out.write(json.dumps(c, ensure_ascii=False, separators=(",", ":")) + "\n")
