# What a program's profile must hold, by comments on its lines: EXPECT: PATTERN|…, ADVICE: PATTERN. A twin is silent.
# SPDX-License-Identifier: Apache-2.0
"""check.py NAME PROFILE SOURCE plain|twin EXIT SECONDS: one line, PASS, MISS or FAIL, then what was found. MISSED on a line of
the program: waste that is known not to be told. CLEAN on a line of its own: the twin, or a program without expectations, is
called clean; where it is not, MISS says what keeps it."""
import json, re, sys

name, path, source, kind, status, seconds = sys.argv[1:7]
lines = open(source).read().splitlines()
label = f"{name}{' twin' if kind == 'twin' else ''}"
if status != "0":
    print(f"FAIL {label}: exit {status} after {seconds} s")
try:
    p = json.load(open(path))
except Exception as e:
    print(f"FAIL {label}: no profile ({e})")
    sys.exit()
sites = {s["id"]: s for s in p["sites"]}
expected, advice, missed = {}, {}, {}
for i, text in enumerate(lines, 1):
    if m := re.search(r"# EXPECT: (\S+)", text):
        expected[i] = set(m[1].split("|"))
    if m := re.search(r"# MISSED: (\S+)", text):
        missed[i] = set(m[1].split("|"))
    if m := re.search(r"# ADVICE: (\S+)", text):
        advice[i] = set(m[1].split("|"))
own = source.rsplit("/", 1)[-1]
rows, problems, hit = [], [], set()
for f in p["findings"]:
    s = sites.get(f.get("site")) or {}
    here = s.get("file", "").endswith(own)
    where = f'{s.get("file", "?").rsplit("/", 1)[-1]}:{s.get("line")} {s.get("callee", "")} [{s.get("variable", "")}]'
    row = f'{f["grade"]} {f["pattern"]} x{f.get("count")} {f.get("bytes")} B {where}{" SUPPRESSED" if f["suppressed"] else ""}'
    rows.append(row)
    if f["suppressed"]:
        continue
    line = s.get("line") if here else None
    wanted = expected.get(line, set()) | advice.get(line, set()) | missed.get(line, set())
    if kind != "twin" and f["pattern"] in wanted:
        hit.add(line)
        continue
    if f["grade"] in ("proven", "likely"):
        if kind != "twin" and line in expected and f["pattern"] in ("unused-allocation", "noop-copy", "dead-copy", "reupload", "roundtrip"):
            continue
        problems.append("not expected: " + row)
    elif f["pattern"] in set().union(*advice.values()) if advice else False:
        problems.append("not expected: " + row)
if kind != "twin":
    for line in list(expected) + list(advice):
        if line not in hit:
            problems.append(f"missing: {'|'.join(expected.get(line) or advice.get(line))} at line {line}")
good = not problems and status == "0"
audit, foreign = p["coverage"]["audit"], p["coverage"].get("foreign_operations", 0)
shares = [audit[f"judged_{what}"] / max(audit[f"transfer_{what}"], 1) for what in ("bytes", "ns")]
silent = not [f for f in p["findings"] if f["grade"] in ("proven", "likely") and not f["suppressed"]]
told = f"judged {100 * shares[0]:.0f} % of bytes, {100 * shares[1]:.0f} % of time" + (f", {foreign} of memory not seen" if foreign else "")
clean = silent and min(shares) >= 0.9 and not foreign
wants_clean = "# CLEAN" in lines and not (expected and kind != "twin")
if status == "0":
    unseen = [f"{'|'.join(what)} at line {line}" for line, what in missed.items() if line not in hit and kind != "twin"]
    if wants_clean and not clean:
        unseen.append("not called clean")
    said = "; ".join(problems[:3]) if problems else "expected line(s) " + ",".join(map(str, sorted(hit))) if hit else ", ".join(unseen) or "silent"
    print(f"{'FAIL' if not good else 'MISS' if unseen else 'PASS'} {label}: {said}, {'clean' if clean else told} ({seconds} s)")
marked = {*expected, *advice}
for row in rows[:9 if not good else 4]:
    print("     " + row)
if not good:
    for s in p["sites"][:400] if marked else []:
        if s.get("calls") and (s.get("line") in marked or not marked) and s.get("file", "").endswith(own):
            print(f'     site {s["line"]} {s["callee"]} calls {s["calls"]} [{s.get("variable")}]')
    print("     coverage", json.dumps(p.get("coverage"))[:500])
