package transform_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/dtype"
)

const negateKernel = `
@T.prim_func(private=True)
def negate(A: T.Buffer((T.int64(2),), "float32"), B: T.Buffer((T.int64(2),), "float32")):
    for i in range(T.int64(2)):
        with T.block("negate"):
            v = T.axis.spatial(T.int64(2), i)
            B[v] = T.float32(0) - A[v]
`

func TestFoldConstantPairs(t *testing.T) {
	const vector = `R.Tensor((2,), "float32")`
	negate := func(arg string) string { return "R.call_tir(cls.negate, (" + arg + ",), out_sinfo=" + vector + ")" }
	main := func(body string) string {
		return "\n@R.function\ndef main(x: " + vector + "):\n    cls = Module\n" + body
	}
	runPairs(t, transform.FoldConstant,
		pair{name: "local values become their uses", before: negateKernel + main(`
    with R.dataflow():
        a = R.const([1.0, 2.0], "float32")
        b = `+negate("a")+`
        c = `+negate("b")+`
        d = `+negate("x")+`
        e = (c, d)
        R.output(e)
    return e
`), after: negateKernel + main(`
    with R.dataflow():
        d = `+negate("x")+`
        e = (R.const([1.0, 2.0], "float32"), d)
        R.output(e)
    return e
`)},
		pair{name: "others do not", before: negateKernel + main(`
    a = R.const([1.0, 2.0], "float32")
    b = `+negate("a")+`
    c = `+negate(`R.const([1.0, 2.0], "float32")`)+`
    d = `+negate("c")+`
    return (b, d)
`), after: negateKernel + main(`
    a = R.const([1.0, 2.0], "float32")
    b = `+negate("a")+`
    c = R.const([-1.0, -2.0], "float32")
    d = `+negate("c")+`
    return (b, d)
`)},
		pair{name: "in branches", before: negateKernel + `
@R.function
def main(p: R.Tensor((), "bool"), x: ` + vector + `):
    cls = Module
    if p:
        a = ` + negate(`R.const([1.0, 2.0], "float32")`) + `
        r = a
    else:
        r = x
    return r
`, after: negateKernel + `
@R.function
def main(p: R.Tensor((), "bool"), x: ` + vector + `):
    if p:
        a = R.const([-1.0, -2.0], "float32")
        r = a
    else:
        r = x
    return r
`},
		pair{name: "operators", before: main(`
    with R.dataflow():
        a = R.add(R.const([1.0, 2.0], "float32"), R.const(1.0, "float32"))
        b = R.add(a, x)
        c = R.zeros(R.shape([2]), "float32")
        d = R.match_cast(a, ` + vector + `)
        e = R.add(d, c)
        f = R.split(a, 2, axis=0)
        g = R.shape_of(a)
        h = (b, e, f, g)
        R.output(h)
    return h
`), after: main(`
    with R.dataflow():
        b = R.add(R.const([2.0, 3.0], "float32"), x)
        c = R.zeros(R.shape([2]), "float32")
        d = R.match_cast(R.const([2.0, 3.0], "float32"), ` + vector + `)
        e = R.add(d, c)
        f = R.split(R.const([2.0, 3.0], "float32"), 2, axis=0)
        g = R.shape_of(R.const([2.0, 3.0], "float32"))
        h = (b, e, f, g)
        R.output(h)
    return h
`)},
		pair{name: "what has other arguments, or results of symbolic extents, or other functions", before: negateKernel + splitKernel + `
@T.prim_func(private=True)
def spread(A: T.Buffer((T.int64(2),), "float32"), b: T.handle):
    n = T.int64()
    B = T.match_buffer(b, (n,))
    for i in range(n):
        with T.block("spread"):
            v = T.axis.spatial(n, i)
            B[v] = A[T.int64(0)]

@T.prim_func(private=True)
def pick(A: T.Buffer((T.int64(2),), "float32"), B: T.Buffer((T.int64(1),), "float32"), n: T.int64):
    B[T.int64(0)] = A[n]

@R.function
def main(s: R.Shape(["n"])):
    n = T.int64()
    cls = Module
    a = R.call_tir(cls.spread, (R.const([1.0, 2.0], "float32"),), out_sinfo=R.Tensor((n,), "float32"))
    b = R.call_tir(cls.pick, (R.const([1.0, 2.0], "float32"),), out_sinfo=R.Tensor((1,), "float32"), tir_vars=R.shape([1]))
    c = R.call_tir(cls.split, (R.const([1.0, 2.0, 3.0, 4.0], "float32"),), out_sinfo=[R.Tensor((2,), "float32"), R.Tensor((2,), "float16")])
    d = R.call_dps_packed("f", (R.const([1.0, 2.0], "float32"),), out_sinfo=R.Tensor((2,), "float32"))
    e = R.broadcast_to(R.const([1.0], "float32"), R.shape([n]))
    return (a, b, c, d, e)
`},
		pair{name: "no evaluator", opts: []pass.ContextOption{pass.WithEvaluator(nil)}, before: negateKernel + main(`
    c = `+negate(`R.const([1.0, 2.0], "float32")`)+`
    return c
`)},
	)
}

// counter is an evaluator that notes what it is asked, and yields zeros or fails.
type counter struct {
	kernels []*tir.PrimFunc
	fails   bool
}

func (c *counter) Eval(_ context.Context, fn *tir.PrimFunc, _ []*ir.Blob, outs []pass.TensorType) ([]*ir.Blob, error) {
	c.kernels = append(c.kernels, fn)
	if c.fails {
		return nil, errors.New("out of order")
	}
	b, err := ir.NewSplat(outs[0].DType, outs[0].Shape, make([]byte, outs[0].DType.Bytes()))
	return []*ir.Blob{b}, err
}

// spreadCalls is a module that makes a matrix of each of n constants.
func spreadCalls(n, rows, cols int) string {
	text := fmt.Sprintf(`
@T.prim_func(private=True)
def spread(A: T.Buffer((T.int64(2),), "float32"), B: T.Buffer((T.int64(%[1]d), T.int64(%[2]d)), "float32")):
    for i, j in T.grid(T.int64(%[1]d), T.int64(%[2]d)):
        with T.block("spread"):
            v, w = T.axis.remap("SS", [i, j])
            B[v, w] = A[T.int64(0)]

@R.function
def main():
    cls = Module
`, rows, cols)
	names := []string{}
	for i := range n {
		names = append(names, fmt.Sprintf("a%d", i))
		text += fmt.Sprintf("    a%d = R.call_tir(cls.spread, (R.const([%d.0, 9.0], \"float32\"),), out_sinfo=R.Tensor((%d, %d), \"float32\"))\n", i, i, rows, cols)
	}
	return text + "    return (" + strings.Join(names, ", ") + ",)\n"
}

// TestFoldingHasABudget: 2^14 elements for each result, and 2^24 steps in all.
func TestFoldingHasABudget(t *testing.T) {
	for _, c := range []struct {
		calls, rows, cols, folded int
		want                      string
	}{
		{1, 128, 128, 1, ""},
		{1, 128, 129, 0, "main: note: 1 constant values with 16512 elements were left to run time: they exceed the budget of 16384 elements each and 16777216 steps in all"},
		{1024, 128, 128, 1024, ""},
		{1025, 128, 128, 1024, "main: note: 1 constant values with 16384 elements were left to run time: they exceed the budget of 16384 elements each and 16777216 steps in all"},
		{2, 1, 1 << 21, 0, "main: note: 2 constant values with 4194304 elements were left to run time: they exceed the budget of 16384 elements each and 16777216 steps in all"},
	} {
		asked := &counter{}
		pc := passtest.NewContext(pass.WithEvaluator(asked))
		runPass(t, pc, transform.FoldConstant, read(t, spreadCalls(c.calls, c.rows, c.cols)))
		said := ""
		for _, d := range pc.Diagnostics() {
			said += d.String()
		}
		if len(asked.kernels) != c.folded || said != c.want {
			t.Errorf("%d calls of %d by %d: %d are computed, want %d; it says %q, want %q", c.calls, c.rows, c.cols, len(asked.kernels), c.folded, said, c.want)
		}
	}
}

// TestFoldingComputesOnce: equal kernels of equal constants are computed once.
func TestFoldingComputesOnce(t *testing.T) {
	text := spreadCalls(2, 2, 2)
	for from, want := range map[string]int{"1.0, 9.0": 2, "0.0, 9.0": 1} {
		asked := &counter{}
		runPass(t, passtest.NewContext(pass.WithEvaluator(asked)), transform.FoldConstant, read(t, strings.Replace(text, "1.0, 9.0", from, 1)))
		if len(asked.kernels) != want {
			t.Errorf("with the second constant %s: %d computations, want %d", from, len(asked.kernels), want)
		}
	}
}

func TestFoldingReportsFailures(t *testing.T) {
	asked := &counter{fails: true}
	_, err := passtest.NewContext(pass.WithEvaluator(asked)).Run(transform.FoldConstant, read(t, spreadCalls(3, 2, 2)))
	if want := "in function main: variable a0: its kernel on constants: out of order"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("the error is %v, want one that ends in %s", err, want)
	}
	if len(asked.kernels) != 1 {
		t.Errorf("after a failure %d more are computed", len(asked.kernels)-1)
	}
	// A call that the verifier would refuse.
	b := newBuilder()
	x := f32in("x", 2)
	call := &relax.Call{Op: ir.NewOp("relax.add"), Args: []relax.Expr{weight(1, 2), weight(2, 3)}, SInfo: f32info(2)}
	b.main(vars(x), func() relax.Expr { return op.Relu(x) })
	m := b.module()
	relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) { b.(*relax.VarBinding).Value = call })
	_, err = passtest.NewContext().Run(transform.FoldConstant, m)
	if err == nil || !strings.Contains(err.Error(), "in function main: variable out: ") {
		t.Errorf("the error is %v", err)
	}
}

// TestFoldingSplats: a kernel that makes equal elements of equal elements is run for one of them, whatever the size.
func TestFoldingSplats(t *testing.T) {
	const loops = `
    for x0 in range(T.int64(4)):
        with T.block("b"):
            i = T.axis.spatial(T.int64(4), x0)
            `
	for _, c := range []struct {
		name, body string
		uniform    bool
		want       float64
	}{
		{"elementwise", loops + "C[i] = A[i] - B[i] * A[i]", true, 2 - 3*2},
		{"in another order", loops + "C[i] = A[T.int64(3) - i] + B[T.int64(0)]", true, 5},
		{"by position", loops + "C[i] = A[i] + T.Cast(\"float32\", i) * T.float32(0) + B[i]", false, 5},
		{"two blocks", loops + "C[i] = A[i]" + loops + "C[i] = A[i] + B[i]", false, 5},
		{"a reduction", `
    for x0, x1 in T.grid(T.int64(4), T.int64(4)):
        with T.block("b"):
            i, r = T.axis.remap("SR", [x0, x1])
            with T.init():
                C[i] = T.float32(0)
            C[i] = C[i] + A[r] * B[r]`, false, 24},
		{"of its own result", loops + "C[i] = A[i] + C[i] * T.float32(0) + B[i]", false, 5},
		{"no block", `
    for i in range(T.int64(4)):
        C[i] = A[i] + B[i]`, false, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, `@T.prim_func(private=True)
def kernel(A: T.Buffer((T.int64(4),), "float32"), B: T.Buffer((T.int64(4),), "float32"), C: T.Buffer((T.int64(4),), "float32")):`+c.body+`

@R.function
def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
    cls = Module
    z = R.call_tir(cls.kernel, (x, y), out_sinfo=R.Tensor((4,), "float32"))
    return z
`)
			f := ir.MustLookup[*relax.Function](m, "main")
			bound := relax.Bind(f, relax.Subst{Vars: map[*relax.Var]relax.Expr{f.Params[0]: splat(2, 4), f.Params[1]: splat(3, 4)}}).(*relax.Function)
			e := m.Edit()
			e.Set("main", bound)
			out := runPass(t, passtest.NewContext(), transform.FoldConstant, e.Done())
			var got *relax.Constant
			relax.EachBinding(ir.MustLookup[*relax.Function](out, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
				got, _ = b.BoundValue().(*relax.Constant)
			})
			if got == nil {
				t.Fatal("it is not folded")
			}
			if got.Data.DType() != dtype.Float32T || fmt.Sprint(got.Data.Shape()) != "[4]" {
				t.Errorf("it is %s%v", got.Data.DType(), got.Data.Shape())
			}
			for i := range int64(4) {
				one := must(ir.NewBlob(dtype.Float32T, nil, got.Data.Elem(i)))
				if want := ir.Float32Blob(nil, float32(c.want)); !one.Equal(want) {
					t.Errorf("element %d is %v, want %v", i, one.Bytes(), want.Bytes())
				}
			}
			if uniform := got.Data.IsSplat(); uniform != c.uniform {
				t.Errorf("it is a splat: %v", uniform)
			}
		})
	}
}
