import re
from tasks_bank import *
NAMES = GIRLS + BOYS
def lc(s): return s[:1].lower() + s[1:]
# base|third|past|ing|rest alternatives
VP = [tuple(x.split("|")) for x in L("""
walk|walks|walked|walking|to the park;to school;along the river;to the shop
eat|eats|ate|eating|an apple;soup for lunch;breakfast in the kitchen;a big sandwich
drink|drinks|drank|drinking|cold water;a cup of tea;milk in the morning
read|reads|read|reading|a good book;the newspaper;a story to the children
write|writes|wrote|writing|a long letter;a note;in a small notebook
play|plays|played|playing|in the garden;the piano;football with friends;chess after school
cook|cooks|cooked|cooking|dinner for the family;a pot of soup;rice and beans
clean|cleans|cleaned|cleaning|the kitchen;the windows;the old car
wash|washes|washed|washing|the dishes;the dog;the red shirt
open|opens|opened|opening|the door;the window;the old box
close|closes|closed|closing|the gate;the shop at six;the book
buy|buys|bought|buying|fresh bread;a new coat;flowers at the market
sell|sells|sold|selling|eggs at the market;old books;ice cream on the beach
watch|watches|watched|watching|a film;the birds;the stars at night
feed|feeds|fed|feeding|the cat;the ducks;the horses
paint|paints|painted|painting|a picture;the fence;the door green
build|builds|built|building|a small house;a boat;a wall of stones
plant|plants|planted|planting|a tree;some seeds;roses in the garden
sing|sings|sang|singing|a song;in the choir;in the shower
dance|dances|danced|dancing|in the kitchen;at the party;with a friend
run|runs|ran|running|to the bus;around the lake;in the race
swim|swims|swam|swimming|in the lake;in the sea;across the pool
ride|rides|rode|riding|a bike;a horse;the bus to town
drive|drives|drove|driving|a blue car;to the city;an old truck
visit|visits|visited|visiting|a friend;the museum;the old castle
call|calls|called|calling|a friend;the doctor;the office
help|helps|helped|helping|the neighbor;in the garden;the new girl
find|finds|found|finding|a coin;the lost key;a small shell
lose|loses|lost|losing|a glove;the game;the house key
take|takes|took|taking|the train;a photo;an umbrella
bring|brings|brought|bringing|a cake;the mail;some flowers
make|makes|made|making|a cake;a paper boat;tea for everyone
draw|draws|drew|drawing|a map;a funny face;a house
fix|fixes|fixed|fixing|the bike;the roof;the broken chair
sleep|sleeps|slept|sleeping|on the sofa;in a tent;until noon
wait|waits|waited|waiting|for the bus;at the station;in the car
learn|learns|learned|learning|a new song;to cook;French
teach|teaches|taught|teaching|music;the children;at a small school
carry|carries|carried|carrying|a heavy bag;the boxes;a basket of apples
climb|climbs|climbed|climbing|the hill;a tall tree;the stairs
catch|catches|caught|catching|a fish;the ball;the last train
throw|throws|threw|throwing|the ball;a stone into the lake;the paper away
cut|cuts|cut|cutting|the bread;the grass;the paper
send|sends|sent|sending|a letter;a card to grandma;a message
wear|wears|wore|wearing|a red hat;warm gloves;new shoes
sit|sits|sat|sitting|on the bench;by the fire;under a tree
stand|stands|stood|standing|at the door;in the rain;by the window
see|sees|saw|seeing|a rainbow;a big dog;the moon
hear|hears|heard|hearing|a strange noise;the bell;music next door
give|gives|gave|giving|the dog a bone;a book to a friend;good advice
tell|tells|told|telling|a joke;a long story;the truth
win|wins|won|winning|the race;a prize;the game
start|starts|started|starting|a new job;the car;the lesson
finish|finishes|finished|finishing|the work;the book;the race
study|studies|studied|studying|for the test;plants;math in the evening
travel|travels|traveled|traveling|by train;to the mountains;with a small bag
grow|grows|grew|growing|tomatoes;herbs on the balcony;roses
pack|packs|packed|packing|a bag;the lunch box;the boxes
pick|picks|picked|picking|apples;berries in the forest;a flower
""")]
SUBJ = [("My brother","he"),("My sister","she"),("The farmer","he"),("The teacher","she"),("My friend","he"),("Our neighbor","she"),("The doctor","she"),("The old man","he"),("The young woman","she"),("The boy","he"),("The girl","she"),("My aunt","she"),("My uncle","he"),("My mother","she"),("My father","he"),("The baker","he"),("The student","she"),("The nurse","she"),("The driver","he"),("My cousin","he")]
TIMES_PAST = C("yesterday, last week, last night, two days ago, last summer, this morning")
TIMES_FUT = C("tomorrow, next week, tonight, next summer, on Monday, later today")
TIMES_PRES = C("every day, every morning, on Sundays, every week, in the evening, often")
def sv(r):
    if r.random() < .45:
        g = r.random() < .5; n = r.choice(GIRLS if g else BOYS); return n, "she" if g else "he"
    return r.choice(SUBJ)
def vp(r):
    b, t, p, i, rest = r.choice(VP); return b, t, p, i, r.choice(rest.split(";"))
def s_low(s): return s if s in NAMES else lc(s)
# quoted forms of an instruction
def ask(r, ins, text):
    f = r.randrange(5)
    return [f"{ins}: {text}", f'{ins}: "{text}"', f"{ins}:\n{text}", f"{text}\n{ins}.", f'"{text}" {ins}.'][f]
def t_past(r):
    s, _ = sv(r); b, t, p, i, o = vp(r)
    if b == t: return
    to = r.choice(["past", "future", "present"]); fr = r.choice([x for x in ["past", "present", "future"] if x != to])
    if p == b and "past" in (to, fr) and b == "read": pass
    F = dict(past=f"{s} {p} {o}.", present=f"{s} {t} {o}.", future=f"{s} will {b} {o}.")
    ins = r.choice([f"Put this sentence in the {to} tense", f"Change this to the {to} tense", f"Write this in the {to} tense", f"Rewrite in the {to} tense"])
    return ask(r, ins, F[fr]), F[to]
def t_question(r):
    s, _ = sv(r); b, t, p, i, o = vp(r)
    k = r.randrange(4)
    a, q = [(f"{s} {t} {o}.", f"Does {s_low(s)} {b} {o}?"), (f"{s} {p} {o}.", f"Did {s_low(s)} {b} {o}?"), (f"{s} will {b} {o}.", f"Will {s_low(s)} {b} {o}?"), (f"{s} is {i} {o}.", f"Is {s_low(s)} {i} {o}?")][k]
    return ask(r, r.choice(["Make this a question", "Turn this into a question", "Change this sentence into a question", "Write this as a question"]), a), q
def t_neg(r):
    s, _ = sv(r); b, t, p, i, o = vp(r)
    k = r.randrange(4)
    a, q = [(f"{s} {t} {o}.", f"{s} does not {b} {o}."), (f"{s} {p} {o}.", f"{s} did not {b} {o}."), (f"{s} will {b} {o}.", f"{s} will not {b} {o}."), (f"{s} is {i} {o}.", f"{s} is not {i} {o}.")][k]
    if r.random() < .2: a, q = q, a; return ask(r, r.choice(["Make this sentence positive", "Take out the word not and fix the sentence", "Turn this into a positive sentence"]), a), q
    return ask(r, r.choice(["Make this sentence negative", "Make it negative", "Say that this is not so", "Turn this into a negative sentence"]), a), q
def t_pron(r):
    s, pr = sv(r); b, t, p, i, o = vp(r); tm = r.choice(TIMES_PAST)
    a = f"{s} {p} {o} {tm}."
    if r.random() < .5: return ask(r, r.choice(["Replace the name or person with he or she", "Use he or she in place of the subject", "Use a pronoun for the first words"]), a), f"{cap(pr)} {p} {o} {tm}."
    k = r.choice(["we", "they", "I"]); return ask(r, f"Change the subject to {k}", a), f"{cap(k)} {p} {o} {tm}."
REQ = L("""
give me the book|open the window|close the door|wait for me|help me with this bag|bring me some water|tell me the time|show me the way|call me tomorrow|turn down the music|turn off the light|clean the table|move your car|speak more slowly|speak louder|send me the report|come here|sit down|be quiet|pass me the salt|lend me a pen|take off your shoes|wash your hands|stop talking|answer my question|give me back my pen|let me in|carry this box|feed the cat|water the plants|take out the trash|read this letter|sign here|write down your name|make some coffee|buy some bread|set the table|leave me alone|hurry up|check this list|fix the printer|call a doctor|hold this rope|show me your ticket|put the knife away|repeat that|explain this to me|find my keys|wake me at seven|return my umbrella|cut the cake|keep the dog outside|park somewhere else|go to the end of the line|stop pushing|let me finish|shut the gate|look at this picture|save me a seat|drive slower
""".replace("|", "\n"))
POL = ["Could you please {r}?", "Would you please {r}?", "Please {r}, if you do not mind.", "Could you {r}, please?", "Would you be so kind and {r}?", "I would be grateful if you could {r}.", "Would it be possible for you to {r}?", "Can you please {r}? Thank you."]
def t_polite(r):
    q = r.choice(REQ); q2 = q
    rude = r.choice([f"{cap(q)}!", f"{cap(q)} now!", f"{cap(q)} right now.", f"Hey, {q}!", f"I said {q}!", f"You must {q}.", f"{cap(q)}, and be quick!", f"Why can't you just {q}?", f"{cap(q)}. I will not ask again.", f"You there, {q}!", f"I want you to {q}.", f"Go and {q}!" if q.split()[0] not in ("wait","come","sit","be","stop","leave","hurry","let","go","answer") else f"{cap(q)} at once!"])
    q2 = dict([("leave me alone","give me a little time alone"),("hurry up","be a little faster"),("be quiet","be a little quieter"),("stop talking","stop talking for a moment"),("come here","come over here"),("sit down","take a seat"),("stop pushing","be careful not to push"),("shut the gate","close the gate"),("drive slower","drive a little slower")]).get(q, q)
    return ask(r, r.choice(["Make this polite", "Say this politely", "Rewrite this in a polite way", "Rewrite politely", "Make it sound friendly", "How can I say this more politely"]), rude).replace("politely.", "politely?") if False else ask(r, r.choice(["Make this polite", "Say this politely", "Rewrite this in a polite way", "Rewrite politely", "Make it sound friendly", "Say this in a nicer way"]), rude), r.choice(POL).format(r=q2)
FILL_A = L("""
I just wanted to let you know that {c}.
As far as I can tell at this point in time, {c}.
It is a well-known fact that {c}, and everybody knows it.
What I am trying to say here is that {c}.
I would like to tell you, in case you do not know it yet, that {c}.
To be honest with you, and I mean this, {c}.
At the end of the day, when all is said and done, {c}.
After thinking about it for a very long time, I have come to see that {c}.
I am writing to you today in order to inform you that {c}.
If you ask me for my own opinion, I would say that {c}.
Well, you know, the thing is that {c}.
I think it is important to say at this moment that {c}.
""")
def t_shorter(r):
    s, pr = sv(r); b, t, p, i, o = vp(r); k = r.randrange(3)
    if k == 0: c = f"{s_low(s)} {p} {o} {r.choice(TIMES_PAST)}"
    elif k == 1: c = f"{s_low(s)} will {b} {o} {r.choice(TIMES_FUT)}"
    else: c = r.choice(["the meeting is on Friday at ten","the shop is closed on Monday","the bus will be late today","we need more milk","the party starts at six","the train leaves from platform two","dinner is ready","the water is too cold for swimming","my phone is broken","the test was easy","it will rain tomorrow","the key is under the mat","the cat is asleep on the roof","our plan has changed","the room is too small for us","we have no more bread","the doctor is not here today","I cannot come on Sunday","the soup needs salt","the road is closed"])
    return ask(r, r.choice(["Make this shorter", "Say this in fewer words", "Shorten this sentence", "Cut this down", "Keep only the main point", "Make it short"]), r.choice(FILL_A).format(c=c)), cap(c) + "."
TYPOS = dict(x.split(":") for x in C("""because:becuase, friend:freind, receive:recieve, believe:beleive, tomorrow:tommorow, really:realy, beautiful:beutiful, their:thier, which:wich, weird:wierd, until:untill, different:diferent, necessary:neccessary, always:allways, almost:allmost, again:agian, people:poeple, water:watter, school:shcool, house:huose, would:woud, should:shoud, could:coud, friends:freinds, favorite:favrite, kitchen:kichen, morning:mornning, garden:gardin, yesterday:yesturday, window:windoe, animal:anamal, animals:anamals, Wednesday:Wensday, Saturday:Saterday, February:Febuary, library:libary, surprise:suprise, breakfast:brekfast, together:togehter, children:childern, interesting:intresting, evening:evning, weather:wether, happy:hapy, letter:leter, little:litle, summer:sumer, better:beter, money:mony, birthday:brithday, picture:pitcure, music:musik, doctor:docter, teacher:teecher, question:qestion, answer:anwser, something:somthing, nothing:nothin, everyone:evryone, running:runing, swimming:swiming, writing:writting, coming:comming, beginning:begining, tired:tierd, quiet:queit, piece:peice, enough:enouph, through:thruogh, thought:thougt, brought:brougt, station:staton, market:markit, flowers:flouers, family:famly, mountain:montain, island:iland, vegetable:vegtable, chocolate:choclate, restaurant:resturant, address:adress, apple:aple, bottle:botle, husband:husbend, important:importent, problem:problam, special:speshal, strange:strainge, minutes:minits, hungry:hungrey, weekend:weekand, street:streat, mother:mothar, brother:brothar, sister:sistar"""))
SPELLS = L("""
My friend came because he was hungry.
I will see you tomorrow morning.
The weather is really beautiful today.
Their house is near the library.
Which picture is your favorite?
I always eat breakfast in the kitchen.
She brought a piece of chocolate to school.
We should go together on Saturday.
The children are running through the garden.
He did not receive my letter until Wednesday.
I believe that you are right.
The doctor asked me a strange question.
Everyone was quiet in the morning.
There is something under the window.
My teacher thought the answer was interesting.
The restaurant at the station is closed.
Our family lives on a small island.
Summer is better than winter for swimming.
The surprise is for my brother.
I was tired again yesterday evening.
Please write down your address.
It is necessary to drink enough water.
We almost missed the train because of the weather.
The flowers at the market are beautiful.
My sister has a little cat.
People are coming from the mountain.
I could not find my money.
The music was too loud for my mother.
Her birthday is in February.
He was writing a letter to his husband.
Animals need water and food.
A carrot is a vegetable.
An apple is a healthy dinner for nobody.
This problem is important to me.
We waited ten minutes on the street.
Have a nice weekend, my friends.
The beginning of the film was different.
I would like a bottle of water.
That was a weird but special day.
She is happy because her friends are coming.
There was nothing in the bottle.
I thought that the teacher was tired.
The school is closed until tomorrow.
They brought flowers for the birthday.
You should answer the question.
""")
def t_spell(r):
    s = r.choice(SPELLS)
    if "healthy dinner" in s: s = "I would like an apple after dinner."
    ws = [w for w in re.findall(r"\w+", s) if w.lower() in TYPOS or w in TYPOS]
    if not ws: return
    pick = r.sample(ws, min(len(ws), r.choice([1, 1, 2, 2, 3])))
    bad = s
    for w in pick:
        ty = TYPOS.get(w) or cap(TYPOS[w.lower()])
        bad = re.sub(rf"\b{w}\b", ty, bad)
    if r.random() < .25: bad = bad.lower().rstrip(".?")
    q = ask(r, r.choice(["Fix the spelling", "Correct the spelling", "Please correct this sentence", "Fix the mistakes", "Correct the mistakes in this sentence", "Check my spelling"]), bad)
    if r.random() < .25: return q, f"{s}"
    return q, s
def t_spellword(r):
    w = r.choice(list(TYPOS)); t = TYPOS[w]
    return r.choice([f'Is "{t}" spelled right?', f"Is this right: {t}", f'Did I spell "{t}" right?']), r.choice([f'No, the right spelling is "{w}."', f'Not quite. It is spelled "{w}."', f'The correct spelling is "{w}."'])
ANT = [tuple(x.split(":")) for x in C("""big:small, hot:cold, fast:slow, old:new, happy:sad, light:heavy, clean:dirty, full:empty, easy:hard, early:late, loud:quiet, rich:poor, strong:weak, tall:short, wet:dry, open:closed, near:far, high:low, hard:soft, thick:thin, young:old, good:bad, right:wrong, safe:dangerous, cheap:expensive, sweet:sour, dark:bright, deep:shallow, wide:narrow, long:short, sharp:blunt, rough:smooth, brave:afraid, kind:mean, polite:rude, awake:asleep, alive:dead, first:last, same:different, true:false, simple:difficult, busy:free, sick:healthy, warm:cool, noisy:quiet, beautiful:ugly, boring:interesting, lazy:hardworking, tight:loose, fresh:stale, calm:nervous, careful:careless, generous:greedy, funny:serious, lucky:unlucky, visible:invisible, possible:impossible, honest:dishonest, patient:impatient, friendly:unfriendly""")]
ANTV = [tuple(x.split(":")) for x in C("""up:down, left:right, in:out, day:night, yes:no, on:off, win:lose, buy:sell, push:pull, come:go, start:stop, laugh:cry, love:hate, give:take, open:close, remember:forget, begin:end, above:below, inside:outside, always:never, before:after, north:south, east:west, summer:winter, question:answer, friend:enemy, top:bottom, front:back, arrive:leave, break:fix, float:sink, rise:fall, find:lose, teach:learn, whisper:shout, sunrise:sunset, morning:evening, start:finish, everybody:nobody, everything:nothing, more:less, many:few, with:without, peace:war, entrance:exit""")]
ADJN = {"big":"dog,house,car,box","hot":"soup,tea,water,oven","fast":"car,train,horse","old":"book,coat,house","happy":"child,dog,song","light":"bag,box","clean":"room,shirt,window","full":"glass,basket,bus","easy":"test,game,question","early":"bus,train","loud":"music,machine","rich":"man,king","strong":"horse,man","tall":"man,girl","wet":"towel,floor,road","open":"door,window,shop","near":"village,lake","high":"wall,shelf","soft":"bed","hard":"bread,chair","thick":"book,wall","young":"man,tree","good":"idea,film,story","right":"answer","safe":"road,place","cheap":"ticket,shirt","sweet":"apple,drink","dark":"room,street","deep":"lake,river","wide":"road,river","long":"rope,story","sharp":"knife","rough":"stone,road","brave":"knight","kind":"woman,teacher","polite":"guest,waiter","awake":"baby,cat","simple":"task,plan","sick":"dog,girl","warm":"wind,room","noisy":"street,class","beautiful":"picture,hat","boring":"book,film","lazy":"student,worker","tight":"knot,belt","fresh":"bread,cake","calm":"horse,man","careful":"driver","generous":"king,man","funny":"story,film","honest":"man,boy","patient":"teacher","friendly":"dog,neighbor","true":"story,sentence"}
AD = dict(ANT)
# In a sentence a word means one thing ("a light bag"); alone it has the opposite that is taught everywhere.
from skill_common import bank
ALONE = [(a, bank.OPP.get(a, b)) for a, b in ANT + ANTV]
def t_opp(r):
    if r.random() < .35:
        a, b = r.choice(ALONE)
        if r.random() < .4: a, b = b, bank.OPP.get(b, a)
        return r.choice([f"What is the opposite of {a}?", f"Opposite of {a}?", f"Give me the opposite of {a}.", f"the opposite of {a}", f"What word means the opposite of {a}?"]), r.choice([f"{cap(b)}.", f"The opposite of {a} is {b}.", f"It is {b}."])
    a = r.choice(list(ADJN)); n = r.choice(ADJN[a].split(",")); b = AD.get(a) or {"soft":"hard"}[a]
    pre = r.choice(["The", "My", "This", "Our", "His", "Her", "That"]); vb = r.choice(["is", "was", "is very", "was very", "is really"])
    if a in ("right","true","open","awake","full","first"): vb = vb.split()[0]
    ex = r.choice(["", "", " today", " again"]) if a not in ("true",) else ""
    return ask(r, r.choice(["Give this the opposite meaning", "Say the opposite", "Change this sentence so that it means the opposite", "Make it mean the opposite"]), f"{pre} {n} {vb} {a}{ex}."), f"{pre} {n} {vb} {b}{ex}."
CAT = {k: C(v) for k, v in {
"fruits":"apple, banana, pear, orange, grape, cherry, plum, peach, lemon, mango, kiwi, melon, strawberry","vegetables":"carrot, potato, onion, cabbage, bean, pea, spinach, broccoli, leek, turnip, beet, lettuce",
"animals":"dog, cat, horse, cow, lion, tiger, bear, wolf, fox, rabbit, elephant, monkey, sheep, goat, pig, deer, zebra, camel","birds":"eagle, sparrow, owl, crow, duck, swan, pigeon, parrot, penguin, robin, hawk, goose","insects":"ant, bee, wasp, fly, beetle, butterfly, mosquito, moth, grasshopper, ladybug",
"colors":"red, blue, green, yellow, black, white, brown, pink, purple, gray","clothes":"shirt, coat, hat, sock, glove, scarf, dress, skirt, sweater, jacket, belt","furniture":"chair, table, bed, sofa, desk, shelf, cupboard, bench, stool","tools":"hammer, saw, drill, wrench, spade, rake, axe, screwdriver, ladder",
"musical instruments":"piano, guitar, violin, drum, flute, trumpet, harp, cello, banjo","vehicles":"car, bus, train, bicycle, truck, boat, plane, tram, ship, scooter","jobs":"doctor, teacher, baker, farmer, nurse, pilot, cook, painter, driver, tailor, builder","parts of the body":"arm, leg, head, hand, foot, nose, ear, eye, knee, finger, shoulder","drinks":"water, milk, tea, coffee, juice, lemonade, cocoa","rooms":"kitchen, bedroom, bathroom, living room, attic, cellar, hall","trees":"oak, pine, birch, maple, willow, beech, ash","flowers":"rose, tulip, daisy, lily, violet, sunflower, daffodil","sports":"football, tennis, swimming, basketball, hockey, golf, rowing, boxing","weather words":"rain, snow, wind, fog, storm, sunshine, hail","school things":"pencil, ruler, eraser, notebook, chalk, book, pen","toys":"doll, ball, kite, puzzle, teddy bear, yo-yo, toy car","metals":"iron, gold, silver, copper, tin, lead","planets":"Mars, Venus, Jupiter, Saturn, Mercury, Neptune, Uranus","continents":"Africa, Asia, Europe, Australia, North America, South America, Antarctica","seasons":"spring, summer, autumn, winter","days of the week":"Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday","shapes":"circle, square, triangle, rectangle, star, oval","kitchen things":"spoon, fork, knife, plate, pot, pan, cup, bowl","sea animals":"whale, shark, dolphin, crab, octopus, seal, lobster, squid","buildings":"house, church, castle, barn, tower, school, hotel","family members":"mother, father, sister, brother, aunt, uncle, cousin, grandmother","feelings":"joy, anger, fear, pride, love, sadness, hope","baked foods":"bread, cake, cookie, pie, muffin, roll, pretzel"}.items()}
SING = {"fruits":"a fruit","vegetables":"a vegetable","animals":"an animal","birds":"a bird","insects":"an insect","colors":"a color","clothes":"a piece of clothing","furniture":"a piece of furniture","tools":"a tool","musical instruments":"a musical instrument","vehicles":"a vehicle","jobs":"a job","parts of the body":"a part of the body","drinks":"a drink","rooms":"a room","trees":"a tree","flowers":"a flower","sports":"a sport","weather words":"a weather word","school things":"a thing for school","toys":"a toy","metals":"a metal","planets":"a planet","continents":"a continent","seasons":"a season","days of the week":"a day of the week","shapes":"a shape","kitchen things":"a thing in the kitchen","sea animals":"a sea animal","buildings":"a building","family members":"a family member","feelings":"a feeling","baked foods":"a baked food"}
CLASH = [{"animals","sea animals","birds","insects"},{"flowers","trees","colors","vegetables","fruits"},{"drinks","fruits","vegetables","baked foods"},{"rooms","buildings"},{"toys","sports"},{"toys","vehicles"},{"metals","colors","planets"},{"school things","toys"},{"tools","kitchen things"},{"seasons","weather words"},{"school things","furniture"},{"buildings","school things"},{"shapes","toys"}]
def clash(a, b): return any(a in s and b in s for s in CLASH)
def lst(x, conj="and"): return x[0] if len(x) == 1 else f"{x[0]} {conj} {x[1]}" if len(x) == 2 else ", ".join(x[:-1]) + f", {conj} " + x[-1]
def t_odd(r):
    a, b = r.sample(list(CAT), 2)
    if clash(a, b) or a in ("seasons","days of the week"): return
    n = r.choice([3, 3, 4]); xs = r.sample(CAT[a], n); o = r.choice(CAT[b])
    if o in CAT[a]: return
    ys = xs + [o]; r.shuffle(ys)
    return r.choice([f"Which word does not belong: {', '.join(ys)}?", f"Find the odd one out: {', '.join(ys)}.", f"Pick the odd one out: {', '.join(ys)}", f"{cap(', '.join(ys))}. Which one is different?", f"Which one does not fit? {', '.join(ys)}"]), r.choice([f"{cap(o)}. The others are {a}.", f"{cap(o)} does not belong, because the others are {a}.", f"The odd one out is {o}. All the others are {a}.", f"{cap(o)} is {SING[b]}, and the others are {a}."])
def t_name(r):
    c = r.choice(list(CAT)); n = r.choice([2, 3, 3, 3, 4, 5]); xs = r.sample(CAT[c], min(n, len(CAT[c]))); n = len(xs)
    return r.choice([f"Name {NUMW[n]} {c}.", f"Give me {NUMW[n]} {c}.", f"Can you name {NUMW[n]} {c}?", f"List {NUMW[n]} {c}.", f"name {n} {c}", f"Tell me {NUMW[n]} {c}, please."]), r.choice([cap(lst(xs)) + ".", f"{cap(NUMW[n])} {c} are {lst(xs)}.", "\n".join(cap(x) for x in xs)])
def t_class(r):
    k = r.randrange(3)
    if k == 0:
        groups = {"animal": CAT["animals"] + CAT["birds"] + CAT["sea animals"] + CAT["insects"], "plant": CAT["trees"] + CAT["flowers"] + C("grass, moss, fern, ivy, cactus, bush"), "thing": CAT["tools"] + CAT["furniture"] + CAT["kitchen things"] + CAT["clothes"]}
        g = r.choice(list(groups)); w = r.choice(groups[g])
        return r.choice([f"Animal, plant, or thing: {w}", f"Is {w} an animal, a plant, or a thing?", f"Classify as animal, plant, or thing: {w}", f"{cap(w)}: animal, plant, or thing?"]), r.choice([f"{cap(g)}.", f"{cap(an(w))} is {an(g)}."])
    a, b = r.sample(list(CAT), 2)
    if clash(a, b) or "days of the week" in (a, b): return
    if k == 1:
        w = r.choice(CAT[a]); x, y = r.sample([a, b], 2)
        return r.choice([f"Does {w} belong to {x} or {y}?", f"{cap(w)}: {x} or {y}?", f"Put this word in the right group, {x} or {y}: {w}"]), r.choice([f"{cap(a)}.", f"{cap(w)} belongs to {a}."])
    xs = r.sample(CAT[a], 3 if len(CAT[a]) > 3 else 2); ys = r.sample(CAT[b], 2); z = xs + ys; r.shuffle(z)
    if set(CAT[a]) & set(CAT[b]): return
    return r.choice([f"Sort these into {a} and {b}: {', '.join(z)}", f"Which of these are {a} and which are {b}? {cap(', '.join(z))}."]), f"{cap(a)}: {', '.join(w for w in z if w in xs)}.\n{cap(b)}: {', '.join(w for w in z if w in ys)}."
def t_catname(r):
    a = r.choice(list(CAT)); xs = r.sample(CAT[a], r.choice([3, 4]))
    return r.choice([f"What do these words have in common: {', '.join(xs)}?", f"What are these? {cap(', '.join(xs))}.", f"Find one word or name for this group: {', '.join(xs)}", f"{cap(lst(xs))} are all what?"]), r.choice([f"They are all {a}.", f"{cap(a)}.", f"All of them are {a}."])
def t_sort(r):
    k = r.randrange(3)
    if k == 0:
        w = r.sample([x for x in CAT["animals"] + CAT["fruits"] + CAT["clothes"] + CAT["tools"] + CAT["jobs"]], r.choice([3, 3, 4]))
        if len({x[0] for x in w}) < len(w): return
        return r.choice([f"Sort these words in alphabetical order: {', '.join(w)}", f"Put these words in alphabetical order: {', '.join(w)}.", f"Sort from A to Z: {', '.join(w)}"]), cap(", ".join(sorted(w))) + "."
    if k == 1:
        w = r.sample(range(1, 100), r.choice([3, 4, 5])); up = r.random() < .7
        return r.choice([f"Sort these numbers from {'small to big' if up else 'big to small'}: {', '.join(map(str, w))}", f"Put these numbers in order, {'smallest' if up else 'biggest'} first: {', '.join(map(str, w))}"]), ", ".join(map(str, sorted(w, reverse=not up)))
    SZ = r.choice([["ant","mouse","cat","sheep","horse","elephant","whale"],["seed","cherry","apple","melon","pumpkin"],["spoon","chair","table","car","bus","house","mountain"],["second","minute","hour","day","week","month","year"],["bee","sparrow","duck","swan","ostrich"],["pond","lake","sea","ocean"],["baby","child","teenager","adult"]])
    n = r.choice([3, 3, 4]); xs = sorted(r.sample(range(len(SZ)), min(n, len(SZ)))); w = [SZ[i] for i in xs]; z = w[:]; r.shuffle(z)
    if z == w: return
    if "second" in SZ: return f"Sort from short to long: {', '.join(z)}", cap(", ".join(w)) + "."
    if "teenager" in SZ: return f"Sort from young to old: {', '.join(z)}", cap(", ".join(w)) + "."
    return r.choice([f"Sort from small to big: {', '.join(z)}", f"Put these in order of size, smallest first: {', '.join(z)}"]), cap(", ".join(w)) + "."
HS = [(a, "happy") for a in L("""
I won first prize!|We are going on holiday tomorrow.|My best friend came to visit me.|The baby smiled at me.|I got a puppy for my birthday.|Today is the best day of my life.|We danced all night.|She said yes!|I passed the test.|My grandmother is well again.|The sun is shining and we are at the beach.|I finally found my cat.|He laughed until he had tears in his eyes.|We sang songs by the fire.|I got the job!|My team won the game.|They gave me a surprise party.|I love this song.|My drawing is on the wall at school.|It snowed, and school was closed.|I made a new friend today.|The cake was great.|My brother came home after a year.|Mom made my favorite food.|I can ride a bike now!""".replace("|", "\n"))] + [(a, "sad") for a in L("""
My dog ran away.|I lost my favorite toy.|Nobody came to my party.|My best friend moved to another city.|I failed the test.|The old tree had to be cut down.|She cried all night.|My fish died today.|I miss my grandfather.|It is raining, and our trip is off.|Nobody talks to me at school.|I broke my favorite cup.|He sat alone in the dark.|We lost the last game.|I have no one to play with.|My ice cream fell on the ground.|The bird could not fly anymore.|I did not get the job.|The shop I loved is closed for good.|They forgot my birthday.|She said goodbye, and the train left.|My plant is dead.|I feel so alone today.|He never wrote back to me.|The film made me cry.""".replace("|", "\n"))]
PN = [(a, "positive") for a in L("""
The food was great.|I love this book.|The room was clean and quiet.|Very friendly people!|The film was fun from start to end.|Best soup in town.|This chair is very comfortable.|The trip was wonderful.|My new phone works well.|What a lovely garden.|The waiter was kind and fast.|I would buy it again.|The music was beautiful.|It was worth every cent.|The bread is always fresh here.|A great place for families.|The teacher explains everything well.|The shoes fit me perfectly.|I slept very well in this bed.|The view was amazing.""".replace("|", "\n"))] + [(a, "negative") for a in L("""
The food was cold.|I did not like this book.|The room was dirty and loud.|The waiter was rude.|The film was boring.|The soup had no taste.|This chair hurts my back.|The trip was a waste of time.|My new phone broke after a day.|What an ugly coat.|We waited for two hours.|I would never buy it again.|The music was far too loud.|It costs too much.|The bread was old and hard.|Not a good place for children.|Nobody answered my questions.|The shoes are too small.|I could not sleep at all in this bed.|The window was broken and it was cold.""".replace("|", "\n"))]
def t_sent(r):
    if r.random() < .5:
        a, l = r.choice(HS); return ask(r, r.choice(["Is this happy or sad", "Happy or sad", "Does this sound happy or sad", "Say if this is happy or sad"]), a).replace("sad.", "sad?" if False else "sad."), r.choice([f"{cap(l)}.", f"This is {l}.", f"It sounds {l}."])
    a, l = r.choice(PN); return ask(r, r.choice(["Is this review positive or negative", "Positive or negative", "Classify as positive or negative"]), a), r.choice([f"{cap(l)}.", f"This is {l}.", f"The review is {l}."])
FILLB = [x.split("|") for x in L("""
The sun rises in the ___.|east
We sleep in a ___.|bed
Birds have two ___ to fly.|wings
Cows give us ___.|milk
Bees make ___.|honey
A week has seven ___.|days
Snow is cold and ___.|white
Fish live in ___.|water
We hear with our ___.|ears
We see with our ___.|eyes
We smell with our ___.|nose
You open a door with a ___.|key
You cut bread with a ___.|knife
You eat soup with a ___.|spoon
Hens lay ___.|eggs
The opposite of hot is ___.|cold
A baby cat is called a ___.|kitten
A baby dog is called a ___.|puppy
The grass is ___.|green
The sky on a clear day is ___.|blue
After Monday comes ___.|Tuesday
After spring comes ___.|summer
A triangle has three ___.|sides
Two plus two is ___.|four
When it rains, you need an ___.|umbrella
You brush your teeth with a ___.|toothbrush
A bicycle has two ___.|wheels
A spider has eight ___.|legs
The moon shines at ___.|night
Bread is made from ___.|flour
A doctor works in a ___.|hospital
A teacher works in a ___.|school
You read a ___.|book
You can write with a ___.|pen
Ice is frozen ___.|water
A farmer works on a ___.|farm
Monkeys love to climb ___.|trees
You wear gloves on your ___.|hands
You wear shoes on your ___.|feet
You wear a hat on your ___.|head
We drink tea from a ___.|cup
The king wears a ___ on his head.|crown
Rabbits like to eat ___.|carrots
Dogs like to chew on ___.|bones
A clock tells us the ___.|time
In winter it is cold, and in summer it is ___.|hot
The baker bakes ___.|bread
A camel lives in the ___.|desert
The ship sails on the ___.|sea
You keep food cold in a ___.|fridge
There are twelve months in a ___.|year
There are sixty minutes in an ___.|hour
You cook soup in a ___.|pot
Sheep give us ___.|wool
Apples grow on ___.|trees
A lemon tastes ___.|sour
Sugar tastes ___.|sweet
You take photos with a ___.|camera
You call people with a ___.|phone
Trains run on ___.|rails
""")]
COMP = [x.split("|") for x in L("""
If it rains tomorrow,|we will stay at home and play games.|I will take my umbrella with me.
When I woke up this morning,|the sun was already shining.|there was snow on the roof.
I was so hungry that|I ate three plates of soup.|I could hear my stomach.
She opened the old box and|found a letter from her grandmother.|a small mouse jumped out.
The dog barked because|a stranger stood at the door.|it heard a noise in the garden.
My favorite season is|spring, because the flowers come back.|autumn, because of the colors of the leaves.
Before I go to bed, I|brush my teeth and read a book.|close the window and turn off the light.
He was late because|he missed the bus.|his clock had stopped.
If I could fly, I would|visit my friends in far countries.|look at the mountains from above.
On Sundays we|have a long breakfast together.|visit our grandparents.
The best thing about school is|seeing my friends.|learning something new every day.
I lost my keys, so|I had to wait for my brother.|I looked in all my pockets.
The baby cried until|her mother picked her up.|she fell asleep.
Although it was cold,|we went swimming in the lake.|he wore only a thin shirt.
Yesterday I saw|a rainbow over the town.|an old friend at the market.
I like cats because|they are soft and quiet.|they always land on their feet.
When the lights went out,|we lit some candles.|everyone became quiet.
To make tea, you|need hot water and tea leaves.|pour hot water on the leaves.
The road was long, but|we sang songs on the way.|the view was beautiful.
A good friend is someone who|listens to you.|stays with you when things are hard.
As soon as the bell rang,|the children ran outside.|everyone closed their books.
I would like to learn|how to play the guitar.|how to bake good bread.
The old man sat on the bench and|fed the birds.|watched the boats go by.
We could not cross the river because|the bridge was broken.|the water was too deep.
My room is small, but|it is warm and bright.|I like it very much.
In the middle of the night|there was a knock at the door.|it began to snow.
The cat climbed the tree and|could not get down.|looked at the bird.
If you are tired,|you should rest for a while.|go to bed early.
I will never forget the day when|I first saw the sea.|my sister was born.
She smiled because|the sun was shining.|her friend had written to her.
""")]
def t_fillb(r):
    a, b = r.choice(FILLB); q = r.choice(["Fill in the blank: ", "Fill the gap: ", "Fill in the missing word: ", "What word is missing? ", "Complete: "])
    return q + a, r.choice([f"{cap(b)}.", a.replace("___", b), f"The missing word is {b}."])
def t_comp(r):
    x = r.choice(COMP); e = r.choice(x[1:])
    return r.choice([f"Complete the sentence: {x[0]} ...", f"Finish this sentence: {x[0]}", f"How could this sentence go on? {x[0]} ...", f"Complete this: {x[0]}...", f"{x[0]} ... Please finish it."]), f"{x[0]} {e}"
# short passages with questions: (template, [(q, a)], summary, title)
PASS = []
for blk in """
{N} has {num} {animal}s. {He} feeds them every morning before school. The oldest one is called {Y}. In the evening {he} cleans their place and gives them fresh water.
Q How many {animal}s does {N} have?=A {N} has {num} {animal}s.
Q When does {N} feed them?=A {He} feeds them every morning before school.
Q What is the name of the oldest one?=A It is called {Y}.
S {N} has {num} {animal}s and takes good care of them every day.
T {N} and the {Animal}s
#
On {wd}, {N} went to the market with {his} mother. They bought {f1}, {f2}, and a {col} {cl}. Then it began to rain, and they ran home. They got wet, but they laughed.
Q When did {N} go to the market?=A {He} went on {wd}.
Q What did they buy?=A They bought {f1}, {f2}, and a {col} {cl}.
Q What color was the {cl}?=A It was {col}.
Q Why did they run home?=A They ran home because it began to rain.
Q Who went with {N}?=A {His} mother went with {him}.
S {N} and {his} mother went to the market and got wet in the rain, but they had fun.
T A Rainy Market Day
#
{N} lost {his} {cl} on the way to school. {He} looked on the bus and in the yard, but {he} could not find it. In the afternoon, {Y} came to the door. {Y} had found the {cl} under a bench.
Q What did {N} lose?=A {He} lost {his} {cl}.
Q Who found the {cl}?=A {Y} found it.
Q Where was the {cl}?=A It was under a bench.
Q Where did {N} look?=A {He} looked on the bus and in the yard.
S {N} lost {his} {cl}, but {Y} found it under a bench.
T The Lost {Cl}
#
The {shop} in our street opens at {h} in the morning and closes at six. The owner is called {N}. On {wd} it is closed. Many people go there because {N} is so friendly.
Q When does the {shop} open?=A It opens at {h} in the morning.
Q Who is the owner?=A The owner is {N}.
Q On which day is it closed?=A It is closed on {wd}.
Q Why do many people go there?=A They go there because {N} is so friendly.
S The {shop} in our street is open from {h} to six, but not on {wd}, and people like the friendly owner.
T Our {Shop}
#
{N} wanted to bake a cake for {Y}. But there were no eggs in the house. So {he} asked the neighbor, who gave {him} {num} eggs. The cake was ready at {h}, and it tasted very good.
Q What did {N} want to bake?=A {He} wanted to bake a cake.
Q Who was the cake for?=A It was for {Y}.
Q How many eggs did the neighbor give {him}?=A The neighbor gave {him} {num} eggs.
Q What was missing?=A There were no eggs in the house.
Q When was the cake ready?=A It was ready at {h}.
S {N} had no eggs for the cake, but the neighbor helped, and the cake for {Y} was very good.
T The Cake for {Y}
#
{N} is a {job}. {He} gets up at {h} every day and goes to work by {veh}. At noon {he} eats {f1}. {He} likes the work, but {he} is tired in the evening.
Q What is {N}'s job?=A {N} is a {job}.
Q How does {N} get to work?=A {He} goes by {veh}.
Q What does {he} eat at noon?=A {He} eats {f1}.
Q When does {N} get up?=A {He} gets up at {h}.
S {N} is a {job} who likes the work but is tired in the evening.
T A Day with {N}
#
There is a big tree in {N}'s garden. In spring it has {col} flowers, and a {bird} has its nest in it. In summer the family sits in its shade. {N} says the tree is {num}ty years old.
Q What color are the flowers?=A They are {col}.
Q Which bird has its nest in the tree?=A A {bird} has its nest there.
Q Where does the family sit in summer?=A They sit in the shade of the tree.
S {N} has an old tree in the garden with {col} flowers, a nest, and good shade.
T The Tree in the Garden
#
{N} and {Y} went for a walk in the forest. They saw a {wild} and heard a {bird}. After {num} hours they were tired and sat down on a log. {Y} had {f1} in a bag, and they shared it.
Q Where did they walk?=A They walked in the forest.
Q Which animal did they see?=A They saw a {wild}.
Q How long did they walk?=A They walked for {num} hours.
Q Who had {f1}?=A {Y} had {f1}.
Q What did they share?=A They shared {f1}.
S {N} and {Y} walked in the forest, saw a {wild}, and then shared {f1}.
T A Walk in the Forest
#
Last winter the lake froze. {N} got new skates and went there with {Y}. {N} fell down {num} times, but {he} got up each time. At the end of the day {he} could skate all the way around the lake.
Q What did {N} get?=A {He} got new skates.
Q How many times did {N} fall down?=A {He} fell down {num} times.
Q Who went with {N}?=A {Y} went with {him}.
S {N} fell many times but learned to skate on the frozen lake.
T {N} Learns to Skate
#
The train to the sea was full. {N} gave {his} seat to an old woman with a {col} bag. She thanked {him} and gave {him} an apple. They talked all the way and became friends.
Q Who got the seat?=A An old woman got it.
Q What color was the bag?=A It was {col}.
Q What did the woman give {N}?=A She gave {him} an apple.
Q Where did the train go?=A It went to the sea.
S {N} gave {his} seat on the train to an old woman, and they became friends.
T A Seat on the Train
#
{N} moved to a new town in {mon}. At first {he} did not know anyone. Then {he} met {Y}, who lives in the {col} house next door. Now they walk to school together every day.
Q When did {N} move?=A {He} moved in {mon}.
Q Who lives next door?=A {Y} lives next door.
Q What color is {Y}'s house?=A It is {col}.
Q What do they do every day?=A They walk to school together every day.
S {N} moved to a new town, met {Y} next door, and now they go to school together.
T New in Town
#
A {wild} lived near a farm. Every night it came to eat {f2} from the garden. The farmer, {N}, built a fence. After that the {wild} had to find its food in the forest.
Q What did the {wild} eat?=A It ate {f2}.
Q Who was the farmer?=A The farmer was {N}.
Q What did {N} build?=A {He} built a fence.
Q When did the {wild} come?=A It came every night.
S A {wild} ate {f2} from the garden every night until the farmer built a fence.
T The {Wild} and the Fence
#
{N}'s class made a trip to the {site}. They left at {h} and came back in the evening. {N} liked it a lot, but {Y} had sore feet. On the way home they all sang.
Q Where did the class go?=A They went to the {site}.
Q When did they leave?=A They left at {h}.
Q Who had sore feet?=A {Y} had sore feet.
Q What did they do on the way home?=A They all sang.
S {N}'s class had a nice trip to the {site} and sang on the way home.
T A Trip to the {Site}
#
{N} is {num2} years old today. {His} parents gave {him} a {toy}, and {Y} gave {him} a book. In the afternoon there was a party with {f1}. {N} liked the {toy} best of all.
Q How old is {N} today?=A {N} is {num2} years old.
Q What did the parents give {N}?=A They gave {him} a {toy}.
Q What did {Y} give {N}?=A {Y} gave {him} a book.
Q Which present did {N} like best?=A {He} liked the {toy} best.
S {N} turned {num2}, had a party, and got a {toy} and a book.
T {N}'s Birthday
#
It had not rained for {num} weeks. The plants in {N}'s garden were dry. Every evening {he} carried water from the river in a {col} bucket. Then at last it rained, and everything was green again.
Q How long had it not rained?=A It had not rained for {num} weeks.
Q Where did the water come from?=A It came from the river.
Q What color was the bucket?=A The bucket was {col}.
Q When did {N} carry the water?=A {He} carried it every evening.
S It was dry for {num} weeks, so {N} carried water from the river until it rained again.
T Waiting for Rain
""".split("#"):
    ls = [l for l in blk.strip().split("\n")]
    PASS.append((ls[0], [tuple(l[2:].split("=A ")) for l in ls[1:] if l.startswith("Q ")], next(l[2:] for l in ls if l.startswith("S ")), next(l[2:] for l in ls if l.startswith("T "))))
def pctx(r):
    g = r.random() < .5; n = r.choice(GIRLS if g else BOYS); y = r.choice([x for x in NAMES if x != n])
    d = dict(N=n, Y=y, he="she" if g else "he", him="her" if g else "him", his="her" if g else "his", num=r.choice("three four five six seven".split()), num2=r.choice("six seven eight nine ten eleven twelve".split()),
      animal=r.choice(C("dog,cat,rabbit,horse,goat,chicken,duck,hamster")), wd=r.choice(CAT["days of the week"]), f1=r.choice(C("bread and cheese,pancakes,sandwiches,apple pie,cookies,cheese rolls,nut cake,potato salad")), f2=r.choice(C("carrots,apples,beans,cabbage,lettuce,corn,berries")), col=r.choice(C("red,blue,green,yellow,white,black,brown,pink")), cl=r.choice(C("hat,scarf,coat,jacket,bag,sweater")), shop=r.choice(C("bakery,bookshop,toy shop,flower shop,bike shop,shoe shop")), h=r.choice("six seven eight nine ten".split()), job=r.choice(C("nurse,teacher,baker,driver,cook,painter,gardener,builder")), veh=r.choice(C("bus,train,bike,car,boat")), bird=r.choice(C("robin,sparrow,crow,blackbird,pigeon")), wild=r.choice(C("fox,deer,rabbit,wild pig,badger,hedgehog")), mon=r.choice(C("January,March,April,May,June,August,September,October")), site=r.choice(C("zoo,museum,old castle,farm,beach,lighthouse,big library,mountains")), toy=r.choice(C("bike,kite,drum,puzzle,ball,telescope,guitar")))
    d["num"] = d["num"]; 
    for k in list(d): d[cap(k)] = " ".join(cap(w) for w in d[k].split())
    return d
F = lambda t, d: re.sub(r"\{(\w+)\}", lambda m: d[m.group(1)], t).replace("threety", "thirty").replace("fourty", "forty").replace("fivety", "fifty")
def t_pass(r):
    t, qs, s, ti = r.choice(PASS); d = pctx(r); txt = F(t, d); k = r.random(); m = []
    if k < .45:
        q, a = r.choice(qs); q, a = F(q, d), F(a, d)
        return r.choice([f"{txt}\n\n{q}", f"Read this and answer the question.\n{txt}\nQuestion: {q}", f"{txt} {q}", f"Text: {txt}\nQuestion: {q}", f"Answer the question about the text.\n\n{txt}\n\n{q}"]), a
    if k < .62: return ask(r, r.choice(["Sum this up in one sentence", "Summarize this in one sentence", "Say this in one sentence", "Give me the main point of this text"]), txt), F(s, d)
    if k < .74: return ask(r, r.choice(["Give this text a title", "Find a title for this", "What would be a good title for this text"]), txt), r.choice([F(ti, d), F(ti, d) + ".", f'A good title is "{F(ti, d)}."'])
    q1, q2 = r.sample(qs, 2)
    if k < .9: return [f"{txt}\n\n{F(q1[0], d)}", F(q1[1], d), r.choice(["", "And ", ""]) and f"One more question. {F(q2[0], d)}" or F(q2[0], d), F(q2[1], d)]
    if r.random() < .5: return [f"Please read this: {txt}", r.choice(["I have read it.", "I have read it. What would you like to know?", "All right. What would you like to know about it?"]), F(q1[0], d), F(q1[1], d), "Now sum it up in one sentence.", F(s, d)]
    un = r.choice(["What did the mayor say?", "How much did it cost?", "What was the weather like in the north?", f"What is {d['N']}'s last name?", "Who is the president?", f"What is {d['N']}'s phone number?"])
    return f"{txt}\n\n{un}", r.choice(["The text does not say that.", "That is not in the text.", "I cannot tell. The text does not say.", "The text says nothing about that."])
def t_tf(r):
    t, qs, s, ti = r.choice(PASS); d = pctx(r); txt = F(t, d); q, a = r.choice(qs); a1 = F(a, d)
    keys = [k for k in ("num", "wd", "col", "f1", "f2", "cl", "h", "job", "veh", "bird", "wild", "mon", "site", "toy", "num2") if "{%s}" % k in a]
    a1 = re.sub(r"^(She|He)\b", d["N"], a1)
    if a1.startswith(("It ", "They ")): return
    if not keys or r.random() < .5: return r.choice([f'{txt}\n\nTrue or false: {a1}', f'{txt}\n\nIs this true? "{a1}"']), r.choice(["True.", "Yes, that is true.", "That is true."])
    e = pctx(r); k = r.choice(keys); d2 = dict(d, **{k: e[k]})
    if d2[k] == d[k]: return
    a2 = re.sub(r"^(She|He)\b", d["N"], F(a, d2))
    return r.choice([f'{txt}\n\nTrue or false: {a2}', f'{txt}\n\nIs this true? "{a2}"']), r.choice([f"False. {a1}", f"No, that is false. {a1}", f"That is not true. {a1}"])
EVENT = C("birthday party,garden party,dinner,picnic,movie night,game night,summer party,barbecue,school concert,tea party,housewarming party,book club,costume party,music evening")
PLC = C("my house,the park,our garden,the lake,the school hall,our new flat,the beach,the old barn,the town hall,my grandmother's house,the library,the cafe on the corner")
WD = CAT["days of the week"]; HR = "noon,one,two,three,four,five,six,seven,eight".split(",")
BRING = C("a cake,some music,a warm coat,a good story,a salad,your swimsuit,something to drink,your favorite game,a blanket,a funny hat,your guitar,nothing but a smile")
def t_invite(r):
    n, me = r.sample(NAMES, 2); e = r.choice(EVENT); w = r.choice(WD); h = r.choice(HR); p = r.choice(PLC); b = r.choice(BRING); at = "at noon" if h == "noon" else f"at {h} o'clock"; hh = "at noon" if h == "noon" else f"at {h}"
    loc = ("on " if "beach" in p else "by " if "lake" in p else "in " if p in ("the park","our garden","the school hall","our new flat","the old barn","the town hall") else "at ") + p
    sw = "" if ("swimsuit" in b and not ("lake" in p or "beach" in p)) else r.choice([f" Please bring {b}.", f" Bring {b} if you like.", ""])
    body = r.choice([f"I would like to invite you to {an(e)} on {w} {hh}. It will be {loc}.{sw} I hope you can come!", f"You are invited to my {e}! It is on {w} {at}, {loc}.{sw} Please let me know if you can come.", f"There will be {an(e)} {loc} on {w}, and I would love to see you there. We start {hh}.{sw}", f"Will you come to our {e}? We meet on {w} {hh} {loc}.{sw} It will be fun!"])
    q = r.choice([f"Write an invitation to {an(e)} on {w} {hh} {loc}. It is for {n}, from {me}.", f"Please write a short invitation to {n} for {an(e)} {loc} on {w} {hh}. My name is {me}.", f"I am {me}. Invite {n} to {an(e)} on {w} {hh}, {loc}."])
    return q, f"Dear {n},\n\n{body}\n\n{r.choice(['Love', 'Best wishes', 'Yours', 'See you soon', 'Warm wishes'])},\n{me}"
GIFTS = C("book,scarf,cake,flowers,warm socks,puzzle,picture,tea cup,plant,hat,basket of fruit,music box,card,jar of honey,sweater,pen,game,blanket")
def t_thanks(r):
    n, me = r.sample(NAMES, 2); g = r.choice(GIFTS); pl = g in ("flowers", "warm socks"); it = "them" if pl else "it"; are = "are" if pl else "is"
    if r.random() < .6:
        x = r.choice([f"I {r.choice(['love', 'like', 'enjoy'])} {it} very much.", f"{'They make' if pl else 'It makes'} me smile every day.", f"{'They are' if pl else 'It is'} just what I wanted.", f"What a lovely surprise!", f"You know me so well."])
        y = r.choice(["I hope to see you soon.", "Please come and visit me soon.", "You are a good friend.", "That was very kind of you.", "I was so happy when I opened the box."])
        return r.choice([f"Write a thank-you note to {n} for the {g}. My name is {me}.", f"{n} gave me {'' if pl else 'a '}{g}. Write a short thank-you note from {me}.", f"Help me thank {n} for the {g}. I am {me}."]), f"Dear {n},\n\nThank you for the {g}. {x} {y}\n\n{r.choice(['Love', 'Best wishes', 'Yours', 'With thanks'])},\n{me}"
    h = r.choice([("helping me move", "You carried so many boxes!"), ("watching my dog", "He looked very happy when I came home."), ("the nice dinner", "The food was great, and so was the talk."), ("fixing my bike", "It runs like new."), ("your help with the garden", "Now it looks wonderful."), ("driving me to the station", "Without you I would have missed my train."), ("teaching me to swim", "I am not afraid of the water anymore."), ("your kind letter", "I read it three times."), ("visiting me when I was ill", "It made me feel better at once."), ("the lovely weekend", "I had so much fun.")])
    return r.choice([f"Write a thank-you note to {n} for {h[0]}. I am {me}.", f"Please write a few words to thank {n} for {h[0]}. My name is {me}."]), f"Dear {n},\n\nThank you for {h[0]}. {h[1]} {r.choice(['I am lucky to have a friend like you.', 'I will not forget it.', 'I hope I can do something for you soon.'])}\n\n{r.choice(['Yours', 'Best wishes', 'Love'])},\n{me}"
MEALS = {"pancakes":"flour, milk, eggs, butter, sugar","a salad":"lettuce, tomatoes, a cucumber, an onion, oil","vegetable soup":"carrots, potatoes, leeks, an onion, salt","an apple pie":"apples, flour, butter, sugar, eggs, cinnamon","sandwiches":"bread, cheese, butter, tomatoes, lettuce","spaghetti":"spaghetti, tomatoes, an onion, garlic, oil, cheese","a birthday cake":"flour, sugar, eggs, butter, chocolate, candles","breakfast":"bread, butter, jam, eggs, milk, tea","a picnic":"bread, cheese, apples, juice, cookies, napkins","pizza":"flour, yeast, tomatoes, cheese, oil, olives","fruit salad":"apples, bananas, grapes, oranges, a lemon","rice and beans":"rice, beans, an onion, garlic, peppers, oil","an omelet":"eggs, milk, butter, cheese, salt","a barbecue":"sausages, corn, potatoes, bread, salad, charcoal","cookies":"flour, sugar, butter, eggs, chocolate","tacos":"tortillas, beans, tomatoes, cheese, lettuce","lemonade":"lemons, sugar, water, ice"}
def t_shop(r):
    m = r.choice(list(MEALS)); xs = C(MEALS[m]); r.shuffle(xs); n = r.choice([3, 4, 5]); xs = xs[:n]
    if r.random() < .5: q = r.choice([f"Write a shopping list for {m}.", f"What do I need to buy for {m}?", f"I want to make {m}. Write a shopping list.", f"Make a shopping list for {m}, please."]); return q, "\n".join(cap(x) for x in xs) if r.random() < .6 else f"You need {lst(xs)}."
    ys = r.sample([w for k in ("fruits", "drinks", "vegetables") for w in CAT[k]], 3); p = lambda w: w if w in CAT["drinks"] or w in ("spinach","broccoli","cabbage","lettuce") else w[:-1] + "ies" if w.endswith("y") and w[-2] not in "aeiou" else w + "es" if w.endswith(("o", "ch", "sh", "s")) and w != "kiwi" else w + "s"
    ys = [p(y) for y in ys]
    return r.choice([f"Turn this into a shopping list: I need {lst(ys)}.", f"Write a list with one thing on each line: {lst(ys)}", f"Please write a shopping list. We have no more {lst(ys, 'or')}."]), "\n".join(cap(y) for y in ys)
MAILS = L("""
tell {n} that I am sick and cannot come {w}|I am sorry, but I am sick and cannot come {w}. I hope to be well again soon.
ask {n} for a meeting {w}|Do you have time for a short meeting {w}? Please let me know what time is good for you.
tell {n} that I will be late {w}|I will be a little late {w}. Please start without me. I am sorry about that.
ask {n} to send me the report|Could you please send me the report? I need it by {d}. Thank you for your help.
tell {n} that the meeting is moved to {d}|Our meeting has been moved to {d}. The time and the room are the same. Please tell me if that is a problem.
ask {n} for a day off {w}|I would like to take a day off {w}. Is that all right with you? My work will be done before then.
say sorry to {n} because I forgot our lunch|I am very sorry that I forgot our lunch. It was my mistake. May I invite you on {d}?
ask {n} how the trip was|How was your trip? I hope you had good weather. I would love to hear all about it.
tell {n} that the package has arrived|The package arrived today, and everything is fine. Thank you for sending it so fast.
ask {n} about the price of the bike|I saw that you are selling your bike. How much does it cost? Could I come and see it {w}?
tell {n} the good news that I got the job|I have good news. I got the job! I start on {d}. Thank you for all your help.
ask {n} to water my plants {w}|I will be away {w}. Could you please water my plants? The key is with the neighbor.
tell {n} that the heating in my room is broken|The heating in my room is broken, and it is very cold. Could you please send someone to fix it?
congratulate {n} on the new baby|I am so happy for you! A new baby is a great joy. I hope that all of you are well.
wish {n} a happy birthday|Happy birthday! I wish you a day full of fun and a year full of joy. Have a piece of cake for me.
wish {n} a good recovery|I heard that you are ill. I hope that you feel better soon. Rest well and drink a lot of tea.
ask {n} for help with the move on {d}|I am moving on {d}. Could you help me carry some boxes? There will be pizza for everyone.
tell {n} that I lost the book and will buy a new one|I am sorry, but I lost the book that you lent me. I will buy you a new one this week.
ask {n} to be a little quieter at night|I can often hear your music late at night. Could you please turn it down after ten? Thank you very much.
tell {n} that I enjoyed the visit|Thank you for having me. I enjoyed the visit very much. Next time you must come to my place.
ask the teacher, {n}, what the homework is|I was not at school today. Could you please tell me what the homework is? Thank you.
tell {n} that the class on {d} is off|The class on {d} is off because the room is being painted. We will meet again the week after.
""")
def t_mail(r):
    n, me = r.sample(NAMES, 2); a, b = r.choice(MAILS).split("|"); dd = r.choice(WD); w = r.choice(["tomorrow", "on " + dd, "next week", "on " + dd]); f = lambda s: s.format(n=n, w=w, d=dd)
    kind = r.choice(["email", "email", "short letter", "message", "short email"])
    q = r.choice([f"Write {an(kind)} to {f(a)}. My name is {me}." if False else f"Write {an(kind)}: {f(a)}. My name is {me}.", f"Help me write {an(kind)}. I want to {f(a)}. I am {me}.", f"I need to {f(a)}. Write {an(kind)} for me. My name is {me}.", f"Please write {an(kind)} in which I {f(a)}. Sign it {me}."])
    return q, f"{r.choice(['Dear', 'Hello', 'Hi']) if kind != 'short letter' else 'Dear'} {n},\n\n{f(b)}\n\n{r.choice(['Best wishes', 'Kind regards', 'Yours', 'Thank you', 'All the best'])},\n{me}"
IRR = dict(x.split(":") for x in C("child:children, mouse:mice, foot:feet, tooth:teeth, man:men, woman:women, goose:geese, sheep:sheep, fish:fish, leaf:leaves, knife:knives, wolf:wolves, person:people, life:lives, half:halves, shelf:shelves, baby:babies, city:cities, story:stories, party:parties, cherry:cherries, lady:ladies, fly:flies, box:boxes, fox:foxes, bus:buses, glass:glasses, dish:dishes, brush:brushes, watch:watches, potato:potatoes, tomato:tomatoes, hero:heroes, deer:deer, ox:oxen, thief:thieves, loaf:loaves, class:classes, church:churches, bench:benches, peach:peaches, country:countries, family:families, berry:berries, puppy:puppies, pony:ponies"))
REG = C("dog,cat,book,car,tree,house,apple,chair,bird,shoe,hat,cup,boat,river,flower,key,door,window,cow,horse,star,shop,egg,cake,bag,ball,farm,road,song,day,boy,toy,monkey,spoon,table,pen,clock,train,bridge,hill")
PLU = {**IRR, **{w: w + "s" for w in REG}}
def t_plural(r):
    w = r.choice(list(PLU)); p = PLU[w]
    k = r.random()
    if k < .45: return r.choice([f"What is the plural of {w}?", f"Plural of {w}?", f"Give me the plural: {w}", f"One {w}, two ...?", f"How do you say more than one {w}?"]), r.choice([f"{cap(p)}.", f"The plural of {w} is {p}.", f"One {w}, two {p}."])
    if k < .6: return r.choice([f"What is the singular of {p}?", f"Two {p}, one ...?"]), r.choice([f"{cap(w)}.", f"Two {p}, one {w}."])
    n = r.randrange(2, 8); pl = r.choice(["in the garden", "on the table", "in the picture", "near the house", "in the box"])
    return ask(r, r.choice([f"Change one to {NUMW[n]}", f"Write this with {NUMW[n]}"]), f"There is one {w} {pl}."), f"There are {NUMW[n]} {p} {pl}."
RH = [x.split() for x in L("""
cat hat bat mat rat
house mouse blouse
tree bee sea free knee
day play say way gray
night light bright kite white
moon soon spoon noon tune
star car far jar
rain train plane chain lane
cake lake snake make bake
dog frog log fog
sun fun run bun one
bed red head bread said
fish dish wish
ring king sing spring wing
ball wall tall fall small
boat coat goat note
snow go slow grow toe
sky fly high try pie
door floor more four shore
bear chair hair pear square
cold gold old told
book look cook hook
hill mill still will
tail sail mail whale
rose nose toes goes
wind pinned
sand hand land band
cheese please knees trees
bell well shell tell
sleep sheep deep keep
""") if len(x.split()) > 2]
def t_rhyme(r):
    g = r.choice(RH); w = r.choice(g); o = [x for x in g if x != w]; r.shuffle(o); k = r.random()
    if k < .5: return r.choice([f"What rhymes with {w}?", f"Give me a word that rhymes with {w}.", f"a rhyme for {w}", f"Tell me a rhyme for {w}."]), r.choice([f"{cap(o[0])} rhymes with {w}.", f"{cap(o[0])}.", f"{cap(w)} rhymes with {lst(o[:2])}."])
    if k < .75: return r.choice([f"Do {w} and {o[0]} rhyme?", f"Does {w} rhyme with {o[0]}?"]), r.choice([f"Yes, {w} and {o[0]} rhyme.", "Yes, they rhyme."])
    g2 = r.choice(RH)
    if g2 is g: return
    z = r.choice(g2); return f"Does {w} rhyme with {z}?", r.choice([f"No, {w} and {z} do not rhyme.", f"No. {cap(w)} rhymes with {o[0]}."])
SYN = [x.split(":") for x in C("big:large, small:little, happy:glad, fast:quick, begin:start, smart:clever, scared:afraid, angry:mad, quiet:silent, pretty:beautiful, rich:wealthy, gift:present, road:street, shop:store, sick:ill, speak:talk, shout:yell, jump:leap, stone:rock, sofa:couch, forest:woods, ship:boat, tired:sleepy, hard:difficult, easy:simple, close:shut, finish:end, choose:pick, repair:fix, mistake:error, odd:strange, wet:damp, chilly:cold, boy:lad, house:home, garbage:trash, kind:nice, brave:bold, rest:relax, hurry:rush, weep:cry, smile:grin, enjoy:like, purchase:buy, help:aid, near:close, whole:entire, correct:right, famous:well-known, terrible:awful")]
def t_syn(r):
    a, b = r.choice(SYN); 
    if r.random() < .3 and b not in ("close","right","like","mad","bold"): a, b = b, a
    return r.choice([f"What is another word for {a}?", f"Give me a word that means the same as {a}.", f"another word for {a}", f"Find a synonym for {a}.", f"What else can I say for {a}?"]), r.choice([f"{cap(b)}.", f"Another word for {a} is {b}.", f"You can say {b}."])
def t_caps(r):
    s, _ = sv(r); b, t, p, i, o = vp(r); x = f"{s} {p} {o} {r.choice(TIMES_PAST)}."; k = r.randrange(3)
    if k == 0: return ask(r, r.choice(["Write this in capital letters", "Make it all capitals", "Write this in upper case"]), x), x.upper()
    if k == 1: return ask(r, r.choice(["Write this in small letters", "Make it all lower case"]), x.upper() if r.random() < .5 else x), x.lower()
    y = x.lower().rstrip("."); 
    if "monday" in y or "french" in y: return
    return ask(r, r.choice(["Add the capital letter and the period", "Fix the punctuation", "Add a capital letter and punctuation", "Correct this sentence"]), y), x
def t_join(r):
    P = r.choice(L("""
It was raining.|We stayed at home.|so|because
I was tired.|I went to bed early.|so|because
The bus was late.|I walked.|so|because
She was hungry.|She made a sandwich.|so|because
The shop was closed.|We could not buy milk.|so|because
He forgot his key.|He waited outside.|so|because
It was cold.|I put on my coat.|so|because
The dog was dirty.|We washed it.|so|because
The soup was too hot.|I waited a little.|so|because
The book was good.|I read it twice.|so|because
The light was off.|I could not see.|so|because
My shoes were wet.|I took them off.|so|because
The baby was asleep.|We spoke softly.|so|because
She studied hard.|She passed the test.|so|because
The road was icy.|He drove slowly.|so|because
There was no bread.|We ate rice.|so|because
I missed you.|I wrote you a letter.|so|because
The cat was scared.|It hid under the bed.|so|because
""")).split("|")
    a, b = P[0], P[1]; lb = lambda s: s if s.startswith("I ") else lc(s)
    if r.random() < .5: return r.choice([f"Join these sentences with so: {a} {b}", f"Make one sentence with so: {a} {b}", f"Put these together with the word so. {a} {b}"]), f"{a[:-1]}, so {lb(b)}"
    return r.choice([f"Join these sentences with because: {b} {a}", f"Make one sentence with because: {b} {a}", f"Put these together with the word because. {b} {a}"]), f"{b[:-1]} because {lb(a)}"
def t_use(r):
    b, t, p, i, o = vp(r); s, _ = sv(r); n = r.choice(REG + CAT["animals"]); k = r.random()
    if k < .5: return r.choice([f"Use the word {b} in a sentence.", f"Write a sentence with the word {b}.", f"Make a sentence with {b}.", f"Can you use {b} in a sentence?"]), r.choice([f"{s} will {b} {o} {r.choice(TIMES_FUT)}.", f"I like to {b} {o}." if b not in ("lose","hear","see","catch","win","wait","give") else f"I want to {b} {o}.", f"We {b} {o} {r.choice(TIMES_PRES[:4])}."])
    c, d = r.choice(C("red,old,small,big,nice,new,white,brown")), r.choice(["near our house", "in my dream", "in the picture", "last week", "on my way home", "in the village"])
    return r.choice([f"Use the word {n} in a sentence.", f"Write a sentence with the word {n}.", f"Make a sentence about {an(n)}."]), r.choice([f"I saw {an(c)} {n} {d}.", f"There was {an(c)} {n} {d}.", f"My friend told me about {an(c)} {n}."])
def t_extract(r):
    d = pctx(r); n = r.randrange(2, 20); b = r.choice(C("apples,eggs,books,pens,balloons,stamps,candles,flowers")); w = d["wd"]; c = d["col"]; nm = d["N"]; p = r.choice(C("market,park,station,library,zoo,beach,museum,bakery"))
    s = r.choice([f"On {w}, {nm} bought {n} {c} {b} at the {p}.", f"{nm} saw {n} {c} {b} at the {p} on {w}.", f"Last {w}, {nm} carried {n} {c} {b} to the {p}.", f"At the {p}, {nm} found {n} {c} {b} on {w}."])
    k = r.choice(["name", "color", "number", "day", "place"])
    return ask(r, r.choice([f"Find the {k} in this sentence", f"Tell me only the {k} in this sentence", f"Which {k} is in this sentence"]), s), {"name": nm, "color": cap(c), "number": str(n), "day": w, "place": f"The {p}"}[k] + r.choice([".", ""])
def t_count(r):
    c = r.choice(list(CAT)); xs = r.sample(CAT[c], min(len(CAT[c]), r.randrange(2, 7))); k = r.random()
    if k < .4: return r.choice([f"How many {c} are in this list? {', '.join(xs)}", f"Count the words: {', '.join(xs)}" if all(" " not in x for x in xs) else f"How many {c} are these? {', '.join(xs)}"]), r.choice([f"{cap(NUMW[len(xs)])}.", f"There are {NUMW[len(xs)]}."])
    i, w = r.choice([(0, "first"), (-1, "last"), (1, "second")])
    return r.choice([f"What is the {w} word in this list? {', '.join(xs)}", f"Which one comes {w}: {', '.join(xs)}?"]), r.choice([cap(xs[i]) + ".", f"The {w} one is {xs[i]}."])
def t_repl(r):
    s, _ = sv(r); b, t, p, i, o = vp(r); n2, _ = sv(r)
    if n2 == s: return
    k = r.randrange(3); x = f"{s} {p} {o} {r.choice(TIMES_PAST)}."
    if k == 0: return f"Replace {s_low(s)} with {s_low(n2)}: {x}", x.replace(s, n2, 1)
    if k == 1:
        tm = r.choice(TIMES_PAST[:5]); x = f"{s} {p} {o} yesterday."; 
        if tm == "yesterday": return
        return ask(r, f"Replace yesterday with {tm}", x), f"{s} {p} {o} {tm}."
    a = r.choice(C("quickly,slowly,happily,quietly,carefully")); 
    if b in ("lose","win","hear","see","wear","find"): return
    return ask(r, f"Add the word {a}", f"{s} {p} {o}."), f"{s} {a} {p} {o}."
def t_list2s(r):
    c = r.choice(list(CAT)); xs = r.sample(CAT[c], min(len(CAT[c]), r.choice([3, 4])))
    if r.random() < .5: return r.choice([f"Turn this list into a sentence: {', '.join(xs)}", f"Write one sentence with these words: {', '.join(xs)}"]), r.choice([f"Some {c} are {lst(xs)}.", f"I know the {c} {lst(xs)}.", f"{cap(lst(xs))} are {c}."])
    return r.choice([f"Write these words backward in order, last one first: {', '.join(xs)}", f"Turn the order of this list around: {', '.join(xs)}", f"Reverse this list: {', '.join(xs)}"]), cap(", ".join(xs[::-1])) + "."
DLG = L(r"""
buying bread|A: Good morning. I would like a loaf of bread, please.\nB: Here you are. Anything else?\nA: No, thank you. How much is it?\nB: Two coins, please.
meeting a new neighbor|A: Hello, I am your new neighbor.\nB: Welcome! Do you like it here?\nA: Yes, it is very quiet and nice.\nB: Come over for tea one day.
asking the way|A: Excuse me, where is the station?\nB: Go straight and turn left at the church.\nA: Is it far?\nB: No, only five minutes.
talking about the weather|A: What a cold day!\nB: Yes, I think it will snow.\nA: I hope so. I love snow.\nB: Then we can build a snowman.
ordering tea|A: What would you like to drink?\nB: A cup of tea, please.\nA: With milk or lemon?\nB: With lemon, please.
being late|A: I am sorry that I am late.\nB: What happened?\nA: I missed my bus.\nB: No problem. We have just started.
losing a key|A: I cannot find my key.\nB: Did you look in your bag?\nA: Yes, it is not there.\nB: Look, it is in the door!
a dog in the park|A: What a nice dog! What is its name?\nB: It is called {N}.\nA: Can I pet it?\nB: Yes, it is very friendly.
a visit to the doctor|A: What is wrong?\nB: My head hurts.\nA: Did you sleep well?\nB: No, I did not. I worked all night.\nA: Then you need rest.
planning a trip|A: Where shall we go on {W}?\nB: Let us go to the lake.\nA: Good idea. I will bring the food.\nB: And I will bring a ball.
sharing an umbrella|A: Oh no, it is raining.\nB: Come under my umbrella.\nA: Thank you, that is very kind.\nB: We can walk together.
a lost cat|A: Have you seen my cat?\nB: What does it look like?\nA: It is {C} and very small.\nB: I think it is sitting on my roof.
""")
def t_dlg(r):
    a, b = r.choice(DLG).split("|"); n, m = r.sample(NAMES, 2); b = b.replace("\\n", "\n").replace("{N}", r.choice(["Spot", "Lucky", "Sunny", "Button", "Rex", "Coco"])).replace("{W}", r.choice(WD)).replace("{C}", r.choice(["black", "white", "gray", "brown"]))
    if r.random() < .8: b = re.sub(r"^A:", n + ":", b, flags=re.M); b = re.sub(r"^B:", m + ":", b, flags=re.M); return r.choice([f"Write a short dialogue between {n} and {m} about {a}.", f"Write what {n} and {m} say to each other. The topic is {a}.", f"{n} and {m} talk. Topic: {a}. Write it down."]), b
    return f"Write a short dialogue about {a}.", b
def t_first(r):
    s, pr = sv(r); b, t, p, i, o = vp(r)
    if r.random() < .5: return ask(r, r.choice(["Write this as if you did it", "Change this to I", "Write it with I"]), f"{s} {p} {o}."), f"I {p} {o}."
    return ask(r, r.choice([f"Change I to {s_low(s)}", f"Write this about {s_low(s)}"]), r.choice([f"I {b} {o} every day.", f"I {p} {o}."]) if False else f"I {b} {o} every day."), f"{s} {t} {o} every day."
def t_bigger(r):
    k = r.random()
    if k < .5:
        a, b = r.sample(range(1, 200), 2); return r.choice([f"Which number is bigger, {a} or {b}?", f"What is more, {a} or {b}?"]), r.choice([f"{max(a,b)}.", f"{max(a,b)} is bigger than {min(a,b)}."])
    o = C("ant,mouse,rabbit,sheep,horse,elephant,whale"); i, j = r.sample(range(len(o)), 2); w = r.choice([("bigger", max), ("smaller", min)])
    return f"Which is {w[0]}, {an(o[i])} or {an(o[j])}?", f"{cap(an(o[w[1](i,j)]))} is {w[0]} than {an(o[min(i,j) if w[1] is max else max(i,j)])}."
def t_todo(r):
    T = C("feed the cat,buy milk,call my mother,clean the kitchen,water the plants,wash the clothes,go to the bank,pay the rent,return the books,fix the lamp,write to my aunt,bake a cake,pack my bag,walk the dog,pick up the kids,make dinner,sweep the floor,read one chapter,mail a letter,empty the trash")
    xs = r.sample(T, r.choice([3, 3, 4, 5]))
    return r.choice([f"Make a to-do list: I have to {lst(xs)}.", f"Today I want to {lst(xs)}. Write a list for me.", f"Write these as a to-do list: {', '.join(xs)}"]), "\n".join(cap(x) for x in xs)
def t_formal(r):
    P = r.choice(L("""
Hey, what's up?|Hello, how are you?
Gimme a minute.|Please give me a minute.
I wanna go home.|I would like to go home.
That's super cool!|That is very good.
Can't make it today, sorry.|I am sorry, but I cannot come today.
Thanks a bunch!|Thank you very much.
See ya!|Goodbye. I hope to see you soon.
No way!|I am afraid that is not possible.
I'm gonna be late.|I will be late.
Yeah, sure.|Yes, of course.
I dunno.|I do not know.
This food is yummy.|This food is very good.
The kids are nuts today.|The children are very lively today.
My boss is mad at me.|My boss is angry with me.
Hang on a sec.|Please wait a moment.
What do you want?|How may I help you?
Whatever.|That is all right with me.
That guy is rude.|That man is not polite.
I'm beat.|I am very tired.
Let's grab a bite.|Let us have something to eat.
Got any milk?|Do you have any milk?
It's a mess in here.|This room is not tidy.
You're wrong.|I am afraid I do not agree.
Call me back, okay?|Please call me back when you have time.
""")).split("|")
    if r.random() < .7: return ask(r, r.choice(["Make this formal", "Write this in a formal way", "Say this more formally", "Make it sound formal"]), P[0]), P[1]
    return ask(r, r.choice(["Make this casual", "Say this the way friends talk", "Make it informal"]), P[1]), P[0]
DESC = {"apple":"round, sweet, and red or green","lemon":"yellow and sour","snow":"white, soft, and cold","elephant":"very big and gray, with a long nose","mouse":"small and fast, with a long tail","lion":"strong and yellow, with a big mane","feather":"light and soft","stone":"hard and heavy","fire":"hot and bright","ice":"cold, hard, and smooth","honey":"sweet, golden, and sticky","cat":"soft and quiet, with sharp claws","frog":"green and wet, and good at jumping","moon":"round and bright, and it shines at night","rose":"beautiful, with a sweet smell and sharp thorns","snail":"very slow, with a house on its back","giraffe":"tall, with a very long neck","balloon":"round, light, and full of air","pillow":"soft and good for sleeping","sea":"wide, blue, and salty","desert":"hot, dry, and full of sand","bear":"big, brown, and strong","owl":"quiet and awake at night, with big eyes","penguin":"black and white, and it cannot fly","clock":"round, with two hands that show the time","umbrella":"a thing that keeps you dry in the rain"}
def t_desc(r):
    w = r.choice(list(DESC)); d = DESC[w]; the = "the " + w if w in ("moon", "sea", "desert") else w if w in ("snow", "fire", "ice", "honey") else an(w)
    if r.random() < .6: return r.choice([f"Describe {the}.", f"What is {the} like?", f"Describe {the} in one sentence.", f"Tell me what {the} is like."]), f"{cap(the)} is {d}."
    return r.choice([f"Guess what it is: it is {d}.", f"What is {d}?", f"Riddle: I am {d.replace(' its ', ' my ').replace('it shines', 'I shine').replace('it cannot', 'I cannot')}. What am I?"]), r.choice([f"It is {the}.", f"That is {the}."])
def t_ans(r):
    a, b = r.choice(FILLB); w = r.choice([x[1] for x in FILLB]); 
    if w == b: return
    o = [b, w]; r.shuffle(o)
    return r.choice([f"Choose the right word, {o[0]} or {o[1]}: {a}", f"{a} Is it {o[0]} or {o[1]}?", f"Pick one ({o[0]}, {o[1]}): {a}"]), r.choice([a.replace("___", b), cap(b) + "."])
TASKS = dict(tense=(t_past,9), question=(t_question,8), negative=(t_neg,8), pronoun=(t_pron,5), polite=(t_polite,8), shorter=(t_shorter,8), spelling=(t_spell,5), spellword=(t_spellword,2), opposite=(t_opp,6), oddone=(t_odd,8), name=(t_name,8), classify=(t_class,6), catname=(t_catname,5), sort=(t_sort,8), sentiment=(t_sent,3), fillblank=(t_fillb,3), complete=(t_comp,2), passage=(t_pass,24), truefalse=(t_tf,7), invite=(t_invite,8), thanks=(t_thanks,7), shopping=(t_shop,6), mail=(t_mail,10), plural=(t_plural,5), rhyme=(t_rhyme,3), synonym=(t_syn,2), capitals=(t_caps,5), join=(t_join,1), use=(t_use,6), extract=(t_extract,7), count=(t_count,5), replace=(t_repl,5), listsent=(t_list2s,5), dialogue=(t_dlg,4), person=(t_first,5), bigger=(t_bigger,3), todo=(t_todo,6), formal=(t_formal,1), describe=(t_desc,2), choose=(t_ans,4))
def instr_dialog(r):
    ks = list(TASKS); ws = [TASKS[k][1] for k in ks]
    n = 1 if r.random() < .78 else r.choice([2, 2, 3]); out = []; same = r.choices(ks, ws)[0] if r.random() < .5 else None; nm = []
    while len(out) < 2 * n:
        k = same or r.choices(ks, ws)[0]
        x = TASKS[k][0](r)
        if not x: continue
        nm.append(k)
        out += list(x)
    if len(out) == 2 and nm[0] in ("tense","question","negative","caps","polite","shorter") and r.random() < .12:
        out += [r.choice(["Thanks!", "Thank you.", "Great, thanks.", "Perfect."]), r.choice(["You are welcome.", "You are welcome!", "Gladly. Send me another one.", "Any time."])]
    return [dict(role="user" if i % 2 == 0 else "assistant", content=c) for i, c in enumerate(out)], nm[0]
if __name__ == "__main__":
    import random
    r = random.Random(3)
    for k in TASKS:
        for _ in range(2):
            x = None
            while not x: x = TASKS[k][0](r)
            print(k, "|", " >> ".join(x).replace("\n", "\\n"))
