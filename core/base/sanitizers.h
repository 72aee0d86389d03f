// BP_SANITIZES_MEMORY: 1 in builds with a sanitizer that has an allocator of its own and reserves terabytes of address
// space, so that memory can be neither counted nor limited; otherwise 0. Clang 19 and g++ 12 report sanitizers in
// different ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BP_SANITIZES_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define BP_SANITIZES_MEMORY 1
#endif
#endif
#ifndef BP_SANITIZES_MEMORY
#define BP_SANITIZES_MEMORY 0
#endif
