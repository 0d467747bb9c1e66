package transform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
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

// nameOf is the name of the variable at a place.
func nameOf(n ir.Node) string {
	switch n := n.(type) {
	case relax.Binding:
		return n.Bound().Name
	case *relax.Var:
		return n.Name
	}
	return ""
}
