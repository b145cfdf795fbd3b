"""What a person tells beyond a name and a city: several things at once, other forms of the name, slips put right at once, short replies.

A part of introductions.Person; introductions_src/tellings.txt has the wordings.
"""
import re
from names import city, fill, fresh, invented, name, typed, wordings
from skill_common import an, bank, cap, low

JOBS = [job.strip() for job in ",".join(wordings("jobs")).split(",")]
GREETS = re.compile(r"(hi|hello|hey|hiya|yo|good|greetings|hallo|sunny|best|here|and|oh|by the way|so|for the record|please|remember|name|city|from|in)\b|\{|\(", re.I)
# Kinds of facts: the parts of a message that tell of them
PARTS = {"name": ("part_name",), "city": ("part_live", "part_live", "part_from"), "job": ("part_job",), "age": ("part_age",), "hobby": ("part_hobby",), "food": ("part_food",), "colour": ("part_colour",), "pet": ("part_pet",), "person": ("part_person",), "sport": ("part_sport",), "instrument": ("part_instrument",)}
LABELS = {"name": ("Name", "name", "My name"), "city": ("City", "Town", "Home", "city", "From"), "job": ("Job", "Work", "job", "Profession"), "age": ("Age", "age"), "hobby": ("Hobby", "hobby", "I like"), "food": ("Favourite food",), "colour": ("Favourite colour",), "sport": ("Sport",), "instrument": ("Instrument",)}
BARE = {"job": ["Job?", "job?", "And my job?", "My job?", "what do I do?", "What do I do?"], "age": ["Age?", "And my age?", "My age?"], "hobby": ["Hobby?", "And my hobby?", "What do I like?", "what do I love?"], "sport": ["My sport?"], "instrument": ["My instrument?"]}
TAILS = [" " + x if x[0].isalpha() else x for x in (t.strip() for t in wordings("trail"))]

def sentence(parts):
    """Parts as one sentence with commas, or as a sentence each."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
def single(r):
    """A first name in one word."""
    while True:
        v = name(r)
        if v.isalpha(): return v
def shortened(r, n):
    """What friends make of a name."""
    if len(n) < 5 or r.random() < .45: return None
    k = n[:r.choice((3, 3, 4))]
    if k[-1].lower() in "aeiou" and len(k) > 3: k = k[:3]
    return k + r.choice(["", "", "", "i", "y", "o"]) if k[-1] not in "aeiou" else k
def dressed(r, t, named=False):
    """An introduction with something said before or after it, at times; of a name, also something about it."""
    z = r.random()
    if z < .16 and not GREETS.match(t):
        b = r.choice(wordings("before"))
        return f"{b} {t if b[-1] in '.!?' else low(t)}"
    if z < .3 and "\n" not in t: return (t if t[-1] in ".!?" else t + ".") + " " + r.choice(wordings("after_name" if named and r.random() < .4 else "after"))
    return t
def asked(r, q):
    """A question with something said before or behind it, at times."""
    z = r.random()
    if z < .13:
        lead = r.choice(wordings("lead"))
        return f"{lead} {q if re.match('I |I.m|[A-Z]{2}', q) else q[0].lower() + q[1:]}" if not re.match(r"(And|So|Now|Quick|Please|Remember|Let|Check|Ok)\b", q, re.I) else q
    if z < .22 and q[-1] == "?" and len(q) > 12 and not re.search(r"again|please|please\?|still", q): return q[:-1] + r.choice(TAILS) + r.choice(["?", "?", ""])
    return q

class Tellings:
    # -- several things in one message
    def tell_many(self):
        """Name, home and one to four things more, in sentences, with labels or as a list."""
        r = self.r; kinds = ["name"] + (["city"] if r.random() < .85 else []); z = r.random()
        kinds += r.sample([k for k in PARTS if k not in ("name", "city")], r.choices((1, 2, 3, 4), (34, 36, 20, 10))[0])
        if z < .2: kinds = [k for k in kinds if k in LABELS]
        vals = {k: self.made(k) for k in kinds}
        for k in kinds: self.facts[k] = vals[k][0] if k in ("name", "city") else vals[k]
        if z < .2 and len(kinds) > 1: t = self.labelled(kinds, vals)
        elif z < .34 and "city" in kinds: t = self.listed(kinds, vals)
        else: t = self.spoken(kinds, vals)
        n = vals["name"][0]
        says = wordings("ack_many") + [f"Hello {n}! Say hello to {vals[k][0]}." for k in ("pet", "person") if k in vals]
        self.add(typed(r, dressed(r, t) if z > .34 else t, self.slots), fill(r.choice(says), {"n": n}), f"Hello, {n}!")
    def made(self, kind):
        """(value, which relative or animal)"""
        r = self.r
        if kind == "job": v = an(r.choice(JOBS))
        else: v = fresh(r, city if kind == "city" else self.MAKE.get(kind, name), self.used)
        return v, self.relative() if kind == "person" else r.choice(self.ANIMALS) if kind == "pet" else ""
    def slot(self, value):
        """A slot of its own for a value, which typing leaves whole."""
        key = "abdefghilmoqrtuxyz"[len(self.slots)]; self.slots[key] = value
        return "{" + key + "}"
    def spoken(self, kinds, vals):
        r = self.r; parts = []; self.slots = {}
        if kinds[:2] == ["name", "city"] and r.random() < .3 or r.random() < .15: kinds = kinds[:1] + r.sample(kinds[1:], len(kinds) - 1)
        if r.random() < .12: r.shuffle(kinds)
        for k in kinds:
            key = r.choice(PARTS[k]); v, p = vals[k]
            if k == "city": self.how = key[5:]
            parts.append(r.choice(wordings(key)).replace("{v}", self.slot(v)).replace("{p}", p))
        parts = [re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", x) for x in parts]
        if r.random() < .45: return " ".join(cap(x) + "." for x in parts)
        cut = r.randrange(1, len(parts) + 1) if len(parts) > 2 else len(parts)
        return cap(" ".join(cap(sentence(x)) + "." for x in (parts[:cut], parts[cut:]) if x))
    def labelled(self, kinds, vals):
        self.slots = {}; self.how = "live"; end = self.r.choice([". ", ", ", "\n", "; "]); sign = self.r.choice([": ", ": ", ": ", " - "])
        return end.join(self.r.choice(LABELS[k]) + sign + self.slot(re.sub("^an? ", "", vals[k][0])) for k in kinds) + (end.strip() if end == ". " else "")
    def listed(self, kinds, vals):
        """A name, an age, a job and a city in a row."""
        r = self.r; self.slots = {}; self.how = r.choice(("live", "from")); n, c = self.slot(vals["name"][0]), self.slot(vals["city"][0])
        for k in kinds:
            if k not in ("name", "city", "job", "age", "hobby"): del self.facts[k]
        middle = [self.slot(re.sub("^an? ", "", vals[k][0]) if k == "job" and r.random() < .4 else vals[k][0]) for k in ("age", "job") if k in kinds]
        place = r.choice([", {x}", ", {x}", " in {x}", ", living in {x}"] if self.how == "live" else [", from {x}", " from {x}"]).replace("{x}", c)
        t = r.choice(["", "", "I'm ", "Let me introduce myself: ", "My name is ", "This is "]) + ", ".join([n] + middle) + place
        if "hobby" in kinds: t += r.choice([". I like ", ", and I like ", ", fond of ", ". Hobby: "]) + self.slot(vals["hobby"][0])
        return t + "."

    # -- other forms of the name
    def tell_nick(self):
        r = self.r; n = fresh(r, single, self.used); k = shortened(r, n)
        if not k or k in self.used: k = fresh(r, single, self.used)
        self.used.add(k); p = self.relative() if r.random() < .3 else ""; self.facts.update(name=n, nick=(k, p))
        key = "nick_kin" if p else "nick"; v = {"n": n, "k": k, "p": p}
        self.add(typed(r, dressed(r, r.choice(wordings(key))), v), self.say("ack_" + key, v), f"Hello, {n if p else k}!")
    def tell_full(self):
        r = self.r; n = fresh(r, single, self.used); s = r.choice(bank.SURNAMES) if r.random() < .4 else fresh(r, invented, self.used); self.used.add(s)
        self.facts.update(name=n, surname=(s, ""), full=(n, s)); v = {"n": n, "s": s}
        self.add(typed(r, dressed(r, r.choice(wordings("full")), True), v), self.say("ack_full", v), f"Hello, {n}!")
    def form_of_name(self):
        """A question for one form of the name."""
        r, f = self.r, self.facts; z = r.random()
        if "nick" in f:
            k, p = f["nick"]; v = {"n": f["name"], "k": k, "p": p}; kin = "_kin" if p else ""
            if z < .45: return self.put(asked(r, r.choice(wordings("ask_nick" + kin))), "say_nick" + kin, v, k)
            if z < .7: return self.put(asked(r, r.choice(wordings("ask_real"))), "say_real", v, v["n"])
            return self.put(asked(r, r.choice(["What is my name?", "whats my name", "What's my name?", "Who am I?", "Do you know my name?", "Tell me my name.", "my name?", "And who am I?"])), "say_name_kin" if p else "say_name_nick", v, v["n"])
        n, s = f["full"]; v = {"n": n, "s": s}
        if z < .5: return self.put(asked(r, r.choice(wordings("ask_full"))), "say_full", v, f"{n} {s}")
        if z < .75: return self.put(asked(r, r.choice(wordings("ask_first"))), "say_first", v, n)
        self.question("surname")
    def put(self, q, key, v, core): self.add(typed(self.r, q, v), self.say(key, v), core + ".")

    # -- slips and moves
    def tell_slip(self):
        r = self.r
        if r.random() < .5:
            w, n = fresh(r, name, self.used), fresh(r, name, self.used); self.facts["name"] = n; v = {"w": w, "n": n}
            self.add(typed(r, dressed(r, r.choice(wordings("slip_name"))), v), self.say("ack_name", v), f"Hello, {n}!")
            if r.random() < .8: self.tell_city()
        else:
            if r.random() < .5: self.tell_name()
            w, c = fresh(r, city, self.used), fresh(r, city, self.used); self.facts["city"] = c; self.how = "live"; v = {"w": w, "c": c, "n": ""}
            self.add(typed(r, dressed(r, r.choice(wordings("slip_city"))), v), r.choice([f"{c}, got it.", f"{c} it is.", f"In {c}, then.", f"I'll remember {c}.", f"{c}, I see."]), "OK.")
            if "name" not in self.facts: self.tell_name()
    def tell_moved(self):
        r = self.r; first = r.random() < .7
        if first: self.tell_name()
        o, c = fresh(r, city, self.used), fresh(r, city, self.used); v = {"o": o, "c": c}; self.facts["city"] = c; self.how = "live"
        self.was = {**(self.was or {}), "city": o}; self.moved = True
        self.add(typed(r, dressed(r, r.choice(wordings("moved"))), v), r.choice([f"From {o} to {c}, I see.", f"I hope that you like it in {c}.", f"{c}, then. How is it there?", f"Got it: {c} now.", f"A new start in {c}!"]), "OK.")
        if not first: self.tell_name()
    def tell_home_with(self):
        """Name, home and a relative or an animal in one sentence."""
        r = self.r; pet = r.random() < .45; k = "pet" if pet else "person"; v = fresh(r, name, self.used); p = r.choice(self.ANIMALS) if pet else self.relative()
        vals = {"n": fresh(r, name, self.used), "c": fresh(r, city, self.used), "v": v, "p": p}; t = r.choice(wordings("home_with"))
        t = re.sub(r"\b([Aa]) (?=\{p\})", r"\1n " if p[0] in "aeiou" else r"\1 ", t)
        self.facts.update(name=vals["n"], city=vals["c"]); self.facts[k] = (v, p); self.how = "live" if "live" in t else "from"
        self.add(typed(r, dressed(r, t), vals), self.say("ack_home_with", vals), f"Hello, {vals['n']}!")
    def reply(self, kind):
        """The answer to a question that the model gave back."""
        r = self.r; v = fresh(r, name if kind == "name" else city, self.used); self.facts[kind] = v; x = {"n" if kind == "name" else "c": v}; self.how = "live"
        ack = {**x, "n": v} if kind == "name" else {**x, "n": self.facts.get("name", "")}
        self.add(typed(r, r.choice(wordings("reply_" + kind)), x), self.say("ack_" + kind, ack), f"Hello, {v}!" if kind == "name" else "OK.")
