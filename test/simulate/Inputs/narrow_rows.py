# Writes a row for each function of cuda_fp16.h, cuda_bf16.h and cuda_fp8.h that takes and returns
# values: what the device computes, and what it must be. Most have a host version in the header;
# of the others narrow_floats.cu says what they are.
# SPDX-License-Identifier: Apache-2.0
#
# usage: narrow_rows.py INCLUDE-FOLDER >rows.h
import re
import sys

TYPES = {
    "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162", "float", "double", "float2", "double2",
    "__half_raw", "__half2_raw", "__nv_bfloat16_raw", "__nv_bfloat162_raw", "__nv_fp8_storage_t",
    "__nv_fp8x2_storage_t", "__nv_saturation_t", "__nv_fp8_interpretation_t", "cudaRoundMode",
    "signed char", "unsigned char", "short int", "unsigned short int", "int", "unsigned int",
    "long long int", "unsigned long long int", "bool",
}
# Pointers and shuffles, whose rows narrow_floats.cu writes out.
BY_HAND = re.compile(r"__shfl|__ld|__st|atomicAdd|__CUDA_FP16_DEPRECATED__")
INTEGER = {"int": "int", "short": "short", "uint": "unsigned", "ushort": "unsigned short",
           "ull": "unsigned long long", "ll": "long long"}


def cleaned(type_name):
    type_name = type_name.replace("const ", "").replace("enum ", "").strip()
    return {"nv_bfloat16": "__nv_bfloat16", "nv_bfloat162": "__nv_bfloat162"}.get(type_name, type_name)


def declared(folder, header):
    text = open(f"{folder}/{header}").read()
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    pattern = r"^__CUDA_(HOSTDEVICE_)?\w+_DECL__\s+([^;()]*?)\b(\w+)\s*\(([^;{]*)\)\s*;"
    for found in re.finditer(pattern, text, flags=re.M):
        on_host, returned, name, parameters = found.groups()
        parameters = [" ".join(p.split()) for p in parameters.split(",")]
        yield bool(on_host), cleaned(" ".join(returned.split())), name, [
            cleaned(re.sub(r"\w+$", "", p)) for p in parameters]


def reference(name, returned, arguments):
    """What a function without a host version computes."""
    listed = ", ".join(arguments)
    if m := re.fullmatch(r"__(half|bfloat16)2(\w+)_(r[nudz])", name):
        return f"toInteger<{INTEGER[m[2]]}>(wide({listed}), '{m[3][1]}')"
    if m := re.fullmatch(r"__(\w+)2bfloat16_(r[udz])", name):
        return f"__float2bfloat16_{m[2]}(oddFloat({listed}))"
    if m := re.fullmatch(r"h(2?)(trunc|ceil|floor|rint)", name):
        return f"each({arguments[0]}, [](double x) {{ return std::{m[2]}(x); }})"
    if m := re.fullmatch(r"__h(fma2?|cmadd)(_sat|_relu)?", name):
        return f"host_{m[1].rstrip('2')}({listed}, '{(m[2] or '__')[1]}')"
    if m := re.fullmatch(r"h(2?)(\w+?)(_approx)?", name):
        return f"each({arguments[0]}, host_{m[2]})"
    raise SystemExit(f"{header}: {name} has no host version, and nothing says what it computes")


rows = []
for header in ("cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h"):
    for on_host, returned, name, parameters in declared(sys.argv[1], header):
        if BY_HAND.match(name):
            continue
        unknown = {returned, *parameters} - TYPES
        if unknown:
            raise SystemExit(f"{header}: {name} has a type that is not listed: {unknown}")
        arguments = [f"in<{t}>(i, {k})" for k, t in enumerate(parameters)]
        listed = ", ".join(arguments)
        wanted = f"{name}({listed})" if on_host else reference(name, returned, arguments)
        near = int(bool(re.fullmatch(r"h2?(sqrt|rsqrt|rcp|log|log2|log10|exp|exp2|exp10|cos|sin|tanh|tanh_approx)",
                                     name)))
        rows.append((name, returned, f"{name}({listed})", wanted, near))

# Classes: operators, and conversions from and to every number.
NUMBERS = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
           "unsigned long", "long long", "unsigned long long", "float", "double"]
for one in ("__half", "__nv_bfloat16"):
    for number in NUMBERS:
        rows.append((f"{one} of {number}", one, f"{one}(in<{number}>(i, 0))", None, 0))
        if number != "double":
            rows.append((f"{one} to {number}", number, f"static_cast<{number}>(in<{one}>(i, 0))", None, 0))
for one in ("__half", "__nv_bfloat16", "__half2", "__nv_bfloat162"):
    for operator in ("+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">="):
        returned = one if operator in "+-*/" else "bool"
        rows.append((f"{one} {operator}", returned, f"in<{one}>(i, 0) {operator} in<{one}>(i, 1)", None, 0))
    rows.append((f"-{one}", one, f"-in<{one}>(i, 0)", None, 0))
    rows.append((f"{one}++", one, f"increased(in<{one}>(i, 0))", None, 0))
for one in ("__nv_fp8_e4m3", "__nv_fp8_e5m2"):
    for number in ("float", "double", "__half", "__nv_bfloat16", "int", "unsigned", "long long",
                   "unsigned long long", "short", "unsigned short"):
        rows.append((f"{one} of {number}", one, f"{one}(in<{number}>(i, 0))", None, 0))
    for number in ("float", "double", "__half", "__nv_bfloat16", "int", "unsigned", "long long",
                   "unsigned long long", "short", "unsigned short", "signed char", "unsigned char"):
        rows.append((f"{one} to {number}", number, f"static_cast<{number}>(in<{one}>(i, 0))", None, 0))
for kind in ("e4m3", "e5m2"):
    for pair in ("float2", "double2", "__half2", "__nv_bfloat162"):
        rows.append((f"{kind}x2 of {pair}", f"__nv_fp8x2_{kind}", f"__nv_fp8x2_{kind}(in<{pair}>(i, 0))", None, 0))
    for pair in ("float2", "__half2"):
        rows.append((f"{kind}x2 to {pair}", pair, f"static_cast<{pair}>(in<__nv_fp8x2_{kind}>(i, 0))", None, 0))

print("// Made by narrow_rows.py.")
for n, (name, returned, got, wanted, near) in enumerate(rows):
    # Those of bfloat that only sm_80 has.
    newer = "80" if "host_fma(" in (wanted or "") or "host_cmadd(" in (wanted or "") else ""
    newer = newer if "bfloat" in got else ""
    print(f"ROW{newer}({n}, \"{name}\", {returned}, ({got}), ({wanted or got}), {near})")
print(f"#define ROW_COUNT {len(rows)}")
PER_KERNEL = 16
for k, first in enumerate(range(0, len(rows), PER_KERNEL)):
    calls = " ".join(f"RUN({n})" for n in range(first, min(first + PER_KERNEL, len(rows))))
    print(f"KERNEL({k}, {calls})")
kernels = (len(rows) + PER_KERNEL - 1) // PER_KERNEL
print("#define LAUNCHES " + " ".join(f"LAUNCH({k})" for k in range(kernels)))
print("#define REFERENCES " + " ".join(f"REFERENCE({n})" for n in range(len(rows))))
