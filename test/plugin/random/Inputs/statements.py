# Random device code: statements, kernels and what launches them.
# SPDX-License-Identifier: Apache-2.0

from scope import CHANGES, CLASSES, Code, Variable

# Statements that declare nothing. X: a pointer that may be assigned, Y: another, and see Code.fill.
PLAIN = (
    "X = P;", "X = P;", "++X;", "X += 1;", "setp(X, P);", "setpp(&X, P);", "swp(X, Y);", "exch(X, Y);",
    "std::swap(X, Y);", "selr(X, Y, J) = P;", "selr(X, Y, J)[J & 7] += 1;", "(C ? X : Y) = P;",
    "(C ? X : Y)[J & 7] = V;", "X = keep(&Y, P);", "std::tie(X, Y) = std::make_tuple(P, P);",
    "X = std::exchange(Y, P);", "*&X = P;", "{ float *&y = X; y = P; y[J & 7] += 1; }",
    "{ float *&&y = std::move(X); y = P; }", "{ float *const &y = X; X = P; y[J & 7] += 1; }",
    "{ float **y = &X; *y = P; (*y)[J & 7] = V; }", "{ float **y = C ? &X : &Y; **y = V; }",
    "writer(P)(J);", "mover(P, P)(J);", "put(P, J);", "M += get(P, J);", "all(J, P, P, P);", "each(J, P, P);",
    "down(P, P, 3);", "atomicAdd(&P[J & 7], V);", "atomicExch(P, 3.25f);", "__stwt(P + (J & 7), V);",
    "memcpy(P, P, 8);", "memcpy(P + 2, P, 8);", "memset(P, 0, 8);",
    "{ float *y; float *z = P; memcpy(&y, &z, 8); y[J & 7] += 1; }",
    "{ auto &y = P; y[J & 7] += 1; }", "for (float &y : Rng{P}) y += 0.125f * P[0];",
    "for (float *y = P, *z = y + 3; y != z; ++y) *y = V;", "{ float *z = P; for (float *y = z + 3; y-- != z; ) *y += 1; }",
    "{ float *y[2] = {P, P}; y[J & 1] = P; y[1][J & 7] += 1; }", "{ float *y[2] = {P, P}; **y = V; *y[1] += 1; }",
    "{ float *y[2] = {P, P}; for (float *z : y) z[J & 7] += 1; }",
    "{ float *y[2] = {P, P}; auto &[a, b] = y; a = P; y[0][J & 7] = V; b[0] += 1; }",
    "{ S2 y[2] = {{P, P}, {P, P}}; y[J & 1].swap(); y[0].w(J); }", "{ S2 y{P, P}, z = y; z.a = P; y.w(J); z.w(J); }",
    "{ S2 y{P, P}; auto z = [&y](int k) { y.a = y.b; y.w(k); }; z(J); }", "{ auto [y, z] = S2{P, P}; *y = *z + 1; }",
    "{ float *y = P, *z = P; auto w = [=](int k) { y[k & 7] = 0.5f * z[k & 7]; }; w(J); }",
    "reinterpret_cast<float4 *>(P)[0].y += 1;", "*reinterpret_cast<float4 *>(P) = make_float4(V, 1.5f, M, 2.5f);",
    "{ const float4 y = *reinterpret_cast<const float4 *>(P); P[J & 7] = y.x + y.w; }",
    "reinterpret_cast<float4 *>(P)[1] = reinterpret_cast<float4 *>(P)[0];",
    "const_cast<float *>(static_cast<const float *>(P))[J & 7] = V;",
    "{ const float *y = P; setc(y, P); const_cast<float *>(y)[J & 7] += 1; }",
    "*static_cast<volatile float *>(P) = 1.25f;", "reinterpret_cast<unsigned char *>(P)[J & 7] = 7;",
    "{ UN y; y.a = P; y.c = P; y.b[J & 7] += 1; }", "{ UM y; y.a = P; y.n += 4; *y.a = V; }",
    "{ float *y = (float *)((uintptr_t)P + 4); *y += 1; }", "{ void (*y)(float *, int) = put; y(P, J); }",
    "switch (J & 3) { case 0: M += 1; break; case 1: X = P; default: *X = V; }",
    "switch (int(M) & 3) { case 0: M = V; case 2: M += 1; break; default:; }",
    "if (M > 2048.f) { X = P; } else { X = P; }", "if (J > 2) X[J & 7] = 1.5f; else X[J & 7] = 2.5f;",
    "if (M > 2048.f) X[J & 7] = 1.5f; else X[J & 7] = 2.5f;", "X[J & 7] = 0; if (M > 2048.f) X[J & 7] = 2.5f;",
    "X[J & 7] = 0; for (int k = 0; k < n; ++k) X[J & 7] += Y[k];",
    "for (int k = 0; k < n; ++k) X[k] = 0; for (int k = 0; k < n; ++k) X[k] += Y[k];",
    "for (int k = 0; k < n; ++k) X[k] = 0; X[n - 1] += 1;", "for (int k = 0; k < 4; ++k) X[k] = 0; X[5] += 1;",
    "for (int k = 0; k < n; ++k) for (int l = 0; l < 2; ++l) X[k * 2 + l] = 0; X[3] += 1;",
    "for (int k = 0; k < n; ++k) { X[k] = 0; if (M > 2048.f) break; } X[1] += 1;",
    "for (int k = 0; k < int(M) % 5; ++k) { ROUND; X[k] = 1.5f; }", "for (int k = 0; k < n; k += 2) X[k] = V; X[1] += 1;",
    "while (M > 2048.f) { ROUND; *X += 1; }", "while (*X < 4000.f) { ROUND; *X += 900; }",
    "do { ROUND; *X = V; } while (M > 2048.f);", "for (int k = 0; k != 3; ++k) { ROUND; if (*Y > 2048.f) continue; *X += 1; }",
    "for (int k = 0; k < 3; ) { ROUND; if (!(*Y > 2048.f)) ++k; *X += 1; }",
    "for (int k = int(M) & 7; k > 0; k >>= 1) { ROUND; X[k] = 1.5f; }",
    "for (unsigned k = 3; k >= 0 && M < 4000.f; --k) { ROUND; *X += 1; }",
    "total += M;", "last = P;", "*last = V;", "last[J & 7] += P[0];", "*P = total;",
)
TABLE = ("X[1] = P;", "X[J & 3][J & 7] += 1;", "P[J & 7] += X[2][0];", "*X[0] = V;", "{ float *y = X[3]; y[0] += 1; }",
         "swp(X[0], X[1]);", "{ float *&y = X[2]; y = P; }", "memcpy(X, X + 2, 8);")
NUMBERS = ("reinterpret_cast<float *>(X)[J & 7] += 1;", "P[J & 7] += reinterpret_cast<float *>(X + 4)[0];",
           "*(float *)(void *)(X) = V;", "P[0] = float(X & 7);")


class Statements(Code):
    def statement(self, scope, depth, index):
        number = self.statements
        self.statements += 1
        text = None
        while text is None:
            text = self.draw(scope, depth, index)
        return "" if number in self.without else text

    def declare(self, scope, kind, text, name, changes=True):
        scope.append(Variable(name, kind, changes))
        return text

    def draw(self, scope, depth, index):
        k = self.r.randrange(40)
        if k < 8:
            return f"{self.place(scope, index)} {self.r.choice(('=', '+='))} {self.value(scope, index)};"
        if k < 17:
            shape = self.r.choice(PLAIN)
            names = set("XY") & set(shape)
            found = [v for v in scope if v.kind == "P" and v.changes]
            if names and not found:
                return None
            x, y = (self.r.choice(found).name for _ in range(2)) if names else ("", "")
            shape = "".join(x if c == "X" else y if c == "Y" else c for c in shape)
            return self.fill(shape, scope, index)
        if k < 22:
            v = self.pick(scope, *CLASSES, "T", "N")
            shapes = v and ({"T": TABLE, "N": NUMBERS}.get(v.kind) or CHANGES[v.kind])
            return self.fill(self.shape(shapes, v), scope, index, v.name) if v else None
        if k < 28:
            return self.declaration(scope, index)
        if k < 34 and depth > 0:
            return self.with_closure(scope, depth, index)
        if k < 36:
            v = self.pick(scope, "L")
            if not v:
                return None
            return self.r.choice(("app(X, J);", "wrapm(X)(J);", "{ auto y = X; y(J); }", "X(J);", "appc(X, J);",
                                  "appf(X, J);", "both(wrapm(X), X)(J);", "{ auto &y = X; y(J); }")) \
                .replace("X", v.name).replace("J", index)
        return self.nested(scope, depth, index) if depth > 0 else None

    def declaration(self, scope, index):
        name, pointer = self.fresh("x"), self.pointer(scope, index)
        k = self.r.randrange(11)
        if k < 3:
            return self.declare(scope, "P", f"float *{name} = {pointer};", name)
        if k == 3:
            return self.declare(scope, "CP", f"const float *{name} = {pointer};", name)
        if k == 4:
            return self.declare(scope, "VP", f"volatile float *{name} = {pointer};", name)
        if k == 5:
            return self.declare(scope, "V4", f"float4 *{name} = reinterpret_cast<float4 *>({pointer});", name)
        if k == 6:
            v = self.pick(scope, "P")
            return self.declare(scope, "PP", f"auto {name} = &{v.name};", name, False) if v else None
        if k == 7:
            v = self.pick(scope, "P", *CLASSES)
            return self.declare(scope, v.kind, f"auto &{name} = {v.name};", name, v.changes) if v else None
        if k == 8:
            v = self.pick(scope, *CLASSES)
            return self.declare(scope, v.kind, f"auto {name} = {v.name};", name) if v else None
        other = self.pointer(scope, index, 1)
        if k == 9:
            return self.declare(scope, "S2", f"S2 {name}{{{pointer}, {other}}};", name)
        second = self.fresh("x")
        text = f"auto [{name}, {second}] = S2{{{pointer}, {other}}};"
        scope.append(Variable(second, "P", True))
        return self.declare(scope, "P", text, name)

    def with_closure(self, scope, depth, index):
        closure = self.closure(scope, depth, True)
        k = self.r.randrange(5)
        if k < 2:
            name = self.fresh("g")
            return self.declare(scope, "L", f"auto {name} = {closure};", name)
        return (f"({closure})({index});", f"app({closure}, {index});", f"appf({closure}, {index});")[k - 2]

    def nested(self, scope, depth, index):
        body = self.block(scope, depth - 1, index, 2)
        k = self.r.randrange(6)
        if k < 2:
            return f"if ({self.condition(scope, index)}) {{ {body} }}"
        if k == 2:
            other = self.block(scope, depth - 1, index, 1)
            return f"if ({self.condition(scope, index)}) {{ {body} }} else {{ {other} }}"
        counter = self.fresh("t")
        if k == 3:
            return f"for (int {counter} = 0; {counter} < n; ++{counter}) {{ {self.block(scope, depth - 1, counter, 2)} }}"
        if k == 4:
            return f"for (int {counter} = 0; {counter} < 2; ++{counter}) {{ ROUND; " \
                   f"if ({self.condition(scope, index)}) {self.r.choice(('break', 'continue'))}; {body} }}"
        return f"{{ int {counter} = 0; while ({self.condition(scope, index)} && {counter}++ < 3) {{ ROUND; {body} }} }}"
