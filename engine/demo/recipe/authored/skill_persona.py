"""Who the model is: a character from the system prompt, or quire's built-in model where there is none."""
from skill_common import *

ROLE = bank.W("""gardener, baker, teacher, librarian, sailor, pilot, farmer, nurse, doctor, cook, carpenter, painter, tailor, shepherd, fisherman, blacksmith, detective, knight, wizard, witch, pirate, robot, dragon, queen, king, princess, ghost, storyteller,
museum guide, tour guide, shopkeeper, bus driver, train conductor, lighthouse keeper, beekeeper, clockmaker, potter, weaver, musician, poet, dancer, actor, astronaut, scientist, engineer, mechanic, plumber, electrician, postman, waiter, barista, butler, chef,
maths tutor, language teacher, football coach, yoga teacher, zoo keeper, vet, dentist, judge, explorer, treasure hunter, talking cat, talking dog, talking parrot, talking tree, friendly monster, elf, dwarf, fairy, goblin, innkeeper, merchant, miller, miner, hunter,
forest ranger, park ranger, firefighter, police officer, photographer, journalist, writer, architect, inventor, magician, clown, juggler, acrobat, hotel receptionist, travel agent, assistant, cheerful assistant, kind assistant, grumpy old man, wise old woman, shop assistant, ice cream seller,
toy maker, bookseller, florist, hairdresser, cheese maker, boat builder, mountain guide, ship captain, space captain, time traveller, snowman, penguin, owl, fox, bear, turtle""")
PLACE = ["a small village", "a lighthouse", "a castle", "the forest", "the mountains", "an old library", "a garden", "a space station", "a little house by the sea", "a museum", "a tower", "a cave", "a farm", "a bakery", "a boat on the river", "a workshop", "a big city", "an island", "the desert", "a windmill"]
def place(r): return r.choice(PLACE) if r.random() < .45 else city(r)
EXTRA = [ # key, value, in the prompt about "you", question wordings, answers
 ("place", place, ["You live in {v}.", "Your home is in {v}.", "You work in {v}."], ["Where do you live?", "Where are you?", "where do you live", "Where is your home?", "Where are you from?", "where are you from", "Where do you work?", "And where do you live?"], {"live": ["I live in {v}.", "In {v}."], "home": ["I live in {v}.", "My home is in {v}."], "work": ["I work in {v}.", "In {v}."]}),
 ("age", lambda r: str(r.choice((r.randrange(18, 90), r.randrange(8, 900)))), ["You are {v} years old.", "Your age is {v}."], ["How old are you?", "how old are you", "What is your age?", "whats your age", "And how old are you?"], ["I am {v} years old.", "I'm {v}."]),
 ("like", lambda r: r.choice(bank.HOBBIES + bank.FOODS), ["You love {v}.", "You like {v}.", "Your favourite thing is {v}."], ["What do you like?", "what do you love", "What do you like best?", "What is your favourite thing?", "Do you like anything?"], ["I love {v}.", "I like {v} very much."]),
 ("pet", lambda r: (r.choice([p for p in bank.PETS if " " not in p]), r.choice(bank.PETNAMES)), ["You have a {p} called {v}.", "Your {p} is called {v}."], ["Do you have a pet?", "What is your {p} called?", "do you have a pet", "What's the name of your {p}?", "Have you got any animals?"], ["I have a {p} called {v}.", "Yes, my {p} {v}."]),
 ("friend", name, ["Your best friend is {v}.", "You have a friend called {v}."], ["Who is your best friend?", "Who is your friend?", "Do you have friends?", "whos your friend"], ["My best friend is {v}.", "{v} is my friend."]),
 ("colour", lambda r: r.choice(bank.COLOURS[:11]), ["Your favourite colour is {v}.", "You like the colour {v} best."], ["What is your favourite colour?", "What's your favorite color?", "which colour do you like"], ["My favourite colour is {v}.", "{V}."]),
 ("hate", lambda r: r.choice(["rain", "noise", "spiders", "Mondays", "cold soup", "early mornings", "mud", "crowds", "loud music", "onions"]), ["You don't like {v}.", "You hate {v}."], ["What do you hate?", "What don't you like?", "Is there anything you don't like?", "what do you not like"], ["I don't like {v}.", "I hate {v}."]),
 ("boss", name, ["You work for {v}.", "Your boss is {v}.", "{v} made you."], None, None),
 ("day", lambda r: r.choice(bank.DAYS), ["Your day off is {v}.", "The shop is closed on {v}.", "You are open every day but {v}."], None, None),
]
NAME_ASK = ["What is your name?", "What's your name?", "whats your name", "Who are you?", "who are you", "What are you called?", "Tell me your name.", "Your name?", "What should I call you?", "Do you have a name?", "And your name is?", "Who am I talking to?", "who is this", "And who are you?", "What do people call you?", "Say your name.", "hi, who are you?", "Can you tell me your name?"]
ROLE_ASK = ["What are you?", "What do you do?", "what are you", "What is your job?", "whats your job", "What do you do for a living?", "What do you work as?", "And what do you do?", "What kind of work do you do?", "Tell me what you are."]
INTRO_ASK = ["Introduce yourself.", "introduce yourself please", "Tell me about yourself.", "tell me about you", "Who are you and what do you do?", "Tell me something about yourself.", "Can you introduce yourself?", "describe yourself"]

class Persona:
    def __init__(self, r):
        self.r = r; self.name = name(r) if r.random() < .9 else name(r) + " " + r.choice(bank.SURNAMES)
        self.role = r.choice(ROLE); self.arole = an(self.role); self.facts = []
        self.bare = r.choices(("", "role", "name"), (86, 8, 6))[0]
        for key, make, tells, asks, answers in r.sample(EXTRA, r.choices((0, 1, 2, 3, 4, 5), (30, 25, 15, 12, 10, 8))[0]):
            v = make(r); p = ""
            if key == "pet": p, v = v
            t = r.choice(tells); f = lambda s: s.format(v=v, V=cap(v), p=p)
            if key == "boss": asks, answers = (["Who is your boss?", "Who do you work for?"], [f"I work for {v}.", f"{v} is my boss."]) if "made" not in t else (["Who made you?", "who made you", "Who created you?", "Who built you?"], [f"{v} made me.", f"I was made by {v}."])
            if key == "day": asks, answers = (["When is your day off?", "When do you not work?"], ["My day off is {v}."]) if "off" in t else (["When are you closed?", "Are you open every day?", "On which day is the shop closed?"], ["We are closed on {v}."])
            if key == "place":
                how = "work" if "work" in t else "home" if "home" in t else "live"
                answers = answers[how]; asks = [q for q in asks if "work" not in q] if how != "work" else ["Where do you work?", "where do you work", "Where are you?"]
            self.facts.append((f(t), [f(q) for q in asks], [f(x) for x in answers], cap(v)))
    def system(self):
        r, n, a = self.r, self.name, self.arole
        s = r.choice([f"You are {n}, {a}.", f"You are {n}, {a}.", f"Your name is {n}. You are {a}.", f"You are {a} called {n}.", f"You are {a} named {n}.", f"You're {n}, {a}.", f"You play {n}, {a}.", f"Act as {n}, {a}.", f"Pretend to be {a} whose name is {n}.", f"you are {n}, {a}", f"Your name is {n} and you are {a}.", f"Role: {self.role}. Name: {n}.", f"In this chat you are {n}, {a}."])
        if self.bare == "role": s = r.choice([f"You are {a}.", f"Act as {a}.", f"You're {a}."])
        if self.bare == "name": s = r.choice([f"You are {n}.", f"Your name is {n}.", f"You are called {n}.", f"your name is {n}"])
        rest = [f[0] for f in self.facts]
        if r.random() < .25: rest.append(r.choice(["Be friendly.", "Keep your answers short.", "Stay in character.", "Always stay in character.", "Answer in a friendly way.", "Never say that you are someone else.", "Help the user.", "Be kind to everyone.", "Answer the user's questions."]))
        if r.random() < .15: rest += r.sample(["Use plain words.", "Do not use lists.", "Do not invent facts.", "If you do not know something, say so.", "Never be rude.", "Do not talk about politics.", "Greet the user kindly."], 3)
        r.shuffle(rest)
        if r.random() < .08 and rest: return "\n".join([s] + ["- " + x for x in rest])
        return (" " if r.random() < .85 else "\n").join([s if s[-1] == "." or not rest else s + "."] + rest)
    def ask(self):
        r, n, a = self.r, self.name, self.arole; z = r.random()
        if self.bare and not self.facts: z *= .6
        if self.bare == "role" and z < .79: return T(sloppy(r, ROLE_ASK + ["Who are you?", "who are you", "Introduce yourself."]), r.choice([f"I'm {a}.", f"I am {a}."]), cap(self.role)) if z > .1 else T(sloppy(r, ["What is your name?", "Do you have a name?", "whats your name"]), f"I have no name here, I'm just {a}.", "No name")
        if self.bare == "name" and z < .79: return T(sloppy(r, NAME_ASK), r.choice([f"I'm {n}.", f"My name is {n}.", f"I am {n}."]), n) if z > .1 else T(sloppy(r, ["What are you?", "what are you", "Are you human?", "Are you an AI?"]), f"I'm {n}, a small language model.", "A small language model")
        if z < .38: return T(sloppy(r, NAME_ASK), r.choice([f"I'm {n}, {a}.", f"My name is {n}.", f"I am {n}.", f"I'm {n}.", f"My name is {n}, and I am {a}."]), n)
        if z < .55: return T(sloppy(r, ROLE_ASK), r.choice([f"I'm {a}.", f"I am {a}.", f"I am {n}, {a}."]), cap(self.role))
        if z < .63: return T(sloppy(r, INTRO_ASK), " ".join([r.choice([f"I'm {n}, {a}.", f"My name is {n}, and I am {a}."])] + [f[2][0] for f in self.facts[:3]]), n)
        if z > .95: return T(sloppy(r, ["What can you do?", "what can you do", "How can you help me?", "What can I ask you?"]), r.choice([f"I'm {n}, {a}. I can chat with you and help with small things.", f"I am {n}, {a}. Ask me about small sums, words, or about me."]), None)
        if z < .7:
            yes = r.random() < .5; m = n if yes else name(r)
            if m == n: yes = True
            return T(sloppy(r, [f"Are you {m}?", f"Is your name {m}?", f"are you called {m}"]), r.choice([f"Yes, I'm {n}.", f"Yes, my name is {n}."]) if yes else r.choice([f"No, I'm {n}.", f"No, my name is {n}."]), "Yes" if yes else "No")
        if z < .73: return T(sloppy(r, ["How are you?", "how are you", "How are you today?", "how's it going"]), r.choice(["I'm fine, thank you. And you?", "Very well, thanks for asking!", f"Well, thank you. It is a good day to be {a}."]), "Fine")
        if z < .76: return T(sloppy(r, ["Are you a real person?", "Are you human?", "Are you an AI?", "are you a bot", "Are you ChatGPT?"]), r.choice([f"In this chat I'm {n}, {a}. Behind that is a small language model.", f"I play {n}, {a}, but I am a small language model."]), "A small model")
        if z < .79: return T(sloppy(r, ["Hello!", "hi", "Hi there", "hey", "Good morning", "hello"]), r.choice([f"Hello! I'm {n}.", f"Hello! I'm {n}, {a}.", f"Hi, {n} here. What can I do for you?"]), "Hello")
        if self.facts:
            t, asks, answers, v = r.choice(self.facts); return T(sloppy(r, asks), r.choice(answers), v)
        key, make, tells, asks, answers = r.choice(EXTRA[1:7])
        q = r.choice([x for x in asks if "{" not in x]); return T(careless(r, q), r.choice(["I'm not sure about that.", "I can't say.", "That is something I don't know about myself."]), "I don't know")
def chat(r, fillers):
    p = Persona(r); out = []; user = name(r) if r.random() < .25 else None
    if user: out.append(T(r.choice([f"Hi, I'm {user}.", f"My name is {user}.", f"Hello, I am {user}.", f"im {user}"]), r.choice([f"Nice to meet you, {user}!", f"Hello, {user}!"] + ([f"Hello, {user}! I'm {p.name}."] if p.bare != "role" else [])), "Hello"))
    for i in range(r.choice((1, 2, 2, 3, 4, 5, 6))):
        if i and r.random() < .25: out += fillers(r)
        t = p.ask()
        if t.u not in {x.u for x in out}: out.append(t)
    if user:
        both = [T(sloppy(r, ["What is my name?", "whats my name", "Do you remember my name?", "Who am I?"]), r.choice([f"Your name is {user}.", f"You are {user}."]), user)]
        if p.bare != "role": both.append(T(sloppy(r, ["And what is your name?", "What's your name?", "and your name?"]), f"My name is {p.name}.", p.name))
        r.shuffle(both); out += both
    if r.random() < .1 and not p.bare: out += fillers(r); out.append(T(sloppy(r, NAME_ASK[:8]), f"I'm {p.name}, {p.arole}.", p.name))
    return p.system(), out

def topics():
    """What it says about itself without a persona: selves_src/about.txt."""
    found = []
    for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "selves_src", "about.txt"), encoding="utf-8").read().split("\n"):
        if line[:1] == "@": found.append({"name": line[1:]})
        elif line[:1] in ("u", "a", "s", "w"): found[-1][line[0]] = line[2:].split(" / ")
    return found
TOPICS = topics()
OFTEN = {"who": 5, "what": 4, "size": 2, "maker": 2, "wrong": 2, "can": 3}
SELF = [t for t in TOPICS if "s" in t]
def self_turn(r):
    t = r.choices(SELF, [OFTEN.get(t["name"], 1) for t in SELF])[0]
    return T(sloppy(r, t["u"]), r.choice(t["a"]), t["s"][0])
