// The members of a program's memory in the index, in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/runtime/memory.h"

namespace bp::package {

using MemoryMember = std::pair<std::string_view, std::int64_t runtime::MemoryFigures::*>;

inline constexpr std::array<MemoryMember, 5> planned_figures = {{
    {"inputs", &runtime::MemoryFigures::inputs},
    {"outputs", &runtime::MemoryFigures::outputs},
    {"temporaries", &runtime::MemoryFigures::temporaries},
    {"constants", &runtime::MemoryFigures::constants},
    {"staging", &runtime::MemoryFigures::staging},
}};
// Members of loaded programs only.
inline constexpr std::array<MemoryMember, 2> loaded_figures = {{
    {"scratch", &runtime::MemoryFigures::scratch},
    {"resident", &runtime::MemoryFigures::resident},
}};

}  // namespace bp::package
