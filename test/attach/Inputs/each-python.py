# Runs the programs of these tests with each interpreter, and says where one of them does not give what it must.
# SPDX-License-Identifier: Apache-2.0
"""each-python.py FOLDER CLI PROGRAM INTERPRETER...: PROGRAM is lines, thousand, interpreters, foreign, stress
or lasting."""
import json
import os
import re
import subprocess
import sys

INPUTS = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 300  # seconds; some need long to end while sixteen threads call


def program(name):
    return os.path.join(INPUTS, name + ".py")


def attached(python, profile, *arguments, all_seen=True):
    if os.path.exists(profile):
        os.remove(profile)
    simulate = [] if os.environ.get("GPUINSTR_ON_GPU") else ["--simulate"]
    budget = ["--set", "budget=100"] if all_seen else []
    command = [CLI, "run", "--attach", *simulate, "--report", "off", "--set", "telemetry=off", *budget, "--json", profile, "--", python]
    done = subprocess.run(command + ["-W", "ignore", *arguments], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, (done.returncode, done.stderr)
    assert not done.stderr, done.stderr
    return done.stdout


def checked(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def queries(profile):
    calls = {}
    for site in json.load(open(profile))["sites"]:
        if site["callee"].startswith("cuStreamQuery"):
            place = site["file"], site["line"]
            calls[place] = calls.get(place, 0) + site["calls"]
    return calls


def lines(python, profile):
    assert attached(python, profile, program("lines")) == "done\n"
    checked([python, program("check-lines"), profile, program("lines")])


def thousand(python, profile):
    attached(python, profile, program("thousand"))
    checked([python, program("thousand"), profile])


def interpreters(python, profile):
    assert attached(python, profile, program("interpreters")) == "done\n"
    checked([python, program("interpreters"), profile])


def as_said(name, calls, times):
    assert all(line for _, line in calls), calls
    for number, text in enumerate(open(program(name)).read().splitlines(), 1):
        if said := re.search(r"#= (\d+)$", text):
            told = calls.get((program(name), number))
            assert told == int(said[1]) * times, (number, told, int(said[1]) * times)


def foreign(python, profile):
    attached(python, profile, program("foreign"))
    as_said("foreign", queries(profile), times=4 * 48)


def stress(python, profile):
    made = int(attached(python, profile, program("stress"), "3200", "16"))
    calls = queries(profile)
    assert sum(calls.values()) == made, (calls, made)
    as_said("stress", calls, times=2 * 16)
    attached(python, profile, program("stress"), "1600", "16", "end", all_seen=False)
    assert queries(profile)


def lasting(python, profile):
    growth = int(attached(python, profile, program("lasting"), "100000"))
    assert growth < 1024, growth


folder, CLI, name = sys.argv[1:4]
os.makedirs(folder, exist_ok=True)
failed = False
for python in sys.argv[4:]:
    try:
        globals()[name](python, os.path.join(folder, name + ".json"))
    except (AssertionError, subprocess.TimeoutExpired) as problem:
        failed = True
        print(f"{python}: {name}: {problem}")
sys.exit(failed)
