# Random device code: statements, kernels and what launches them.
# SPDX-License-Identifier: Apache-2.0

from library import ADDRESSES, ASSEMBLY, ASSEMBLY_ADDRESSES, LIBRARY
from phrases import ELEMENTS, LOOPS, NUMBERS, OBJECTS, PLAIN, RARE, TABLE
from scope import CHANGES, CLASSES, Code, Variable

PHRASES = PLAIN * 4 + ELEMENTS * 2 + OBJECTS * 2 + LOOPS + RARE + LIBRARY * 3

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
            shape = self.r.choice(PHRASES + ASSEMBLY * 3 if self.in_kernel else PHRASES)
            names = set("XY") & set(shape)
            found = [v for v in scope if v.kind == "P" and v.changes]
            if names and not found:
                return None
            x, y = (self.r.choice(found).name for _ in range(2)) if names else ("", "")
            shape = "".join(x if c == "X" else y if c == "Y" else c for c in shape)
            return self.fill(shape, scope, index)
        if k < 22:
            v = self.pick(scope, *CLASSES, "T", "N", "U")
            addresses = ADDRESSES + ASSEMBLY_ADDRESSES * 2 if self.in_kernel else ADDRESSES
            shapes = v and ({"T": TABLE, "N": NUMBERS, "U": addresses}.get(v.kind) or CHANGES[v.kind])
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
