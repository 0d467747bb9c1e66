package transform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
)

// TestDecisions runs passes and compares what they say of the places where a rule did not apply.
func TestDecisions(t *testing.T) {
	softmaxes := `
@R.function
def main(x: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
    with R.dataflow():
        a = R.nn.softmax(x)
        b = R.nn.relu(a)
        c = R.nn.softmax(b)
        R.output(c)
    return c
`
	views := `
@T.prim_func(private=True)
def view(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(6),), "float32")):
    for i, j in T.grid(T.int64(2), T.int64(3)):
        with T.block("view"):
            u, v = T.axis.remap("SS", [i, j])
            B[u * T.int64(3) + v] = A[u, v]

@T.prim_func(private=True)
def sized(a: T.handle, b: T.handle, n: T.int64):
    A = T.match_buffer(a, (T.int64(2), T.int64(3)))
    B = T.match_buffer(b, (T.int64(6),))
    for i, j in T.grid(T.int64(2), T.int64(3)):
        with T.block("view"):
            u, v = T.axis.remap("SS", [i, j])
            B[u * T.int64(3) + v] = A[u, v]

@R.function(private=True)
def other(x: R.Tensor((2, 3), "float32")) -> R.Tensor((6,), "float32"):
    return R.reshape(x, R.shape([6]))

@R.function
def main(x: R.Tensor((2, 3), "float32"), s: R.Shape(["n"])) -> R.Tensor((6,), "float32"):
    n = T.int64()
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.view, (x,), out_sinfo=R.Tensor((6,), "float32"))
        b = R.call_tir(cls.sized, (x,), out_sinfo=R.Tensor((6,), "float32"), tir_vars=R.shape([n]))
        c = R.call_tir(cls.other, (x,), out_sinfo=R.Tensor((6,), "float32"))
        d = R.call_tir(cls.view, (x,), out_sinfo=R.Tensor((6,), "float32"))
        e = R.call_tir(cls.sum, (a, b, c), out_sinfo=R.Tensor((6,), "float32"))
        R.output(d)
    return d
`
	single := pass.NewSequential("single", transform.LegalizeOps, transform.AnnotateTIROpPattern)
	grouped := pass.NewSequential("grouped", transform.LegalizeOps, transform.AnnotateTIROpPattern, transform.FuseOps)
	for _, c := range []struct {
		name    string
		p       *pass.Pass
		prepare *pass.Pass
		text    string
		want    []string
	}{
		{"a kernel in no group", transform.FuseTIR, grouped, softmaxes, []string{"join the kernels of a group: c: FuseOps left the kernel in no group"}},
		{"no groups", transform.FuseTIR, single, softmaxes, []string{
			"join the kernels of a group: a: FuseOps left the kernel in no group",
			"join the kernels of a group: b: FuseOps left the kernel in no group",
			"join the kernels of a group: c: FuseOps left the kernel in no group",
		}},
		{"what is returned is not freed", transform.KillAfterLastUse, nil, killMain + `
    a = t[0]
    b = R.add(a, a)
    return b
`, []string{"free after the last use: b: it is the result, or a part of it"}},
		{"no view", transform.RewriteDataflowReshape, nil, views, []string{
			"make a view of a copy: c: the kernel is not a PrimFunc of the module",
			"make a view of a copy: d: the result leaves its dataflow block, so it needs memory of its own",
		}},
		{"classified before", transform.AnnotateTIROpPattern, single, softmaxes, []string{
			"classify by accesses: kernel: it has an op_pattern already",
			"classify by accesses: kernel: it has an op_pattern already",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, c.text)
			if c.prepare != nil {
				m = runPass(t, passtest.NewContext(), c.prepare, m)
			}
			var l passtest.Listener
			runPass(t, passtest.NewContext(pass.Observe(&l)), c.p, m)
			var got []string
			for _, d := range l.Decisions {
				if !d.Taken {
					got = append(got, d.Rule+": "+nameOf(d.Place)+": "+d.Reason)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// nameOf is the name of the variable at a place, or the first line of what stands there.
func nameOf(n ir.Node) string {
	switch n := n.(type) {
	case relax.Binding:
		return n.Bound().Name
	case *relax.Var:
		return n.Name
	case *tir.PrimFunc:
		return "kernel"
	}
	line, _, _ := strings.Cut(strings.TrimSpace(script.Node(n, script.Options{})), "\n")
	return line
}
