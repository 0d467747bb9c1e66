package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/transform"
)

func TestDecomposeOpsPairs(t *testing.T) {
	const norm = `
@R.function
def main(x: R.Tensor((2, 3, 4), "float32"), gamma: R.Tensor((3,), "float32"), beta: R.Tensor((3,), "float32"), mean: R.Tensor((3,), "float32"), variance: R.Tensor((3,), "float32")) -> R.Tensor((2, 3, 4), "float32"):
    with R.dataflow():
        bn = R.nn.batch_norm(x, gamma, beta, mean, variance, axis=1, epsilon=0.001)
        y = bn[0]
        R.output(y)
    return y
`
	const normAfter = `
@R.function
def main(x: R.Tensor((2, 3, 4), "float32"), gamma: R.Tensor((3,), "float32"), beta: R.Tensor((3,), "float32"), mean: R.Tensor((3,), "float32"), variance: R.Tensor((3,), "float32")) -> R.Tensor((2, 3, 4), "float32"):
    with R.dataflow():
        bn_var = R.add(variance, R.const(0.001, "float32"))
        bn_std = R.sqrt(bn_var)
        bn_scale = R.divide(gamma, bn_std)
        bn_shift = R.multiply(mean, bn_scale)
        bn_bias = R.subtract(beta, bn_shift)
        bn_scale_nd = R.expand_dims(bn_scale, axis=[0, 2])
        bn_scaled = R.multiply(x, bn_scale_nd)
        bn_bias_nd = R.expand_dims(bn_bias, axis=[0, 2])
        bn_out = R.add(bn_scaled, bn_bias_nd)
        bn = (bn_out, mean, variance)
        y = bn[0]
        R.output(y)
    return y
`
	runPairs(t, transform.DecomposeOps,
		pair{name: "nothing of the kind", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    z = R.match_cast(y, R.Tensor((2,), "float32"))
    w = (z, z)
    v = w[0]
    return v
`},
		pair{name: "a normalisation", before: norm, after: normAfter},
		pair{name: "the only function to work on", before: norm, args: ir.NewAttrs("func_name", "main"), after: normAfter},
		pair{name: "another function to work on", before: norm, args: ir.NewAttrs("func_name", "other")},
		pair{name: "without scale and centre, of the last axis, outside dataflow, of names that are taken", before: `
@R.function
def main(x: R.Tensor((2, 3), "float32"), gamma: R.Tensor((3,), "float32"), beta: R.Tensor((3,), "float32"), bn_std: R.Tensor((3,), "float32"), variance: R.Tensor((3,), "float32")):
    bn = R.nn.batch_norm(x, gamma, beta, bn_std, variance, axis=-1, center=False, scale=False)
    return bn
`, after: `
@R.function
def main(x: R.Tensor((2, 3), "float32"), gamma: R.Tensor((3,), "float32"), beta: R.Tensor((3,), "float32"), bn_std: R.Tensor((3,), "float32"), variance: R.Tensor((3,), "float32")):
    bn_var = R.add(variance, R.const(0.00001, "float32"))
    bn_std1 = R.sqrt(bn_var)
    bn_scale = R.divide(R.const(1.0, "float32"), bn_std1)
    bn_shift = R.multiply(bn_std, bn_scale)
    bn_bias = R.negative(bn_shift)
    bn_scale_nd = R.expand_dims(bn_scale, axis=[0])
    bn_scaled = R.multiply(x, bn_scale_nd)
    bn_bias_nd = R.expand_dims(bn_bias, axis=[0])
    bn_out = R.add(bn_scaled, bn_bias_nd)
    bn = (bn_out, bn_std, variance)
    return bn
`},
		pair{name: "halves, with parameters that are none", before: `
@R.function
def main(x: R.Tensor((2, 3), "float16"), gamma: R.Tensor((3,), "float16"), beta: R.Tensor((3,), "float16"), mean: R.Tensor((3,), "float16"), variance: R.Tensor((3,), "float16")):
    bn = R.nn.batch_norm(x, gamma, beta, mean, variance, axis=1, epsilon=0.5)
    return bn
`, after: `
@R.function
def main(x: R.Tensor((2, 3), "float16"), gamma: R.Tensor((3,), "float16"), beta: R.Tensor((3,), "float16"), mean: R.Tensor((3,), "float16"), variance: R.Tensor((3,), "float16")):
    bn_var_wide = R.astype(variance, dtype="float32")
    bn_var = R.add(bn_var_wide, R.const(0.5, "float32"))
    bn_std = R.sqrt(bn_var)
    bn_gamma_wide = R.astype(gamma, dtype="float32")
    bn_scale = R.divide(bn_gamma_wide, bn_std)
    bn_mean_wide = R.astype(mean, dtype="float32")
    bn_shift = R.multiply(bn_mean_wide, bn_scale)
    bn_beta_wide = R.astype(beta, dtype="float32")
    bn_bias = R.subtract(bn_beta_wide, bn_shift)
    bn_x_wide = R.astype(x, dtype="float32")
    bn_scale_nd = R.expand_dims(bn_scale, axis=[0])
    bn_scaled = R.multiply(bn_x_wide, bn_scale_nd)
    bn_bias_nd = R.expand_dims(bn_bias, axis=[0])
    bn_out = R.add(bn_scaled, bn_bias_nd)
    bn_rounded = R.astype(bn_out, dtype="float16")
    bn = (bn_rounded, mean, variance)
    return bn
`},
		pair{name: "a tensor of unknown rank", before: `
@R.function
def main(x: R.Tensor("float32"), gamma: R.Tensor((3,), "float32"), beta: R.Tensor((3,), "float32"), mean: R.Tensor((3,), "float32"), variance: R.Tensor((3,), "float32")):
    bn = R.nn.batch_norm(x, gamma, beta, mean, variance, axis=1)
    return bn
`, err: `in function main: variable bn: batch_norm of a tensor of unknown rank: Tensor(ndim=?, "float32")`},
		pair{name: "a tensor as a shape", before: `
@R.function
def main(s: R.Tensor((2,), "int64"), x: R.Tensor("float32")):
    with R.dataflow():
        t = R.tensor_to_shape(s)
        y = R.reshape(x, t)
        R.output(y)
    u = R.tensor_to_shape(s)
    z = R.reshape(x, u)
    return (y, z)
`, after: `
@R.function
def main(s: R.Tensor((2,), "int64"), x: R.Tensor("float32")):
    t_0 = T.int64()
    t_1 = T.int64()
    u_0 = T.int64()
    u_1 = T.int64()
    with R.dataflow():
        t_read = R.call_pure_packed("vm.builtin.tensor_to_shape", s, sinfo_args=(R.Shape(ndim=2),))
        t = R.match_cast(t_read, R.Shape([t_0, t_1]))
        y: R.Tensor(t, "float32") = R.reshape(x, t)
        R.output(y)
    u_read = R.call_pure_packed("vm.builtin.tensor_to_shape", s, sinfo_args=(R.Shape(ndim=2),))
    u = R.match_cast(u_read, R.Shape([u_0, u_1]))
    z: R.Tensor(u, "float32") = R.reshape(x, u)
    return (y, z)
`},
		pair{name: "a tensor as a shape of unknown rank", before: `
@R.function
def main(s: R.Tensor("int64", ndim=1)):
    t = R.tensor_to_shape(s)
    return t
`},
		pair{name: "a tensor as a shape of rank 0", before: `
@R.function
def main(s: R.Tensor((0,), "int64")):
    t = R.tensor_to_shape(s)
    return t
`, after: `
@R.function
def main(s: R.Tensor((0,), "int64")):
    t_read = R.call_pure_packed("vm.builtin.tensor_to_shape", s, sinfo_args=(R.Shape([]),))
    t = R.match_cast(t_read, R.Shape([]))
    return t
`},
	)
}
