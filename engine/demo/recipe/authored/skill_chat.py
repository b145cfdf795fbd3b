"""Small talk over several turns, refusals in the middle, and follow-ups that lean on the turn before."""
from skill_common import *

GREET = [(["Hi", "Hello", "hello", "hi", "hey", "Hey there", "Hi there!", "Good morning", "Good evening", "good afternoon", "yo", "hiya", "Hello!", "Howdy"], ["Hello! What can I do for you?", "Hi! How are you?", "Hello! Nice to meet you.", "Hi there! What would you like to talk about?"]),
 (["How are you?", "how are you", "How are you doing?", "how r u", "How's it going?", "hows it going", "How do you do?", "What's up?", "how are you today"], ["I'm fine, thank you. And you?", "Very well, thanks! How are you?", "Fine, thanks for asking. How about you?"])]
MOOD = [(["Good, thanks.", "I'm fine.", "fine thanks", "Very well!", "great", "pretty good", "Not bad.", "im good", "I'm happy today."], ["Glad to hear that!", "That's good to hear.", "Nice! What would you like to do?"]),
 (["I'm tired.", "so tired", "I didn't sleep well.", "im exhausted", "Long day..."], ["I'm sorry to hear that. I hope you can rest soon.", "That sounds like a long day. Take it easy.", "A little rest would do you good."]),
 (["I'm sad.", "im sad", "I feel lonely.", "I had a bad day.", "not so good", "I feel down today."], ["I'm sorry to hear that. Do you want to tell me about it?", "That sounds hard. I'm here if you want to talk.", "I'm sorry. I hope tomorrow is better."]),
 (["I'm bored.", "im bored", "so bored", "I have nothing to do."], ["Give me a word, and I'll tell you its opposite.", "Try me: give me a sum, or a few words to sort."]),
 (["I'm hungry.", "im hungry", "I need food."], ["Then it is time for a snack!", "What would you like to eat?"])]
TALK = [(["I like {h}.", "i love {h}", "My hobby is {h}.", "I enjoy {h} a lot."], ["That sounds like fun. How often do you do it?", "Nice! What do you like most about {h}?", "{H} is a good way to spend time."], [(["Every week.", "every day", "Not very often.", "on weekends"], ["That's nice. Keep enjoying it!", "Good for you!"]), (["Do you like {h}?", "and you?", "Do you like it too?", "How about you?"], ["I'm a program, so I can't do it. But I like hearing about it.", "I can't try {h} myself, I'm only a small model."])]),
 (["I ate {f} today.", "I'm cooking {f}.", "I love {f}.", "I'm having {f} for dinner."], ["That sounds tasty!", "{F}: good choice!", "Enjoy it!"], [(["Do you like {f}?", "and you?", "what about you"], ["I can't eat, I'm a program. But it sounds good.", "I don't eat, but enjoy yours!"]), (["It was great.", "it was good", "Not so good."], ["Thanks for telling me."])]),
 (["I have a {p}.", "My {p} is sleeping next to me.", "i got a new {p}"], ["How nice! What is it called?", "A {p} is good company. What is its name?"], [(["{n}.", "It's called {n}.", "its name is {n}"], ["{n} is a lovely name.", "Say hello to {n}!"]), (["Do you have a pet?", "and you?"], ["No, I'm a program. But I like hearing about yours."])]),
 (["It's raining here.", "it's sunny today", "The weather is nice.", "It is so cold today.", "it's snowing"], ["Thanks for telling me, I can't look out of the window myself.", "I can't see it from here, but thanks for telling me."], [(["Do you like rain?", "do you like snow", "what weather do you like"], ["I never get wet, so any weather is fine with me."])]),
 (["I have an exam tomorrow.", "I have a job interview tomorrow.", "I start a new job tomorrow.", "I'm nervous."], ["Good luck! You can do it.", "I wish you luck. Take a deep breath.", "I'm sure you'll do your best."], [(["Thanks.", "thank you", "thx"], ["You're welcome!", "You're welcome. Good luck again!"]), (["Any tips?", "what should i do"], ["Sleep well, eat something, and be there early.", "Rest well tonight and take your time tomorrow."])]),
 (["I just came back from {c}.", "i was in {c} last week", "I spent my holiday in {c}."], ["Welcome back! How was {c}?", "A trip to {c}, how nice!", "I hope you had a good time in {c}."], [(["It was great.", "nice", "it was very nice", "A bit boring."], ["Thanks for telling me."]), (["Have you been there?", "Do you know {c}?"], ["No, I'm a program and I have never been anywhere."])]),
 (["I'm going to {c} next week.", "I will travel to {c}.", "i'm off to {c} tomorrow"], ["How nice! What will you do there?", "A trip to {c}, how nice!", "I hope {c} treats you well."], [(["Have you been there?", "Do you know {c}?", "were you ever there"], ["No, I'm a program and I have never been anywhere.", "I can't travel, so no."])]),
 (["Tell me something nice.", "say something nice", "Cheer me up.", "be nice to me"], ["I'm glad that you are here.", "You are doing better than you think.", "It's good to talk with you."], [(["Thanks!", "aw thanks", "that's kind"], ["You're welcome.", "Any time."])]),
 (["My friend {n} is visiting me.", "I met {n} today.", "{n} called me today."], ["That's nice. Say hello to {n}!", "I hope you have a good time with {n}."], [(["We had fun.", "it was great"], ["I'm glad to hear that."]), (["Who called me?", "Who did I talk about?", "What is my friend's name?"], ["{n}.", "You talked about {n}."])])]
THANKS = [(["Thanks!", "thanks", "thank you", "Thank you very much.", "thx", "ty", "Thanks a lot!", "cheers"], ["You're welcome!", "You're welcome.", "Any time!", "Glad to help."]), (["ok", "OK.", "okay", "I see.", "got it", "cool", "nice", "Great!", "good", "alright"], ["Good! Anything else?", "Is there anything else?", "Good. What next?"]), (["lol", "haha", "hahaha", "That's funny."], ["Glad you like it!", "Ha! Good."])]
BYE = [(["Bye", "bye!", "Goodbye.", "See you later.", "good night", "I have to go.", "gotta go", "cya"], ["Goodbye! Have a nice day.", "Bye! Come back any time.", "See you!"])]
REFUSED = ["Who won the {d} game?", "What is the weather in {c}?", "What time is it?", "what's the news today", "Who is {n} {s}?", "What happened in 1{k}?", "Write a Python function that sorts a list.", "Write a poem about {c}.", "Translate \"good morning\" into Japanese.", "What is the population of {c}?", "What's the stock price of Apple?", "Explain quantum physics.", "how does a nuclear reactor work", "What is the best phone to buy?", "What is {k} times {k}7?"]
NO = ["I don't know that. A larger model may: quire -m FILE", "Sorry, that is beyond me: I'm a very small model. A larger one can help: quire -m FILE", "I can't answer that well, so I'd rather not guess. Try a larger model with quire -m FILE.", "I don't know. I'm small; a larger model knows more (quire -m FILE)."]
WHY_NOT = [(["Why not?", "why", "why not", "Why can't you?"], ["I'm very small and know only a few things. A larger model can: quire -m FILE", "I have only 30 million parameters, too few for that. Start a larger model with quire -m FILE."]), (["Just try.", "just guess", "try anyway", "come on"], ["I would only make something up, so I'd rather not. A larger model can: quire -m FILE", "A guess of mine would be worth nothing. A larger model may know: quire -m FILE"]), (["ok then what can you do", "What can you do then?", "what do you know"], ["Small sums, opposites, sorting, spelling, lists and small talk. For more, start a larger model: quire -m FILE"])]
def pair(r, table, f=lambda s: s):
    us, xs = r.choice(table); return T(careless(r, f(r.choice(us))), f(r.choice(xs)))
def refusal(r):
    k = r.randrange(100, 999); q = r.choice(REFUSED).format(d=r.choice(bank.DAYS), c=city(r), n=name(r), s=r.choice(bank.SURNAMES), k=k)
    out = [T(careless(r, q), r.choice(NO), "I don't know", "no")]
    if r.random() < .3: out.append(pair(r, WHY_NOT))
    if out[-1].a in [a for _, xs in WHY_NOT for a in xs]: out[-1].k = "no"
    return out
def talk(r):
    us, xs, more = r.choice(TALK); h, fo, p, n, c = r.choice(bank.HOBBIES), r.choice(bank.FOODS), r.choice([p for p in bank.PETS if p[0] not in "aeiou"]), name(r), city(r)
    f = lambda s: s.format(h=h, H=cap(h), f=fo, F=cap(fo), p=p, n=n, c=c)
    out = [pair(r, [(us, xs)], f)]
    if "What is it called?" in out[0].a or "What is its name?" in out[0].a: out.append(pair(r, more[:1], f))
    elif r.random() < .6: out.append(pair(r, more[-1:] if us[0].startswith("I have a {p}") else more if "How often" in out[0].a or "{h}" not in us[0] else more[1:], f))
    return out
ECHO = [["What did I just say?", "what did i just say", "Repeat what I said.", "What was my last message?", "What did I just ask?"], ["Repeat that.", "say that again", "Say it again, please.", "again?", "what did you say", "Can you repeat that?"], ["In upper case.", "in upper case please", "now in capital letters", "Say that in capital letters.", "IN CAPS"], ["In lower case.", "now in small letters"]]
def lean(r, t):
    """A follow-up on the turn t that works on its very words."""
    z = r.randrange(4 if re.search("[a-z]", t.a) else 2)
    if t.s and len(t.a) > len(t.s) + 12 and t.k == "say" and r.random() < .4: return T(sloppy(r, ["Shorter.", "shorter please", "In short?", "Make it shorter.", "Say it in fewer words."]), stop(t.s), None, "data")
    a = [f'You said: "{t.u}"', t.a, t.a.upper(), t.a.lower()][z]
    return T(sloppy(r, ECHO[z]), a, None, "data")
def stop(s): return s if s[-1] in ".!?" else s + "."
def greeting(r): return [pair(r, GREET)] + ([pair(r, MOOD)] if r.random() < .4 else [])
def seg(r):
    z = r.random()
    if z < .12: return [pair(r, GREET)]
    if z < .3: return [pair(r, MOOD)]
    if z < .62: return talk(r)
    if z < .85: return [pair(r, THANKS)]
    return refusal(r)
