package starpass_test

import "testing"

// TestPatterns follows the cases of TVM's tests of patterns.
func TestPatterns(t *testing.T) {
	prints(t, `
from tvm import relax
from tvm.relax.dpl import is_op, wildcard, is_const, is_tuple, is_var, is_dfv, is_gv, has_attr, has_dtype, is_shape, is_call_tir, is_call_packed, ExternFuncPattern, FunctionPattern, TupleGetItemPattern
from tvm.relax.dpl.pattern import reject

m = parse('''
@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        a = R.matmul(x, w)
        b = R.add(a, R.const(1.0, "float32"))
        t = (a, b)
        c = t[1]
        d = R.permute_dims(c, axes=[1, 0])
        R.output(d)
    return d
''')
f = m["main"]
vals = relax.analysis.get_var2val(f)
v = {b.var.name_hint: b.var for b in f.body.blocks[0].bindings}
v["x"] = f.params[0]
def look(p, name): return p.match(v[name], var2val=vals)

mm = is_op("relax.matmul")(wildcard(), wildcard())
print([look(mm, n) for n in ["a", "b", "x"]], look(is_op("relax.add")(is_const(), mm), "b"))
print(look(is_var("x"), "x"), look(is_var("y"), "x"), look(is_dfv(), "a"), look(is_dfv(), "x"), look(is_gv("f"), "x"))
print(look(mm | is_const(), "a"), look(mm & has_dtype("float32"), "a"), look(mm & has_dtype("int64"), "a"), look(~mm, "a"), look(reject(mm), "x"))
print(look(wildcard().has_shape([2, 4]), "a"), look(wildcard().has_shape((4, 2)), "a"), look(mm.has_dtype("float32"), "a"))
print(look(wildcard().has_attr({"axes": [1, 0]}), "d"), look(has_attr({"axes": [0, 1]}), "d"))
tup = is_tuple([mm, wildcard()])
print(look(tup, "t"), look(tup[0], "c"), look(tup[1], "c"), look(tup[-1], "c"), look(tup[None], "c"), look(is_tuple([is_op("relax.add")(wildcard(), wildcard()), mm], unordered=True), "t"))
print(is_shape([1, 2]).match(relax.ShapeExpr([1, 2])), look(TupleGetItemPattern(tup, 1), "c"), look(FunctionPattern([], mm), "x"))
found = is_op("relax.add")(mm, is_const()).extract_matched_expr(v["b"], vals)
print(mm in found, found[mm].name_hint, is_const() in found, found.get(wildcard()), mm.extract_matched_expr(v["b"], vals))
print(mm == mm, mm == mm.dup(), {mm: 1}[mm], isinstance(mm, relax.dpl.DFPattern))
`, `
[True, False, False] True
True False True False False
True True False False True
True False True
True False
True False True True True True
True True False
True a False None None
True False 1 True`)
	prints(t, `
x, y = [relax.Var(s, relax.ShapeStructInfo(ndim=1)) for s in ["x", "y"]]
print(relax.dpl.is_var("x").match(x, var2val={x: y, y: x}), relax.dpl.is_const().match(x, var2val={x: x}))`, `True False`)
	refuses(t, `relax.dpl.is_op("relax.nothing")`, "is_op: there is no operator relax.nothing")
	refuses(t, `relax.dpl.is_tuple([relax.dpl.wildcard()])[1]`, "index 1 of a tuple pattern of 1 fields")
	refuses(t, `relax.dpl.wildcard()(1)`, "expected a pattern, got a value of type int")
	refuses(t, `relax.dpl.wildcard() | 1`, "unknown binary op")
	refuses(t, `relax.dpl.is_tuple([relax.dpl.wildcard() for i in range(9)], unordered=True)`, "at most 8 fields")
	refuses(t, `relax.dpl.wildcard().has_dtype("flot")`, "has_dtype: ")
	refuses(t, `relax.dpl.PatternContext(incremental=True)`, "an incremental context is made inside of another one")
	refuses(t, `relax.dpl.wildcard().match("x", var2val={1: 2})`, "var2val: expected a relax.Var")
}

func TestPatternContext(t *testing.T) {
	prints(t, `
from tvm.relax.dpl import PatternContext, is_call_dps_packed, is_var, wildcard, PatternSeq
def block(text):
    body = "\n".join(["        " + s for s in text.split("; ")])
    f = parse('@R.function\ndef main(x: R.Tensor((2, 2), "float32")):\n    with R.dataflow():\n' + body + "\n        R.output(o)\n    return o\n")["main"]
    return f.body.blocks[0]
def call(v, name, args): return v + ' = R.call_dps_packed("' + name + '", (' + args + ',), out_sinfo=R.Tensor((2, 2), "float32"))'
P = is_call_dps_packed

diamond = block("; ".join([call("m", "matmul", "x"), call("r", "relu", "m"), call("s", "sigmoid", "m"), call("o", "add", "r, s")]))
with PatternContext() as ctx:
    m, r, s, a = P("matmul"), P("relu"), P("sigmoid"), P("add")
    m.fork_to(r, s)
    r >> a
    s >> a
    found = ctx.match_dfb(diamond)
    print([found[p].name_hint for p in [m, r, s, a]])
with PatternContext() as ctx:
    m, r, s, a = P("matmul"), P("relu"), P("sigmoid"), P("add")
    m >> r
    m >> s
    r >> a
    s >> a
    print(ctx.match_dfb(diamond), PatternContext.current() == ctx)
with PatternContext() as ctx:
    chain = P("matmul") ^ P("relu") >> P("add")
    print(ctx.match_dfb(diamond)[chain[2]].name_hint, len(chain.patterns))
    with PatternContext(incremental=True) as inner:
        chain[1] ^ P("impossible")
        print(inner.match_dfb(diamond))
    print(bool(ctx.match_dfb(diamond)))
print(PatternContext.current())
small = block("; ".join([call("r", "relu", "x"), call("o", "add", "r, r")]))
with PatternContext() as ctx:
    fork, join = P("relu"), P("add")
    fork.only_used_by(join, index=0)
    fork.only_used_by(join, index=1)
    print(bool(ctx.match_dfb(small)), ctx.match_dfb(diamond))
two = block("; ".join([call("a", "conv", "x"), call("b", "relu", "a"), call("c", "conv", "x"), call("d", "relu", "c"), call("o", "concat", "b, d")]))
with PatternContext() as ctx:
    first = P("conv") >> P("relu")
    second = first.dup()
    is_var("x").fork_to(first, second)
    found = ctx.match_dfb(two)
    print([found[p].name_hint for p in first.patterns + second.patterns], first.patterns[0] != second.patterns[0])
`, `
["m", "r", "s", "o"]
None True
o 3
None
True
None
True None
["a", "b", "c", "d"] True`)
	refuses(t, `
from tvm.relax.dpl import PatternContext, wildcard
a, b = wildcard(), wildcard()
with PatternContext() as ctx:
    a >> b
    a >> b
`, "was said before")
}

// TestRewriteCall is the example of TVM's documents, the other way round too.
func TestRewriteCall(t *testing.T) {
	const start = `
from tvm import relax
from tvm.relax.dpl import is_op, wildcard, rewrite_call, rewrite_bindings, PatternContext, make_fused_bias_activation_pattern
m = parse('''
@R.function
def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32"), v: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        a = R.add(x, x)
        b = R.add(a, a)
        p = R.matmul(b, w)
        q = R.matmul(b, v)
        r = R.nn.relu(q)
        o = R.add(p, r)
        R.output(o)
    return o
''')
def ops(f): return [b.value.op.name for b in f.body.blocks[0].bindings if hasattr(b.value, "op")]
`
	prints(t, start+`
x = wildcard()
def twice(_, matchings): return R.multiply(matchings[x], relax.const(2.0, "float32"))
print(ops(rewrite_call(is_op("relax.add")(x, x), twice, m["main"])))
add = is_op("relax.add")(x, x)
def times4(_, matchings): return R.multiply(matchings[x], relax.const(4.0, "float32"))
print(ops(rewrite_call(is_op("relax.add")(add, add), times4, m["main"])))
print(rewrite_call(add, lambda orig, _: orig, m["main"]) == m["main"], rewrite_call(add, lambda orig, _: None, m["main"]) == m["main"])

@relax.transform.function_pass(opt_level=0)
def Twice(f, mod, ctx): return rewrite_call(is_op("relax.add")(x, x), twice, f)
print(ops(Twice(m)["main"]))
relu = make_fused_bias_activation_pattern("relax.matmul", activation="relax.nn.relu")
print("relax.nn.gelu" in ops(rewrite_call(relu, lambda orig, _: R.nn.gelu(orig.args[0]), m["main"])))
`, `
["relax.multiply", "relax.multiply", "relax.matmul", "relax.matmul", "relax.nn.relu", "relax.add"]
["relax.multiply", "relax.matmul", "relax.matmul", "relax.nn.relu", "relax.add"]
True True
["relax.multiply", "relax.multiply", "relax.matmul", "relax.matmul", "relax.nn.relu", "relax.add"]
True`)
	prints(t, start+`
with PatternContext() as ctx:
    inp, w1, w2 = wildcard(), wildcard(), wildcard()
    matmul1 = is_op("relax.matmul")(inp, w1)
    matmul2 = is_op("relax.matmul")(inp, w2)
def both(matchings, bindings):
    print(bindings[matchings[matmul1]].op.name, matchings[inp] in bindings, matchings[w1].name_hint)
    concat = R.concat([matchings[w1], matchings[w2]], axis=1)
    matmul = R.matmul(matchings[inp], concat)
    left = R.strided_slice(matmul, axes=[1], begin=[0], end=[4])
    right = R.strided_slice(matmul, axes=[1], begin=[4], end=[8])
    return {matchings[matmul1]: left, matchings[matmul2]: right}
print(ops(rewrite_bindings(ctx, both, m["main"])))
print(rewrite_bindings(ctx, lambda m, b: {}, m["main"]) == m["main"])
`, `
relax.matmul True w
["relax.add", "relax.add", "relax.concat", "relax.matmul", "relax.strided_slice", "relax.strided_slice", "relax.nn.relu", "relax.add"]
True`)
	refuses(t, start+`rewrite_call(is_op("relax.add")(wildcard(), wildcard()), lambda a, b: {}, m["main"])`, "the rewriter returned")
	refuses(t, start+`rewrite_call(is_op("relax.add")(wildcard(), wildcard()), lambda a, b: fail("no"), m["main"])`, "no")
	refuses(t, start+`rewrite_call(is_op("relax.nn.relu")(wildcard()), lambda orig, _: R.nn.relu(orig), m["main"])`, "more than 10000 rewrites")
	refuses(t, start+`rewrite_bindings(1, lambda a, b: {}, m["main"])`, "expected a PatternContext, got a value of type int")
	refuses(t, start+`
with PatternContext() as ctx:
    is_op("relax.add")(wildcard(), wildcard())
rewrite_bindings(ctx, lambda a, b: {1: 2}, m["main"])`, "rewrite_bindings: expected a relax.Var")
}
