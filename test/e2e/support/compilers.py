# The environment in which tests start compilers: tools/lib/compilers.env says why.
# SPDX-License-Identifier: Apache-2.0
import os

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "lib", "compilers.env")


def _variables():
    with open(_FILE, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split("=", 1) for line in file if line[0] != "#")


VARIABLES = _variables()


def environment():
    return {**os.environ, **VARIABLES}
