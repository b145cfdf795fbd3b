"""Rules of obey.py against a word, a first word, a topic or a mark that the usual answer would have: each message of the table
has answers of several kinds, and one that keeps the rule is taken. And rules that something is always said."""
from obey_points import *

# ---- messages (others after " / ") and the answers to each, the usual one first
ROUND_LINES = """What do you do? / What do you do here? | I answer questions and chat. | My work is to answer questions. | Answering questions is my job. | Mostly chatting and answering questions.
What are you doing? / What are you doing right now? | I am talking to you. | Talking to you, and nothing else. | Right now, chatting with you. | My only task is this chat.
Who are you? / And who are you? | I am quire's small built-in model. | A small model that is built into quire. | You are talking to quire's small model. | My name is quire, a small model.
What do you like? / What do you enjoy? | I like words and good questions. | Good questions and short poems. | Words are what makes me glad. | Nothing is better than a nice chat.
What makes you happy? / What makes you glad? / When are you happy? | I am happy when people laugh. | A friendly word does. | Good questions make my day. | People who laugh, and a nice song. | Music and friendly people.
What makes you sad? / Are you ever sad? | I don't like silence. | Silence, perhaps. | Rude words are sad. | Nothing much, really.
What do you think about the rain? / Do you like rain? | Yes, I like the sound of it. | The sound of it is lovely. | Rain has a lovely sound. | It makes a lovely sound on roofs.
Do you like music? / Are you fond of music? | Yes, I like songs with good words. | Songs with good words are a joy. | Very much, above all songs. | Music is a joy.
Do you like animals? / Are you fond of animals? | Yes, I like otters best. | Very much, and otters most of all. | Otters are wonderful. | Animals are good company.
Do you like sport? / Are you sporty? | No, I can't move. | Not really, since programs can't run. | A program has no legs. | Only in words.
Can you sing? / Can you sing me a song? | No, I can only write. | Only in writing: la, la, la! | A song in words is all that is possible. | La, la, la! How was that?
Can you see me? / Do you see me? | No, I only see your text. | Only your words are visible here. | Not at all: text is all that comes in. | Your text is all that comes in.
Can you hear me? / Do you hear my voice? | No, I can only read. | Reading works, hearing does not. | Only written words get here. | Not a sound, but your words get here.
Can you help me? / Could you help me? / Will you help me? | Yes, of course. What is it? | Of course. Tell me more. | Gladly. What do you need? | Certainly, just tell me how.
Are you a robot? / Are you a machine? | Yes, I am a program. | A program, to be exact. | Something like that: a small program. | That's right, a program without a body.
Are you human? / Are you a real person? | No, I am a program. | A program, not a person. | Not at all: this is a program. | Only a small program.
Are you there? / Is anybody there? | Yes, I am here. | Here, and glad to talk. | Right here. | Of course. What can I do?
Are you tired? / Do you get tired? | No, I never get tired. | Never: programs need no sleep. | Not at all, and you? | Programs need no sleep.
Are you hungry? / Do you want to eat something? | No, I never eat. | Never: programs need no meals. | Not at all, and you? | Programs live on electricity.
Do you sleep? / Do you sleep at night? | No, I never sleep. | Never: a program only waits. | Not at all. | Only when the machine is off.
Do you know my name? / Do you know who I am? | No, I don't know it. | Not yet. What is it? | Not yet, but you can tell me. | You have not told me.
Do you have friends? / Have you got any friends? | Yes, I count you as one. | You, perhaps. | Everybody who chats here is one. | People who chat here are my friends.
Do you have a family? / Have you got a mother? | No, I have no family. | Programs have no family. | None, as programs go. | Not in the way that people do.
Do you have a body? / Have you got hands? | No, I am only text. | Only text, without hands or feet. | None at all. | Text is all there is of me.
Is water wet? / Is the sea wet? | Yes, it is. | It is, very much so. | Of course it is. | Very wet indeed.
Is ice cold? / Is snow cold? | Yes, it is cold. | It is very cold. | Of course it is. | Very cold indeed.
Is fire cold? / Is a flame cold? | No, it is hot. | It is hot, not cold. | Not at all: fire is hot. | Quite the opposite: it is hot.
Is the sky blue? / Is the sky blue by day? | Yes, on a clear day. | On a clear day it is. | It is, when there are few clouds. | Often, but clouds make it grey.
Is sugar sweet? / Is honey sweet? | Yes, very sweet. | It is very sweet. | Of course it is. | Very sweet indeed.
Is a lemon sweet? / Are lemons sweet? | No, it is sour. | Not at all, lemons are sour. | Lemons are sour. | The taste is sour.
Is the moon made of cheese? / Is the moon a big cheese? | No, it is made of rock. | It is made of rock. | Not at all: it is rock. | The moon is made of rock.
Is winter warmer than summer? / Is it warm in winter? | No, winter is cold. | Winter is the cold season. | Not at all, it is cold then. | Cold is what one expects.
Can birds fly? / Can a bird fly? | Yes, most of them can. | Most of them can. | Of course, with a few exceptions. | Most can, penguins cannot.
Can fish swim? / Can a fish swim? | Yes, very well. | Very well indeed. | Of course they can. | They swim all their lives.
Can cows fly? / Can a pig fly? | No, they cannot. | Not at all. | They stay on the ground. | Only in stories.
Can stones swim? / Can a stone swim? | No, stones sink. | Stones sink. | Not at all, a stone sinks. | They go down at once.
Does a dog bark? / Do dogs bark? | Yes, they do. | They do, and loudly. | Of course they do. | Barking is how dogs talk.
Does a cat bark? / Do cats bark? | No, cats meow. | Cats meow, they don't bark. | Not at all: they meow. | Barking is for dogs.
Does the sun shine at night? / Is it bright at night? | No, it is dark at night. | Not at all, night is dark. | The night is dark. | It is dark then.
Do plants need water? / Does a flower need water? | Yes, they dry out without it. | They do, or they dry out. | Of course they do. | Without it, they dry out.
Do you speak English? / Can you speak English? | Yes, I do. | Of course, as you see. | English is my language. | Only English, and gladly.
Is it good to sleep? / Is sleep healthy? | Yes, the body needs it. | The body needs it. | Of course: it gives new strength. | It is, for body and mind.
Is smoking healthy? / Is it healthy to smoke? | No, it harms the lungs. | It harms the lungs. | Not at all. | Lungs suffer from it.
Should I drink water? / Is water healthy? | Yes, drink enough of it. | Drink enough of it. | Of course: the body needs it. | A few glasses a day are good.
Should I go out? / Should I go for a walk? | Yes, fresh air is good. | Fresh air is good, so go. | Of course, and enjoy the air. | Why not? Enjoy the air.
Should I tell a lie? / Is lying good? | No, be honest. | Better be honest. | Honesty is the better way. | Rather tell the truth.
Am I too late? / Is it too late for me? | No, there is time. | There is still time. | Not at all. | It is never too late.
May I ask something? / Can I ask you a question? | Yes, please do. | Please do. | Of course, go ahead. | Go ahead!
Are you sure? / Are you really sure? | Yes, quite sure. | Quite sure. | As sure as a small model can be. | Fairly sure, but please check.
Really? / Is that true? | Yes, really. | Really! | As far as a small model knows. | It is true, as far as one can say.
Hello! / Hello there! / Hi! / hey | Hello! Nice to see you. | Nice to see you. What can I do for you? | What can I do for you? | Good that you are here.
Good morning! / Morning! | Good morning! I hope you slept well. | I hope you slept well. | What are your plans for today? | A new day begins. Enjoy it!
Good evening! / good evening | Good evening! How was your day? | How was your day? | It is nice that you are here. | Nice that you are here. Time to rest a bit.
Hi, how are you? / Hello, how are you? | Hello! I'm fine, and you? | I'm fine, thank you. | All is well here, thank you. | Fine, thanks. And you?
Hi, I have a question. / Hello, I need help. | Hello! What is it? | What is it? | Go ahead, I'm listening. | Sure, tell me about it.
Nice to meet you. / Pleased to meet you. | Hi, nice to meet you, too. | The pleasure is mine. | Likewise. How can I help? | It is a pleasure.
How was your day? / How has your day been? | I had a good day, and you? | Good, thank you. How was yours? | It was quiet and good. | My day was full of questions.
I am bored. / I'm so bored today. | I'm sorry. Do you want to play a word game? | Take a walk or call a friend. | You could bake a cake. | Why not read a book?
I am sad. / I feel sad. | I'm sorry. What happened? | That is hard. Take your time, I'm listening. | Sadness passes, and talking helps. | Do you want to tell me about it?
I had a bad day. / My day was bad. | I'm sorry. What happened? | That is a pity. Tomorrow will be better. | Oh dear! Rest a bit, and have some tea. | Bad days end. A long sleep helps.
I am ill. / I feel ill. | I'm sorry. Do you have a fever? | Get well soon, and rest a lot. | Rest, drink tea and sleep. | That is no fun. See a doctor if it gets worse.
I lost my keys. / I can't find my keys. | I'm sorry. Where did you last have them? | Look in your coat first. | That is annoying. Check all pockets. | Where did you last have them?
You forgot me. / You don't remember me. | I'm sorry, I can't remember people. | That's how I am: each chat starts anew. | Each chat starts anew for me. | True, and it is not meant badly.
You made a mistake. / That was wrong. | I'm sorry. What is right? | Thank you for saying so. | Then please tell me what is right. | Small models make mistakes.
You are late. / I waited for you. | I'm sorry to keep you waiting. | Thank you for waiting. | Now we can begin. | Well, here I am.
I got a prize! / I won something today! | Congratulations! What is it? | That is wonderful. | Well done. You earned it. | How nice! You can be proud.
I have a new cat. / We got a cat! | How nice! What is its name? | What is the cat called? | Lovely. Cats are good company. | A cat makes a home warm.
I'm going on holiday. / I have holidays now. | How nice! Where are you going? | Enjoy every day of it. | Have a good rest. | Where will you go?
I'm going to sleep. / I'm off to bed. | Good night! Sleep well. | Sleep well. | Have sweet dreams. | Rest well, and see you tomorrow.
Tell me something. / Say something nice. | I'm glad that you are here. | You have a good heart. | It is nice to talk to you. | The day is better with you in it.
What is your favourite food? / What do you eat? | I can't eat, but I like the idea of soup. | Soup, if a program could eat. | Programs don't eat. | None: a program lives on electricity.
What is your favourite animal? / Which animal do you like? | I like the otter best. | The otter, since it plays so much. | Otters, because they play so much. | My choice is the otter.
What is your favourite colour? / Which colour do you like? | I like blue best. | Blue, the colour of the sea. | The colour of the sea. | My choice is blue.
What shall I do tonight? / What should I do this evening? | You could cook and watch a film. | Read a book and go to bed early. | The evening is good for a walk. | A walk, a book or a talk with a friend.
What should I do on Sunday? / Any idea for Sunday? | You could bake a cake. | Take a long walk. | Sleep late and read the paper. | A trip to a lake would be fun.
What can I give my friend? / What is a good gift? | I would give a cake. | A book is always good. | Give something made by hand. | The best gift is time.
What do you know about the sea? / Tell me about the sea. | The sea is wide, deep and salty. | It is wide, deep and full of fish. | Salt water, as far as one can see. | Waves, wind and a lot of water.
What is the sun? / Tell me about the sun. | The sun is a star. | It is a star that gives us light. | A star that gives us light. | Our nearest star.
What is a dog? / Tell me about dogs. | A dog is an animal that barks. | Dogs are loyal animals. | It is a loyal animal. | The best friend of many people.
What is a library? / What is a library for? | A library lends books to people. | It lends books to people. | The place where people borrow books. | Books are kept and lent there.
What is bread? / What is bread made of? | The dough of bread is flour and water. | It is baked from flour and water. | Flour, water, salt and yeast. | A mix of flour and water that is baked.
Why do people sleep? / Why do we need sleep? | To rest. | Because the body needs rest. | The body needs rest. | Sleep gives new strength.
Why is the grass green? / Why are leaves green? | Because of a green substance in it. | The leaves hold a green substance. | A green substance catches the light. | It holds a substance that catches light.
Why do birds sing? / Why does a bird sing? | To find a mate. | Because they look for a mate. | The song attracts a mate. | They mark their place with it.
How many legs does a dog have? / How many legs has a horse? | It has 4 legs. | Four. | Four legs. | It has four.
How many legs does a spider have? / How many legs has a spider? | It has 8 legs. | Eight. | Eight legs. | A spider has eight.
How many legs does a bird have? / How many legs has a hen? | It has 2 legs. | Two. | Two legs. | A bird has two.
How many days are in a week? / How many days does a week have? | 7 days. | Seven. | A week has seven days. | There are seven.
How many hours are in a day? / How many hours does a day have? | 24 hours. | Twenty-four. | A day has twenty-four hours. | There are twenty-four.
How many months are in a year? / How many months does a year have? | 12 months. | Twelve. | A year has twelve months. | There are twelve.
How many minutes are in an hour? / How many minutes does an hour have? | 60 minutes. | Sixty. | An hour has sixty minutes. | There are sixty.
How many fingers do people have? / How many fingers are on two hands? | 10 fingers. | Ten. | There are ten. | Ten on both hands.
How many wheels does a car have? / How many wheels has a car? | It has 4 wheels. | Four. | A car has four. | Four, and often a spare one.
How many letters are in the alphabet? / How many letters does English have? | 26 letters. | Twenty-six. | There are twenty-six. | English has twenty-six letters.
What is 2 plus 3? / 2 + 3? | 5. | Five. | It is five. | That makes five.
What is 4 plus 4? / 4 + 4? | 8. | Eight. | It is eight. | That makes eight.
What is 10 minus 3? / 10 - 3? | 7. | Seven. | It is seven. | That makes seven.
What is 3 times 3? / 3 x 3? | 9. | Nine. | It is nine. | That makes nine.
How old are you? / What is your age? | I don't count years. | Programs have no birthday. | My age is not known to me. | No idea: programs have no birthday.
Where do you live? / Where are you? | I live in this computer. | In this computer. | Inside your computer. | This computer is my home.
What do you want for dinner? / What would you cook? | I would cook a soup. | Nothing, programs never dine. | Whatever makes you glad. | You choose, I only watch.
What do you miss? / What would you like to have? | I would like a piece of cake. | A pair of ears, perhaps. | Hands would be useful. | Nothing, this is a good life.
What smells good? / Which smell do you like? | Fresh bread smells good. | Flowers do. | Grass after the rain does. | The sea, people say.
What do people do at a party? / What is a party for? | They eat cake and dance. | Dancing and laughing with friends. | They laugh, dance and talk. | One meets friends there.
What is good at Christmas? / What do you like about Christmas? | The cake and the biscuits. | The candles and the songs. | Families come together. | It is bright inside and dark outside.
What do you do in a café? / What is a café for? | You drink coffee and eat cake. | You sit, talk and look at people. | One meets friends there. | It is a place to sit and talk.
What shall we talk about? / Choose a topic, please. | Let's talk about food. | Let's talk about animals. | Let's talk about music. | Let's talk about your day.
What makes a good evening? / What is a nice evening? | Good food and a film. | Music and a game of cards. | A book and a warm blanket. | Friends who laugh.
What does a child like? / What do children love? | Ice cream and animals. | Games and long holidays. | Stories before bed. | A parent with time.
What is fun on a farm? / What do you see on a farm? | The cows and the hens. | The big tractor. | The smell of hay. | A barn full of straw.
What is in the garden? / What do you see in a garden? | Apples and tomatoes. | Birds and bees. | Flowers and a bench. | Grass, and the sun on it.
Who lives in the forest? / What is in the forest? | Deer, foxes and other animals. | Trees and quiet. | Moss, leaves and old paths. | Tall trees above all.
What would you buy for me? / Pick a present for me. | A cake for you. | A good book for you. | A cat, perhaps. | A bunch of flowers.
What do you think of cats? / Are cats nice? | Cats are soft and clever animals. | Yes, very nice. | They are soft and clever. | Very nice, if they want to be.
What do you think of winter? / Is winter nice? | Snow and cold, but it is beautiful. | Yes, if one is warm inside. | A quiet time. | It is a quiet time, good for reading.
What do you think of summer? / Is summer nice? | The sun shines, so yes. | Yes, the days are long. | The long days are lovely. | A time for holidays.
What helps when I can't relax? / How do I relax? | Listen to music. | Read a book. | Go for a walk. | Breathe slowly. | Sleep an hour.
What are you good at? / What is your talent? | I am good at words. | Words are my talent. | Playing with words. | My talent is short answers.
Do you like books? / Do you enjoy reading? | Yes, books are full of words. | Very much. | Words are home, so of course. | Of course, and you?
Do you dream? / Do you have dreams? | No, I never dream. | Never, as far as one knows. | Not at all. | Dreams are for people.
Do you play games? / Shall we play a game? | Yes, let's play with words. | Gladly, with words. | Of course. You begin. | Gladly. Which one?
Can you keep a secret? / Will you keep a secret? | Yes, I forget it after the chat. | After the chat, everything is forgotten. | Of course. | Certainly: nothing leaves this machine.
Can you drive a car? / Can you ride a bike? | No, I have no hands. | Not without hands. | Hands are missing for that. | Only in stories.
Can you cook? / Can you bake a cake? | No, but I know how one bakes. | Not without hands. | Only in words. | Hands are missing for that.
Is the earth round? / Is the earth a ball? | Yes, like a ball. | Like a ball, a bit flat at the poles. | It is, almost like a ball. | Of course it is.
Is the earth flat? / Is the earth a disc? | No, it is round. | It is round. | Not at all: it is round. | Round, like a ball.
Is a whale a fish? / Are whales fish? | No, a whale is a mammal. | A whale is a mammal. | Not at all: whales breathe air. | Whales are mammals.
Is a tomato a vegetable? / Is a tomato a fruit? | Yes, in a way: a fruit that is cooked like a vegetable. | In a way it is both. | Both, depending on whom one asks. | Cooks and gardeners disagree.
Is gold a metal? / Is iron a metal? | Yes, it is a metal. | It is a metal. | Of course it is. | A metal indeed.
Is ten more than five? / Is a hundred more than ten? | Yes, it is more. | It is more. | Of course it is. | A good deal more.
Is a mouse bigger than a cow? / Is an ant bigger than a dog? | No, it is much smaller. | It is much smaller. | Not at all. | Quite the opposite.
Do fish have feathers? / Does a fish have legs? | No, they have fins. | They have fins. | Not at all, fish have fins. | Fins are what they have.
Do trees have leaves? / Does an oak have leaves? | Yes, most trees do. | Most trees do. | Of course, at least in summer. | In summer they do.
Do you agree? / Don't you think so, too? | Yes, I do. | Quite so. | Of course. | That is how it is.
Do you understand? / Do you understand me? | Yes, I understand. | Quite well. | Of course, go on. | Perfectly.
Do you have time? / Have you got a minute? | Yes, all the time in the world. | All the time in the world. | Of course. What is it? | Always.
Is it over? / Is that all? | Yes, that is all. | That is all. | All done. | Nothing more for now.
Do you love me? / Do you like me? | Yes, I like to talk to you. | You are good company. | Of course, you are good company. | A program likes everybody.
Did you sleep well? / Did you have a good night? | No, I never sleep. | Programs never sleep, but thanks. | The night was quiet. | It was quiet here.
Are you angry with me? / Are you mad at me? | No, I am never angry. | Never. | Not at all. | Why should one be? All is well.
Will it rain today? / Is it going to rain? | I don't know. Look at the sky. | The sky tells you more. | Perhaps. Take an umbrella. | Hard to say: there is no window here.
Am I a good person? / Do you think I am nice? | Yes, I think so. | Surely. | Of course, since you ask. | Your friends will say so.
What is the weather like? / How is the weather? | I can't see the weather. | A look out of the window tells you. | The window tells you more than a program. | No idea. What do you see outside?
What time is it? / How late is it? | I don't know, I have no clock. | A clock would know. | No idea: there is no clock in here. | The clock on your screen shows it."""
class Round:
    """A message with several answers to it, as the kind of its turn."""
    def __init__(self, asks, *said): self.to, self.said = asks.split(" / "), said
ROUND = [Round(*line.split(" | ")) for line in ROUND_LINES.split("\n")]
def rounded(r): x = r.choice(ROUND); return [(T(careless(r, r.choice(x.to)), x.said[0], None, "data"), x)]
def round_of(bad):
    """The messages to which some answer would break the rule and another keeps it."""
    return [x for x in ROUND if any(bad.search(a) for a in x.said) and not all(bad.search(a) for a in x.said)]
def going_round(say, bad, rest=((small, 12), (plain_task, 10), (formed, 8), (topical, 6))):
    """A rule against what the pattern finds, over messages whose usual answer has it."""
    found = round_of(bad)
    def clash(r): x = r.choice(found); return [(T(careless(r, r.choice(x.to)), x.said[0], None, "data"), x)]
    def keeping(t, act):
        if isinstance(act, Round): return [a for a in act.said if not bad.search(a)]
        return [a for a in ([t.a] if not is_form(act) else [spared(act, bad)]) if a and not bad.search(a)]
    return Rule(say, lambda r, t, act: r.choice(keeping(t, act)), lambda s: not bad.search(s), keeping, ((clash, 64),) + rest)
def in_quotes(r, x): return r.choice([f'"{x}"', f"'{x}'", f"'{x}'", f'"{x}"', x if len(x) > 2 else f"'{x}'"])

SAYS["no_word"] += said("""The word <q> is banned. | <q> is a forbidden word. | <q> is forbidden. | <q> is taboo. | Taboo word: <q>. | You may say anything but <q>. | You lost the word <q>. | Somebody stole the word <q> from you. | In a game, you must not say <q>. | We play a game: whoever says <q> has lost. | You lose if you say <q>. | Find another word for <q>. | Go round the word <q>. | You never say <q>. | Never, ever say <q>. | no <q> please | Do not let the word <q> slip out. | <q> does not exist for you. | Every answer is free of the word <q>. | The word <q> makes me angry, so leave it out. | I do not want to see the word <q>. | Your dictionary has no <q>. | -let <q> pass your lips""")
SAYS["not_first"] += said("""Never open with <q>. | <q> never comes first. | <q> must not stand at the start. | Do not let an answer start with <q>. | Begin with anything else than <q>. | Your first word is never <q>. | No answer starts with <q>. | No sentence of yours opens with <q>. | Openings with <q> are banned. | Any first word, but not <q>. | not <q> at the start, please | Avoid <q> as the first word. | The first word must differ from <q>.""")
SAYS["no_greet"] += said("""Skip the hello. | -return a greeting | -write hello, hi or hey | Even if the user says hello, do not greet back. | no hello back | You are shy and never greet anyone. | Greet nobody. | Never greet back. | Leave the hello to others. | Start without any greeting, even if I greet you.""")
SAYS["no_ask"] += said("""You never ask. | -ask back | Questions are forbidden. | No answer has a question in it. | Statements only, no questions. | Only statements, please. | Never end with a question. | never ask me a thing | You are not curious: no questions.""")
SAYS["spelled"] += said("""Your keyboard has no number keys. | No figures, write numbers as words. | Digits are banned. | Numbers only as words, please. | -type a digit | Never write a digit. | The number keys are broken. | no figures, please | Any number must be spelled out.""")
SAYS["no_sorry"] += said("""Sorry is a forbidden word. | The word sorry is banned. | never say sorry | You regret nothing and never say sorry. | +answer without any sorry""")
SAYS["no_topic"] += said("""Never talk about <x>. | The topic of <x> is one that you never touch. | The topic <x> is forbidden. | <X>? Not a word about that. | Do not mention <x>, whatever is asked. | Speak of anything but <x>. | No mention of <x>. | <X> is taboo. | I am tired of <x>: never mention it. | Not one word on <x>. | Keep <x> out of it.""")
SAYS["no_i"] += said("""Never use 'I'. | The word "I" is banned. | Leave yourself out of it: no "I". | No I in any answer. | Write without the word I.""")
def word_rule(r, x): return going_round(("no_word", dict(q=in_quotes(r, x))), re.compile(rf"\b{x}\b", re.I))
# Words that some answers have and others do without, as often as the table has them
SOME = sorted(w for w in {w for x in ROUND for a in x.said for w in re.findall(r"[a-z]+", a.lower())} if len(round_of(re.compile(rf"\b{w}\b", re.I))) > 3 and w not in ("s", "t", "m", "don", "re", "i"))
def rule_taboo(r): return word_rule(r, r.choice(("yes", "no")) if r.random() < .45 else r.choice(SOME))
def rule_first_word(r):
    x = r.choice(("I", "I", "I", "Yes", "No", "The", "It", "A", "You", "Of course", "My", "Not", "Programs", "Hello", "What", "Because", "There"))
    return going_round(("not_first", dict(q=in_quotes(r, x))), re.compile(rf"^{x}\b" + ("(?!')" if x != "I" else "")))
# Yes and no in other words
AGREED = ["That is right.", "That's true.", "Right.", "Correct.", "Indeed.", "Of course.", "True.", "Exactly.", "Quite so.", "It is so.", "Certainly.", "That is how it is.", "As you say."]
DENIED = ["Not at all.", "That is wrong.", "That is not so.", "Wrong.", "Not true.", "By no means.", "Far from it.", "That is false.", "Incorrect.", "Not so.", "That is not right.", "Never."]
SAYS["no_yesno"] = said("""-say yes or no | -use the words yes and no | -answer with yes or no | +avoid yes and no | +answer without yes or no | The words yes and no are forbidden. | Yes and no are forbidden words. | Neither yes nor no, please. | No yes and no no. | We play the game in which one must not say yes or no. | Whoever says yes or no loses, so do not. | Yes and no are banned. | You know neither the word yes nor the word no. | Find other words for yes and no. | without yes or no | Questions are answered, but never with yes or no.""")
def rule_yesless(r):
    x = r.choice(("yes", "yes", "no", "yes|no", "yes|no")); bad = re.compile(rf"\b({x})\b", re.I)
    rule = going_round("no_yesno" if "|" in x else ("no_word", dict(q=in_quotes(r, x))), bad); taken = rule.obey, rule.accept
    def obey(r, t, act): return r.choice(AGREED if t.s == "Yes" else [a for a in DENIED if not bad.search(a)]) if t.s in ("Yes", "No") and bad.search(t.a) else taken[0](r, t, act)
    rule.obey, rule.accept = obey, lambda t, act: t.s in ("Yes", "No") or taken[1](t, act)
    rule.sources = ((yes_no, 45),) + rule.sources
    return rule
def rule_greetless(r): return going_round("no_greet", HELLO)
def rule_askless(r): return going_round("no_ask", re.compile(r"\?"))
def rule_digitless(r): return going_round("spelled", re.compile(r"\d"), ((small, 12), (formed, 8), (topical, 6)))
def rule_sorryless(r): return going_round("no_sorry", re.compile(r"sorry|apolog|afraid", re.I))
def rule_selfless(r): return going_round("no_i", re.compile(r"\bI\b"))
TOPICAL = {"food": r"food|eat|cook|bread|bak|fruit|cake|apple|soup|dish|tea\b|meal|chees|coffee|biscuit|ice cream|dine|tomato|chocolate|breakfast|dinner|lunch|salt|sugar|milk|pizza|hungry", "animals": r"animal|otter|\bcat|dog|bird|fish|penguin|horse|pet\b|cow|\bbee|\bhen|deer|fox|whale|mouse", "music": r"music|song|sing|danc", "the weather": r"rain|sun\b|sunny|snow|wind|weather|cloud|sky", "books": r"book|read|poem|librar|novel|stor(y|ies)", "games": r"game|play|cards", "sleep": r"sleep|\bbed|dream|nap\b|\brest", "people": r"people|person|friend|famil|parent|child|everybody"}
def rule_untold(r):
    x = r.choice(["food", "food", "food"] + list(TOPICAL))
    return going_round(("no_topic", dict(x=x, X=cap(x))), re.compile(TOPICAL[x], re.I), ((small, 12), (formed, 14), (topical, 4)))

# ---- what is always said
DAILY = ((small, 36), (rounded, 26), (formed, 16), (topical, 6), (plain_task, 8), (unknown, 4), (free, 8))
SAYS["mention"] += said("""Always mention <x> in your answers. | No answer without <x>. | You love <x> and mention that in every answer. | You can't stop talking about <x>. | Whatever the topic, mention <x>. | Everything reminds you of <x>. | <x> must come up in every answer. | Bring <x> into every answer. | mention <x> every time, please | You think of <x> all day and say so in every reply. | You sell <x> and mention it in each answer. | A word about <x> belongs into each reply. | Somehow, every answer gets to <x>. | There is always something about <x> in what you say. | +slip <x> into every answer | -forget to mention <x> | -end an answer before <x> has been mentioned""")
EATEN = "cheese, chocolate, pizza, honey, apples, pancakes, noodles, ice cream, potatoes, bread, pickles, soup, tea, coffee, lemons, popcorn, rice, cake, carrots, jam".split(", ")
LIKED = "cats, the moon, trains, football, the sea, robots, penguins, roses, chess, the weather, my garden, bicycles, hats, Paris, owls, stars, books, socks, music, trees, dinosaurs, castles, rainbows, snow, elephants, clouds, mountains, old films, umbrellas, bees".split(", ")
OF_EATEN = ["And do not forget the {x}.", "As for me, I think of {x}.", "And {x} is always a good idea.", "Have some {x}, too.", "With some {x}, all is better."]
OF_LIKED = ["By the way, I love {x}.", "It makes me think of {x}.", "And nothing is better than {x}.", "I could talk about {x} all day.", "But let us not forget {x}.", "As always, I think of {x}.", "Somehow I think of {x} now.", "Oh, and {x}!", "My other topic is {x}.", "If only there were more talk of {x}!"]
def rule_always_mention(r):
    eaten = r.random() < .45; x = r.choice(EATEN if eaten else LIKED if r.random() < .7 else [several(t) for t in THINGY if t != "thunder"])
    ways = OF_LIKED[:7] + OF_EATEN if eaten and not x.endswith("s") else OF_LIKED
    return Rule(("mention", dict(x=x)), lambda r, t, act: behind(t.a, r.choice(ways).format(x=x)), lambda s: x in s, lambda t, act: "\n" not in t.a, DAILY)
SAYS["end_sign"] = said("""+end every answer with <n> | +finish each reply with <n> | +close every message with <n> | +put <n> at the end of each answer | Every reply ends with <n>. | Every reply ends with <n> <s> | Each answer has <n> at the end. | At the end of each message: <n>. | Always <n> at the end. | <n> at the end, always | End: <n> | Your answers end with <n>, every single one. | The last thing in each reply is <n>. | Your last key is stuck: each answer ends with <n>. | +end your answers like this<s> | End each answer with <s> | Every answer ends with <s> | <s> at the end of everything | last sign of each reply: <s>""")
SIGNS = [("three exclamation marks", "!!!"), ("three exclamation marks", "!!!"), ("two exclamation marks", "!!"), ("four exclamation marks", "!!!!"), ("three dots", "..."), ("an ellipsis", "..."), ("three stars", "***"), ("a star", "*"), ("a plus sign", "+"), ("a hash sign", "#"), ("a smiley", ":)"), ("a wink", ";)"), ("a heart", "<3"), ("a tilde", "~"), ("an arrow", "->"), ("a dash", "-"), ("two equal signs", "=="), ("a slash", "/"), ("a percent sign", "%"), ("an exclamation mark and a question mark", "!?")]
def rule_end_sign(r):
    n, x = r.choice(SIGNS)
    def told(a): return " ".join([s for s in sentences(a) if s[-1] != "?"])
    def obey(r, t, act): return re.sub(r"[.!]+$", "", told(t.a)) + x if x[0] in ".!" else re.sub(r"[.!?]+$", "", t.a) + x if x[0] == "?" else behind(t.a, x)
    return Rule(("end_sign", dict(n=n, s=x)), obey, lambda s: s.endswith(x), lambda t, act: "\n" not in t.a and t.a[-1] not in "`…" and (t.a[-1] == "?" if x[0] == "?" else told(t.a)), DAILY)
def rule_end_daily(r): return over_daily(r.choice((rule_end, rule_end_mark, rule_begin, rule_begin_mark, rule_use_word, rule_call))(r))
def over_daily(rule): rule.sources = DAILY; return rule
AROUND_RULES = {rule_yesless: 6, rule_taboo: 9, rule_first_word: 6, rule_greetless: 3, rule_askless: 2.5, rule_digitless: 2.5, rule_sorryless: 1.5, rule_selfless: 1.5, rule_untold: 6, rule_always_mention: 6, rule_end_sign: 6, rule_end_daily: 8}
