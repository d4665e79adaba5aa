# Compares a profile's bugs and waste with what is expected.
# SPDX-License-Identifier: Apache-2.0
"""findings.py PROFILE SOURCE|- [ID,ID...=MARK]...

SOURCE holds the line of MARK; with -, MARK is the function. Others that are proven or likely and not suppressed are a failure.
"""
import json
import sys

profile = json.load(open(sys.argv[1]))
source = [] if sys.argv[2] == "-" else open(sys.argv[2]).read().splitlines()
expected = {}
for word in sys.argv[3:]:
    ids, mark = word.split("=")
    lines = [i + 1 for i, text in enumerate(source) if text.rstrip().endswith((f"// {mark}", f"# {mark}"))]
    expected[ids] = lines[0] if source else mark
sites = {site["id"]: site for site in profile["sites"]}
found = []
for finding in profile["findings"]:
    if finding["grade"] not in ("proven", "likely") or finding["suppressed"]:
        continue
    site = sites.get(finding.get("site")) or {}
    found.append((finding["pattern"], site))
failed = False
for ids, where in expected.items():
    hits = [f for f in found if f[0] in ids.split(",") and where in (f[1].get("line"), f[1].get("function", "").split("(")[0])]
    if not hits:
        failed = True
        print(f"missing: {ids} at {where}")
for name, site in found:
    if not any(name in ids.split(",") and where in (site.get("line"), site.get("function", "").split("(")[0]) for ids, where in expected.items()):
        failed = True
        print(f"not expected: {name} at {site.get('file')}:{site.get('line')} {site.get('function')}")
sys.exit(failed)
