# Compares a profile's calls of each line with what the program's comments say.
# SPDX-License-Identifier: Apache-2.0
import json
import re
import sys

sites = [s for s in json.load(open(sys.argv[1]))["sites"] if s["callee"].startswith("cuMemcpyHtoD")]
calls = {}
for site in sites:
    calls[site["file"], site["line"]] = calls.get((site["file"], site["line"]), 0) + site["calls"]
failed = False
for number, text in enumerate(open(sys.argv[2]).read().splitlines(), 1):
    if said := re.search(r"#= (\d+)$", text):
        expected, told = int(said[1]), calls.get((sys.argv[2], number), 0)
        if told != expected:
            failed = True
            print(f"{sys.argv[2]}:{number}: {told} calls, not {expected}")
made = {file: told for (file, line), told in calls.items() if file.startswith("/made/") and line == 2}
if len(made) != 200 or set(made.values()) != {1}:
    failed = True
    print(f"{len(made)} of 200 functions that came and went")
thousand = {line: told for (file, line), told in calls.items() if file == "/thousand.py"}
if thousand != {line: 1 for line in range(2, 1002)}:
    failed = True
    print(f"{len(thousand)} of 1000 lines")
sys.exit(failed)
