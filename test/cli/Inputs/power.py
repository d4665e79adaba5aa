"""Checks what power.cpp left: profile and trace of two devices, profiles of forked processes."""
# SPDX-License-Identifier: Apache-2.0
import glob
import json
import sys


def same(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, wanted {wanted!r}")


def check_profile(path):
    power = json.load(open(path))["power"]
    same("devices", [p["device"] for p in power], [0, 1])
    for p in power:
        watts = 300 + 10 * p["device"]
        same("power", (p["average_mw"], p["peak_mw"]), (watts * 1000, watts * 1000))
        # The counter is that of the device, read beside the clock.
        error = abs(p["energy_mj"] - watts * p["covered_ns"] / 1e6)
        same("energy", error < 0.2 * p["energy_mj"], True)
        same("covered", p["covered_ns"] >= 1100000000 and p["from_ns"] >= 800000000, True)
        same("utilisation", p["utilisation_percent"], 87)
        same("clocks", (p["sm_mhz_min"], p["sm_mhz_max"]), (1755, 1980))
        same("reasons", {r["reason"]: r["readings"] for r in p["held_back"]},
             {"power cap": p["readings"] // 2, "temperature": p["readings"] // 2})


def check_chrome(path):
    events = [e for e in json.load(open(path))["traceEvents"] if e["ph"] == "C"]
    same("tracks", {e["name"] for e in events},
         {f"GPU {d} {what}" for d in (0, 1) for what in ("power", "SM clock", "utilisation")})
    same("watts", {e["args"]["W"] for e in events if e["name"] == "GPU 1 power"}, {310})
    same("clocks", {e["args"]["MHz"] for e in events if e["name"] == "GPU 0 SM clock"}, {1755, 1980})
    times = [e["ts"] for e in events if e["name"] == "GPU 0 power"]
    same("in order", times, sorted(times))
    same("over a second", times[-1] - times[0] >= 1.1e6, True)


def check_none(path):
    same("power", json.load(open(path))["power"], [])


def check_early(folder):
    """Both processes of early read; of late the parent alone did, and the child came to an end."""
    def readers(pattern):
        return sum(bool(json.load(open(path))["power"]) for path in glob.glob(f"{folder}/{pattern}"))
    same("forked before", readers("early.*.json"), 2)
    same("forked after", readers("late.*.json"), 1)


if __name__ == "__main__":
    kind, path = sys.argv[1:]
    {"profile": check_profile, "chrome": check_chrome, "none": check_none, "early": check_early}[kind](path)
