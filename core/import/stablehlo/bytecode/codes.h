// The codes that attributes and types begin with in MLIR bytecode, by dialect.
#pragma once

#include <cstdint>

namespace bp::import::stablehlo::bytecode {

// Source: BuiltinDialectBytecode.td of MLIR.
namespace builtin_attribute {
enum Code : std::uint64_t {
  Array = 0,
  Dictionary = 1,
  String = 2,
  FlatSymbol = 4,
  Type = 6,
  Unit = 7,
  Integer = 8,
  Float = 9,
  CallSiteLocation = 10,
  FileLineColumnLocation = 11,
  FusedLocation = 12,
  FusedLocationWithMetadata = 13,
  NameLocation = 14,
  UnknownLocation = 15,
  DenseArray = 17,
  DenseElements = 18,
  FileLineColumnRange = 22,
};
}  // namespace builtin_attribute

// Source: BuiltinDialectBytecode.td of MLIR.
namespace builtin_type {
enum Code : std::uint64_t {
  Integer = 0,
  Index = 1,
  Function = 2,
  Bf16 = 3,
  F16 = 4,
  F32 = 5,
  F64 = 6,
  Complex = 9,
  None = 12,
  RankedTensor = 13,
  RankedTensorWithEncoding = 14,
  Tuple = 15,
};
}  // namespace builtin_type

// Source: VhloBytecode.cpp of StableHLO.
namespace vhlo_attribute {
enum Code : std::uint64_t {
  Array = 1,
  Boolean = 2,
  ComparisonDirection = 3,
  ComparisonType = 4,
  CustomCallApiVersion = 5,
  Dictionary = 6,
  FftType = 7,
  Float = 8,
  Integer = 9,
  OutputOperandAlias = 10,
  Precision = 11,
  RngAlgorithm = 12,
  RngDistribution = 13,
  String = 14,
  Tensor = 15,
  Transpose = 16,
  Type = 17,
  TypeExtensions = 18,
  ResultAccuracyMode = 19,
  ResultAccuracy = 20,
  SubAxisInfo = 21,
  AxisRef = 22,
  ReplicaGroupMeshAxes = 23,
};
}  // namespace vhlo_attribute

// Source: VhloBytecode.cpp of StableHLO. The codes of element types are in code_tables.h.
namespace vhlo_type {
enum Code : std::uint64_t {
  Complex = 1,
  Function = 8,
  Index = 9,
  RankedTensor = 20,
  RankedTensorWithEncoding = 21,
  Token = 22,
  Tuple = 23,
  UniformQuantized = 24,
  UnrankedTensor = 25,
  Witness = 26,
  UniformQuantizedPerAxis = 30,
  None = 33,
  Tf32 = 34,
  RankedBuffer = 41,
  Future = 42,
};
}  // namespace vhlo_type

// Source: bytecode.td of Shardy.
namespace sdy_attribute {
enum Code : std::uint64_t {
  ManualAxes = 0,
  MeshAxis = 1,
  Mesh = 2,
  SubAxisInfo = 3,
  AxisRef = 4,
  DimensionSharding = 5,
  TensorSharding = 6,
  TensorShardingPerValue = 7,
  DimensionMapping = 8,
  TensorMapping = 9,
  OperationRule = 10,
  AxisRefList = 11,
  ListOfAxisRefLists = 12,
  TensorShardingUnreduced = 15,
  TensorShardingPerValueUnreduced = 16,
  TensorShardingReduction = 17,
};
}  // namespace sdy_attribute

}  // namespace bp::import::stablehlo::bytecode
