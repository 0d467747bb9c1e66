package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// attrPrimitive marks functions that FuseOps made: each becomes one kernel.
const attrPrimitive = "Primitive"

// FuseOps groups kernels that should run as one.
var FuseOps = &pass.Pass{
	Name: "FuseOps", Kind: pass.Module,
	Doc: "Groups calls of kernels in a dataflow block into functions marked Primitive, by the patterns of the kernels: elementwise operations join what they follow, reductions take elementwise operations on their outputs. At fuse_opt_level 0 nothing is fused.",
	Options: []pass.Option{
		{Name: "fuse_opt_level", Default: -1, Doc: "level of fusion; -1 takes opt_level"},
	},
	Config: []string{"relax.FuseOps.max_depth"}, ReadsLevel: true,
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		warnNotLegalized(c, m, "FuseOps")
		level := c.Arg("fuse_opt_level").(int64)
		if level < 0 {
			level = int64(c.Level())
		}
		if level == 0 {
			return m, nil
		}
		maxDepth := int(c.ConfigInt("relax.FuseOps.max_depth"))
		e := m.Edit()
		d := newDistinct("FuseOps", m, e)
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok || f.Attrs.Has(attrPrimitive) {
				continue
			}
			c.Working(gv.Name)
			if err := c.Err(); err != nil {
				return nil, err
			}
			out, err := fuseFunction(c, m, d, f, maxDepth)
			if err != nil {
				return nil, err
			}
			e.Set(gv.Name, out)
		}
		c.Working("")
		return d.done(), nil
	},
}

func fuseFunction(c *pass.Context, m *ir.Module, d *distinct, f *relax.Function, maxDepth int) (*relax.Function, error) {
	mu := op.NewExprMutator(m)
	over := overwritesOf(f)
	mu.Block = func(b *relax.BindingBlock) {
		if !b.Dataflow {
			mu.VisitBlock(b)
			return
		}
		nodes := fuseGraph(m, b, over)
		postDominate(nodes)
		partition(nodes, maxDepth)
		reportApart(c, nodes, maxDepth)
		mu.InBlock(b, func() {
			for _, x := range fuseBlock(c, m, d, b, nodes) {
				mu.EmitNormalized(x)
			}
		})
	}
	return mu.Function(f)
}

// fuseBlock returns the bindings of a block after fusion: each group of two or more nodes becomes a call of a new
// function at the place of its last node.
func fuseBlock(ctx *pass.Context, m *ir.Module, d *distinct, b *relax.BindingBlock, nodes []*fuseNode) []relax.Binding {
	for _, n := range nodes {
		g := n.group.root()
		if n.call == nil || g.size < 2 {
			continue
		}
		if g.members == nil {
			g.members = make([]*fuseNode, 0, g.size)
		}
		g.members = append(g.members, n)
	}
	calls := make([]relax.Binding, len(nodes)) // in the places of the last members
	for i, n := range nodes {
		g := n.group.root()
		if n.call == nil || len(g.members) < 2 || g.members[len(g.members)-1] != n {
			continue
		}
		call, ok := fusedCall(m, d, g.members)
		if !ok {
			g.apart = true
			ctx.Declined(ruleFuse, n.binding, "its group depends on symbolic extents that its arguments do not determine")
			continue
		}
		reportGroup(ctx, g.members, call)
		calls[i] = call
	}
	out := make([]relax.Binding, 0, len(nodes))
	for i, n := range nodes {
		g := n.group.root()
		switch {
		case n.call == nil || len(g.members) < 2 || g.apart:
			out = append(out, b.Bindings[i])
		case calls[i] != nil:
			out = append(out, calls[i])
		}
	}
	return out
}
