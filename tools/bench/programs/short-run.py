#!/usr/bin/env python3
# What the defaults know at the end of a short run: sampled device times, judged lines, own cost.
# SPDX-License-Identifier: Apache-2.0
"""short-run.py [SECONDS [RUNS]]: runs short-run, which lies beside it, in each of its modes. LD_LIBRARY_PATH and
GPUINSTR_RUNTIME as for the other programs of a bundle; GPUINSTR_OPTIONS is added to. The exit code is 1 where a device
time above 5 % of its table is not known within 15 %, a line is not judged, waste is not told, or the report's own cost
is above 2 %."""
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = sys.argv[1] if len(sys.argv) > 1 else "2"
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
# One decision with the report: what stands in KERNELS, and what in TRANSFERS.
WASTE = {"noop-copy", "reupload"}


def profile(mode):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "p.json")
        options = f"{os.environ.get('GPUINSTR_OPTIONS', '')} report=off json={path}"
        subprocess.run([os.path.join(HERE, "short-run"), mode, SECONDS], check=True,
                       env=dict(os.environ, GPUINSTR_OPTIONS=options))
        with open(path) as file:
            return json.load(file)


def shares(p):
    """Name, share of its table, half of the interval over the total, of the rows above 5 %."""
    tables = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for site in p["sites"]:
        for row in site["device"]["rows"]:
            table = "kernels" if row["operation"] == "kernel" else "transfers"
            entry = tables[table][f"{row['name'] or row['operation']} {os.path.basename(site['file'])}:{site['line']}"]
            entry[0] += row["total_ns"]
            entry[1] += row["ci_ns"]
    for rows in tables.values():
        total = sum(ns for ns, _ in rows.values())
        for name, (ns, half) in sorted(rows.items(), key=lambda r: -r[1][0]):
            if ns > 0.05 * total:
                yield name, ns / total, half / ns


def main():
    wide = 0
    for mode in ("pinned", "pageable", "lines"):
        for _ in range(RUNS):
            p = profile(mode)
            audit, process = p["coverage"]["audit"], p["process"]
            told = sorted((f for f in p["findings"] if f["pattern"] in WASTE), key=lambda f: f["grade"])
            grades = collections.Counter(f["grade"] for f in told)
            print(f"{mode}: {process['wall_ns'] / 1e9:.2f} s, own cost {process['own_cost_percent']:.2f} %, judged "
                  f"{100 * audit['judged'] / audit['transfers']:.1f} % of {audit['transfers']} copies, "
                  f"{100 * audit['judged_bytes'] / audit['transfer_bytes']:.1f} % of {audit['transfer_bytes'] / 1e9:.2f} GB; waste at "
                  f"{len(told)} lines: " + ", ".join(f"{n} {g}" for g, n in grades.items()))
            wide += audit["judged"] < audit["transfers"] or process["own_cost_percent"] > 2
            wide += len(told) != (20 if mode == "lines" else 1)
            if mode == "lines":
                continue
            for name, share, half in shares(p):
                print(f"  {100 * share:5.1f} %  +-{100 * half:5.1f} %  {name}")
                wide += half > 0.15
    return 1 if wide else 0


sys.exit(main())
