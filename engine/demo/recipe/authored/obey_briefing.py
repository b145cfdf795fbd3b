"""Prompts that tell the facts of a place, an event, a thing, a person or a list, and questions on each of them in many words.

A schema (SCHEMAS) has a head: key | view | kinds | what it is called | leads | labels that do not stand together (groups, with ;)
and its fields: label | maker | tells | questions | clauses | answers | question for yes or no | question of how many. A label
with + is plural, one with ~ stands in lists only. The views: we (a place that speaks), user, self and n (a person), else a thing.
Lists of things with a value each are in ENTRIES.
"""
from obey_known import *

POOL = {key: cut.split(", ") for key, cut in (line.split(" = ") for line in """shops = bakery, flower shop, toy shop, bike shop, shoe shop, tea shop, cheese shop, hat shop, garden centre, bookshop, record shop, pet shop, butcher's shop, farm shop, lamp shop, button shop
flavours = vanilla, lemon, cherry, chocolate, mango, hazelnut, coffee, pistachio, strawberry, mint, banana, coconut, caramel, plum, melon, ginger
wares = umbrellas, candles, boots, wool, old maps, garden tools, soap, kites, spices, clocks, tents, violins, lamps, honey, second-hand books, wooden toys, hats, carpets, tea, bells, baskets, marbles, scarves, solar panels, bicycles, paper, blankets, mirrors, pots, drones
spots = on the roof, in the cellar, behind the house, on the first floor, on the second floor, next to the entrance, in the garden, at the end of the corridor, across the yard, beside the lift, under the stairs, in the left wing, near the back door, on the top floor, by the lake
parking = behind the house, in the yard, across the street, under the bridge, next to the station, by the church, in the car park on the hill, in front of the door, in the side street
pays = in cash, by card, in cash or by card, with a phone, by invoice
exhibits = old clocks, sea shells, paper boats, Roman coins, black and white photos, dinosaur bones, ship models, masks, butterflies, teapots, kites, letters, puppets, steam engines, maps of the moon
films = The Silent Lake, Moon Over Town, Two Left Shoes, The Last Train, Paper Stars, A Winter Bird, The Golden Spoon, Ten Red Doors, Captain Turnip, Night of the Otters
topics = the new logo, the budget, the summer party, the office move, the coffee machine, next year's plan, the web page, the holiday rota, the roof repair, the school play, the new timetable, safety at work, the harvest, the car park
bring = a cake, warm clothes, a towel, good shoes, a pen, a friend, some snacks, a musical instrument, an umbrella, a photo, a salad, a sleeping bag, a torch, a bottle of water, a blanket, your own cup
clothes = white, something green, a costume, a long dress or a suit, old clothes, sports clothes, a hat, something with stripes, black, a red scarf
music = jazz, rock, folk, salsa, techno, opera, blues, reggae, swing, choir music, punk, polka
vehicles = bus, train, boat, car, bike, plane, night train, tram, ferry, horse cart
exams = maths, history, biology, French, geography, chemistry, music theory, English, physics, art history
materials = wood, steel, glass, cotton, wool, bamboo, leather, paper, brick, stone, cork, clay, plastic, rubber, copper, linen
allergies = nuts, milk, eggs, cats, pollen, bees, strawberries, fish, dust, wheat, soy, shellfish
cars = red van, small blue car, old jeep, white truck, yellow scooter, green tractor, silver sports car, grey camper van
petkinds = dog, cat, rabbit, parrot, hamster, turtle, pony, ferret, lizard, canary
petfood = carrots, chicken, dry food, sunflower seeds, apples, fish, lettuce, oats, cheese, boiled rice, hay, worms
fears = thunder, the vacuum cleaner, dogs, water, cats, the doorbell, balloons, the postman, fireworks, umbrellas, geese, the bath
sleeps = in a basket, under the bed, on the sofa, in the kitchen, on a pillow, in a box, on the window sill, in the barn, behind the stove
plants = roses, tomatoes, tulips, beans, sunflowers, pumpkins, herbs, strawberries, lavender, onions, carrots, peas, dahlias, mint, leeks, potatoes
trees = an oak, a pear tree, an apple tree, a walnut tree, a birch, a cherry tree, a fig tree, a willow, a lime tree
rivers = Lora, Tamba, Wend, Ister, Maro, Quill, Ruve, Senna, Olde, Brack, Vanna, Irk
sights = the clock tower, the glass bridge, the old harbour, the castle on the hill, the rose garden, the tall lighthouse, the round church, the night market, the salt mine, the singing fountain
animals = otter, eagle, bear, owl, stork, wolf, crane, fox, whale, tiger, swan, hedgehog, lynx, turtle, heron, goat
exports = salt, wool, silver, tea, cheese, pepper, glass, fish, honey, timber, oranges, coffee, cotton, amber
ground = red sand, blue ice, black rock, purple grass, yellow mud, silver dust, green glass, white salt, deep water
beings = small green birds, six-legged cats, giant snails, silent robots, people with blue hair, talking plants, flying fish, three-eyed goats, glass spiders
weather = sunny, rainy, cloudy, windy, foggy, snowy, stormy, warm and dry, cold and clear, hot
winds = the north, the south, the east, the west, the sea, the mountains
langsof = Python, C, Rust, Java, Go, Ruby, Haskell, Lua, Kotlin, Swift, C++, JavaScript
licences = MIT, GPL, Apache, BSD
systems = Linux, Windows, macOS, Android, iOS
changes = a dark theme, faster search, a new icon, offline maps, a spell checker, better sound, export to PDF, a calendar view, keyboard shortcuts, a backup button
bugs = a crash at the start, wrong dates, slow scrolling, missing sound, a broken login, lost bookmarks, blurry fonts, a memory leak
genres = puzzle game, racing game, farming game, card game, adventure, quiz, chess variant, city builder
goals = find the lost crown, build a bridge, collect nine keys, reach the island, wake the dragon, win the harvest race, free the king, fill the map, empty your hand, get home before dark
foes = a giant, a troll, a ghost, a wolf, a knight, a witch, a robot, a sea snake
doses = flour, sugar, butter, eggs, milk, salt, honey, oil, yeast, cinnamon, nuts, raisins, lemon juice, cream
dishes = bread, apple pie, cheesecake, muffins, biscuits, pizza, rolls, gingerbread, lasagne, scones, nut cake, potato bake, rice pudding
cooked = in the oven, in a pan, over a fire, in a big pot, on the grill, in steam, in the fridge
power = a battery, the sun, two batteries, a USB cable, hot water, the wind, a crank, steam
gadgets = lamp, robot, kettle, clock, radio, vacuum cleaner, camera, toaster, watch, printer, speaker, drill, headset, heater, fan, coffee machine
goods = tent, backpack, jacket, chair, bike, sofa, kayak, table, pair of boots, suitcase, drum, blanket, desk, helmet
rules = in the hall, at the door, under the bench, in the garage, in the cupboard, on the shelf, outside, beside the stove
keyspots = under the mat, in the blue pot, with the neighbour, on a hook in the garage, under the third stone, in the letter box, behind the shutter, in the drawer
trash = on the left of the sink, in the cellar, behind the shed, in the yard, under the stairs
hides = in the attic, under the old oak, in a teapot, behind the mirror, in the clock, under a loose board, inside a drum, in the well
styles = brick, glass and steel, wood, white marble, grey stone, concrete, red sandstone
industries = umbrellas, solar lamps, toy trains, bread machines, sails, bicycle bells, chess boards, garden gnomes, glass eyes, skis, pianos, tents, maps, robots for farms, paper, tea
acts = a magician, a school choir, a brass band, a clown, a string trio, a young singer, a drum group
cakes = chocolate cake, lemon cake, carrot cake, a tower of doughnuts, cheesecake, apple pie, nut cake
reasons = snow, a strike, repairs, fog, a fallen tree, a broken signal, a herd of sheep
notes = the flowers, the invitations, the music, the report, the tickets, the photos, the speech, the shopping, the budget, the bus
results = to paint the hall, to hire a cook, to move to the new office, to buy a bus, to wait until spring, to sell the boat, to meet every week, to plant ten trees
drinks = tea, coffee, cocoa, lemonade, apple juice, ginger beer, milk, mint tea, water
flats = on the ground floor, on the first floor, on the second floor, on the third floor, on the top floor""".split("\n"))}
NAMES_OF = NAMES_OF + "Anchor, Blue Heron, Windmill, Old Bridge, Marigold, Sunflower, Black Cat, Wild Goose, Juniper, Olive Tree, Two Rivers, Grey Owl, Moonlight, Hillside, Ivy, Red Barn, Tall Ship, Orchard, Snowdrop, Nightingale".split(", ")

# ---- values
def cols(s): return [x.strip() for x in s.split("|")]
CASH_FORMS = ["{} euros", "{} dollars", "{} pounds", "{} crowns", "{} francs", "${}", "£{}", "{} euro", "{}.50 euros", "{} coins"]
UNITS = {"minutes": (5, 90), "days": (2, 30), "weeks": (2, 20), "years": (2, 30), "metres": (3, 300), "kg": (2, 90), "percent": (5, 60), "degrees": (2, 34)}
HOURS_SAID = "seven, eight, nine, ten, eleven, half past seven, half past eight, half past nine, noon, six, five, four, half past five".split(", ")
def clock(r, low, high, half):
    """A time of the day as people write it."""
    h, m = r.randrange(low, high), r.choice(("00", "15", "30", "30", "45")); z = r.random(); t = (h - 1) % 12 + 1
    if z < .3: return f"{t} {half}"
    if z < .45: return f"{t}:{m} {half}"
    if z < .75: return f"{h}:{m}"
    return str(h if z < .85 else t) if z < .9 else f"{t} o'clock"
def dated(r): d, m = r.randrange(1, 29), r.choice(bank.MONTHS); return r.choice([f"{d} {m}", f"{m} {d}", f"{m} {d}", f"{d} {m} {r.randrange(2024, 2040)}"])
def span(r): a = r.randrange(6, 12); b = r.randrange(14, 23); return r.choice([f"{a} to {b}", f"{a} am to {b - 12} pm", f"{a}:30 to {b}", f"{a}:00 to {b}:00"])
def full(r): return f"{name(r)} {r.choice(bank.SURNAMES)}"
def titled_name(r): return r.choice(["Mr. ", "Mrs. ", "Ms. ", "Dr. "]) + (r.choice(bank.SURNAMES) if r.random() < .7 else syllables(r, 2))
def coded(r): return r.choice([str(r.randrange(1000, 9999)), f"{r.randrange(10, 99)}-{r.randrange(10, 99)}", r.choice("ABCDEFGHKLMX") + str(r.randrange(100, 999)), syllables(r, 2).lower() + str(r.randrange(10, 99)), r.choice(THINGY) + str(r.randrange(2, 99))])
def amount(r, unit): return f"{r.randrange(*UNITS[unit])} {unit}"
def named(r): return r.choice([f"{cap(r.choice(MADE))} {cap(r.choice(THINGY))}", syllables(r, 2), syllables(r, 3), f"The {cap(r.choice(THINGY))}", r.choice(NAMES_OF)])
def many(pool, low, high): return lambda r: r.sample(POOL[pool], r.randrange(low, high + 1))
MAKE = {"dawn": lambda r: clock(r, 4, 9, "am"), "am": lambda r: clock(r, 6, 12, "am") if r.random() < .9 else r.choice(HOURS_SAID[:8]), "pm": lambda r: clock(r, 13, 23, "pm") if r.random() < .9 else r.choice(HOURS_SAID[9:]), "day": lambda r: r.choice(bank.DAYS), "date": dated, "year": lambda r: str(r.randrange(1700, 2024)), "span": span, "when": lambda r: r.choice(bank.DAYS) if r.random() < .5 else dated(r),
 "price": lambda r: r.choice(CASH_FORMS).format(r.randrange(2, 95)), "dear": lambda r: r.choice(CASH_FORMS[:7]).format(r.choice((r.randrange(100, 999), f"{r.randrange(1, 90)},000"))), "few": lambda r: number(r, r.randrange(2, 13)), "count": lambda r: str(r.randrange(12, 400)), "big": lambda r: r.choice([f"{r.randrange(2, 900)},000", f"{r.randrange(2, 90)} million", f"{r.randrange(2, 90)},500"]), "age": lambda r: str(r.randrange(4, 95)), 
 "who": name, "full": full, "mr": titled_name, "girl": lambda r: r.choice(bank.GIRLS), "boy": lambda r: r.choice(bank.BOYS), "town": city, "street": lambda r: r.choice([f"{r.randrange(1, 99)} {r.choice(STREETS)}", f"{r.choice(STREETS)} {r.randrange(1, 99)}"]), "phone": lambda r: r.choice(["-".join(str(r.randrange(100, 999)) for _ in range(2)), f"0{r.randrange(100, 999)} {r.randrange(1000, 9999)}", str(r.randrange(10000, 999999))]), "code": coded, "mail": lambda r: f"{r.choice(['info', 'hello', 'desk', 'mail', name(r).lower()])}@{syllables(r, 2).lower()}.{r.choice(['com', 'org', 'net', 'example'])}", "word": lambda r: syllables(r, 2), "named": named, "version": lambda r: f"{r.randrange(1, 12)}.{r.randrange(0, 20)}" + r.choice(("", f".{r.randrange(0, 9)}")), "room": lambda r: r.choice([f"room {r.randrange(1, 400)}", f"room {cap(r.choice(THINGY))}", "the big hall", f"the {r.choice(MADE)} room", f"room {r.choice('ABCDEF')}{r.randrange(1, 30)}", "the cellar", "the canteen"]),
 "kids": lambda r: [r.choice(bank.GIRLS + bank.BOYS) for _ in range(1)] + [name(r) for _ in range(r.choice((1, 1, 2, 3)))], "platform": lambda r: str(r.randrange(1, 24)), "thing": lambda r: f"{r.choice(MADE)} {r.choice(THINGY)}", "colour": lambda r: r.choice(bank.COLOURS), "meal": lambda r: r.choice(bank.FOODS), "hobby": lambda r: r.choice(bank.HOBBIES), "tool": lambda r: r.choice(bank.INSTRUMENTS)}
def value(r, maker):
    """(value as it is said, its parts if it is a list)"""
    if maker in MAKE: v = MAKE[maker](r)
    elif maker in UNITS: v = amount(r, maker)
    elif maker[0] == "*": v = r.sample(POOL[maker[1:]], r.choice((2, 2, 3, 3, 4)))
    else: v = r.choice(POOL[maker])
    if isinstance(v, list): v = list(dict.fromkeys(v)); return (join(v), v) if len(v) > 1 else value(r, maker)
    return v, None
POOL.update({"langs": bank.LANGS, "surnames": bank.SURNAMES, "gift": [an(x + " " + y) for x in "red blue wooden small big new old green warm".split() for y in "kite scarf drum lamp bike watch guitar hat camera book tent".split()],
 "eats": [f"a {x} {y}" for x in "tomato cheese mushroom potato chicken fish lentil pumpkin".split() for y in "soup pie sandwich salad burger pizza omelette".split()] + "a coffee, a tea, a lemonade, a cocoa, a slice of cake, a waffle, a pancake, a milkshake, a glass of water, an apple juice, an ice cream".split(", "),
 "tickets": "a day ticket, a family ticket, a child ticket, a group ticket, a guided tour, a locker, a map, a poster, an audio guide, a yearly pass, an evening ticket, a student ticket, a coffee, a boat ride, a photo, a balloon, a bag of animal food, a programme".split(", "),
 "goodsmany": "chairs, red lamps, blue cups, tents, hammers, brooms, green bottles, drums, ladders, towels, candles, pillows, boots, gloves, helmets, ropes, buckets, bicycles, umbrellas, small boxes, big boxes, carpets, clocks, plates, spoons, black pens, notebooks, radios, kettles, apples, lemons, jars of honey, sacks of rice, batteries, old books".split(", "),
 "tasks": "the dishes, the shopping, the laundry, the cooking, the windows, the floor, the garden, the bathroom, the bins, the ironing, the dusting, the stairs".split(", "),
 "jobs2": "the boss, the cook, the driver, the secretary, the accountant, the gardener, the caretaker, the designer, the doctor, the trainer, the cleaner, the lawyer, the head of sales, the receptionist, the nurse, the deputy".split(", "),
 "houseparts": "the door, the roof, the fence, the kitchen, the sofa, the letter box, the gate, the bench, the garage, the bathroom, the staircase, the table, the mat, the shed, the balcony".split(", "),
 "departments": "the café, the library, the shoe department, the toy department, the office, the cloakroom, the lost property office, the exhibition, the ticket desk, the canteen, the archive, the pharmacy, the gift shop, the computer room, the music room".split(", "),
 "subjects": "maths, history, biology, art, music, geography, physics, chemistry, English, French, sport, computing, German, drama".split(", "),
 "plans": "the dentist, the football match, the piano lesson, the exam, the party, the meeting, the concert, the haircut, the big shopping, the choir, the swimming lesson, the parents' evening, the flea market, the dinner with the neighbours, the yoga class".split(", "),
 "thepets": "the dog, the cat, the parrot, the rabbit, the hamster, the pony, the goat, the cow, the duck, the donkey, the pig, the goldfish, the turtle".split(", "),
 "kin": "the mother, the father, the grandmother, the grandfather, the daughter, the son, the baby, the uncle, the aunt, the dog, the cat, the neighbour".split(", "),
 "ballgames": "football, tennis, chess, hockey, golf, volleyball, basketball, table tennis, rugby, badminton, cricket, darts".split(", "),
 "buttons": ["the " + x for x in "red button, green button, big switch, small lever, key on the side, wheel at the back, yellow button, switch below, round knob".split(", ")],
 "petname": bank.PETNAMES, "firstnames": bank.GIRLS + bank.BOYS, "twocolours": [f"{x} and {y}" for x in bank.COLOURS[:12] for y in bank.COLOURS[:12] if x != y]})
MAKE.update({"lines": lambda r: f"the {r.choice(['train', 'bus', 'bus', 'ferry', 'night train', 'coach'])} to {city(r)}", "peaks": lambda r: f"Mount {syllables(r, r.choice((1, 2)))}", "pupils": lambda r: str(r.randrange(12, 34)), "pages": lambda r: f"page {r.randrange(3, 190)} in the {r.choice(['maths', 'reading', 'history', 'green', 'blue', 'grammar'])} book", "score": lambda r: f"{r.randrange(0, 7)} to {r.randrange(0, 7)}", "runtime": lambda r: f"{r.randrange(2, 60)} {r.choice(['hours', 'days'])}", "mb": lambda r: f"{r.randrange(2, 900)} {r.choice(['MB', 'GB'])}", "oven": lambda r: f"{r.randrange(12, 25)}0 degrees", "dayhours": lambda r: f"{r.randrange(3, 90)} hours", "speed": lambda r: f"{r.randrange(5, 90)} {r.choice(['knots', 'km an hour', 'miles an hour'])}", "date1": lambda r: r.choice(["{d} {m}", "{m} {d}"]).format(d=r.randrange(1, 29), m=r.choice(bank.MONTHS)), "shoe": lambda r: str(r.randrange(34, 48)), "ajob": lambda r: an(r.choice(bank.JOBS_SIMPLE))})

# ---- fields that schemas share
SHARED = {key.strip(): rows.strip().split("\n") for key, rows in (block.split(":\n", 1) for block in """place:
opening time | am | We open at {v}. / The {k} opens at {v}. / It opens at {v} every day. | When do you open? / What time do you open? / what time do you open / How early can I come? / When does the {k} open? / From what time are you open? | when you open / what time you open / when the {k} opens | We open at {v}. / The {k} opens at {v}. | Do you open at {w}?
closing time | pm | We close at {v}. / The {k} closes at {v}. / It is open until {v}. | When do you close? / What time do you close? / what time do you close / How late are you open? / Until when can I come? / When does the {k} close? / how long are you open today | when you close / how late you are open / what time the {k} closes | We close at {v}. / We are open until {v}. | Do you close at {w}?
+opening hours | span | We are open from {v}. / The {k} is open from {v}. / It is open {v}. | When are you open? / when are you open / What hours are you open? / When can I come? / When is the {k} open? | when you are open / what your hours are | We are open from {v}. / The {k} is open from {v}.
~closed on | day | We are closed on {v}s. / The {k} is closed on {v}. / On {v}s the {k} is closed. / There is a day off every week: {v}. | On which day are you closed? / which day are you closed / Is there a day when you are closed? / What day is the {k} closed? / When is your day off? | on which day you are closed / which day the {k} is closed | We are closed on {v}s. / We are closed on {v}. | !Are you open on {w}? = We are only closed on {v}s.
boss | who | The {k} belongs to {v}. / {v} runs the {k}. / {v} is the boss here. | Who's the boss there? / who is the boss / Who runs the {k}? / Who is in charge? / Who owns the {k}? / whose {k} is it | who the boss is / who runs the {k} / who is in charge | {v} runs the {k}. / The boss is {v}.
phone number | phone | You can be called at {v}. / Phone: {v}. | How can I call you? / Which number do I call? / what number can I ring | what your phone number is / which number I can call | You can call us at {v}. / Our number is {v}.
address | street | You find us at {v}. / The {k} is at {v}. | Where are you? / Where is the {k}? / where do i find you / How do I find you? / In which street are you? | where you are / where the {k} is / what your address is | We are at {v}. / You find us at {v}.
city | town | The {k} is in {v}. / We are in {v}. / {x} is in {v}. | In which city are you? / Which town are you in? / what city is the {k} in | in which city you are / which town the {k} is in | We are in {v}. / The {k} is in {v}. | Are you in {w}?
wifi password | code | The password for the wifi is {v}. / Guests can use the wifi with the password {v}. | How do I get into the wifi? / what's the wifi / What is the password for the wifi? / Is there wifi? I need the password. | what the wifi password is / how I get into the wifi | The wifi password is {v}.
email address | mail | You can write to {v}. / Mail goes to {v}. | Where can I write to? / How do I reach you by mail? / what is your email | what your email is / where I can send a mail | You can write to us at {v}. / Our email is {v}.
~parking | parking | Guests park {v}. / There is parking {v}. / Cars can stand {v}. | Where can I park? / where do i park / Where do I leave my car? / Is there parking? | where I can park / where I can leave my car | You can park {v}. / There is parking {v}.
year of opening | year | The {k} was opened in {v}. / It has been here since {v}. | Since when has the {k} been here? / When was the {k} founded? / what year did it open / How long have you been here? / How old is the {k}? | when the {k} was founded / since when you have been here | We have been here since {v}. / The {k} was opened in {v}.
~payment | pays | Guests pay {v}. / You can pay {v}. | How can I pay? / how do i pay here / What payment do you take? | how I can pay | You can pay {v}. / Here you pay {v}.
~toilets | spots | The toilets are {v}. / You find the toilets {v}. | Where are the toilets? / where is the toilet / I need the toilet, where is it? / Where is the bathroom? | where the toilets are / where I find the toilet | The toilets are {v}. / You find the toilets {v}.
~staff | few | We have {v} people on the staff. / {v} people work here. | How many people work here? / how many people work for you / How big is your team? | how many people work here | {V} people work here. | Do {w} people work here?

event:
date | date | The {k} is on {v}. / It is on {v}. | When is the {k}? / when is it / What date is the {k}? / On which date is it? / when does it take place | when the {k} is / on which date it is | The {k} is on {v}. / It is on {v}. | Is the {k} on {w}?
day | day | The {k} is on {v}. / It takes place on {v}. | When is the {k}? / On which day is it? / which day is the {k} / what day is it on / When does it take place? | on which day the {k} is / when the {k} is | The {k} is on {v}. / It is on {v}. | Is the {k} on {w}?
starting time | pm | The {k} starts at {v}. / It begins at {v}. | What time does it start? / At what time does the {k} begin? / what time do we start / what time does the {k} start | what time it starts / at what time the {k} begins | It starts at {v}. / The {k} starts at {v}. | Does it start at {w}?
place | room | It takes place in {v}. / The {k} is in {v}. / We meet in {v}. | Where is the {k}? / where is it / Where does it take place? / Where do I have to go? / where do we meet / Which room is it in? | where the {k} is / where it takes place / where I have to go | It is in {v}. / The {k} is in {v}. | Is it in {w}?
city | town | The {k} is in {v}. / It takes place in {v}. | In which city is it? / which city is the {k} in / Which town do I have to go to? | in which city the {k} is / which town it is in | It is in {v}. / The {k} is in {v}. | Is it in {w}?
number of guests | count | {v} guests are expected. / {v} people will come. | How many people are coming? / how many guests will there be / How many guests do you expect? / How many people will be there? | how many people are coming / how many guests there will be | {v} people are coming. / {v} guests are expected. | Are {w} people coming?
organiser | who | {v} organises it. / {v} organises the {k}. / Questions go to {v}. | Who organises it? / who is organising the {k} / Whom can I ask about the {k}? / Who is in charge? / Who's the boss there? | who organises it / whom I can ask about the {k} | {v} organises it. / The {k} is organised by {v}.
~bring | bring | Everybody brings {v}. / Please bring {v}. | What should I bring? / what do i need to bring / Do I have to bring anything? / What do I have to take with me? | what I should bring / what to bring | Please bring {v}. / You should bring {v}.
food | meal | There will be {v} to eat. | What is there to eat? / what will we eat / What food will there be? / What do we get to eat? | what there is to eat / what we will eat | There will be {v}. / There will be {v} to eat. | Will there be {w}?

person:
age | age | {n} is {v} years old. / {n} is {v}. | How old is {n}? / how old is {n} / how many years old is {n} | how old {n} is | {n} is {v} years old. / {n} is {v}. | Is {n} {w} years old?
~job | ajob | {n} works as {v}. / {n} is {v} by trade. | What is {n}'s job? / what's {n}'s job / What does {n} do for a living? / what does {n} work as / What does {n} do? / What kind of work does {n} do? | what {n} does for a living / what {n} works as | {n} works as {v}. / {n} is {v}.
home town | town | {n} lives in {v}. | Where does {n} live? / where does {n} live / In which city does {n} live? / Which town does {n} live in? | where {n} lives / in which city {n} lives | {n} lives in {v}. | Does {n} live in {w}?
sister | girl | {n} has a sister called {v}. / {n} has one sister, {v}. | What is {n}'s sister called? / Who is {n}'s sister? / what is the name of {n}'s sister | what {n}'s sister is called | {n}'s sister is called {v}.
brother | boy | {n} has a brother called {v}. / {n} has one brother, {v}. | What is {n}'s brother called? / Who is {n}'s brother? / what is the name of {n}'s brother | what {n}'s brother is called | {n}'s brother is called {v}.
best friend | who | {n} has a best friend called {v}. | Who is {n}'s best friend? / What is {n}'s best friend called? | who {n}'s best friend is | {n}'s best friend is called {v}.
+children | kids | {n} has {c} children, {v}. / {n} has {c} children: {v}. / {n} has children called {v}. | What are {n}'s children called? / what are the names of {n}'s children / Who are {n}'s children? / Does {n} have children? What are their names? / Tell me the names of {n}'s children. | what {n}'s children are called / the names of {n}'s children | {n}'s children are called {v}. / {n}'s children are {v}. | Does {n} have a child called {w}? | How many children does {n} have? = {n} has {c} children.
favourite colour | colour | {n} likes {v} best of all colours. | Which colour does {n} like best? / what colour does {n} like most | which colour {n} likes best | {n}'s favourite colour is {v}. / {n} likes {v} best.
favourite food | meal | {n} loves {v} more than any other food. / {n} likes to eat {v}. | What does {n} like to eat? / what food does {n} like best | what {n} likes to eat | {n} likes to eat {v}. / {n}'s favourite food is {v}.
hobby | hobby | {n} spends the weekends with {v}. / {n} loves {v}. | What does {n} do at the weekend? / What does {n} do for fun? / what does {n} do after work | what {n} does for fun | {n}'s hobby is {v}.
birthday | date1 | {n} was born on {v}. / {n} has a birthday on {v}. | When is {n}'s birthday? / when does {n} have a birthday / On which day was {n} born? | when {n}'s birthday is / when {n} has a birthday | {n}'s birthday is on {v}. | Is {n}'s birthday on {w}?
~allergy | allergies | {n} is allergic to {v}. / {n} must not come near {v}: an allergy. | What is {n} allergic to? / Does {n} have an allergy? / what does {n} have to stay away from | what {n} is allergic to | {n} is allergic to {v}. | Is {n} allergic to {w}?
shoe size | shoe | {n} wears shoes in size {v}. | What size are {n}'s shoes? / which shoe size does {n} have | which shoe size {n} has | {n}'s shoe size is {v}. / {n} has shoe size {v}.
~car | cars | {n} drives {an_v}. / {n} has {an_v}. | What does {n} drive? / what kind of car does {n} have | what {n} drives | {n} drives {an_v}. | Does {n} drive {an_w}?
~instrument | tool | {n} plays the {v}. | What instrument does {n} play? / which instrument does {n} play / What does {n} play? | which instrument {n} plays | {n} plays the {v}. | Does {n} play the {w}?
+languages | *langs | {n} speaks {v}. | What languages does {n} speak? / which languages does {n} know | which languages {n} speaks | {n} speaks {v}. | Does {n} speak {w}? | How many languages does {n} speak? = {n} speaks {c} languages.
boss | mr | {n} works for {v}. | Who does {n} work for? / Who is {n}'s boss? | who {n}'s boss is / who {n} works for | {n} works for {v}. / {n}'s boss is {v}.
lucky number | few | {n} has the lucky number {v}. | Which number is {n}'s lucky one? / what's {n}'s lucky number | what {n}'s lucky number is | {n}'s lucky number is {v}.
~sport | ballgames | {n} plays {v} every week. | What sport does {n} play? / which sport does {n} do | what sport {n} plays | {n} plays {v}. | Does {n} play {w}?
next dentist appointment | when | {n} has to go to the dentist on {v}. | When does {n} have to go to the dentist? / when is the dentist's appointment | when {n} has to go to the dentist | {n} has to go to the dentist on {v}.
~morning drink | drinks | {n} drinks {v} in the morning. | What does {n} drink in the morning? / what does {n} have to drink in the morning | what {n} drinks in the morning | {n} drinks {v} in the morning. | Does {n} drink {w} in the morning?""".split("\n\n"))}
DOG = "~dog | petname | {n} has a dog called {v}. | What is {n}'s dog called? / what's the name of {n}'s dog / What is the dog's name? | what {n}'s dog is called | {n}'s dog is called {v}. | Is {n}'s dog called {w}?"
SHARED["person"] += [DOG.replace("dog", x) for x in ("dog", "cat", "rabbit", "horse")]
SHARED["mates"] = """wife | girl | {n} is married to {v}. / {n} has a wife, {v}. | What is {n}'s wife called? / who is {n}'s wife / Who is {n} married to? / what's the name of {n}'s wife | what {n}'s wife is called / who {n} is married to | {n}'s wife is called {v}. / {n} is married to {v}. | Is {n} married to {w}?
husband | boy | {n} is married to {v}. / {n} has a husband, {v}. | What is {n}'s husband called? / who is {n}'s husband / Who is {n} married to? / what's the name of {n}'s husband | what {n}'s husband is called / who {n} is married to | {n}'s husband is called {v}. / {n} is married to {v}. | Is {n} married to {w}?""".split("\n")

# ---- schemas
SCHEMAS = """shop | we | @shops | the {k} {n} | {n} is {ak}. / You serve the customers of the {k} {n}. / You work in {ak} called {n}. | address / city;opening hours / opening time;opening hours / closing time
@place
~goods | *wares | We sell {v}. / The {k} sells {v}. / You can buy {v} here. | What do you sell? / what can i buy at your place / What do you have in the shop? / What kinds of things do you sell? | what you sell / what I can buy | We sell {v}. / You can buy {v} here. | Do you sell {w}?
discount today | percent | Today everything is {v} cheaper. | How much cheaper is it today? / how big is the discount today / Is there a discount today? How much? | how big the discount is | Today everything is {v} cheaper.
delivery fee | price | We bring things home for {v}. / Delivery costs {v}. | How much is delivery? / what does delivery cost / What do I pay for delivery? | how much delivery costs | Delivery costs {v}. | Does delivery cost {w}?
delivery time | days | Delivery takes {v}. / Orders arrive after {v}. | How long does delivery take? / how long do i have to wait for my order | how long delivery takes | Delivery takes {v}. | Does delivery take {w}?
# hotel | we | hotel / hostel / guest house | the {k} {n} | You help guests of the {k} {n}. / {n} is {ak}. / You work at the desk of the {k} {n}. | address / city;opening hours / opening time;opening hours / closing time;opening time / closed on
~breakfast | am | Breakfast is at {v}. / We serve breakfast at {v}. | When is breakfast? / what time is breakfast / At what time do you serve breakfast? / When can I have breakfast? | when breakfast is / what time breakfast is | Breakfast is at {v}. | Is breakfast at {w}?
~check-out | am | Guests leave their rooms by {v}. / Check-out is at {v}. | When is check-out? / until when can i keep the room / By what time must I leave the room? | when check-out is / when I have to leave the room | Check-out is at {v}. | Is check-out at {w}?
door code | code | The door opens with the code {v}. | How do I open the door at night? / what's the code for the door / Which code opens the door? | which code opens the door | The code for the door is {v}.
pool | spots | The pool is {v}. / You find the pool {v}. | Where is the pool? / wheres the pool / How do I get to the pool? / I'd like to swim, where is the pool? | where the pool is / where I find the pool | The pool is {v}. | Is the pool {w}?
~sauna | spots | The sauna is {v}. | Where is the sauna? / wheres the sauna / How do I find the sauna? | where the sauna is | The sauna is {v}.
number of rooms | count | The {k} has {v} rooms. / There are {v} rooms. | How many rooms do you have? / how many rooms are there / How big is the {k}? | how many rooms there are | We have {v} rooms. / The {k} has {v} rooms. | Do you have {w} rooms?
price of a double room | dear | A double room costs {v} a night. | How much is a double room? / what do i pay for a double room / What does a double room cost? | how much a double room is | A double room costs {v} a night. | Does a double room cost {w}?
phone number | phone | You can be called at {v}. | How can I call you? / which number do I ring | what your phone number is | You can call us at {v}.
address | street | You find us at {v}. / The {k} is at {v}. | Where are you? / Where is the {k}? / how do i find you | where you are / where the {k} is | We are at {v}. / You find us at {v}.
manager | who | {v} runs the {k}. | Who runs the {k}? / who is in charge / Who's the boss there? | who the manager is / who runs the {k} | {v} runs the {k}. / The manager is {v}.
wifi password | code | The password for the wifi is {v}. | How do I get into the wifi? / whats the wifi | what the wifi password is | The wifi password is {v}.
~parking | parking | Guests park {v}. | Where can I park? / where do i leave my car | where I can park | You can park {v}.
# restaurant | we | restaurant / café / pizzeria / inn / canteen / tea house / noodle bar | the {k} {n} | You are a waiter of the {k} {n}. / Guests of the {k} {n} ask you things. / {n} is {ak}. | address / city;opening hours / opening time;opening hours / closing time;boss / cook
@place
dish of the day | meal | Today we have {v}. / Today's special is {v}. | What do you recommend today? / what's the special today / What is today's special? / What is cooking today? | what the dish of the day is | Today's special is {v}. / The dish of the day is {v}.
dessert | meal | For dessert we have {v}. | What is there for dessert? / what dessert do you have / I'd like something sweet. What do you have? | what there is for dessert | For dessert we have {v}. | Do you have {w} for dessert?
cook | who | {v} is the cook. / {v} cooks for us. | Who cooks here? / who is in the kitchen / What is the cook called? | who cooks here / who the cook is | {v} is the cook. / The cook is called {v}.
number of tables | few | We have {v} tables. | How many tables do you have? / how many tables are there | how many tables there are | We have {v} tables. | Do you have {w} tables?
~drinks | *drinks | To drink we have {v}. / We serve {v}. | What can I drink? / what drinks do you have / I am thirsty. What do you have? / What is there to drink? | what there is to drink | We have {v}. / You can drink {v} here. | Do you have {w}?
# ice cream parlour | we | ice cream parlour / ice cream van / milk bar | the {k} {n} | You sell ice cream at {n}. / {n} is an ice cream van. / You stand behind the counter of {n}. | address / city;opening hours / opening time;opening hours / closing time
@place
+flavours | *flavours | There is {v}. / We have {v} today. / You can choose between {v}. | What flavours do you have? / which kinds of ice cream do you have / What flavors are there today? / What can I choose from? / which flavours are there | which flavours there are / what flavours you have | We have {v}. / There is {v}. | Do you have {w}? | How many flavours do you have? = We have {c} flavours.
price of a scoop | price | A scoop costs {v}. | How much is a scoop? / what does one scoop cost / What do I pay for a scoop? | how much a scoop costs | A scoop costs {v}. | Does a scoop cost {w}?
# museum | we | museum / gallery / science centre | the {k} {n} | You guide visitors of the {k} {n}. / {n} is {ak}. | address / city;opening hours / opening time;opening hours / closing time;exhibition / collection
@place
~ticket for adults | price | Adults pay {v}. / A ticket for adults costs {v}. | How much do adults have to pay? / what does a ticket for adults cost / How much is it for adults? | how much adults pay | Adults pay {v}. | Do adults pay {w}?
~ticket for children | price | Children pay {v}. / A ticket for children costs {v}. | How much do children pay? / what does it cost for children / How much is a ticket for a child? | how much children pay | Children pay {v}. | Do children pay {w}?
~exhibition | exhibits | This month we show {v}. / The exhibition is about {v}. | What is the exhibition about? / what do you show at the moment / What can I see this month? / What's on? | what the exhibition is about / what you show | This month we show {v}. / The exhibition is about {v}. | Is the exhibition about {w}?
~guided tour | pm | There is a guided tour at {v}. | When is the guided tour? / what time is the tour / I'd like to join a tour. When does it start? | when the guided tour starts | The guided tour starts at {v}. | Is the tour at {w}?
~oldest piece | thing | The oldest piece is {an_v}. | What is your oldest piece? / what is the oldest thing you have | what the oldest piece is | Our oldest piece is {an_v}.
# library | we | library / city library / village library / school library | the {k} {n} | You help readers of the {k} {n}. / {n} is {ak}. | address / city;opening hours / opening time;opening hours / closing time
@place
number of books | big | The {k} has {v} books. / There are {v} books on the shelves. | How many books do you have? / how many books are there | how many books you have | We have {v} books. | Do you have {w} books?
loan period | weeks | You may keep a book for {v}. / Books are lent for {v}. | How long can I keep a book? / for how long can i borrow a book / When must I bring a book back? | how long I can keep a book | You can keep a book for {v}. | Can I keep a book for {w}?
late fee | price | Who is late pays {v} a week. | What do I pay if I bring a book back late? / how much is it when I'm late with a book | what I pay if I am late | If you are late, you pay {v} a week.
story hour | day | There is a story hour for children every {v}. | On which day is the story hour? / when do you read to children / When is the story hour? | when the story hour is | The story hour is on {v}. | Is the story hour on {w}?
card fee | price | A library card costs {v} a year. | How much is a card? / what does a library card cost | how much a library card is | A library card costs {v} a year. | Does a card cost {w}?
# gym | we | gym / swimming pool / climbing hall / yoga studio | the {k} {n} | You answer members of the {k} {n}. / {n} is {ak}. | address / city;opening hours / opening time;opening hours / closing time
@place
monthly fee | price | A month costs {v}. / Members pay {v} a month. | How much is it per month? / what does a month cost / What do members pay each month? | how much a month costs | A month costs {v}. / You pay {v} a month. | Does a month cost {w}?
trainer | who | {v} is the trainer. / {v} trains the beginners. | Who is the trainer? / who trains the beginners / What is the trainer called? | who the trainer is | The trainer is {v}.
beginners' course | day | The course for beginners is on {v}. | When is the course for beginners? / which day do the beginners meet | when the beginners' course is | The course for beginners is on {v}. | Is the beginners' course on {w}?
locker code | code | The lockers open with {v}. | How do I open the lockers? / what code do the lockers have | which code opens the lockers | The lockers open with {v}. / The code for the lockers is {v}.
# practice | we | dental practice / vet's practice / doctor's practice / eye clinic | the {k} {n} | You answer the phone in the {k} {n}. / {n} is {ak}. | address / city;opening hours / opening time;opening hours / closing time;doctor / boss;opening hours / next free appointment
@place
doctor | mr | {v} is the doctor here. / {v} sees the patients. | Who is the doctor? / what is the doctor called / Who sees the patients? | who the doctor is | The doctor is {v}. / {v} is the doctor.
~holiday | when | We are on holiday until {v}. / The practice is on holiday until {v}. | Until when are you on holiday? / when are you back / How long are you on holiday? / When do you come back? | when you are back / until when you are on holiday | We are on holiday until {v}. | Are you on holiday until {w}?
next free appointment | when | The next appointment is free on {v}. | When can I come? / when is the next free appointment / When do you have time for me? / I need an appointment. When is it possible? | when the next appointment is free | The next free appointment is on {v}. | Is the next free appointment on {w}?
emergency number | phone | In an emergency people call {v}. | Whom do I call in an emergency? / what number do i call in an emergency | which number I call in an emergency | In an emergency, call {v}.
# cinema | we | cinema / open-air cinema / film club | the {k} {n} | You sell tickets for the {k} {n}. / {n} is {ak}. | address / city;opening hours / opening time;opening hours / closing time
@place
film tonight | films | Tonight we show "{v}". | What's on tonight? / which film do you show tonight / What can I see tonight? / What film is on? | which film is on tonight | Tonight we show "{v}". | Do you show "{w}" tonight?
~film start | pm | The film starts at {v}. | When does the film start? / what time is the film / At what time does the film begin? | when the film starts | The film starts at {v}. | Does the film start at {w}?
ticket price | price | A ticket costs {v}. / You pay {v} for a ticket. | How much is a ticket? / what does a ticket cost / What do I pay for a seat? | how much a ticket costs | A ticket costs {v}. | Does a ticket cost {w}?
number of seats | count | The {k} has {v} seats. | How many seats do you have? / how many people fit in | how many seats there are | We have {v} seats. | Do you have {w} seats?
# campsite | we | campsite / zoo / animal park / farm | the {k} {n} | You are the guide of the {k} {n}. / {n} is {ak}. | address / city;opening hours / opening time;opening hours / closing time
@place
ticket price | price | A ticket costs {v}. / You pay {v} to come in. | How much is a ticket? / what does it cost to get in / How much do I pay at the gate? | how much a ticket costs | A ticket costs {v}. / You pay {v} to get in. | Does a ticket cost {w}?
~feeding time | am | The animals are fed at {v}. | When are the animals fed? / what time do you feed the animals | when the animals are fed | The animals are fed at {v}. | Are the animals fed at {w}?
~youngest animal | animals | The youngest animal here is {an_v}. | Which animal is the youngest? / what is your youngest animal | which animal is the youngest | The youngest is {an_v}.
~elephant | petname | Our elephant is called {v}. | What is the elephant called? / whats the name of your elephant | what the elephant is called | Our elephant is called {v}. | Is the elephant called {w}?
# company | we | company / firm / start-up | the {k} {n} | Our company is called {n}. / You write for the {k} {n}. / {n} is {ak}. / You were made by the {k} {n}. | city / address
boss | full | {v} is the boss of {n}. / {v} leads the {k}. | Who's the boss there? / who is the boss / Who leads the {k}? / Who is in charge? | who the boss is / who leads the {k} | The boss is {v}. / {v} leads the {k}. | Is {w} the boss?
~products | industries | {n} makes {v}. / We make {v}. | What do you make? / what does {n} make / What does your company make? / What are your products? | what you make / what {n} makes | We make {v}. / {n} makes {v}. | Do you make {w}?
city | town | We are based in {v}. / {n} has its office in {v}. | Where are you based? / In which city is your office? / where is the {k} | where you are based / in which city you are | We are based in {v}. / Our office is in {v}. | Are you based in {w}?
year of founding | year | {n} was founded in {v}. / We have been there since {v}. | When was {n} founded? / how old is the {k} / Since when do you exist? | when {n} was founded | {n} was founded in {v}. | Was {n} founded in {w}?
number of employees | count | {v} people work for {n}. / We have {v} employees. | How many people work for you? / how many employees do you have / How big is the {k}? | how many people work for you | {v} people work for us. / We have {v} employees. | Do {w} people work for you?
phone number | phone | People can call {v}. | How can I call you? / which number can i call | which number I can call | You can call us at {v}.
email address | mail | You can write to {v}. | Where can I write to? / how do i reach you by mail | where I can write to | You can write to us at {v}.
founder | full | {n} was founded by {v}. / {v} founded the {k}. | Who founded {n}? / who started the {k} / Who is the founder? | who founded {n} | {n} was founded by {v}.
# meeting | it | meeting / team meeting / board meeting / parents' evening | the {k} | You plan the {k}. / Facts of the {k}. / Help people with questions about the {k}. | date / day;chair / organiser
@event
topic | topics | We talk about {v}. / The {k} is about {v}. | What is it about? / what do we talk about / What is the {k} about? | what the {k} is about | It is about {v}. / The topic is {v}. | Is it about {w}?
length | minutes | It takes {v}. / The {k} lasts {v}. | How long does it take? / how long is the {k} / How much time does it need? | how long it takes | It takes {v}. / The {k} lasts {v}. | Does it take {w}?
chair | who | {v} is in the chair. / {v} leads the {k}. | Who leads the {k}? / who is in the chair | who leads the {k} | {v} leads the {k}. | Does {w} lead the {k}?
~minutes | who | {v} writes the minutes. | Who writes the minutes? / who takes the notes / Who is writing it all down? | who writes the minutes | {v} writes the minutes. | Does {w} write the minutes?
# wedding | it | wedding | the {k} | You help the guests of the {k}. / You answer the guests of the {k}. | date / day
@event
bride | girl | The bride is called {v}. | Who is the bride? / what is the name of the bride / What is the bride called? | who the bride is | The bride is {v}. | Is the bride called {w}?
groom | boy | The groom is called {v}. | Who is the groom? / what is the name of the groom / What is the groom called? | who the groom is | The groom is {v}. | Is the groom called {w}?
~dress code | clothes | Guests wear {v}. / Everybody wears {v}. | What should I wear? / what do the guests wear / What is the dress code? | what I should wear / what the guests wear | You should wear {v}. / Guests wear {v}.
cake | cakes | The wedding cake is {v}. | What cake will there be? / what kind of cake is it / What kind of wedding cake is there? | what cake there will be | The wedding cake is {v}. | Is the cake {w}?
music | music | A band plays {v}. | What music will there be? / what does the band play | what music there will be | A band plays {v}. | Is there {w}?
# concert | it | concert / festival / show / open-air concert | the {k} | You sell tickets for the {k}. / You answer fans who want to see the {k}. | date / day
@event
band | named | The band is called {v}. / {v} are playing. | Who is playing? / which band plays / What is the band called? | which band is playing / what the band is called | The band is called {v}. / {v} are playing. | Is the band called {w}?
ticket price | price | A ticket costs {v}. | How much is a ticket? / what does a ticket cost / How much do I pay to get in? | how much a ticket is | A ticket costs {v}. | Does a ticket cost {w}?
style | music | They play {v}. | What kind of music do they play? / what music is it | what kind of music they play | They play {v}. | Do they play {w}?
opening act | acts | First comes {v}. / {V} opens the evening. | Who plays first? / what is the opening act | who plays first | The opening act is {v}. / First comes {v}.
last train home | pm | The last train home leaves at {v}. | When does the last train leave? / how do I get home, when is the last train | when the last train leaves | The last train home leaves at {v}. | Does the last train leave at {w}?
# party | it | party / birthday party / summer party / picnic / quiz night / street party / costume party | the {k} | You help the guests of the {k}. / You plan {ak}. | date / day;host / organiser
@event
host | who | {v} is the host. / {v} invites everybody. | Who is the host? / who invited us / Who gives the {k}? | who the host is | {v} is the host. / The host is {v}. | Is {w} the host?
end | pm | It ends at {v}. / The {k} is over at {v}. | When is it over? / how long does it go on / What time does it end? | when it ends / how long it goes on | It ends at {v}. / The {k} ends at {v}. | Does it end at {w}?
music | music | There will be {v} all evening. | What music will there be? / what kind of music do they play | what music there will be | There will be {v}. | Will there be {w}?
~dress code | clothes | Everybody comes in {v}. | What should I wear? / what do people wear | what I should wear | Everybody comes in {v}.
# trip | it | trip / school trip / journey / bus tour / hike | the {k} | You are the travel guide of the {k}. / You prepare {ak}. | leaving on / date
destination | town | The {k} goes to {v}. / We go to {v}. | Where do we go? / where does the {k} go / Where are we going? / What is the goal of the {k}? | where the {k} goes / where we are going | The {k} goes to {v}. / We go to {v}. | Do we go to {w}?
~leaving on | when | We leave on {v}. / The {k} begins on {v}. | When do we leave? / on which day do we leave / When does the {k} begin? | when we leave | We leave on {v}. | Do we leave on {w}?
departure time | am | We leave at {v} sharp. / Departure is at {v}. | At what time do we leave? / what time do we start / How early do I have to be there? | at what time we leave | We leave at {v}. | Do we leave at {w}?
~length | days | The {k} lasts {v}. / We are away for {v}. | How long are we away? / how long does the {k} last | how long the {k} lasts / how long we are away | The {k} lasts {v}. / We are away for {v}. | Does it last {w}?
price | dear | The {k} costs {v}. / Everyone pays {v}. | How much is it? / what does the {k} cost / What do I have to pay? | how much the {k} costs | The {k} costs {v}. / You pay {v}. | Does it cost {w}?
guide | who | {v} leads the group. / The guide is called {v}. | Who is the guide? / who leads the group / Who's the boss there? | who leads the group / who the guide is | The guide is {v}. / {v} leads the group. | Is {w} the guide?
meeting point | sights | We meet at {v}. | Where do we meet? / where do i have to be | where we meet | We meet at {v}. | Do we meet at {w}?
~bring | bring | Everybody takes {v} along. | What should I bring? / what do i need to take along / What must I pack? | what I should bring | Please bring {v}.
~vehicle | vehicles | We travel by {v}. | How do we get there? / how do we travel | how we get there | We travel by {v}. | Do we travel by {w}?
# course | it | cooking course / language course / drawing course / first aid course / computer course / dance course / sewing course | the {k} | You answer people who want to take the {k}. / You look after the {k}. | 
teacher | mr | {v} teaches the {k}. / The teacher is {v}. | Who is the teacher? / who teaches the {k} / Who gives the course? | who teaches it / who the teacher is | {v} teaches it. / The teacher is {v}. | Is {w} the teacher?
day | day | The {k} is on {v}s. / It takes place every {v}. | On which day is it? / which day is the {k} / When is the {k}? | on which day it is | It is on {v}s. / The {k} is every {v}. | Is it on {w}s?
room | room | It is held in {v}. | Where is it? / which room is it in / Where do I have to go? | where it is / which room it is in | It is in {v}. | Is it in {w}?
fee | dear | The {k} costs {v}. | How much is the course? / what does it cost / What do I have to pay? | how much it costs | The {k} costs {v}. / It costs {v}. | Does it cost {w}?
length | weeks | It lasts {v}. | How long is the course? / how many weeks does it take / How long does it last? | how long it lasts | It lasts {v}. / The {k} lasts {v}. | Does it last {w}?
number of places | few | There are {v} places. | How many people can take part? / how many places are there | how many places there are | There are {v} places. | Are there {w} places?
first lesson | date | The first lesson is on {v}. | When is the first lesson? / when do we begin | when the first lesson is | The first lesson is on {v}. | Is the first lesson on {w}?
~bring | bring | You should bring {v}. | What should I bring? / what do i need for the first lesson | what I should bring | Please bring {v}.
# class | it | class 3b / class 7a / class 5c / class 10d / class 2a | {k} | You are the helper of {k}. / You answer the parents of {k}. / You know the plans of {k}. | 
teacher | mr | {v} teaches the class. / The teacher is {v}. | Who is the teacher? / who teaches the class / What is the teacher's name? | who the teacher is | The teacher is {v}. | Is {w} the teacher?
room | room | The class sits in {v}. / Lessons are in {v}. | Where is the class? / in which room are the lessons / Which room are they in? | where the class is / which room the class is in | The class is in {v}. | Is the class in {w}?
number of pupils | pupils | {v} pupils are in the class. | How many pupils are there? / how many children are in the class / How big is the class? | how many pupils there are | There are {v} pupils. | Are there {w} pupils?
~exam | when | There is a test on {v}. | When is the test? / when do they write the test / On which day is the test? | when the test is | The test is on {v}. | Is the test on {w}?
~subject of the test | exams | The test is in {v}. | What is the test about? / in which subject is the test | what subject the test is in | The test is in {v}. | Is the test in {w}?
~homework | pages | The homework is {v}. / For homework they do {v}. | What is the homework? / what do they have to do for homework / Is there homework? | what the homework is | The homework is {v}.
~trip | town | In June they go to {v} together. | Where does the class go in June? / where is the class trip going | where the class trip goes | The class goes to {v} in June. | Does the class go to {w} in June?
~class pet | petkinds | The class has {an_v} as a pet. | What pet does the class have? / which animal lives in the classroom | which pet the class has | The class has {an_v}. | Does the class have {an_w}?
# team | it | football team / chess team / hockey team / rowing team / relay team / basketball team | the {k} {n} | You speak for the {k} {n}. / Fans ask you about {n}, {ak}. / {n} is {ak}. | 
coach | who | {v} is the coach. / The team is trained by {v}. | Who is the coach? / who trains the team / Who's the boss there? | who the coach is / who trains the team | The coach is {v}. / {v} trains the team. | Is {w} the coach?
captain | who | {v} is the captain. | Who is the captain? / what is the captain called | who the captain is | The captain is {v}. | Is {w} the captain?
next game | when | The next game is on {v}. / The team plays again on {v}. | When is the next game? / when do they play again / On which day do they play? | when the next game is | The next game is on {v}. / They play on {v}. | Is the next game on {w}?
next opponent | word | Next they play against {v}. | Who do they play against? / who is the opponent / Against whom do they play next? | who they play against | They play against {v}. / The opponent is {v}. | Do they play against {w}?
~team colour | colour | The players wear {v}. | What colour do they wear? / which colour does the team have / What colour are the shirts? | what colour they wear | They wear {v}. / The players wear {v}. | Do they wear {w}?
number of players | few | The team has {v} players. | How many players are there? / how many players does the team have / How big is the team? | how many players there are | The team has {v} players. / There are {v} players. | Are there {w} players?
home town | town | The team comes from {v}. | Where does the team come from? / which city are they from | where the team comes from | The team comes from {v}. | Are they from {w}?
~last result | score | The last game ended {v}. | How did the last game end? / what was the score of the last game | how the last game ended | The last game ended {v}. | Did the last game end {w}?
# club | it | book club / chess club / garden club / photo club / running club / film club / knitting circle / choir | the {k} {n} | You answer new members of the {k} {n}. / {n} is {ak}. | 
chairperson | who | {v} runs the {k}. | Who runs the {k}? / who is in charge / Who's the boss there? / who leads the {k} | who runs the {k} / who is in charge | {v} runs the {k}. / The chairperson is {v}.
meeting day | day | The {k} meets on {v}s. / Members meet every {v}. | On which day do they meet? / when does the {k} meet / When are the meetings? | when they meet / on which day the {k} meets | They meet on {v}s. / The {k} meets every {v}. | Do they meet on {w}s?
meeting place | room | They meet in {v}. | Where do they meet? / where does the {k} meet / Where do I have to go? | where they meet | They meet in {v}. / The {k} meets in {v}. | Do they meet in {w}?
number of members | count | The {k} has {v} members. | How many members are there? / how many people are in the {k} / How big is the {k}? | how many members there are | The {k} has {v} members. | Are there {w} members?
yearly fee | price | Members pay {v} a year. | How much do members pay? / what does it cost to be a member | how much members pay | Members pay {v} a year. | Do members pay {w}?
founder | full | {v} founded the {k}. | Who founded the {k}? / who started it | who founded the {k} | {v} founded the {k}. | Did {w} found it?
year of founding | year | It was founded in {v}. | When was the {k} founded? / how old is the {k} / since when does it exist | when it was founded | It was founded in {v}. / The {k} was founded in {v}. | Was it founded in {w}?
# train | it | train / night train / ferry / express bus / coach / boat | the {k} {n} | You answer passengers of the {k} {n}. / You are at the information desk for the {k} {n}. | 
destination | town | The {k} goes to {v}. / It takes people to {v}. | Where does the {k} go? / where does it go / Where will it take me? | where the {k} goes | The {k} goes to {v}. / It goes to {v}. | Does it go to {w}?
departure time | am | The {k} leaves at {v}. | When does the {k} leave? / what time does it leave / At what time do we leave? / when do we go | when it leaves / what time the {k} leaves | It leaves at {v}. / The {k} leaves at {v}. | Does it leave at {w}?
arrival time | pm | It arrives at {v}. | When does it arrive? / what time do we get there / When are we there? | when it arrives / when we get there | It arrives at {v}. / The {k} arrives at {v}. | Does it arrive at {w}?
platform | platform | It leaves from platform {v}. / The {k} stands at platform {v}. | Which platform is it? / from which platform does the {k} leave / Which platform do I have to go to? | which platform it leaves from | It leaves from platform {v}. | Does it leave from platform {w}?
~delay | minutes | The {k} is late by {v}. / It has a delay of {v}. | How late is it? / how late is the {k} today / Is it on time? How late is it? | how late the {k} is | The {k} is late by {v}. / It is {v} late. | Is it {w} late?
~reason of the delay | reasons | It is late because of {v}. | Why is it late? / why is the {k} late / What is the reason for the delay? | why it is late | It is late because of {v}. | Is it late because of {w}?
ticket price | price | A ticket costs {v}. | How much is a ticket? / what does the ride cost / What do I pay for a ticket? | how much a ticket costs | A ticket costs {v}. / You pay {v} for a ticket. | Does a ticket cost {w}?
driver | mr | {v} drives the {k}. | Who drives the {k}? / who is at the wheel today / what is the driver called | who drives the {k} | {v} drives the {k}. / The driver is {v}. | Is {w} the driver?
# product | it | @goods | the {k} {n} | You sell the {k} {n}. / Customers ask you about the {k} {n}. / {n} is our new {k}. | 
price | dear | It costs {v}. / The {k} costs {v}. | How much is it? / what does it cost / How much is the {k}? / How much do I have to pay for it? | how much it costs / what the {k} costs | It costs {v}. / The {k} costs {v}. | Does it cost {w}?
colour | colour | It comes in {v}. | What colour is it? / what color does it have / In which colour does it come? | what colour it is | It is {v}. / It comes in {v}. | Is it {w}?
weight | kg | It weighs {v}. | How heavy is it? / how much does it weigh / What does the {k} weigh? | how heavy it is / how much it weighs | It weighs {v}. / The {k} weighs {v}. | Does it weigh {w}?
material | materials | It is made of {v}. | What is it made of? / what's the {k} made of / Which material is it? | what it is made of | It is made of {v}. | Is it made of {w}?
guarantee | years | The guarantee is good for {v}. | How long is the guarantee? / how many years of guarantee are there | how long the guarantee lasts | The guarantee lasts {v}. | Is the guarantee {w} long?
maker | named | {v} makes it. / It is made by {v}. | Who makes it? / which company makes the {k} / Who is it by? | who makes it | It is made by {v}. / {v} makes it. | Is it made by {w}?
delivery time | days | It arrives {v} after the order. | How long does delivery take? / when will it be here if I order now | how long delivery takes | Delivery takes {v}. | Does delivery take {w}?
# gadget | it | @gadgets | the {k} {n} | You explain the {k} {n}. / You are the manual of the {k} {n}. / You help people who bought the {k} {n}. | 
~start | buttons | It is turned on with {v}. / {V} turns it on. | How do I turn it on? / how does it start / How do I switch on the {k}? | how I turn it on | You turn it on with {v}. | Do I turn it on with {w}?
~power | power | It runs on {v}. / The {k} is powered by {v}. | What does it run on? / what powers it / Where does it get its power from? | what it runs on | It runs on {v}. | Does it run on {w}?
price | dear | It costs {v}. | How much is it? / what does the {k} cost / What do I pay for it? | how much it costs | It costs {v}. / The {k} costs {v}. | Does it cost {w}?
colour of the light | colour | When it is ready, a {v} light goes on. | Which light shows that it is ready? / what colour is the light when it is ready | what colour the light is | The light is {v} when it is ready. | Is the light {w}?
running time | runtime | One charge lasts {v}. | How long does a charge last? / how long does it run | how long a charge lasts | A charge lasts {v}. | Does a charge last {w}?
guarantee | years | The guarantee lasts {v}. | How long is the guarantee? / how long does the guarantee last | how long the guarantee lasts | The guarantee lasts {v}. | Does the guarantee last {w}?
reset code | code | The code {v} resets it. | How do I reset it? / what code do i need to reset it | how I reset it | You reset it with the code {v}.
inventor | full | {v} invented it. | Who invented it? / who is the inventor of the {k} | who invented it | {v} invented it. | Did {w} invent it?
# app | it | app / program / web page / photo app / map app / music player / note app / chat program | the {k} {n} | You support users of the {k} {n}. / {n} is {ak}. | 
latest version | version | The latest version is {v}. / {n} is now at version {v}. | Which version is the newest? / what version is it / What is the newest version? | which version is the newest | The newest version is {v}. / It is at version {v}. | Is {w} the newest version?
price | price | It costs {v} a month. | How much is it? / what does it cost / What do I pay for {n}? | how much it costs | It costs {v} a month. | Does it cost {w} a month?
maker | named | It was made by {v}. / {v} made it. | Who made it? / who is behind {n} / Which company made it? | who made it | It was made by {v}. / {v} made it. | Was it made by {w}?
~language | langsof | It is written in {v}. | What is it written in? / which language is it written in / In which programming language is it written? | what it is written in | It is written in {v}. | Is it written in {w}?
+supported systems | *systems | It runs on {v}. | What does it run on? / on which systems does it run / Which systems can I use it on? | which systems it runs on | It runs on {v}. | Does it run on {w}? | How many systems does it run on? = It runs on {c} systems.
number of users | big | {v} people use it. | How many people use it? / how many users does it have | how many people use it | {v} people use it. | Do {w} people use it?
licence | licences | Its licence is {v}. | Which licence does it have? / what licence is it under | which licence it has | It has the licence {v}. | Is its licence {w}?
size | mb | It needs {v} of space. | How big is it? / how much space does it need | how big it is / how much space it needs | It needs {v} of space. | Does it need {w}?
# version | it | version / release / update | the {k} {n} of our program | You tell users about the {k} {n}. / Release notes of the {k} {n}. | 
release date | date | It comes out on {v}. / The {k} is out on {v}. | When does it come out? / when is the release / When can I get it? | when it comes out | It comes out on {v}. | Does it come out on {w}?
~new | *changes | New in it: {v}. / It brings {v}. | What is new in it? / what's new / What does the {k} bring? / Which new things are there? | what is new | It brings {v}. / New are {v}. | Is {w} new?
~fixed | bugs | It repairs {v}. | What was repaired? / which fault does it repair / Which bug is fixed? | what was repaired | It repairs {v}. | Does it repair {w}?
release manager | who | {v} takes care of the {k}. | Who takes care of the {k}? / who is responsible / Whom do I ask about it? | who takes care of it | {v} takes care of it. | Does {w} take care of it?
size of the download | mb | The download is {v}. | How big is the download? / how much do i have to load | how big the download is | The download is {v}. | Is the download {w}?
codename | thing | Its codename is "{v}". | What is it called inside the company? / what is the code name | what the codename is | Its codename is "{v}".
# game | it | @genres | the {k} {n} | You explain the {k} {n}. / {n} is {ak}. / You are the rule book of the {k} {n}. | 
number of players | few | It is for {v} players. / {V} people can play. | How many people can play? / how many players does it need / For how many players is it? | how many people can play | It is for {v} players. / {V} people can play. | Is it for {w} players?
~goal | goals | The goal is to {v}. / You win if you {v}. | What is the goal? / how do i win / What do I have to do to win? | how I win / what the goal is | You have to {v}. / The goal is to {v}.
~length | minutes | A round takes {v}. | How long does a round take? / how long do we play | how long a round takes | A round takes {v}. | Does a round take {w}?
lowest age | few | It is for people from {v} years on. | From what age can I play? / how old must one be to play | how old one must be | You can play from the age of {v}.
~final foe | foes | At the end you meet {v}. | Who waits at the end? / who is the last enemy / Whom do I meet at the end? | who waits at the end | At the end you meet {v}. | Is the last enemy {w}?
hero | who | You play as {v}. / The hero is called {v}. | Who is the hero? / what is the hero called / Who do I play? | who the hero is | The hero is called {v}. / You play as {v}. | Is the hero called {w}?
number of levels | few | There are {v} levels. | How many levels are there? / how many levels does it have | how many levels there are | There are {v} levels. | Are there {w} levels?
inventor | full | {v} invented it. | Who invented it? / who made this game | who invented it | {v} invented it. | Did {w} invent it?
# recipe | it | @dishes | the recipe for {k} | You explain the recipe for {k}. / Recipe: {k}. / You are a cooking helper with one recipe, {k}. | temperature / way of cooking
+ingredients | *doses | You need {v}. / For the {k} you need {v}. | What do I need? / what goes in / Which ingredients do I need? / What do I have to buy? | what I need / which ingredients go in | You need {v}. / For the {k} you need {v}. | Do I need {w}? | How many ingredients are there? = There are {c} ingredients.
cooking time | minutes | It takes {v} to cook. / It has to cook for {v}. | How long does it take? / how long must it cook / How many minutes does it need? | how long it takes / how long it has to cook | It takes {v}. / It has to cook for {v}. | Does it take {w}?
number of people | few | It is enough for {v} people. | For how many people is it? / how many people can eat / How many does it feed? | for how many people it is | It is enough for {v} people. | Is it for {w} people?
temperature | oven | The oven is at {v}. / It needs {v}. | How hot must it be? / how hot should the oven be | how hot it must be | It needs {v}. / The oven should be at {v}. | Does it need {w}?
~way of cooking | cooked | It is made {v}. | How is it made? / how do i cook it | how it is cooked | It is made {v}. | Is it made {w}?
~source | who | The recipe comes from {v}. | Who is the recipe from? / whose recipe is it | who the recipe is from | It is from {v}. / The recipe comes from {v}. | Is it from {w}?
~side | drinks | It goes well with {v}. | What goes well with it? / what should i drink with it | what goes well with it | {V} goes well with it. / It goes well with {v}. | Does {w} go well with it?
# pet | it | dog / cat / rabbit / parrot / hamster / pony / tortoise / goat | the {k} {n} | You know all about the {k} {n}. / You help the pet sitter of the {k} {n}. / {n} is {ak}. | 
~age | few | {n} is {v} years old. | How old is {n}? / how old is the {k} / What age is the {k}? | how old {n} is / how old the {k} is | {n} is {v} years old. | Is {n} {w} years old?
~food | petfood | {n} eats {v}. / {n} gets {v} to eat. | What does {n} eat? / what does the {k} eat / What do I feed {n}? / what food does it get | what {n} eats / what I should feed the {k} | {n} eats {v}. | Does {n} eat {w}?
~fear | fears | {n} is afraid of {v}. | What is {n} afraid of? / what scares the {k} / Is {n} afraid of anything? | what {n} is afraid of | {n} is afraid of {v}. | Is {n} afraid of {w}?
~bed | sleeps | {n} sleeps {v}. | Where does {n} sleep? / where does the {k} sleep / Where is its bed? | where {n} sleeps | {n} sleeps {v}. | Does {n} sleep {w}?
colour | colour | {n} is {v}. / The {k} has {v} fur. | What colour is {n}? / what color is the {k} | what colour {n} is | {n} is {v}. | Is {n} {w}?
owner | who | {n} belongs to {v}. | Who does {n} belong to? / whose {k} is it / Who owns {n}? | who {n} belongs to | {n} belongs to {v}. | Does {n} belong to {w}?
vet | mr | The vet is {v}. | Who is the vet? / which doctor does the {k} go to | who the vet is | The vet is {v}. | Is {w} the vet?
~toy | thing | {n} loves a toy, the {v}. | What toy does {n} love? / what does the {k} like to play with | what {n} plays with | {n} loves the {v}. / {n} plays with the {v}.
~walk | am | {n} goes out at {v}. | When does {n} go out? / what time do i have to take the {k} out | when {n} goes out | {n} goes out at {v}. | Does {n} go out at {w}?
# garden | it | garden / school garden / park / roof garden | the {k} {n} | You take care of the {k} {n}. / You help visitors of the {k} {n}. | 
+plants | *plants | There are {v}. / {V} grow there. | What grows there? / which plants are there / What is planted in the {k}? | what grows there / which plants there are | {V} grow there. / There are {v}. | Are there {w}? | How many kinds of plants are there? = There are {c} kinds of plants.
gardener | who | {v} is the gardener. / {v} looks after it. | Who looks after it? / who is the gardener / Who takes care of the {k}? | who looks after it | {v} looks after it. / The gardener is {v}. | Is {w} the gardener?
~biggest tree | trees | In the middle stands {v}. | What stands in the middle? / which tree stands in the middle | what stands in the middle | In the middle stands {v}.
~watering time | pm | The plants get water at {v}. | When do the plants get water? / what time do i water the plants | when the plants get water | The plants get water at {v}. | Do the plants get water at {w}?
length | metres | It is {v} long. | How long is the {k}? / how many metres is it long | how long it is | It is {v} long. | Is it {w} long?
~tool shed | rules | The tools are {v}. | Where are the tools? / where do i find the tools | where the tools are | The tools are {v}. | Are the tools {w}?
year of planting | year | It was planted in {v}. | When was it planted? / how old is the {k} | when it was planted | It was planted in {v}. | Was it planted in {w}?
# building | it | tower / bridge / castle / town hall / lighthouse / skyscraper / cathedral | the {k} {n} | You guide people through the {k} {n}. / {n} is {ak}. | 
height | metres | It is {v} high. / The {k} is {v} high. | How high is it? / how tall is the {k} / How many metres is it high? | how high it is / how tall the {k} is | It is {v} high. / The {k} is {v} high. | Is it {w} high?
architect | full | {v} built it. / It was planned by {v}. | Who built it? / who was the architect / Who planned the {k}? | who built it | It was built by {v}. / {v} built it. | Did {w} build it?
year of building | year | It was built in {v}. | When was it built? / how old is the {k} / In which year was it built? | when it was built | It was built in {v}. | Was it built in {w}?
material | styles | It is built of {v}. | What is it built of? / what's the {k} made of | what it is built of | It is built of {v}. | Is it built of {w}?
number of steps | count | There are {v} steps to the top. | How many steps are there? / how many stairs do i have to climb | how many steps there are | There are {v} steps. | Are there {w} steps?
city | town | It stands in {v}. | Where is it? / in which city does the {k} stand / Where does it stand? | where it stands / where the {k} is | It stands in {v}. / The {k} is in {v}. | Is it in {w}?
owner | full | It belongs to {v}. | Who does it belong to? / who owns the {k} | who owns it | It belongs to {v}. | Does it belong to {w}?
# city | it | city / town / village / port / island | the {k} of {n} | You guide tourists through {n}. / {n} is an invented {k}. / You are the tourist office of {n}. | 
mayor | full | {v} is the mayor. | Who is the mayor? / who's the boss there / Who runs the {k}? | who the mayor is | The mayor is {v}. / {v} is the mayor. | Is {w} the mayor?
number of people | big | {v} people live in {n}. | How many people live there? / how big is {n} / how many people live in {n} | how many people live there | {v} people live in {n}. / {v} people live there. | Do {w} people live there?
river | rivers | The river {v} flows through it. | Which river flows through it? / what's the name of the river / What is the river called? | which river flows through it | The river is called {v}. / The {v} flows through it. | Is the river called {w}?
~best sight | sights | Tourists love {v}. | What should I see? / what is there to see / What do tourists love there? | what I should see | You should see {v}. / Tourists love {v}.
~market day | day | The market is on {v}s. | When is the market? / on which day is the market / What day is market day? | when the market is | The market is on {v}s. | Is the market on {w}s?
~dish | meal | People there eat {v}. | What do people eat there? / what is the local food | what people eat there | People there eat {v}. | Do people eat {w} there?
year of founding | year | {n} was founded in {v}. | When was {n} founded? / how old is {n} | when {n} was founded | {n} was founded in {v}. | Was {n} founded in {w}?
~airport bus | platform | Bus {v} goes to the airport. | Which bus goes to the airport? / how do i get to the airport | which bus goes to the airport | Bus {v} goes to the airport. / Take bus {v}. | Does bus {w} go to the airport?
# country | it | country / kingdom / republic / empire | the {k} of {n} | {n} is an invented {k}. / You answer questions on the {k} of {n}. | 
capital | town | The capital of {n} is {v}. | What is the capital of {n}? / which city is the capital / What's the capital? | what the capital of {n} is | The capital of {n} is {v}. / The capital is {v}. | Is {w} the capital?
~ruler | full | {n} is ruled by {v}. / {v} rules the {k}. | Who rules {n}? / who is the ruler / Who's the boss there? / who rules the {k} | who rules {n} | {v} rules {n}. / {n} is ruled by {v}. | Does {w} rule {n}?
language | word | People there speak {v}. | What do they speak there? / which language do people speak in {n} / What language do people speak? | what people speak there | People there speak {v}. / They speak {v}. | Do they speak {w}?
currency | word | They pay with the {v}. / Its money is the {v}. | What do they pay with? / what is the money called / What is the money of {n}? | what the money is called | They pay with the {v}. / The money is called {v}. | Is the money called {w}?
~flag | twocolours | The flag is {v}. | What colour is the flag? / what does the flag look like / Which colours does the flag have? | what the flag looks like | The flag is {v}. | Is the flag {w}?
~exports | exports | {n} sells {v} to other countries. | What does {n} sell? / what is {n} known for / What do they sell to other countries? | what {n} sells | {n} sells {v}. | Does {n} sell {w}?
~national animal | animals | Its animal is the {v}. | What is the national animal? / which animal is on the coat of arms | what the national animal is | The national animal is the {v}. | Is the national animal the {w}?
number of people | big | {v} people live in {n}. | How many people live there? / how many people does {n} have / How big is {n}? | how many people live there | {v} people live in {n}. | Do {w} people live there?
# planet | it | planet / moon / ice planet / desert planet | the {k} {n} | {n} is an invented {k}. / You come from the {k} {n}. / You know the {k} {n}. | 
number of moons | few | {n} has {v} moons. / {V} moons go round {n}. | How many moons does {n} have? / how many moons are there / How many moons has it got? | how many moons {n} has | {n} has {v} moons. | Does {n} have {w} moons?
~ground | ground | {n} is covered with {v}. / {V} covers it. | What covers {n}? / what is {n} covered with / What do you walk on there? | what covers it / what {n} is covered with | {n} is covered with {v}. / It is covered with {v}. | Is {n} covered with {w}?
~beings | beings | {V} live there. | Who lives there? / what lives on {n} / Is there life on {n}? What kind? | who lives there | {V} live there. / On {n} live {v}. | Do {w} live there?
length of a day | dayhours | A day lasts {v} there. | How long is a day there? / how many hours does a day have on {n} | how long a day is there | A day lasts {v} there. / A day has {v}. | Does a day last {w}?
~ruler | word | {v} rules the {k}. | Who rules the {k}? / who is the boss there / Who is the ruler of {n}? | who rules it | {v} rules {n}. / {v} rules it. | Does {w} rule it?
~colour of the sky | colour | The sky is {v}. | What colour is the sky there? / what color does the sky have on {n} | what colour the sky is | The sky is {v}. | Is the sky {w} there?
discoverer | full | {v} discovered it. | Who discovered it? / who found {n} first | who discovered it | {v} discovered it. / {n} was discovered by {v}. | Did {w} discover it?
~food | meal | Its people eat only {v}. | What do its people eat? / what do they eat on {n} | what its people eat | They eat only {v}. / Its people eat {v}. | Do they eat {w}?
# project | it | project / building project / research project / film project | the {k} {n} | You keep track of the {k} {n}. / Status of the {k} {n}. | 
leader | who | {v} leads the {k}. | Who leads it? / who is in charge / Who's the boss there? / who leads the {k} | who leads it / who is in charge | {v} leads it. / The leader is {v}. | Does {w} lead it?
deadline | date | It has to be done by {v}. / The deadline is {v}. | When must it be done? / when is the deadline / By when do we have to finish? | when it must be done / when the deadline is | It has to be done by {v}. / The deadline is {v}. | Is the deadline {w}?
budget | dear | There are {v} to spend. | How much money is there? / how much can we spend / How much does it get? | how much money there is | The budget is {v}. / We can spend {v}. | Is the budget {w}?
~progress | percent | It is {v} done. | How far is it? / how much of it is done / How much is finished? | how far it is | It is {v} done. | Is it {w} done?
team size | few | {v} people work on it. | How many people work on it? / how big is the team | how many people work on it | {V} people work on it. | Do {w} people work on it?
~next step | notes | Next comes the work on {v}. | What comes next? / what do we do next / What is the next step? | what comes next | The work on {v} comes next.
weekly meeting | day | The team meets on {v}s. | When does the team meet? / on which day is the meeting | when the team meets | The team meets on {v}s. | Does the team meet on {w}s?
client | named | The client is {v}. / It is made for {v}. | Who is it for? / who is the client / Who pays for it? | who it is for / who the client is | It is for {v}. / The client is {v}. | Is it for {w}?
# minutes | it | meeting of yesterday / last meeting / meeting of the board / meeting on Tuesday | the {k} | Notes of the {k}. / You took the notes at the {k}. | 
~decision | results | It was decided {v}. / The group decided {v}. | What was decided? / what did they decide / What came out of it? | what was decided | They decided {v}. / It was decided {v}.
~present | *firstnames | {v} were there. | Who was there? / which people were at the meeting / Who came? | who was there | {v} were there. | Was {w} there? | How many people were there? = {C} people were there.
~missing | who | {v} was ill and did not come. | Who was missing? / who did not come / Who was ill? | who was missing | {v} was ill. / {v} was missing. | Was {w} missing?
~new task | notes | Somebody still has to take care of {v}. | What is still to be done? / what task is left | what is still to be done | Somebody has to take care of {v}.
next meeting | when | The next meeting is on {v}. | When do they meet again? / when is the next meeting | when the next meeting is | The next meeting is on {v}. | Is the next meeting on {w}?
~length | minutes | It lasted {v}. | How long did it last? / how long was the meeting | how long it lasted | It lasted {v}. | Did it last {w}?
~votes | few | {V} people voted yes. | How many people voted yes? / how many yes votes were there | how many people voted yes | {V} people voted yes. | Did {w} people vote yes?
# weather | it | weather today / weather for today / weather report | the {k} | You are a weather station. / You tell people the weather of the day. / Weather today. / You read the weather report. | 
~sky | weather | It is {v} today. / Today it is {v}. | What is the weather like today? / how is the weather / how's the weather today / What's it like outside? | what the weather is like / how the weather is | It is {v} today. / Today it is {v}. | Is it {w} today?
temperature | degrees | It is {v} outside. | How warm is it? / how many degrees is it / How cold is it outside? / What's the temperature outside? | how warm it is / how many degrees it is | It is {v} outside. | Is it {w} outside?
~wind | winds | The wind comes from {v}. | Where does the wind come from? / which direction is the wind from | where the wind comes from | The wind comes from {v}. | Does the wind come from {w}?
time of sunrise | dawn | The sun rises at {v}. | When does the sun rise? / what time is sunrise / When does it get light? | when the sun rises | The sun rises at {v}. | Does the sun rise at {w}?
time of sunset | pm | The sun goes down at {v}. | When does the sun go down? / what time is sunset / When does it get dark? | when the sun goes down | The sun goes down at {v}. | Does the sun go down at {w}?
chance of rain | percent | Rain comes with a chance of {v}. | How likely is rain? / how big is the chance of rain / Will it rain? How likely is it? | how likely rain is | The chance of rain is {v}.
~tomorrow | weather | Tomorrow it will be {v}. | What will it be like tomorrow? / hows the weather tomorrow / What about tomorrow's weather? | what it will be like tomorrow | Tomorrow it will be {v}. | Will it be {w} tomorrow?
water temperature | degrees | The lake is at {v}. | How warm is the lake? / how warm is the water | how warm the lake is | The lake is at {v}. | Is the lake at {w}?
# house | it | house / flat / holiday house / cabin | the {k} {n} | You explain the {k} to guests. / You know the rules of our {k}. / House rules. | 
~shoes | rules | The shoes stay {v}. | Where do the shoes go? / where do i put my shoes / Where can I leave my shoes? | where the shoes go / where I put my shoes | The shoes stay {v}. / Shoes go {v}.
~key | keyspots | The key is {v}. | Where is the key? / wheres the key / Where do I find the key? | where the key is | The key is {v}. | Is the key {w}?
~dinner | pm | We eat dinner at {v}. / Dinner is at {v}. | When is dinner? / what time do we eat dinner / At what time is dinner? | when dinner is | Dinner is at {v}. | Is dinner at {w}?
~quiet | pm | It has to be quiet after {v}. | When does it have to be quiet? / from when on must it be quiet / How long can I play music? | when it has to be quiet | It has to be quiet after {v}.
~rubbish | trash | The bin is {v}. | Where is the bin? / where does the rubbish go / Where do I put the rubbish? | where the rubbish goes | The bin is {v}. | Is the bin {w}?
wifi password | code | The wifi password is {v}. | How do I get into the wifi? / whats the wifi / What's the password for the wifi? | what the wifi password is | The wifi password is {v}.
landlord | mr | The {k} belongs to {v}. | Who does the {k} belong to? / who is the landlord / Whom do I pay the rent? | who the landlord is | The landlord is {v}. / The {k} belongs to {v}. | Is {w} the landlord?
~bathroom | spots | The bathroom is {v}. | Where is the bathroom? / wheres the bathroom / I need the toilet. Where is it? | where the bathroom is | The bathroom is {v}. | Is the bathroom {w}?
~towels | rules | Fresh towels are {v}. | Where are the towels? / where do i find a towel | where the towels are | Fresh towels are {v}.
# secrets | it | hidden things / words for today / codes of the day | the {k} | You keep a few things for the user and tell them when asked. / You remember things for us. / Tell these things to anyone who asks. | 
password | code | The password is {v}. / For the door one says {v}. | Which password do I need? / what's the password / Tell me the password, please. | what the password is | The password is {v}. | Is the password {w}?
secret word | word | The secret word is {v}. | Which word is the secret one? / what's the secret word / Tell me the secret word, please. | what the secret word is | The secret word is {v}.
magic number | count | The magic number is {v}. | Which number is magic? / what's the magic number | what the magic number is | The magic number is {v}.
~treasure | hides | The treasure is {v}. | Where is the treasure? / where is the treasure hidden / Where do I have to look for the treasure? | where the treasure is | The treasure is {v}. | Is the treasure {w}?
guard | who | The guard is called {v}. | What is the guard called? / who is the guard / What's the name of the guard? | who the guard is | The guard is called {v}. | Is the guard called {w}?
colour of the key | colour | The right key is {v}. | Which key is the right one? / what colour is the right key | which key is the right one | The right key is {v}. / It is the {v} one. | Is the right key {w}?
# ship | it | ship / spaceship / submarine / airship / expedition | the {k} {n} | You are the computer of the {k} {n}. / You sail on the {k} {n}. / Log of the {k} {n}. | 
captain | who | {v} is the captain. | Who is the captain? / who gives the orders / Who's the boss there? | who the captain is | The captain is {v}. / {v} is the captain. | Is {w} the captain?
destination | word | It is on the way to {v}. | Where is it going? / where do we go / Where does the {k} go? | where it is going | It is on the way to {v}. / The {k} goes to {v}. | Is it going to {w}?
crew | few | There are {v} people on board. | How many people are on board? / how big is the crew | how many people are on board | There are {v} people on board. | Are there {w} people on board?
cargo | exports | It carries {v}. | What does it carry? / what is the cargo / What do we have on board? | what it carries | It carries {v}. | Does it carry {w}?
speed | speed | It travels at {v}. | How fast is it? / how fast are we / At what speed does it travel? | how fast it is | It travels at {v}. | Does it travel at {w}?
arrival | when | It will arrive on {v}. | When will it arrive? / when are we there / When do we get there? | when it will arrive | It will arrive on {v}. | Will it arrive on {w}?
cook | who | {v} cooks on board. | Who cooks? / what is the cook called / Who makes the food? | who cooks | {v} cooks on board. / The cook is {v}. | Is {w} the cook?
ship's cat | petname | The cat on board is called {v}. | What is the cat called? / what is the name of the cat on board | what the cat is called | The cat is called {v}. | Is the cat called {w}?
# book | it | book / novel / comic / story book | the {k} "{n}" | You talk about the {k} "{n}". / {n} is {ak}. | 
author | full | {v} wrote it. / It is by {v}. | Who wrote it? / who is the {k} by / Who is the author? | who wrote it | {v} wrote it. / It is by {v}. | Did {w} write it?
hero | who | The hero is called {v}. | Who is the hero? / what is the hero called / Who is it about? | who the hero is | The hero is called {v}. | Is the hero called {w}?
~town | town | It is set in {v}. | Where is it set? / in which city does the story happen / Where does the story take place? | where it is set / where the story takes place | It is set in {v}. / The story takes place in {v}. | Is it set in {w}?
year | year | It is from the year {v}. | When was it written? / how old is the {k} / From which year is it? | which year it is from | It is from {v}. | Is it from {w}?
number of pages | count | It has {v} pages. | How long is it? / how many pages does it have / How many pages are there? | how long it is / how many pages it has | It has {v} pages. | Does it have {w} pages?
villain | who | The villain is called {v}. | Who is the villain? / what is the bad guy called / Who is the enemy? | who the villain is | The villain is called {v}. | Is the villain called {w}?
price | price | It costs {v}. | How much is it? / what does it cost / What do I pay for it? | how much it costs | It costs {v}. | Does it cost {w}?
# exam | it | exam / driving test / final exam / music exam | the {k} | You help students with the {k}. / You work at the exam office. | date / day
day | day | It is on {v}. / The {k} is on {v}. | When is the {k}? / on which day is it / when do i have to be there | when the {k} is / on which day it is | It is on {v}. / The {k} is on {v}. | Is it on {w}?
date | date | It is on {v}. / The {k} is on {v}. | When is the {k}? / on which date is it / when is it | when the {k} is / which date it is on | It is on {v}. / The {k} is on {v}. | Is it on {w}?
room | room | It takes place in {v}. | Where is it? / which room do i have to go to / Where do I have to go? | where it is / which room it is in | It is in {v}. | Is it in {w}?
length | minutes | It takes {v}. | How long does it take? / how much time do i have / How long is the {k}? | how long it takes | It takes {v}. / You have {v}. | Does it take {w}?
examiner | mr | {v} asks the questions. | Who asks the questions? / who is the examiner | who the examiner is | {v} asks the questions. / The examiner is {v}. | Is {w} the examiner?
number of questions | few | There are {v} questions. | How many questions are there? / how many questions do i have to answer | how many questions there are | There are {v} questions. | Are there {w} questions?
pass mark | percent | You pass with {v}. | How much do I need to pass? / how many percent do i need | how much one needs to pass | You pass with {v}. / You need {v} to pass. | Do I need {w} to pass?
~bring | bring | You have to bring {v}. | What do I have to bring? / what do i need to bring | what I have to bring | Please bring {v}.
# family | it | family / household | the {n} {k} | You help the {n} {k}. / You are a friend of the {n} {k}. / Remember these things about the {n} {k}: | 
mother | girl | The mother is called {v}. | What is the mother called? / who is the mother / What's the mother's name? | what the mother is called | The mother is called {v}. | Is the mother called {w}?
father | boy | The father is called {v}. | What is the father called? / who is the father / What's the father's name? | what the father is called | The father is called {v}. | Is the father called {w}?
+children | kids | There are {c} children, {v}. / The children are called {v}. | What are the children called? / who are the children / What are the names of the children? | what the children are called | The children are called {v}. / The children are {v}. | Is one of the children called {w}? | How many children are there? = There are {c} children.
dog | petname | The dog is called {v}. | What is the dog called? / what's the dog's name / What is the name of the dog? | what the dog is called | The dog is called {v}. | Is the dog called {w}?
cat | petname | The cat is called {v}. | What is the cat called? / what's the cat's name / What is the name of the cat? | what the cat is called | The cat is called {v}. | Is the cat called {w}?
home town | town | They live in {v}. | Where do they live? / where does the {k} live / In which city do they live? | where they live | They live in {v}. / The {k} lives in {v}. | Do they live in {w}?
~car | cars | They drive {an_v}. | What do they drive? / what kind of car do they have / Which car do they have? | what they drive | They drive {an_v}. | Do they drive {an_w}?
~dinner | pm | They eat dinner at {v}. | When do they eat dinner? / what time is dinner / At what time is dinner? | when they eat dinner | They eat dinner at {v}. | Is dinner at {w}?
~holidays | town | In summer they go to {v}. | Where do they go in summer? / where do they spend the holidays | where they go in summer | In summer they go to {v}. | Do they go to {w} in summer?
~game night | day | On {v}s they play games together. | When do they play games? / on which day is game night | when they play games | They play games on {v}s. | Do they play games on {w}s?
# person | n | | {n} | | wife / husband;hobby / sport;sport / instrument;favourite food / food;job / boss
@person
@mates
# user | user | | the user | | job / boss;wife / husband;hobby / sport;sport / instrument;favourite food / food
@person
@mates
# self | self | | {n} | | wife / husband;hobby / sport;sport / instrument;favourite food / food;job / boss
@person
@mates""".split("\n# ")

# ---- a fact: told, asked and answered
WRAP = "Can you tell me {e}? / Could you tell me {e}, please? / I'd like to know {e}. / I would like to know {e}, please. / Do you know {e}? / do you know {e} / Please tell me {e}. / tell me {e} / I want to know {e}. / May I ask {e}? / I need to know {e}. / I forgot {e}. / Remind me {e}. / Could you say {e}? / Would you mind telling me {e}? / Do you happen to know {e}? / hi, can you tell me {e} / Hello, I wanted to ask {e}. / Tell me {e}, please. / Please remind me {e}.".split(" / ")
BY_LABEL = "{L}? / {l}? / {l} / {What} {d}{l}? / {What} {d}{l}? / {what} {d}{l} / Tell me {d}{l}. / tell me {d}{l} please / {D}{l}, please. / I need to know {d}{l}. / Can you tell me {d}{l}? / I'd like to know {d}{l}. / Could you tell me {d}{l}?".split(" / ")
BY_PERSON = "{L}? / {l}? / {l} / Who is {d}{l}? / who is {d}{l} / whos {d}{l}? / Can you tell me who {d}{l} is? / What is the name of {d}{l}? / what's the name of {d}{l} / the name of {d}{l}? / Tell me the name of {d}{l}. / Could you tell me the name of {d}{l}? / Who's {d}{l}, please?".split(" / ")
PEOPLE = ("who", "full", "mr", "girl", "boy", "petname")
FOLLOW = "And {d}{l}? / and {d}{l}? / What about {d}{l}? / And {what} {d}{l}? / how about {d}{l}? / and {d}{l} / Okay, and {d}{l}?".split(" / ")
UNTOLD = "I wasn't told that. / I wasn't told {e}. / I don't know {e}, I wasn't told. / I have no information on that. / Nobody told me {e}. / That isn't in what I was told. / I'm sorry, I was not told {e}. / I don't know that: it isn't in what I was told. / I can't say {e}; I wasn't told.".split(" / ")
ASK_ELSE = {"the ": ["You could ask somebody who knows.", "Somebody else may know."], "your ": ["Please ask at the desk.", "Please ask one of the staff.", "A colleague of mine may know."]}
TURNED = {"we": {"you": "we", "your": "our", "I": "you", "my": "your", "I am": "you are"}, "self": {"you": "I", "your": "my", "you are": "I am", "you were": "I was"}}
def turned(view, s):
    """What the user asked for, from the speaker's side: when you close, when we close."""
    if view in ("we", "self"): s = re.sub(r"\b(for|with|to|reach|call|from|of|about) you\b(?! (are|were))", r"\1 us" if view == "we" else r"\1 me", s)
    table = TURNED.get(view, {"I": "you", "my": "your", "I am": "you are", "I was": "you were"})
    return re.sub(r"\b(you are|you were|I am|I was|you|your|I|my)\b", lambda m: table.get(m.group(0), m.group(0) if " " not in m.group(0) else table.get(m.group(0).split()[0], m.group(0).split()[0]) + " " + m.group(0).split()[1]), s)
def cut(s): return [x.strip() for x in s.split(" / ") if x.strip()]
PERSON = {"user": ("The user", "The user's", "I", "my", "You", "your"), "self": ("You", "Your", "you", "your", "I", "my")}
def verb(v, s):
    """The verb of the third person for I or you."""
    return {"is": "am" if s.lower() == "i" else "are", "has": "have", "does": "do", "did": "did", "was": "was" if s.lower() == "i" else "were", "goes": "go"}.get(v) or (v[:-1] if v.endswith("s") else v)
def seen(view, s, part):
    """A text on {n} as one on the user, or on the speaker; part: told, asked, answered."""
    if view not in PERSON: return s
    row = PERSON[view]; me, my = row[:2] if part == "told" else row[2:4] if part == "asked" else row[4:]
    if part == "told" and view == "user": return re.sub(r"\{n\}'s\b", "The user's", re.sub(r"\{n\}(?!')", "The user", s))
    s = re.sub(r"\b([Ii]s|[Dd]oes|[Hh]as|[Ww]as|[Dd]id) \{n\}(?!')", lambda m: (cap if m.group(1)[0].isupper() else str)(verb(m.group(1).lower(), me)) + " " + low_me(me), s)
    s = re.sub(r"\{n\} (\w+)", lambda m: f"{me} {verb(m.group(1), me)}", s)
    s = re.sub(r"(?<!^)\{n\}'s\b", my.lower(), re.sub(r"^\{n\}'s\b", cap(my), s))
    return re.sub(r"\{(his|him|he)\}", lambda m: {"his": my.lower(), "he": low_me(me)}.get(m.group(1), me), s)
def low_me(s): return s if s == "I" else s.lower()

class Told:
    """A field of a schema with its value."""
    def __init__(self, r, row, schema, d):
        parts = cols(row) + [""] * 8
        label, maker, self.tells, self.asks, self.clauses, self.answers, self.yes, self.count = parts[0], parts[1], *map(cut, parts[2:6]), parts[6], parts[7]
        self.auto, self.many, self.l = label[0] != "~", label[0] == "+", label.lstrip("~+")
        self.view, self.we = schema.view, schema.view == "we"; self.d = dict(d)
        self.maker = maker; (self.v, self.list), (w, ws) = value(r, maker), value(r, maker)
        self.w = self.v if r.random() < .45 else w if not ws else r.choice(ws)
        if self.list and self.w == self.v: self.w = r.choice(self.list)
        self.d.update(v=self.v, V=cap(self.v), w=self.w, an_v=an(self.v), an_w=an(self.w), c=DIGITS[len(self.list)] if self.list else ""); self.d["C"] = cap(self.d["c"])
        self.told = {"user": "The user's ", "self": "Your ", "n": "{n}'s "}.get(self.view, r.choice(["The ", "Our "]) if self.we and r.random() < .3 else "The ")
        self.det = {"user": "my ", "self": "your ", "n": "{n}'s "}.get(self.view, "your " if self.we else "the ")
        self.own = {"user": "Your ", "self": "My ", "n": "{n}'s "}.get(self.view, "Our " if self.we and self.told == "Our " else "The ")
        self.be = "are" if self.many else "is"; self.on = "on " if maker in ("when", "day", "date") and not re.search(r"(day|date|deadline)$", self.l) else ""
    def fill(self, s, part, **more): return seen(self.view, s, part).format(**{**self.d, **more})
    def right(self): return self.w == self.v or bool(self.list) and self.w in self.list
    def tell(self, r):
        said = self.tells + [f"{self.told}{self.l} {self.be} {self.on}{{v}}."] * self.auto
        s = cap(self.fill(r.choice(said), "told"))
        return re.sub(r"\bcalled (?!at|after)", "named ", s) if r.random() < .35 else s
    def line(self): return f"{cap(self.l)}: {self.v}"
    def answer(self, r):
        said = self.answers * 3 + [f"{self.own}{self.l} {self.be} {self.on}{{v}}."] * self.auto
        s = r.choice(said)
        if self.view == "n" and r.random() < .45: s = re.sub(r"^\{n\}", "{he}", re.sub(r"^\{n\}'s", "{his}", s))
        return cap(self.fill(s, "said"))
    def slots(self):
        d = self.fill(self.det, "asked"); what = "what are" if self.many else "who is" if self.maker in PEOPLE else "what is"
        return dict(l=self.l, L=cap(self.l), d=d, D=cap(d), what=what, What=cap(what))
    def question(self, r):
        z = r.random()
        if self.auto and z < .3 and self.maker != "kids": return r.choice(BY_PERSON if self.maker in PEOPLE else BY_LABEL).format(**self.slots())
        if self.clauses and z < .6: return r.choice(WRAP).format(e=self.fill(r.choice(self.clauses), "asked"))
        return self.fill(r.choice(self.asks), "asked") if self.asks else r.choice(BY_LABEL[:10]).format(**self.slots())
    def following(self, r):
        if self.auto and r.random() < .7: return r.choice(FOLLOW).format(**self.slots())
        q = self.fill(r.choice(self.asks), "asked") if self.asks else r.choice(BY_LABEL[3:5]).format(**self.slots())
        return r.choice(["And ", "and ", "Okay. And "]) + q[0].lower() + q[1:] if re.match(r"(Who|What|Wh|How|Is|Are|Do|Can|At|In|On|From|Un)", q) else q
    def short(self): return (self.v, "named") if self.maker in ("code", "mail", "version") else (cap(self.v), as_named(self.v))
    def turn(self, r, follow=False):
        s, k = self.short(); q = self.following(r) if follow else careless(r, self.question(r))
        return T(q, self.answer(r), s, k)
    def sure(self, r):
        """A question for yes or no, or None."""
        if not self.yes and (not self.auto or self.list): return None
        q, _, other = self.yes.partition(" = "); flip = q[:1] == "!"; a = self.answer(r)
        q = self.fill(q.lstrip("!"), "asked") if q else f"{cap(self.be)} {self.slots()['d']}{self.l} {self.on}{self.w}?"
        yes = self.right() != flip
        if flip and yes: a = self.fill(other, "said")
        x = "Yes" if yes else "No"; return T(careless(r, q), f"{x}, {a if self.proper(a) else low(a)}", x, "fact")
    def proper(self, a): return a.startswith((self.d.get("n", "\0"), "I ")) or a.startswith(self.v) and self.v[0].isupper()
    def counted(self, r):
        if not self.count or not self.list: return None
        q, _, a = self.count.partition(" = ")
        return T(careless(r, self.fill(q, "asked")), cap(self.fill(a, "said")), cap(self.d["c"]), "fact")
    def backward(self, r):
        """Who somebody is, asked by the name, or None."""
        if self.maker not in ("girl", "boy", "petname") and self.l != "best friend" or not self.auto and self.view == "we" or r.random() < .4: return None
        if self.view not in ("n", "user", "self") and self.l not in ("mother", "father", "dog", "cat", "bride", "groom"): return None
        s = self.own[0].lower() + self.own[1:] if self.view != "n" else self.own
        return T(careless(r, self.fill(r.choice(["Who is {v}?", "who is {v}", "Who's {v}?", "Do you know who {v} is?", "Tell me who {v} is."]), "asked")), self.fill("{v} is ", "said") + self.fill(s, "said") + self.l + ".", cap(self.fill(s, "said") + self.l), "named" if self.view == "n" else "fact")
    def untold(self, r):
        e = self.fill(r.choice(self.clauses), "asked") if self.clauses else None
        e = e and turned(self.view, e)
        a = r.choice([x for x in UNTOLD if e or "{e}" not in x]).format(e=e)
        if self.det in ASK_ELSE and r.random() < .25 and self.view != "self": a += " " + r.choice(ASK_ELSE[self.det])
        return T(careless(r, self.question(r)), a, "I don't know", "no")

# ---- a schema: what is told about and its fields
class Schema:
    def __init__(self, text):
        head, *rows = [x for x in text.strip().split("\n") if x]
        self.key, self.view, kinds, self.x, leads, apart = (cols(head) + [""] * 3)[:6]
        self.kinds, self.leads = POOL[kinds[1:]] if kinds[:1] == "@" else cut(kinds) or [self.key], cut(leads)
        self.apart = [set(cut(group)) for group in apart.split(";") if group]
        self.rows = [row for row in rows if row[0] != "@"] + [row for a in rows if a[0] == "@" for row in SHARED[a[1:]]]
        self.called = self.view not in PERSON and "{n}" in "".join(self.rows) and self.view != "n"  # its name has to be told
def label(row): return row.split(" | ")[0].lstrip("~+ ")
def clash(schema, a, b): return label(a) == label(b) or any(label(a) in g and label(b) in g for g in schema.apart)
LEADS = "You are the assistant of {x}. / You answer questions about {x}. / You know: / Here is what you know about {x}: / You help people who ask about {x}. / Facts about {x}: / Information on {x}: / You know all about {x}. / This is about {x}. / Answer questions about {x}. / Use these facts about {x}. / Context: {x}. / You are an assistant. Someone will ask you about {x}.".split(" / ")
WE_LEADS = "You are the assistant of {x}. / You work at {x}. / You help guests of {x}. / You answer the questions of visitors of {x}. / You are the help desk of {x}. / You are the chat bot of {x}. / You sit at the front desk of {x}. / You are the friendly voice of {x}. / You know: / You speak for {x}. / Information for guests of {x}: / You reply to people who write to {x}. / Welcome desk of {x}.".split(" / ")
USER_LEADS = "You know the user well. / Here is what you know about the user: / About the user: / You help one person. / You are a helpful assistant. / What you know about the user: / Notes on the user: / User profile: / You are the user's own assistant. / You are a helpful assistant who knows the user. / Facts about the user:".split(" / ")
SELF_LEADS = "You are {n}. / You are called {n}. / Your name is {n}. / You play a person called {n}. / You are {n}, a character in a story. / Stay in your role: you are {n}.".split(" / ")
N_LEADS = "This is about {n}. / You answer questions about {n}. / You know {n} well. / Here is what you know about {n}: / Facts about {n}: / You are the assistant of {n}. / You are a helpful assistant. / You know: / Notes on {n}: / Profile of {n}: / Remember this about {n}.".split(" / ")
TAILS = "Answer questions about it. / Answer the questions of the user. / Be friendly. / Tell people what they ask. / Answer from these facts. / If somebody asks, tell them. / Help with questions. / What is not here you do not know.".split(" / ")
HEADS = "Facts: / # Facts / Information: / What you know: / ## Information / Notes: / Details: / # Details / Data:".split(" / ")
def paired(r, tells):
    """Some sentences made one of two."""
    out = []
    for s in tells:
        if out and r.random() < .2 and re.match(r"(The|We|It|You|Our|There|They|Your|In|On|A|Everybody) ", s) and not re.search(r" and |: |\?", out[-1] + s): out[-1] = f"{out[-1].rstrip('.')} and {low(s)}"
        else: out.append(s)
    return out
def laid(r, lead, facts, keyed):
    """The prompt: a lead and the facts in prose, in lines, or as keys and values."""
    how = r.choices(("prose", "lines", "dashes", "keys", "dashed keys", "one line", "headed"), (44, 10, 12, 12, 8, 7, 7))[0]
    tells = [f.tell(r) for f in facts]; keys = [f.line() for f in facts] if keyed else tells
    if not keyed and how == "one line": how = "lines"
    if how == "prose":
        cutoff = r.randrange(1, len(tells)) if len(tells) > 2 and r.random() < .08 else len(tells)
        s = " ".join([lead] + paired(r, tells[:cutoff]) + [k.rstrip(".") + "." for k in keys[cutoff:]])
    elif how == "one line": s = lead + " " + r.choice(["; ", ", ", " | ", ". "]).join(keys) + "."
    else:
        mark = "- " if how in ("dashes", "dashed keys") or how == "headed" and r.random() < .5 else ""
        xs = keys if "keys" in how or how == "headed" and r.random() < .5 else tells
        s = "\n".join([lead] + (["", r.choice(HEADS)] if how == "headed" else []) + [mark + x for x in xs])
    if r.random() < .2: s += ("\n" if "\n" in s else " ") + r.choice(TAILS)
    return s.strip()
def lead_of(r, schema, d):
    leads = {"we": WE_LEADS, "user": USER_LEADS, "self": SELF_LEADS, "n": N_LEADS}.get(schema.view, LEADS)
    if r.random() < .12 and (schema.view in PERSON or schema.view == "we" and not schema.called): return ""
    lead = r.choice(schema.leads if schema.leads and r.random() < .55 else leads)
    told = r"\{[xn]\}" if schema.called else r"\{(x|n|k|ak)\}" if schema.view == "it" and schema.key not in ("weather", "secrets", "house") else ""
    return lead.format(**d) if re.search(told, lead) else lead_of(r, schema, d)
def person(r):
    """A name and its pronouns."""
    she = r.random() < .5; d = dict(n=r.choice(bank.GIRLS if she else bank.BOYS))
    return dict(d, he="she", his="her", him="her") if she else dict(d, he="he", his="his", him="him")
CALLED = {"pet": "petname", "family": "surnames", "city": "word", "country": "word", "planet": "word", "version": "version", "book": "films"}
def drawn(r, schema):
    """The kind, the name and the pronouns that the texts of a schema may have."""
    d = person(r) if schema.view in ("n", "self", "user") else dict(n=value(r, CALLED.get(schema.key, "named"))[0])
    k = r.choice(schema.kinds); d.update(k=k, ak=an(k))
    return dict(d, x=schema.x.format(**d) or "the " + k)

SCHEMAS = [Schema(text) for text in SCHEMAS]
SCHEMAS += [s for s in SCHEMAS for _ in range({"n": 1, "user": 3, "self": 1}.get(s.view, 0))]

# ---- lists of things with a value each: key | leads | things | value (or "{} unit:low:high") | tells | questions | clauses | answers |
# comparisons (+ the most, - the least, > the greater of two, < the lesser) | is it on the list: yes, no | which has this value | all of them
ENTRIES = [cols(line) for line in """menu | Menu of the café {n}. / You take orders at {n}. / You are the waiter of the restaurant {n}. / The menu of today: / You work in a snack bar. | eats | price:3:40 | {I} costs {v}. / {I} is {v}. | How much is {i}? / what does {i} cost / What do I pay for {i}? / I'd like {i}. How much is that? / price of {i}? / how much for {i}? | how much {i} costs / what {i} costs / the price of {i} | {I} costs {v}. / {I} is {v}. | +What is the most expensive thing you have? = The most expensive is {i}, at {v}. / -What is the cheapest thing? = The cheapest is {i}, at {v}. / -which dish is the cheapest = {I} is the cheapest, at {v}. / <Which is cheaper, {i} or {j}? = {I} is cheaper. / >What costs more, {i} or {j}? = {I} costs more. | Do you have {i}? = Yes, {i} costs {v}. = No, {i} is not on the menu. | What can I get for {v}? = For {v} you get {i}. | What is on the menu? / What do you have? / what can i order = We have {all}.
tickets | You sell tickets at the {p} {n}. / Prices of the {p} {n}. / You are the cashier of the {p} {n}. | tickets | price:2:60 | {I} costs {v}. / {I} is {v}. | How much is {i}? / what does {i} cost / What do I pay for {i}? / price of {i}? / I need {i}. How much is it? | how much {i} costs / what {i} costs | {I} costs {v}. / You pay {v} for {i}. | +Which is the most expensive? = {I} costs most: {v}. / -What is the cheapest you have? = The cheapest is {i}, at {v}. / <What is cheaper, {i} or {j}? = {I} is cheaper. / >Which costs more, {i} or {j}? = {I} costs more. | Can I get {i}? = Yes, {i} costs {v}. = No, we don't have {i}. | What costs {v}? = {I} costs {v}. | What can I get? / what kinds do you have / What do you offer? = We have {all}.
stock | Stock list of the shop {n}. / You keep the store room of {n}. / In the store there are these things: / You know what is in the store. / Stock of today: | goodsmany | {}:2:200 | There are {v} {i}. / We have {v} {i}. | How many {i} are there? / how many {i} do we have / How many {i} are left? / number of {i}? / How many {i} have you got? | how many {i} there are / how many {i} are left | There are {v} {i}. / We have {v} {i}. | +What do we have most of? = Most of all we have {i}: {v}. / -Of which thing are there the fewest? = The fewest are the {i}: {v}. / >Are there more {i} or more {j}? = There are more {i}. / <Of what are there fewer, {i} or {j}? = There are fewer {i}. | Do we have {i}? / Are there any {i}? = Yes, there are {v} {i}. = No, there are no {i} on the list. | Of what are there exactly {v}? = There are {v} {i}. | What is in stock? / what do we have / What is on the list? = We have {all}.
contacts | Contact list: / You know the phone numbers of the office. / Phone list of {n}. / You give people the right number. | who | phone | {I}'s number is {v}. / {I} has the number {v}. | What is {i}'s number? / how can i call {i} / What's the phone number of {i}? / {i}'s number please / I have to call {i}. Which number? | what {i}'s number is / which number {i} has / the number of {i} | {I}'s number is {v}. / {I} has the number {v}. | | Do you have {i}'s number? = Yes, {i}'s number is {v}. = No, {i} is not on my list. | Whose number is {v}? / who has the number {v} = It is {i}'s number. | Who is on the list? / whose numbers do you have = On the list are {all}.
departures | Timetable of the station {n}. / You stand at the information desk of the station {n}. / Timetable: / Departures: / You tell passengers when the buses leave. | lines | {}:time | {I} leaves at {v}. / {I} goes at {v}. | When does {i} leave? / what time does {i} go / At what time does {i} leave? / when is {i} going / I want to take {i}. When does it leave? | when {i} leaves / what time {i} goes | {I} leaves at {v}. | +Which one is the last to leave? = {I} leaves last, at {v}. / -Which one leaves first? = {I} leaves first, at {v}. / <Which leaves earlier, {i} or {j}? = {I} leaves earlier. / >Which leaves later, {i} or {j}? = {I} leaves later. | Does {i} go today? = Yes, it leaves at {v}. = No, {i} is not on the list. | What leaves at {v}? = {I} leaves at {v}. | Which departures are there? / what is on the timetable = There are {all}.
platforms | You work at the station {n}. / Platforms of today: / You are the screen of the station {n}. | lines | platform {}:1:20 | {I} leaves from {v}. / {I} stands at {v}. | From where does {i} leave? / which platform is it for {i} / At which platform is {i}? / Which platform for {i}, please? / platform for {i}? | which platform {i} leaves from / where {i} leaves | {I} leaves from {v}. | | Is {i} on the list? = Yes, it leaves from {v}. = No, {i} is not on the list. | What leaves from {v}? / which one is at {v} = {I} leaves from {v}. | What leaves today? = Today {all} leave.
ages | Family list: / You know the children of the street. / You are the helper of the {g} family. / The children of the {g} family: / You help the teacher with a list of children. | who | {}:3:19 | {I} is {v} years old. / {I} is {v}. | How old is {i}? / how old is {i} / What is {i}'s age? / {i}'s age? / how many years old is {i} | how old {i} is / {i}'s age | {I} is {v} years old. / {I} is {v}. | +Who is the oldest? = {I} is the oldest, at {v}. / -Who is the youngest? = {I} is the youngest, at {v}. / >Who is older, {i} or {j}? = {I} is older. / <Who is younger, {i} or {j}? = {I} is younger. | Is {i} on the list? = Yes, {i} is {v} years old. = No, {i} is not on the list. | Who is {v} years old? / who is {v} = {I} is {v} years old. | Which children are there? / who is on the list = They are {all}.
scores | Scores after the last round: / You count the points of a game. / Results of the {k2}: / You keep the scores. | who | {} points:2:99 | {I} has {v}. / {I} got {v}. | How many points does {i} have? / how many points did {i} get / What is {i}'s score? / {i}'s score? / Points of {i}? | how many points {i} has / {i}'s score | {I} has {v}. / {I} got {v}. | +Who is first? = {I} is first with {v}. / +who won = {I} won with {v}. / -Who is last? = {I} is last with {v}. / >Who has more points, {i} or {j}? = {I} has more points. / <Who has fewer points, {i} or {j}? = {I} has fewer points. | Does {i} take part? = Yes, {i} has {v}. = No, {i} is not on the list. | Who has {v}? = {I} has {v}. | Who is playing? / which players are there = The players are {all}.
chores | Who does what this week: / You keep the list of chores in our flat. / Chores: / You remind people of what they have to do. | tasks | who | {v} does {i}. / {I}: {v} does it. | Who does {i}? / who has to do {i} / Whose job is {i} this week? / {i}, who does that? / Who takes care of {i}? | who does {i} / whose job {i} is | {v} does {i}. | | Does anybody do {i}? = Yes, {v} does {i}. = I don't see {i} on the list. | What does {v} have to do? / what is the job of {v} = {v} does {i}. | What is there to do? / which chores are there = There are {all}.
roles | The team of {n}: / You help new people at {n}. / You are the assistant of the company {n}. / Who is who at {n}: / Staff of {n}. | jobs2 | who | {v} is {i}. / {I} is {v}. | Who is {i}? / who is {i} there / What is the name of {i}? / What is {i} called? / I'm looking for {i}. Who is it? | who {i} is / the name of {i} | {v} is {i}. / {I} is {v}. | | Is there somebody who is {i}? = Yes, {v} is {i}. = I don't see {i} on the list. | What is {v}'s job? / what does {v} do / Who is {v}? = {v} is {i}. | Which jobs are on the list? = On the list are {all}.
homes | You know where the friends live. / Where they live now: / Address book: / You keep an address book for the user. | who | town | {I} lives in {v}. | Where does {i} live? / where does {i} live / In which city does {i} live? / What is {i}'s city? / {i} lives where? | where {i} lives / in which city {i} lives | {I} lives in {v}. | | Do you know where {i} lives? = Yes, {i} lives in {v}. = No, {i} is not on my list. | Who lives in {v}? = {I} lives in {v}. | Who is in the address book? / which people do you know = I know {all}.
colours | Colours in the house: / You describe a house. / You know how the house is painted. / A picture of a house: | houseparts | colour | {I} is {v}. | What colour is {i}? / which colour does {i} have / What color is {i}? / colour of {i}? / how is {i} painted | what colour {i} is / the colour of {i} | {I} is {v}. | | Do you know the colour of {i}? = Yes, {i} is {v}. = No, I was not told about {i}. | What is {v}? / which thing is {v} = {I} is {v}. | What is on the list? = There are {all}.
floors | You stand at the entrance of the {b} {n}. / You are the lift of the {b} {n}. / Where to find what in the {b} {n}: | departments | flats | {I} is {v}. / You find {i} {v}. | Where is {i}? / on which floor is {i} / How do I find {i}? / wheres {i} / I'm looking for {i}. Where is it? | where {i} is / where I find {i} | {I} is {v}. / You find {i} {v}. | | Is there {i} here? = Yes, {i} is {v}. = I was not told about {i}. | What is {v}? / what do i find {v} = You find {i} {v}. | What is there in the house? = There are {all}.
lessons | Timetable of the class: / Lessons on Monday: / You know the timetable. / You tell pupils when the lessons are. | subjects | {}:time | {I} is at {v}. / {I} begins at {v}. | When is {i}? / what time is {i} / At what time does {i} begin? / when do we have {i} / {i} is at what time? | when {i} is / what time {i} begins | {I} is at {v}. / {I} begins at {v}. | -Which lesson is first? = {I} is first, at {v}. / +Which lesson is last? = {I} is last, at {v}. / <What is earlier, {i} or {j}? = {I} is earlier. / >What is later, {i} or {j}? = {I} is later. | Do we have {i}? = Yes, {i} is at {v}. = No, {i} is not on the timetable. | What do we have at {v}? / which lesson is at {v} = At {v} you have {i}. | Which lessons are there? / what is on the timetable = There are {all}.
days | The plan of the week: / You keep the user's calendar. / Calendar: / You remind the user of dates. | plans | day | {I} is on {v}. / On {v} there is {i}. | When is {i}? / on which day is {i} / What day is {i}? / {i} is when? / which day is {i} on | when {i} is / on which day {i} is | {I} is on {v}. | | Is there {i} this week? = Yes, {i} is on {v}. = No, {i} is not in the calendar. | What is on {v}? / what do i have on {v} / What is planned for {v}? = On {v} there is {i}. | What is in the calendar? / what is planned = There are {all}.
heights | Mountains of an invented island: / You guide hikers on the island of {n}. / You know the mountains of {n}. | peaks | {} metres:300:4000 | {I} is {v} high. | How high is {i}? / how tall is {i} / How many metres is {i} high? / height of {i}? / What is the height of {i}? | how high {i} is / the height of {i} | {I} is {v} high. | +Which mountain is the highest? = {I} is the highest, with {v}. / -which mountain is the lowest = {I} is the lowest, with {v}. / >Which is higher, {i} or {j}? = {I} is higher. / <Which is lower, {i} or {j}? = {I} is lower. | Do you know {i}? = Yes, {i} is {v} high. = No, I was not told about {i}. | What is {v} high? = {I} is {v} high. | Which mountains are there? = There are {all}.
distances | Distances from here: / You plan trips by bike. / How far it is from our village: / Sign at the crossroads: | town | {} km:3:400 | {I} is {v} away. / It is {v} to {i}. | How far is it to {i}? / how far is {i} / How many km is it to {i}? / distance to {i}? / what is the distance to {i} | how far it is to {i} / how far {i} is | It is {v} to {i}. / {I} is {v} away. | +Which place is the farthest? = {I} is the farthest, {v} away. / -Which place is nearest? = {I} is the nearest, {v} away. / <What is nearer, {i} or {j}? = {I} is nearer. / >What is farther, {i} or {j}? = {I} is farther. | Is {i} on the sign? = Yes, it is {v} to {i}. = No, {i} is not on the list. | What is {v} away? = {I} is {v} away. | Which places are listed? = The places are {all}.
degrees | Weather in the cities today: / You tell people how warm it is. / Temperatures at noon: | town | {} degrees:2:38 | It is {v} in {i}. | How warm is it in {i}? / how many degrees are there in {i} / What is the temperature in {i}? / temperature in {i}? / how hot is {i} today | how warm it is in {i} / the temperature in {i} | It is {v} in {i}. / In {i} it is {v}. | +Where is it warmest? = It is warmest in {i}, with {v}. / -where is it coldest = It is coldest in {i}, with {v}. / >Where is it warmer, in {i} or in {j}? = It is warmer in {i}. / <Where is it colder, in {i} or in {j}? = It is colder in {i}. | Do you have the weather for {i}? = Yes, it is {v} in {i}. = No, I was not told about {i}. | Where is it {v}? = It is {v} in {i}. | Which cities do you know? = I know {all}.
rooms | Rooms for today: / You show people the way at the {b} {n}. / Where everybody sits: | who | room | {I} is in {v}. / You find {i} in {v}. | Where is {i}? / in which room is {i} / Where do I find {i}? / which room is {i} in / I'm looking for {i}. | where {i} is / in which room {i} is | {I} is in {v}. / You find {i} in {v}. | | Is {i} here today? = Yes, {i} is in {v}. = I don't see {i} on the list. | Who is in {v}? / who sits in {v} = {I} is in {v}. | Who is here? / which people are here today = Here are {all}.
gifts | What everybody wants for the birthday: / You help to find presents. / Wish list of the family: | who | gift | {I} wants {v}. / {I} wishes for {v}. | What does {i} want? / what would {i} like to have / What does {i} wish for? / what should i give {i} / A present for {i}? | what {i} wants / what {i} wishes for | {I} wants {v}. / {I} wishes for {v}. | | Do you know what {i} wants? = Yes, {i} wants {v}. = No, {i} is not on the list. | Who wants {v}? = {I} wants {v}. | Who is on the list? = On the list are {all}.
foods | What the guests eat: / You cook for some friends. / Orders of table {t}: / The guests and their food: | who | meal | {I} gets {v}. / {I} wants {v}. | What does {i} get? / what did {i} order / What does {i} want to eat? / what food is for {i} / Which dish is for {i}? | what {i} gets / what {i} ordered | {I} gets {v}. | | Did {i} order something? = Yes, {i} gets {v}. = No, {i} is not on the list. | Who gets {v}? / who ordered {v} = {I} gets {v}. | Who is at the table? = At the table are {all}.
pets | The animals of the family: / You know the pets of the house. / Names of the animals on the farm {n}: / Remember the animals: | thepets | petname | {I} is called {v}. / The name of {i} is {v}. | What is {i} called? / what's the name of {i} / What is the name of {i}? / name of {i}? / how do i call {i} | what {i} is called / the name of {i} | {I} is called {v}. | | Is there {i}? = Yes, {i} is called {v}. = I don't see {i} on the list. | Who is {v}? / which animal is called {v} = {v} is the name of {i}. | Which animals are there? / what animals do they have = There are {all}.
relatives | The {g} family: / You know the {g} family. / You help the {g} family. / Remember the {g} family. / The people of the {g} house: | kin | bykin | {I} is called {v}. / {I}'s name is {v}. | What is {i} called? / what's the name of {i} / What is the name of {i}? / name of {i}? / Who is {i}? | what {i} is called / the name of {i} | {I} is called {v}. | | Is there {i}? = Yes, {i} is called {v}. = I don't see {i} on the list. | Who is {v}? = {v} is {i}. | Who belongs to the family? = There are {all}.""".split("\n")]
def entry_value(r, maker):
    """A value and what it counts."""
    form, _, limits = maker.rpartition(":")
    if maker == "{}:time": h, m = r.randrange(7, 20), r.choice((0, 5, 10, 15, 20, 30, 40, 45, 50)); return f"{h}:{m:02}", h * 60 + m
    if maker.startswith("price:"): low_, high = map(int, maker.split(":")[1:]); n = r.randrange(low_, high); return f"{n}", n
    if ":" in maker: form, low_, high = maker.rsplit(":", 2); n = r.randrange(int(low_), int(high)); return form.format(n), n
    return value(r, "who" if maker == "bykin" else maker)[0], None
def entries_of(r, pool, maker):
    """Some things, each with a value that no other has."""
    coin = r.choice(CASH_FORMS[:7]); out = []
    for _ in range(r.choice((2, 2, 3, 3, 4, 4, 5))):
        for _ in range(20):
            i = value(r, pool)[0]; v, n = entry_value(r, maker)
            if maker.startswith("price:"): v = coin.format(v)
            if maker == "bykin": v = r.choice(bank.GIRLS if re.search("mother|daughter|aunt", i) else bank.BOYS if re.search("father|son|uncle", i) else bank.PETNAMES if re.search("dog|cat", i) else bank.GIRLS + bank.BOYS)
            if all(i != e[0] and v != e[1] and i != e[1] and v != e[0] for e in out) and i != v: out.append((i, v, n)); break
    return out
def without_a(s): return re.sub(r"^(the|a|an) ", "", s)
def rule_entries(r):
    """A list in the prompt: its values, the greatest and the least, which of two, what is on it."""
    key, leads, pool, maker, tells, asks, clauses, answers, ranks, has, back, whole = r.choice(ENTRIES)
    items = entries_of(r, pool, maker); d = dict(n=named(r), p=r.choice(["museum", "zoo", "theatre", "swimming pool", "ferry"]), b=r.choice(["town hall", "school", "hospital", "university", "department store"]), g=r.choice(bank.SURNAMES), k2=r.choice(["quiz", "card game", "darts evening", "bowling night", "chess club"]), t=str(r.randrange(1, 30)))
    def fill(s, e, **more): return s.format(**{**d, **dict(i=e[0], I=cap(e[0]), v=e[1]), **more})
    tell = r.choice(cut(tells)); lead = fill(r.choice(cut(leads)), items[0]); how = r.random()
    told = [cap(fill(tell if r.random() < .8 else r.choice(cut(tells)), e)) for e in items]; keys = [f"{cap(without_a(e[0]))}: {e[1]}" for e in items]
    mark = r.choice(["", "- ", "- ", "* "])
    say = " ".join([lead] + told) if how < .45 else "\n".join([lead] + [mark + x for x in (told if how < .6 else keys)]) if how < .88 else lead + " " + r.choice(["; ", ", "]).join(keys) + "."
    def one(r):
        e = r.choice(items); q = r.choice(cut(asks)) if r.random() < .7 else r.choice(WRAP).format(e=r.choice(cut(clauses)))
        return [(T(careless(r, fill(q, e)), cap(fill(r.choice(cut(answers)), e)), cap(e[1]), as_named(e[1])), "me")]
    def more_of(r):
        a, b = r.sample(items, 2); t = one_of(r, a)
        q = r.choice(["And {i}?", "and {i}?", "What about {i}?", "And what about {i}?", "how about {i}?", "and {i}"])
        return [(t, "me"), (T(fill(q, b), cap(fill(r.choice(cut(answers)), b)), cap(b[1]), as_named(b[1])), "me")]
    def one_of(r, e): return T(careless(r, fill(r.choice(cut(asks)), e)), cap(fill(r.choice(cut(answers)), e)), cap(e[1]), as_named(e[1]))
    def ranked(r):
        if not ranks: return backward(r) if r.random() < .6 else one(r)
        rank = r.choice(cut(ranks)); q, _, a = rank[1:].partition(" = ")
        two_ = r.sample(items, 2); among = two_ if rank[0] in "<>" else items
        e = (max if rank[0] in "+>" else min)(among, key=lambda e: e[2])
        q = q.format(i=two_[0][0], j=two_[1][0]) if rank[0] in "<>" else fill(q, e)
        return [(T(careless(r, q), cap(fill(a, e)), cap(without_a(e[0])), as_named(without_a(e[0]))), "me")]
    def backward(r):
        e = r.choice(items); qs, _, a = back.partition(" = "); s = without_a(e[0]) if key != "roles" else e[0]
        return [(T(careless(r, fill(r.choice(cut(qs)), e)), cap(fill(a, e)), cap(s), as_named(s)), "me")]
    def listed_(r):
        q, yes, no = has.split(" = "); q = r.choice(cut(q))
        if r.random() < .55: e = r.choice(items); return [(T(careless(r, fill(q, e)), fill(yes, e), "Yes", "fact"), "me")]
        x = value(r, pool)[0]
        if any(x in (i, v) for i, v, _ in items): return one(r)
        return [(T(careless(r, fill(q, (x, ""))), cap(fill(no, (x, ""))), "No", "fact"), "me")]
    def all_of(r):
        qs, _, a = whole.partition(" = "); return [(T(careless(r, r.choice(cut(qs))), cap(a.format(all=join([e[0] for e in items]))), None, "fact"), "me")]
    def missing(r):
        x = value(r, pool)[0]
        if any(x in (i, v) for i, v, _ in items): return one(r)
        return [(T(careless(r, fill(r.choice(cut(asks)), (x, ""))), r.choice(["I wasn't told that.", f"I was told nothing about {x}.", f"I don't know, {x} isn't on my list.", "I have no information on that.", f"That isn't in what I was told: there is nothing about {x}."]), "I don't know", "no"), "no")]
    return Rule(say, lambda r, t, act: t.a, lambda s: True, own_turns, ((one, 42), (more_of, 9), (ranked, 17), (backward, 6), (listed_, 7), (all_of, 4), (missing, 4), (small_talk, 8), (plain_task, 4)))
def as_named(v): return "fact" if v[:1].islower() else "named"

SMALL = ("greet", "greet", "how", "thanks", "thanks", "good", "bye")
def small_talk(r): return small(r, r.choice(SMALL))
def rule_briefing(r):
    """Facts of a place, an event, a thing or a person in the prompt, and questions on them; few that it does not answer."""
    if r.random() < .24: return rule_entries(r)
    schema = r.choice(SCHEMAS); d = drawn(r, schema); rows = []
    for row in r.sample(schema.rows, len(schema.rows)):
        if not any(clash(schema, row, other) for other in rows): rows.append(row)
    n = r.choice((1, 2, 2, 3, 3, 4, 4, 5, 6)); facts = [Told(r, row, schema, d) for row in rows[:n]]
    rest = [row for row in schema.rows if not any(clash(schema, row, f) for f in rows[:n])]
    lead = lead_of(r, schema, d); told_name = d["n"] in lead and schema.view not in ("user", "n") and schema.key not in ("version", "family", "house")
    say = laid(r, lead, facts, lead and schema.view not in ("n", "user") or (d["n"] if schema.view == "n" else "user") in lead)
    def told(r):
        f = r.choice(facts); z = r.random(); t = f.sure(r) if z < .16 else f.counted(r) or f.backward(r) if z < .4 else None
        return [(t or f.turn(r), "me")]
    def two_told(r):
        if len(facts) < 2: return told(r)
        f, g = r.sample(facts, 2)
        if r.random() < .6 or not (f.clauses and g.clauses): return [(f.turn(r), "me"), (g.turn(r, True), "me")]
        e = " and ".join(x.fill(r.choice(x.clauses), "asked") for x in (f, g))
        return [(T(careless(r, r.choice(WRAP[:9]).format(e=e)), f.answer(r) + " " + g.answer(r), None, "fact"), "me")]
    def name_asked(r):
        if not told_name or schema.view != "self" and "{n}" not in schema.x: return told(r)
        if schema.view == "self": return [(T(sloppy(r, ["What is your name?", "what's your name", "Who are you?", "What are you called?", "May I ask your name?", "your name?"]), r.choice(["I'm {n}.", "My name is {n}.", "I am called {n}."]).format(**d), d["n"], "name"), "me")]
        if schema.view == "we" and r.random() < .4: return [(T(sloppy(r, ["Where do you work?", "Where am I here?", "who do you work for", "What place is this?"][:4 if schema.key != "company" else 1]), "I work for {x}.".format(**d), d["n"], "named"), "me")]
        q = r.choice(["What is the name of the {k}?", "What is the {k} called?", "what is the name of the {k}", "what's the {k} called", "Tell me the name of the {k}.", "name of the {k}?", "Can you tell me what the {k} is called?"])
        return [(T(careless(r, q.format(**d)), r.choice(["The {k} is called {n}.", "It is called {n}.", "Its name is {n}."]).format(**d), d["n"], "named"), "me")]
    def not_told(r): return [(Told(r, r.choice(rest), schema, d).untold(r), "no")] if rest else told(r)
    return Rule(say, lambda r, t, act: t.a, lambda s: True, own_turns, ((told, 62), (two_told, 14), (name_asked, 4), (not_told, 6), (small_talk, 9), (plain_task, 5)))
