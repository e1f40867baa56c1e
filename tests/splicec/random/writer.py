# SPDX-License-Identifier: Apache-2.0
"""The text of a random program, and what its pragmas say. See program.py."""

ARRAYS, SIZE, MARGIN = 4, 192, 32
TOTALS = 3

HEAD = f"""/* Made by tests/splicec/random/program.py. */
#include <stddef.h>

typedef unsigned long number;
struct cell {{ number v; unsigned low, high; }};
static struct cell data[{ARRAYS}][{SIZE}];
static number total0, total1, total2;
static int stride = 1;

static void put(number* to, number value) {{ *to = *to * 3 + value; }}
static number sum_of(const struct cell* from, int n) {{
  number sum = 0;
  for (int i = 0; i < n; i++) sum += from[i].v;
  return sum;
}}
static number mix(number a, number b) {{
  a ^= b + 0x9e3779b97f4a7c15ul + (a << 6) + (a >> 2);
  return a * 0xbf58476d1ce4e5b9ul ^ a >> 29;
}}
"""


class Writer:
    def text(self):
        self.lines = [HEAD]
        for f in self.functions:
            if f.is_struct:
                fields = " ".join(f"{self.type_of(f, i)} p{i};" for i in range(f.count))
                self.lines.append(f"struct window{f.index} {{ {fields} int first, last; }};")
        late = [f for f in self.functions if self.rng.random() < 0.3]
        for f in self.functions:
            if f not in late:
                self.lines.append(self.says(f))
            self.lines.append(self.head(f) + ";")
        for f in self.functions:
            self.define(f, f in late)
        self.entry()
        return "\n".join(self.lines) + "\n"

    def type_of(self, f, i):
        return "struct cell*" if f.written[i] else "const struct cell*"

    def head(self, f):
        parts = [f"struct window{f.index} w"] if f.is_struct else [f"{self.type_of(f, i)} p{i}" for i in range(f.count)] + ["int first", "int last"]
        return f"{'static ' if f.is_static else ''}void {f.name}({', '.join(parts + ['int depth'])})"

    def effects(self, reads, writes):
        both = [f"{word}({', '.join(regions)})" for word, regions in (("Reads", reads), ("Writes", writes)) if regions]
        return " ".join(both)

    def says(self, f):
        reads, writes = [], [f"object(total{t})" for t in sorted(f.said)]
        for i in range(f.count):
            p, h = f.pointer(i), f.halo[i]
            (writes if f.written[i] else reads).append(f"RE({p} + {f.first} - {h}, {p} + {f.last} + {h})")
        return f"#pragma splice func {self.effects(reads, writes)}"

    def define(self, f, says):
        if says:
            self.lines.append(self.says(f))
        self.lines.append(self.head(f) + " {")
        self.names = 0
        self.says_all = f.says_all
        self.window = None  # another range than the function's
        self.change = None  # of the variables that a pragma names, before its step
        self.put(1, f"if (depth <= 0 || {f.last} - {f.first} < 2) {{")
        self.in_force = False
        self.emit(f, [f.leaf], 2)
        self.put(2, "return;")
        self.put(1, "}")
        self.in_force = False
        self.put(1, f"int middle = {f.first} + ({f.last} - {f.first}) / 2;")
        self.emit(f, f.items, 1)
        self.lines.append("}")

    def put(self, depth, text):
        self.lines.append("  " * depth + text)

    def pragma(self, reads, writes, wanted):
        """A pragma holds until the next call. So once there is one, each step says what it does."""
        if not self.says_all or (not wanted and not self.in_force):
            return
        said = self.effects(reads, writes)
        self.lines.append(f"#pragma splice step {said}")
        self.in_force = True

    def emit(self, f, items, depth):
        for item in items:
            getattr(self, "emit_" + item[0])(f, item, depth)

    def emit_step(self, f, item, depth):
        _, kind, to, by, away, total, says = item
        p, q = f.pointer(to), f.pointer(by)
        first, last = self.window or (f.first, f.last)
        h = abs(away)
        reads, writes = [f"RE({q} + {first} - {h}, {q} + {last} + {h})"], []
        if kind != "total":
            writes.append(f"RE({p} + {first}, {p} + {last})")
        if total is not None:
            writes.append(f"object(total{total})")
        at = f"{q}[i + {away}]" if away >= 0 else f"{q}[i - {-away}]"
        add = f" total{total} = mix(total{total}, {p}[i].v);" if total is not None else ""
        if kind == "sum":
            self.names += 1
            name = f"sum{self.names}"
            self.put(depth, f"number {name} = {self.names};")
            self.pragma(reads, writes, says)
            self.put(depth, f"for (int i = {first}; i < {last}; i++) {name} = mix({name}, {at}.v);")
            self.put(depth, f"if ({first} < {last}) {p}[{first}].v ^= {name};")
            if total is not None:
                self.put(depth, f"total{total} += {name};")
            return
        if kind == "kept":
            self.names += 1
            name = f"kept{self.names}"
            self.put(depth, f"number {name}[2] = {{1, 2}};")
            self.pragma(reads, writes, says)
            self.put(depth, f"for (int i = {first}; i < {last}; i++) {name}[i & 1] += {at}.v;")
            self.put(depth, f"for (int i = {first}; i < {last}; i++) {{ {p}[i].v ^= {name}[1 - (i & 1)];{add} }}")
            return
        if kind == "helper":
            self.names += 1
            name = f"sum{self.names}"
            self.put(depth, f"number {name} = 0;")
            self.pragma(reads, writes, says)
            self.put(depth, f"for (int i = {first}; i < {last}; i++) put(&{name}, {at}.v);")
            self.put(depth, f"if ({first} < {last}) {p}[{first}].v += {name} ^ sum_of({q} + {first}, {last} - {first});")
            if total is not None:
                self.put(depth, f"put(&total{total}, {name});")
            return
        self.pragma(reads, writes, says)
        if self.change is not None:
            was = f"was{self.names}", f"until{self.names}"
            self.put(depth, f"const int {was[0]} = {first}, {was[1]} = {last};")
            for text in self.change:
                self.put(depth, text)
            first, last = was
        loop = f"for (int i = {first}; i < {last}; i++)"
        if kind == "each":
            self.put(depth, f"{loop} {{ {p}[i].v = mix({p}[i].v, {at}.v);{add} }}")
        elif kind == "backwards":
            self.put(depth, f"for (int i = {last} - 1; i >= {first}; i -= stride) {{ {p}[i].low += (unsigned){at}.v;{add} }}")
        elif kind == "copy":
            self.put(depth, f"{loop} {{ struct cell it = {at}; it.high++; {p}[i] = it;{add} }}")
        elif kind == "first":
            self.put(depth, f"if ({first} < {last}) {{ int i = {first}; struct cell* to = &{p}[i]; to->v += {at}.v;{add} }}")
        elif kind == "while":
            skips = f"if (i < {last} - 3 && {at}.v % 5 == 0) {{ i += 2; continue; }}"
            self.put(depth, f"{{ int i = {first}; while (i < {last}) {{ {skips} {p}[i].v += {at}.low;{add} i++; }} }}")
        elif kind == "until":
            self.put(depth, f"{loop} {{ if ({at}.v % 11 == 0) break; {p}[i].high ^= {at}.low + 1;{add} }}")
        elif kind == "field":
            self.put(depth, f"{loop} {{ if (i % 3 == 0) continue; {p}[i].low = {at}.high * 3 + {p}[i].low;{add} }}")
        else:
            self.put(depth, f"{loop} total{total} = mix(total{total}, {at}.v);")

    def place(self, f, where):
        first, last = f.first, f.last
        return {
            "left": (first, "middle"),
            "right": ("middle", last),
            "all": (first, last),
            "inner": (f"{first} + 1", f"{last} - 1"),
            "one": ("middle", f"middle + (middle < {last})"),
            "piece": ("b", "end"),
            "moving": self.window,
        }[where]

    def emit_call(self, f, item, depth):
        _, callee, arguments, where, part = item
        first, last = self.place(f, where)
        pointers = [f.pointer(a) for a in arguments]
        if part:  # of an array
            pointers = [f"{p} + ({first})" for p in pointers]
            first, last = "0", f"{last} - ({first})"
        if callee.is_struct:
            self.names += 1
            self.put(depth, f"struct window{callee.index} w{self.names} = {{{', '.join(pointers + [first, last])}}};")
            self.put(depth, f"{callee.name}(w{self.names}, depth - 1);")
        else:
            self.put(depth, f"{callee.name}({', '.join(pointers + [first, last, 'depth - 1'])});")
        self.in_force = False

    def emit_local(self, f, item, depth):
        text = (
            f"middle = {f.first} + ({f.last} - {f.first}) / 3;",
            f"if (middle + 1 < {f.last}) middle++;",
            f"middle = {f.first} + depth % 2;\n{'  ' * depth}if (middle > {f.last}) middle = {f.last};",
            f"if ({f.last} - {f.first} > 4) middle = {f.last} - 2;",
        )
        self.put(depth, text[item[1]])

    def emit_change(self, f, item, depth):
        """Parameters that are others for the calls that follow: all of them touch no more than before."""
        if item[1] == 0:
            self.put(depth, f"if ({f.first} < {f.last}) {f.first}++;")
            self.put(depth, f"if (middle < {f.first}) middle = {f.first};")
        elif item[1] == 1:
            self.put(depth, f"if ({f.first} < {f.last}) {f.last}--;")
            self.put(depth, f"if (middle > {f.last}) middle = {f.last};")
        elif item[1] == 2:
            for i in range(f.count):
                self.put(depth, f"{f.pointer(i)} += 1;")
            self.put(depth, f"{f.first}--;")
            self.put(depth, f"{f.last} -= 1;")
            self.put(depth, "middle--;")
        else:
            self.put(depth, "depth--;")

    def head_of_condition(self, f, condition):
        if condition[0] == "own":
            return ("depth % 2", f"{f.last} - {f.first} > 9", f"({f.first} + depth) % 3 == 0")[condition[1]]
        _, by, says = condition
        q = f.pointer(by)
        self.pragma([f"RE({q} + {f.first}, {q} + {f.first} + 1)"], [], says)
        return f"{q}[{f.first}].v % 3 == 1"

    def emit_if(self, f, item, depth):
        _, condition, yes, no = item
        head = self.head_of_condition(f, condition)
        before = self.in_force
        self.put(depth, f"if ({head}) {{")
        self.emit(f, yes, depth + 1)
        after = self.in_force
        if no is not None:
            self.put(depth, "} else {")
            self.in_force = before
            self.emit(f, no, depth + 1)
        self.put(depth, "}")
        self.in_force = before or after or self.in_force

    def emit_return(self, f, item, depth):
        self.put(depth, f"if ({self.head_of_condition(f, item[1])}) return;")

    def emit_switch(self, f, item, depth):
        before = self.in_force
        self.put(depth, f"switch ((depth + {f.last}) % 3) {{")
        for i, case in enumerate(item[1]):
            self.put(depth + 1, f"case {i}: {{" if i < 2 else "default: {")
            self.in_force = before
            self.emit(f, case, depth + 2)
            self.put(depth + 2, "break;")
            self.put(depth + 1, "}")
        self.put(depth, "}")
        self.in_force = True

    def emit_read(self, f, item, depth):
        """A variable of the function that is read from data, and used by what follows."""
        _, by, says, use = item
        q = f.pointer(by)
        self.names += 1
        name = f"read{self.names}"
        if use == 2:
            self.put(depth, f"int {name} = 0;")
        self.pragma([f"RE({q} + {f.first}, {q} + {f.last})"], [], says)
        value = f"{f.first} < {f.last} ? (int)({q}[{f.last} - 1].v % 3) : 0"
        self.put(depth, f"{name} = {value};" if use == 2 else f"int {name} = {value};")
        if use == 0:
            self.put(depth, f"if (middle + {name} < {f.last}) middle += {name};")
        else:
            self.put(depth, f"if ({name} == 1) depth--;")

    def emit_moving(self, f, item, depth):
        """The same variables for one part and then for another one. A pragma may stand before the change, its step after it."""
        _, one, step, other, when = item
        self.names += 1
        window = f"from{self.names}", f"to{self.names}"
        self.put(depth, f"int {window[0]} = {f.first}, {window[1]} = middle;")
        self.window = window
        self.emit_call(f, one, depth)
        change = [f"{window[0]} = middle;", f"{window[1]} = {f.last};"]
        if when == 0:
            self.change = change
            self.emit_step(f, (step[0], "each", *step[2:6], True), depth)
            self.change = None
        else:
            for text in change:
                self.put(depth, text)
            if when == 1:
                self.emit_step(f, step, depth)
        self.emit_call(f, other, depth)
        self.window = None

    def emit_swap(self, f, item, depth):
        one, other = (f.pointer(i) for i in item[1:])
        self.names += 1
        self.put(depth, f"{self.type_of(f, item[1])} hold{self.names} = {one};")
        self.put(depth, f"{one} = {other};")
        self.put(depth, f"{other} = hold{self.names};")

    def emit_block(self, f, item, depth):
        """Names in it may be those of other variables around it."""
        _, items, shadows = item
        self.put(depth, "{")
        if shadows:
            self.put(depth + 1, f"const int half = middle, at = {f.first};")
            self.put(depth + 1, f"int middle = half > at ? at + (half - at) / 2 : half;")
        self.emit(f, items, depth + 1)
        self.put(depth, "}")
        self.put(depth, f"if (middle > {f.last}) middle = {f.last};")
        self.put(depth, f"if (middle < {f.first}) middle = {f.first};")

    def emit_loop(self, f, item, depth):
        _, kind, body, condition, leaves = item
        self.names += 1
        width = f"width{self.names}"
        self.put(depth, f"int {width} = ({f.last} - {f.first}) / 3 + 1;")
        end = f"int end = b + {width} < {f.last} ? b + {width} : {f.last};"
        before = self.in_force
        head = {
            "counted": f"for (int b = {f.first}; b < {f.last}; b += {width}) {{",
            "long": f"for (long b = {f.first}; b < {f.last}; b += {width}) {{",
            "upto": f"for (int b = {f.first}; b <= {f.last} - 1; b += {width}) {{",
            "down": f"for (int b = {f.last} - {width}; b >= {f.first}; b -= {width}) {{",
            "growing": f"for (int b = {f.first}; b < {f.last}; b += {width}++) {{",
        }
        closed = "}"
        if kind == "data":
            q = f.pointer(condition[1] if condition[0] == "data" else 0)
            if condition[0] == "data":
                self.pragma([f"RE({q} + {f.first}, {q} + {f.last})"], [], condition[2])
            self.put(depth, f"for (int b = {f.first}; b < {f.last}{f' && {q}[b].v % 7' if condition[0] == 'data' else ''}; b += {width}) {{")
        elif kind in head:
            self.put(depth, head[kind])
        else:
            self.put(depth, f"{{ int b = {f.first};")
            q = f.pointer(condition[1]) if condition[0] == "data" else None
            if kind == "data do" and q is not None:
                self.pragma([f"RE({q} + {f.first}, {q} + {f.first} + 1)"], [], condition[2])
            self.put(depth, f"while (b < {f.last}) {{" if kind == "while" else "do {")
            more = f" && {q}[{f.first}].v % 3" if kind == "data do" and q is not None else ""
            closed = "} }" if kind == "while" else f"}} while (b < {f.last}{more}); }}"
        self.in_force = False
        self.put(depth + 1, ("const long" if kind == "long" else "const int") + end[3:])
        self.emit(f, body, depth + 1)
        if leaves:
            self.put(depth + 1, "if (b > middle) break;")
        if kind in ("while", "do", "data do"):
            self.put(depth + 1, f"b += {width}; {width} += depth % 2;")
        self.put(depth, closed)
        self.in_force = before

    def entry(self):
        """What the test calls: fresh data that depend on the input, and splices of random calls."""
        rng = self.rng
        self.lines.append(f"""
void* {self.prefix}_data(void) {{ return data; }}
number {self.prefix}_bytes(void) {{ return sizeof data; }}
number {self.prefix}_totals(void) {{ return mix(mix(total0, total1), total2); }}

void {self.prefix}_run(unsigned input) {{
  for (int a = 0; a < {ARRAYS}; a++)
    for (int i = 0; i < {SIZE}; i++) {{
      struct cell it = {{mix(input, (number)(a * {SIZE} + i)), (unsigned)i, input}};
      data[a][i] = it;
    }}
  total0 = total1 = total2 = input;
  stride = 1 + (int)(input % 2);
  const int n = 1 + (int)(input / 2 % {SIZE - 2 * MARGIN});
  const int depth = 1 + (int)(input / 3 % 3);
  const int times = 1 + (int)(input / 5 % 7);""")
        for _ in range(rng.randint(1, 3)):
            if rng.random() < 0.6:
                self.lines.append(f"#pragma splice try({rng.choice((0, 2, 3, 8))})")
                self.put(1, "for (int t = 0; t < times; t++) " + self.root_call(True))
            else:
                calls = [self.root_call(False) for _ in range(rng.randint(2, 5))]
                self.lines.append(f"#pragma splice try({len(calls)})")
                for c in calls:
                    self.put(1, c)
            self.put(1, "total0 ^= data[0][40].v;")
        self.lines.append("}")

    def root_call(self, in_loop):
        rng = self.rng
        f = rng.choice([f for f in self.functions if not f.is_struct] or self.functions)
        t = " + t" if in_loop and rng.random() < 0.7 else ""
        arrays = [f"data[({rng.randrange(ARRAYS)}{t}) % {ARRAYS}]" for _ in range(f.count)]
        first = f"{MARGIN}" + (" + t % 2" if in_loop and rng.random() < 0.3 else "")
        last = f"{MARGIN} + n" + (" - t % 3" if in_loop and rng.random() < 0.3 else "")
        # A call that is one step meets all that is left of those before it.
        depth = rng.choice(("depth", "t % 3 ? depth : 0", "t % 2 ? 0 : depth", "depth + t % 2") if in_loop else ("depth", "depth", "1", "0"))
        if f.is_struct:
            return f"{f.name}((struct window{f.index}){{{', '.join(arrays + [first, last])}}}, {depth});"
        return f"{f.name}({', '.join(arrays + [first, last, depth])});"
