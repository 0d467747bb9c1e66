package lower_test

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
)

// newBuilder returns a builder of an empty function of the toy target, and its registers.
func newBuilder(ptr int, maxOffset int64) (*toyGen, *lower.Region) {
	g := &toyGen{vars: map[*tir.Var]*lower.Node{}, sums: map[*tir.Var]bool{}, regs: &registers{}}
	g.Builder = lower.NewBuilder(toy(ptr, maxOffset), g, g.regs.make, g.regs.typeOf)
	g.Effects = lower.Scan(tir.NoOp(), lower.ScanOptions{Step: func() {}, Callee: func(*tir.Call) bool { return false }})
	return g, g.Cur
}

// param is a value that nothing is known of, but its sign.
func (g *toyGen) param(t lower.Type, nonneg bool) (*lower.Node, lower.Reg) {
	r := g.NewReg("p", t)
	return g.Stable(r, g.Cur, nonneg), r
}

// result runs the graph so far, with registers set, and returns the value of n.
func (g *toyGen) result(root *lower.Region, n *lower.Node, regs map[lower.Reg]int64) (int64, *machineState) {
	out := g.NewReg("out", n.Type)
	g.Add(lower.Item{Kind: lower.ItemSet, Reg: out, Args: []*lower.Node{n}})
	s := execute(root, nil, regs)
	return regs[out], s
}
