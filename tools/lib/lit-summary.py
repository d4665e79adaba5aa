# Reads lit's JSON result: prints `passed failed`, names on stderr what did not pass.
# SPDX-License-Identifier: Apache-2.0
#
# Usage: lit-summary.py RESULT.json TEST_SOURCE_FOLDER
# A skipped test is a failure unless its source requires a GPU or a large tool that few have
# (`REQUIRES: gpu`, `REQUIRES: plugin, chromium`): a check that silently skips is no check.

import json
import os
import re
import sys


LINES_OF_A_FAILURE = 30
OPTIONAL = r"\b(gpu|chromium|sccache|clangd|other-python)\b"


def may_be_skipped(source):
    if not os.path.isfile(source):  # an end-to-end test is named FILE/MODE
        source = os.path.dirname(source)
    try:
        with open(source, encoding="utf-8", errors="replace") as file:
            return any(re.search("REQUIRES:.*" + OPTIONAL, line) for line in file)
    except OSError:
        return False


def main(result, folder):
    with open(result, encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    passed = failed = skipped = 0
    for test in tests:
        name = test["name"].split(" :: ", 1)[1]
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            passed += 1
            if test["code"] == "FLAKYPASS":
                print(f"      passed at its second try: {name}", file=sys.stderr)
        elif test["code"] == "UNSUPPORTED" and may_be_skipped(os.path.join(folder, name)):
            skipped += 1
        else:
            failed += 1
            print(f"      {test['code']}: {name}", file=sys.stderr)
            # What CI keeps of a run is what it printed.
            for line in test.get("output", "").splitlines()[-LINES_OF_A_FAILURE:]:
                print(f"        | {line[:200]}", file=sys.stderr)
    if skipped:
        print(f"      {skipped} tests need a GPU (tools/gpu-check) or a tool that is not here", file=sys.stderr)
    print(passed, failed)


main(sys.argv[1], sys.argv[2])
