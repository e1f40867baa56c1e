# SPDX-License-Identifier: Apache-2.0
"""Sennit's strands in gdb:  source sennit-gdb.py

  sennit strands      each strand that runs, and those that wait for its end
  sennit bt           the calls of the selected thread's strand, and those of the strands that wait for its end
  backtrace           leaves out the library's own frames; -no-filters shows them

What it reads of the library stands in the symbol sennit_inspection, so that the library needs no debug information.
"""

import re
import gdb

FIELDS = (
    "version core_older core_workers core_worker_count worker_thread worker_running fiber_context fiber_branch "
    "fiber_awaited fiber_innermost frame_code frame_stolen stolen_opener"
).split()
VERSION = 2
OWN_FUNCTION = re.compile(r"^(\S+ )?(sennit::|make_fcontext$|ontop_fcontext$|jump_fcontext$)")
OWN_FILE = re.compile(r"/sennit/(detail/)?[a-z_/]+\.hpp$")
MOST_STRANDS = 64


def read(address, size=8):
    memory = gdb.selected_inferior().read_memory(address, size)
    return int.from_bytes(bytes(memory), "little")


def address_of(symbol):
    # No type is known where the library has no debug information.
    return int(gdb.parse_and_eval(f"(unsigned long)&{symbol}"))


def layout():
    try:
        start = address_of("sennit_inspection")
    except gdb.error as missing:
        raise gdb.GdbError(f"the program does not use sennit, or has not been started: {missing}")
    found = {name: read(start + 4 * i, 4) for i, name in enumerate(FIELDS)}
    if found["version"] != VERSION:
        raise gdb.GdbError("this script is for another version of sennit")
    return found


def runtimes(where):
    core = read(address_of("sennit_newest_runtime"))
    while core:
        yield core
        core = read(core + where["core_older"])


class Strand:
    """A fiber with a strand. `thread`: the kernel's number of the thread it runs on; None: it has been left."""

    def __init__(self, where, fiber, thread):
        self.where = where
        self.fiber = fiber
        self.thread = thread
        self.branch = read(fiber + where["fiber_branch"])
        self.awaited = read(fiber + where["fiber_awaited"])

    def opener(self):
        stolen = read(self.branch + self.where["frame_stolen"]) if self.branch else 0
        return read(stolen + self.where["stolen_opener"]) if stolen else 0

    def branch_name(self):
        if not self.branch:
            return "?"
        block = str(gdb.parse_and_eval(f"(void*){read(self.branch + self.where['frame_code'])}"))
        name = re.search(r"<(.*)>", block)
        return shortened(name.group(1)) if name else block

    def title(self):
        if self.thread is not None:
            state = f"runs on thread {gdb_thread(self.thread)}"
        else:
            state = f"waits for {self.awaited} branch{'' if self.awaited == 1 else 'es'}"
        return f"strand {self.fiber:#x} {state}"


def shortened(name):
    """The branch that a frame is for, out of the name of the function that runs it."""
    name = re.sub(r"\+\d+$", "", name)
    if "root_frame" in name:
        return "(the function of its region)"
    found = re.search(r"(?:fork_frame|group_child|loop_piece)\w*<(.*)>::", name)
    return found.group(1).strip() if found else name


def gdb_thread(number):
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == number:
            return f"{thread.num} (LWP {number})"
    return f"LWP {number}"


def running(where):
    """Of all runtimes: strands that have a thread."""
    found = {}
    for core in runtimes(where):
        for i in range(read(core + where["core_worker_count"], 4)):
            worker = read(core + where["core_workers"] + 8 * i)
            thread = read(worker + where["worker_thread"], 4)
            fiber = read(worker + where["worker_running"])
            if thread and fiber and read(fiber + where["fiber_innermost"]):
                found[fiber] = Strand(where, fiber, thread)
    return found


def outwards(strand, known):
    """The strand, and those that wait for its end."""
    for _ in range(MOST_STRANDS):
        yield strand
        opener = strand.opener()
        if not opener:
            return
        strand = known.get(opener) or Strand(strand.where, opener, None)


def is_own(frame):
    name = frame.name()
    table = frame.find_sal().symtab
    return bool(name and OWN_FUNCTION.match(name)) or bool(table and OWN_FILE.search(table.filename))


def calls(frame):
    """Lines for the frames of the program, the innermost first."""
    lines = []
    for _ in range(500):
        if frame is None or not frame.is_valid():
            break
        if not is_own(frame) and frame.name():
            place = frame.find_sal()
            at = f" at {place.symtab.filename}:{place.line}" if place.symtab else ""
            lines.append(f"{frame.name()}{at}")
        frame = frame.older()
    return lines


# Of a fiber that has been left, boost::context has these on top of its stack (x86-64).
SAVED = {"r12": 0x08, "r13": 0x10, "r14": 0x18, "r15": 0x20, "rbx": 0x28, "rbp": 0x30, "rip": 0x38}
ABOVE = 0x40


def calls_of_left(strand):
    context = read(strand.fiber + strand.where["fiber_context"])
    if gdb.selected_frame().architecture().name() != "i386:x86-64":
        return ["(its calls are known on x86-64 only)"]
    wanted = {name: read(context + distance) for name, distance in SAVED.items()}
    wanted["rsp"] = context + ABOVE
    selected = gdb.selected_frame()
    gdb.newest_frame().select()
    kept = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in wanted}
    try:
        for name, value in wanted.items():
            gdb.execute(f"set ${name} = {value}", to_string=True)
        return calls(gdb.newest_frame())
    except gdb.error:
        return ["(its calls are known of a process that can be changed only, not of a core file)"]
    finally:
        for name, value in kept.items():
            try:
                gdb.execute(f"set ${name} = {value}", to_string=True)
            except gdb.error:
                pass
        if selected.is_valid():
            selected.select()


def show_calls(strand, current):
    if strand.thread is None:
        lines = calls_of_left(strand)
    else:
        thread = [t for t in gdb.selected_inferior().threads() if t.ptid[1] == strand.thread]
        if not thread:
            return
        thread[0].switch()
        lines = calls(gdb.newest_frame())
        current.switch()
    for line in lines:
        print(f"    {line}")


class Sennit(gdb.Command):
    """Strands of a program that uses sennit: `sennit strands`, `sennit bt`."""

    def __init__(self):
        super().__init__("sennit", gdb.COMMAND_STACK, prefix=True)


class Strands(gdb.Command):
    """Each strand that runs, and those that wait for its end."""

    def __init__(self):
        super().__init__("sennit strands", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        known = running(layout())
        for strand in known.values():
            indent = ""
            for waiting in outwards(strand, known):
                print(f"{indent}{waiting.title()}, with branch {waiting.branch_name()}")
                indent += "  "


class Backtrace(gdb.Command):
    """The calls of the selected thread's strand, and those of the strands that wait for its end."""

    def __init__(self):
        super().__init__("sennit bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        current = gdb.selected_thread()
        if current is None:
            raise gdb.GdbError("there is no thread")
        known = running(layout())
        mine = [s for s in known.values() if s.thread == current.ptid[1]]
        if not mine:
            print("the thread runs no strand")
            return
        for strand in outwards(mine[0], known):
            print(strand.title())
            show_calls(strand, current)


class FoldOwnFrames:
    """A filter for `backtrace`."""

    def __init__(self):
        self.name = "sennit"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (f for f in frames if not is_own(f.inferior_frame()))


Sennit()
Strands()
Backtrace()
FoldOwnFrames()
