package starpass_test

import "testing"

const relayHead = `
import tvm
from tvm import relay
from tvm.relay import transform, analysis
from tvm.relay.testing import run_opt_pass
from tvm.relay.testing.temp_op_attr import TempOpAttr

def conv(weight=None):
    x = relay.var("x", shape=(1, 16, 8, 8))
    w = weight or relay.var("w")
    return relay.nn.relu(relay.nn.conv2d(x, w, channels=16, kernel_size=(3, 3), padding=(1, 1)))
`

// TestRelayFunctions: expressions of Relay become functions, whose nodes are bound once, and weights get the type that operators ask for.
func TestRelayFunctions(t *testing.T) {
	prints(t, relayHead+`
x = relay.var("x", shape=(2, 3))
y = relay.exp(x)
f = relay.Function([x], (y + y) * relay.const(2.0))
print(f)
g = relay.Function(analysis.free_vars(conv()), conv())
w = relay.var("w")
y = conv(w)
print([p.name_hint for p in analysis.free_vars(y)], w.struct_info)
print(relay.Tuple([y])[0].same_as(y), relay.split(x, indices_or_sections=3, axis=1)[2].struct_info)
m = tvm.IRModule.from_expr(relay.concatenate([x, x], axis=1))
print(m["main"].ret_struct_info)
# nodes have no order
a, b = relay.exp(x), relay.log(x)
tvm.ir.assert_structural_equal(relay.Function([x], relay.Tuple([a, b * a])), relay.Function([x], relay.Tuple([a, b * a])))
`, `
@R.function(private=True)
def func(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
    with R.dataflow():
        gv: R.Tensor((2, 3), dtype="float32") = R.exp(x)
        gv1: R.Tensor((2, 3), dtype="float32") = R.add(gv, gv)
        gv2: R.Tensor((2, 3), dtype="float32") = R.multiply(gv1, R.const(2.0, "float32"))
        R.output(gv2)
    return gv2
["x", "w"] R.Tensor((16, 16, 3, 3), dtype="float32")
True R.Tensor((2, 1), dtype="float32")
R.Tensor((2, 6), dtype="float32")`)
	refuses(t, relayHead+`relay.nn.conv2d(relay.var("x", shape=(1, 2, 3, 4)), relay.var("w"), size=3)`, "nn.conv2d has no attribute size; it has strides, padding")
	refuses(t, relayHead+`relay.exp(relay.var("x", shape=(2,)), 1)`, "exp: too many arguments")
	refuses(t, relayHead+`relay.add(relay.var("x", shape=(2,)), relay.var("y", shape=(3,)))`, "add")
	refuses(t, relayHead+`relay.var("x", relay.TensorType((2,)), shape=(2,))`, "both a type and a shape")
}

// TestLegalizeRules are rules of the script for relay.transform.Legalize, as TVM's tests write them.
func TestLegalizeRules(t *testing.T) {
	prints(t, relayHead+`
def legalize(attrs, inputs, types):
    data, weight = inputs
    print(attrs["kernel_size"], attrs.channels, attrs.get_int("groups"), len(types), types[2])
    return relay.nn.conv2d(data, relay.multiply(weight, relay.const(2.0, "float32")), **attrs)

def expected():
    x = relay.var("x", shape=(1, 16, 8, 8))
    w = relay.var("w", shape=(16, 16, 3, 3))
    y = relay.nn.conv2d(x, relay.multiply(w, relay.const(2.0, "float32")), channels=16, kernel_size=(3, 3), padding=(1, 1))
    return relay.Function([x, w], relay.nn.relu(y))

f = relay.Function(analysis.free_vars(conv()), conv())
y = conv()
f = relay.Function(analysis.free_vars(y), y)
with TempOpAttr("nn.conv2d", "FTVMLegalize", legalize):
    g = run_opt_pass(f, transform.Legalize())
tvm.ir.assert_structural_equal(g, expected())
tvm.ir.assert_structural_equal(run_opt_pass(f, transform.Legalize()), f)
with TempOpAttr("nn.relu", "FTVMLegalize", lambda attrs, inputs, types: None):
    tvm.ir.assert_structural_equal(run_opt_pass(f, transform.Legalize()), f)

@tvm.ir.register_op_attr("nn.relu", "FTVMLegalize")
def relu(attrs, inputs, types):
    return relay.maximum(inputs[0], relay.const(0.0, "float32"))
print("maximum" in str(run_opt_pass(f, transform.Legalize())))
`, `
[3, 3] 16 1 3 R.Tensor((1, 16, 8, 8), dtype="float32")
True`)
	refuses(t, relayHead+`tvm.ir.register_op_attr("nn.relu", "FTVMCompute", lambda a, b, c: None)`, "the attribute of operators that scripts can set is FTVMAlterOpLayout, FTVMLegalize or FTVMQnnLegalize, got FTVMCompute")
	refuses(t, relayHead+`TempOpAttr("nn.nothing", "FTVMLegalize", lambda a, b, c: None)`, `Relay has no operator "nn.nothing" here`)
	refuses(t, relayHead+`TempOpAttr("nn.relu", "FTVMLegalize", 1)`, "the rule of nn.relu is a function, got")
	bad := func(body string) string {
		return relayHead + "def rule(attrs, inputs, types):\n    " + body + "\ny = conv()\nwith TempOpAttr('nn.relu', 'FTVMLegalize', rule):\n    run_opt_pass(relay.Function(analysis.free_vars(y), y), transform.Legalize())\n"
	}
	refuses(t, bad("return 'x' + 1"), "unknown binary op")
	refuses(t, bad("return attrs.nothing"), "nothing")
	refuses(t, bad("x = inputs[0]\n    for i in range(60):\n        x = x * x\n    return x"), "")
}

// TestAlterOpLayoutRules are rules of the script for relay.transform.AlterOpLayout.
func TestAlterOpLayoutRules(t *testing.T) {
	prints(t, relayHead+`
def alter(attrs, inputs, tinfos, out_type):
    data, weight = inputs
    new_attrs = dict(attrs)
    new_attrs["data_layout"] = "NCHW8c"
    new_attrs["kernel_layout"] = "OIHW8i"
    return relay.nn.conv2d(data, weight, **new_attrs)

def expected():
    x = relay.var("x", shape=(1, 16, 8, 8))
    w = relay.var("w", shape=(16, 16, 3, 3))
    y = relay.layout_transform(x, "NCHW", "NCHW8c")
    v = relay.layout_transform(w, "OIHW", "OIHW8i")
    y = relay.nn.conv2d(y, v, channels=16, kernel_size=(3, 3), padding=(1, 1), kernel_layout="OIHW8i", data_layout="NCHW8c")
    y = relay.layout_transform(relay.nn.relu(y), "NCHW8c", "NCHW")
    return relay.Function(analysis.free_vars(y), y)

y = conv()
f = relay.Function(analysis.free_vars(y), y)
with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", alter):
    g = run_opt_pass(f, [transform.CanonicalizeOps(), transform.AlterOpLayout()])
tvm.ir.assert_structural_equal(g, expected())

def scaled(attrs, inputs, tinfos, out_type): # operands may change, too
    data, weight = inputs
    return relay.nn.conv2d(data, relay.multiply(weight, relay.const(2.0, "float32")), **attrs)
with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", scaled):
    h = run_opt_pass(f, transform.AlterOpLayout())
x, w = relay.var("x", shape=(1, 16, 8, 8)), relay.var("w", shape=(16, 16, 3, 3))
y = relay.nn.relu(relay.nn.conv2d(x, relay.multiply(w, relay.const(2.0, "float32")), channels=16, kernel_size=(3, 3), padding=(1, 1)))
tvm.ir.assert_structural_equal(h, relay.Function([x, w], y))
print("done")
`, `
done`)
	refuses(t, relayHead+`
def alter(attrs, inputs, tinfos, out_type):
    return relay.nn.relu(inputs[0])
y = conv()
with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", alter):
    run_opt_pass(relay.Function(analysis.free_vars(y), y), transform.AlterOpLayout())
`, "the rule of nn.conv2d returns a call of 1 operands, expected 2 as before")
}

// TestPassesOfRelayTutorial is a pass of TVM's tutorial on passes of Relay.
func TestPassesOfRelayTutorial(t *testing.T) {
	prints(t, `
import tvm
import tvm.relay as relay

def example():
    c = relay.const(0.5, "float32", (1, 4, 4, 4))
    weight = relay.var("weight", shape=(4, 4, 3, 3))
    x = relay.var("x", relay.TensorType((1, 4, 6, 6), "float32"))
    conv = relay.nn.conv2d(x, weight)
    y = relay.add(c, c)
    y = relay.multiply(y, relay.const(2, "float32"))
    y = relay.add(conv, y)
    z = relay.add(y, c)
    z1 = relay.add(y, c)
    z2 = relay.add(z, z1)
    return relay.Function([x, weight], z2)

mod = tvm.IRModule.from_expr(example())
seq = tvm.transform.Sequential([relay.transform.FoldConstant(), relay.transform.EliminateCommonSubexpr(), relay.transform.FuseOps(fuse_opt_level=2)])
adds = lambda m: str(m["main"]).count("R.add(")
print(adds(mod), adds(seq(mod)))
with tvm.transform.PassContext(opt_level=3):
    print(adds(seq(mod)))
with tvm.transform.PassContext(opt_level=3, disabled_pass=["EliminateCommonSubexpr"]):
    print(adds(seq(mod)))

@relay.transform.function_pass(opt_level=1)
class CustomPipeline:
    """Simple test function to replace one argument to another."""

    def __init__(self, multiplier):
        self.multiplier = multiplier

    # This function can define a pass.
    def transform_function(self, func, mod, ctx):
        obj = self

        class ReplaceConstant(tvm.relay.ExprMutator):
            def visit_constant(self, c):
                return relay.multiply(obj.multiplier, c)

        return ReplaceConstant().visit(func)

custom_pass = CustomPipeline(multiplier=relay.const(3, "float32"))
assert custom_pass.info.name == "CustomPipeline"
print(str(custom_pass(mod)["main"]).count("R.multiply("))
`, `
5 4
3
4
3`)
}
