#!/usr/bin/env python3
"""Renders the templates of jinja_cases.json with Jinja2, set up as apply_chat_template() does, and writes what comes
out beside them: a string, or null where Jinja2 fails.

usage: make_jinja_cases.py   (needs python3-jinja2)
"""
import json
import pathlib
from datetime import datetime

import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime(2026, 1, 2, 3, 4, 5)
path = pathlib.Path(__file__).parent / "jinja_cases.json"


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def render(source, variables):
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                                extensions=[jinja2.ext.loopcontrols])
    environment.filters["tojson"] = tojson
    environment.globals["strftime_now"] = NOW.strftime
    try:
        return environment.from_string(source).render(**variables)
    except Exception:  # whatever Python says
        return None


data = json.loads(path.read_text())
data["cases"] = [[source, render(source, data["variables"])] for source, *_ in data["cases"]]
lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in data["cases"])
variables = json.dumps(data["variables"], ensure_ascii=False)
path.write_text(f'{{"variables": {variables},\n"cases": [\n{lines}\n]}}\n')
print(len(data["cases"]), "cases")
