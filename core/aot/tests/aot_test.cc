#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "core/aot/archive.h"
#include "core/aot/object_file.h"
#include "core/aot/program.h"

namespace bp::aot {
namespace {

// An object with code that calls `needs` and defines `defines`.
ObjectFile object_of(const std::string &defines, const std::string &needs, const std::string &code) {
  ObjectFile object{.machine = EM_X86_64, .flags = 0, .sections = {}, .symbols = {}};
  object.sections.push_back({.name = ".text",
                             .type = SHT_PROGBITS,
                             .flags = SHF_ALLOC | SHF_EXECINSTR,
                             .alignment = 16,
                             .size = code.size(),
                             .bytes = code,
                             .relocations = {{1, 1, R_X86_64_PLT32, -4}}});
  object.symbols.push_back({.name = defines, .binding = STB_GLOBAL, .type = STT_FUNC, .section = 0, .value = 0});
  object.symbols.push_back({.name = needs, .binding = STB_GLOBAL});
  return object;
}

const Symbol &symbol(const ObjectFile &object, const std::string &name) {
  for (const Symbol &one : object.symbols) {
    if (one.name == name) {
      return one;
    }
  }
  FAIL("there is no symbol " << name);
  std::abort();
}

TEST_CASE("object files are the same after they were written and read") {
  const ObjectFile object = object_of("f", "g", std::string(8, '\xe8'));
  const std::string bytes = write_object(object);
  const Result<ObjectFile> read = read_object(bytes, "f.o");
  REQUIRE(read.ok());
  CHECK(write_object(*read) == bytes);
  CHECK(read->sections[0].bytes == object.sections[0].bytes);
  CHECK(read->sections[0].relocations.at(0).addend == -4);
  CHECK(undefined_symbols(*read) == std::vector<std::string>{"g"});
}

TEST_CASE("objects are joined: sections of one name, and symbols that one defines and the other needs") {
  ObjectFile whole;
  REQUIRE(append(whole, object_of("f", "g", std::string(5, 'a')), "f.o").ok());
  REQUIRE(append(whole, object_of("g", "memcpy", std::string(7, 'b')), "g.o").ok());
  REQUIRE(whole.sections.size() == 1);
  CHECK(whole.sections[0].bytes == "aaaaa" + std::string(11, '\0') + "bbbbbbb");
  CHECK(symbol(whole, "g").value == 16);
  CHECK(whole.sections[0].relocations.at(1).offset == 17);
  CHECK(undefined_symbols(whole) == std::vector<std::string>{"memcpy"});
  make_local(whole, {"f"});
  CHECK(symbol(whole, "f").binding == STB_GLOBAL);
  CHECK(symbol(whole, "g").binding == STB_LOCAL);
  // Local symbols of one name stay apart.
  REQUIRE(append(whole, object_of("g", "f", std::string(5, 'c')), "h.o").ok());
  CHECK(std::ranges::count(whole.symbols, "g", &Symbol::name) == 2);
  const Result<ObjectFile> again = read_object(write_object(whole), "all.o");
  REQUIRE(again.ok());
  CHECK(again->symbols.size() == whole.symbols.size());
}

TEST_CASE("objects that do not belong together are refused") {
  ObjectFile whole = object_of("f", "g", "aaaaa");
  const Status twice = append(whole, object_of("f", "g", "aaaaa"), "second.o");
  REQUIRE(!twice.ok());
  CHECK(twice.error().message() == "object second.o: defines f, which another object defines too");
  ObjectFile arm = object_of("h", "g", "aaaaa");
  arm.machine = EM_AARCH64;
  const Status other = append(whole, arm, "arm.o");
  REQUIRE(!other.ok());
  CHECK(other.error().message() == "object arm.o: is for machine 183 with flags 0, expected machine 62 with flags 0");
}

TEST_CASE("damaged objects are refused, wherever they are damaged") {
  const std::string good = write_object(object_of("f", "g", std::string(8, '\xe8')));
  CHECK(read_object("", "empty").error().message() ==
        "object empty: the header has 64 bytes at offset 0, but the file has 0 bytes");
  CHECK(read_object("#!/bin/sh\n" + std::string(100, ' '), "script").error().message() ==
        "object script: expected a relocatable ELF file of 64 bits, little-endian");
  for (std::size_t size = 0; size < good.size(); ++size) {
    CHECK(!read_object(std::string_view(good).substr(0, size), "cut").ok());
  }
  // A changed byte is either refused or makes another object, which can be written and read.
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char mask : {'\x01', '\x80', '\xff'}) {
      std::string changed = good;
      changed[at] = static_cast<char>(changed[at] ^ mask);
      if (const Result<ObjectFile> read = read_object(changed, "changed"); read.ok()) {
        CHECK(read_object(write_object(*read), "again").ok());
      }
    }
  }
}

TEST_CASE("an archive lists the symbols of its members") {
  const Result<std::string> archive =
      write_archive({{"a.o", "123", {"f", "g"}}, {"a_name_of_many_letters.o", "4567", {"h"}}});
  REQUIRE(archive.ok());
  CHECK(archive->starts_with("!<arch>\n/               0           "));
  CHECK(archive->find("a_name_of_many_letters.o/\n") != std::string::npos);
  CHECK(archive->ends_with("`\n4567"));
  CHECK(archive->size() % 2 == 0);
}

TEST_CASE("names of C are told from others") {
  for (const char *name : {"model", "_x", "Model_1"}) {
    CHECK(is_identifier(name));
  }
  for (const char *name : {"", "1model", "my-model", "double", "class", "näme"}) {
    CHECK(!is_identifier(name));
  }
}

}  // namespace
}  // namespace bp::aot
