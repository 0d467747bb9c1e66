package starpass_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// panicked returns the panic behind an error, "" if there is none.
func panicked(err error) string {
	var pe *starpass.PanicError
	var fe *pass.Error
	switch {
	case errors.As(err, &pe):
		return pe.Error() + "\n" + pe.Stack
	case errors.As(err, &fe) && fe.Stack != "":
		return fe.Error() + "\n" + fe.Stack
	}
	return ""
}

var smallLimits = starpass.Limits{Steps: 200_000, Memory: 16 << 20, Output: 1 << 16}

// FuzzScript runs any text as a script: it must end, without a panic.
func FuzzScript(f *testing.F) {
	for _, e := range starpass.Examples() {
		f.Add(e.Source)
	}
	for _, s := range []string{
		reluToGelu + "\ndef main(mod): return ReluToGelu()(mod)\n", "def f():\n    try:\n        return 1\n    finally:\n        f'{f!r:>3}'\nf()",
		"class A(PyExprVisitor):\n    def visit_expr(self, e): super().visit_expr(e)\nA().visit_expr(mod['main'])", "with PassContext(opt_level=3) as c: c.override_instruments([PrintAfterAll()])",
		"A = te.placeholder((4, 4))\nk = te.reduce_axis((0, 4))\nprint(te.create_prim_func([A, te.compute((4,), lambda i: te.sum(A[i, k], axis=k))]))", "topi.softmax(topi.add(te.placeholder((2,)), 1.0))",
		"bb = relax.BlockBuilder()\nwith bb.function('f', mod['main'].params):\n    bb.emit_func_output(bb.emit_te(topi.nn.relu, mod['main'].params[0]))", "tir.stmt_functor.ir_transform(mod['double'].body, None, lambda n: n)",
		hooks("a", "should_run"), "def main(mod): return transform.FuseOps(fuse_opt_level=1)(mod)",
		"x = [i * i for i in range(10) if i % 2]\nprint({k: v for k, v in zip('ab'.elems(), x)})",
		"def main(mod):\n    return mod.update('double', replace(mod['double'], body=tir.Evaluate(1)))",
	} {
		f.Add(s)
	}
	m := module(f, relaxText)
	f.Fuzz(func(t *testing.T, source string) {
		_, _, err := run(t, source, m, smallLimits)
		if p := panicked(err); p != "" {
			t.Error(p)
		}
	})
}

// parts are expressions of scripts that make nodes, by what they make: loop-level expressions
// (E), statements (S), variables (V) and buffers (B), graph-level expressions (X), variables
// (W), struct info (I), functions of both levels (F, P), and anything (A). A letter in braces
// stands for a part of that sort.
var parts = map[byte][]string{
	'E': {
		"0", "1.5", "True", "tir.IntImm('int64', 3)", "tir.FloatImm('float16', 0.5)", "{V}", "{E} + {E}", "{E} // {E}", "-{E}", "tir.Add({E}, {E})",
		"tir.LT({E}, {E})", "tir.And({E}, {E})", "tir.Not({E})", "tir.Min({E}, {E})", "tir.FloorMod({E}, {E})", "tir.Cast('float32x4', {E})",
		"tir.Select({E}, {E}, {E})", "tir.BufferLoad({B}, [{E}])", "tir.BufferLoad({B}, [{E}, {E}])", "tir.BufferLoad({B}, [])", "tir.Ramp({E}, {E}, 4)",
		"tir.Broadcast({E}, 4)", "tir.Let({V}, {E}, {E})", "tir.Call('float32', 'tir.exp', [{E}])", "tir.Call('int32', 'tir.if_then_else', [{E}])",
		"tir.Call('handle', mod.get_global_var('double'), [{E}])", "tir.Shuffle([{E}, {E}], [{E}])", "tir.StringImm('x')", "replace({E}, a={E})",
		"mod['double'].body.block.body.body.block.body.value", "replace({E}, indices=[{E}])", "replace({E}, dtype='bool')", "{E} < {E}", "{E} == {E}", "{A}",
	},
	'S': {
		"tir.Evaluate({E})", "tir.For({V}, {E}, {E}, 'serial', {S})", "tir.For({V}, 0, 4, 'thread_binding', {S}, thread=tir.IterVar(tir.Range(0, 4), {V}, 'thread', 'threadIdx.x'))",
		"tir.BufferStore({B}, {E}, [{E}])", "tir.BufferStore({B}, {E}, [])", "tir.IfThenElse({E}, {S}, {S})", "tir.SeqStmt([{S}, {S}])", "tir.SeqStmt([])", "tir.While({E}, {S})",
		"tir.LetStmt({V}, {E}, {S})", "tir.AssertStmt({E}, 'no', {S})", "tir.AttrStmt({E}, 'key', {E}, {S})", "tir.AttrStmt(None, 'key', {E}, {S})", "tir.Allocate({V}, 'float32', [{E}], True, {S})",
		"tir.AllocateConst({V}, 'float32', [1], relax.const([1.5]).data, {S})", "tir.DeclBuffer({B}, {S})", "tir.BufferRealize({B}, [tir.Range({E}, {E})], {E}, {S})",
		"tir.Block(name='b', body={S}, alloc_buffers=[{B}], iter_vars=[tir.IterVar(tir.Range({E}, {E}), {V}, 'spatial')], reads=[tir.BufferRegion({B}, [])], match_buffers=[tir.MatchBufferRegion({B}, tir.BufferRegion({B}, [tir.Range(0, {E})]))])",
		"tir.BlockRealize([{E}], {E}, tir.Block(name='c', body={S}))", "mod['double'].body", "replace({S}, body={S})", "replace({S}, kind='parallel')", "{A}",
	},
	'V': {"tir.Var('v', 'int32')", "tir.Var('p', 'handle')", "tir.SizeVar('n', 'int64')", "mod['double'].params[0]", "mod['double'].body.block.body.loop_var"},
	'B': {"mod['double'].buffers[0]", "tir.Buffer({V}, 'float32', [{E}], name='c')", "tir.Buffer({V}, 'int8', [], strides=[{E}], elem_offset={E}, name='b')"},
	'X': {
		"{W}", "1", "'s'", "relax.const([[1, 2], [3, 4]])", "relax.const(True)", "R.add({X}, {X})", "R.nn.softmax({X}, axis=7)", "R.reshape({X}, [{E}, 2])", "R.concat([{X}, {X}], axis=0)",
		"R.call_tir({X}, [{X}], sinfo_args=[{I}])", "R.call_tir(mod.get_global_var('double'), [{X}], sinfo_args=[{I}])", "relax.Call({X}, [{X}])", "relax.Call(mod.get_global_var('main'), [{X}, {X}])",
		"relax.Call(op('relax.matmul'), [{X}], {'out_dtype': 'float32'})", "relax.Tuple([{X}, {X}])", "relax.Tuple([])", "relax.TupleGetItem({X}, 1)", "relax.If({X}, {X}, {X})",
		"relax.ShapeExpr([{E}])", "relax.PrimValue({E})", "relax.StringImm('x')", "relax.DataTypeImm('int8')", "relax.ExternFunc('f')", "{F}",
		"relax.SeqExpr([relax.BindingBlock([relax.VarBinding({W}, {X})], dataflow=True)], {X})", "relax.SeqExpr([relax.BindingBlock([relax.MatchCast({W}, {X}, {I})])], {X})",
		"replace({X}, args=[{X}])", "replace({X}, cond={X})", "op('relax.add')", "{A}",
	},
	'W': {"relax.Var('w', {I})", "relax.DataflowVar('d', {I})", "mod['main'].params[0]", "mod['main'].body.blocks[0].bindings[0].var", "replace({W}, name='z')"},
	'I': {
		"relax.TensorStructInfo([2, 3], 'float32')", "relax.TensorStructInfo([{E}, {V}], 'float32')", "relax.TensorStructInfo({X}, 'int64')", "relax.TensorStructInfo(ndim=2)", "relax.ObjectStructInfo()",
		"relax.PrimStructInfo('int64', {E})", "relax.ShapeStructInfo([{E}])", "relax.ShapeStructInfo(ndim=1)", "relax.TupleStructInfo([{I}, {I}])", "relax.FuncStructInfo([{I}], ret={I})",
	},
	'F': {"mod['main']", "relax.Function([{W}], {X}, {I})", "relax.Function([], {X}, {I}, pure=False)", "replace(mod['main'], body={X})"},
	'P': {"mod['double']", "tir.PrimFunc([{V}], [{B}], body={S})", "tir.PrimFunc([{V}, {V}], [None, {B}], body={S}, ret_type='int32')", "replace(mod['double'], body={S})"},
	'A': {"{E}", "{S}", "{X}", "{I}", "{F}", "{P}", "{B}", "None", "[]", "'x'", "mod"},
}

// uses are what is done with a node v of each sort.
var uses = []string{
	"print(v, type(v), v.dtype)", "v.struct_info", "[getattr(v, n) for n in dir(v)]", "print(structural_hash(v), structural_equal(v, replace(v)), path_of(v, v))",
	"visitor({'Var': lambda self, n: n})(v)", "mutator({'IntImm': lambda self, n: tir.IntImm('int64', 7)})(v)", "mutator({'Var': lambda self, n: relax.const(1.5), 'Add': lambda self, n: n.a})(v)",
	"i = mod['double'].body.block.body.loop_var; print(v < i, v == i, i != v, v >= 2)",
	"i = mod['double'].body.block.body.loop_var; arith.solve_linear_inequalities([v, i * 2 < v], [i], {i: tir.Range(v, 4)})",
	"i = mod['double'].body.block.body.loop_var; arith.solve_linear_inequalities([v <= i], [i], deskew_range=True)",
	"i = mod['double'].body.block.body.loop_var; arith.deduce_bound(i, i * v < 3, {}, {i: arith.IntervalSet(v, None)})",
	"i = mod['double'].body.block.body.loop_var; arith.subspace_divide([v, v // 2], {i: tir.Range(0, 4)}, [i], v < 3)",
	"i = mod['double'].body.block.body.loop_var; arith.inverse_affine_iter_map(arith.detect_iter_map([v], {i: tir.Range(0, v)}, check_level=None).indices, [v])",
	"i = mod['double'].body.block.body.loop_var; print(arith.normalize_to_iter_sum(v, {i: tir.Range(0, 4)}), arith.iter_map_simplify([v], {i: tir.Range(v, v)}))",
	"i = mod['double'].body.block.body.loop_var; print(arith.detect_linear_equation(v, [i]), arith.detect_clip_bound(v, [i]), arith.IntSet.vector(v))",
	"i = mod['double'].body.block.body.loop_var; arith.estimate_region_upper_bound([tir.Range(v, v)], {i: tir.Range(0, v)}, True)",
	"m = arith.IterMark(v, 8); print(arith.IterSumExpr([arith.IterSplitExpr(m, 2, v, 3)], v), arith.int_solver.IntGroupBounds(2, [v], [v], [v]).find_best_range())",
	"def main(mod): return mod.update('main', v)", "def main(mod): return mod.update('double', v)", "def main(mod): print(mod.update('f', v).script())",
	"def main(mod): return module_pass(lambda m: m.update('f', v), opt_level=0, name='P')(mod)",
	"def main(mod): return module_pass(lambda m: m.update('f', relax.Function([], v, relax.ObjectStructInfo())), opt_level=0, name='P')(mod)",
	"def main(mod): return prim_func_pass(lambda f: replace(f, body=v), opt_level=0, name='P')(mod)",
	"def main(mod): return prim_func_pass(lambda f: replace(f, body=tir.Evaluate(v)), opt_level=0, name='P')(mod)",
	"def main(mod): return function_pass(mutator({'Call': lambda self, n: v}), opt_level=0, name='P')(mod)",
	"def main(mod): return function_pass(mutator({'VarBinding': lambda self, n: replace(n, value=v)}), opt_level=0, name='P')(mod)",
	"def main(mod): return function_pass(mutator({'If': lambda self, n: self.visit(v)}), opt_level=0, name='P')(mod)",
	"def main(mod): return prim_func_pass(mutator({'Add': lambda self, n: v}), opt_level=0, name='P')(mod)",
	"def main(mod): return prim_func_pass(mutator({'BufferStore': lambda self, n: v}), opt_level=0, name='P')(mod)",
	"def main(mod): return pipeline('zero')(mod.update('f', v))",
}

// TestRandomNodes builds nodes of all types from whatever there is, prints, walks, compares
// and changes them, and makes functions of them: what does not fit is an error, never a panic.
func TestRandomNodes(t *testing.T) {
	m := module(t, relaxText)
	seed.Check(t, func(t *rapid.T) {
		var draw func(sort byte, depth int) string
		draw = func(sort byte, depth int) string {
			list := parts[sort]
			if depth == 0 {
				list = list[:2]
			}
			s := rapid.SampledFrom(list).Draw(t, "part")
			for {
				i := strings.IndexByte(s, '{')
				for i >= 0 && (i+2 >= len(s) || s[i+2] != '}') { // a dictionary
					j := strings.IndexByte(s[i+1:], '{')
					if j < 0 {
						return s
					}
					i += 1 + j
				}
				if i < 0 {
					return s
				}
				if depth == 0 {
					return "0"
				}
				s = s[:i] + draw(s[i+1], depth-1) + s[i+3:]
			}
		}
		v := draw('A', 5)
		use := rapid.SampledFrom(uses).Draw(t, "use")
		source := "v = " + v + "\n" + use + "\n"
		_, _, err := run(t, source, m, smallLimits)
		if p := panicked(err); p != "" {
			t.Fatalf("%s\nof\n%s", p, source)
		}
	})
}
