#!/usr/bin/env python3
"""core/interpreter/testdata/narrow_float_codes.hlo has the checksums that ml_dtypes gives. Skipped without ml_dtypes.

With --write, writes the file.

Where ml_dtypes does not round to nearest in a single step, the checksums are those of correct rounding:
- it converts f64 by way of f32, and so may round twice;
- f8e8m0fnu: it rounds up everything between 2^-127 and 2^-126, although less than half of it is nearer to the latter.
The result of NaN in a type without NaN is unspecified, and left out.

The programs convert every f16 and bf16, and every f32 and f64 next to a rounding boundary of a narrow float, to a
narrow float; and every narrow float to these types. The results are summed up, with the bits of each element multiplied
by a different odd number.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import ROOT, run_in_python_with

run_in_python_with("ml_dtypes, numpy", "ml_dtypes")

import ml_dtypes
import numpy as np

FILE = ROOT / "core/interpreter/testdata/narrow_float_codes.hlo"

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

# Name: numpy type, width, high bits that take all values, and the low bits with which each of them is combined. The
# high bits include all rounding boundaries: narrow floats have at most 5 bits of mantissa, including the bit that
# decides the rounding.
WIDE = {
    "f16": (np.float16, 16, 16, [0]),
    "bf16": (ml_dtypes.bfloat16, 16, 16, [0]),
    "f32": (np.float32, 32, 16, [0, 1, 0xFFFF]),
    "f64": (np.float64, 64, 18, [0, 1, (1 << 46) - 1]),
}
NAN = 0x7FC00000  # stands for any NaN

# HLO that generates all bit patterns of a narrow float from an iota.
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
    """Returns HLO that sums up an array of a wide type; the sum is named {prefix}sum."""
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
    """Whether the type has neither NaN nor infinities."""
    return NARROW[name] in (ml_dtypes.float4_e2m1fn, ml_dtypes.float6_e2m3fn, ml_dtypes.float6_e3m2fn)


@np.errstate(all="ignore")
def rounded(values, name):
    """Returns the nearest values of the narrow type, as f32."""
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
    """Rounds to f32 towards zero and sets the last bit where that is inexact: rounding again is then equivalent to
    rounding once."""
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
    """Returns a program that converts every relevant value of `wide`, and its expected result."""
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
    """Returns a program that converts all bit patterns to each of the wide types, and its expected result."""
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
