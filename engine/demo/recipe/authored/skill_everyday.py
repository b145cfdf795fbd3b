"""Small things everybody knows, little requests, and a story of a lost thing."""
from skill_common import *

COLOUR = dict(x.split(":") for x in bank.W("the sky:blue, grass:green, snow:white, a banana:yellow, a lemon:yellow, a tomato:red, coal:black, milk:white, blood:red, a carrot:orange, the sun:yellow, chocolate:brown, a frog:green, a strawberry:red, a plum:purple, a flamingo:pink, an elephant:grey, a raven:black"))
CAPITAL = dict(x.split(":") for x in bank.W("France:Paris, Italy:Rome, Spain:Madrid, Germany:Berlin, Japan:Tokyo, China:Beijing, Egypt:Cairo, Greece:Athens, Portugal:Lisbon, Austria:Vienna, Poland:Warsaw, Sweden:Stockholm, Norway:Oslo, Ireland:Dublin, England:London, Russia:Moscow"))
NUMBERS = [x.split("|") for x in """days are in a week|7
months are in a year|12
hours are in a day|24
minutes are in an hour|60
seconds are in a minute|60
legs does a dog have|4
legs does a cat have|4
legs does a spider have|8
legs does an ant have|6
legs does a bird have|2
sides does a triangle have|3
sides does a square have|4
wheels does a bicycle have|2
wheels does a car have|4
fingers are on one hand|5
eyes does a person have|2
ears does a rabbit have|2
letters are in the English alphabet|26
seasons are in a year|4
things are in a dozen|12
arms does an octopus have|8
cents are in a dollar|100""".split("\n")]
YES = "Is ice cold?|Is fire hot?|Is the sun hot?|Is snow white?|Is water wet?|Is a dog an animal?|Is a rose a flower?|Can birds fly?|Can fish swim?|Is an elephant big?|Is grass green?|Is sugar sweet?|Do cats have tails?|Is a car a vehicle?|Is night dark?|Is a lemon sour?|Does a dog bark?|Is Paris in France?|Is a week seven days?|Is a stone hard?|Is a feather light?|Does a bicycle have two wheels?|Is blood red?|Is gold a metal?|Is a carrot a vegetable?|Is Rome in Italy?|Can you swim in a lake?|Is the sky blue?|Is an ant small?|Do cows give milk?|Is honey sweet?|Is a hammer a tool?".split("|")
NOT = "Is ice hot?|Is fire cold?|Is snow black?|Is a dog a plant?|Can a stone swim?|Can a dog fly?|Is an elephant small?|Is grass red?|Is sugar sour?|Is a car an animal?|Is night bright?|Does a cat bark?|Is Paris in Japan?|Is a week ten days?|Is a feather heavy?|Does a car have three wheels?|Is blood blue?|Is wood a metal?|Is a carrot a bird?|Is Rome in Canada?|Is milk black?|Can a fish walk?|Is the moon made of cheese?|Is a whale tiny?|Do dogs lay eggs?|Is coal white?|Can a chair talk?|Is a table alive?|Is a banana blue?|Is the sun cold?".split("|")
def yes_no(r): return [T(sloppy(r, YES), "Yes.", "Yes")] if r.random() < .5 else [T(sloppy(r, NOT), "No.", "No")]
def how_many(r): q, n = r.choice(NUMBERS); return [T(sloppy(r, [f"How many {q}?"]), n + ".", n)]
def colour(r): x = r.choice(list(COLOUR)); return [T(sloppy(r, [f"What colour is {x}?", f"What color is {x}?", f"Which colour is {x}?"]), r.choice([f"{cap(x)} is {COLOUR[x]}.", f"{cap(COLOUR[x])}."]), cap(COLOUR[x]))]
def capital(r): x = r.choice(list(CAPITAL)); return [T(sloppy(r, [f"What is the capital of {x}?", f"Capital of {x}?", f"What's the capital of {x}?"]), r.choice([f"The capital of {x} is {CAPITAL[x]}.", f"{CAPITAL[x]}."]), CAPITAL[x])]
def hello_to(r):
    n = name(r); return [T(r.choice([f"Say hello to {n}.", f"say hello to {n}", f"Please greet {n}.", f"Say hi to my friend {n}.", f"This is my friend {n}. Say hello!"]), r.choice([f"Hello, {n}!", f"Hello, {n}! Nice to meet you."]), f"Hello, {n}!")]
def ask_me(r):
    h = r.choice(bank.HOBBIES + bank.FOODS + bank.INSTRUMENTS + bank.SPORTS + ["my job", "my day", "my family", "my city", "music", "books", "food", "animals", "travel", "my weekend"])
    mine = h.startswith("my ")
    return [T(sloppy(r, [f"Ask me something about {h}.", f"Ask me a question about {h}.", f"ask me about {h}", f"Can you ask me something about {h}?"]), r.choice([f"What do you like best about {'your ' + h[3:] if mine else h}?", f"How would you describe {'your ' + h[3:] if mine else h} in one word?"] + ([] if mine else [f"Do you like {h}?"])), None)]
NOUN = bank.W("dog:dogs, cat:cats, bird:birds, boy:boys, girl:girls, child:children, teacher:teachers, horse:horses, man:men, woman:women, farmer:farmers, baby:babies, mouse:mice, fox:foxes, nurse:nurses")
ACT = bank.W("sleeps:sleep, runs:run, eats:eat, sings:sing, plays:play, works:work, waits:wait, jumps:jump, is here:are here, is tired:are tired, has a house:have a house, likes milk:like milk, walks home:walk home, reads a book:read books, sees a tree:see trees")
def plural_sentence(r):
    (a, b), (c, d) = r.choice(NOUN).split(":"), r.choice(ACT).split(":"); x, y = f"The {a} {c}.", f"The {b} {d}."
    return [T(r.choice([f"Put this sentence in the plural: {x}", f"Make this plural: {x}", f"plural: {x}", f"Write in the plural: {x}"]), y, y, "data")]
THING = bank.W("key, ring, red scarf, book, hat, button, blue kite, letter, coin, map, teddy bear, umbrella, shoe, ticket, little bell, watch, ball, glove, necklace, flute")
WHERE = bank.W("under the bed, in the garden, behind the door, in a coat pocket, on the bus, in the kitchen, under an old tree, in the snow, at the market, by the river, on the roof, in a bird's nest, in a soup pot, in the grass")
def lost(r):
    t, w, n, h = r.choice(THING), r.choice(WHERE), name(r), name(r)
    a = r.choice([f"One morning {n} could not find the {t}.", f"{n} had lost the {t}.", f"The {t} was gone, and {n} was sad."]) + " " + r.choice([f"{n} looked everywhere, but it was not there.", f"{n} searched the whole house."]) + " " + r.choice([f"Then {h} came to help.", f"\"Let us look together,\" said {h}."]) + f" At last they found the {t} {w}. " + r.choice([f"{n} laughed and thanked {h}.", f"{n} was happy again.", f"After that, {n} took good care of it."])
    return [T(sloppy(r, [f"Tell me a story about a lost {t}.", f"Write a short story about a lost {t}.", f"a story about a lost {t}", f"Can you tell a little story about someone who lost a {t}?"]) if t[0] not in "aeiou" else f"Tell me a story about a lost {t}.", a, None)]
def seg(r): return r.choices((yes_no, how_many, colour, capital, hello_to, ask_me, plural_sentence, lost), (3, 2, 2, 2, 1.5, 2, 2, 1.5))[0](r)
