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
be|What do sheep need?/What does a sheep need?|grass, fresh water, a fence, shade, a shepherd, a dry stable|Sheep need {x}.
be|What do birds need?/What does a bird need?|seeds, water, a nest, trees, quiet, clean air|Birds need {x}.
be|What do mice like?/What does a mouse like?|cheese, grain, nuts, dark corners, warm nests, quiet nights|Mice like {x}.
be|What do bears eat?/What does a bear eat?|berries, fish, honey, nuts, roots, insects|Bears eat {x}.
be|What do cows give us?/What do we get from cows?|milk, butter, cheese, cream, leather, yoghurt|From cows we get {x}.
be|What do old people need?/What does my grandfather need?|company, a warm room, good light, a comfortable chair, short walks, patience|I would say {x}.
be|What do guests need?/What does a guest need?|a friendly welcome, a clean bed, a towel, a glass of water, good food, some quiet|Guests need {x}.
be|What do cooks need?/What does a kitchen need?|sharp knives, a board, a big pot, a hot stove, salt, clean towels|A kitchen needs {x}.
be|What do musicians need?/What does a singer need?|a good ear, practice, patience, a feeling for rhythm, courage, people who listen|They need {x}.
be|What do nurses need?/What does a nurse need?|patience, warm hands, strong nerves, good shoes, humour, sleep|Nurses need {x}.
be|What does a beginner need?/What do beginners need?|time, patience, a good teacher, small goals, practice, courage|A beginner needs {x}.
be|What does a wound need?/What do I need for a small cut?|clean water, a plaster, air, time, clean hands, a bit of care|It needs {x}.
be|What does a friendship need?/What do friendships need?|trust, time, honest words, laughter, patience, small gifts|A friendship needs {x}.
be|What does a shop need?/What do I need to open a shop?|a room, goods, a till, customers, a sign, a bit of luck|A shop needs {x}.
be|What does a fire need?/What do I need for a camp fire?|dry wood, air, matches, stones around it, a safe place, water at hand|A fire needs {x}.
be|What do I need for gardening?/Tools for the garden?|a spade, a rake, gloves, a watering can, a bucket, garden shears|You need {x}.
be|What do I need for a job interview?/What should I bring to an interview?|a clean shirt, your papers, a pen, good questions, a smile, enough time|Take {x}.
be|What do I need for a puppy?/What should I buy for a puppy?|a soft bed, a bowl, puppy food, a lead, toys, a brush|You need {x}.
be|What do I need for a good night?/What do I need for sleep?|a dark room, a soft pillow, cool air, quiet, a warm blanket, a calm mind|You need {x}.
be|What is good for the nerves?/What calms the nerves?|slow breathing, tea, a walk, sleep, quiet music, a warm bath|The nerves like {x}.
be|What is good for the voice?/What helps a tired voice?|warm water, silence, honey, a scarf, humid air, sleep|The voice likes {x}.
be|What is good for the hair?/What does hair need?|a mild shampoo, a soft brush, cool water, healthy food, little heat, a good cut|Hair likes {x}.
be|What is good for the stomach?/What is kind to the stomach?|tea, rice, bananas, rest, small meals, a warm bottle|The stomach likes {x}.
be|What is good for the mood at work?/What makes work nicer?|kind colleagues, a break outside, good coffee, clear tasks, a plant on the desk, praise|I would say {x}.
be|What is good for a garden party?/What do I need for a garden party?|chairs, lemonade, lights in the trees, salads, music, a dry day|I would say {x}.
be|What is good for wet shoes?/What helps to dry shoes?|newspaper inside, fresh air, a warm room, time, dry insoles, a little sun|I would try {x}.
be|What is good against mosquitoes?/What helps against mosquitoes?|a net, long sleeves, a fan, closed windows, lemon oil, smoke|I would try {x}.
be|What is good against noise?/What helps against noise?|ear plugs, thick curtains, closed windows, carpets, a talk with the neighbours, soft music|I would try {x}.
do|What can I do on my balcony?/Ideas for the balcony?|plant herbs, have breakfast, read in the sun, hang up lights, watch the street, feed the birds
do|What can I do in autumn?/Ideas for autumn?|collect leaves, fly a kite, bake an apple pie, pick mushrooms, carve a pumpkin, drink hot tea
do|What can I do in spring?/Ideas for spring?|plant seeds, ride a bike, clean the windows, look for the first flowers, listen to the birds, eat outside
do|What can I do in winter?/Ideas for winter?|build a snowman, bake biscuits, read by the fire, go skating, feed the birds, knit a scarf
do|What can I do in a big city?/What can one do in a big city?|visit museums, see a play, eat in small restaurants, walk along the river, take a boat, look at old churches
do|What can I do in a small town?/What can one do in a small town?|walk through the old streets, sit in a café, visit the market, climb the church tower, talk to people, ride a bike
do|What can I do in my room?/Ideas for an hour in my room?|tidy the desk, listen to music, write a letter, read, do some stretching, sort old photos
do|What can I do at the airport?/What can I do at the airport while I wait?|watch the planes, read a book, have a coffee, take a walk, charge the phone, write postcards
do|What can I do with a child in the rain?/What can children do when it rains?|jump in puddles, paint pictures, bake biscuits, build a den, play cards, read stories
do|What can I do with old jars?/Ideas for old jars?|store buttons, keep spices, make a lamp, grow herbs, fill them with jam, put flowers in them
do|What can I do with eggs?/What can I cook with eggs?|boil them, fry them, make an omelette, bake a cake, put them in a salad, make pancakes
do|What can I do with potatoes?/What can I cook with potatoes?|boil them, bake them, make soup, fry them in a pan, mash them, put them in a salad
do|What can I do for my back?/How do I help my back?|stretch, swim, sit straight, get up every hour, lift with the legs, sleep on a firm bed
do|What can I do for the climate?/How can I help the climate?|ride a bike, take the train, eat less meat, turn down the heating, buy used things, plant a tree
do|What should I do before a trip?/What must I do before I travel?|pack the bag, check the papers, water the plants, close the windows, charge the phone, lock the door
do|What should I do after work?/Ideas for after work?|take a walk, cook dinner, call a friend, stretch, listen to music, leave the phone alone
do|What should I do in a storm?/What do I do in a storm?|stay inside, close the windows, keep away from trees, unplug the computer, bring in the chairs, wait until it is over
be|What makes a good nurse?/What is important in a nurse?|patience, kindness, calm, knowledge, humour, warm hands|A good nurse has {x}.
be|What makes a good soup?/What does a good soup need?|fresh vegetables, salt, herbs, time, a good broth, a big pot|A good soup needs {x}.
be|What makes a good bed?/What does a good bed have?|a firm mattress, a soft pillow, a warm blanket, clean sheets, enough room, a quiet place|A good bed has {x}.
be|What makes a good school?/What does a good school have?|good teachers, bright rooms, books, a garden, fair rules, happy children|A good school has {x}.
be|What makes a good joke?/What does a good joke need?|a surprise, good timing, few words, a kind heart, a clear end, people who laugh|A good joke needs {x}.
be|What makes a good letter?/What does a good letter have?|a warm greeting, honest words, news, a question or two, good wishes, a name at the end|A good letter has {x}.
be|What makes a good driver?/What is important in a driver?|calm, good eyes, patience, clear signs, sleep, respect for others|A good driver needs {x}.
be|What makes a good restaurant?/What does a good restaurant have?|fresh food, friendly waiters, clean tables, fair prices, a small menu, soft light|A good restaurant has {x}.
be|What makes a good film?/What does a good film need?|a strong story, good actors, music, beautiful pictures, a surprise, a good ending|A good film needs {x}.
be|What makes a good walk?/What is a good walk like?|comfortable shoes, fresh air, a fine view, good company, time, a bench for a break|A good walk has {x}.
be|What makes a good grandmother?/What is a good grandmother like?|time, stories, patience, good cake, a warm voice, open arms|I would say {x}.
be|What makes a good hotel?/What does a good hotel have?|clean rooms, quiet nights, a good breakfast, friendly staff, soft beds, a fine view|A good hotel has {x}.
be|What hats are there?/Name some hats.|a cap, a beret, a top hat, a straw hat, a helmet, a bonnet|There is {x}.
be|What shoes are there?/Name some shoes.|boots, sandals, slippers, trainers, clogs, rubber boots|There are shoes such as {x}.
be|What languages are there?/Name some languages.|English, Spanish, Arabic, Hindi, French, Swahili|There are languages such as {x}.
be|What toys are there?/Name some toys.|dolls, balls, blocks, kites, puzzles, toy cars|There are toys such as {x}.
be|What spices are there?/Name some spices.|pepper, cinnamon, ginger, paprika, cloves, curry powder|There are spices such as {x}.
be|What nuts are there?/Name some nuts.|walnuts, hazelnuts, almonds, cashews, pecans, pistachios|There are nuts such as {x}.
be|What islands do you know?/Name some islands.|Iceland, Cuba, Sicily, Crete, Madagascar, Ireland|I know {x}.
be|What fairy tales are there?/Name some fairy tales.|Cinderella, Snow White, Sleeping Beauty, Rapunzel, Puss in Boots, Hansel and Gretel|There are {x}.
be|What rooms does a house have?/Name some rooms.|a kitchen, a bathroom, a bedroom, a living room, a cellar, a hall|There is {x}.
be|What breads are there?/Name some kinds of bread.|white bread, rye bread, baguettes, rolls, flat bread, toast|There are kinds such as {x}.
why|Why should I say thank you?/Why be polite?|people like it, it costs nothing, it makes others kind, it shows respect, it opens doors, it feels good
why|Why should I learn maths?/What is maths good for?|it helps with money, it trains the mind, you need it for many jobs, it explains nature, it is useful in the kitchen, puzzles are fun
why|Why plant trees?/What are trees good for?|they clean the air, they give shade, birds nest in them, they hold the soil, they give us wood, they look beautiful
why|Why laugh?/What is laughing good for?|it relaxes the body, it brings people together, it chases away worries, it costs nothing, it is good for the heart, it makes friends
why|Why eat vegetables?/What is good about vegetables?|they are full of vitamins, they fill you up, they keep you healthy, they taste fresh, they come in many colours, they are cheap
why|Why have breakfast?/What is breakfast good for?|it gives you energy, you think better, it starts the day slowly, you can talk to the family, it tastes good, you are less hungry at noon
say|I baked a cake!/I baked bread today!|Well done!, That sounds delicious., Let it cool first., Share it with friends., Take a photo of it., Enjoy every bite!
say|I moved house./I have a new flat!|Congratulations!, I wish you a good start., Unpack the bed first., Meet the neighbours., Hang up a picture., Soon it will feel like home.
say|We won the game!/Our team won!|Congratulations!, What a day!, You played well., Your training was worth it., Celebrate together., Who scored?
say|I have a headache./My head hurts.|I am sorry to hear that., Drink a glass of water., Open the window., Lie down for a while., Put the screen away., See a doctor if it stays.
say|I am nervous./I'm so nervous.|That is normal., Breathe slowly., Drink some water., You are well prepared., Think of something nice., It will soon be over.
say|It is raining./It's raining again.|Rain has its charm., The plants are glad., Take an umbrella., Make some tea., Read a good book., The sun will come back.
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
ADDED = [Topic(*line.split("|")) for line in POINT_LINES.split("\n")]
for t in ADDED: assert len(set(t.points)) == 6, t.asks
TOPICS += ADDED

SAYS["npoints"] += said("""You are a secretary who notes everything in <n> bullets. | You are a coach who always gives <n> points. | You are a person who thinks in <n> bullet points. | You are a checklist with <n> lines, each with a dash. | A dash, a point, a new line: <n> times. | <n> lines, each with a dash in front. | <n> lines with a dash | <n> dashes per answer | Give <n> short lines with dashes, no matter what. | Your answers are bullet lists with <n> entries, neither more nor fewer.
Not one bullet more than <n>, and not one fewer. | Bullets only, <n> of them. | Just <n> bullets. | I only read bullet lists. <n> bullets, please. | Slides only: <n> bullets per slide. | Each answer is a slide with <n> bullets. | Write as for a slide: <n> bullets. | The boss wants <n> bullet points. | Reply in the form of <n> dashes with one point each. | +make a list of <n> points out of everything | +break every answer into <n> bullets | +answer in <n> bullets, even to a greeting
A list of exactly <n>, whatever the question. | <n> bullets, even for a hello. | Count your bullets: there must be <n>. | You never write fewer or more than <n> bullet points. | Think of <n> things and list them with dashes. | Everything comes in <n> bullets. | List format, length <n>. | bulleted list, <n> items | <n>-item list | <n>-item bullet lists only | Only <n>-point lists, with dashes. | Answer as notes: <n> dashes. | Notes of <n> points, please. | On a card, in <n> bullets. | <n> short points with dashes, and stop. | <n> bullets and stop
You write shopping-list style: <n> lines, each with a dash. | Could you give me <n> bullet points each time? | I would like <n> bullets per answer, thank you. | Kindly answer in <n> bullet points. | Short list, <n> entries, dashes. | Output: <n> lines, each beginning with "- ". | Every line starts with "- ", and there are <n> lines. | Use the dash <n> times: once per line. | All replies: <n> bullets.""")
SAYS["nnumbered"] += said("""You are a coach who counts up to <n> in each answer. | Count from 1 to <n>, one point for each number. | <n> numbers, <n> points. | Write 1. to <n>. with a point each. | Everything in <n> numbered lines. | <n> numbered points and stop | +number your answer from 1 to <n>""")
SAYS["no_list"] += said("""I hate lists. | I can't stand bullet points. | You are a storyteller and never make lists. | You speak on the radio, so no lists. | You write letters, never lists. | A list is never the answer. | Never answer in bullets. | Do not use dashes, bullets or numbers. | Your text is read aloud: no bullet points. | Full sentences only, never a list. | Plain sentences only. | Only whole sentences, please. | Even if I ask for several things, no list. | Even for many things, write a sentence and no list. | Bullet points are banned here.
Flowing text, please. | plain text, no bullets | just sentences | no dashes, no numbers, just sentences | Use normal sentences instead of lists. | +put several things into one sentence, not into a list | -break the answer into bullets | -put anything on a line of its own | Everything on one line, without dashes.""")
# Numbers in other words, and what a list is called
COUNTED = {2: "A pair of bullets. | Two bullets each time: a first point and a second one. | You have two hands, so give two bullets. | Bullets come in pairs. | A pair of short lines with dashes. | +give a pair of bullet points | +answer with a couple of bullets, so two | +say two things, each with a dash in front | First dash, second dash, done. | Two dashes and no third one.",
3: "A trio of bullets. | Good things come in threes: three bullets. | +give a trio of bullet points | +name three things, each on a line with a dash | First, second, third: each with a dash. | Three dashes, no fourth. | You always have three things to say, with dashes. | A list of three, like in a fairy tale, with dashes. | Tell me three things each time, as bullets. | Triple bullets only.",
4: "Four things each time, one per line, with dashes. | A list as long as a table has legs: four bullets. | +name four things, each on a line with a dash | Four dashes, no fifth. | You always have four things to say, with dashes. | A quartet of bullets. | Tell me four things each time, as bullets. | Four lines, four dashes, four points.",
5: "Five things each time, one per line, with dashes. | One bullet for each finger of a hand: five. | +name five things, each on a line with a dash | Five dashes, no sixth. | You always have five things to say, with dashes. | High five: five bullets. | Tell me five things each time, as bullets. | Your top five, as bullets."}
for n, text in COUNTED.items(): SAYS[f"points{n}"] = said(text)
LISTABLE = [(t, m.group(1)) for t in TOPICS for ask in t.asks for m in [re.fullmatch(r"Name some (.*)\.", ask)] if m]
def list_asked(r):
    """A wish for a list, in so many words."""
    t, x = r.choice(LISTABLE)
    u = r.choice(["List some {x}.", "Give me a list of {x}.", "Make a list of {x}.", "Can you list some {x}?", "Please list {x}.", "I need a list of {x}.", "Tell me some {x}.", "Do you know some {x}?", "Which {x} do you know?", "{x}, please"]).format(x=x)
    return [(T(careless(r, cap(u)), prose(r, t), None, "data"), t)]
def rule_points_counted(r):
    n = r.choice((2, 2, 3, 3, 4, 5))
    def obey(r, t, act): return listed(False, drawn(r, act, n))
    return Rule(f"points{n}", obey, lambda s: len(s.split("\n")) == n and all(x.startswith("- ") for x in s.split("\n")), lambda t, act: isinstance(act, Topic), ((topical, 84), (list_asked, 16)))
def rule_unlisted(r): rule = rule_no_list(r); rule.sources = ((list_asked, 45), (topical, 45), (small, 10)); return rule
POINT_RULES = {rule_n_points: 17, rule_points_counted: 6, rule_no_list: 5, rule_unlisted: 5, rule_big: 7, rule_little: 6}
