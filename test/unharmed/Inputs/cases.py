# Runs a program with and without the runtime under conditions in which a report could do harm.
# SPDX-License-Identifier: Apache-2.0
"""cases.py APP RUNTIME LIBRARIES SCRATCH [CASE...]: each case must leave the program's exit status, stdout, files and
time as they are without a runtime. Prints one line a case, exit code 1 when one failed."""
import os
import resource
import signal
import socket
import subprocess
import sys
import time

from harness import APP, CASES, SCRATCH, case, check, like_plain, reports, run
import spool  # its cases


def closed_pipe():
    read, write = os.pipe()
    os.close(read)
    return write


# ---- stderr that nobody reads, or that is full ----
@case
def report_is_told():
    ended = like_plain([])
    check(reports(ended.err), "no report: " + ended.err)


@case
def closed_stderr_pipe():
    write = closed_pipe()
    ended = like_plain([], stderr=write)
    os.close(write)
    check(ended.status == 0 and ended.out == "result 42\n", ended.out)


@case
def closed_stderr_pipe_and_no_runtime():
    write = closed_pipe()
    ended = run([], runtime="/nonexistent.so", stderr=write, options="verbose=1")
    os.close(write)
    check(ended.status == 0 and ended.out == "result 42\n", "%s %r" % (ended.status, ended.out))


@case
def closed_stderr_fifo():
    path = os.path.join(SCRATCH, "fifo")
    os.mkfifo(path)
    read = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write = os.open(path, os.O_WRONLY)
    os.close(read)
    like_plain([], stderr=write)
    os.close(write)


@case
def closed_stderr_socket():
    ours, theirs = socket.socketpair()
    ours.close()
    like_plain([], stderr=theirs.fileno())
    theirs.close()


@case
def json_to_closed_socket_and_pipe():
    for make in (lambda: socket.socketpair(), None):
        if make:
            ours, theirs = make()
            ours.close()
            write = theirs.fileno()
        else:
            write = closed_pipe()
        like_plain([], stderr=write, options="report=off json=/dev/stderr")


@case
def pending_sigpipe_stays():
    write = closed_pipe()
    ended = like_plain(["pending"], stderr=write)
    os.close(write)
    check("waits 1" in ended.out, ended.out)


def full_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@case
def size_limit_of_files():
    ended = like_plain([], before=full_files, options="json=profile.json report=report.txt color=never")
    check(ended.files() == [], "left: %s" % ended.files())
    lines = [line for line in ended.err.splitlines() if "too large" in line]
    check(len(lines) == 2 and all(line.startswith("gpuinstr: cannot write") for line in lines), ended.err)


@case
def size_limit_of_stderr():
    path = os.path.join(SCRATCH, "limited-stderr")
    with open(path, "wb") as file:
        like_plain([], before=full_files, stderr=file)
    check(os.path.getsize(path) <= 1000, "beyond the limit")


@case
def size_limit_of_traces():
    like_plain([], before=full_files, options="trace=trace.bin report=off")


# ---- whose file is it ----
@case
def data_as_stderr():
    ended = like_plain(["data-as-stderr"])
    check(ended.text("data") == "mine\n", "data: %r" % ended.text("data"))


@case
def data_as_stderr_and_json():
    ended = like_plain(["data-as-stderr"], options="report=off json=/dev/stderr")
    check(ended.text("data") == "mine\n", "data: %r" % ended.text("data"))


@case
def data_as_stdout_and_stderr():
    ended = like_plain(["data-twice"], options="json=/dev/stdout")
    check(ended.text("data") == "mine\n", "data: %r" % ended.text("data"))


@case
def reopened_stderr_gets_the_report():
    check(reports(like_plain(["freopen"]).text("log")), "no report in the log")


@case
def log_of_both_gets_the_report():
    check(reports(like_plain(["both-to-log"]).text("log")), "no report in the log")


@case
def stderr_made_stdout_gets_the_report():
    ended = run(["stderr-to-stdout"])
    check(ended.status == 0 and reports(ended.out), "no report")


@case
def stderr_alone_to_a_log_is_left_alone():
    ended = like_plain(["stderr-to-log"])  # as a data file could be: GivenStreams.h
    check(ended.text("log") == "", "log: %r" % ended.text("log"))


# ---- where files go ----
@case
def text_and_json_into_one_file():
    for sink in ("/dev/stderr", "/proc/self/fd/2", "/dev/fd/2"):
        path = os.path.join(SCRATCH, "both-in-one")
        with open(path, "wb") as file:  # no O_APPEND, as with 2>file
            like_plain([], stderr=file, options="color=never json=" + sink)
        text = open(path, encoding="utf-8").read()
        check(text.count("gpuinstr-profile") == 1 and reports(text[text.rindex("}"):]), sink + ": " + text[-400:])


@case
def json_to_stdout():
    for name in ("/dev/stdout", "-"):
        ended = run([], options="report=off json=" + name)
        check("gpuinstr-profile" in ended.out and "result 42" in ended.out, name + ": " + ended.out)
        check(ended.files() == [], "files: %s" % ended.files())
    path = os.path.join(SCRATCH, "stdout-file")
    with open(path, "wb") as file:
        run([], stdout=file, options="report=off json=-")
    text = open(path, encoding="utf-8").read()
    check("gpuinstr-profile" in text and "result 42" in text, text)


@case
def relative_paths_are_of_the_start():
    rules = os.path.join(SCRATCH, "rules")
    ended = like_plain(["chdir"], options="json=profile.json report=report.txt trace=trace.bin")
    check(ended.files() == ["profile.json", "report.txt", "trace.bin"], "%s" % ended.files())
    with open(rules, "w", encoding="utf-8") as file:
        file.write("leak:d_lost\n")
    relative = os.path.relpath(rules, os.path.join(SCRATCH, "any"))
    ended = like_plain(["chdir"], options="color=never fail_on=leak suppressions=" + relative)
    check("SUPPRESSED 1" in ended.err and "gpuinstr: suppressions" not in ended.err, ended.err)


@case
def child_leaves_the_name_to_its_parent():
    ended = like_plain(["fork"], options="json=profile.json report=off")
    files = ended.files()
    check(len(files) == 2 and files[0] == "profile.json", "%s" % files)
    check("d_lost" in ended.text("profile.json") and "d_child" not in ended.text("profile.json"), "whose is it")
    check("d_child" in ended.text(files[1]), files[1])
    ended = like_plain(["fork"], options="json=of-%p.json report=off")
    check(all(name.endswith(".json") for name in ended.files()) and len(ended.files()) == 2, "%s" % ended.files())


@case
def nothing_beside_a_device():
    before = set(os.listdir("/dev"))
    like_plain([], options="json=/dev/null report=/dev/null trace=/dev/null")
    ended = like_plain([], options="report=off trace=/dev/stderr")
    check("only a file will do" in ended.err, ended.err)
    check(set(os.listdir("/dev")) == before, "new in /dev: %s" % (set(os.listdir("/dev")) - before))


@case
def suppressions_that_never_end():
    path = os.path.join(SCRATCH, "rules-fifo")
    os.mkfifo(path)
    ended = like_plain([], options="color=never suppressions=" + path)
    check(reports(ended.err), "no report: " + ended.err)
    keeper = os.open(path, os.O_RDWR)  # a writer that says nothing
    ended = like_plain([], options="color=never suppressions=" + path)
    check(reports(ended.err) and "timed out" in ended.err, ended.err)
    os.write(keeper, b"leak:d_lost\n")
    os.close(keeper)
    for device in ("/dev/zero", "/dev/tty", "/"):
        ended = like_plain([], options="color=never suppressions=" + device)
        check(reports(ended.err) and "gpuinstr: suppressions='" in ended.err, device + ": " + ended.err)


@case
def suppressions_through_a_pipe():
    read, write = os.pipe()
    os.write(write, b"leak:d_lost\n")
    os.close(write)
    ended = run([], options="color=never fail_on=leak suppressions=/proc/self/fd/%d" % read, given=[read])
    os.close(read)
    check(ended.status == 0, "%s %s" % (ended.status, ended.err))


# ---- threads, stacks, signals ----
@case
def main_leaves_by_pthread_exit():
    for what in ("pthread_exit", "pthread_exit-alone"):
        started = time.monotonic()
        for options in ("color=never", "json_every=60 json=profile.json", "trace=trace.bin"):
            ended = like_plain([what], options=options)
            check(ended.status == 0, "%s with %s: %s" % (what, options, ended.status))
        check(time.monotonic() - started < 10, "takes long")


@case
def signals_reach_who_outlives_main():
    for number in (signal.SIGTERM, signal.SIGINT):
        def send(process):
            process.stdout.read1(100)
            time.sleep(0.1)
            process.send_signal(number)
        check(like_plain(["pthread_exit-waits"], while_running=send,
                        before=lambda: signal.signal(number, signal.SIG_DFL)).status == -number, "other end")


def on_stacks(scenario, sizes):
    """Where the program finds room without the runtime, it does with it. Sizes of the second kind are watched."""
    for size in sizes:
        plain = run([scenario, str(size)], runtime="/nonexistent.so", options="")
        if plain.status != 0:
            continue
        ended = run([scenario, str(size)], options="color=never verbose=1")
        check(ended.status == plain.status and ended.out == plain.out,
              "%d bytes: %s %r, without the runtime %s %r" % (size, ended.status, ended.out, plain.status, plain.out))
        if scenario != "stack":
            watched = "1 calls with less than 32 KiB of stack" not in ended.err
            check(watched == (size > 40000), "%d bytes: %s" % (size, ended.err))


@case
def first_call_on_a_small_signal_stack():
    on_stacks("stack", (4096, 6144, 8192, 9216, 10240, 12288, 16384, 24576, 32768, 65536))


@case
def later_call_on_a_small_signal_stack():
    on_stacks("later-stack", (4096, 6144, 8192, 9216, 10240, 12288, 16384, 65536))


@case
def call_on_a_small_thread():
    on_stacks("small-thread", (16384, 20480, 24576, 65536, 1 << 20))


ENDING = ("HUP", "INT", "QUIT", "ABRT", "USR1", "USR2", "PIPE", "ALRM", "TERM", "VTALRM", "PROF", "XCPU", "XFSZ",
          "IO", "PWR")
FAULTS = ("SEGV", "BUS", "FPE", "ILL", "TRAP", "SYS")


def signals(disposition):
    """Python ignores some of them itself."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name in ENDING + FAULTS:
        signal.signal(getattr(signal, "SIG" + name), disposition)


@case
def signals_end_it_with_a_report():
    for name in ENDING:
        number = getattr(signal, "SIG" + name)
        ended = like_plain(["signal-%d" % number], before=lambda: signals(signal.SIG_DFL))
        check(ended.status == -number and "live when killed" in ended.err, name + ": " + ended.err)
        check("unused-allocation" not in ended.err, name + ": it might have been used later: " + ended.err)


def full_pipe():
    read, write = os.pipe()
    os.set_blocking(write, False)
    filled = 0
    try:
        while True:
            filled += os.write(write, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(write, True)
    return read, write, filled


def wait_until_taken(process, number):
    """The signal is no longer pending for the process: one of its threads has it."""
    while process.poll() is None:
        with open("/proc/%d/status" % process.pid, encoding="utf-8") as file:
            pending = next(int(line.split()[1], 16) for line in file if line.startswith("ShdPnd"))
        if not pending >> (number - 1) & 1:
            return
        time.sleep(0.001)


@case
def second_term_while_the_report_is_written():
    """As `timeout` sends it, to the process and to its group. The report cannot be written before both have come, as
    its pipe is full. Of a second one that comes later than a second nobody expects that, so a slow machine tries again."""
    for _ in range(5):
        read, write, filled = full_pipe()
        told = []

        def twice(process):
            process.stdout.read1(100)
            for _ in range(2):
                process.send_signal(signal.SIGTERM)
                wait_until_taken(process, signal.SIGTERM)
            os.close(write)
            while part := os.read(read, 65536):
                told.append(part)

        ended = run(["waits"], stderr=write, while_running=twice,
                    before=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
        os.close(read)
        check(ended.status == -signal.SIGTERM, ended.status)
        if b"live when killed" in b"".join(told)[filled:]:
            return
    check(False, "no report")


@case
def faults_are_left_alone():
    for name in FAULTS:
        number = getattr(signal, "SIG" + name)
        check(like_plain(["signal-%d" % number], before=lambda: signals(signal.SIG_DFL)).status == -number, name)
    for disposition in (signal.SIG_DFL, signal.SIG_IGN):
        like_plain(["handlers"], before=lambda: signals(disposition))


@case
def one_signal_for_several_threads():
    ended = like_plain(["pipes"], before=lambda: signals(signal.SIG_DFL))
    check(ended.status == -signal.SIGPIPE and "live when killed" in ended.err, "%s %s" % (ended.status, ended.err))


@case
def cancellation_passes_by():
    ended = like_plain(["cancelled"])
    check("cancelled 1" in ended.out and reports(ended.err), ended.out + ended.err)


@case
def signal_in_the_allocator():
    started = time.monotonic()
    ended = run(["held-allocator"],
                environment={"LD_PRELOAD": os.path.join(os.path.dirname(APP), "allocator.so")})
    check(ended.status == -signal.SIGTERM and "live when killed" in ended.err, "%s %s" % (ended.status, ended.err))
    check(time.monotonic() - started < 5, "waits for the allocator")


# ---- no memory: the n-th allocation of the runtime fails, or all from the n-th on ----
STRIDE = int(os.environ.get("GPUINSTR_MEMORY_STRIDE", "67"))  # 1 with tools/faults


def without_memory(options, everything, last=2000, step=STRIDE):
    """The plain run's output, status 0, and a report or a line: allocator.c counts."""
    plain = run(["busy"], runtime="/nonexistent.so", options="")
    variables = {"LD_PRELOAD": os.path.join(os.path.dirname(APP), "allocator.so"), "FAIL_EXPECT": plain.out,
                 "FAIL_FROM": "1", "FAIL_TO": str(last), "FAIL_STEP": str(step), "FAIL_ALL": str(int(everything))}
    ended = run(["busy"], options=options, environment=variables, limit=600)
    check(ended.status == 0 and " runs: " in ended.out, ended.out + ended.err)
    if STRIDE == 1:
        print("      " + ended.out.strip())


@case
def one_allocation_fails():
    without_memory("color=never", False)
    without_memory("color=never json=profile.json audit=full trace=trace.bin gpu_time=exact suppressions=/dev/null",
                   False)


@case
def all_allocations_fail_from_then_on():
    without_memory("color=never", True)
    without_memory("color=never json=profile.json audit=full", True)
    if STRIDE != 1:  # densely, while tables of the audit are made: keys ended halfway there
        without_memory("color=never json=profile.json audit=full", True, last=500, step=3)


def address_space(size):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


@case
def little_address_space():
    """The simulated device becomes smaller, which is one line, and stays one."""
    for size in (500 << 20, 2 << 30, 8 << 30):
        plain = run([], options="enabled=0", before=address_space(size))
        check(plain.status == 0 and plain.out == "result 42\n", "%d: %s" % (size, plain.out))
        check(plain.err.count("\n") == 1 and "no address space for 17179869184 bytes: the device has" in plain.err,
              "%d: %s" % (size, plain.err))
        ended = run([], options="color=never json=profile.json audit=full trace=trace.bin", before=address_space(size))
        check((ended.status, ended.out) == (plain.status, plain.out) and reports(ended.err), "%d: %s" % (size, ended.err))
        check(ended.err.count("gpuinstr simulator:") == 1, "%d: %s" % (size, ended.err))
    check("gpuinstr simulator:" not in run([]).err, "without a limit")


# ---- set-uid ----
def foreign_runtime(folder):
    """A library that says that it was loaded."""
    source, library = os.path.join(folder, "foreign.c"), os.path.join(folder, "foreign.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write('#include <unistd.h>\n__attribute__((constructor)) static void loaded(void) '
                   '{ (void)!write(1, "foreign code\\n", 13); }\n')
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


@case
def secure_programs_trust_no_variable():
    library = foreign_runtime(SCRATCH)
    open_program = run(["secure"], runtime=library)
    check("foreign code" in open_program.out, "the test shows nothing: " + open_program.out)
    secure = {"LD_PRELOAD": os.path.join(os.path.dirname(APP), "secure.so")}  # getauxval(AT_SECURE) is 1
    ended = run(["secure"], runtime=library, environment=secure)
    check(ended.status == 0 and "secure 1" in ended.out, ended.out)
    check("foreign code" not in ended.out, "code of a variable runs")
    tool = {"NVTX_INJECTION64_PATH": library}
    ended = run(["secure"], environment=tool)
    check("foreign code" in ended.out, "the test shows nothing: " + ended.out)
    ended = run(["secure"], environment={**tool, **secure}, app=APP + "-built-in")
    check("foreign code" not in ended.out and ended.status == 0, "a tool that a variable names is loaded")
    ended = run(["secure"], options="json=profile.json", environment=secure, app=APP + "-built-in")
    check(ended.files() == [] and reports(ended.err), "%s %s" % (ended.files(), ended.err))
    witness = os.path.join(SCRATCH, "witness")  # of `gpuinstr run`: any file that the program may write
    for variables, told in ((secure, ""), ({}, "watched\n")):
        with open(witness, "w", encoding="utf-8"):
            pass
        run(["secure"], environment={"GPUINSTR_RUN_WITNESS": witness, **variables}, app=APP + "-built-in")
        text = open(witness, encoding="utf-8").read()
        check(text == told, "%s: a file that a variable names got %r" % (list(variables), text))


def main():
    failed = 0
    for name, function in CASES.items():
        if len(sys.argv) > 5 and name not in sys.argv[5:]:
            continue
        try:
            function()
            print("ok    " + name)
        except (AssertionError, OSError, subprocess.SubprocessError) as problem:
            failed += 1
            print("FAIL  %s: %s" % (name, problem))
    print("%d cases" % len(CASES))
    return 1 if failed else 0


sys.exit(main())
