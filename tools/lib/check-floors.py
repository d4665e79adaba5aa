#!/usr/bin/env python3
"""Checks that includes run down, that folders stay small, and that no two headers share a name.

SPDX-License-Identifier: Apache-2.0

    check-floors.py ROOT              checks the tree; exit code 1 and a line for each fault
    check-floors.py ROOT --self-test  plants faults in memory and fails unless each is found

The floors stand in floors.txt beside this script.
"""
import os
import re
import sys

MOST_FILES = 15
SOURCES = (".h", ".cpp", ".c", ".cu", ".def", ".inc")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def read_floors(path):
    """{area: {room: floor}}, floor 0 on top."""
    areas, area, floor = {}, None, 0
    for line in open(path, encoding="utf-8"):
        line = line.split("#")[0].strip()
        if line.startswith("["):
            area, floor = areas.setdefault(line.strip("[]"), {}), 0
        elif line:
            for room in line.split():
                area[room] = floor
            floor += 1
    return areas


def read_tree(root, area, others):
    """{path below the area: text} of the area's sources, without tests and areas inside it."""
    files = {}
    top = os.path.join(root, area)
    for folder, folders, names in os.walk(top):
        below = os.path.relpath(folder, root)
        folders[:] = [
            f for f in folders
            if f != "test" and os.path.join(below, f) not in others and not f.startswith(".")
        ]
        for name in names:
            path = os.path.join(folder, name)
            text = ""
            if name.endswith(SOURCES):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read()
            files[os.path.relpath(path, top)] = text
    return files


def room_of(path, rooms):
    folder = os.path.dirname(path)
    while folder and folder not in rooms:
        folder = os.path.dirname(folder)
    folder = folder or "."
    return folder if folder in rooms else None


def target_of(included, path, files):
    """The file of this area that an include means, as the compiler looks for it."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), included))
    for candidate in (beside, os.path.normpath(included), os.path.join("include", included)):
        if candidate in files:
            return candidate
    return None


def check_includes(area, rooms, files):
    for path in sorted(files):
        room = room_of(path, rooms)
        if room is None:
            if files[path]:
                yield f"{area}/{path}: its folder stands on no floor"
            continue
        for included in INCLUDE.findall(files[path]):
            target = target_of(included, path, files)
            if target is None:
                continue
            other = room_of(target, rooms)
            if other is None or other == room:
                continue
            if rooms[other] < rooms[room]:
                yield f"{area}/{path} includes {included}, which runs up from {room} to {other}"
            elif rooms[other] == rooms[room] and not same_house(room, other):
                yield f"{area}/{path} includes {included}: {room} and {other} share a floor"


def same_house(room, other):
    """Rooms of one floor inside one top folder, such as calls and calls/sites, are one room."""
    return room.split("/")[0] == other.split("/")[0] and room.split("/")[0] != "."


def check_folders(root):
    """Of the whole tree. Tests mirror what they test, and folders of builds are nobody's."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            f for f in folders
            if not f.startswith((".", "build", "__pycache__", "node_modules")) and f != "test"
        )
        count = sum(not name.startswith(".") for name in names)
        if count > MOST_FILES:
            yield f"{os.path.relpath(folder, root)}: {count} files, more than {MOST_FILES}"


def check_names(area, files):
    seen = {}
    for path in sorted(files):
        name = os.path.basename(path)
        if name.endswith(".h") and name in seen:
            yield f"{area}/{path}: {area}/{seen[name]} has the same name"
        seen.setdefault(name, path)


def check(area, rooms, files):
    yield from check_includes(area, rooms, files)
    yield from check_names(area, files)


def self_test(areas, trees):
    """A check that cannot fail shows nothing: each area must refuse an include that runs up."""
    missed = 0
    for area, rooms in areas.items():
        by_floor = {}
        for path in sorted(trees[area]):
            room = room_of(path, rooms)
            if path.endswith(".h") and room is not None:
                by_floor.setdefault(rooms[room], path)
        top, bottom = by_floor[min(by_floor)], by_floor[max(by_floor)]
        planted = dict(trees[area])
        planted[bottom] = f'#include "{top}"\n' + planted[bottom]
        faults = list(check_includes(area, rooms, planted))
        found = any(fault.startswith(f"{area}/{bottom} includes {top}") for fault in faults)
        print(f"{area}: {bottom} -> {top}: {'refused' if found else 'NOT FOUND'}")
        missed += not found
    return missed


def main():
    root = os.path.abspath(sys.argv[1])
    here = os.path.dirname(os.path.abspath(__file__))
    areas = read_floors(os.path.join(here, "floors.txt"))
    trees = {area: read_tree(root, area, areas) for area in areas}
    if "--self-test" in sys.argv[2:]:
        return 1 if self_test(areas, trees) else 0
    faults = [fault for area, rooms in areas.items() for fault in check(area, rooms, trees[area])]
    faults += check_folders(root)
    for fault in faults:
        print("error:", fault)
    print(f"{sum(map(len, trees.values()))} files in {len(areas)} areas, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
