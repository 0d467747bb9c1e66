package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// repeating returns a loop whose iterations run a block again for values of its variables for which it ran before; nil if there is none among
// loops, the innermost ones around it.
func repeating(r *tir.BlockRealize, loops []*tir.For) *tir.For {
	an := arith.NewAnalyzer()
	sums := arith.DetectIterMap(r.Values, ranges(loops), tir.Bool(true), arith.NoCheck, an, false).Indices // what holds of all points holds of some
	reach := map[*tir.Var]tir.Expr{}                                                                       // the product of the extents of what is used of a loop
	whole := map[*arith.IterMark]tir.Expr{}
	lost := len(sums) < len(r.Values)
	var use func(*arith.IterSum)
	use = func(sum *arith.IterSum) {
		for i, x := range sum.Args {
			if i > 0 { // the outer iterator must step over all that this one reaches
				lost = lost || !an.CanProve(tir.GE(sum.Args[i-1].Scale, tir.Mul(x.Scale, x.Extent)))
			}
			n := whole[x.Source]
			if n == nil {
				n = tir.Const(x.Extent.DType(), 1)
				if x.Source.Sum != nil {
					use(x.Source.Sum)
				}
			}
			whole[x.Source] = tir.Mul(n, x.Extent)
			if x.Source.Var != nil {
				reach[x.Source.Var] = whole[x.Source]
			}
		}
	}
	for _, sum := range sums {
		use(sum)
	}
	for m, n := range whole {
		lost = lost || !an.CanProve(tir.GE(n, m.Extent))
	}
	for _, l := range loops {
		if tir.IsConst(l.Extent, 1) {
			continue
		}
		used := false
		for _, v := range r.Values {
			used = used || usesVar(v, l.LoopVar)
		}
		n := reach[l.LoopVar]
		if !used || lost || n != nil && !an.CanProve(tir.GE(n, l.Extent)) {
			return l
		}
	}
	return nil
}

// init makes the block of the init and the loops around it.
func (d *decomposition) init() (*tir.Block, tir.Stmt, error) {
	block, realize := d.at.Block(), d.at.Realize()
	out := &tir.Block{Base: block.Base, Name: block.Name + "_init", Annotations: block.Annotations}
	run := &tir.BlockRealize{Base: realize.Base}
	for i, iv := range block.IterVars {
		if iv.Kind == tir.DataPar {
			out.IterVars = append(out.IterVars, iv)
			run.Values = append(run.Values, realize.Values[i])
		}
	}
	used := map[*tir.Buffer]bool{}
	vars := map[*tir.Var]bool{}
	varsOf(block.Init, vars)
	ir.Walk(block.Init, func(n ir.Node) bool {
		if b, ok := n.(*tir.Buffer); ok {
			used[b] = true
		}
		return true
	})
	for _, m := range block.MatchBuffers {
		if used[m.Buffer] || vars[m.Buffer.Data] {
			out.MatchBuffers = append(out.MatchBuffers, m)
		}
	}
	out.Body, out.Writes = block.Init, block.Writes
	for _, iv := range block.IterVars {
		if iv.Kind != tir.DataPar && vars[iv.Var] {
			return nil, nil, fmt.Errorf("the init of block %s depends on its reduction variable %s", block.Name, iv.Var.Name)
		}
	}
	for _, a := range block.AllocBuffers {
		if used[a] || vars[a.Data] {
			return nil, nil, fmt.Errorf("the init of block %s accesses buffer %s, which the block allocates", block.Name, a.Name)
		}
	}
	reads, _, _ := region.OfBlock(out, buffersOf(d.at.f))
	for _, r := range reads {
		if regionOf(block.Writes, r.Buffer) == nil {
			out.Reads = append(out.Reads, r)
		}
	}
	run.Block = out

	var loops []*tir.For
	gone := map[*tir.Var]bool{}
	for _, l := range d.inner {
		chosen := false
		for _, v := range run.Values {
			chosen = chosen || usesVar(v, l.LoopVar)
		}
		if !chosen {
			gone[l.LoopVar] = true
			continue
		}
		loops = append(loops, l)
	}
	pred, err := d.condition(run, gone)
	if err != nil {
		return nil, nil, err
	}
	run.Predicate = pred
	c := tir.NewCopier()
	own := make([]*tir.For, len(loops))
	for i, l := range loops {
		v := *l.LoopVar
		v.Name += "_init"
		x := *l
		x.LoopVar, x.Min, x.Extent = &v, c.Expr(l.Min), c.Expr(l.Extent)
		if l.Thread != nil {
			t, tv := *l.Thread, *l.Thread.Var
			t.Var = &tv
			x.Thread = &t
		}
		c.Vars[l.LoopVar] = &v
		own[i] = &x
	}
	nest := c.Stmt(run)
	init := nest.(*tir.BlockRealize).Block
	for i := len(own) - 1; i >= 0; i-- {
		nest = own[i].WithBody(nest)
	}
	ir.Walk(nest, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && gone[v] {
			err = fmt.Errorf("the init of block %s or a loop around it depends on the variable of loop %s", block.Name, v.Name)
		}
		return err == nil
	})
	if err != nil {
		return nil, nil, err
	}
	return init, nest, nil
}
