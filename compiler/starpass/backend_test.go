package starpass_test

import "testing"

// TestBackendPatterns uses the makers and the registry of patterns as TVM's back ends do.
func TestBackendPatterns(t *testing.T) {
	prints(t, callbackModule+`
from tvm.relax.backend import get_patterns_with_prefix, get_pattern, register_patterns
from tvm.relax.backend.patterns import make_fused_bias_activation_pattern, make_matmul_pattern, make_residual_block_pattern, make_attention_pattern, make_layer_norm_pattern
def composites(m): return sorted([str(f.attrs["Composite"]) for gv, f in m.functions_items() if f.attrs and "Composite" in f.attrs])
pattern, parts = make_matmul_pattern(with_bias=False, activation="relax.nn.relu")
print(sorted(parts.keys()), isinstance(pattern, relax.dpl.DFPattern))
register_patterns([
    ("mine.matmul", *make_matmul_pattern()),
    ("mine.matmul_relu", pattern, parts, lambda c: c.annotated_expr["rhs"].struct_info.shape.values[0].value == 3),
    ("mine.tanh", relax.dpl.is_op("relax.tanh")(relax.dpl.wildcard())),
])
print([p[0] for p in get_patterns_with_prefix("mine.matmul")], get_pattern("mine.tanh")[0], get_pattern("mine"), get_patterns_with_prefix("irscope"))
print(composites(relax.transform.FuseOpsByPattern(get_patterns_with_prefix("mine"))(m)))
print(composites(relax.transform.FuseOpsByPattern([relax.transform.FusionPattern("own.tanh", relax.dpl.is_op("relax.tanh")(relax.dpl.wildcard()))])(m)))
print(sorted(make_residual_block_pattern(make_fused_bias_activation_pattern("relax.nn.conv2d", with_bias=True), activation="relax.nn.relu")[1].keys()))
print(sorted(make_attention_pattern(with_bias=True)[1].keys()), make_layer_norm_pattern()[1])
`, `
["lhs", "rhs", "root"] True
["mine.matmul_relu", "mine.matmul"] mine.tanh None ["irscope*"]
["mine.matmul_relu", "mine.tanh"]
["own.tanh"]
["bias", "lhs", "residual", "rhs", "root"]
["bias", "key", "query", "value"] {}`)
	refuses(t, `relax.backend.patterns.make_fused_bias_activation_pattern("relax.nothing")`, "relax.nothing")
	refuses(t, `relax.backend.patterns.make_residual_block_pattern(1)`, "make_residual_block_pattern: expected a pattern")
	refuses(t, `relax.backend.register_patterns([("a", 1)])`, "register_patterns: a: expected a pattern")
	refuses(t, callbackModule+`relax.transform.FuseOpsByPattern(relax.backend.get_patterns_with_prefix("cublas.matmul"))(m)`, "cublas.matmul")
}
