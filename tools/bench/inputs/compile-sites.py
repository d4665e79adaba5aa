# Writes files of 10, 100, 1000 ... call sites and compiles each with and without the plugin, by turns.
# SPDX-License-Identifier: Apache-2.0
#
# usage: compile-sites.py FOLDER MOST PAIRS PLUGIN [SHAPE]... -- COMPILER ARGUMENT...
# PAIRS 0: executed instructions instead of time, counted by valgrind.
import glob
import os
import re
import statistics
import subprocess
import sys


def functions(n):
    return "\n".join(f"void f{i}(void **p, size_t n) {{ cudaMalloc(p, n + {i}); }}" for i in range(n))


def copies(n):
    return "\n".join(f"void f{i}(void *d, void *h, size_t n) {{ "
                     f"cudaMemcpy(d, h, n + {i}, cudaMemcpyHostToDevice); }}" for i in range(n))


def launches(n):
    return "__global__ void k(float *p, int n) { p[n] = 0; }\n" + "\n".join(
        f"void f{i}(float *p, int n) {{ k<<<n, 64>>>(p, n + {i}); }}" for i in range(n))


def owners(n):
    owner = """template <class T, int N> struct Buffer {
  T *p;
  explicit Buffer(size_t n) { cudaMalloc(&p, n * sizeof(T) + N); }
  ~Buffer() { cudaFree(p); }
};
"""
    return owner + "\n".join(
        f"void f{i}(size_t n) {{ Buffer<float, {i}> b(n); }}" for i in range(n // 2))


def mixed(n):
    return "\n".join(f"""double f{i}(double *a, double *d, int n) {{
  double sum = {i};
  for (int i = 0; i < n; ++i) {{
    if (a[i] > sum)
      a[i] = a[i] / sum + a[n - 1 - i];
    sum += a[i] * a[i] - sum / n;
  }}
  for (int i = 1; i < n; i += 2)
    a[i - 1] += a[i] * sum;
  cudaMemcpy(d, a, n * sizeof *d, cudaMemcpyHostToDevice);
  return sum;
}}""" for i in range(n))


def one_function(n):
    calls = "\n".join(f"  cudaMalloc(p + {i}, n);" for i in range(n))
    return f"void f(void **p, size_t n) {{\n{calls}\n}}"


def lambdas(n):
    opened = "\n".join(f"auto l{i} = [=] {{ cudaFree(p);" for i in range(n))
    closed = "\n".join(f"}}; l{i}();" for i in reversed(range(n)))
    return f"void f(void *p) {{\n{opened}\n{closed}\n}}"


SHAPES = {"functions": functions, "copies": copies, "launches": launches, "owners": owners,
          "mixed": mixed, "one-function": one_function, "lambdas": lambdas}


def compile_(command):
    """Processor time in seconds and the peak in MiB, of the compiler and its children."""
    pid = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def instructions(command, folder):
    """Millions that all clang processes execute; the same from run to run, whatever the machine does besides. CUDA's own tools are left out: they do the same on either side."""
    log = os.path.join(folder, "instructions")
    subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                    "--trace-children=yes", "--trace-children-skip=*ptxas,*fatbinary", f"--log-file={log}.%p",
                    *command], check=True)
    total = 0
    for path in glob.glob(log + ".*"):
        with open(path, encoding="utf-8") as file:
            found = re.search(r"I +refs: +([\d,]+)", file.read())
        if found:  # none of a child that became one of those tools
            total += int(found[1].replace(",", ""))
        os.remove(path)
    return total / 1e6


def count(shape, n, command, plugin, source, folder):
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <cuda_runtime.h>\n" + SHAPES[shape](n) + "\n")
    out = ["-o", os.path.join(folder, "sites.o")]
    plain, ours = (instructions([*command, *extra, source, *out], folder) for extra in ([], [f"-fplugin={plugin}"]))
    print(f"{shape:<13}{n:>7}{plain:>12.1f} M{ours:>12.1f} M{ours / plain:>8.4f}", flush=True)


def interval(values):
    """The order statistics around the median that hold it in 95 of 100 cases; all of few values."""
    ordered, n = sorted(values), len(values)
    below = max(0, int((n - 1.96 * n ** 0.5) / 2)) if n > 5 else 0
    return ordered[below], ordered[n - 1 - below]


def main():
    cut = sys.argv.index("--")
    folder, most, pairs, plugin, *shapes = sys.argv[1:cut]
    command = sys.argv[cut + 1:]
    unknown = [s for s in shapes if s not in SHAPES]
    if unknown:
        sys.exit(f"unknown shape {unknown[0]}; there are {', '.join(SHAPES)}")
    source, out = os.path.join(folder, "sites.cu"), os.path.join(folder, "sites.o")
    print(f"{'shape':<13}{'sites':>7}" + (f"{'plain':>14}{'plugin':>14}{'ratio':>8}" if pairs == "0" else
          f"{'plain':>10}{'plugin':>10}{'ratio':>7}{'':>13}{'plain':>10}{'plugin':>11}{'ratio':>7}"))
    for shape in shapes or SHAPES:
        sizes = [10 ** k for k in range(1, 8) if 10 ** k <= int(most)]
        if shape == "lambdas":
            sizes = [n for n in (10, 20, 40, 80) if n <= int(most)]
        for n in sizes:
            if pairs == "0":
                count(shape, n, command, plugin, source, folder)
                continue
            with open(source, "w", encoding="utf-8") as file:
                file.write("#include <cuda_runtime.h>\n" + SHAPES[shape](n) + "\n")
            runs = [[compile_([*command, *extra, source, "-o", out])
                     for extra in ([], [f"-fplugin={plugin}"])] for _ in range(int(pairs))]
            ratios = [b[0] / a[0] for a, b in runs]
            seconds = [statistics.median(run[i][0] for run in runs) for i in (0, 1)]
            memory = [statistics.median(run[i][1] for run in runs) for i in (0, 1)]
            least, largest = interval(ratios)
            print(f"{shape:<13}{n:>7}{seconds[0]:>8.2f} s{seconds[1]:>8.2f} s"
                  f"{statistics.median(ratios):>7.2f} [{least:4.2f}, {largest:4.2f}]"
                  f"{memory[0]:>6.0f} MiB{memory[1]:>7.0f} MiB{memory[1] / memory[0]:>7.2f}", flush=True)


main()
