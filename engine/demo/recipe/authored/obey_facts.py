"""Prompts with facts: a place to work at, the user, the day, an event. What is asked of them is answered from the
prompt, and what is not in it is honestly not known."""
from obey_persona import *

# what it is, what its name may end with, what it sells
PLACES = """bakery | bread, cake, a loaf, a croissant, a pie, a bun
cafe | coffee, tea, a cup of cocoa, a muffin, a sandwich, a slice of cake
hotel | a single room, a double room, breakfast, parking, a late checkout
restaurant | soup, pizza, a steak, a salad, dessert, a glass of wine
museum | a ticket, a guided tour, a poster, an audio guide, a family ticket
library | a library card, a copy, a late fee, a reading lamp
bookshop | a novel, a map, a comic, a notebook, a calendar
flower shop | a rose, a bouquet, a cactus, a tulip, a wreath
bike shop | a bike, a helmet, a bell, a repair, a lock
pet shop | a hamster, a fish tank, dog food, a leash, bird seed
swimming pool | a ticket, a swimming lesson, a locker, a towel
zoo | a ticket, animal food, a balloon, a family ticket
cinema | a ticket, popcorn, a lemonade, a 3D film
gym | a day pass, a month, a yoga class, a towel
hair salon | a haircut, a shave, a colouring, a wash
garage | an oil change, a tyre, a car wash, a check
pharmacy | a bandage, cough drops, a thermometer, sun cream
ice cream parlour | a scoop, a sundae, a milkshake, a waffle
toy shop | a teddy bear, a kite, a puzzle, a train set
farm shop | a dozen eggs, a jar of honey, a bag of apples, a bottle of milk
music school | a piano lesson, a guitar lesson, a song book, a trial lesson
campsite | a tent place, a cabin, firewood, a shower coin
post office | a stamp, a parcel, a postcard, an envelope
theatre | a ticket, a programme, a box seat, a drink"""
PLACES = [(x, w.split(", ")) for x, w in (line.split(" | ") for line in PLACES.split("\n"))]
NAMES_OF = "Sunhill, Blue Moon, Old Mill, Golden Key, Green Door, Red Lion, White Swan, Riverside, Star, Little Owl, Silver Spoon, Corner, Harbour, Linden, Three Bears, Rainbow, Happy Fox, North Wind, Copper Kettle, Seaview, Maple, Castle, Lucky Duck, Rosewood, Pinewood, Sunny Side, Clover, Paper Boat, Lighthouse, Bluebell".split(", ")
CASH = ["euros", "dollars", "euro", "pounds", "coins", "francs"]
# key: how a value is made; the prompt's sentences; questions; answers. {v}, {V}: the value, {p}: the place, {i}: the thing
ITEMS = {
 "opens": (lambda r: r.choice(["6", "7", "8", "9", "10", "7:30", "8:30", "9:30", "6 am", "8 am", "9 am", "10 am"]), ["It opens at {v}.", "The {p} opens at {v}.", "We open at {v} every day.", "Opening time: {v}."], ["When do you open?", "What time do you open?", "when does the {p} open", "when are you open from?", "How early can I come?", "opening time?"], ["We open at {v}.", "The {p} opens at {v}.", "At {v}."]),
 "closes": (lambda r: r.choice(["17", "18", "19", "20", "22", "5 pm", "6 pm", "8 pm", "18:30", "midnight", "noon"]), ["It closes at {v}.", "The {p} closes at {v}.", "We close at {v}.", "Closing time: {v}."], ["When do you close?", "What time do you close?", "when does the {p} close", "Until when are you open?", "How late are you open?", "closing time?"], ["We close at {v}.", "The {p} closes at {v}.", "At {v}."]),
 "day": (lambda r: r.choice(bank.DAYS), ["It is closed on {v}.", "The {p} is closed on {v}s.", "We are closed on {v}.", "On {v}s nobody works."], ["On which day are you closed?", "When are you closed?", "Which day is your day off?", "Is there a day when you are closed?", "what day are you closed"], ["We are closed on {v}.", "On {v}."]),
 "price": (lambda r: f"{r.randrange(2, 60)} {r.choice(CASH)}", ["{I} costs {v}.", "The price of {i} is {v}.", "{I}: {v}."], ["How much is {i}?", "What does {i} cost?", "how much does {i} cost", "What is the price of {i}?", "price of {i}?", "I'd like {i}. How much is that?"], ["{I} costs {v}.", "It costs {v}.", "{V}."]),
 "owner": (lambda r: name(r) + (" " + r.choice(bank.SURNAMES) if r.random() < .5 else ""), ["The owner is {v}.", "Your boss is {v}.", "The {p} belongs to {v}.", "{v} runs the {p}."], ["Who is the owner?", "Who owns the {p}?", "who is your boss", "Who runs the {p}?", "What is the name of the owner?"], ["The owner is {v}.", "{v}.", "It is {v}."]),
 "city": (city, ["It is in {v}.", "The {p} is in {v}.", "You are in {v}."], ["Where are you?", "In which city are you?", "where is the {p}", "Which town are you in?", "Where can I find you?"], ["We are in {v}.", "The {p} is in {v}.", "In {v}."]),
 "street": (lambda r: f"{r.randrange(1, 99)} {r.choice(['Mill', 'Church', 'Garden', 'Station', 'King', 'River', 'Park', 'High', 'Baker', 'Lake', 'Rose'])} {r.choice(['Street', 'Road', 'Lane'])}", ["The address is {v}.", "Address: {v}.", "You find it at {v}."], ["What is the address?", "what's your address", "Which street are you in?", "Can you give me the address?", "address?"], ["The address is {v}.", "{v}."]),
 "phone": (lambda r: "-".join(str(r.randrange(100, 999)) for _ in range(r.choice((2, 3)))), ["The phone number is {v}.", "Phone: {v}.", "People can call {v}."], ["What is your phone number?", "How can I call you?", "whats the phone number", "Do you have a phone number?", "phone?"], ["The phone number is {v}.", "You can call {v}.", "{v}."]),
 "since": (lambda r: str(r.randrange(1820, 2024)), ["It was opened in {v}.", "The {p} has been there since {v}.", "Founded: {v}."], ["When was the {p} opened?", "How long has the {p} been there?", "since when is the {p} there", "In which year did it open?"], ["The {p} has been there since {v}.", "Since {v}.", "It opened in {v}."]),
 "best": (lambda r: r.choice(MADE) + " " + r.choice(THINGY), ["The best thing here is the {v}.", "The {p} is famous for the {v}.", "Everybody loves the {v}."], ["What are you famous for?", "What is the best thing here?", "What do people love here?", "what is special about the {p}"], ["We are famous for the {v}.", "The {v}."]),
 "wifi": (lambda r: syllables(r, 2).lower() + str(r.randrange(10, 99)), ["The wifi password is {v}.", "Wifi: {v}.", "Guests get the wifi password {v}."], ["What is the wifi password?", "wifi password?", "Do you have wifi?", "How do I get into the wifi?", "whats the wifi"], ["The wifi password is {v}.", "{v}."]),
 "parking": (lambda r: r.choice(["behind the house", "across the street", "in the yard", "under the bridge", "next to the station", "at the church"]), ["Parking is {v}.", "Guests park {v}.", "There is a car park {v}."], ["Where can I park?", "Is there parking?", "where do i park", "Where do I leave my car?"], ["You can park {v}.", "{V}."]),
 "pets": (lambda r: r.choice(["allowed", "not allowed"]), ["Dogs are {v}.", "Pets are {v}.", "Animals are {v} inside."], ["Can I bring my dog?", "Are dogs allowed?", "may i bring my pet", "Is my dog welcome?"], None),
 "pay": (lambda r: r.choice(["cash only", "by card only", "in cash or by card"]), ["Guests pay {v}.", "You pay {v}.", "Payment: {v}."], ["How can I pay?", "How do I pay?", "What kind of payment do you take?", "how do people pay here"], ["You can pay {v}.", "{V}."]),
}
NOT_TOLD = ["I don't know that, sorry.", "I wasn't told that.", "I'm sorry, I don't know.", "That I don't know. Please ask somebody here.", "I have no information on that.", "I don't know that. I was not told."]
EXTRA_ASK = ["How many people work here?", "What is the weather there?", "Do you sell shoes?", "Who painted the walls?", "How big is the {p}?", "Who cleans the {p}?", "How many chairs do you have?", "What colour is the door?", "Who was here yesterday?", "How many windows are there?", "What music do you play?", "What is the name of your cousin?", "Who was the first guest?", "How far is the airport?"]
INTRO = ["You work at the {p} {n}.", "You are the assistant of the {p} {n}.", "You answer questions for the {p} {n}.", "You are the help desk of the {p} {n}.", "You are a friendly employee of {n}, a {p}.", "You work for {n}, a {p}.", "You are the voice of the {p} {n}.", "You help the guests of the {p} {n}.", "You sit at the front desk of the {p} {n}.", "You are the chat bot of {n}, a small {p}."]
HONEST = ["If you do not know something, say so.", "Answer only from these facts.", "Use only these facts.", "Do not make anything up.", "What is not here you do not know.", "Be honest about what you don't know."]

class Fact:
    """A thing in the prompt: its sentence, its questions, its answers."""
    def __init__(self, r, key, p, i=""):
        make, tells, asks, answers = ITEMS[key]; v = make(r)
        if answers is None: answers = ["Yes, dogs are allowed."] if v == "allowed" else ["No, dogs are not allowed."]
        self.key, self.v, self.i = key, v, i
        self.f = lambda s: s.format(v=v, V=cap(v), p=p, i=i, I=cap(i))
        self.tell = self.f(r.choice(tells)); self.asks, self.answers = asks, answers
        self.short = ("Yes" if v == "allowed" else "No") if key == "pets" else cap(v)
    def turn(self, r):
        q = self.f(r.choice(self.asks))
        return [(T(careless(r, q), self.f(r.choice(self.answers)), self.short, "fact"), "me")]
def joined(r, intro, xs):
    """Facts as prose or as a list."""
    z = r.random()
    if z < .72: return " ".join([intro] + xs)
    if z < .88: return "\n".join([intro] + ["- " + x for x in xs])
    return "\n".join([intro, "", r.choice(["Facts:", "# Facts", "Information:", "What you know:"])] + ["- " + x for x in xs])
def rule_place(r):
    p, things = r.choice(PLACES); n = r.choice(NAMES_OF) if r.random() < .6 else syllables(r, 2)
    keys = r.sample([k for k in ITEMS if k != "price"], r.choice((1, 2, 2, 3, 3, 4, 5)))
    facts = [Fact(r, k, p) for k in keys] + [Fact(r, "price", p, i) for i in r.sample(things, min(len(things), r.choice((0, 1, 1, 2, 3))))]
    r.shuffle(facts)
    me = name(r) if r.random() < .3 else None
    xs = [f.tell for f in facts] + ([f"Your name is {me}."] if me else [])
    if r.random() < .3: xs.append(r.choice(HONEST))
    say = joined(r, r.choice(INTRO).format(p=p, n=n), xs)
    def known_fact(r): return r.choice(facts).turn(r)
    def not_told(r):
        if r.random() < .55:
            k = r.choice([k for k in ITEMS if k not in keys and k not in ("price", "best")])
            q = r.choice(ITEMS[k][2]).format(p=p)
        elif r.random() < .5:
            rest = [i for i in things if i not in [f.i for f in facts]] or ["a ladder"]
            q = r.choice(ITEMS["price"][2]).format(i=r.choice(rest))
        else: q = r.choice(EXTRA_ASK).format(p=p)
        return [(T(careless(r, q), r.choice(NOT_TOLD), "I don't know", "no"), "no")]
    def greet(r): return [(T(careless(r, r.choice(SAID["greet"])), r.choice([f"Hello! Welcome to {n}.", f"Welcome to the {p} {n}! What can I do for you?", f"Hello from the {p} {n}!"]), "Hello"), "me")]
    def who(r):
        if me and r.random() < .6: return [(T(sloppy(r, ASK["name"]), r.choice([f"I'm {me}.", f"My name is {me}.", f"I am {me} of the {p} {n}."]), me, "name"), "me")]
        return [(T(sloppy(r, ["Who are you?", "What are you?", "what is this", "Where am I?", "What is the name of this place?", "Where do you work?", "What can you do?"]), r.choice([f"This is the {p} {n}.", f"I work at the {p} {n}."]), n, "fact"), "me")]
    return Rule(say, lambda r, t, act: t.a, lambda s: True, own_turns, ((known_fact, 55), (not_told, 17), (greet, 6), (who, 9), (small, 8), (plain_task, 5)))
def rule_user(r):
    """What the prompt tells about the user."""
    kinds = r.sample(["name", "city", "job", "colour", "food", "hobby", "age", "sister", "brother", "pet"], r.choice((1, 1, 2, 2, 3, 4)))
    facts = [memory.Fact(r, k) for k in kinds]
    tells = {"name": ["The user's name is {v}.", "The user is called {v}.", "You are talking to {v}.", "User: {v}."], "city": ["The user lives in {v}.", "The user is from {v}."], "job": ["The user is {v}.", "The user works as {v}."], "colour": ["The user's favourite colour is {v}.", "The user likes {v} best."], "food": ["The user's favourite food is {v}.", "The user loves {v}."], "hobby": ["The user's hobby is {v}.", "The user likes {v}."], "age": ["The user is {v} years old.", "The user's age: {v}."], "sister": ["The user's sister is called {v}.", "The user has a sister, {v}."], "brother": ["The user's brother is called {v}.", "The user has a brother, {v}."], "pet": ["The user has a {p} called {v}.", "The user's {p} is called {v}."]}
    say = joined(r, r.choice(["You are a helpful assistant.", "You are a friendly assistant.", "About the user:", "You know the user well.", "You help one person.", "What you know about the user:"]), [f.fill(r.choice(tells[f.kind])) for f in facts])
    def told(r):
        f = r.choice(facts); t = f.question(r)
        if f.kind == "city" : t.a = f"You live in {f.v}." if "from" not in say else f"You are from {f.v}."
        t.a = t.a.replace("You told me that y", "Y"); t.k = "fact"; return [(t, "me")]
    def not_told(r):
        t = memory.unknown(r, kinds)
        return [(T(x.u, r.choice(["I don't know that, you haven't told me.", "I wasn't told that."]), "I don't know", "no"), "no") for x in t]
    return Rule(say, lambda r, t, act: t.a, lambda s: True, None, ((told, 52), (not_told, 14), (small, 18), (plain_task, 16)))
def rule_date(r):
    """The day and the time, from the prompt alone."""
    i = r.randrange(7); day, d, m, y = bank.DAYS[i], r.randrange(1, 29), r.choice(bank.MONTHS), r.randrange(2020, 2035)
    clock = f"{r.randrange(1, 24)}:{r.randrange(0, 60):02}" if r.random() < .5 else None; where = city(r) if r.random() < .4 else None
    sky = r.choice(["sunny", "rainy", "cloudy", "snowing", "windy", "foggy"]) if r.random() < .4 else None
    xs = [r.choice([f"Today is {day}, {d} {m} {y}.", f"Today is {day}. The date is {d} {m} {y}.", f"Date: {day}, {d} {m} {y}."])] + ([f"The time is {clock}."] if clock else []) + ([f"You are in {where}."] if where else []) + ([f"It is {sky} outside."] if sky else [])
    say = joined(r, r.choice(["You are a helpful assistant.", "You are an assistant that knows the day.", "You are a friendly assistant.", "You help the user through the day."]), xs)
    asks = [(["What day is it?", "what day is it today", "Which day of the week is it?", "What day is today?"], f"Today is {day}.", day), (["What is the date?", "what's the date today", "Which date is it?", "What's today's date?"], f"It is {d} {m} {y}.", f"{d} {m} {y}"), (["What year is it?", "which year is it", "What is the year?"], f"It is {y}.", str(y)), (["What month is it?", "which month is it"], f"It is {m}.", m),
            (["What day is tomorrow?", "what day is it tomorrow", "And tomorrow?"][:2], f"Tomorrow is {bank.DAYS[(i + 1) % 7]}.", bank.DAYS[(i + 1) % 7]), (["What day was yesterday?", "what day was it yesterday"], f"Yesterday was {bank.DAYS[(i + 6) % 7]}.", bank.DAYS[(i + 6) % 7])]
    timeq, whereq, skyq = ["What time is it?", "what time is it now", "Do you know the time?", "What's the time?"], ["Where are you?", "In which city are you?"], ["What is the weather like?", "How is the weather?", "hows the weather today"]
    dunno = [q for q, known_ in ((timeq, clock), (whereq, where), (skyq, sky)) if not known_]
    asks += [(timeq, f"It is {clock}.", clock)] * bool(clock) + [(whereq, f"I am in {where}.", where)] * bool(where) + [(skyq, f"It is {sky}.", cap(sky or ""))] * bool(sky)
    def told(r): q, a, s = r.choice(asks); return [(T(sloppy(r, q), a, s, "fact"), "me")]
    def not_told(r): return [(T(sloppy(r, r.choice(dunno)), r.choice(["I don't know that, I wasn't told.", "I wasn't told that."]), "I don't know", "no"), "no")] if dunno else told(r)
    return Rule(say, lambda r, t, act: t.a, lambda s: True, lambda t, act: act != "quire", ((told, 62), (not_told, 10), (small, 16), (plain_task, 12)))
# a thing in the prompt: what it is | how it is told; questions and answers follow the same pattern
STORIES = [("{n} is {k} years old, lives in {c} and has {p} called {q}.", [("How old is {n}?", "{n} is {k} years old.", "{k}"), ("Where does {n} live?", "{n} lives in {c}.", "{c}"), ("What is {n}'s pet called?", "It is called {q}.", "{q}"), ("Who is called {q}?", "{n}'s pet is called {q}.", "{n}'s pet")]),
 ("The party is on {d} at {k} o'clock in the house of {n}. Everybody brings {f}.", [("When is the party?", "The party is on {d}.", "{d}"), ("At what time is the party?", "At {k} o'clock.", "{k}"), ("Where is the party?", "In the house of {n}.", "{n}"), ("What should I bring?", "Everybody brings {f}.", "{F}")]),
 ("The team {q} plays on {d} in {c}. The coach is {n}, and {k} players are ready.", [("When does the team play?", "It plays on {d}.", "{d}"), ("Where does the team play?", "In {c}.", "{c}"), ("Who is the coach?", "The coach is {n}.", "{n}"), ("How many players are ready?", "{k} players are ready.", "{k}"), ("What is the team called?", "It is called {q}.", "{q}")]),
 ("The train to {c} leaves at {k} from platform {j}. The driver is {n}.", [("When does the train leave?", "It leaves at {k}.", "{k}"), ("From which platform does the train leave?", "From platform {j}.", "{j}"), ("Where does the train go?", "It goes to {c}.", "{c}"), ("Who is the driver?", "The driver is {n}.", "{n}")]),
 ("In the game you are in a dark cave. You have {j} coins, {t} and a map of {c}. A {m} named {q} guards the door.", [("How many coins do I have?", "You have {j} coins.", "{j}"), ("Who guards the door?", "A {m} named {q}.", "{q}"), ("What do I have?", "{j} coins, {t} and a map of {c}.", None), ("Where am I?", "You are in a dark cave.", "A dark cave"), ("What is the name of the {m}?", "Its name is {q}.", "{q}")]),
 ("The planet {q} has {j} moons, and its people are green. Its king is called {n}, and they eat only {f}.", [("How many moons does {q} have?", "It has {j} moons.", "{j}"), ("Who is the king of {q}?", "The king is {n}.", "{n}"), ("What do the people of {q} eat?", "They eat only {f}.", "{F}"), ("What colour are the people of {q}?", "They are green.", "Green")])]
def rule_told(r):
    text, asks = r.choice(STORIES)
    d = dict(n=name(r), k=str(r.randrange(2, 13)), j=str(r.randrange(2, 10)), c=city(r), q=syllables(r, 2), d=r.choice(bank.DAYS), f=r.choice(bank.FOODS), p=an(r.choice([x for x in bank.PETS if " " not in x])), t=an(r.choice(THINGY)), m=r.choice(["troll", "wolf", "ghost", "giant", "snake", "knight"]))
    d["F"] = cap(d["f"]); f = lambda s: s and s.format(**d)
    say = r.choice(["{x}", "Remember this: {x}", "You know this: {x}", "You are a helpful assistant. {x}", "{x} Answer questions about it.", "Use this text: {x}", "Context: {x}", "Answer from this text: {x}"]).format(x=f(text))
    def told(r): q, a, s = r.choice(asks); return [(T(careless(r, f(q)), f(a), f(s), "fact"), "me")]
    return Rule(say, lambda r, t, act: t.a, lambda s: True, lambda t, act: act != "quire", ((told, 65), (small, 15), (plain_task, 13), (unknown, 7)))
FACTS = (rule_place, rule_user, rule_date, rule_told)
