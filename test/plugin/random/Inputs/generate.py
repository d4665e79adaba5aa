# Random kernels and what launches them.
# SPDX-License-Identifier: Apache-2.0

import random

from scope import Variable
from statements import Statements

# Objects that are made of pointers: the type, how it is made of pointers P, for a kernel's parameter or a local.
OBJECTS = {
    "S2": ("S2", "S2{P, P}"), "A3": ("A3", "A3{{P, P, P}}"), "M2": ("M2", "M2{P, P}"),
    "DD": ("DD", "DD{{P}, {P}, P}"), "C2": ("C2", "C2{P, P}"), "TU": ("std::tuple<float *, float *>", "{P, P}"),
    "NE": ("NE", "NE{{P, P}, {{P, P, P}, P}, {{P, P}, {P, P}}}"), "UN": ("UN", "UN{{P}, P}"), "PK": ("PK", "PK{1, P, P}"),
    "VJ": ("VJ", "VJ(P)"), "CD": ("CD", "CD{{}, P, P}"), "RF": ("RF", "RF{*P, P, P}"), "NU": ("NU", "NU{{}, P, {P, P}}"),
}
PLAIN = {"P": "float *", "CP": "const float *", "VP": "volatile float *", "V4": "float4 *", "T": "float **",
         "N": "uintptr_t", "U": "U64 *"}
ONE = ("kn",) * 4 + ("kn_ref", "kn_cref", "kn_copy", "kn_move", "kn_app", "kn_appr", "kn_appf", "kn_ptr", "kn_lam",
                     "kn_lamc", "kn_id", "kn_arr", "kn_loop", "kn_half", "kn_hold")
AROUND = {"kn_h0": "H0<F>{f, P}", "kn_h0x": "H0<F>{f, P}", "kn_h0p": "H0<F>{f, P}", "kn_h1": "H1<F>{P, f}",
          "kn_hn": "HN<F>{{P, f}, {{f, P}, {f, P}}}", "kn_hn2": "HN<F>{{P, f}, {{f, P}, {f, P}}}",
          "kn_d0": "D0<F>{f, P}", "kn_d0b": "D0<F>{f, P}", "kn_d1": "D1<F>{f, P}", "kn_fn": "Fn<F>{f}"}
SAME = {"kn_ha": "HA<F>{f, g}", "kn_ha1": "HA<F>{f, g}", "kn_hai": "HA<F>{f, g}", "kn_har": "HA<F>{f, g}",
        "kn_as": "f, g", "kn_cond": "f, g", "kn_sw": "f, g"}
TWO = {"kn_two": "Two<F, G>{f, g}", "kn_twog": "Two<F, G>{f, g}", "kn_fg": "f, g", "kn_both": "f, g",
       "kn_only": "f, g", "kn_asm": "f, g", "kn_tie": "f, g", "kn_packf": "f, g"}
GIVEN = 11  # buffers that arguments lead to; the last one is a global variable's


class Kernel:
    """Its text, by number and seed."""

    def __init__(self, number, seed, without=()):
        self.number, self.seed, self.code = number, seed, Statements(seed, without)
        self.r = random.Random(seed + 1)
        self.buffers = list(range(GIVEN))
        self.r.shuffle(self.buffers)
        self.next = 0
        self.text = self.direct() if self.r.random() < 0.45 else self.driven()

    def buffer(self):
        if self.r.random() < 0.1:
            return f"buffer[{self.r.randrange(GIVEN)}]"
        self.next += 1
        return f"buffer[{self.buffers[self.next % GIVEN]}]"

    def filled(self, text):
        return "".join(self.buffer() if c == "P" else c for c in text)

    def made(self, kind):
        """(type, value) of an argument."""
        if kind in OBJECTS:
            name, shape = OBJECTS[kind]
            head, brace, rest = shape.partition("{")
            return name, self.filled(shape) if kind == "VJ" or kind == "C2" else head + brace + self.filled(rest)
        value = {"V4": f"reinterpret_cast<float4 *>({self.buffer()})", "T": f"table[{self.r.randrange(2)}]",
                 "N": f"uintptr_t({self.buffer()})", "U": f"reinterpret_cast<U64 *>(table[{self.r.randrange(2)}])"}
        return PLAIN[kind], value.get(kind) or f"({PLAIN[kind]}){self.buffer()}"

    def kinds(self):
        """Of what a kernel gets, or a closure captures."""
        kinds = ["P", "P"]
        for kind, share in (("CP", 0.3), ("VP", 0.1), ("V4", 0.15), ("T", 0.15), ("N", 0.05), ("U", 0.2)):
            if self.r.random() < share:
                kinds.append(kind)
        kinds += self.r.sample(sorted(OBJECTS), self.r.choice((0, 1, 1, 2)))
        self.r.shuffle(kinds)
        return kinds

    def variables(self, kinds):
        return [Variable(f"p{i}", kind, True) for i, kind in enumerate(kinds)]

    def direct(self):
        """A kernel with a body of its own."""
        self.code.in_kernel = True
        kinds = self.kinds()
        variables = self.variables(kinds)
        made = [self.made(kind) for kind in kinds]
        for v in variables:
            v.changes = self.r.random() < 0.9
        scope = list(variables)
        body = " ".join(self.code.statement(scope, 3, "i") for _ in range(self.r.randrange(2, 9)))
        if self.r.random() < 0.2:
            body = f"if ({self.code.condition(variables, 'i')}) return; {body}"
        takes = "".join(f", {of} {'' if v.changes else 'const '}{v.name}" for v, (of, _) in zip(variables, made))
        n = self.number
        return (f"__global__ void direct{n}(int n{takes}) {{ const int i = n - 3 + threadIdx.x; {body} }}\n"
                f"void t{n}() {{ {' '.join(self.declarations(variables, made))} "
                f"LAUNCH({n}, (direct{n}), {', '.join(v.name for v in variables)}); }}")

    @staticmethod
    def declarations(variables, made):
        return [f"{of} {v.name}{value if value.startswith('{') else ' = ' + value};"
                for v, (of, value) in zip(variables, made)]

    def driven(self):
        """A kernel around a closure, or around plain pointers."""
        n = self.number
        names = ["kn_pack", "kn_packl"] + list(ONE) + list(AROUND) * 2 + list(SAME) + list(TWO)
        name = self.r.choice(names)
        if name in ("kn_pack", "kn_packl"):
            pointers = [self.buffer() for _ in range(self.r.randrange(2, 5))]
            types = ", ".join(["float *"] * len(pointers))
            return f"void t{n}() {{ LAUNCH({n}, ({name}<{n}, {types}>), {', '.join('+' + p for p in pointers)}); }}"
        kinds = self.kinds()
        variables = self.variables(kinds)
        before = self.declarations(variables, [self.made(kind) for kind in kinds])

        if self.r.random() < 0.15:
            before.append(f"float *array[2] = {{{self.buffer()}, {self.buffer()}}};")
            variables.append(Variable("array", "AR", True))

        def closure(scope):
            return self.code.closure(scope, 3, False, "LAMBDA ")

        if name in SAME:
            inner = [Variable("p", "P", True), Variable("q", "P", True)]
            before.append(f"auto make = [](float *p, float *q) {{ return {closure(inner)}; }};")
            before += [f"auto {x} = make({self.buffer()}, {self.buffer()});" for x in "fg"]
        else:
            before.append(f"auto f = {closure(variables)};")
            if self.r.random() < 0.3:
                before[-1] = before[-1].replace("auto f =", "auto e =")
                before.append(f"auto f = {closure(variables + [Variable('e', 'L', False)])};")
            if name in TWO:
                before.append(f"auto g = {closure(variables)};")
        before.append("using F = decltype(f);")
        types = "F, G" if name in TWO else "F"
        if name in TWO:
            before.append("using G = decltype(g);")
        arguments = self.filled((AROUND | SAME | TWO).get(name, "f"))
        # A braced list would not pass through a macro's parameter.
        given = []
        for i, argument in enumerate([arguments] if "{" in arguments else arguments.split(", ")):
            before.append(f"auto a{i} = {argument};")
            given.append(f"a{i}")
        before.append(f"LAUNCH({n}, ({name}<{n}, {types}>), {', '.join(given)});")
        return f"void t{n}() {{\n  " + "\n  ".join(before) + "\n}"


def source(kernels, on, closures):
    """A file of kernels. On: what device functions are declared, closures: what is put before a closure's parameters."""
    head = ["#ifndef OBSERVED", f"#define ON {on}", f"#define LAMBDA {closures}", "#else", "#define ON", "#define LAMBDA",
            "#endif", '#include "kernels.h"']
    tail = ["int main() { " + " ".join(f"t{k.number}();" for k in kernels) + " }"]
    return "\n".join(head + [k.text for k in kernels] + tail) + "\n"
