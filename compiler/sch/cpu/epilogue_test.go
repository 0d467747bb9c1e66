package cpu_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/topi"
)

// left counts epilogues that are left to loops of their own.
type left struct{ n int }

func (l *left) Rewrite(string, ir.Node, ir.Node) {}
func (l *left) Took(string, ir.Node, string)     {}
func (l *left) Declined(_ string, _ ir.Node, why string) {
	if strings.Contains(why, "it evaluates a function") {
		l.n++
	}
}

// TestFunctionsBehindTiles: a function is not evaluated where sums take most registers.
func TestFunctionsBehindTiles(t *testing.T) {
	behind := func(name string, rows int) kernel {
		a, b := in("a", rows, 24), in("b", 24, 64)
		return kernel{args: []*te.Tensor{a, b, must(topi.Unary(name, must(topi.Matmul(a, b, topi.MatmulOpts{}))))}}
	}
	for _, c := range []struct {
		name    string
		rows    int
		spreads bool
		left    int
	}{
		{"exp", 29, true, 1}, {"sigmoid", 29, true, 1}, {"erf", 29, true, 1}, {"relu", 29, true, 0}, {"rsqrt", 29, true, 0}, {"exp", 1, true, 0}, {"exp", 29, false, 0},
	} {
		f := create(t, behind(c.name, c.rows))
		m := cpu.Machine{Lanes: 8, Registers: 32, L1: 1 << 15, L2: 1 << 20, Spreads: c.spreads}
		l := &left{}
		g, err := m.Schedule(f, nil, l)
		if err != nil {
			t.Fatal(err)
		}
		if l.n != c.left {
			t.Errorf("%s of %d rows, spreads %v: %d epilogues are left, want %d", c.name, c.rows, c.spreads, l.n, c.left)
		}
		k := behind(c.name, c.rows)
		want := run(t, f, k.arguments(t))
		compare(t, want, run(t, g, k.arguments(t)))
		back, _ := tirtest.Backwards(g)
		compare(t, want, run(t, back, k.arguments(t)))
	}
}
