#!/usr/bin/env python3
"""core/interpreter/testdata/narrow_float_codes.hlo has the checksums that ml_dtypes gives. Skipped where there is none.

BACKPLANE_JAX_PYTHON names an interpreter that has ml_dtypes, if this one has not. With --write, writes the file.

Where ml_dtypes does less than to round to the nearest once, the checksums are of what does:
- it converts f64 by way of f32, and so may round twice;
- f8e8m0fnu: it rounds up all between 2^-127 and 2^-126, of which less than half is nearer to the latter.
What NaN becomes in a type without NaN is nobody's business, and left out.

The programs convert every f16 and bf16, and every f32 and f64 that is next to where rounding to a narrow float changes
its mind, to a narrow float; and every narrow float to these types. What comes out is summed up, each element's bits
times an odd number of its own.
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
FILE = ROOT / "core/interpreter/testdata/narrow_float_codes.hlo"
SKIPPED = 77

try:
    import ml_dtypes
    import numpy as np
except ImportError:
    python = os.environ.pop("BACKPLANE_JAX_PYTHON", None)
    if python is None:
        print("ml_dtypes is not installed (pip install ml_dtypes, or set BACKPLANE_JAX_PYTHON)")
        sys.exit(SKIPPED)
    os.execv(python, [python, __file__, *sys.argv[1:]])

NARROW = {
    "f4e2m1fn": ml_dtypes.float4_e2m1fn,
    "f6e2m3fn": ml_dtypes.float6_e2m3fn,
    "f6e3m2fn": ml_dtypes.float6_e3m2fn,
    "f8e3m4": ml_dtypes.float8_e3m4,
    "f8e4m3": ml_dtypes.float8_e4m3,
    "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8e8m0fnu": ml_dtypes.float8_e8m0fnu,
}

# Name: numpy type, width, high bits that take all values, and the low bits with which each of them is tried. The high
# bits hold all boundaries: no narrow float has more than 5 bits of mantissa with the one that decides.
WIDE = {
    "f16": (np.float16, 16, 16, [0]),
    "bf16": (ml_dtypes.bfloat16, 16, 16, [0]),
    "f32": (np.float32, 32, 16, [0, 1, 0xFFFF]),
    "f64": (np.float64, 64, 18, [0, 1, (1 << 46) - 1]),
}
NAN = 0x7FC00000  # stands for any

# How all codes of a narrow float are made of iota.
CODES = {
    4: "  c4 = u4[16] convert(i)\n  x = {0}[16] bitcast-convert(c4)\n",
    6: "  c8 = u8[64] convert(i)\n  c2 = u2[64,4] bitcast-convert(c8)\n"
       "  c6 = u2[64,3] slice(c2), slice={{[0:64], [0:3]}}\n  x = {0}[64] bitcast-convert(c6)\n",
    8: "  c8 = u8[256] convert(i)\n  x = {0}[256] bitcast-convert(c8)\n",
}

SUM = """sum {
  a = u64[] parameter(0)
  b = u64[] parameter(1)
  ROOT s = u64[] add(a, b)
}
"""


def checksum_lines(prefix, value, wide, sizes):
    """HLO that sums up an array of a wide type; it is called {prefix}sum."""
    width = WIDE[wide][1]
    count = int(np.prod(sizes))
    shape = ",".join(map(str, sizes))
    p = prefix
    return f"""  {p}bits = u{width}[{shape}] bitcast-convert({value})
  {p}wide = u64[{shape}] convert({p}bits)
  {p}usual = u64[] constant({NAN})
  {p}nans = u64[{shape}] broadcast({p}usual), dimensions={{}}
  {p}isnan = pred[{shape}] compare({value}, {value}), direction=NE
  {p}some = u64[{shape}] select({p}isnan, {p}nans, {p}wide)
  {p}flat = u64[{count}] reshape({p}some)
  {p}i = u64[{count}] iota(), iota_dimension=0
  {p}odd = u64[{count}] add({p}i, {p}i)
  {p}one = u64[] constant(1)
  {p}ones = u64[{count}] broadcast({p}one), dimensions={{}}
  {p}weights = u64[{count}] add({p}odd, {p}ones)
  {p}products = u64[{count}] multiply({p}flat, {p}weights)
  {p}zero = u64[] constant(0)
  {p}sum = u64[] reduce({p}products, {p}zero), dimensions={{0}}, to_apply=sum
"""


def is_finite(name):
    """Whether all codes are numbers."""
    return NARROW[name] in (ml_dtypes.float4_e2m1fn, ml_dtypes.float6_e2m3fn, ml_dtypes.float6_e3m2fn)


@np.errstate(all="ignore")
def rounded(values, name):
    """The nearest values of the narrow type, as f32."""
    if values.dtype == np.float64:
        values = to_odd(values)
    values = values.astype(np.float32)
    if is_finite(name):
        values = np.where(np.isnan(values), np.float32(0), values)
    result = values.astype(NARROW[name]).astype(np.float32)
    if name == "f8e8m0fnu":
        least = np.float32(2.0**-127)
        result = np.where((values > 0) & (values < np.float32(1.5 * 2.0**-127)), least, result)
    return result


def to_odd(values):
    """As f32 towards zero, the last bit set where that is inexact: rounding again is then as good as rounding once."""
    nearest = values.astype(np.float32)
    too_far = np.abs(nearest.astype(np.float64)) > np.abs(values)
    below = np.where(too_far, np.nextafter(nearest, np.float32(0)), nearest)
    inexact = (below.astype(np.float64) != values) & ~np.isnan(values)
    return (below.view(np.uint32) | inexact.astype(np.uint32)).view(np.float32)


def checksum(values, width):
    bits = values.view(f"u{width // 8}").astype(np.uint64).ravel()
    bits[np.isnan(values.astype(np.float64)).ravel()] = NAN
    weights = np.arange(bits.size, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return int(np.sum(bits * weights, dtype=np.uint64))


def to_narrow(name, wide):
    """A program of every value of `wide` that matters, and what it gives."""
    kind, width, high, lows = WIDE[wide]
    count, shift = 1 << high, width - high
    low = ", ".join(map(str, lows))
    text = f"""ENTRY main {{
  begin = u64[] parameter(0)
  i = u64[{count},{len(lows)}] iota(), iota_dimension=0
  begins = u64[{count},{len(lows)}] broadcast(begin), dimensions={{}}
  pattern = u64[{count},{len(lows)}] add(i, begins)
  places = u64[] constant({shift})
  shift = u64[{count},{len(lows)}] broadcast(places), dimensions={{}}
  high = u64[{count},{len(lows)}] shift-left(pattern, shift)
  low = u64[{len(lows)}] constant({{{low}}})
  lows = u64[{count},{len(lows)}] broadcast(low), dimensions={{1}}
  both = u64[{count},{len(lows)}] or(high, lows)
  bits = u{width}[{count},{len(lows)}] convert(both)
  from = {wide}[{count},{len(lows)}] bitcast-convert(bits)
  isnan = pred[{count},{len(lows)}] compare(from, from), direction=NE
  nothing = {wide}[] constant({'0' if is_finite(name) else 'nan'})
  nothings = {wide}[{count},{len(lows)}] broadcast(nothing), dimensions={{}}
  number = {wide}[{count},{len(lows)}] select(isnan, nothings, from)
  narrow = {name}[{count},{len(lows)}] convert(number)
  x = f32[{count},{len(lows)}] convert(narrow)
""" + checksum_lines("x_", "x", "f32", (count, len(lows))).replace("  x_sum", "  ROOT x_sum") + "}\n"
    bits = (np.arange(count, dtype=np.uint64)[:, None] << np.uint64(shift)) | np.array(lows, dtype=np.uint64)
    values = bits.astype(f"u{width // 8}").view(kind)
    return text, [checksum(rounded(values, name), 32)]


def from_narrow(name):
    """A program of all codes, in each of the wide types, and what it gives."""
    bits = ml_dtypes.finfo(NARROW[name]).bits
    count = 1 << bits
    text = f"""ENTRY main {{
  begin = u64[] parameter(0)
  n = u64[{count}] iota(), iota_dimension=0
  begins = u64[{count}] broadcast(begin), dimensions={{}}
  i = u64[{count}] add(n, begins)
""" + CODES[bits].format(name)
    sums = []
    values = np.arange(count, dtype=np.uint8).view(NARROW[name])
    for wide, (kind, width, _, _) in WIDE.items():
        text += f"  {wide} = {wide}[{count}] convert(x)\n" + checksum_lines(f"{wide}_", wide, wide, (count,))
        with np.errstate(all="ignore"):
            sums.append(checksum(values.astype(kind), width))
    results = ", ".join(f"{wide}_sum" for wide in WIDE)
    return text + f"  ROOT r = ({', '.join(['u64[]'] * len(WIDE))}) tuple({results})\n}}\n", sums


def main():
    cases = []
    for name in NARROW:
        for what, (text, sums) in [(f"every {name} in wider types", from_narrow(name)),
                                   *((f"{wide} to {name}", to_narrow(name, wide)) for wide in WIDE)]:
            expected = "".join(f"// u64[] {number}\n" for number in sums)
            cases.append(f"// test: run\n// {what}\n// input: 0\n{SUM}{text}// expect:\n{expected}")
    text = "// -----\n".join(cases)
    if "--write" in sys.argv[1:]:
        FILE.write_text(text)
    elif FILE.read_text() != text:
        print(f"{FILE.relative_to(ROOT)} is not what ml_dtypes says; --write shows the difference")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
