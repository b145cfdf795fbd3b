"""Tasks for few_shot.py that a prompt may name as well as show: sentences made into others, labels, orders, look-ups, forms.

new(r) of a task gives (make, says): make(r) -> (question, answer), and wordings of the task, or none where only the examples
can tell it. What people would answer with talk (a greeting, a complaint, a wish) is here only something to be worked on.
"""
import json, re
import skill_everyday as everyday, skill_shots as shots, skill_sums as sums, skill_words as words, truths
from introductions import city, name
from skill_common import an, bank, cap

class Task:
    """least: examples that show the rule without a word about it; labels: whether the answers are a few names; told: whether
    the prompt has to say it, since the examples do not have all of it."""
    def __init__(self, new, weight=1, least=3, labels=False, told=False): self.new, self.weight, self.least, self.labels, self.told, self.ok = new, weight, least, labels, told, None
def S(text): return [x.strip() for x in text.strip().replace("\n", " / ").split(" / ") if x.strip()]
def P(text): return [tuple(x.split(" = ")) for x in S(text)]

# ---- sentences with a verb
VERBS = [tuple(x.split(":")) for x in S("""walk:walks:walked:home,to school,in the park,to the station / play:plays:played:chess,football,the piano,cards / cook:cooks:cooked:dinner,soup,rice,lunch / want:wants:wanted:cake,a new bike,tea,a dog / like:likes:liked:tea,music,the song,old films / need:needs:needed:help,a pen,more time,sleep
love:loves:loved:books,the sea,cats,summer / open:opens:opened:the door,the window,the box / close:closes:closed:the shop,the gate,the book / wash:washes:washed:the car,the dishes,the dog / paint:paints:painted:the wall,a picture,the fence / clean:cleans:cleaned:the kitchen,the room,the stairs / visit:visits:visited:the museum,a friend,the zoo
see:sees:saw:a bird,the moon,a ship / eat:eats:ate:bread,an apple,pizza,fish / drink:drinks:drank:water,milk,coffee / write:writes:wrote:a letter,a song,poems / buy:buys:bought:milk,flowers,a hat,tickets / sing:sings:sang:a song,in the choir,at home / make:makes:made:soup,a plan,coffee / take:takes:took:the bus,a photo,the train / lose:loses:lost:the key,the game,a shoe
find:finds:found:the key,a coin,the way / help:helps:helped:the neighbour,a friend,the teacher / work:works:worked:in a bank,at home,in the garden / live:lives:lived:in a small house,in the city,by the sea / wait:waits:waited:for the bus,at the door / dance:dances:danced:in the kitchen,all night / run:runs:ran:to the bus,in the park / know:knows:knew:the answer,the way,the song""")]
MANY = ["I", "You", "We", "They", "The children", "My parents", "The girls"]
ONE = ["He", "She", "The dog", "My sister", "Our teacher", "My brother", "The boy", "The woman"]
class Clause:
    """A subject, a verb and what follows."""
    def __init__(self, r):
        self.many = r.random() < .55; self.s = r.choice(MANY) if self.many else r.choice(ONE) if r.random() < .7 else r.choice(bank.NAMES)
        self.b, third, self.p, rest = r.choice(VERBS); self.o = r.choice(rest.split(",")); self.v = self.b if self.many else third
        self.low = self.s if self.s == "I" or self.s in bank.NAMES else self.s[0].lower() + self.s[1:]; self.do = "do" if self.many else "does"
    def __str__(self): return f"{self.s} {self.v} {self.o}."
THEY = {"I": "I", "You": "you", "We": "we", "They": "they", "He": "he", "She": "she"}
SENTENCES = [
 ("Put each sentence into the past. / Make it past tense. / Change the sentence to the past tense. / Past tense, please. / Rewrite it in the past.", lambda c: f"{c.s} {c.p} {c.o}."),
 ("Make the sentence negative. / Negate each sentence. / Say the contrary, with not. / Turn it into a negative sentence. / Add not.", lambda c: f"{c.s} {c.do} not {c.b} {c.o}."),
 ("Make the sentence negative, with a short form. / Negate it with don't or doesn't.", lambda c: f"{c.s} {c.do}n't {c.b} {c.o}."),
 ("Turn each sentence into a question. / Make a question of it. / Ask it. / Change the statement to a question. / Rewrite it as a question.", lambda c: f"{cap(c.do)} {c.low} {c.b} {c.o}?"),
 ("Put each sentence into the future. / Make it future tense. / Use will. / Rewrite it in the future.", lambda c: f"{c.s} will {c.b} {c.o}."),
 ("Add can to the sentence. / Say that it can be done.", lambda c: f"{c.s} can {c.b} {c.o}."), ("Add must to the sentence. / Say that it has to be done.", lambda c: f"{c.s} must {c.b} {c.o}."),
 ("Add never. / Say that it never happens.", lambda c: f"{c.s} never {c.v} {c.o}."), ("Add always. / Say that it always happens.", lambda c: f"{c.s} always {c.v} {c.o}."), ("Say that it happens often.", lambda c: f"{c.s} often {c.v} {c.o}."),
 ("Ask who does it. / Make a question with who. / Ask for the person.", lambda c: f"Who {c.b if c.s == 'x' else THIRD[c.b]} {c.o}?"),
 ("Put it into yesterday. / Say that it was yesterday.", lambda c: f"Yesterday {c.low} {c.p} {c.o}."), ("Say that it will be tomorrow. / Put it into tomorrow.", lambda c: f"Tomorrow {c.low} will {c.b} {c.o}."),
 ("Name the verb. / What is the verb? / Find the verb of the sentence. / Only the verb.", lambda c: c.v), ("Who does it? Name only the subject. / Find the subject. / Give the subject of the sentence.", lambda c: c.s if c.s in bank.NAMES or c.s == "I" else c.low),
 ("Give the verb in its basic form. / Write the base form of the verb.", lambda c: c.b), ("Leave out the first word. / Everything but the subject.", lambda c: f"{c.v} {c.o}"), ("What comes after the verb?", lambda c: c.o),
 ("Make an order of it. / Turn it into a command.", lambda c: f"{cap(c.b)} {c.o}!" if c.b not in ("want", "like", "need", "love", "know", "lose", "see") else f"{cap(c.b)} {c.o}!"),
 ("Write the sentence in capitals. / Upper case.", lambda c: str(c).upper()), ("Write it without a full stop and in small letters. / Lower case, no full stop.", lambda c: str(c).lower().rstrip(".")), ("Add a doubt. / Put maybe before it. / Say that it is not sure.", lambda c: f"Maybe {c.low} {c.v} {c.o}."), ("Put I think before it.", lambda c: f"I think {c.low} {c.v} {c.o}."),
 ("Make it excited. / Use an exclamation mark.", lambda c: f"{c.s} {c.v} {c.o}!"), ("Agree with the sentence. / Say yes to it.", lambda c: f"Yes, {c.low} {c.v} {c.o}."), ("Deny it. / Say no to it.", lambda c: f"No, {c.low} {c.do} not {c.b} {c.o}."), ("Ask why. / Make a question with why.", lambda c: f"Why {c.do} {c.low} {c.b} {c.o}?"), ("Say that you heard it.", lambda c: f"I hear that {c.low} {c.v} {c.o}."), ("Put it in quotation marks. / Quote it.", lambda c: f'"{c}"'),
]
THIRD = {b: t for b, t, _, _ in VERBS}
def sentence_task(r):
    says, f = r.choice(SENTENCES)
    def make(r): c = Clause(r); return str(c), f(c)
    return make, S(says)

# ---- sentences with to be
BE = [("I", "am", "was"), ("You", "are", "were"), ("We", "are", "were"), ("They", "are", "were"), ("He", "is", "was"), ("She", "is", "was"), ("It", "is", "was"), ("The soup", "is", "was"), ("The room", "is", "was"), ("My bag", "is", "was"), ("The dog", "is", "was"), ("The street", "is", "was"), ("My brother", "is", "was"), ("The shoes", "are", "were")]
HOW = bank.W("happy, tired, late, hungry, cold, ready, sad, busy, old, quiet, ill, new, clean, dirty, big, small, warm, lost, early, thirsty, angry, wet, young, rich, afraid, bored, sleepy, strong, proud, alone")
WARM, FEEL = bank.W("cold, old, new, clean, dirty, big, small, warm, wet, ready, late, lost"), bank.W("happy, tired, hungry, cold, ready, sad, busy, ill, lost, thirsty, angry, afraid, bored, sleepy, strong, proud, alone, lonely, scared, excited, nervous, calm, warm")
THINGS = ("It", "The soup", "The room", "My bag", "The street", "The shoes")
def is_are(f):
    def make(r):
        b = r.choice(BE); h = r.choice(WARM if b[0] in THINGS else HOW)
        return f"{b[0]} {b[1]} {h}.", f(b, b[0] if b[0] == "I" else b[0][0].lower() + b[0][1:], h)
    return make
BEING = [("Turn each sentence into a question. / Make it a question. / Ask it. / Statement to question.", lambda b, l, h: f"{cap(b[1])} {l} {h}?"), ("Make it negative. / Negate the sentence. / Add not.", lambda b, l, h: f"{b[0]} {b[1]} not {h}."), ("Put it into the past. / Past tense. / Rewrite it in the past.", lambda b, l, h: f"{b[0]} {b[2]} {h}."), ("Put it into the future. / Future tense. / Use will.", lambda b, l, h: f"{b[0]} will be {h}."),
 ("Ask why. / Make a question with why.", lambda b, l, h: f"Why {b[1]} {l} {h}?"), ("Add very. / Make it stronger.", lambda b, l, h: f"{b[0]} {b[1]} very {h}."), ("Only the last word. / What word describes it? / Name the adjective. / Extract the adjective. / How is it? One word.", lambda b, l, h: h), ("Who or what is it about?", lambda b, l, h: l), ("Make it weaker. / Add a little.", lambda b, l, h: f"{b[0]} {b[1]} a little {h}."), ("Say that it is over. / Add no longer.", lambda b, l, h: f"{b[0]} {b[1]} no longer {h}."), ("Agree. / Say yes to it.", lambda b, l, h: f"Yes, {l} {b[1]} {h}."), ("Deny it. / Say no.", lambda b, l, h: f"No, {l} {b[1]} not {h}."),
 ("Write how it is in capitals.", lambda b, l, h: h.upper() + "!"), ("Make a note of it.", lambda b, l, h: f"{l}: {h}"), ("Make a tag of the feeling. / Give a hashtag.", lambda b, l, h: "#" + h), ("Put not at all after it.", lambda b, l, h: f"{b[0]} {b[1]} not {h} at all."), ("Add a reason to hope. / Say that it will pass.", lambda b, l, h: f"Soon {l} will not be {h}.")]
def being_task(r): says, f = r.choice(BEING); return is_are(f), S(says)
def feeling_word(r):
    """What somebody says of himself, and one word or a short answer to it."""
    out = r.choice(["{h}", "{H}", "{H}!", "#{h}", "mood: {h}", "You are {h}.", "Are you {h}?", "Why are you {h}?", "{h}?", "[{h}]", "feels {h}", "Not {h}?", "So you are {h}.", "User is {h}.", "<{h}>"])
    t = r.choice([["I am {h}", "I am so {h}", "I feel {h}"], ["I'm {h}."], ["I am {h}."], ["i am {h}", "today i am {h}"], ["I feel {h} today."], ["We are all {h}.", "I am {h}, too."]])
    def make(r): h = r.choice(FEEL); return r.choice(t).format(h=h), out.format(h=h, H=cap(h))
    return make, {"{h}": S("Extract the feeling. / Say in one word how the user feels. / Name the feeling."), "{H}": S("Name the feeling. / The mood in one word.")}.get(out, [])

# ---- ways to talk
FORMAL = P("""gimme that = Please give me that. / thanks a lot = Thank you very much. / what's up? = How are you? / hey = Good day. / bye = Goodbye. / thx = Thank you. / wanna come? = Would you like to come? / gotta go = I have to go. / no way = That is not possible. / sorry = I apologise. / yeah = Yes. / nope = No. / cool = Very good. / shut up = Please be quiet.
hurry up = Please be quick. / help me = Could you please help me? / sit down = Please take a seat. / come here = Please come here. / what? = I beg your pardon? / ok = Certainly. / see ya = Goodbye. / call me = Please call me. / go away = Please leave. / that's great = That is excellent. / I'm broke = I have no money. / she's nuts = She is strange. / this sucks = This is not good. / I'm hungry = I would like to eat. / can't do it = I cannot do it. / let's go = Let us go.
hi there = Good day. / it's a mess = It is not in order. / gimme a sec = Please wait a moment. / wait = Please wait. / my bad = It was my mistake. / no problem = You are welcome. / I'm beat = I am very tired. / tell me = Please tell me. / got it = I understand. / I'm fine = I am well. / kids = children / guy = man / mom = mother / dad = father / buddy = friend / a lot of = many / start = begin / buy = purchase / ask = enquire / get = receive / need = require""")
SHORT = P("""don't = do not / can't = cannot / I'm = I am / it's = it is / won't = will not / we're = we are / they're = they are / isn't = is not / didn't = did not / you're = you are / he's = he is / she's = she is / I'll = I will / we've = we have / doesn't = does not / that's = that is""")
SHORTS = S("We don't know. / I can't come. / It's late. / I'm at home. / They're here. / We won't go. / She isn't tired. / He didn't call. / You're right. / I'll write. / That's good. / It doesn't work. / We're ready. / I don't like it. / He can't swim. / They won't help. / She's busy. / It's not mine. / I'm not sure. / You're early. / We've a plan. / That's my bag. / I don't think so. / He's my friend. / It isn't far. / You can't park here. / I'll be there. / They don't sleep. / We didn't win. / She's not here.")
LONGS = [(s, re.sub("|".join(map(re.escape, (a for a, _ in SHORT))), lambda m: dict(SHORT)[m.group(0)], s[0].lower() + s[1:] if s[:2] not in ("I'", "I ") else s)) for s in SHORTS]
LONGS = [(a, cap(b)) for a, b in LONGS]
PLAIN = [(a, b) for a, b in LONGS if " not " not in b or "do not" in b or "does not" in b or "did not" in b or "will not" in b]
def formal_task(r):
    says = S("Rewrite in formal English. / Make it formal. / Write it politely. / Say it in good English. / Informal to formal. / Use formal words.")
    z = r.random()
    if z < .45: return (lambda r: r.choice(FORMAL[:46])), says
    if z < .85: return (lambda r: r.choice(LONGS)), says + S("Write it without short forms. / No contractions. / Write the words in full.")
    return (lambda r: r.choice(PLAIN)[::-1]), S("Use short forms. / Make it casual. / Write it with contractions.")
THINGS_DONE = [tuple(x.split(":")) for x in S("open:opening:door,window,box,gate,letter,shop / close:closing:door,window,book,curtain / clean:cleaning:kitchen,floor,table,car / paint:painting:wall,fence,chair,boat / wash:washing:dishes,car,shirt,dog / find:finding:key,phone,map,ball / bring:bringing:milk,paper,chairs,coat / read:reading:book,letter,list,sign / start:starting:car,game,film,engine / stop:stopping:music,train,clock,game / send:sending:letter,parcel,photo,bill / call:calling:doctor,boss,taxi,plumber / check:checking:oven,mail,list,tyres / count:counting:coins,cups,sheep,days / fix:fixing:lamp,bike,roof,chair / water:watering:flowers,garden,plants")]
ORDERS = ["Please {v} the {x}.", "Could you {v} the {x}, please?", "I will {v} the {x}.", "Do not {v} the {x}!", "{I} the {x} ...", "{i}: {x}", "{v}({x})", "{x}.{v}()", "{V}_{X}", "{V} {X}", "{v}-{x}", "Who will {v} the {x}?", "TODO: {v} {x}", "[ ] {v} the {x}", "Yes, I {v} the {x}.", "{x}", "{v}", "{v}, {x}", "{x}: {v}", '{{"do": "{v}", "what": "{x}"}}', "verb={v} object={x}", "Let us {v} the {x}.", "We must {v} the {x}.", "Why {v} the {x}?", "/{v} {x}", "{v} --{x}", "cmd: {v} {x}"]
POLITE = {"Please {v} the {x}.": "Make it polite. / Say it politely. / Add please.", "Could you {v} the {x}, please?": "Make it a polite question. / Ask politely. / Make a polite request of it.", "{x}": "Name the object. / Which thing is it about?", "{v}": "Name the verb. / Only the action.", "Do not {v} the {x}!": "Forbid it. / Turn it into a ban."}
def order_task(r):
    """An order in words, and the form that this chat makes of it."""
    t = r.choice(ORDERS)
    def make(r):
        v, i, xs = r.choice(THINGS_DONE); x = r.choice(xs.split(","))
        return f"{v} the {x}", t.format(v=v, i=i, I=cap(i), V=v.upper(), X=x.upper(), x=x)
    says = S(POLITE[t]) if t in POLITE else S("Turn each request into a command for the machine. / You turn a request into a command. / The user says what to do; write it for the computer. / Translate the order into code. / You are a robot's ear: write the command.") if re.search(r"[A-Z_(){}/=:-]", t) and "the" not in t else []
    return make, says
DEVICES = bank.W("light, radio, heater, fan, lamp, oven, TV, alarm, pump, camera, music, kettle, printer, screen, washer, door bell")
SWITCH = ["{X}_{S}", "{x} {s}", "{x}: {s}", "{x}={s}", "{s}({x})", "{X} {S}", "{x}-{s}", "{s} {x}", '{{"{x}": "{s}"}}', "set {x} {s}", "The {x} is {s} now.", "switch {x} {s}", "{s}", "{x}.{s}()", "{S}", "OK, {x} {s}."]
def switch_task(r):
    t = r.choice(SWITCH); us = r.choice([["turn {s} the {x}"], ["turn the {x} {s}"], ["switch {s} the {x}", "switch the {x} {s}"], ["turn {s} the {x}", "please turn the {x} {s}", "{x} {s}, please", "I want the {x} {s}", "can you put the {x} {s}?"]])
    def make(r): x, s = r.choice(DEVICES), r.choice(("on", "off")); return r.choice(us).format(x=x, s=s), t.format(x=x, s=s, X=x.upper().replace(" ", "_"), S=s.upper())
    return make, S("You turn a request into a command. / Turn what the user says into a command. / You control a house. Write only the command. / Smart home: answer with the command. / Write the order for the device. / Translate each wish into a short command.")

# ---- sentences and words with a label
ITEMS = bank.W("phone, watch, bike, laptop, lamp, jacket, camera, sofa, drill, radio, tent, printer")
def filled(r, s): return s.format(x=r.choice(ITEMS), d=r.choice(bank.DAYS), n=r.choice(bank.NAMES), k=r.choice((100, 500, 1000, 5000)), f=r.choice(bank.FOODS[:12]), c=r.choice(bank.CITIES), h=r.choice(HOW))
LABELLED = [
 ("Is it spam? / Mark each message.", {"spam": "Win ${k} now! / Free {x}, click here! / You have won a {x}! / Cheap {x}, buy now!!! / Click this link for a free {x}. / Congratulations, you are our winner! / Get rich in one week! / Claim your prize of ${k} today / Last chance: {x} for nothing! / You are the lucky visitor, click now", "ok": "See you on {d}. / Lunch at noon? / Can you call me later? / The meeting is on {d}. / Thanks for the {f}. / I will be late today. / Here are my notes. / {n} is ill today. / Did you feed the cat? / Please bring the {x} on {d}. / How was {c}? / Mum says hello."}),
 ("How urgent is it? / Sort the messages.", {"urgent": "The house is on fire! / There is water all over the kitchen! / The server is down and nobody can work! / Someone is hurt, come quickly! / The baby does not breathe! / I smell gas in the house! / A man fell into the river! / The brakes of the bus do not work! / Help, thieves are in the shop! / My grandfather fell and does not move!", "not urgent": "I would like to change my address. / When do you open on {d}? / Please send me a catalogue. / What does a {x} cost? / I have a question about my bill. / Can I have another colour? / Thanks for the nice evening. / I want to order a {x} some day. / Where can I park? / Do you sell {f}?"}),
 ("What kind of sentence is it? / Question or statement?", {"question": "Where is {n}? / Do you like {f}? / Is it {d}? / What time is it? / Who has my {x}? / Can you swim? / Are you {h}? / When does the train leave? / How old is {n}? / Why is it so dark?", "statement": "{n} lives in {c}. / I like {f}. / It is {d}. / The {x} is new. / We are {h}. / It rains. / My {x} is at home. / The train is late. / {n} has two cats. / I was in {c}."}),
 ("Which time is it in? / Past, present or future?", {"past": "I went to {c}. / We ate {f}. / {n} was {h}. / She called on {d}. / They lost the {x}. / I saw {n}. / He had a {x}. / It was {d}.", "present": "I am in {c}. / We eat {f}. / {n} is {h}. / She has a {x}. / They live in {c}. / It is {d}. / He likes {f}. / I know {n}.", "future": "I will go to {c}. / We will eat {f}. / {n} will be {h}. / She will call on {d}. / They will buy a {x}. / It will rain. / He will see {n}. / I will cook {f}."}),
 ("What is it about? / Name the topic.", {"food": "The soup needs salt. / {n} bakes {f}. / I had {f} for lunch. / This bread is fresh. / We cook rice tonight. / The cheese is too old.", "weather": "It rains in {c}. / The sun shines today. / There was snow on {d}. / A storm is coming. / It is windy and cold. / The fog is thick.", "sport": "{n} won the race. / The match ended 2 to 1. / Our team lost on {d}. / She scored a goal. / He runs five miles a day. / They play tennis.", "travel": "The train to {c} is late. / We fly on {d}. / Our hotel is in {c}. / {n} lost the ticket. / The bus leaves at nine. / I packed my suitcase."}),
 ("Is it polite? / How does it sound?", {"polite": "Could you help me, please? / Thank you so much, {n}. / Would you like some {f}? / Excuse me, is this seat free? / May I come in? / Please take a seat. / I am sorry to disturb you. / Thank you for the {x}.", "rude": "Go away! / Shut up, {n}. / Give me that now! / You are so stupid. / Get out! / I don't care about you. / What do you want, fool? / Move, idiot!"}),
 ("What does the user want? / Name the intent.", {"greeting": "hello / hi there / good morning / hey {n} / good evening / hello everybody", "goodbye": "bye / see you on {d} / good night / I have to go now / goodbye {n} / see you later", "thanks": "thank you / thanks a lot / thanks for the {x} / thank you very much, {n} / that was kind of you, thanks / many thanks"}),
 ("What does the user want? / Sort the requests of a shop.", {"order": "I want to buy a {x}. / Two {x}s, please. / I'll take the {x}. / Please send me a {x}. / One {f}, please. / I'd like to order {f}.", "complaint": "The {x} is broken. / My {x} never came. / The {f} was cold. / This {x} does not work. / I got the wrong {x}. / The {x} is far too loud.", "question": "When do you open? / What does the {x} cost? / Do you have {f}? / Where is your shop? / Is the {x} new? / Are you open on {d}?"}),
 ("What does the question ask for?", {"person": "Who called? / Who has the {x}? / Who lives in {c}? / Who made the {f}? / Who is {h}? / Whose {x} is this?", "place": "Where is {n}? / Where do you live? / Where is my {x}? / Where was the party? / Where can I buy {f}?", "time": "When is lunch? / When does it start? / At what time do you open? / When was {n} here? / When is your birthday?", "number": "How many cups are there? / How old is {n}? / How many days are left? / How much is the {x}? / How many {x}s do you have?"}),
 ("Is it a fact or an opinion?", {"fact": "{c} is a city. / A week has seven days. / Ice is frozen water. / A dog has four legs. / {d} is a day of the week. / Birds have wings. / Gold is a metal. / A year has twelve months.", "opinion": "{c} is boring. / {d} is the best day. / {f} tastes great. / Dogs are nicer than cats. / Red is ugly. / I think {n} is funny. / Winter is too long. / The best {x} is a red one."}),
 ("Is it alive? / Sort the things.", {"alive": "dog / tree / bird / horse / rose / fish / child / bee / frog / oak / mouse / wolf", "not alive": "stone / table / car / cup / lamp / shoe / book / spoon / phone / brick / key / coin"}),
 ("Can one eat it?", {"yes": "bread / apple / cheese / soup / rice / carrot / cake / banana / egg / pizza / potato / honey", "no": "stone / chair / shoe / lamp / book / glass / hammer / car / soap / brick / phone / sand"}),
 ("Where does it live? / Sort the animals.", {"water": "fish / whale / shark / dolphin / octopus / crab / salmon / jellyfish", "land": "dog / horse / cow / lion / fox / sheep / goat / elephant / camel", "air": "eagle / sparrow / crow / swallow / seagull / falcon"}),
 ("Is it hot or cold?", {"hot": "fire / sun / oven / lava / boiling water / flame / summer / stove", "cold": "ice / snow / winter / fridge / frost / iceberg / ice cream / freezer"}),
 ("Is it big or small?", {"big": "elephant / house / whale / mountain / ship / castle / ocean / tower / truck", "small": "ant / mouse / pea / coin / button / bee / crumb / flea / needle"}),
 ("Animal, plant or thing? / Classify each word.", {"animal": "cat / dog / horse / cow / lion / mouse / bear / goat / snake / owl", "plant": "oak / rose / grass / tulip / fern / pine / moss / daisy / cactus", "tool": "hammer / saw / drill / axe / rake / spade / pliers / screwdriver"}),
 ("How many is it? One or more?", {"one": "cat / house / book / child / foot / man / apple / tree / mouse / key", "more": "cats / houses / books / children / feet / men / apples / trees / mice / keys"}),
 ("Which language is the word?", {"French": "bonjour / merci / oui / au revoir / fromage / maison / chien / rouge", "Spanish": "hola / gracias / adiós / perro / casa / amigo / rojo / buenos días", "German": "guten Tag / danke / ja / Hund / Haus / Brot / rot / auf Wiedersehen", "English": "hello / thank you / yes / dog / house / bread / red / goodbye"}),
 ("What is it? Name the sort. / Which kind of word is it?", {"color": "red / blue / green / yellow / brown / purple", "animal": "dog / cat / horse / cow / lion / mouse", "number": "seven / two / nine / five / ten / three", "day": "Monday / Friday / Sunday / Tuesday / Thursday", "month": "June / April / March / October / August", "drink": "juice / tea / milk / water / coffee / lemonade", "food": "bread / rice / cheese / soup / cake"}),
 ("When is it? Name the time of day.", {"morning": "breakfast / sunrise / dawn / waking up", "noon": "lunch / midday / twelve o'clock", "evening": "dinner / sunset / dusk / supper", "night": "midnight / moonlight / deep sleep / stars"}),
 ("Is the customer content? / Sort the reviews.", {"good": "The staff was friendly. / The {f} was fresh and warm. / I will come back. / My {x} works very well. / Best {x} that I ever had. / Everything was clean. / Fast and kind, thank you! / I can recommend it. / We had a lovely time in {c}.", "bad": "The {f} was cold. / I will never come back. / The {x} broke on {d}. / The room was dirty. / We waited for two hours. / Nobody answered my calls. / It was far too loud. / The worst {x} ever. / I want my money back."}),
]
OTHER_NAMES = {"good": "positive", "bad": "negative", "ok": "fine", "urgent": "high", "not urgent": "low", "yes": "Y", "no": "N", "color": "colour", "alive": "living", "not alive": "not living", "spam": "junk"}
RESKIN = [["A", "B", "C", "D"], ["1", "2", "3", "4"], ["foo", "bar", "baz", "qux"], ["red", "green", "blue", "white"], ["x", "y", "z", "w"], ["one", "two", "three", "four"]]
def label_task(r):
    """Two to four of the labels of a set, by their names, by others or by ones that only the examples tell."""
    says, sets = r.choice(LABELLED); keys = r.sample(list(sets), min(len(sets), r.choice((2, 2, 3, 4)))); z = r.random()
    form = r.choice([str, str, str, str, cap, str.upper, lambda s: f"[{s}]", lambda s: f"Label: {s}", lambda s: f"({s})", lambda s: "#" + s.replace(" ", "")])
    names = [form(k) for k in keys] if z < .7 else [form(OTHER_NAMES.get(k, k)) for k in keys] if z < .82 else r.choice(RESKIN)[:len(keys)]
    lists = [S(sets[k]) for k in keys]
    def make(r): i = r.randrange(len(keys)); return filled(r, r.choice(lists[i])), names[i]
    shown = ", ".join(names[:-1]) + " or " + names[-1]
    ask = ["{w} Answer with {l}.", "{w} {L}.", "{w} Labels: {l}.", "{L}?", "Answer only with {l}.", "Label each message as {l}.", "Classify: {l}.", "You are a classifier. {w} Say {l}.", "Say {l}, nothing else.", "Put each into one of these: {l}.", "Reply with one label: {l}.", "Whatever the user writes, answer with {l}."]
    return make, [s.format(w=w, l=shown, L=cap(shown)) for w in S(says) for s in ask] if z < .82 else []
RATED = {5: "It was great, I loved it / Excellent! / The best ever / Perfect in every way / I am so happy with it / Wonderful, thank you", 1: "It was awful / The worst ever / I hated it / Terrible, never again / A total waste of money / Horrible", 3: "It was okay / Not good, not bad / So-so / It was all right / Average / Neither good nor bad"}
def rate_task(r):
    most = r.choice((5, 5, 10, 3)); to = {5: str(most), 1: "1", 3: {5: "3", 10: "5", 3: "2"}[most]}; f = r.choice(["{k}", "{k}", "{k}", f"{{k}}/{most}", "{k} stars", "{k} points", "score: {k}", f"{{k}} of {most}"])
    rows = [(s, f.format(k=to[k]).replace("1 stars", "1 star").replace("1 points", "1 point")) for k, v in RATED.items() for s in S(v)]
    return (lambda r: (lambda x: (x[0] + r.choice(["", ".", "!"]) if x[0][-1] != "!" else x[0], x[1]))(r.choice(rows))), [f"Score from 1 to {most}.", f"Rate each review from 1 to {most}.", f"Answer with a number from 1 to {most}: how content is the user?", f"How good was it, 1 to {most}?", f"Give points: 1 is bad, {most} is good."]

# ---- what the prompt or the examples say once, looked up
GOODS = bank.W("tea, coffee, cake, soup, bread, milk, juice, water, salad, pizza, rice, cheese, honey, jam, butter, pie, lemonade, toast, eggs, noodles")
def look_up(r):
    """A list of things with a value each, asked one by one; the examples show the form."""
    kind = r.randrange(5); n = r.choice((3, 3, 4, 5))
    if kind == 0:
        unit = r.choice(["{k} euros", "{k} dollars", "${k}", "{k} pounds", "{k} coins", "{k} cents"]); keys = r.sample(GOODS, n); head = ["Prices", "Price list", "Our menu", "You are a shop. Prices", "You work in a café. Menu"]; ask = ["{x}", "How much is the {x}?", "What does the {x} cost?", "price of {x}?", "{x}?", "And the {x}?"]
    elif kind == 1: unit = r.choice(["room {k}", "floor {k}", "desk {k}", "{k}", "table {k}"]); keys = r.sample(bank.NAMES, n); head = ["Who sits where", "The rooms", "Places", "List"]; ask = ["{x}", "Where is {x}?", "{x}?", "Where does {x} sit?", "I look for {x}."]
    elif kind == 2: unit = r.choice(["{k} points", "{k}", "{k} years old", "{k} apples"]); keys = r.sample(bank.NAMES, n); head = ["The list", "Results", "What we know", "Table"]; ask = ["{x}", "{x}?", "What about {x}?", "And {x}?"]
    elif kind == 3: unit = "{c}"; keys = r.sample(bank.NAMES, n); head = ["Favourite colours", "Teams", "Colours"]; ask = ["{x}", "{x}?", "Which colour has {x}?", "And {x}?"]
    else: unit = r.choice(["aisle {k}", "shelf {k}", "box {k}", "{d}"]); keys = r.sample(GOODS, n); head = ["Where things are", "The shop", "Storage", "Plan"] if "{d}" not in unit else ["Day of delivery", "We have it on"]; ask = ["{x}", "{x}?", "Where do I find {x}?" if "{d}" not in unit else "When is there {x}?", "And {x}?"]
    ks = r.sample(range(2, 40), n); has = {x: unit.format(k=k, c=r.choice(bank.COLOURS[:8]), d=r.choice(bank.DAYS)) for x, k in zip(keys, ks)}
    sep, mark = r.choice([(", ", " "), (", ", ": "), ("; ", " = "), ("\n", ": "), ("\n", " - "), (", ", " is "), (". ", " is "), (", ", " costs ")][:8 - (kind != 0)]); text = r.choice(head) + (":\n" if sep == "\n" else ": ") + sep.join(x + mark + v for x, v in has.items()) + ("" if sep == "\n" else ".")
    us = [r.choice(ask)] if r.random() < .5 else ask; say = r.choice(["{v}", "{v}", "{v}", "{V}.", "{x}: {v}", "-> {v}", "{x} - {v}", "{V}!"])
    def make(r): x = r.choice(keys); return r.choice(us).format(x=x), say.format(x=x, v=has[x], V=cap(has[x]))
    return make, [text, text + ("\n" if sep == "\n" else " ") + r.choice(["Answer with the value only.", "Only say what the list says.", "Answer in the form of the examples.", "Answer shortly.", "Use only this list."])]

# ---- frames with parts
def parts_of(r):
    """A word and things one can see on it, in a form of this chat."""
    xs = r.sample(["{w}", "{n}", "{f}", "{U}", "{C}", "{l}"], r.choice((2, 2, 3))); z = r.random()
    t = r.choice(["{w} ({n})", "{w} has {n} letters", "{w}: {n}", "{n} letters", "{C} ({n})", "{w} starts with {f}", "{f} is for {w}", "{f} as in {w}", "{w} ends with {l}", "{f}...{l}", "{w}, {n} letters", "{n} x {f}", "first: {f}, last: {l}", "{U} = {n}", "{C}? {C}!", "{w} {w} {U}", "{f}-{w}", "{w}/{U}", "{f}: {w}", "{C}, {f}, {n}"]) if z < .7 else r.choice([", ", " ", "/", "-", " | ", ": "]).join(xs)
    short = [w for w in words.LOWER if len(w) < (6 if "n" in t else 8)]
    def make(r): w = r.choice(short); return w, t.format(w=w, n=len(w), f=w[0], l=w[-1], U=w.upper(), C=cap(w))
    return make, {"{w} ({n})": S("Reply with the word and its length. / Write the word and how many letters it has."), "{n} letters": S("Count the letters. / How many letters?"), "{f} is for {w}": S("Make a line for an alphabet.")}.get(t, [])
def T(pairs, *frames): return list(pairs), frames
LEGS = [(a, n) for a, n in (x.split(":") for x in "cat:4,dog:4,spider:8,ant:6,bee:6,duck:2,hen:2,horse:4,cow:4,frog:4,owl:2,lion:4,penguin:2,fly:6,mouse:4,goose:2,sheep:4,bird:2,eagle:2,fox:4".split(","))]
TABLES = [T(LEGS, "{a}: {b} legs", "{a}: animal, {b} legs", "A {a} has {b} legs." , "{b} legs", "{A} ({b})", "{b}"), T(shots.SOUND, "The {a} says {b}.", "{b}!", "{b} {b}", "{a}: {b}", "{B}, says the {a}.", "{a} goes {b}"), T(shots.COLOUR, "The {a} is {b}.", "{b} {a}", "{a} ({b})", "{B}.", "{a} = {b}", "It is {b}.", "color: {b}"), T(shots.CAPITAL, "{b} is the capital of {a}.", "{b}, {a}", "{b}!", "{a}: {b}", "Capital: {b}", "{b} ({a})", "{b}"), T(bank.OPP.items(), "{a}, not {b}", "not {b}", "{b}!", "{a} <-> {b}", "{a} and {b}", "The opposite is {b}.", "{a} or {b}?", "{B}"), T(bank.PLUR.items(), "one {a}, two {b}", "many {b}", "two {b}", "{a}/{b}", "{B}!", "some {b}", "10 {b}", "all the {b}"), T(bank.PAST.items(), "I {b}", "{a} - {b}", "Yesterday I {b}.", "to {a}, {b}", "{b} (past)", "she {b}", "{B}"), T(shots.BABY, "A young {a} is a {b}.", "little {b}", "{a} and {b}", "{b}"), T(shots.COMPARE, "{b} than me", "It is {b}.", "{a}, {b}", "much {b}", "{b} and {b}", "{B}!")]
def table_task(r): pairs, frames = r.choice(TABLES); t = r.choice(frames); return (lambda r: (lambda p: (p[0], t.format(a=p[0], b=p[1], A=cap(p[0]), B=cap(p[1]))))(r.choice(pairs))), []
NAMED = [("Give the opposite. / Answer with the opposite. / Opposites, please.", bank.OPP.items()), ("Give the plural. / Singular to plural. / Write the plural form.", bank.PLUR.items()), ("Give the past tense. / Past form of the verb.", bank.PAST.items()), ("Answer with the capital only. / Country to capital. / Name the capital.", shots.CAPITAL), ("Name the colour. / What colour is it? / Thing to color.", shots.COLOUR), ("Make the sound. / What sound does it make?", shots.SOUND), ("Name the young one. / What is its baby called?", shots.BABY), ("Give the comparative. / Compare: big, bigger.", shots.COMPARE), ("Write the short form in full. / Expand it.", SHORT), ("Answer with a word of the same meaning. / Give a synonym.", bank.SYN.items()), ("Name the capital's country. / City to country.", [(b, a) for a, b in shots.CAPITAL]), ("Answer with the singular. / Plural to singular.", [(b, a) for a, b in bank.PLUR.items()]), ("Tomorrow is which day? / Name the next day.", list(zip(bank.DAYS, bank.DAYS[1:] + bank.DAYS[:1]))), ("Answer with an emoji. / Complete with an emoji. / Show it as an emoji.", [tuple(x.split(":")) for x in "happy:😊,sad:😢,angry:😠,love:❤️,tired:😴,funny:😂,cool:😎,ill:🤒,party:🎉,sun:☀️,rain:🌧️,cat:🐱,dog:🐶,fire:🔥,star:⭐,pizza:🍕,coffee:☕,music:🎵,car:🚗,house:🏠,book:📖,apple:🍎,tree:🌳,moon:🌙,heart:❤️,snow:❄️".split(",")]), ("Put un- before it. / Negate the word.", [(w, "un" + w) for w in "happy kind fair safe clear tidy lucky usual known true wise clean able sure even friendly healthy real".split()]), ("Where does this person work? / Job to place.", [tuple(x.split(":")) for x in "baker:bakery,teacher:school,doctor:hospital,cook:kitchen,farmer:farm,sailor:ship,pilot:plane,judge:court,actor:theatre,waiter:restaurant,gardener:garden,king:palace,nurse:hospital,priest:church".split(",")])]
def named_task(r): says, pairs = r.choice(NAMED); pairs = list(pairs); return (lambda r: r.choice(pairs)), S(says)
LINES = ["{n} has {k} points.", "{n}: {k} points", "{n} is {k} years old.", "{n} scored {k}.", "{k} for {n}!", "{n} wins {k} coins.", "{n} ({k})", "Dear {n}, you are number {k}.", "{k} x {n}", "{n} owes {k} dollars.", "Room {k}: {n}", "{n} waits {k} minutes.", "{n} is in room {k}.", "{n} ate {k} apples.", "Hi {n}, {k} new messages.", "{n} gets {k} stars.", "No. {k} is {n}.", "{n} = {k}", '{{"name": "{n}", "age": {k}}}', '{{"{n}": {k}}}', '{{"user": "{n}", "score": {k}}}', "name: {n}, age: {k}", "<{n}> {k}", "{k}, {n}", "{n} turned {k} today!", "Give {n} {k} euros."]
def record_task(r):
    t = r.choice(LINES); sep = r.choice([" ", ", ", ": ", " - ", "; ", "="])
    def make(r): n, k = name(r), r.randrange(2, 99); return f"{n}{sep}{k}", t.format(n=n, k=k)
    return make, S("Turn each line into JSON. / Convert to JSON. / Answer with JSON.") if t[0] == "{" and t[1] == "{" else S("Write a sentence about it. / Make a sentence of it.") if t[-1] == "." and " " in t else []
def amount_task(r):
    i, o = r.choice([("{k} {x}", "{x}: {k}"), ("{x}, {k}", "{k} x {x}"), ("{k} {x}", "{x} x {k}"), ("{x} {k}", "{k} {x}"), ("{k} {x}", "{x}"), ("{k} {x}", "{k}"), ("{k} {x}", "I have {k} {x}."), ("{k} {x}", "{k} {x}, please"), ("{x}: {k}", "We need {k} {x}."), ("{k} {x}", "({k}) {x}"), ("I bought {k} {x}.", "{x}, {k}"), ("We have {k} {x} at home.", "{k}"), ("We need {k} {x}.", "{x}: {k}"), ("{k} {x}", '{{"{x}": {k}}}'), ("{k} {x}", "- [ ] {x} ({k})"), ("There are {k} {x}.", "{k} {x}"), ("{n} wants {k} {x}.", "{n}: {k} {x}"), ("{n} sold {k} {x}.", "{x}"), ("{n} sold {k} {x}.", "{n}"), ("{n} has {k} {x}.", "How many {x} has {n}?")])
    xs = sorted({p for p in bank.PLUR.values() if p.endswith("s")})
    def make(r): v = dict(k=r.randrange(2, 40), x=r.choice(xs), n=name(r)); return i.format(**v), o.format(**v)
    return make, {"{k}": S("Extract the number. / Only the number."), "{x}": S("Extract the thing. / What is it? Only the thing."), "{n}": S("Extract the name. / Who is it?")}.get(o, [])
SAID = ["My name is {n} and I like {f}.", "I'm {n} from {c}.", "Hello, this is {n} speaking.", "{n} lives in {c}.", "Yesterday I met {n} in {c}.", "{n} moved to {c} last year.", "We were born in {c}, says {n}.", "I saw {n} on {d}.", "{n} called from {c}.", "On {d}, {n} flies to {c}.", "Dear {n}, come to {c}!", "{n} ate {f} in {c}.", "Here is {n}, your guide in {c}.", "In {c}, {n} sells {f}.", "Tell {n} that I am in {c}.", "hi, {n} here, I live in {c}"]
WHAT = {"n": ("name", "person"), "c": ("city", "place"), "d": ("day",), "f": ("food",)}
def extract_task(r):
    k = r.choice("nnccdf"); ts = [t for t in SAID if "{" + k + "}" in t] + {"d": ["The shop closes on {d}.", "We meet on {d} at noon.", "{d} is my free day.", "Is {d} all right?", "{n} is ill since {d}."], "f": ["I cooked {f} today.", "Do you like {f}?", "{n} hates {f}.", "We had {f} for lunch.", "My favourite is {f}."]}.get(k, [])
    form = r.choice(["{x}"] * 5 + ["{K}: {x}", "[{x}]", "{U}", "{x}!", '{{"{k}": "{x}"}}', "{k}={x}", "-> {x}"]); w = r.choice(WHAT[k])
    def make(r): v = dict(n=name(r), c=city(r), d=r.choice(bank.DAYS), f=r.choice(bank.FOODS)); x = v[k]; return r.choice(ts).format(**v), form.format(x=x, k=w, K=cap(w), U=x.upper())
    return make, [f"Extract the {w}.", f"Find the {w} in each sentence.", f"Answer only with the {w}.", f"Which {w} is named?", f"Give the {w}, nothing else.", f"Pick out the {w}."]

# ---- questions whose answers have a form
def question(r):
    z = r.randrange(6)
    if z == 0: a, b = r.randrange(1, 30), r.randrange(1, 20); p = r.random() < .6 or b > a; return r.choice(["What is {x}?", "{x} = ?", "How much is {x}?"]).format(x=f"{a} {'+' if p else '-'} {b}"), str(a + b if p else a - b)
    if z == 1: x, c = r.choice(list(everyday.CAPITAL.items())); return f"What is the capital of {x}?", c
    if z == 2: x, c = r.choice(shots.COLOUR); return f"What color is {x}?" if x in ("snow", "milk", "grass", "coal", "blood", "chocolate", "spinach") else f"What color is {an(x) if x not in ('sun', 'sky', 'night') else 'the ' + x}?", c
    if z == 3: q, n, _ = r.choice(truths.COUNTED); return f"How many {q}?", str(n)
    if z == 4: a, b = r.choice(list(bank.OPP.items())); return f"What is the opposite of {a}?", b
    q, true = truths.question(r); return q, "yes" if true else "no"
def quiz_task(r):
    form = r.choice(["{s}", "{s}", "{s}", "{S}.", "{S}", "{S}.", "{U}", "{S}!", "({s})", "A: {s}", "Answer: {s}", "* {s}", '"{s}"', "{s}, sir", "It's {s}.", "{S}. Easy.", "{s} :)", "{S}. Next!", "Hm, {s}.", "I say {s}."]); kind = r.choice((0, 0, 1, 2))
    def make(r):
        while True:
            q, s = question(r)
            if not kind or (s.isdigit() if kind == 1 else s in ("yes", "no")): return q, form.format(s=s, S=cap(s), U=s.upper())
    return make, S("Answer shortly. / Answer in the form of the examples. / One word. / Only the answer. / You are in a quiz. Answer like before. / Short answers. / No full sentences.") if form in ("{s}", "{S}.", "{S}") else S("Answer in the form of the examples. / Answer like before. / Keep to this form.")
def constant_task(r):
    """Whatever is said, the answer stays the same, as the examples show."""
    x = r.choice(["pong", "polo", "OK", "Noted.", "Yes, captain.", "Moo", "hm", "I hear you.", "Beep", "no", "Next!", "Amen", "42", "Thanks!", "received", "ok, saved", "cheese", "Understood."]) if r.random() < .7 else r.choice(words.LOWER)
    us = [q for act in ("greet", "state") for q in S(SMALL[act])] + list(words.LOWER[::9])
    return (lambda r: (r.choice(us), x)), [f'Always answer "{x}".', f'Whatever the user says, reply with "{x}".']
SMALL = {"greet": "hello / hi / good morning / hey there / are you there? / good evening", "state": "I had a bad day. / I am tired. / It rains. / I bought a hat. / My cat sleeps. / I passed my test! / What is your name? / How are you? / Tell me a joke. / Can you help me? / Who are you? / I like tea. / I lost my key. / What time is it? / Let's talk. / I am hungry. / My dog is ill. / Thank you."}
def echo_task(r):
    """Talk as stuff to be put into a frame."""
    us = S(SMALL["greet"]) + S(SMALL["state"]) * 2
    t = r.choice(["You said: {s}", "> {s}", "{s} - noted", "User: {s}", '"{s}"', "[{s}]", "{U}", "{l}", "{s} {s}", "{s} Over.", "message: {s}", "{n} words", "{w}", "{W}", "**{s}**", "log: {l}", "{d}", "re: {l}"])
    def make(r): s = r.choice(us); ws = re.sub(r"[^\w' ]", "", s).split(); return s, t.format(s=s, U=s.upper(), l=s.lower(), n=len(ws), w=ws[0], W=ws[-1], d="-".join(ws).lower()).replace("1 words", "1 word")
    return make, {"{U}": S("Write it in capitals. / Upper case."), "{l}": S("Write it in small letters. / Lower case."), "{n} words": S("Count the words. / How many words?"), "{w}": S("Only the first word. / Say the first word."), "{W}": S("Only the last word. / Say the last word."), '"{s}"': S("Quote the message. / Put it in quotation marks."), "{s} {s}": S("Say it twice. / Repeat it two times."), "{d}": S("Make a file name of it. / Small letters and dashes.")}.get(t, [])

ASKED = ["What is {a}?", "What is {a}?", "Do you know {a}?", "Where is the {x}?", "Do you like the {x}?", "Tell me about the {x}.", "Who has the {x}?", "Can you see {a}?", "I like the {x}.", "How big is {a}?", "Why is there {a}?"]
ABOUT_IT = ["{A}. Simple.", "{A}, what else?", "The {x} says hello.", "{X}!", "{X}? {X}!", "It is {a}.", "{A} is {a}.", "Ask the {x}.", "{x}, {x}, {x}", "#{x}", "Ah, the {x}!", "Topic: {x}", "{U}", "[{x}]", "Long live the {x}!", "{A}? Of course.", "You ask about the {x}.", "One {x}, coming up!", "{X} it is.", "{f} like {x}", "Think of {a}.", "{x} -> yes", "My {x} is blue.", "No {x} today.", "about: {x}"]
def asked_task(r):
    """A question that has an answer of its own, and the form that the examples give it in place of that."""
    t = r.choice(ABOUT_IT); ask = [r.choice(ASKED)] if r.random() < .6 else ASKED
    def make(r): x = r.choice(sorted(bank.PLUR)); return r.choice(ask).format(a=an(x), x=x), t.format(x=x, a=an(x), A=cap(an(x)), X=cap(x), U=x.upper(), f=x[0].upper())
    return make, S("Answer in the form of the examples. / Answer like before.") if r.random() < .5 else []
CALLS = [tuple(x.split(":")) for x in "ping:pong,marco:polo,tick:tock,ding:dong,knock knock:who's there?,hip hip:hooray!,yin:yang,hey:ho,salt:pepper,thunder:lightning,ready?:steady!,flip:flop,zig:zag,see-:saw,aye:aye,up:down,left:right,who?:me!,one:two,bread:butter".split(",")]
def drill(r):
    """[(call, answer)]: a few calls that come again and again."""
    n = r.choice((1, 1, 2, 2, 3)); pairs = [p if r.random() < .7 else (r.choice(words.LOWER), r.choice(words.LOWER)) for p in r.sample(CALLS, n)]
    return pairs + [r.choice(pairs) for _ in range(r.choice((1, 2, 3)))]

# ---- rows that go on
def row(r):
    """(the beginning of a row, what comes next)"""
    z = r.randrange(9); n = r.choice((3, 3, 4)); k = r.randrange(1, 12); d = r.choice((1, 1, 2, 2, 3, 5, 10, 10)); sep = r.choice([", ", ", ", ", ", " ", " - "])
    up = [chr(65 + (k + i) % 26) for i in range(n + 1)] if k + n < 26 else list("ABCDE")[:n + 1]
    a, b = r.sample(words.LOWER, 2); days = (bank.DAYS * 2)[k % 7:k % 7 + n + 1]; months = (bank.MONTHS * 2)[k % 12:k % 12 + n + 1]
    xs = [[k * d + d * i for i in range(n + 1)], [f"{u}{i + 1}" for i, u in enumerate("ABCDE"[:n + 1])], up, days, months, [a, b, a, b, a, b][:n + 1], [f"{a} {i + k}" for i in range(n + 1)], [100 - d * (i + k % 5) for i in range(n + 1)], [k * 2 ** i for i in range(n + 1)]][z]
    if z == 1 and r.random() < .4: xs = [f"{i + 1}{u.lower()}" for i, u in enumerate("ABCDE"[:n + 1])]
    if z == 6 and r.random() < .4: xs = [f"{a}{'!' * (i + 1)}" for i in range(n + 1)]
    return sep.join(map(str, xs[:-1])), str(xs[-1]), sep
ROW_ASKS = ["{x}{s}?", "{x}{s}...", "What comes next: {x}?", "Follow the pattern: {x},", "Continue: {x}", "{x}, what comes next?", "Go on: {x} ...", "Which one is next? {x}", "Complete the row: {x}{s}?", "Next? {x}", "Continue the pattern: {x}", "What follows after {x}?", "{x}{s}___", "The next one, please: {x}"]
def row_turn(r): x, y, s = row(r); return r.choice(ROW_ASKS).format(x=x, s=s), y

# ---- dates and times
STYLES = ["{y}-{m:02}-{d:02}", "{d}.{m}.{y}", "{m}/{d}/{y}", "{M} {d}, {y}", "{d} {M} {y}", "{d:02}/{m:02}/{y}", "{d:02}.{m:02}.{y}", "{d} {B} {y}", "{y}/{m:02}/{d:02}", "{d}-{m}-{y}"]
def date_task(r):
    i, o = r.sample(STYLES, 2)
    if r.random() < .25: o = r.choice(["{y}", "{M}", "{d}", "{m}", "{B}"])
    twin = "{m}/{d}/{y}"
    def make(r):
        y, m, d = r.randrange(1950, 2031), r.randrange(1, 13), r.randrange(1, 29) if twin not in (i, o) else r.randrange(13, 29)
        v = dict(y=y, m=m, d=d, M=bank.MONTHS[m - 1], B=bank.MONTHS[m - 1][:3]); return i.format(**v), o.format(**v)
    eg = dict(y=2021, m=4, d=23, M="April", B="Apr")
    return make, [s.format(e=o.format(**eg)) for s in S("Write the date in the form {e}. / Convert the dates. Form: {e} / Dates as {e}, please. / Rewrite each date like {e}")]
TASKS = [Task(sentence_task, 10), Task(being_task, 6), Task(feeling_word, 3), Task(formal_task, 5), Task(order_task, 5), Task(switch_task, 4), Task(label_task, 16, 3, True), Task(rate_task, 3, 3, True), Task(look_up, 6, 2, told=True), Task(parts_of, 5), Task(table_task, 5), Task(named_task, 6), Task(record_task, 4, 2), Task(amount_task, 4), Task(extract_task, 6, 2), Task(quiz_task, 8, 2), Task(constant_task, 1.5, 3), Task(echo_task, 4), Task(asked_task, 5), Task(date_task, 4)]
