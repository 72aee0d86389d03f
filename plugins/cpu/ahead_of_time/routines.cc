#include "plugins/cpu/ahead_of_time/routines.h"

#include <algorithm>
#include <string_view>

namespace bp::cpu {
namespace {

struct Routine {
  std::string_view name, text;
  bool is_in_c_library;  // of every program that has one, without libm
};

constexpr Routine routines[] = {
    {"memcpy", R"(
define ptr @memcpy(ptr %to, ptr %from, i64 %size) nounwind {
  %r = call ptr @memmove(ptr %to, ptr %from, i64 %size)
  ret ptr %r
})",
     true},
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
};

const Routine *find(std::string_view name) {
  const auto *found = std::ranges::find(routines, name, &Routine::name);
  return found == std::end(routines) ? nullptr : found;
}

}  // namespace

plugin::Result<std::string> routines_text(const std::set<std::string> &names, bool freestanding) {
  std::set<std::string> needed = names;
  if (needed.contains("memcpy")) {
    needed.insert("memmove");
  }
  std::string text;
  for (const std::string &name : needed) {
    const Routine *routine = find(name);
    if (routine == nullptr) {
      return plugin::Error(BP_UNSUPPORTED, "the code calls " + name +
                                               ", which a program without this plugin does not have: compile for a "
                                               "target that has instructions for it, such as x86-64-v3");
    }
    if (freestanding || !routine->is_in_c_library) {
      text += routine->text;
      text += '\n';
    }
  }
  return text;
}

}  // namespace bp::cpu
