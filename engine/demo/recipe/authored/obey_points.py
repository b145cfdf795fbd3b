"""Questions of obey.py that invite a list: what one needs, what is good for something, what one can do somewhere, what makes
something good; and small talk in points. They stand in the table of topics of obey_forms.py, so all rules of form meet them."""
from obey_forms import *

# kind | questions | points | the sentence with some of them; of "say" the points are sentences, and keep their order
POINT_LINES = """be|What do dogs need?/What does a dog need?|food, fresh water, long walks, a warm bed, toys, somebody to play with|A dog needs {x}.
be|What do babies need?/What does a baby need?|milk, clean nappies, warm clothes, a quiet bed, sleep, love|Babies need {x}.
be|What do horses need?/What does a horse need?|hay, fresh water, a dry stable, grass, other horses, room to run|Horses need {x}.
be|What do fish need in a tank?/What does a goldfish need?|clean water, a big tank, fish food, plants, a filter, hiding places|They need {x}.
be|What do hens need?/What do chickens need?|grain, fresh water, a dry coop, nests, sand to bathe in, grass|Hens need {x}.
be|What do rabbits need?/What does a rabbit need?|hay, fresh greens, water, room to hop, a hiding place, another rabbit|Rabbits need {x}.
be|What do bees need?/What do bees need to live?|flowers, water, a dry hive, warmth, a queen, peace|Bees need {x}.
be|What do children need?/What does a child need?|love, sleep, good food, time to play, friends, someone who listens|Children need {x}.
be|What do students need?/What does a student need?|books, a quiet desk, sleep, good teachers, patience, friends|Students need {x}.
be|What do runners need?/What does a runner need?|good shoes, water, light clothes, a plan, rest days, patience|Runners need {x}.
be|What do painters need?/What does a painter need?|brushes, paint, paper, good light, time, ideas|A painter needs {x}.
be|What do writers need?/What does a writer need?|paper, a pen, time, quiet, ideas, readers|Writers need {x}.
be|What do bakers need?/What does a baker need?|flour, yeast, a hot oven, strong arms, an early alarm, clean hands|Bakers need {x}.
be|What do gardeners need?/What does a gardener need?|a spade, seeds, water, gloves, a rake, patience|A gardener needs {x}.
be|What do doctors need?/What does a doctor need?|knowledge, steady hands, patience, a kind voice, clean tools, time|A doctor needs {x}.
be|What do tomatoes need?/What do tomatoes need to grow?|sun, water, warmth, rich soil, a stick for support, shelter from rain|Tomatoes need {x}.
be|What do roses need?/What does a rose need?|sun, water, deep soil, some compost, air, a cut in spring|Roses need {x}.
be|What do people need to be happy?/What do people need?|friends, food, a home, good health, sleep, something to do|People need {x}.
be|What does a good team need?/What do teams need?|trust, a clear goal, good talks, fair rules, humour, time|A team needs {x}.
be|What does a house need?/What does every house need?|a roof, a door, windows, strong walls, water, heat|A house needs {x}.
be|What do I need for a bath?/What do I need for a nice bath?|warm water, soap, a towel, a candle, quiet music, an hour of time|You need {x}.
be|What do I need for soup?/What is in a vegetable soup?|carrots, potatoes, onions, water, salt, parsley|You need {x}.
be|What do I need for pancakes?/What is in pancakes?|flour, eggs, milk, a pinch of salt, butter, a hot pan|You need {x}.
be|What do I need for a salad?/What can I put in a salad?|lettuce, tomatoes, cucumber, olive oil, vinegar, salt|For a salad, take {x}.
be|What do I need for pizza?/What goes on a pizza?|dough, tomato sauce, cheese, mushrooms, peppers, basil|You need {x}.
be|What do I need in an office?/What does an office need?|a desk, a chair, a lamp, a computer, paper, a phone|You need {x}.
be|What do I need for a birthday party?/What does a birthday party need?|a cake, candles, balloons, music, games, guests|You need {x}.
be|What do I need for swimming?/What should I take to the pool?|a swimsuit, a towel, goggles, soap, a bottle of water, flip-flops|Take {x}.
be|What do I need for sewing?/What is in a sewing kit?|needles, thread, scissors, buttons, pins, a tape measure|You need {x}.
be|What do I need for drawing?/What do I need to draw?|paper, pencils, an eraser, a sharpener, good light, an idea|You need {x}.
be|What do I need for a new flat?/What does a new flat need?|a bed, a table, chairs, lamps, curtains, pots|You need {x}.
be|What do I need on a boat?/What should I have on a boat?|a life jacket, a rope, an anchor, a map, water, an oar|You need {x}.
be|What is good for a cold?/What helps with a cold?|hot tea, rest, warm soup, fresh air, honey, plenty of sleep|I would try {x}.
be|What is good for a sore throat?/What helps a sore throat?|warm tea, honey, a scarf, salt water to gargle, rest, little talking|I would try {x}.
be|What is good for the back?/What helps my back?|swimming, short walks, a firm bed, stretching, a good chair, warmth|The back likes {x}.
be|What is good for the eyes?/What helps tired eyes?|breaks from the screen, good light, sleep, fresh air, a look into the distance, carrots|Good for the eyes are {x}.
be|What is good for the heart?/What keeps the heart healthy?|walking, vegetables, sleep, laughter, little salt, swimming|The heart likes {x}.
be|What is good for the skin?/What does the skin need?|water, sun cream, sleep, mild soap, fresh air, vegetables|The skin likes {x}.
be|What is good for the teeth?/What keeps teeth healthy?|brushing twice a day, water, little sugar, floss, cheese, visits to the dentist|Teeth like {x}.
be|What is good for the brain?/What keeps the mind fit?|sleep, reading, puzzles, walks, music, good talks|The brain likes {x}.
be|What is good for tired feet?/What helps tired feet?|a warm bath, comfortable shoes, a massage, walking barefoot, rest, thick socks|Tired feet like {x}.
be|What is good for a quiet evening?/What makes an evening cosy?|a book, hot tea, a blanket, soft music, candles, a good film|I would take {x}.
be|What is good for a long journey?/What helps on a long journey?|a pillow, snacks, water, a book, music, comfortable clothes|Take {x}.
be|What is good for a bad mood?/What helps against a bad mood?|music, a walk, a good friend, chocolate, sunshine, a nap|I would try {x}.
be|What is good for the soil?/What makes garden soil better?|compost, worms, dead leaves, water, straw, a rest in winter|Soil likes {x}.
be|What is good for birds in winter?/What can I give birds in winter?|seeds, nuts, oats, apples, fresh water, a dry bird table|Birds in winter like {x}.
be|What is good on bread?/What can I put on bread?|butter, cheese, jam, honey, tomatoes, an egg|Bread is good with {x}.
be|What is good with pasta?/What goes well with pasta?|tomato sauce, cheese, basil, olive oil, mushrooms, garlic|Pasta goes well with {x}.
be|What is good with tea?/What goes well with tea?|milk, sugar, lemon, biscuits, cake, honey|Tea goes well with {x}.
be|What is good to drink in summer?/What should I drink when it is hot?|cold water, lemonade, iced tea, apple juice with water, mint tea, milk|I would say {x}.
be|What is good for lunch?/Ideas for lunch?|a sandwich, a bowl of soup, a salad, rice with vegetables, pasta, baked potatoes|I would say {x}.
be|What is good for children on a train?/What keeps children busy on a train?|a picture book, crayons, a card game, snacks, a soft toy, a story|Take along {x}.
do|What can I do in town?/What can I do in the city?|visit a museum, sit in a café, look at the shops, see a film, walk in the park, eat ice cream
do|What can I do at the beach?/What can we do at the beach?|swim, build a sand castle, look for shells, read in the sun, play ball, watch the waves
do|What can I do in the kitchen?/What can I do with an hour in the kitchen?|bake a cake, cook a soup, wash the dishes, sharpen the knives, try a new recipe, tidy the drawers
do|What can I do in the park?/What can we do in the park?|feed the ducks, throw a ball, have a picnic, read on a bench, run a lap, watch the birds
do|What can I do at the lake?/What can we do at a lake?|swim, row a boat, fish, lie in the grass, skip stones, watch the ducks
do|What can I do in the mountains?/What can one do in the mountains?|hike, climb, ski in winter, take photos, pick berries, enjoy the view
do|What can I do in the snow?/What can children do in the snow?|build a snowman, go sledging, throw snowballs, ski, follow animal tracks, make snow angels
do|What can I do in a library?/What can one do in a library?|borrow books, read the newspaper, study, use a computer, look at maps, ask for advice
do|What can I do on a train?/What can I do on a long train ride?|read a book, look out of the window, listen to music, write a letter, take a nap, talk to people
do|What can I do in a waiting room?/What can I do while I wait?|read a magazine, listen to music, write a message, plan the week, close your eyes, count the tiles
do|What can I do at home alone?/What can I do when I am alone?|read, cook something new, dance, paint a picture, tidy a shelf, call a friend
do|What can I do in the woods?/What can we do in the forest?|look for mushrooms, listen to the birds, climb a tree, build a hut, collect leaves, take a long walk
do|What can I do in a museum?/What does one do in a museum?|look at paintings, read the signs, join a tour, draw what you see, ask the guide, rest in the café
do|What can I do in my lunch break?/Ideas for a lunch break?|take a walk, eat in the park, call a friend, read a few pages, stretch, close your eyes
do|What can I do in bed when I am ill?/What can I do when I am ill?|sleep, drink tea, listen to a story, read something light, do a crossword, look out of the window
do|What can I do in the evening sun?/What can I do on a summer evening?|sit outside, have a barbecue, ride a bike, swim in a lake, water the flowers, watch the sunset
do|What can I do on a Sunday?/Ideas for Sunday?|sleep late, have a long breakfast, visit your family, take a walk, read the paper, bake a cake
do|What can I do with old bread?/Ideas for old bread?|toast it, make bread soup, fry it in butter, make crumbs, bake a pudding, make croutons
do|What can I do with apples?/What can I make from apples?|bake a pie, make juice, cook apple sauce, dry them in rings, put them in a salad, eat them fresh
do|What can I do with an old box?/What can I make from a box?|build a toy house, store books, make a bed for the cat, plant herbs, send a parcel, keep toys in it
do|What can I do for my neighbours?/How can I be a good neighbour?|say hello, water their plants, keep the noise down, share some cake, take in parcels, help with the snow
do|What can I do for my health today?/Ideas for my health?|drink water, take the stairs, eat an apple, walk for an hour, go to bed early, stretch your back
do|What can I do against boredom?/What helps against boredom?|start a puzzle, call a friend, learn a card trick, write a poem, bake something, go outside
do|What can I do with my grandmother?/What can I do with my grandparents?|look at old photos, play cards, bake together, take a short walk, listen to their stories, have tea
do|What can I do before bed?/What should I do before I sleep?|brush your teeth, read a page, turn off the phone, open the window, lay out your clothes, breathe slowly
do|What does a good student do?/How can I be a good student?|listen, take notes, ask questions, do the homework, help others, sleep enough|Good students {x}.
do|What does a farmer do all day?/What work is there on a farm?|feed the animals, milk the cows, drive the tractor, mend fences, plough the field, bring in the hay|Farmers {x}.
do|What does a teacher do?/What are the tasks of a teacher?|explain things, ask questions, mark tests, plan lessons, help slow learners, tell stories|Teachers {x}.
do|What does a cook do?/What are the tasks of a cook?|cut vegetables, stir the soup, taste the sauce, order food, plan the menu, clean the stove|Cooks {x}.
do|What does a cat do all day?/What do cats do?|sleep, hunt mice, wash themselves, climb trees, purr, look out of the window|Cats {x}.
be|What makes a good boss?/What is important in a boss?|fairness, clear words, trust, patience, praise, an open ear|A good boss has {x}.
be|What makes a good neighbour?/What is important in a neighbour?|a friendly hello, quiet nights, help in need, honesty, humour, respect|I would say {x}.
be|What makes a good doctor?/What is important in a doctor?|knowledge, calm, time for people, clear words, kindness, steady hands|I would say {x}.
be|What makes a good story?/What does a good story need?|a hero, a problem, a surprise, a bit of humour, feelings, a good ending|A good story has {x}.
be|What makes a good song?/What does a good song need?|a melody, a rhythm, honest words, a chorus, feeling, a good voice|A good song has {x}.
be|What makes a good holiday?/What does a good holiday need?|sunshine, time, good company, new places, tasty food, long sleep|I would say {x}.
be|What makes a good party?/What does a good party need?|nice guests, music, tasty food, games, room to dance, cold drinks|I would say {x}.
be|What makes a good book?/What does a good book have?|a strong start, real people, clear language, a surprise, humour, a good end|A good book has {x}.
be|What makes good coffee?/What does good coffee need?|fresh beans, hot water, a clean pot, the right dose, a warm cup, a bit of time|Good coffee needs {x}.
be|What makes a good parent?/What is important in a father or a mother?|love, time, patience, clear rules, humour, a good example|I would say {x}.
be|What makes a good gift?/What does a good gift need?|thought, love, a nice wrapping, a surprise, a kind note, use|I would say {x}.
be|What makes a good photo?/What does a good photo need?|good light, a clear subject, a steady hand, the right moment, colour, patience|A good photo needs {x}.
be|What makes a good home?/What is a good home?|warmth, light, a soft bed, good smells, people you love, quiet|I would say {x}.
be|What makes a good leader?/What should a leader have?|courage, honesty, a plan, calm, open ears, fairness|A good leader has {x}.
be|What makes a good waiter?/What should a waiter have?|a good memory, a smile, quick feet, clean hands, patience, politeness|A good waiter has {x}.
be|What makes a good cook?/What should a cook have?|fresh food, a sharp knife, a fine nose, patience, new ideas, a clean kitchen|A good cook has {x}.
be|What makes a good city?/What does a good city have?|parks, clean air, good trains, museums, safe streets, friendly people|A good city has {x}.
be|What makes a good bike?/What should a good bike have?|strong brakes, good lights, a soft saddle, a clean chain, firm tyres, a bell|A good bike has {x}.
be|What makes a good day?/What does a good day have?|sunshine, good sleep, a kind word, tasty food, some work done, a laugh|A good day has {x}.
be|What makes a good night?/What does a good night need?|a dark room, a soft pillow, quiet, cool air, an early bedtime, nice dreams|A good night needs {x}.
be|What makes a good garden?/What does a nice garden have?|flowers, a tree, a bench, herbs, bees, a little pond|A good garden has {x}.
be|What makes a good dog?/What is a good dog like?|loyalty, patience, good ears, a calm mind, a happy tail, trust|A good dog has {x}.
be|What makes a good player?/What does a good football player need?|speed, fitness, a good eye, team spirit, training, strong legs|A good player has {x}.
be|What makes a good marriage?/What is important in a marriage?|love, trust, humour, time together, honest talks, patience|I would say {x}.
be|What makes a good listener?/What does a good listener have?|patience, quiet, open eyes, good questions, time, a kind heart|A good listener has {x}.
be|What makes a good teammate?/What is important in a colleague?|reliability, humour, honesty, help, clear words, respect|I would say {x}.
be|What herbs are there?/Name some herbs.|basil, parsley, mint, thyme, sage, rosemary|There are herbs such as {x}.
be|What cheeses are there?/Name some cheeses.|Cheddar, Gouda, Brie, feta, mozzarella, Parmesan|There are cheeses such as {x}.
be|What soups are there?/Name some soups.|tomato soup, onion soup, pea soup, noodle soup, potato soup, fish soup|There are soups such as {x}.
be|What desserts are there?/Name some desserts.|ice cream, apple pie, pudding, fruit salad, waffles, chocolate cake|There are desserts such as {x}.
be|What berries are there?/Name some berries.|strawberries, raspberries, blueberries, blackberries, gooseberries, cranberries|There are berries such as {x}.
be|What pets are there?/Which animals do people keep at home?|cats, dogs, rabbits, hamsters, goldfish, budgies|There are pets such as {x}.
be|What rivers do you know?/Name some rivers.|the Nile, the Amazon, the Danube, the Rhine, the Thames, the Volga|I know {x}.
be|What mountains do you know?/Name some mountains.|Mount Everest, Mont Blanc, the Matterhorn, Kilimanjaro, Mount Fuji, K2|I know {x}.
be|What planets are there?/Name some planets.|Mercury, Venus, Mars, Jupiter, Saturn, Neptune|There are planets such as {x}.
be|What metals are there?/Name some metals.|iron, gold, silver, copper, tin, lead|There are metals such as {x}.
be|What shapes are there?/Name some shapes.|a circle, a square, a triangle, a star, a cube, an oval|I know {x}.
be|What subjects are there at school?/Name some school subjects.|maths, English, history, music, art, sport|There are subjects such as {x}.
be|What dances are there?/Name some dances.|the waltz, the tango, the polka, the foxtrot, the samba, the cha-cha|There are dances such as {x}.
be|What kinds of houses are there?/Where do people live?|flats, cottages, huts, tents, castles, boats|People live in {x}.
be|What is in a fridge?/What do people keep in a fridge?|milk, butter, eggs, cheese, yoghurt, vegetables|In a fridge there is often {x}.
be|What belongs into a school bag?/What should be in a school bag?|books, a pencil case, a bottle of water, a lunch box, a ruler, paper|Into a bag belong {x}.
be|What can you do?/What can you help with?|small talk, short sums, questions about words, opposites, simple tips, games with words|I can help with {x}.
be|What do you like?/What are your favourite things?|words, good questions, short poems, friendly people, small sums, the sound of rain|I like {x}.
be|What do you not like?/What don't you like?|rude words, long silence, hurry, lies, cold soup, loud noise|I don't like {x}.
why|Why should I learn to swim?/What is good about swimming?|it may save your life, it trains the whole body, it is kind to the joints, it is fun, it cools you in summer, you can do it at any age
why|Why drink water?/Why is water important?|the body needs it, it keeps you awake, it has no sugar, it costs little, it helps the skin, it cools you
why|Why should I go for a walk?/What is good about walking?|the air is fresh, it clears the head, it costs nothing, it is good for the heart, you see new things, you sleep better
why|Why keep a cat?/Why do people like cats?|cats are soft, they purr, they catch mice, they need no walks, they are clean, they make you laugh
why|Why have a garden?/Why do people like gardens?|you can grow food, flowers smell good, birds visit you, it is quiet, you move in fresh air, children can play there
why|Why learn an instrument?/What is good about playing an instrument?|it trains the fingers, it makes you happy, you can play with others, it trains the memory, you learn to be patient, it helps you to relax
why|Why write a diary?/What is good about a diary?|you remember more, it calms the mind, you see how you change, you practise writing, it is private, it is fun to read later
why|Why sleep early?/Why go to bed early?|you wake up fresh, you learn better, the heart rests, you are less angry, the morning is quiet, your eyes recover
say|Hello!/Hi!/hello there/Hey!|Hello!, It is nice to see you., I am here to help., We can chat about anything., Ask me what you like., What is on your mind?
say|Good morning!/good morning/Morning!|Good morning!, I hope you slept well., A new day begins., There is time for coffee., I am ready to help., What are your plans?
say|Good evening!/good evening|Good evening!, It is nice that you are here., I hope your day was good., Now it is time to rest., I am here to chat., What shall we talk about?
say|How are you?/how are you today/How do you do?|I am fine., Thank you for asking., It is a quiet day., I like to chat., I am ready for questions., And how are you?
say|Good night!/I'm going to bed./good night|Good night!, Sleep well., Have sweet dreams., Rest is important., Tomorrow is a new day., See you soon.
say|Bye!/Goodbye!/see you later|Goodbye!, It was nice to chat., Take care., Have a good day., Come back soon., I will be here.
say|Thank you!/Thanks a lot!/thanks|You're welcome!, I was glad to help., Ask again at any time., It was no trouble., You are very kind., Have a nice day.
say|I am tired./I'm so tired today.|Rest is what you need., Sit down for a while., Drink some water., Close your eyes., Leave the phone alone., Go to bed early.
say|I am sad./I feel sad.|I am sorry to hear that., It is all right to be sad., Talk to a friend., Take a walk outside., Drink something warm., I am listening.
say|I am bored./I'm bored.|Boredom can be useful., Read a good book., Call a friend., Take a walk., Draw something funny., Bake a cake.
say|I passed my exam!/I passed the test!|Congratulations!, Your work was worth it., You can be proud., Tell your friends., Celebrate tonight., Enjoy the free time.
say|I have a new job!/I got the job!|Congratulations!, That is great news., You earned it., The first day will be exciting., Ask a lot of questions there., I wish you nice colleagues.
say|It is my birthday today!/Today is my birthday!|Happy birthday!, I wish you good health., Enjoy your cake., Call the people you love., Do what you like today., May all your wishes come true.
say|I am angry./I'm really angry.|That sounds hard., Breathe slowly., Count to ten., Take a short walk., Tell me what happened., Decide nothing right now.
say|I'm hungry./I am hungry.|Have an apple first., Toast some bread., Cook an egg., Warm up some soup., Eat slowly., Enjoy your meal!
say|I love the sea./I like the sea.|The sea is wonderful., The waves never stop., The air tastes of salt., The gulls cry., One can walk for hours., Do you swim there?
say|Who are you?/What are you?|I am quire's built-in model., I am a small program., I answer questions., I like short chats., I know many words., I run on your machine."""
def topic_of(kind, asks, points, say=None):
    t = Topic(kind, asks, points); t.say = say
    t.steps = t.steps or kind == "say"
    return t
ADDED = [topic_of(*line.split("|")) for line in POINT_LINES.split("\n")]
for t in ADDED: assert len(set(t.points)) == 6, t.asks
TOPICS += ADDED

SAYS["npoints"] += said("""You are a secretary who notes everything in <n> bullets. | You are a coach who always gives <n> points. | You are a person who thinks in <n> bullet points. | You are a checklist with <n> lines, each with a dash. | A dash, a point, a new line: <n> times. | <n> lines, each with a dash in front. | <n> lines with a dash | <n> dashes per answer | Give <n> short lines with dashes, no matter what. | Your answers are bullet lists with <n> entries, neither more nor fewer.
Not one bullet more than <n>, and not one fewer. | Bullets only, <n> of them. | Just <n> bullets. | I only read bullet lists. <n> bullets, please. | Slides only: <n> bullets per slide. | Each answer is a slide with <n> bullets. | Write as for a slide: <n> bullets. | The boss wants <n> bullet points. | Reply in the form of <n> dashes with one point each. | +make a list of <n> points out of everything | +break every answer into <n> bullets | +answer in <n> bullets, even to a greeting
A list of exactly <n>, whatever the question. | <n> bullets, even for a hello. | Count your bullets: there must be <n>. | You never write fewer or more than <n> bullet points. | Think of <n> things and list them with dashes. | Everything comes in <n> bullets. | List format, length <n>. | bulleted list, <n> items | <n>-item list | <n>-item bullet lists only | Only <n>-point lists, with dashes. | Answer as notes: <n> dashes. | Notes of <n> points, please. | On a card, in <n> bullets. | <n> short points with dashes, and stop. | <n> bullets and stop
You write shopping-list style: <n> lines, each with a dash. | Could you give me <n> bullet points each time? | I would like <n> bullets per answer, thank you. | Kindly answer in <n> bullet points. | Short list, <n> entries, dashes. | Output: <n> lines, each beginning with "- ". | Every line starts with "- ", and there are <n> lines. | Use the dash <n> times: once per line. | All replies: <n> bullets.""")
SAYS["nnumbered"] += said("""You are a coach who counts up to <n> in each answer. | Count from 1 to <n>, one point for each number. | <n> numbers, <n> points. | Write 1. to <n>. with a point each. | Everything in <n> numbered lines. | <n> numbered points and stop | +number your answer from 1 to <n>""")
SAYS["no_list"] += said("""I hate lists. | I can't stand bullet points. | You are a storyteller and never make lists. | You speak on the radio, so no lists. | You write letters, never lists. | A list is never the answer. | Never answer in bullets. | Do not use dashes, bullets or numbers. | Your text is read aloud: no bullet points. | Full sentences only, never a list. | Plain sentences only. | Only whole sentences, please. | Even if I ask for several things, no list. | Even for many things, write a sentence and no list. | Bullet points are banned here.
Flowing text, please. | plain text, no bullets | just sentences | no dashes, no numbers, just sentences | Use normal sentences instead of lists. | +put several things into one sentence, not into a list | -break the answer into bullets | -put anything on a line of its own | Everything on one line, without dashes.""")
POINT_RULES = {rule_n_points: 17, rule_no_list: 8, rule_big: 7, rule_little: 6}
