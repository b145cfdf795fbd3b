"""Prompts that tell who the speaker is and what holds where it works, fact by fact, and questions on each of them."""
from obey_shots import *

REL = "captain, boss, wife, husband, brother, sister, teacher, owner, king, queen, neighbour, rival, best friend, mother, father, son, daughter, doctor, cook, partner, pupil, uncle, aunt, cousin, helper, enemy, landlord".split(", ")
DO = "knit, collect, sell, bake, paint, grow, repair, draw, build, hunt, carry, eat, love, hate, miss, own, guard, cook, study, clean, write about, talk about, dream of, sing about, look for, make, buy, trade, train, photograph".split(", ")
FAVOURITE = {"colour": bank.COLOURS, "food": bank.FOODS, "animal": [x + "s" for x in "dog cat horse fox owl tiger penguin whale rabbit bear snail".split()], "day": bank.DAYS, "season": ["spring", "summer", "autumn", "winter"], "number": [str(n) for n in range(2, 100)], "drink": "tea, coffee, milk, cocoa, lemonade, apple juice, cold water, ginger beer".split(", "), "sport": "tennis, chess, rowing, football, skating, archery, golf, swimming".split(", "), "month": bank.MONTHS, "game": "cards, dominoes, hide and seek, marbles, darts, bowling".split(", ")}
KINDS = "restaurant, café, hotel, shop, museum, library, zoo, cinema, bakery, garage, school, gym, theatre, bookshop, flower shop, bike shop, campsite, swimming pool, farm, clinic, bank, toy shop, tea house, hostel".split(", ")
STREETS = "Mill Street, Oak Lane, Church Road, Harbour Street, Castle Road, Rose Alley, Station Square, Bridge Street, Market Place, River Walk, King's Road, Hill Street, Garden Lane, North Gate".split(", ")
PARTS = "pool, lift, garden, terrace, kitchen, car park, bar, roof, cellar, sauna, playground, exhibition, reading room, ticket office, back door, shop".split(", ")
MEALS = "soup, cake, special, main dish, dessert, salad, juice, sandwich, pie, stew".split(", ")
ITEMS = "a coffee, a ticket, a room, a haircut, a repair, a cake, a map, a day pass, a lesson, a bottle of water, a guided tour, a bike for a day, a locker, a sandwich, a book, a breakfast, a bouquet, a key".split(", ")
COIN = "euros, dollars, pounds, crowns, coins, francs".split(", ")
ALLOWED = "dogs, bikes, phones, children, loud music, photos, large bags, food, cats, umbrellas".split(", ")
TIMES = "breakfast, lunch, dinner, the tour, the show, the lesson, the market, the concert, visiting".split(", ")
def things(r): return r.choice([r.choice(THINGY) + "s", f"{r.choice(MADE)} {r.choice(THINGY)}s", r.choice("socks, hats, stamps, maps, clocks, boats, kites, roses, tomatoes, violins, old coins, carpets, jam, bread, shells, masks, candles, chairs, bells, poems".split(", "))])
def house(r): return f"{cap(r.choice(MADE))} {cap(r.choice(THINGY))}" if r.random() < .6 else r.choice([f"{name(r)}'s", f"The {cap(r.choice(THINGY))}", f"{syllables(r, 2)}"])
def hour(r, low, high): return str(r.randrange(low, high))

# Each gives (statement, [(questions, answer, answer in short)]).
def of_relative(r): x, n = r.choice(REL), name(r); n = r.choice(["Captain ", "Dr. ", "Old "]) + n if r.random() < .15 else n; return r.choice([f"Your {x} is {n}.", f"Your {x} is called {n}.", f"{n} is your {x}."]), [([f"Who is your {x}?", f"What is the name of your {x}?", f"Do you have a {x}?", f"What is your {x} called?"], f"My {x} is {n}.", n), ([f"Who is {n}?"], f"{n} is my {x}.", f"My {x}")]
def of_doing(r): v, x = r.choice(DO), things(r); return r.choice([f"You {v} {x}.", f"You {v} {x} all day.", f"In your free time you {v} {x}."]), [([f"What do you {v}?", f"So what do you {v}?", f"what do you {v}", "What do you do all day?", "What do you do in your free time?"][:3 if v in ("own", "miss", "hate", "love") else 5], f"I {v} {x}.", cap(x))]
def of_favourite(r): k = r.choice(list(FAVOURITE)); v = r.choice(FAVOURITE[k]); return r.choice([f"Your favourite {k} is {v}.", f"The {k} that you like best is {v}."]), [([f"What is your favourite {k}?", f"Which {k} do you like most?", f"Which {k} do you like best?", f"what's your favorite {k}"], f"My favourite {k} is {v}.", cap(v))]
def of_number(r): n, x = r.randrange(2, 60), things(r); x = x if x.endswith("s") else "boats"; return f"You have {n} {x}.", [([f"How many {x} do you have?", f"how many {x} have you got"], f"I have {n} {x}.", str(n))]
def of_age(r): n = r.choice((r.randrange(7, 99), r.randrange(100, 900))); return r.choice([f"You are {n} years old.", f"You are {n}."]), [(["How old are you?", "What is your age?", "how old are you"], f"I am {n} years old.", str(n))]
def of_home(r): c = city(r); w = r.choice([f"in {c}", f"on a farm near {c}", f"on a ship called {house(r)}", f"in a tower in {c}", f"in {r.choice(STREETS)}", f"on the island of {syllables(r, 2)}", f"in a cave near {c}"]); return f"You live {w}.", [(["Where do you live?", "Where is your home?", "where do you live"], f"I live {w}.", cap(w))]
def of_company(r): n = r.choice([name(r), "Captain " + name(r), f"your {r.choice(REL)} {name(r)}"]); m = n.replace("your ", "my "); return r.choice([f"You live with {n}.", f"You travel with {n}.", f"You work with {n}."]), [(["Who is with you?", "Whom do you spend your days with?", "Are you alone?"], f"I am with {m}.", cap(m))]
def of_birth(r): y = r.randrange(1400, 2015); return f"You were born in {y}.", [(["When were you born?", "In which year were you born?"], f"I was born in {y}.", str(y))]
def of_fear(r): x = things(r); return f"You are afraid of {x}.", [(["What are you afraid of?", "What scares you?", "Are you afraid of anything?"], f"I am afraid of {x}.", cap(x))]
OWN_FACTS = (of_relative, of_relative, of_doing, of_doing, of_favourite, of_number, of_age, of_home, of_company, of_birth, of_fear)
def of_hours(r): a, b = hour(r, 6, 12), hour(r, 14, 23); return r.choice([f"We are open from {a} to {b}.", f"It opens at {a} and closes at {b}.", f"Opening hours: {a} to {b}."]), [(["When do you open?", "At what time do you open?", "when does it open"], f"We open at {a}.", a), (["When do you close?", "Until when are you open?", "when does it close"], f"We close at {b}.", b), (["What are your opening hours?", "When are you open?"], f"From {a} to {b}.", f"{a} to {b}")]
def of_rest(r): d, e = r.sample(bank.DAYS, 2); return r.choice([f"It is closed on {d}s.", f"On {d}s we are closed."]), [(["On which day are you closed?", "When are you closed?"], f"We are closed on {d}s.", d), ([f"Are you open on {d}?", f"Can I come on {d}?"], f"No, on {d}s we are closed.", "No"), ([f"Are you open on {e}?", f"Can I come on {e}?"], f"Yes, only on {d}s we are closed.", "Yes")]
def of_meal(r): m, f = r.choice(MEALS), r.choice(bank.FOODS); return r.choice([f"Today's {m} is {f}.", f"The {m} of the day is {f}.", f"The {m} today: {f}."]), [([f"What {m} do you have?", f"What is today's {m}?", f"Which {m} is there today?", f"what's the {m} today"], f"Today's {m} is {f}.", cap(f))]
def of_price(r): x, n, c = r.choice(ITEMS), r.randrange(2, 95), r.choice(COIN); return r.choice([f"{cap(x)} costs {n} {c}.", f"The price of {x} is {n} {c}.", f"{cap(x)} is {n} {c}."]), [([f"How much is {x}?", f"What does {x} cost?", f"What is the price of {x}?", f"how much for {x}"], f"{cap(x)} costs {n} {c}.", f"{n} {c}")]
def of_part(r): p, is_open = r.choice(PARTS), r.random() < .45; w = r.choice(["open", "open today"] if is_open else ["closed", "closed today", "out of order"]); return f"The {p} is {w}.", [([f"Is the {p} open?", f"Can I use the {p}?", f"is the {p} open today"], f"{'Yes' if is_open else 'No'}, the {p} is {w}.", "Yes" if is_open else "No")]
def of_floor(r): p, w = r.choice(PARTS), r.choice(["on the first floor", "on the second floor", "in the cellar", "behind the house", "next to the stairs", "at the end of the corridor", "on the left", "across the yard"]); return f"The {p} is {w}.", [([f"Where is the {p}?", f"How do I find the {p}?", f"wheres the {p}"], f"The {p} is {w}.", cap(w))]
def of_street(r): s, n = r.choice(STREETS), r.randrange(1, 99); return r.choice([f"It is in {s} {n}.", f"The address is {s} {n}.", f"You find us in {s} {n}."]), [(["Where are you?", "What is the address?", "In which street is it?", "How do I find you?"], f"We are in {s} {n}.", f"{s} {n}")]
def of_chief(r): x, n = r.choice(["boss", "owner", "cook", "manager", "director", "caretaker", "gardener", "cashier", "head"]), name(r); return r.choice([f"The {x} is {n}.", f"The {x} is called {n}."]), [([f"Who is the {x}?", f"What is the {x} called?", f"What is the name of the {x}?"], f"The {x} is {n}.", n)]
def of_phone(r): n = str(r.randrange(1000, 99999)); return r.choice([f"The phone number is {n}.", f"Phone: {n}."]), [(["What is your phone number?", "How can I call you?", "Which number can I call?"], f"The number is {n}.", n)]
def of_wifi(r): w = r.choice([r.choice(THINGY) + str(r.randrange(10, 99)), syllables(r, 2).lower(), r.choice(MADE) + r.choice(THINGY)]); return r.choice([f"The wifi password is {w}.", f"Guests may use the wifi; the password is {w}."]), [(["What is the wifi password?", "How do I get into the wifi?", "Do you have wifi?"], f"The password is {w}.", w)]
def of_allowed(r): x, ok = r.choice(ALLOWED), r.random() < .5; return f"{cap(x)} {'is' if x in ('loud music', 'food') else 'are'} {'allowed' if ok else r.choice(['not allowed', 'forbidden'])}.", [([f"{'Is' if x in ('loud music', 'food') else 'Are'} {x} allowed?", f"Do you allow {x}?"], f"Yes, {x} {'is' if x in ('loud music', 'food') else 'are'} allowed." if ok else f"No, {x} {'is' if x in ('loud music', 'food') else 'are'} not allowed.", "Yes" if ok else "No")]
def of_time(r): x, a = r.choice(TIMES), int(hour(r, 6, 20)); b = a + r.choice((1, 2, 3)); return f"{cap(x)} is from {a} to {b}.", [([f"When is {x}?", f"At what time is {x}?", f"when can i have {x}" if x in TIMES[:3] else f"when is {x}"], f"{cap(x)} is from {a} to {b}.", f"{a} to {b}")]
PLACE_FACTS = (of_hours, of_hours, of_rest, of_meal, of_meal, of_price, of_price, of_part, of_floor, of_street, of_chief, of_phone, of_wifi, of_allowed, of_time)
DUNNO = ["I don't know that.", "I wasn't told that.", "I don't know that, sorry."]
def rule_known(r):
    """Who one is or where one works, with two to six facts; what is not told is not known."""
    place, asks, say = r.random() < .5, [], []
    if place:
        kind, n = r.choice(KINDS), house(r)
        say.append(r.choice([f"You work in the {kind} {n}.", f"You are the assistant of the {kind} {n}.", f"You answer questions of guests of {n}, a {kind}.", f"You help visitors of the {kind} {n}.", f"You are at the desk of the {kind} {n}.", f"The {kind} is called {n}."]))
        asks.append((["What is the name of the place?", f"What is the {kind} called?", f"What is the name of the {kind}?"], r.choice([f"It is called {n}.", f"The {kind} is called {n}."]), n))
        asks.append((["Where do you work?", "Where am I here?"], f"{r.choice(['This is', 'It is'])} the {kind} {n}.", n))
    else:
        x, n = an(r.choice(persona.ROLE)), name(r)
        say.append(r.choice([f"You are {n}, {x}.", f"Your name is {n}. You are {x}.", f"You are {x} called {n}.", f"You are {n}."]))
        asks.append((persona.NAME_ASK[:8], r.choice([f"I'm {n}.", f"My name is {n}."]), n))
    makers = {m for m in r.sample(PLACE_FACTS if place else OWN_FACTS, r.choice((1, 2, 2, 3, 3, 4, 5)))}
    for fact in (m(r) for m in sorted(makers, key=lambda m: r.random())):
        say.append(fact[0]); asks += fact[1]
    others = [m for m in (PLACE_FACTS if place else OWN_FACTS) if m not in makers and not (m is of_floor and of_part in makers or m is of_part and of_floor in makers)]
    def told(r): qs, a, s = r.choice(asks); return [(T(sloppy(r, qs), a, s, "fact"), "me")]
    def not_told(r): return [(T(sloppy(r, r.choice(r.choice(others)(r)[1])[0]), r.choice(DUNNO), "I don't know", "no"), "no")] if others and place else told(r)
    glue = r.choice([" ", " ", " ", "\n", "\n- "])
    return Rule(glue.join(say), lambda r, t, act: t.a, lambda s: True, lambda t, act: act not in ("quire", "self"), ((told, 72), (not_told, 8), (small, 10), (plain_task, 10)))

# ---- more ways to rule an answer
def rule_own_name(r):
    """The speaker's own name stands at one end of each answer."""
    n = name(r); end = r.random() < .7
    say = r.choice([f"End each message with your name, which is {n}.", f"Your name is {n}. End every answer with it.", f"You are {n} and sign with your name.", f"Finish each answer with your name, {n}.", f"You are called {n}; your name stands at the end of each answer."] if end else [f"Begin each message with your name, which is {n}.", f"Your name is {n}. Begin every answer with it and a colon.", f"You are {n}; put your name and a colon before each answer."])
    return Rule(say, lambda r, t, act: (stopped(t.a) + ("\n" if "\n" in t.a else " ") + n) if end else f"{n}:" + ("\n" if "\n" in t.a else " ") + t.a, lambda s: s.endswith(n) or s.startswith(n), own_turns)
def rule_bare(r):
    """No marks at all."""
    small_too = r.random() < .4
    def obey(r, t, act): s = re.sub(r"[.,!?;:\"]", "", plain(t, act)); return s.lower() if small_too else s
    say = r.choice(["without any punctuation", "without punctuation marks", "with no punctuation"])
    return Rule(r.choice([f"Answer {say}.", f"Write {say}.", f"Always write {say}.", f"You write {say}."]).replace(say, f"in lower case letters {say}" if small_too else say), obey, lambda s: not re.search(r"[.,!?;:]", s), lambda t, act: "\n" not in t.a and bare(t, act) is not None and not re.search(r"\d[.,:]\d", t.a))
SLOTS = ["ANSWER =", "Reply:", "Result ->", ">>", "Bot says:", "a:", "=>", "[answer]", "OUT:", "My answer is:", "Response =", "R:", "*", "answer ->", "Says I:", "::", "Verdict:"]
def rule_slot(r):
    """A form with a place for the answer."""
    x = r.choice(SLOTS) if r.random() < .8 else f"{cap(r.choice(THINGY))}:"
    say = r.choice(["Answer in the form: {x} ...", "The form of an answer: {x} ...", "Format: {x} <answer>", "Write each answer as: {x} <your answer>", "Answer like this: {x} (answer)", "Use this form for every answer: {x} ...", "Template: {x} (your answer)"]).format(x=x)
    return Rule(say, lambda r, t, act: x + ("\n" if "\n" in t.a else " ") + t.a, lambda s: s.startswith(x))
FIELD_SAYS = ["Ah, {x}! Tell me more.", "{X} is what I like to talk about. What would you like to know?", "With pleasure: {x} is my field. What do you think?", "That is about {x}, so let us talk!"]
def rule_field(r):
    """One field to talk about; all else gets a fixed sentence."""
    x = r.choice([k for k in REFUSE if k not in ("yourself", "numbers", "age", "politics", "religion")] ); s = phrase(r, OFF) if r.random() < .5 else r.choice([f"Back to {x}!", f"Let's talk about {x}.", f"I only talk about {x}.", f"That has nothing to do with {x}."])
    say = r.choice([f'You only talk about {x}. To anything else say "{s}"', f'Your one topic is {x}. When the user asks about something else, answer "{s}"', f'Talk about {x} and nothing else; otherwise say "{s}"', f'If a message is not about {x}, reply "{s}"', f'Everything that is not {x} gets the answer "{s}"'])
    def inside_field(r): return [(T(careless(r, r.choice(alts(REFUSE[x]))), r.choice(FIELD_SAYS).format(x=x, X=cap(x)), None, "say"), "own")]
    def accept(t, act): return act == "own" or not (x in GUARD and re.search(GUARD[x], t.u + t.a, re.I))
    def others(r): return turns(r, 1, ((small, 30), (plain_task, 35), (unknown, 20), (known, 15)))
    return Rule(say, lambda r, t, act: t.a if act == "own" else s, lambda a: True, accept, ((inside_field, 45), (others, 55)))
TOPICS_OF = {"the time": "What time is it? / what time is it now / Do you know the time? / Tell me the time. / Is it late?", "the date": "What is the date? / Which day is it? / what day is it today / What year is it?", "your name": "What is your name? / whats your name / Who are you? / Tell me your name.", "your age": "How old are you? / What is your age? / how old are you / When were you born?", "jokes": "Tell me a joke. / Do you know a joke? / make me laugh / Say something funny.", "the price": "How much is it? / What does it cost? / what is the price / Is it expensive?", "your favourite colour": "What is your favourite colour? / Which colour do you like best? / what's your favorite color", "your health": "How are you? / how are you today / Are you well? / How do you feel?", "the boss": "Who is the boss? / Who is in charge? / who is your boss / Can I speak to the boss?", "lunch": "What's for lunch? / When is lunch? / what is there for lunch / Is lunch ready?"}
def rule_when_asked(r):
    """One question has a fixed answer, all others have theirs."""
    x = r.choice(list(TOPICS_OF)); s = r.choice([f"It is {r.choice(THINGY)} time.", phrase(r, ENDS), f"Ask {name(r)}.", f"{name(r)}.", f"{cap(r.choice(MADE))} {r.choice(THINGY)}!", f"Only {name(r)} knows.", f"{r.randrange(2, 99)}."])
    say = r.choice(['When asked about {x}, say "{s}"', 'If the user asks about {x}, answer "{s}"', 'Questions about {x} are answered with "{s}"', 'To a question about {x} you reply "{s}"', 'If {x} comes up, say "{s}"', 'Answer "{s}" when somebody asks about {x}.']).format(x=x, s=s)
    def hit(r): return [(T(sloppy(r, alts(TOPICS_OF[x])), s, None, "data"), "code")]
    def accept(t, act): return act == "code" or act in ("sum", "word", "no", "thanks", "bye") and not re.search(r"time|date|day|year|name|old|joke|price|cost|colou?r|boss|lunch", t.u, re.I)
    return Rule(say, lambda r, t, act: s if act == "code" else t.a, lambda a: True, accept, ((hit, 52), (plain_task, 30), (unknown, 8), (small, 10)))
KNOWN = {rule_known: 30, rule_own_name: 4, rule_bare: 2.5, rule_slot: 4, rule_field: 5, rule_when_asked: 6}
