"""Programs and backends that several tests use."""

import backplane

SUM = """HloModule sum
ENTRY main { x = f32[4,5] parameter(0)  y = f32[4,5] parameter(1)  ROOT sum = f32[4,5] add(x, y) }"""
IDENTITY = "HloModule identity\nENTRY main { ROOT x = f32[4,5] parameter(0) }"
SEVERAL = """HloModule several
ENTRY main {
  p = (s32[2], pred[3]) parameter(0)
  a = s32[2] get-tuple-element(p), index=0
  b = pred[3] get-tuple-element(p), index=1
  n = s32[2] negate(a)
  f = pred[3] not(b)
  ROOT r = (s32[2], pred[3]) tuple(n, f)
}"""
FOREVER = """HloModule forever
condition { c = s32[] parameter(0)  ROOT t = pred[] constant(true) }
body { b = s32[] parameter(0)  one = s32[] constant(1)  ROOT n = s32[] add(b, one) }
ENTRY main { x = s32[] parameter(0)  ROOT w = s32[] while(x), condition=condition, body=body }"""
OPEN = """func.func @main(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %size = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %iota = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
  %sum = stablehlo.add %iota, %x : tensor<?xf32>
  return %sum : tensor<?xf32>
}"""
# Backends of this repository that run everywhere; npu has memory of its own.
BACKENDS = ["interpreter", *[name for name in ("cpu", "npu") if name in {plugin.name for plugin in backplane.plugins()}]]
