// The manifest: the description of a plugin that can be read before any of its code runs.
//
// It is an ELF note (vendor "Backplane", type 1) that holds JSON, so a hundred plugins can be listed in milliseconds,
// including those made for another machine. It is checked against the code when the plugin is loaded.
//
//   BP_PLUGIN_MANIFEST(
//       "{ \"abi\": \"1.0.0\","                        the BP_VERSION_INIT it was built with
//       "  \"vendor\": \"Acme\","                      optional, as in the descriptor
//       "  \"version\": \"2.1.0\","                    of the plugin
//       "  \"opset\": 1,"                              newest opset understood
//       "  \"url\": \"https://acme.example\","         optional
//       "  \"cpu_features\": [\"avx512f\"],"           optional: refused on a machine that lacks one
//       "  \"conformance\": {"                        optional: a report of the conformance suite,
//       "     \"report\": \"acme.jsonl\","             a file in the same directory,
//       "     \"sha256\": \"000...\" },"               and its hash: 64 zeros until `backplane conform attach`
//       "  \"devices\": [ {"                           one per kind of device, in the order of the factory;
//                                                  without it, the plugin has front ends (ext/draft/front_end.h)
//       "     \"id\": \"com.acme.npu\","               [a-z0-9.-], at least one dot
//       "     \"aliases\": [\"acme\", \"acme-3\"],"    optional: short names, [a-z0-9-]
//       "     \"name\": \"Acme NPU 3\","
//       "     \"extensions\": [\"bp.kernels/1\"] } ] }");   the features of the descriptor, in any order
//
// BP-MANIFEST-01: a library has one note, which is a UTF-8 JSON object of at most 64 KiB; unknown keys are ignored.
// BP-MANIFEST-02: the manifest agrees with the code in abi, version and opset, and in the id, name and extensions of
//                 each device.
#pragma once
#include <stdint.h>

// Defines an ELF note with the layout that the format prescribes: 10 is the size of "Backplane" with its final 0.
#define BP_PLUGIN_MANIFEST(json)                                                      \
  __attribute__((section(".note.backplane"), used, aligned(4))) static const struct { \
    uint32_t name_size, content_size, type;                                           \
    char name[12], content[sizeof(json)];                                             \
  } bp_manifest = {10, sizeof(json), 1, "Backplane", json}
