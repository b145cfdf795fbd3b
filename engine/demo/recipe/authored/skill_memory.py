"""What a user says about himself and others, kept over many turns, asked in many wordings, corrected."""
from skill_common import *

def animal(r): return r.choice([p for p in bank.PETS if " " not in p])
# kind: how the value is made, how it is told, acknowledged, asked, answered; {v} is the value. "his" asks about another person {n}.
FACTS = {
 "name": (name, ["My name is {v}.", "I'm {v}.", "I am {v}.", "Call me {v}.", "Hi, I'm {v}.", "Hello, my name is {v}.", "hey im {v}", "my name is {v}", "You can call me {v}.", "My name's {v}.", "This is {v}.", "I am called {v}."],
   ["Nice to meet you, {v}!", "Hello, {v}!", "Hi {v}, nice to meet you.", "Pleased to meet you, {v}."],
   ["What is my name?", "What's my name?", "whats my name", "Do you remember my name?", "Who am I?", "do you know my name", "What did I say my name was?", "Can you tell me my name?", "What am I called?", "Say my name.", "tell me my name", "Do you still know my name?", "And what was my name again?", "What is the name of the person you are talking to?", "Who are you talking to?", "What is the user's name?", "Who is writing to you?"],
   ["Your name is {v}.", "You are {v}.", "You're {v}.", "Your name is {v}."], "name"),
 "city": (city, ["I live in {v}.", "I'm from {v}.", "I am from {v}.", "My home is in {v}.", "I come from {v}.", "im from {v}", "i live in {v}", "My city is {v}.", "I have lived in {v} for years."],
   ["{v} sounds nice.", "I will remember {v}.", "Good to know that you live in {v}."],
   ["Where do I live?", "Which city do I live in?", "where do i live", "Where am I from?", "What city am I from?", "Do you remember where I live?", "What is my city?", "Which city did I tell you?", "Where is my home?", "Do you know where I live?", "And where do I live?"],
   ["You live in {v}.", "In {v}.", "You told me that you live in {v}."], "city"),
 "job": (lambda r: an(r.choice(bank.JOBS_SIMPLE)), ["I am {v}.", "I work as {v}.", "I'm {v}.", "My job: I am {v}.", "i work as {v}"], ["That sounds like interesting work.", "Being {v} must keep you busy.", "Good to know."],
   ["What is my job?", "What do I do for a living?", "what's my job", "Do you remember my job?", "What do I work as?", "What did I say I do?"], ["You are {v}.", "You work as {v}."], "job"),
 "pet": (lambda r: (animal(r), r.choice(bank.PETNAMES) if r.random() < .7 else syllables(r, 2)), ["I have a {p} called {v}.", "My {p} is called {v}.", "My {p}'s name is {v}.", "I have a {p}. Its name is {v}.", "i have a {p} named {v}"], ["{v} is a nice name for a {p}.", "Say hello to {v} for me!", "A {p} called {v}, how nice!"],
   ["What is my {p} called?", "What's my {p}'s name?", "whats the name of my {p}", "Do you remember the name of my {p}?", "How is my {p} called?", "What's the name of my pet?"], ["Your {p} is called {v}.", "Its name is {v}."], "pet"),
 "colour": (lambda r: r.choice(bank.COLOURS[:11]), ["My favourite colour is {v}.", "I like {v} best.", "My favorite color is {v}.", "i love the color {v}"], ["{V} is a nice colour.", "I'll remember that: {v}.", "Good choice."],
   ["What is my favourite colour?", "What's my favorite color?", "Which colour do I like best?", "whats my favorite color", "Do you remember my favourite colour?"], ["Your favourite colour is {v}.", "It is {v}."], "favourite colour"),
 "food": (lambda r: r.choice(bank.FOODS), ["My favourite food is {v}.", "I love {v}.", "The food I like best is {v}.", "my favorite food is {v}"], ["{V}: good choice!", "I'll remember that.", "That sounds tasty."],
   ["What is my favourite food?", "What's my favorite food?", "What food do I like?", "What do I like to eat?", "whats my favorite food"], ["Your favourite food is {v}.", "You like {v}."], "favourite food"),
 "hobby": (lambda r: r.choice(bank.HOBBIES), ["My hobby is {v}.", "In my free time I like {v}.", "I enjoy {v}.", "i like {v}"], ["That sounds like fun.", "{V} is a good hobby.", "Nice!"],
   ["What is my hobby?", "What do I like to do?", "whats my hobby", "What do I do in my free time?", "Do you remember my hobby?"], ["Your hobby is {v}.", "You like {v}."], "hobby"),
 "age": (lambda r: str(r.randrange(7, 90)), ["I am {v} years old.", "I'm {v}.", "My age is {v}.", "im {v} years old"], ["Got it: {v}.", "Thanks for telling me.", "{v} is a good age."],
   ["How old am I?", "What is my age?", "how old am i", "Do you remember my age?", "whats my age"], ["You are {v} years old.", "You are {v}."], "age"),
 "number": (lambda r: str(r.randrange(2, 1000)), ["My lucky number is {v}.", "Remember the number {v}.", "Please remember this number: {v}.", "remember {v}"], ["I'll remember {v}.", "{v}, got it.", "Okay: {v}."],
   ["What is my number?", "Which number did I tell you?", "What was the number?", "what number did i say", "Which number should you remember?"], ["It is {v}.", "The number is {v}."], "number"),
 "word": (lambda r: r.choice(sorted(bank.PLUR)) if r.random() < .6 else syllables(r, 2).lower(), ["Remember the word {v}.", "The secret word is {v}.", "My password is {v}. Remember it.", "Please remember this word: {v}."], ["I'll remember it: {v}.", "Got it: {v}.", "Okay, {v}."],
   ["What was the word?", "What is the secret word?", "Which word did I tell you?", "what word should you remember", "What's the word I told you?"], ["The word is {v}.", "It was {v}."], "word"),
 "sister": (name, ["My sister is called {v}.", "My sister's name is {v}.", "i have a sister named {v}"], ["{v} is a nice name.", "Say hello to {v}!"], ["What is my sister called?", "What's my sister's name?", "whats my sisters name", "Who is my sister?"], ["Your sister is called {v}.", "Her name is {v}."], "sister"),
 "brother": (name, ["My brother is called {v}.", "My brother's name is {v}.", "i have a brother named {v}"], ["{v} is a nice name.", "Say hello to {v}!"], ["What is my brother called?", "What's my brother's name?", "Who is my brother?"], ["Your brother is called {v}.", "His name is {v}."], "brother"),
 "day": (lambda r: r.choice(bank.DAYS), ["My birthday is on a {v}.", "I am free on {v}.", "My exam is on {v}.", "My dentist appointment is on {v}."], ["I'll remember: {v}.", "{v}, got it."], None, ["On {v}.", "It is on {v}."], "day"),
}
DAY_ASK = {"birthday": "When is my birthday?", "free": "When am I free?", "exam": "When is my exam?", "dentist": "When is my dentist appointment?"}

class Fact:
    """One thing told: its wordings with the value filled in."""
    def __init__(self, r, kind, value=None):
        self.kind = kind; make, self.told, acks, asks, answers, self.what = FACTS[kind]
        v = value or make(r); self.value = v; self.p = ""
        if kind == "pet": self.p, v = v
        self.v = v; tell = r.choice(self.told); self.tell = self.fill(tell)
        self.acks = [self.fill(x) for x in acks]
        if kind == "day": asks = [q for k, q in DAY_ASK.items() if k in tell]; self.what = "day"
        if "password" in tell: asks = asks + ["What is my password?"]
        self.asks = [self.fill(x) for x in asks]; self.answers = [self.fill(x) for x in answers]
        self.line = self.answers[0]
    def fill(self, s): return s.format(v=self.v, V=cap(self.v), p=self.p)
    def question(self, r):
        q = r.choice(self.asks); answers = self.answers
        if self.kind == "city" and "from" in q: answers = [f"You are from {self.v}.", f"You come from {self.v}."]
        elif self.kind == "city" and "Where" not in q and "where" not in q: answers = [a for a in answers if a[:2] != "In"]
        return T(careless(r, q), r.choice(answers), cap(self.v) if self.kind != "word" else self.v)

def tell_careless(r, s):
    """Some tell it in lower case: the answers keep the capital letters all the same."""
    if r.random() < .2: s = s.rstrip(".")
    if r.random() < .13: s = s.lower()
    return s
def introduce(r, facts):
    """One or more facts in one message, or a message each."""
    first = facts[0]; out = []; i = 0
    while i < len(facts):
        n = r.choice((1, 1, 2, 2, 3)); part = facts[i:i + n]; i += n
        u = " ".join(f.tell if f.tell[-1] == "." else f.tell + "." for f in part)
        if len(part) == 1: u = tell_careless(r, part[0].tell)
        elif len(part) == 2 and {f.kind for f in part} == {"name", "city"} and part[0].kind == "name":
            u = r.choice([u, f"I'm {part[0].v} from {part[1].v}.", f"My name is {part[0].v} and I live in {part[1].v}.", f"Hi, I am {part[0].v} and I come from {part[1].v}.", f"{part[0].v} here, from {part[1].v}.", f"im {part[0].v} and i live in {part[1].v}"])
        a = r.choice(part[0].acks)
        if len(part) > 1 and r.random() < .4: a = r.choice(["Thanks, I'll remember that.", "Good to know! I'll keep that in mind.", "Got it."]) if part[0].kind != "name" else r.choice(part[0].acks) + " " + r.choice(["I'll remember that.", "Thanks for telling me.", "Good to know."])
        if r.random() < .1: u = r.choice(["Please remember this. ", "For later: ", "Just so you know: "]) + u
        out.append(T(u, a, "OK"))
    return out
NONE = {"name": "your name", "city": "where you live", "job": "what your job is", "colour": "your favourite colour", "food": "your favourite food", "hobby": "your hobby", "age": "how old you are", "sister": "your sister's name", "brother": "your brother's name"}
def unknown(r, kinds):
    k = r.choice([k for k in NONE if k not in kinds] or ["age"])
    if k in kinds: return []
    return [T(sloppy(r, FACTS[k][3]), r.choice([f"You haven't told me {NONE[k]} yet.", f"I don't know {NONE[k]}. You haven't told me.", f"I don't know: you haven't told me {NONE[k]}."]), "I don't know")]
def everything(r, facts):
    u = sloppy(r, ["What do you know about me?", "what do you know about me", "Tell me everything you know about me.", "What have I told you about me?", "Sum up what you know about me.", "What did I tell you about myself?", "who am i and what do you know about me", "List what you know about me."])
    return T(u, " ".join(f.line for f in facts if f.kind not in ("word", "number", "day")) or facts[0].line, None)
def correction(r, f):
    if f.kind not in ("name", "city", "age", "colour", "food", "hobby", "sister", "brother"): return None
    g = Fact(r, f.kind)
    if g.v == f.v: return None
    told = {"name": [f"No, my name is {g.v}.", f"Sorry, I meant {g.v}. My name is {g.v}, not {f.v}.", f"Actually, my name is {g.v}.", f"no its {g.v}, not {f.v}", f"I'm not {f.v}, I'm {g.v}.", f"Call me {g.v} instead of {f.v}."],
            "city": [f"No, I live in {g.v}.", f"Actually, I moved to {g.v}.", f"Sorry, I meant {g.v}, not {f.v}. I live in {g.v}.", f"I don't live in {f.v} any more, I live in {g.v} now."],
            "age": [f"No, I am {g.v}.", f"Actually I'm {g.v} now, not {f.v}."]}.get(f.kind, [f"No, {low(g.told[0]).format(v=g.v)}", f"Actually, {low(g.told[0]).format(v=g.v)}", f"Sorry, I was wrong. {g.told[0].format(v=g.v)}"])
    return g, T(tell_careless(r, r.choice(told)), r.choice([f"Thanks, I'll remember that: {g.v}.", f"Sorry about that. {g.v}, then.", f"Got it: {g.v}, not {f.v}."] + ([f"Sorry, {g.v}! I'll remember it."] if f.kind == "name" else [])), "OK")

OTHER = [("{n} lives in {v}.", city, "Where does {n} live?", "{n} lives in {v}."), ("{n} is {v}.", lambda r: an(r.choice(bank.JOBS_SIMPLE)), "What does {n} do?", "{n} is {v}."), ("{n} likes {v}.", lambda r: r.choice(bank.HOBBIES), "What does {n} like?", "{n} likes {v}."),
         ("{n} has a {v}.", animal, "What pet does {n} have?", "{n} has a {v}."), ("{n} is {v} years old.", lambda r: str(r.randrange(5, 90)), "How old is {n}?", "{n} is {v} years old."), ("{n}'s favourite colour is {v}.", lambda r: r.choice(bank.COLOURS[:11]), "What is {n}'s favourite colour?", "{n}'s favourite colour is {v}."),
         ("{n} plays the {v}.", lambda r: r.choice(bank.INSTRUMENTS), "What does {n} play?", "{n} plays the {v}."), ("{n} bought a {v}.", lambda r: r.choice(["hat", "lamp", "bike", "clock", "coat", "guitar", "map"]), "What did {n} buy?", "{n} bought a {v}.")]
def two_people(r, fillers):
    n, m = two(r, name); tell, make, ask, say = r.choice(OTHER); a, b = two(r, make); out = []
    rel = r.choice(["", "", "My friend ", "My cousin ", "My neighbour "])
    f1, f2 = rel + tell.format(n=n, v=a), tell.format(n=m, v=b)
    if r.random() < .6: out.append(T(f"{f1} {f2}", r.choice(["Got it.", "I'll remember that.", f"Okay, {n} and {m}."]), "OK"))
    else: out += [T(f1, "Got it.", "OK"), T(f2, r.choice(["I'll remember that, too.", "Got it."]), "OK")]
    for i in range(r.choice((0, 0, 1, 2))): out += fillers(r)
    qs = [(n, a), (m, b)]; r.shuffle(qs)
    for x, y in qs: out.append(T(sloppy(r, [ask.format(n=x)]) if r.random() < .5 else ask.format(n=x), r.choice([say.format(n=x, v=y), say.format(n=x, v=y), cap(y) + "."]), cap(y)))
    x, y = r.choice(qs)
    who = say.format(n="\0", v=y).rstrip(".")
    if r.random() < .5: out.append(T(who.replace("\0", "Who") + "?" if not who.startswith("\0's") else f"Whose favourite colour is {y}?", f"{x}.", x))
    return out
def together(r, n, c):
    return T(sloppy(r, ["Who am I and where do I live?", "What is my name and where do I live?", "who am i and where do i live", "Tell me my name and my city.", "What's my name and which city am I from?", "Where do I live and what is my name?", "Do you remember my name and where I live?", "my name and city?", "Say my name and where I live.", "What are my name and my city?"]),
             r.choice([f"You are {n} and you live in {c}.", f"Your name is {n} and you live in {c}."]), None)
def whole(r, fillers):
    """Name and city told together or apart, with other talk between, and asked for together."""
    n, c = name(r), city(r); a, b = Fact(r, "name", n), Fact(r, "city", c); out = []
    if r.random() < .45: out += introduce(r, [a, b])
    else:
        out += introduce(r, [a])
        for _ in range(r.choice((0, 1, 1, 2))): out += fillers(r)
        out += introduce(r, [b])
    least = len(out) + r.choice((0, 1, 2, 4, 5, 6))
    while len(out) < least: out += fillers(r)
    out += r.choice([[together(r, n, c)], [a.question(r), b.question(r)], [together(r, n, c), a.question(r)], [b.question(r), together(r, n, c)]])
    return out
def dog(r, fillers):
    """What is told about a pet is not its name."""
    p = animal(r); c = r.choice(bank.COLOURS[:11]); out = [T(r.choice([f"My {p} is {c}.", f"I have a {c} {p}.", f"my {p} is {c}"]), r.choice([f"A {c} {p}, how nice!", "That sounds cute."]), "OK")]
    for _ in range(r.choice((0, 0, 1))): out += fillers(r)
    qs = [T(sloppy(r, [f"What is my {p} called?", f"What is my {p}'s name?"]), f"You haven't told me the name of your {p}.", "I don't know"), T(sloppy(r, [f"What colour is my {p}?", f"what color is my {p}"]), f"Your {p} is {c}.", cap(c))]
    r.shuffle(qs); return out + qs[:r.choice((1, 2))]
def known(r):
    """A system prompt that tells about the user, and questions about it."""
    kinds = r.sample(["name", "city", "job", "age", "food", "colour", "hobby"], r.randrange(1, 4)); facts = [Fact(r, k) for k in kinds]; text = []
    for f in facts:
        text.append({"name": "The user's name is {v}.", "city": "The user lives in {v}.", "job": "The user is {v}.", "age": "The user is {v} years old.", "food": "The user's favourite food is {v}.", "colour": "The user's favourite colour is {v}.", "hobby": "The user likes {v}."}[f.kind].format(v=f.v))
    out = []
    if facts[0].kind == "name" and r.random() < .5: out.append(T(sloppy(r, ["Hi", "Hello!", "hello", "hey", "Good morning"]), r.choice([f"Hello, {facts[0].v}!", f"Hi {facts[0].v}, what can I do for you?"]), "Hello"))
    for f in r.sample(facts, len(facts)): out.append(f.question(r))
    if r.random() < .3: out += unknown(r, kinds)
    if r.random() < .2: out.append(everything(r, facts))
    return r.choice(["", "", "You are a helpful assistant. ", "Be friendly. "]) + " ".join(text), out
def nothing(r):
    """Asked before anything was told; then told, then asked again."""
    k = r.choice(("name", "name", "city", "age", "job", "food")); f = Fact(r, k)
    out = [T(sloppy(r, f.asks), r.choice([f"You haven't told me {NONE[k]} yet.", f"I don't know {NONE[k]}. You haven't told me."]), "I don't know")]
    if r.random() < .6: out += introduce(r, [f]) + [f.question(r)]
    return out
def seg(r, fillers, least=0):
    """A whole memory part: told, other turns, asked. `fillers(r)` gives turns that have nothing to do with it."""
    z = r.random()
    if z < .15: return two_people(r, fillers)
    if z < .40: return whole(r, fillers)
    if z < .44: return dog(r, fillers)
    kinds = ["name"] if r.random() < .85 else []
    if r.random() < .65 or not kinds: kinds.append("city")
    kinds += r.sample([k for k in FACTS if k not in ("name", "city")], r.choice((0, 1, 1, 2, 3)))
    if r.random() < .3: r.shuffle(kinds)
    facts = [Fact(r, k) for k in kinds]; out = introduce(r, facts); told = list(facts)
    def fill(n):
        m = len(out) + n
        while len(out) < m: out.extend(fillers(r))
    fill(max(least, r.choice((0, 0, 1, 2, 3, 4, 5, 6, 7))))
    if r.random() < .22:
        f = r.choice(facts); c = correction(r, f)
        if c: facts[facts.index(f)] = c[0]; out.append(c[1]); fill(r.choice((0, 0, 1, 2)))
    asked = r.sample(facts, min(len(facts), r.choice((1, 2, 2, 3))))
    if r.random() < .5: asked = ([f for f in facts if f.kind in ("name", "city")] + asked)[:3]
    for i, f in enumerate(asked):
        q = f.question(r)
        if i and f in asked[:i]: continue
        if i and r.random() < .3: q.u = r.choice(["And ", "and "]) + low(q.u)
        out.append(q)
        if r.random() < .08: out.append(T(sloppy(r, ["Are you sure?", "really?", "Is that right?"]), "Yes, you told me so.", "Yes"))
        if r.random() < .12: fill(1)
    if r.random() < .15 and len({f.kind for f in told}) >= 1: out.append(everything(r, facts))
    if r.random() < .15: out += unknown(r, kinds)
    return out
