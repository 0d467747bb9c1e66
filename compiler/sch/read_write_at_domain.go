package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// accessAt is a block in the loop that reads or writes the buffer.
type accessAt struct {
	site
	stmt        int // that it stands in
	read, write bool
}

// accesses returns the blocks below the loop that access the buffer.
func (c *copyingAt) accesses() []accessAt {
	var out []accessAt
	for i, x := range statements(c.to.For().Body) {
		for _, r := range realizesIn(x) {
			reads, writes := declared(r.Block)
			a := accessAt{stmt: i, read: regionOf(reads, c.src) != nil, write: regionOf(writes, c.src) != nil}
			if !a.read && !a.write {
				continue
			}
			a.site, _ = c.s.below(c.to, r.Block)
			out = append(out, a)
		}
	}
	return out
}

// domain derives the region that is copied.
func (c *copyingAt) domain(list []accessAt) error {
	var sets, sure [][]arith.IntSet
	why := "its blocks do not reach all of it"
	for _, a := range list {
		regions, writes := declared(a.Block())
		if c.side == writeSide {
			regions = writes
		}
		_, inner := cut(a.loops(), c.to.For())
		if c.side == writeSide {
			if err := c.checkRuns(a, inner[1:]); err != nil {
				return err
			}
		}
		dom := relaxed(inner[1:], append(allLoops(c.to), c.to.For()), c.dst)
		for _, r := range regions {
			if r.Buffer != c.src {
				continue
			}
			sub := substRegion(r, bindings(a.Realize()))
			sets = append(sets, arith.EvalSetRegion(sub.Region, arith.AsIntSets(dom)))
			if c.side == writeSide {
				lower, without := c.s.surely(a.site, c.to.For(), dom, r, c.an)
				if why = without; why == "" {
					sure = append(sure, lower)
				}
			}
		}
	}
	all := sets[0]
	if len(sets) > 1 {
		all = arith.UnionRegion(sets)
	}
	for i, x := range all {
		if x.Min == nil || x.Max == nil {
			return fmt.Errorf("dimension %d of what loop %s accesses of %s has no bounds", i, c.to.For().LoopVar.Name, c.src.Name)
		}
		lo := c.an.Simplify(x.Min)
		r := &tir.Range{Min: lo, Extent: c.an.Simplify(tir.Sub(tir.Add(x.Max, tir.Const(x.Max.DType(), 1)), lo))}
		c.region = append(c.region, r)
		if !c.an.CanProve(tir.And(tir.GE(r.Min, tir.Const(r.Min.DType(), 0)), tir.LE(tir.Add(r.Min, r.Extent), c.src.Shape[i]))) {
			return c.s.fail("GuardedAccessError", fmt.Sprintf("What loop {0} accesses of buffer %s may lie outside of it in dimension %d, so that a copy of it would, too", c.src.Name, i), c.to.For())
		}
	}
	if c.side == writeSide {
		if !coverAll(c.src.Shape, sure, c.region, c.an) {
			return c.s.fail("PartialWriteError", "Not all of the region of buffer "+c.src.Name+" between what loop {0} writes is written there, so that a copy would overwrite the rest: "+why, c.to.For())
		}
	}
	return nil
}
