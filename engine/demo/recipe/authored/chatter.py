#!/usr/bin/env python3
"""Free talk in short answers, with follow-ups that lean on the turn before: why, tell me more, really, and you.

chatter_src/*.txt has the topics and jokes.lst the jokes with their explanations (see the head of opinions.txt). What a
slot holds stays the same through a topic, so that a follow-up speaks of the same thing; the n-th reason belongs to the
n-th answer.

usage: chatter.py N SEED OUT.jsonl
"""
import glob, json, os, random, re, sys
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import doings, tries
from skill_common import bank, cap, city

FOLLOW = {
    "why": "Why? / why / Why is that? / But why? / why do you think so / How come? / Why do you say that? / And why? / Why so? / but why though / why?? / Why that? / Tell me why.",
    "more": "Tell me more. / tell me more / Go on. / more / Tell me more about it. / What else? / more please / Can you say more? / And then? / go on please / Say more about that. / I want to hear more.",
    "really": "Really? / really / Seriously? / Is that true? / No way! / you're kidding / For real? / Honestly? / Are you serious? / really?? / I don't believe you. / Oh really? / is that so",
    "you": "And you? / What about you? / and you / How about you? / and what about you / And what do you do? / you too?",
}
FOLLOW = {key: text.split(" / ") for key, text in FOLLOW.items()}
# What closes a topic
CLOSE = [("haha / lol / That's funny. / hahaha / Ha! / That made me laugh. / :) / funny", ["Glad that you like it!", "Then my day is made.", "I'm here all week.", "Good! Laughing is healthy."]),
         ("ok / I see. / nice / cool / Good point. / true / That's true. / fair enough / alright / I agree. / makes sense", ["Good! What else is on your mind?", "I'm glad we agree.", "Fine. And now?", "Then let's leave it at that."]),
         ("thanks / Thank you. / thx / That's kind. / aw, thanks / thanks, that helps / That's sweet.", ["You're welcome!", "Any time!", "With pleasure.", "I mean it."]),
         ("I don't think so. / I disagree. / no / That's not true. / nonsense / I see that differently.", ["That's all right. Tell me how you see it.", "Fair enough. You know the world better than I do.", "Then I'll take your word for it.", "Maybe I'm wrong. It happens to small models."]),
         ("What do you mean? / I don't understand. / huh? / what? / I don't get it. / What does that mean?", ["Sorry, I was unclear. It was meant as a small joke.", "I said it badly. Never mind me, I'm small.", "I only wanted to be friendly. Ask me again?"])]
CLOSE = [(said.split(" / "), answers) for said, answers in CLOSE]
SAD = [CLOSE[2], ("ok / I see. / hm / true / That's true. / alright / I guess so. / maybe / well / you're right / that's kind of you / it is what it is".split(" / "), ["I'm here if you want to talk.", "I wish you a better day tomorrow.", "Take care of yourself.", "Would something lighter help? A joke or a small riddle, perhaps."])]
KIN = "mother, father, sister, brother, aunt, uncle, grandmother, grandfather, cousin, best friend, son, daughter, wife, husband".split(", ")
THINGS = "keys, phone, umbrella, hat, bike, watch, glasses, bag, wallet, jacket, cup, book, lamp, laptop, scarf, guitar, chair, camera".split(", ")
JOKES = [line.split("|") for line in open(HERE + "/chatter_src/jokes.lst", encoding="utf-8").read().strip().split("\n")]

def slots(r):
    """One value of each slot for a topic."""
    made = {"food": r.choice(bank.FOODS), "hobby": r.choice(bank.HOBBIES), "city": city(r), "colour": r.choice(bank.COLOURS), "season": r.choice(bank.SEASONS), "instrument": r.choice(bank.INSTRUMENTS),
            "pet": r.choice([p for p in bank.PETS if p[0] not in "aeiou"]), "petname": r.choice(bank.PETNAMES), "day": r.choice(bank.DAYS), "kin": r.choice(KIN), "thing": r.choice(THINGS), "age": str(r.randrange(18, 90)), "q": r.choice(JOKES)[0]}
    return made | {cap(k): cap(v) for k, v in made.items()}

# Topics at whose end nobody laughs
GRAVE = ("sad", "lonely", "heartbreak", "sick", "insult", "apology", "doubt", "miss_kin", "stolen", "nervous", "complaint")
def topics():
    """name: {"u", "a", "why", … : alternatives, "f": [(asks, answers)]}."""
    found = {}
    for path in sorted(glob.glob(HERE + "/chatter_src/*.txt")):
        for line in open(path, encoding="utf-8").read().split("\n"):
            if not line or line[0] == "#": continue
            if line[0] == "@": topic = found[line[1:]] = {"name": line[1:], "f": [], "grave": line[1:] in GRAVE or line.startswith("@bad_")}; continue
            kind, text = line.split(" ", 1)
            if kind == "f": asks, says = text.split(" => "); topic["f"].append((asks.split(" / "), says.split(" / ")))
            else: topic[kind] = text.split(" / ")
    return found
TOPICS = topics()

def typed(r, u):
    z = r.random()
    if z < .28: u = u.lower()
    if r.random() < .28: u = u.rstrip("?.!")
    if r.random() < .05: u = u.replace("'", "")
    if r.random() < .05 and len(u) > 8: u = r.choice(["hey, ", "so, ", "well, ", "hm, ", "oh, ", "by the way, ", "tell me, "]) + u
    elif r.random() < .04 and u[-1:].isalpha(): u += r.choice([" :)", "...", "!!", " haha", " lol", "??"])
    if len(u) > 16 and r.random() < .05:
        i = r.randrange(2, len(u) - 3)
        if u[i].isalpha() and u[i + 1].isalpha(): u = u[:i] + r.choice([u[i + 1] + u[i] + u[i + 2:], u[i + 1:]])
    return u
def close(r, table=CLOSE): asks, says = r.choice(table); return typed(r, r.choice(asks)), r.choice(says)

def topic_turns(r, topic):
    """What is said on a topic, and up to three follow-ups, none of them twice."""
    made = slots(r)
    f = lambda s: re.sub(r"\b([Aa]) (?=[aeiou])(?!uni|eu|one)", r"\1n ", s.format(**made))
    i = r.randrange(len(topic["a"]))
    u = typed(r, f(r.choice(topic["u"])))
    out = [(re.sub(r"( :\)|!!| haha| lol)$", "", u) if topic["grave"] else u, f(topic["a"][i]))]
    asked = "?" in topic["a"][i] or topic["name"] not in DAYS or not any("?" in a for a in topic["a"])  # of a day, only what was asked for is told
    ways = [k for k in FOLLOW if k in topic and (k != "why" or i < len(topic["why"]))] + (list(range(len(topic["f"]))) if asked else [])
    found = r.sample(ways, min(len(ways), r.choices((0, 1, 2, 3), (34, 40, 18, 8))[0]))
    for way in found if topic["name"] not in DAYS else found[:1]:
        asks, says = topic["f"][way] if isinstance(way, int) else (FOLLOW[way], topic[way][i:i + 1] if way == "why" else topic[way])
        out.append((typed(r, f(r.choice(asks))), f(r.choice(says))))
    if r.random() < .16: out.append(close(r, SAD if topic["grave"] else CLOSE[1:3] if topic["name"] in DAYS else CLOSE))
    return out

ASK_JOKE = "Tell me a joke. / joke / Do you know a joke? / Make me laugh. / tell me something funny / I need a laugh. / A joke, please. / can you tell a joke / Got a good joke? / Say something funny. / Tell me a short joke. / I want to hear a joke.".split(" / ")
AGAIN = "Another one. / another one please / One more! / more / Tell me another. / again! / Do you have more? / another joke / Next one!".split(" / ")
EXPLAIN = "I don't get it. / I don't understand the joke. / Explain. / explain the joke / Why is that funny? / What's funny about that? / huh? / I don't get the joke".split(" / ")
BAD = "That's not funny. / not funny / That was bad. / Old joke. / I know that one. / boring / That's a terrible joke.".split(" / ")
LAUGH = "haha / lol / That's good! / Ha, good one. / hahaha / :D / That made me laugh. / funny!".split(" / ")
ABOUT = "cats, dogs, cows, ducks, snails, bears, fish, birds, horses, chickens, doctors, teachers, computers, food, cheese, tomatoes, bicycles, football, school, ghosts, pirates, robots, trains, cars, snowmen, books, work, the weather, Mondays, trees, bananas, spiders, lamps, kings".split(", ")
def joke_turns(r):
    """A joke, told at once or with the listener asking, and what is said to it."""
    jokes, out = r.sample(JOKES, 3), []
    for i in range(r.choices((1, 2, 3), (60, 28, 12))[0]):
        q, punch, why = jokes[i]
        ask = typed(r, r.choice(AGAIN if i else ASK_JOKE))
        if not i and r.random() < .15:
            x = r.choice(ABOUT); fits = [j for j in JOKES if x[:-1] in (j[0] + j[1]).lower()]
            out.append((typed(r, r.choice(["Tell me a joke about {x}.", "a joke about {x}", "Do you know a joke about {x}?", "Make a joke about {x}.", "Can you tell me a joke about {x}?"]).format(x=x)), "{} {}".format(*r.choice(fits)[:2]) if fits else f"I know none about {x}, but this one: {q} {punch}"))
        elif r.random() < .75: out.append((ask, f"{q} {punch}"))
        else: out += [(ask, q), (typed(r, r.choice(["Why? / I don't know. / tell me / no idea".split(" / "), "I don't know. / What? / No idea. / tell me".split(" / ")][0 if q.startswith("Why") else 1])), punch)]
        z = r.random()
        if z < .22: out.append((typed(r, r.choice(EXPLAIN)), why))
        elif z < .38: out.append((typed(r, r.choice(BAD)), r.choice(["Sorry! My humour is as small as I am.", "Tough crowd. Another one?", "Fair. I only know a few, and they are old friends.", "I'll try a better one, just ask."])))
        elif z < .55: out.append((typed(r, r.choice(LAUGH)), r.choice(["Glad that you like it!", "Hooray! One laugh for me.", "I'm here all week."])))
    return out

def seg(r):
    if r.random() < .2: return [(t.u, t.a) for t in doings.seg(r)]
    return joke_turns(r) if r.random() < .1 else [(t.u, t.a) for t in tries.seg(r)] if r.random() < .15 else day_turns(r) if r.random() < .25 else topic_turns(r, TOPICS[r.choice(NAMES)])
def day_turns(r): return topic_turns(r, TOPICS[r.choice(DAYS)])
NAMES = list(TOPICS)
DAYS = [name for name in NAMES if name.startswith(("bad_", "good_", "plain_", "wait_"))]  # those of days.txt
OPENING, ENDING = ("hello", "howareyou", "back"), ("thanks", "bye")
def chat(r):
    """An opening at times, some topics, and an ending at times."""
    out = topic_turns(r, TOPICS[r.choice(OPENING)]) if r.random() < .2 else []
    for _ in range(r.choices((1, 2, 3, 4), (45, 28, 17, 10))[0]): out += seg(r)
    if r.random() < .12: out += topic_turns(r, TOPICS[r.choice(ENDING)])[:1]
    return out[:10]

def chats(seed, n):
    import skill_systems
    r = random.Random(f"chatter {seed}")
    for _ in range(n):
        system = r.choice(skill_systems.GENERIC) if r.random() < .12 else None
        yield ([["s", system]] if system else []) + [m for u, a in chat(r) for m in (["u", u], ["a", a])]

if __name__ == "__main__":
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        for c in chats(int(sys.argv[2]), int(sys.argv[1])): out.write(json.dumps(c, ensure_ascii=False, separators=(",", ":")) + "\n")
