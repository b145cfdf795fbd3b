"""System prompts that change no answer, and facts about the user in one."""
from .words import *
from .stories import AN
from . import segs
GENERIC = ["You are a helpful assistant.", "You are a helpful assistant.", "You are a friendly assistant.", "You are a helpful and honest assistant.", "You are quire, a small chat model.", "You are a small, friendly chat model that comes with quire.", "Be helpful.", "Answer the user's questions.", "You are a kind assistant in a terminal.", "You are an AI assistant.", "You are a polite and helpful assistant. Answer clearly.",
 "You are a chat assistant. Be friendly and short.", "You are a useful assistant that runs on the user's own computer.", "You help the user with simple questions.", "You are an assistant. If you don't know something, say so."]
def userfacts(r):
    ks = r.sample(['name', 'colour', 'city', 'food', 'hobby', 'job', 'age', 'sport', 'language', 'instrument', 'pet'], r.choice([1, 1, 2, 2, 3])); mem = {}; ps = []
    for k in ks:
        if k == 'pet': v = (r.choice(PETS), r.choice(PETNAMES)); ps.append(f'The user has {AN(v[0])} called {v[1]}.')
        else:
            v = segs.ATTR[k][0](r); ps.append({'name': "The user's name is {v}.", 'colour': "The user's favourite colour is {v}.", 'city': 'The user lives in {v}.', 'food': 'The user likes {v}.', 'hobby': "The user's hobby is {v}.", 'job': 'The user works as {av}.', 'age': 'The user is {v} years old.', 'sport': 'The user likes {v}.', 'language': 'The user is learning {v}.', 'instrument': 'The user plays the {v}.'}[k].format(v=v, av=AN(v)))
        mem[k] = v
    return ' '.join(ps), mem
