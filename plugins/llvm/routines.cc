#include "plugins/llvm/routines.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace bp::emit {
namespace {

struct Routine {
  std::string_view name, text;
  bool is_in_c_library;         // of every program that has one, without libm
  std::string_view needs = {};  // another one, which it calls
  bool has_types = false;       // there is one for f64, and one for f32, whose name ends in f
};

constexpr Routine routines[] = {
    {"memcpy", R"(
define ptr @memcpy(ptr %to, ptr %from, i64 %size) nounwind {
  %r = call ptr @memmove(ptr %to, ptr %from, i64 %size)
  ret ptr %r
})",
     true, "memmove"},
    // By 16 bytes as long as there are so many, from the end that is not overwritten before it is read.
    {"memmove", R"(
define ptr @memmove(ptr %to, ptr %from, i64 %size) nounwind {
entry:
  %t = ptrtoint ptr %to to i64
  %f = ptrtoint ptr %from to i64
  %distance = sub i64 %t, %f
  %backward = icmp ult i64 %distance, %size
  br i1 %backward, label %down, label %up
up:
  %i = phi i64 [ 0, %entry ], [ %i.wide, %up.wide ], [ %i.byte, %up.byte ]
  %left = sub i64 %size, %i
  %done = icmp eq i64 %left, 0
  br i1 %done, label %end, label %up.more
up.more:
  %many = icmp uge i64 %left, 16
  %from.i = getelementptr i8, ptr %from, i64 %i
  %to.i = getelementptr i8, ptr %to, i64 %i
  br i1 %many, label %up.wide, label %up.byte
up.wide:
  %wide = load <16 x i8>, ptr %from.i, align 1
  store <16 x i8> %wide, ptr %to.i, align 1
  %i.wide = add i64 %i, 16
  br label %up
up.byte:
  %byte = load volatile i8, ptr %from.i
  store i8 %byte, ptr %to.i
  %i.byte = add i64 %i, 1
  br label %up
down:
  %j = phi i64 [ %size, %entry ], [ %j.wide, %down.wide ], [ %j.byte, %down.byte ]
  %none = icmp eq i64 %j, 0
  br i1 %none, label %end, label %down.more
down.more:
  %much = icmp uge i64 %j, 16
  br i1 %much, label %down.wide, label %down.byte
down.wide:
  %j.wide = sub i64 %j, 16
  %from.w = getelementptr i8, ptr %from, i64 %j.wide
  %to.w = getelementptr i8, ptr %to, i64 %j.wide
  %block = load <16 x i8>, ptr %from.w, align 1
  store <16 x i8> %block, ptr %to.w, align 1
  br label %down
down.byte:
  %j.byte = sub i64 %j, 1
  %from.b = getelementptr i8, ptr %from, i64 %j.byte
  %to.b = getelementptr i8, ptr %to, i64 %j.byte
  %single = load volatile i8, ptr %from.b
  store i8 %single, ptr %to.b
  br label %down
end:
  ret ptr %to
})",
     true},
    {"memset", R"(
define ptr @memset(ptr %to, i32 %value, i64 %size) nounwind {
entry:
  %byte = trunc i32 %value to i8
  %first = insertelement <16 x i8> undef, i8 %byte, i32 0
  %wide = shufflevector <16 x i8> %first, <16 x i8> undef, <16 x i32> zeroinitializer
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.wide, %by.wide ], [ %i.byte, %by.byte ]
  %left = sub i64 %size, %i
  %done = icmp eq i64 %left, 0
  br i1 %done, label %end, label %more
more:
  %many = icmp uge i64 %left, 16
  %at = getelementptr i8, ptr %to, i64 %i
  br i1 %many, label %by.wide, label %by.byte
by.wide:
  store <16 x i8> %wide, ptr %at, align 1
  %i.wide = add i64 %i, 16
  br label %loop
by.byte:
  store volatile i8 %byte, ptr %at
  %i.byte = add i64 %i, 1
  br label %loop
end:
  ret ptr %to
})",
     true},
    // The same as use_tiles(), without its answer: bp_check() asks, too.
    {"bp_use_tiles", R"(
@bp_tiles_asked = internal global i8 0
define void @bp_use_tiles() nounwind {
  %asked = load atomic i8, ptr @bp_tiles_asked monotonic, align 1
  %before = icmp ne i8 %asked, 0
  br i1 %before, label %done, label %ask
ask:
  %r = call i64 asm sideeffect "syscall", "={ax},{ax},{di},{si},~{rcx},~{r11},~{memory}"(i64 158, i64 4131, i64 18)
  store atomic i8 1, ptr @bp_tiles_asked monotonic, align 1
  br label %done
done:
  ret void
})",
     false},
    // Below, NAME stands for a type of floats; see expand().
    {"trunc", R"(
define NAME @trunc@(NAME %x) nounwind {
  %b = bitcast NAME %x to INT
  %top = lshr INT %b, MANTISSA
  %biased = and INT %top, EXPONENTS
  %e = sub INT %biased, BIAS
  %whole = icmp sge INT %e, MANTISSA
  %small = icmp slt INT %e, 0
  %sign = and INT %b, SIGN
  %shift = select i1 %whole, INT 0, INT %e
  %shift.2 = select i1 %small, INT 0, INT %shift
  %fraction = lshr INT FRACTIONS, %shift.2
  %kept = xor INT %fraction, -1
  %cut = and INT %b, %kept
  %cut.2 = select i1 %small, INT %sign, INT %cut
  %bits = select i1 %whole, INT %b, INT %cut.2
  %r = bitcast INT %bits to NAME
  ret NAME %r
})",
     false, "", true},
    {"floor", R"(
define NAME @floor@(NAME %x) nounwind {
  %t = call NAME @trunc@(NAME %x)
  %above = fcmp ogt NAME %t, %x
  %less = fsub NAME %t, 1.0
  %r = select i1 %above, NAME %less, NAME %t
  ret NAME %r
})",
     false, "trunc@", true},
    {"ceil", R"(
define NAME @ceil@(NAME %x) nounwind {
  %t = call NAME @trunc@(NAME %x)
  %below = fcmp olt NAME %t, %x
  %more = fadd NAME %t, 1.0
  %r = select i1 %below, NAME %more, NAME %t
  ret NAME %r
})",
     false, "trunc@", true},
    {"round", R"(
define NAME @round@(NAME %x) nounwind {
  %t = call NAME @trunc@(NAME %x)
  %d = fsub NAME %x, %t
  %up = fcmp oge NAME %d, 0.5
  %down = fcmp ole NAME %d, -0.5
  %more = fadd NAME %t, 1.0
  %less = fsub NAME %t, 1.0
  %a = select i1 %up, NAME %more, NAME %t
  %r = select i1 %down, NAME %less, NAME %a
  ret NAME %r
})",
     false, "trunc@", true},
    // The addition rounds to a whole number where the spacing of the type is 1.
    {"roundeven", R"(
define NAME @roundeven@(NAME %x) nounwind {
  %b = bitcast NAME %x to INT
  %sign = and INT %b, SIGN
  %a = xor INT %b, %sign
  %abs = bitcast INT %a to NAME
  %inside = fcmp olt NAME %abs, SPACING
  %sum = fadd NAME %abs, SPACING
  %whole = fsub NAME %sum, SPACING
  %w = bitcast NAME %whole to INT
  %signed = or INT %w, %sign
  %bits = select i1 %inside, INT %signed, INT %b
  %r = bitcast INT %bits to NAME
  ret NAME %r
})",
     false, "", true},
    // The product is exact in f64. The sum is rounded to odd, by the error of the addition, so that rounding it again,
    // to f32, gives what rounding once does.
    {"fmaf", R"(
define float @fmaf(float %x, float %y, float %z) nounwind {
  %a = fpext float %x to double
  %b = fpext float %y to double
  %c = fpext float %z to double
  %p = fmul double %a, %b
  %s = fadd double %p, %c
  %c.2 = fsub double %s, %p
  %p.2 = fsub double %s, %c.2
  %p.error = fsub double %p, %p.2
  %c.error = fsub double %c, %c.2
  %error = fadd double %p.error, %c.error
  %bits = bitcast double %s to i64
  %last = and i64 %bits, 1
  %even = icmp eq i64 %last, 0
  %inexact = fcmp one double %error, 0.0
  %odd = and i1 %even, %inexact
  %positive = fcmp ogt double %s, 0.0
  %more = fcmp ogt double %error, 0.0
  %away = icmp eq i1 %positive, %more
  %step = select i1 %away, i64 1, i64 -1
  %moved = add i64 %bits, %step
  %chosen = select i1 %odd, i64 %moved, i64 %bits
  %rounded = bitcast i64 %chosen to double
  %r = fptrunc double %rounded to float
  ret float %r
})",
     false},
    // The product has up to 106 bits, the sum up to 164. A term that is too small to touch the other's bits becomes one
    // unit far below them, which rounds in the same way.
    {"fma", R"(
define internal { i64, i32 } @bp.parts(double %x) nounwind {
  %b = bitcast double %x to i64
  %top = lshr i64 %b, 52
  %e.raw = and i64 %top, 2047
  %f = and i64 %b, 4503599627370495
  %sub = icmp eq i64 %e.raw, 0
  %hidden = or i64 %f, 4503599627370496
  %m = select i1 %sub, i64 %f, i64 %hidden
  %e.64 = select i1 %sub, i64 1, i64 %e.raw
  %zeros = call i64 @llvm.ctlz.i64(i64 %m, i1 false)
  %zero = icmp eq i64 %m, 0
  %up = sub i64 %zeros, 11
  %shift = select i1 %zero, i64 0, i64 %up
  %m.2 = shl i64 %m, %shift
  %e.2 = sub i64 %e.64, %shift
  %e.3 = sub i64 %e.2, 1075
  %e = trunc i64 %e.3 to i32
  %r.0 = insertvalue { i64, i32 } undef, i64 %m.2, 0
  %r = insertvalue { i64, i32 } %r.0, i32 %e, 1
  ret { i64, i32 } %r
}
declare i64 @llvm.ctlz.i64(i64, i1)
declare i256 @llvm.ctlz.i256(i256, i1)
define double @fma(double %x, double %y, double %z) nounwind {
  %xb = bitcast double %x to i64
  %yb = bitcast double %y to i64
  %zb = bitcast double %z to i64
  %xe = and i64 %xb, 9218868437227405312
  %ye = and i64 %yb, 9218868437227405312
  %ze = and i64 %zb, 9218868437227405312
  %xs = icmp eq i64 %xe, 9218868437227405312
  %ys = icmp eq i64 %ye, 9218868437227405312
  %zs = icmp eq i64 %ze, 9218868437227405312
  %xz = fcmp oeq double %x, 0.0
  %yz = fcmp oeq double %y, 0.0
  %s1 = or i1 %xs, %ys
  %s2 = or i1 %xz, %yz
  %special = or i1 %s1, %s2
  br i1 %special, label %simple, label %finite
simple:
  %xy = fmul double %x, %y
  %xyz = fadd double %xy, %z
  ret double %xyz
finite:
  br i1 %zs, label %z.only, label %general
z.only:
  %z.quiet = fadd double %z, %z
  ret double %z.quiet
general:
  %xp = call { i64, i32 } @bp.parts(double %x)
  %yp = call { i64, i32 } @bp.parts(double %y)
  %zp = call { i64, i32 } @bp.parts(double %z)
  %xm = extractvalue { i64, i32 } %xp, 0
  %ym = extractvalue { i64, i32 } %yp, 0
  %zm = extractvalue { i64, i32 } %zp, 0
  %xe.2 = extractvalue { i64, i32 } %xp, 1
  %ye.2 = extractvalue { i64, i32 } %yp, 1
  %ze.2 = extractvalue { i64, i32 } %zp, 1
  %xw = zext i64 %xm to i128
  %yw = zext i64 %ym to i128
  %pw = mul i128 %xw, %yw
  %p = zext i128 %pw to i256
  %zw = zext i64 %zm to i256
  %pe = add i32 %xe.2, %ye.2
  %z.zero = icmp eq i64 %zm, 0
  %ze.3 = select i1 %z.zero, i32 %pe, i32 %ze.2
  %d = sub i32 %ze.3, %pe
  %z.far = icmp sgt i32 %d, 110
  %p.far = icmp slt i32 %d, -60
  %p.2 = select i1 %z.far, i256 1, i256 %p
  %pe.far = sub i32 %ze.3, 110
  %pe.2 = select i1 %z.far, i32 %pe.far, i32 %pe
  %z.2 = select i1 %p.far, i256 1, i256 %zw
  %ze.far = sub i32 %pe, 60
  %ze.4 = select i1 %p.far, i32 %ze.far, i32 %ze.3
  %lower = icmp slt i32 %pe.2, %ze.4
  %base = select i1 %lower, i32 %pe.2, i32 %ze.4
  %p.up = sub i32 %pe.2, %base
  %z.up = sub i32 %ze.4, %base
  %p.up.w = zext i32 %p.up to i256
  %z.up.w = zext i32 %z.up to i256
  %p.3 = shl i256 %p.2, %p.up.w
  %z.3 = shl i256 %z.2, %z.up.w
  %xy.sign = xor i64 %xb, %yb
  %p.negative = icmp slt i64 %xy.sign, 0
  %z.negative = icmp slt i64 %zb, 0
  %p.minus = sub i256 0, %p.3
  %z.minus = sub i256 0, %z.3
  %p.4 = select i1 %p.negative, i256 %p.minus, i256 %p.3
  %z.4 = select i1 %z.negative, i256 %z.minus, i256 %z.3
  %sum = add i256 %p.4, %z.4
  %none = icmp eq i256 %sum, 0
  br i1 %none, label %simple, label %round
round:
  %negative = icmp slt i256 %sum, 0
  %minus = sub i256 0, %sum
  %m = select i1 %negative, i256 %minus, i256 %sum
  %zeros.w = call i256 @llvm.ctlz.i256(i256 %m, i1 false)
  %zeros = trunc i256 %zeros.w to i32
  %length = sub i32 256, %zeros
  %top = add i32 %base, %length
  %q.normal = sub i32 %top, 53
  %tiny = icmp slt i32 %q.normal, -1074
  %q = select i1 %tiny, i32 -1074, i32 %q.normal
  %shift = sub i32 %q, %base
  %exact = icmp sle i32 %shift, 0
  %up.0 = sub i32 0, %shift
  %up.1 = select i1 %exact, i32 %up.0, i32 0
  %up.w = zext i32 %up.1 to i256
  %raised = shl i256 %m, %up.w
  %gone = icmp sgt i32 %shift, 250
  %down.0 = select i1 %gone, i32 250, i32 %shift
  %down.1 = select i1 %exact, i32 1, i32 %down.0
  %down.w = zext i32 %down.1 to i256
  %kept = lshr i256 %m, %down.w
  %back = shl i256 %kept, %down.w
  %rest = sub i256 %m, %back
  %half.shift = sub i256 %down.w, 1
  %half = shl i256 1, %half.shift
  %above = icmp ugt i256 %rest, %half
  %tie = icmp eq i256 %rest, %half
  %kept.last = trunc i256 %kept to i1
  %tie.up = and i1 %tie, %kept.last
  %increase = or i1 %above, %tie.up
  %one = zext i1 %increase to i256
  %rounded = add i256 %kept, %one
  %mantissa.w = select i1 %exact, i256 %raised, i256 %rounded
  %mantissa = trunc i256 %mantissa.w to i64
  %q.biased = add i32 %q, 1074
  %q.64 = sext i32 %q.biased to i64
  %exponent = shl i64 %q.64, 52
  %value = add i64 %exponent, %mantissa
  %too.large = icmp sgt i32 %top, 1024
  %infinite = icmp uge i64 %value, 9218868437227405312
  %over = or i1 %too.large, %infinite
  %limited = select i1 %over, i64 9218868437227405312, i64 %value
  %sign = select i1 %negative, i64 -9223372036854775808, i64 0
  %result.bits = or i64 %limited, %sign
  %result = bitcast i64 %result.bits to double
  ret double %result
})",
     false},
    {"__extendhfsf2", R"(
define float @__extendhfsf2(half %x) nounwind {
  %h = bitcast half %x to i16
  %b = zext i16 %h to i32
  %sign.16 = and i32 %b, 32768
  %sign = shl i32 %sign.16, 16
  %a = and i32 %b, 32767
  %f = and i32 %b, 1023
  %wide = shl i32 %a, 13
  %normal = add i32 %wide, 939524096
  %special = icmp uge i32 %a, 31744
  %filled = or i32 %wide, 2139095040
  %is.nan = icmp ugt i32 %a, 31744
  %quiet = select i1 %is.nan, i32 4194304, i32 0
  %filled.2 = or i32 %filled, %quiet
  %whole = uitofp i32 %f to float
  %tiny = fmul float %whole, 0x3E70000000000000
  %tiny.bits = bitcast float %tiny to i32
  %small = icmp ult i32 %a, 1024
  %r.0 = select i1 %small, i32 %tiny.bits, i32 %normal
  %r.1 = select i1 %special, i32 %filled.2, i32 %r.0
  %r.2 = or i32 %r.1, %sign
  %r = bitcast i32 %r.2 to float
  ret float %r
})",
     false},
    {"__truncsfhf2", R"(
define half @__truncsfhf2(float %x) nounwind {
  %b = bitcast float %x to i32
  %sign.32 = and i32 %b, -2147483648
  %a = xor i32 %b, %sign.32
  %sign = lshr i32 %sign.32, 16
  %abs = bitcast i32 %a to float
  %is.nan = icmp ugt i32 %a, 2139095040
  %payload.0 = lshr i32 %a, 13
  %payload = and i32 %payload.0, 1023
  %nan = or i32 %payload, 32256
  %is.large = icmp uge i32 %a, 1199566848
  %is.small = icmp ult i32 %a, 947912704
  %scaled = fmul float %abs, 16777216.0
  %summed = fadd float %scaled, 8388608.0
  %small.bits = bitcast float %summed to i32
  %small = sub i32 %small.bits, 1258291200
  %rebased = sub i32 %a, 939524096
  %odd.0 = lshr i32 %rebased, 13
  %odd = and i32 %odd.0, 1
  %half = add i32 %rebased, 4095
  %rounded.0 = add i32 %half, %odd
  %rounded = lshr i32 %rounded.0, 13
  %r.0 = select i1 %is.small, i32 %small, i32 %rounded
  %r.1 = select i1 %is.large, i32 31744, i32 %r.0
  %r.2 = select i1 %is.nan, i32 %nan, i32 %r.1
  %r.3 = or i32 %r.2, %sign
  %r.16 = trunc i32 %r.3 to i16
  %r = bitcast i16 %r.16 to half
  ret half %r
})",
     false},
    // Rounds to odd in f32 first, so that rounding again gives what rounding once does.
    {"__truncdfhf2", R"(
define half @__truncdfhf2(double %x) nounwind {
  %f = fptrunc double %x to float
  %back = fpext float %f to double
  %inexact = fcmp one double %back, %x
  %back.abs = call double @llvm.fabs.f64(double %back)
  %x.abs = call double @llvm.fabs.f64(double %x)
  %too.large = fcmp ogt double %back.abs, %x.abs
  %bits = bitcast float %f to i32
  %less = sub i32 %bits, 1
  %cut = select i1 %too.large, i32 %less, i32 %bits
  %odd = or i32 %cut, 1
  %chosen = select i1 %inexact, i32 %odd, i32 %bits
  %rounded = bitcast i32 %chosen to float
  %r = call half @__truncsfhf2(float %rounded)
  ret half %r
}
declare double @llvm.fabs.f64(double))",
     false, "__truncsfhf2"},
};

// Returns a text for f32 or f64.
std::string expand(std::string_view text, bool is_single) {
  const std::pair<std::string_view, std::string_view> meanings[] = {
      {"NAME", is_single ? "float" : "double"},
      {"INT", is_single ? "i32" : "i64"},
      {"MANTISSA", is_single ? "23" : "52"},
      {"EXPONENTS", is_single ? "255" : "2047"},
      {"BIAS", is_single ? "127" : "1023"},
      {"SIGN", is_single ? "-2147483648" : "-9223372036854775808"},
      {"FRACTIONS", is_single ? "8388607" : "4503599627370495"},
      {"SPACING", is_single ? "8388608.0" : "4503599627370496.0"},
      {"@(", is_single ? "f(" : "("},
  };
  std::string expanded(text);
  for (const auto &[word, meaning] : meanings) {
    for (std::size_t at = expanded.find(word); at != std::string::npos; at = expanded.find(word, at + meaning.size())) {
      expanded.replace(at, word.size(), meaning);
    }
  }
  return expanded;
}

// A routine for one type.
struct Chosen {
  const Routine *routine = nullptr;  // nullptr: there is none of this name
  bool is_single = false;

  std::string text() const {
    return routine->has_types ? expand(routine->text, is_single) : std::string(routine->text);
  }
  std::string needs() const {
    std::string name(routine->needs);
    if (!name.empty() && name.back() == '@') {
      name.pop_back();
      name += is_single ? "f" : "";
    }
    return name;
  }
};

Chosen choose(std::string_view name) {
  for (const Routine &routine : routines) {
    if (name == routine.name) {
      return {&routine, false};
    }
    if (routine.has_types && name.ends_with('f') && name.substr(0, name.size() - 1) == routine.name) {
      return {&routine, true};
    }
  }
  return {};
}

}  // namespace

plugin::Result<std::string> routines_text(const std::set<std::string> &names, bool freestanding) {
  std::set<std::string> needed;
  std::vector<std::string> open(names.begin(), names.end());
  std::string text;
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (!needed.insert(name).second) {
      continue;
    }
    const Chosen chosen = choose(name);
    if (chosen.routine == nullptr) {
      return plugin::Error(BP_UNSUPPORTED, "the code calls " + name +
                                               ", which a program without this plugin does not have: compile for a "
                                               "target that has instructions for it");
    }
    if (!freestanding && chosen.routine->is_in_c_library) {
      continue;
    }
    text += chosen.text() + "\n";
    if (const std::string needs = chosen.needs(); !needs.empty()) {
      open.push_back(needs);
    }
  }
  return text;
}

}  // namespace bp::emit
