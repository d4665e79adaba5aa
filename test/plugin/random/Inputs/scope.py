# Random device code: the variables in sight, expressions, and closures.
# SPDX-License-Identifier: Apache-2.0
"""Nothing here knows what the code does: it is run to see (observe.h). What does not compile is left out later."""

import random

CLASSES = ("S2", "A3", "M2", "DD", "C2", "TU", "NE", "UN", "PK", "VJ", "CD", "RF", "NU")

# Pointers in an object of each class; X is the object, J an index, P a pointer. Those with ! need one that may change.
MEMBERS = {
    "S2": ("X.a", "X.b", "X.first()", "!X.second()", "X.flipped().a", "X.flipped().b", "X.cself().b", "!X.self().a",
           "(X->*J)", "(&X[J])", "!(X += 1).a"),
    "A3": ("X.v[0]", "X.v[1]", "X.v[2]", "X.v[J % 3]", "X.at(J)", "!X[1]", "(&X(2, J))", "(*(X.v + 1))"),
    "M2": ("X.a", "X.b"),
    "DD": ("X.x", "X.y", "X.z", "!X.second().y", "!static_cast<B1 &>(X).x"),
    "C2": ("X.a", "X.b", "C2(X).a"),
    "TU": ("std::get<0>(X)", "std::get<1>(X)"),
    "NE": ("X.s.a", "X.s.b", "X.in.z", "X.in.v.v[1]", "X.in.v.at(J)", "X.two[0].a", "X.two[1].b", "X.two[J & 1].a",
           "X.two[1].flipped().a", "NE(X).in.v[2]"),
    "UN": ("X.a", "X.b", "X.c"),
    "PK": ("X.a", "X.b"),
    "VJ": ("X.a",),
    "CD": ("X.a", "X.b", "X.own().b"),
    "RF": ("(&X.r)", "X.c", "const_cast<float *>(X.k)"),
    "NU": ("X.a", "X.s.b"),
}

# What changes an object, or writes by it; likewise.
CHANGES = {
    "S2": ("!X.swap();", "!X.self().a = P;", "!X.second() = P;", "!X = X.flipped();", "!swp(X.a, X.b);", "!X += 1;",
           "!exch(X.a, X.b);", "!setpp(&X.b, P);", "!++X.a;", "X.w(J);", "X[J] = V;", "P[J & 7] += 0.25f * X.r(J);",
           "P[J & 7] = X(J);", "!new (&X) S2{P, P};", "!{ auto &[a, b] = X; a = P; b[J & 7] += 1; }"),
    "A3": ("!X[J % 3] = P;", "X(1, J) = V;", "!X.v[1]++;", "for (float *y : X.v) y[J & 7] += 1;",
           "!for (float *&y : X.v) y = P;", "!swp(X.v[0], X.v[2]);", "!{ auto &[a, b, c] = X.v; c = a; *b += 1; }"),
    "M2": ("X.a = P;", "X.swap();", "swp(X.a, X.b);", "setpp(&X.b, P);"),
    "DD": ("X.wx(J);", "X.wy(J);", "X.both(J);", "{ B2 b = X; b.wy(J); }", "{ const B2 &b = X; b.y[J & 7] += 1; }",
           "!static_cast<B2 &>(X) = B2{P};", "!X.second().y = P;", "!{ B1 *b = &X; b->x = P; }",
           "!{ B2 *b = &X; static_cast<DD *>(b)->z[J & 7] += 1; }"),
    "C2": ("!X.a = P;", "{ C2 c = X; c.a[J & 7] += 1; }"),
    "TU": ("!std::get<1>(X) = P;", "{ auto [a, b] = X; a[J & 7] += 1; }"),
    "NE": ("X.s.w(J);", "!X.in.v.v[1] = P;", "!X.two[0] = X.two[1];", "!X.two[J & 1].swap();", "!X.writer()(J);",
           "X.copied()(J);", "!{ S2 &y = X.two[1]; y.a = P; }", "{ NE::In y = X.in; y.z[J & 7] += 1; }",
           "!for (S2 &y : X.two) y.w(J);", "!X.s = S2{P, P};"),
    "UN": ("!X.a = P;", "X.b[J & 7] = V;", "!{ UM u; u.a = P; u.n += 4; u.a[J & 7] += 1; }"),
    "PK": ("X.a[J & 7] += 1;", "!X.b = P;"),
    "VJ": ("X.a[J & 7] += 1;", "if (X.b) X.b[J & 7] += 1;", "!X = VJ(P);"),
    "CD": ("!X.wr(J);", "!{ CR<CD> &y = X; y.wr(J); }", "!{ CR<CD> *y = &X; y->to(P); }", "X.b[J & 7] = V;", "!X.b = P;"),
    "RF": ("X.r = V;", "X.c[J & 7] += 1;", "P[0] += X.k[J & 7];", "!X.k = P;"),
    "NU": ("X.s.w(J);", "X.e(X.a, J);", "!X.a = P;"),
}

PLACES = ("X[J & 7]", "X[J & 7]", "X[J & 7]", "*X", "X[0]", "X[(J + 1) & 7]", "elem(X, J)", "*(X + (J & 7))",
          "X[int(M) & 7]", "*X++", "*++X", "(*(&X[J & 7]))", "(X + 2)[-1]")


# Pointers that a pointer to such, an array, or a table of addresses leads to.
INDIRECT = {"PP": ("(*X)", "X[0]", "(*&X[0])"), "AR": ("X[0]", "X[1]", "X[J & 1]", "(*X)"),
            "T": ("X[0]", "X[1]", "(*(X + 3))")}


class Variable:
    def __init__(self, name, kind, changes, copied=False):
        self.name, self.kind, self.copied = name, kind, copied
        self.changes = changes  # it may be assigned


class Code:
    """Draws code; statements.py adds the statements. Without: numbers of statements that are left out."""

    def __init__(self, seed, without=(), by_reference=True):
        self.r, self.without, self.by_reference = random.Random(seed), set(without), by_reference
        self.names, self.statements = 0, 0
        self.in_kernel = False  # else in what both sides may compile

    def fresh(self, begin):
        self.names += 1
        return f"{begin}{self.names}"

    def pick(self, scope, *kinds, changes=None):
        found = [v for v in scope if v.kind in kinds and changes in (None, v.changes)]
        return self.r.choice(found) if found else None

    def shape(self, shapes, variable):
        return self.r.choice([s for s in shapes if variable.changes or s[0] != "!"] or ("",)).lstrip("!")

    def fill(self, text, scope, index, name="", depth=1):
        """P, V, M, C stand for a pointer, a value, a number in memory, a condition."""
        out = []
        for word in _words(text):
            if word == "X":
                out.append(name)
            elif word == "J":
                out.append(index)
            elif word == "P":
                out.append(self.pointer(scope, index, depth))
            elif word == "V":
                out.append(self.value(scope, index, depth - 1))
            elif word == "M":
                out.append(self.element(scope, index, depth - 1))
            elif word == "C":
                out.append(self.condition(scope, index, depth - 1))
            else:
                out.append(word)
        return "".join(out)

    def pointer(self, scope, index, depth=2):
        for _ in range(20):
            k = self.r.randrange(24)
            variable = None
            if k < 7:
                variable = self.pick(scope, "P")
                if variable:
                    return variable.name
            elif k < 14:
                variable = self.pick(scope, *CLASSES)
                if variable:
                    return self.fill(self.shape(MEMBERS[variable.kind], variable), scope, index, variable.name, depth - 1)
            elif k == 14:
                variable = self.pick(scope, *INDIRECT)
                if variable:
                    return self.fill(self.r.choice(INDIRECT[variable.kind]), scope, index, variable.name)
            elif k == 15:
                variable = self.pick(scope, "CP", "VP")
                if variable:
                    return f"const_cast<float *>({variable.name})"
            elif k == 16:
                variable = self.pick(scope, "V4")
                if variable:
                    return f"reinterpret_cast<float *>({variable.name})"
            elif depth > 0:
                shape = self.r.choice((
                    "sel(P, P, J)", "(J & 2 ? P : P)", "(C ? P : P)", "(&P[0])", "val(P)", "[&] { return P; }()",
                    "std::forward<float *>(P + 0)", "(P + 1)", "walk(P, P, 3)", "lastOf(P, P)", "nth<1>(P, P, P)",
                    "((float *)(void *)P)", "(V, P)", "id(static_cast<float *const &>(P))", "S2{P, P}.b",
                    "std::make_pair(P, P).first"))
                return self.fill(shape, scope, index, depth=depth - 1)
        variable = self.pick(scope, "P")
        return variable.name if variable else "last"

    def element(self, scope, index, depth=1):
        readable = self.pick(scope, "CP", "VP") if self.r.random() < 0.2 else None
        shape = "X[J & 7]" if readable else self.r.choice(PLACES[:8])
        return self.fill(shape, scope, index, readable.name if readable else self.pointer(scope, index, depth), 0)

    def place(self, scope, index):
        shape = self.r.choice(PLACES)
        if "++" in shape:
            variable = self.pick(scope, "P", changes=True)
            if not variable:
                shape = "X[J & 7]"
            else:
                return shape.replace("X", variable.name)
        return self.fill(shape, scope, index, self.pointer(scope, index, 1), 0)

    def value(self, scope, index, depth=1):
        if depth < 0:
            return "0.625f"
        shape = self.r.choice(("1.5f", "1.5f", "0.5f * M", "0.5f * M", "M + 0.25f", "get(P, J)", "__ldg(P + (J & 7))",
                               "atomicAdd(&P[J & 7], 1.f)", "float(J) + 0.125f", "*next(P)", "0.5f * (M + M)",
                               "[&] { return M; }()", "(C ? M : 0.75f)"))
        if "next" in shape:
            variable = self.pick(scope, "P", changes=True)
            shape = f"*next({variable.name})" if variable else "2.5f"
        return self.fill(shape, scope, index, depth=depth)

    def condition(self, scope, index, depth=1):
        return self.fill(self.r.choice(("J > 3", "(J & 1)", "n > 2", "J != 2", "J > 3", "M > 2048.f", "M < 4096.f",
                                        "(J > 1 && M > 2048.f)", "int(M) & 1")), scope, index, depth=depth)

    def captures(self, scope, by_reference):
        """(the text, what the body sees)"""
        style = self.r.randrange(4)
        copies = [Variable(v.name, v.kind, False, True) for v in scope]
        if style == 0 and not by_reference:
            return "=", copies
        if by_reference and style < 2:
            return "&", list(scope)
        chosen = [v for v in scope if self.r.random() < 0.5]
        if not any(v.kind == "P" for v in chosen):
            chosen += [v for v in scope if v.kind == "P"][:2]
        self.r.shuffle(chosen)
        words, inner = [], []  # copied: it may change where the closure is mutable
        for v in chosen:
            k = self.r.randrange(5)
            if k == 0 and v.kind == "P":
                name = self.fresh("c")
                words.append(f"{name} = {self.pointer(scope, '0', 1) if by_reference else v.name + ' + 1'}")
                inner.append(Variable(name, "P", False, True))
            elif k == 1 and by_reference:
                words.append("&" + v.name)
                inner.append(Variable(v.name, v.kind, v.changes))
            elif k == 2 and by_reference and v.kind in ("P", "S2", "NE", "A3"):
                name = self.fresh("r")
                words.append(f"&{name} = {v.name}")
                inner.append(Variable(name, v.kind, v.changes))
            elif k == 3 and v.kind != "L" and (by_reference or v.kind != "AR"):
                # A launching function's array would be its address, whose table nobody sees.
                name = self.fresh("c")
                words.append(f"{name} = {v.name}")
                inner.append(Variable(name, v.kind, False, True))
            else:
                words.append(v.name)
                inner.append(Variable(v.name, v.kind, False, True))
        return ", ".join(words), inner

    def closure(self, scope, depth, by_reference, attribute=""):
        words, inner = self.captures(scope, by_reference)
        mutable = self.r.random() < 0.25
        if mutable and words != "&":
            inner = [Variable(v.name, v.kind, v.changes or v.copied) for v in inner]
        index = self.fresh("j")
        takes = "auto" if self.r.random() < 0.15 and not attribute else "int"
        body = self.block(inner, depth - 1, index)
        if self.r.random() < 0.15:
            body = f"if ({self.condition(inner, index)}) return; {body}"
        # `n` is the kernel's; a closure that the host makes has a number of its own.
        return f"[{words}] {attribute}({takes} {index}){' mutable' if mutable else ''} " \
               f"{{ [[maybe_unused]] const int n = 3; {body} }}"

    def block(self, scope, depth, index, count=None):
        scope = list(scope)
        return " ".join(self.statement(scope, depth, index) for _ in range(count or self.r.randrange(1, 5)))

    def statement(self, scope, depth, index):
        raise NotImplementedError


def _words(text):
    """Words of letters and digits apart from what is between them."""
    word = ""
    for c in text + "\0":
        if c.isalnum() or c == "_":
            word += c
            continue
        if word:
            yield word
        word = ""
        if c != "\0":
            yield c
