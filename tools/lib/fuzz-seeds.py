#!/usr/bin/env python3
"""usage: fuzz-seeds.py ROOT FOLDER: small profiles, each with one part of the schema filled, as first inputs.

Each value of an enumeration, and each finding, stands in one of them: what a mutation hardly guesses.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import sys

SITE = {"id": "a", "kind": "launch", "file": "a.cu", "line": 3, "function": "f", "callee": "k"}


class Maker:
    """Instances of a schema: of each list of choices the one whose turn it is."""

    def __init__(self, definitions, findings):
        self.definitions = definitions
        self.findings = findings
        self.turns = 2

    def choose(self, choices, turn):
        self.turns = max(self.turns, len(choices))
        return choices[turn % len(choices)]

    def make(self, schema, name, turn):
        if "$ref" in schema:
            schema = self.definitions[schema["$ref"].rsplit("/", 1)[1]]
        if "enum" in schema:
            return self.choose(schema["enum"], turn)
        if name == "pattern":
            return self.choose(self.findings, turn)
        kind = schema.get("type")
        if kind == "object":
            return {key: self.make(value, key, turn) for key, value in schema["properties"].items()}
        if kind == "array":
            return [self.make(schema["items"], name, turn)] * (3 if name in ("grid", "block") else 1)
        if kind == "boolean":
            return turn % 3 == 0
        if kind in ("integer", "number"):
            return 3000000 if name.endswith(("ns", "bytes")) else 3
        return "a"


def main():
    root, folder = map(pathlib.Path, sys.argv[1:])
    schema = json.loads((root / "docs/profile.schema.json").read_text())
    table = (root / "runtime/profile/kinds/Findings.def").read_text()
    findings = re.findall(r'^FINDING\(\s*\w+,\s*"([^"]+)"', table, re.MULTILINE)
    properties = schema["properties"]
    head = {key: properties[key]["const"] for key in ("schema", "version")} | {"cuda_used": True}
    folder.mkdir(parents=True, exist_ok=True)
    for part in properties.keys() - head.keys():
        maker = Maker(schema["$defs"], findings)
        turn = 0
        while turn < maker.turns:
            profile = head | {"sites": [SITE]} | {part: maker.make(properties[part], part, turn)}
            (folder / f"{part}-{turn}").write_text(json.dumps(profile, separators=(",", ":")))
            turn += 1


main()
