#!/usr/bin/env python3
"""Writes tasks_NN.jsonl: stories, poems and text tasks.
All text comes from the hand-written banks in tasks_bank.py, tasks_plots.py, tasks_stories.py, tasks_poems.py,
and tasks_instr.py. Same seed, same files.  usage: tasks_gen.py [seed]"""
import json, os, random, sys, collections
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
from tasks_stories import story_dialog
from tasks_poems import poem_dialog
from tasks_instr import instr_dialog
def main(seed=20):
    r = random.Random(seed); stat = collections.Counter(); size = collections.Counter(); fn = 0
    plan = [("story", lambda: (story_dialog(r), "story"), 25000, 5), ("poem", lambda: poem_dialog(r), 4000, 1), ("task", lambda: instr_dialog(r), 25000, 3)]
    for name, f, want, files in plan:
        seen, rows, tries, ans, one = set(), [], 0, collections.Counter(), collections.Counter()
        while len(rows) < want and tries < want * 20:
            tries += 1
            m, k = f()
            if not m: continue
            key = tuple(x["content"].lower() for x in m)
            if key in seen: continue
            # short single-turn exchanges may not repeat the same question or the same long answer often
            if name in ("task", "poem"):
                q, a = key[0], key[1]
                if one[q] >= 3 or (len(a) > 40 and ans[a] >= 3) or (len(a) <= 40 and ans[a] >= 60): continue
                one[q] += 1; ans[a] += 1
            assert m[-1]["role"] == "assistant" and all(x["content"].strip() for x in m), m
            seen.add(key); rows.append(m); stat[name + "/" + k] += 1
        r.shuffle(rows)
        print(name, len(rows), "tries", tries, flush=True)
        step = -(-len(rows) // files)
        for i in range(files):
            fn += 1
            with open(os.path.join(HERE, f"tasks_{fn:02d}.jsonl"), "w", encoding="utf-8") as o:
                for m in rows[i * step:(i + 1) * step]:
                    s = json.dumps({"messages": m}, ensure_ascii=False) + "\n"; size[name] += len(s); o.write(s)
    print(dict(size), sum(size.values())); print(len(stat), dict(stat))
if __name__ == "__main__": main(*map(int, sys.argv[1:]))
