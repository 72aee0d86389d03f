#include "plugins/native/object_cache.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <catch2/catch.hpp>

namespace bp::native::tests {
namespace {

ObjectCache::Key key(std::uint8_t number) {
  return {number};
}

// A unit with one function that returns a number.
struct Unit {
  explicit Unit(std::uint64_t number, const std::string &triple = "x86_64-linux-gnu") : module("unit", context) {
    module.setTargetTriple(triple);
    auto *type = llvm::FunctionType::get(llvm::Type::getInt64Ty(context), false);
    auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "number", module);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
    b.CreateRet(b.getInt64(number));
  }

  llvm::LLVMContext context;
  llvm::Module module;
};

}  // namespace

TEST_CASE("object cache: the objects used last stay") {
  ObjectCache cache(10);
  CHECK_FALSE(cache.find(key(1)).has_value());
  cache.keep(key(1), "aaaa");
  cache.keep(key(2), "bbbb");
  CHECK(cache.find(key(1)) == "aaaa");
  cache.keep(key(3), "cccc");  // 2 was used longest ago
  CHECK(cache.find(key(1)) == "aaaa");
  CHECK_FALSE(cache.find(key(2)).has_value());
  CHECK(cache.find(key(3)) == "cccc");
}

TEST_CASE("object cache: an object that is too large, or known, changes nothing") {
  ObjectCache cache(10);
  cache.keep(key(1), "aaaa");
  cache.keep(key(2), "longer than all");
  cache.keep(key(1), "aaaa");
  cache.keep(key(3), "bbbbbb");
  CHECK(cache.find(key(1)) == "aaaa");
  CHECK_FALSE(cache.find(key(2)).has_value());
  CHECK(cache.find(key(3)) == "bbbbbb");
}

TEST_CASE("object cache: keys tell units apart by their code and their target") {
  const Unit unit(1), same(1), other(2), other_target(1, "aarch64-linux-gnu");
  CHECK(ObjectCache::key(unit.module) == ObjectCache::key(same.module));
  CHECK(ObjectCache::key(unit.module) != ObjectCache::key(other.module));
  CHECK(ObjectCache::key(unit.module) != ObjectCache::key(other_target.module));
}

}  // namespace bp::native::tests
