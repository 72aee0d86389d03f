// Reads a StableHLO text into a Program: the module, its functions, and operations in their pretty or generic form.
#pragma once

#include <optional>

#include "core/import/stablehlo/syntax_reader.h"

namespace bp::import::stablehlo {

class ProgramReader : private SyntaxReader {
 public:
  ProgramReader(std::string_view text, std::string file, std::uint32_t first_line);

  Result<Program> read();

  // Readers of pretty forms that are not just operands, named attributes and types. The table is in pretty_forms.cc.
  using Form = Status (ProgramReader::*)(Operation &);

 private:
  struct Definition {
    ValueId first;
    std::uint32_t count;
    std::size_t position;
  };
  // The names defined in one region. Operations in it may use names of enclosing regions, up to and including an
  // isolated one.
  struct Scope {
    bool is_isolated = false;
    std::unordered_map<std::string_view, Definition> names;
    boost::container::flat_set<ValueId> captures;
  };
  struct Argument {
    std::string_view name;
    std::size_t position = 0;
    Type type;
  };
  enum class Isolated { No, Yes };

  Status read_module(Operation &module);
  Status read_function(Operation &function);
  Status read_function_results(std::vector<Type> &types, Attribute &attributes);
  Status read_mesh(Operation &mesh);

  Status read_operations(char close, Region &region);
  Status read_operation(Region &region);
  Status read_generic(Operation &operation);
  Status read_pretty(Operation &operation);
  Status read_default(Operation &operation);

  // Readers of parts of operations.
  Status read_operand(Operation &operation);
  Status read_operands(Operation &operation);  // ( %a, %b )
  Status read_items(Operation &operation);     // %a, %b, name = value, WORD
  Status read_item(Operation &operation);
  Status read_value_of(Operation &operation, std::string_view name);
  Status read_optional_attributes(Operation &operation);
  Status read_optional_regions(Operation &operation);
  Status read_optional_signature(Operation &operation);
  Status read_signature(Operation &operation);
  Result<Argument> read_argument();
  // Reads a region; the current token must be '{'. `arguments`: arguments that are written outside of the region.
  Result<Region> read_region(std::span<const Argument> arguments, Isolated isolated = Isolated::No);
  void add_attribute(Operation &operation, std::string_view name, Attribute attribute);

  Status read_constant(Operation &operation);
  Status read_constant_check(Operation &operation);
  Status read_compare(Operation &operation);
  Status read_slice(Operation &operation);
  Status read_get_tuple_element(Operation &operation);
  Status read_call(Operation &operation);
  Status read_custom_call(Operation &operation);
  Status read_symbol_call(Operation &operation, std::string_view attribute);
  Status read_composite(Operation &operation);
  Status read_convolution(Operation &operation);
  Status read_window(Operation &operation);
  Status read_reduce(Operation &operation);
  Status read_reducer(Operation &operation);
  Status read_reduce_precision(Operation &operation);
  Status read_while(Operation &operation);
  Status read_scan(Operation &operation);
  Status read_manual_computation(Operation &operation);
  Status read_sharding_constraint(Operation &operation);
  Status read_sharding_group(Operation &operation);
  static std::optional<Form> find_form(std::string_view name);

  Operation begin_operation(std::string_view name, std::size_t position);
  Status define_results(Operation &operation, std::vector<Type> types);
  Result<ValueId> define(std::string_view name, std::size_t position, const Type &type);
  Status define_name(std::string_view name, std::size_t position, ValueId first, std::uint32_t count);
  const Definition *lookup(std::string_view name) const;
  Result<ValueId> use();

  Program program_;
  std::vector<Scope> scopes_;
  std::vector<std::uint32_t> depths_;  // by ValueId: index of the scope that defines it
  // Names of the results of the operation that is being read.
  struct ResultName {
    std::string_view name;
    std::size_t position;
    std::uint32_t count;
  };
  std::vector<ResultName> result_names_;
};

}  // namespace bp::import::stablehlo
