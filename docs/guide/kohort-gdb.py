# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gdb commands for kernels on Kohort's simulator; docs/guide/debugging.md shows them at work.

    (gdb) source docs/guide/kohort-gdb.py
    (gdb) kohort break              stop when a fault is diagnosed, before anything is torn down
    (gdb) kohort clusters           the cluster that each OS thread runs
    (gdb) kohort threads            the threads of this OS thread's cluster: state and place
    (gdb) kohort backtrace 1 33     where thread 33 of team 1 stands
    (gdb) kohort backtrace 1 33 full    the same with its variables, as gdb's own `backtrace full`
    (gdb) kohort backtrace          one backtrace for each group of threads that stand together

The backtrace of a parked thread needs a live process on x86-64 (registers are set for a moment), and
a simulator that was built without AddressSanitizer.
"""

import gdb

ENGINE = "kohort::simulator::"


def threads_of(cluster):
    """The ThreadState of every simulated thread, team after team (a std::span)."""
    first = cluster["threads"]["_M_ptr"]
    for index in range(int(cluster["size"]) * int(cluster["team_threads"])):
        yield (first + index).dereference()


def running_cluster():
    """The ClusterState that the selected OS thread runs, or None."""
    for name in ("running_cluster()::running", "(anonymous namespace)::running"):
        try:
            pointer = gdb.parse_and_eval("'%s%s'" % (ENGINE, name))
        except gdb.error:
            continue
        if int(pointer) != 0:
            return pointer.dereference()
    return cluster_of_a_frame()


def as_cluster(value):
    """`value` as a ClusterState if it is one, refers or points to one, or None."""
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
    elif kind.code == gdb.TYPE_CODE_PTR:
        if int(value) == 0:
            return None
        value = value.dereference()
    if value.type.strip_typedefs().unqualified().name == ENGINE + "ClusterState":
        return value
    return None


def cluster_of_a_frame():
    """A deadlock is diagnosed by the worker, which holds the cluster in a variable of its own."""
    frame = gdb.newest_frame()
    while frame is not None:
        try:
            block = frame.block()
        except RuntimeError:
            block = None
        while block is not None and block.function is None:
            block = block.superblock
        for symbol in block or ():
            if not (symbol.is_argument or symbol.is_variable):
                continue
            try:
                cluster = as_cluster(symbol.value(frame))
                if cluster is not None:
                    int(cluster["index"])
                    return cluster
            except (gdb.error, gdb.MemoryError, RuntimeError):
                continue
        frame = frame.older()
    return None


def require_cluster():
    if gdb.selected_thread() is None:
        raise gdb.GdbError("no program is running: start it, or attach to it")
    cluster = running_cluster()
    if cluster is None:
        raise gdb.GdbError(
            "this OS thread runs no cluster; `kohort clusters` lists those that do, "
            "`thread N` selects one"
        )
    return cluster


def place(site):
    line = int(site["line"])
    file = site["file"].string() if int(site["file"]) != 0 else ""
    return file if line == 0 else "%s:%d" % ("/".join(file.split("/")[-2:]), line)


def team_barrier_site(cluster, thread):
    """The team keeps it once, of the first arrival."""
    rank = int(thread["team"].dereference()["rank"])
    return (elements(cluster["teams"]) + rank).dereference()["site"]


def elements(vector):
    """The first element's address of a std::vector."""
    return vector["_M_impl"]["_M_start"]


def is_ready(scheduler, index):
    """As Scheduler::is_ready(), which an optimised build may have inlined everywhere."""
    first, last = int(scheduler["sweep_begin_"]), int(scheduler["running_"])
    swept = int(scheduler["sweep_end_"]) != 0 and first <= index < last
    position = index
    if not scheduler["is_rank_order_"]:
        position = int((elements(scheduler["position_of_"]) + index).dereference())
    word = int((elements(scheduler["ready_"]["words_"]) + position // 64).dereference())
    return not swept and (word >> position % 64 & 1) == 1


def state_of(cluster, thread):
    """(what the thread does, where): equal pairs are listed together."""
    running = int(cluster["scheduler"]["running_"])
    if int(thread["index"]) == running and str(cluster["result"]).endswith("finished"):
        return "runs", ""
    waiting = str(thread["waiting"]).split("::")[-1]
    if waiting == "returned":
        return "returned", ""
    if waiting == "not_started":
        return "has not started", ""
    if waiting == "nothing" and is_ready(cluster["scheduler"], int(thread["index"])):
        return "is ready", ""
    if waiting in ("nothing", "team_barrier"):
        return "waits at team_barrier", place(team_barrier_site(cluster, thread))
    if waiting == "cluster_barrier":
        kind = str(thread["cluster_barrier_kind"]).split("::")[-1]
        return {
            "entry": "waits for the launcher's entry barrier",
            "inner": "waits at cluster_barrier",
            "closing": "waits at the launcher's closing barrier",
        }[kind], place(thread["site"])
    return "waits at " + waiting, place(thread["site"])


def groups_of(cluster):
    """[(team, first thread, last thread, state, place, first thread's ThreadState)]"""
    groups = []
    for thread in threads_of(cluster):
        team = int(thread["team"].dereference()["rank"])
        rank = int(thread["rank"])
        state, where = state_of(cluster, thread)
        if groups:
            last = groups[-1]
            if last[0] == team and last[3:5] == (state, where) and last[2] == rank - 1:
                groups[-1] = (team, last[1], rank, state, where, last[5])
                continue
        groups.append((team, rank, rank, state, where, thread))
    return groups


def threads_text(first, last):
    return "thread %d" % first if first == last else "threads %d-%d" % (first, last)


def headline(cluster):
    label = cluster["launch"]["shape_"]["label"]["_M_dataplus"]["_M_p"].string()
    return 'cluster %d in "%s": %d teams of %d threads, SM group %d' % (
        int(cluster["index"]),
        label,
        int(cluster["size"]),
        int(cluster["team_threads"]),
        int(cluster["group"]),
    )


def print_frames(options):
    # Without arguments: the types of a kernel's lambda fill the screen as it is.
    gdb.execute("with print frame-arguments none -- backtrace " + options)


def print_parked(thread, options):
    """The backtrace of a thread that was switched away from.

    The switch (simulator/fiber/context.hpp) left, from the stack pointer on: the address where the
    thread goes on, and rbp. There a pop of one byte follows, and the function's own frame, as its
    unwind table describes it, begins behind it.
    """
    word = gdb.lookup_type("unsigned long").pointer()
    parked = thread["context"].cast(word)
    registers = {
        "rip": int(parked[0]) + 1,
        "rbp": int(parked[1]),
        "rsp": int(parked) + 2 * 8,
    }
    selected = gdb.selected_frame().level()
    newest = gdb.newest_frame()
    newest.select()
    saved = {name: int(newest.read_register(name)) for name in registers}
    try:
        set_registers(registers)
        print_frames(options)
    finally:
        set_registers(saved)
        gdb.execute("frame %d" % selected, to_string=True)


def set_registers(values):
    # The stack pointer first: gdb looks at the stack while it changes the others.
    for name in ("rsp", "rip", "rbp"):
        gdb.execute("set $%s = %d" % (name, values[name]), to_string=True)


def print_backtrace(cluster, thread, options=""):
    state, _ = state_of(cluster, thread)
    if state == "runs":
        print_frames(options)
    elif state in ("returned", "has not started"):
        print("no frames: the thread " + state)
    else:
        print_parked(thread, options)


class Kohort(gdb.Command):
    """Clusters and threads of Kohort's simulator."""

    def __init__(self):
        super().__init__("kohort", gdb.COMMAND_STACK, prefix=True)


class Break(gdb.Command):
    """Stops when the simulator has diagnosed a fault and its threads still stand where they stood."""

    def __init__(self):
        super().__init__("kohort break", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument, from_tty):
        gdb.execute("set breakpoint pending on")
        gdb.execute("break %sFinding::Finding" % ENGINE)


class Clusters(gdb.Command):
    """The cluster that each OS thread of the process runs."""

    def __init__(self):
        super().__init__("kohort clusters", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        selected = gdb.selected_thread()
        if selected is None:
            raise gdb.GdbError("no program is running: start it, or attach to it")
        frame = gdb.selected_frame()
        for os_thread in sorted(gdb.selected_inferior().threads(), key=lambda one: one.num):
            os_thread.switch()
            cluster = running_cluster()
            if cluster is not None:
                print("OS thread %d: %s" % (os_thread.num, headline(cluster)))
        selected.switch()
        frame.select()


class Threads(gdb.Command):
    """The threads of this OS thread's cluster, those in the same state and place on one line."""

    def __init__(self):
        super().__init__("kohort threads", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        cluster = require_cluster()
        print(headline(cluster))
        for team, first, last, state, where, _ in groups_of(cluster):
            print("  team %-3d %-16s %-40s %s" % (team, threads_text(first, last), state, where))


class Backtrace(gdb.Command):
    """kohort backtrace [TEAM THREAD [full]]: where a simulated thread stands; without numbers, one
    backtrace for each line of `kohort threads`."""

    def __init__(self):
        super().__init__("kohort backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        cluster = require_cluster()
        words = gdb.string_to_argv(argument)
        if not words:
            for team, first, last, state, where, thread in groups_of(cluster):
                print("team %d %s: %s %s" % (team, threads_text(first, last), state, where))
                print_backtrace(cluster, thread)
                print("")
            return
        if len(words) < 2 or not (words[0].isdigit() and words[1].isdigit()):
            raise gdb.GdbError("a team and a thread are two numbers, such as kohort backtrace 1 33")
        team, rank = int(words[0]), int(words[1])
        for thread in threads_of(cluster):
            if int(thread["rank"]) == rank and int(thread["team"].dereference()["rank"]) == team:
                print_backtrace(cluster, thread, " ".join(words[2:]))
                return
        raise gdb.GdbError(
            "the cluster has teams 0-%d of threads 0-%d"
            % (int(cluster["size"]) - 1, int(cluster["team_threads"]) - 1)
        )


Kohort()
Break()
Clusters()
Threads()
Backtrace()
