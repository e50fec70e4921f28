#!/usr/bin/env python3
"""Rules of the code base that no compiler checks: include arrows, file and line lengths, words."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAY_INCLUDE = {
    "protocol": {"protocol"},
    "config": {"config", "protocol"},
    "exchange": {"exchange", "config", "protocol"},
    "queue": {"queue", "config", "protocol"},
    "server": {"server", "queue", "exchange", "config", "protocol"},
}
COLUMNS_MAX = 100
LINES_MAX = 800
BANNED = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")
INCLUDE = re.compile(r'^#include "([a-z]+)/')


def files():
    # Not git's list: this must work in an unpacked archive, and in a checkout of another user.
    return sorted(str(path.relative_to(ROOT)) for folder in [*MAY_INCLUDE, "tests"]
                  for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cc"))


def problems(name):
    folder = name.split("/")[0]
    lines = (ROOT / name).read_text(encoding="utf-8").split("\n")
    if len(lines) > LINES_MAX and folder != "tests":
        yield f"{name}: {len(lines)} lines, more than {LINES_MAX}"
    if name.endswith(".h") and "#pragma once" not in lines:
        yield f"{name}: no #pragma once"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX:
            yield f"{name}:{number}: {len(line)} columns, more than {COLUMNS_MAX}"
        if BANNED.search(line):
            yield f"{name}:{number}: unfinished work belongs in the issue tracker"
        include = INCLUDE.match(line)
        if include and folder in MAY_INCLUDE and include[1] not in MAY_INCLUDE[folder]:
            yield f"{name}:{number}: {folder}/ may not include {include[1]}/"


def main():
    names = files()
    found = [problem for name in names for problem in problems(name)]
    print("\n".join(found) if found else f"{len(names)} files, no problem")
    return 1 if found else 0


sys.exit(main())
