# What `gpuinstr run` and `gpuinstr report` tell of a process that could not report itself.
# SPDX-License-Identifier: Apache-2.0
"""The program makes 100 calls of cudaMemset, says so, and ends in some way once the file `go` is there."""
import ctypes
import glob
import json
import os
import resource
import signal
import subprocess
import time

from harness import APP, LIBRARIES, RUNTIME, SCRATCH, Ended, case, check, run

TOOL = os.path.join(os.path.dirname(os.path.dirname(RUNTIME)), "bin", "gpuinstr")
CALLS = 100
LONGEST_S = 20


def state_of(path):
    """The profile in a spool, None while there is none."""
    done = subprocess.run([TOOL, "report", "--json", path], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def calls_of(profile, callee="cudaMemset"):
    return sum(site["calls"] for site in profile["sites"] if site["callee"] == callee)


def spools(folder):
    return glob.glob(os.path.join(folder, "**", "*.spool"), recursive=True)


def wait_for_states(folder, count=1, pid=None):
    """Until so many spools hold all calls; that of `pid`, where it is given."""
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end:
        states = [state_of(path) for path in spools(folder) if pid is None or path.endswith("/%d.spool" % pid)]
        if sum(1 for state in states if state and calls_of(state) == CALLS) >= count:
            return
        time.sleep(0.01)
    raise AssertionError("no state in %s: %s" % (folder, spools(folder)))


def new_folder(name):
    folder = os.path.join(SCRATCH, "%s-%d" % (name, time.monotonic_ns()))
    os.makedirs(folder)
    return folder


def watched(how, *options, before=None, count=1, spool=None, act=None):
    """`gpuinstr run` of the program, which ends once its state is seen. The run, and where its spool was."""
    folder, place = new_folder("watched"), spool or new_folder("spools")
    variables = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": LIBRARIES, "GPUINSTR_SIM": "kernels=skip",
                 "TMPDIR": place}
    settings = ["--set", "spool=" + spool] if spool else []
    process = subprocess.Popen([TOOL, "run", "--runtime", RUNTIME, "--set", "color=never", *settings, *options, "--",
                                APP, "spool-" + how], cwd=folder, env=variables, preexec_fn=before, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        if count:
            wait_for_states("/proc/%d/root%s" % (process.pid, place), count)  # it may have mounted something there
        if act:
            act(process)
        open(os.path.join(folder, "go"), "w", encoding="utf-8").close()
        out, err = process.communicate(timeout=LONGEST_S)
    finally:
        if process.poll() is None:
            process.kill()
    return Ended(process.returncode, out, err, folder), place


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGPIPE, signal.SIGQUIT, signal.SIGXFSZ):  # a background job ignores SIGQUIT
        signal.signal(number, signal.SIG_DFL)


def nothing_left(place):
    left = [name for _, _, names in os.walk(place) for name in names]
    check(left == [] and (not os.path.isdir(place) or os.listdir(place) == []), "left: %s" % os.listdir(place))


@case
def run_tells_what_a_killed_process_did():
    for name in ("SEGV", "KILL", "BUS", "FPE", "ILL", "TRAP", "SYS"):
        number = getattr(signal, "SIG" + name)
        ended, place = watched(str(int(number)), "--json", "profile.json", before=no_core)
        check(ended.status == -number, "%s: %s" % (name, ended.status))
        check("was killed by SIG%s; as of " % name in ended.err and " before the end\n" in ended.err, ended.err)
        check("ended by SIG%s: live memory is no leak" % name in ended.err, ended.err)
        check("unused-allocation" not in ended.err, "it might have been used later: " + ended.err)
        profile = json.loads(ended.text("profile.json"))
        check(calls_of(profile) == CALLS and profile["process"]["ended"] == "signal %d" % number, name)
        nothing_left(place)


@case
def run_is_silent_where_the_process_reports():
    for how, status in (("exit", 0), (str(int(signal.SIGQUIT)), -signal.SIGQUIT)):
        ended, place = watched(how, before=no_core)
        check(ended.status == status, "%s: %s" % (how, ended.status))
        check(ended.err.count("== gpuinstr: ") == 1 and "before the end" not in ended.err, ended.err)
        nothing_left(place)


@case
def ends_that_nobody_sees():
    ended, place = watched("exit-group")  # the system call, past the C library
    check(ended.status == 3 and "ended with code 3 and without a report; as of " in ended.err, ended.err)
    nothing_left(place)
    ended, place = watched("exec")
    check(ended.status == 0 and "ended with code 0" in ended.err, "%s %s" % (ended.status, ended.err))
    nothing_left(place)
    ended, place = watched("exec", "--fail-on", "double-free")
    check(ended.status == 23, "%s %s" % (ended.status, ended.err))
    ended, place = watched("handler")  # SIGSEGV, whose handler calls abort in the middle of malloc
    check(ended.status == -signal.SIGABRT, "%s %s" % (ended.status, ended.err))
    check(ended.err.count("== gpuinstr: ") == 1, ended.err)
    ended, place = watched("again")  # the program's own handler restores the default and raises again
    check(ended.status == -signal.SIGTERM and "was killed by SIGTERM; as of " in ended.err,
          "%s %s" % (ended.status, ended.err))
    nothing_left(place)


@case
def every_process_has_its_own_spool():
    ended, place = watched("fork", count=2)
    check(ended.status == -signal.SIGKILL and ended.err.count("== gpuinstr: ") == 2, ended.err)
    check(" was killed by SIGKILL; as of " in ended.err and "ended without a report" in ended.err, ended.err)
    nothing_left(place)


@case
def report_reads_what_was_left():
    home = new_folder("runtime")
    os.chmod(home, 0o700)

    def act(process):
        wait_for_states(home, pid=process.pid)
        open(os.path.join("/proc", str(process.pid), "cwd", "go"), "w", encoding="utf-8").close()

    for _ in range(10):  # of dead ones eight are kept
        ended = run(["spool-9"], options="color=never", environment={"XDG_RUNTIME_DIR": home}, while_running=act)
        check(ended.status == -signal.SIGKILL, str(ended.status))
    check(len(spools(home)) == 9, "%s" % spools(home))
    ended = run(["spool-exit"], options="color=never", environment={"XDG_RUNTIME_DIR": home},
                while_running=lambda p: open("/proc/%d/cwd/go" % p.pid, "w", encoding="utf-8").close())
    check(ended.status == 0 and len(spools(home)) in (8, 9), "%s" % spools(home))
    told = subprocess.run([TOOL, "report"], env={"XDG_RUNTIME_DIR": home}, capture_output=True, text=True, check=False)
    check(told.returncode == 0 and "was killed: " in told.stdout and "100" in told.stdout, told.stdout + told.stderr)
    os.chmod(home, 0o755)  # not its user's alone
    told = subprocess.run([TOOL, "report"], env={"XDG_RUNTIME_DIR": home}, capture_output=True, text=True, check=False)
    check(told.returncode == 2 and told.stderr.count("\n") == 1, told.stderr)


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def told_without_a_spool(spool, why, before=None):
    """The one line comes while the program runs, and that runs on."""
    lines = []
    ended, _ = watched("exit", before=before, count=0, spool=spool, act=lambda p: lines.append(p.stderr.readline()))
    check(ended.status == 0 and lines[0].startswith("gpuinstr: no spool in '") and why in lines[0], lines[0])
    check(ended.err.count("== gpuinstr: ") == 1 and "no spool" not in ended.err, ended.err)


@case
def no_room_for_a_spool():
    """A limit, a file for a folder, one that may not be written or is none of a disk's; one that is not there."""
    limited = new_folder("limited")
    told_without_a_spool(limited, "too large", before=small_files)
    nothing_left(limited)
    told_without_a_spool("/dev/null", "Not a directory")
    told_without_a_spool("/proc", "not on a local file system")
    if os.geteuid() != 0:
        closed = new_folder("closed")
        os.chmod(closed, 0o500)
        told_without_a_spool(closed, "Permission denied")
    ended, _ = watched("exit", count=0, spool="/nonexistent", act=lambda _: time.sleep(0.1))
    check(ended.status == 0 and "no spool" not in ended.err, ended.err)


def on_a_disk_of(size, folder):
    """In a mount namespace of its own; as root alone."""
    libc, private = ctypes.CDLL(None, use_errno=True), 0x44000  # MS_REC | MS_PRIVATE

    def enter():
        done = (libc.unshare(0x20000) == 0 and libc.mount(b"none", b"/", None, private, None) == 0 and
                libc.mount(b"none", folder.encode(), b"tmpfs", 0, b"size=%dk" % size) == 0)
        if not done:
            os._exit(99)
    return enter


@case
def full_disk():
    if os.geteuid() != 0:
        print("      full-disk: left out, wants root")
        return
    place = new_folder("disk")
    told_without_a_spool(place, "No space left on device", before=on_a_disk_of(64, place))

    def fill(process):
        disk = "/proc/%d/root%s" % (process.pid, place)
        filler = os.open(os.path.join(disk, "filler"), os.O_CREAT | os.O_WRONLY)
        try:
            while True:
                os.write(filler, bytes(4096))
        except OSError:
            os.close(filler)
        check(os.statvfs(disk).f_bavail == 0, "not full")
        time.sleep(0.2)  # states are written all the same
        os.remove(os.path.join(disk, "filler"))
    ended, _ = watched("9", before=on_a_disk_of(400, place), spool=place, act=fill)
    check(ended.status == -9 and "was killed by SIGKILL; as of " in ended.err, "%s %s" % (ended.status, ended.err))


@case
def a_limit_that_comes_later_is_no_signal():
    def limit(process):
        children = open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="utf-8").read().split()
        resource.prlimit(int(children[0]), resource.RLIMIT_FSIZE, (1000, 1000))
        time.sleep(0.3)
    ended, _ = watched("exit", act=limit)
    check(ended.status == 0 and ended.err.count("== gpuinstr: ") == 1, "%s %s" % (ended.status, ended.err))
    ended, _ = watched("9", act=limit, before=no_core)
    check(ended.status == -9 and "was killed by SIGKILL" in ended.err, "%s %s" % (ended.status, ended.err))


@case
def run_passes_signals_on():
    """To the program alone, or to both, as `timeout` does; the report is made either way."""
    for both in (False, True):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            def send(process):
                if both:
                    children = open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="utf-8").read()
                    os.kill(int(children.split()[0]), number)
                os.kill(process.pid, number)
                process.wait(timeout=LONGEST_S)
            ended, _ = watched("exit", act=send, before=lambda: signal.signal(number, signal.SIG_DFL))
            check(ended.status == -number, "%s: %s" % (number, ended.status))
            check("live when killed" in ended.err and "before the end" not in ended.err, ended.err)
