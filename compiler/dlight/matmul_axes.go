package dlight

import (
	"maps"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// What a variable of a product of matrices is: C[S, I, J] += A[S, I, K] * B[S, J, K].
type axis byte

const (
	axisS axis = 'S' // in all three
	axisI axis = 'I' // in A and C
	axisJ axis = 'J' // in B and C
	axisK axis = 'K' // in A and B, reduced
	axisT axis = 'T' // of extent 1
)

// matmulMaps are the maps that fuse the variables of each kind, for the two inputs, the output, and the block.
type matmulMaps struct{ a, b, c, block *tir.IndexMap }

// matmulMapsOf returns the maps of a block that is a product of matrices; it declines others.
func matmulMapsOf(b *tir.Block) matmulMaps {
	declineIf(len(b.Reads) != 2 || len(b.Writes) != 1, "block %s does not read two buffers and write one", b.Name)
	uses := func(r *tir.BufferRegion) varSet {
		out := varSet{}
		for _, x := range r.Region {
			declineIf(!tir.IsConst(x.Extent, 1), "block %s accesses more than one element at a time", b.Name)
			maps.Copy(out, varsIn(x.Min))
		}
		return out
	}
	inA, inB, inC := uses(b.Reads[0]), uses(b.Reads[1]), uses(b.Writes[0])
	kinds := map[*tir.Var]axis{}
	found := map[axis]bool{}
	for _, iv := range b.IterVars {
		v := iv.Var
		var k axis
		switch {
		case tir.IsConst(iv.Dom.Extent, 1):
			k = axisT
		case iv.Kind == tir.DataPar && inC[v] && inA[v] && inB[v]:
			k = axisS
		case iv.Kind == tir.DataPar && inC[v] && inA[v]:
			k = axisI
		case iv.Kind == tir.DataPar && inC[v] && inB[v]:
			k = axisJ
		case iv.Kind == tir.CommReduce && inA[v] && inB[v] && !inC[v]:
			k = axisK
		default:
			decline("variable %s of block %s is none of a product of matrices", v.Name, b.Name)
		}
		kinds[v], found[k] = k, true
	}
	declineIf(!found[axisI] || !found[axisJ] || !found[axisK], "block %s has no rows, no columns, or nothing that is summed", b.Name)
	fuse := func(in varSet, order ...axis) *tir.IndexMap {
		m := &tir.IndexMap{}
		sums := map[axis]tir.Expr{}
		var zero tir.Expr
		for _, iv := range b.IterVars {
			if in != nil && !in[iv.Var] {
				continue
			}
			v := tir.NewVar(iv.Var.Name, iv.Var.DType())
			m.Initial = append(m.Initial, v)
			if zero == nil {
				zero = tir.Const(iv.Dom.Extent.DType(), 0)
			}
			switch k := kinds[iv.Var]; {
			case k == axisT:
			case sums[k] != nil:
				sums[k] = tir.Add(tir.Mul(sums[k], iv.Dom.Extent), v)
			default:
				sums[k] = v
			}
		}
		for _, k := range order {
			if sums[k] == nil {
				sums[k] = zero
			}
			m.Final = append(m.Final, sums[k])
		}
		return m
	}
	return matmulMaps{
		fuse(inA, axisS, axisI, axisK), fuse(inB, axisS, axisJ, axisK), fuse(inC, axisS, axisI, axisJ),
		fuse(nil, axisS, axisI, axisJ, axisK),
	}
}

// mainReduction returns the one block of a function that is a reduction; all others must be spatial.
func (p *program) mainReduction(blocks []*sch.Block) *sch.Block {
	var main *sch.Block
	for _, b := range blocks {
		stmt := p.block(b)
		spatials, reductions := 0, 0
		for _, iv := range stmt.IterVars {
			switch iterKind(iv) {
			case spatial:
				spatials++
			case reduction:
				reductions++
			}
		}
		switch {
		case spatials == 0 || spatials+reductions < len(stmt.IterVars):
			decline("block %s is neither spatial nor a reduction of spatial points", stmt.Name)
		case reductions > 0:
			declineIf(main != nil, "several blocks are reductions")
			main = b
		}
	}
	declineIf(main == nil, "no block is a reduction")
	return main
}

// canonicalMatmul copies the inputs and the output of a product of matrices to and from C[S, I, J] += A[S, I, K] * B[S, J, K].
func (p *program) canonicalMatmul(main *sch.Block) {
	a, b := p.reindex(main, "read", 0), p.reindex(main, "read", 1)
	c := p.reindex(main, "write", 0)
	m := matmulMapsOf(p.block(main))
	for _, x := range []struct {
		block *sch.Block
		side  string
		m     *tir.IndexMap
	}{{a, "write", m.a}, {b, "write", m.b}, {c, "read", m.c}} {
		if try(func() { p.transformLayout(x.block, x.side, x.m) }) != nil {
			// An axis of a number of symbols is one that no analysis sees through: places are digits of their axis, each below its extent.
			p.do("transform_layout", x.block, []any{x.side, int64(0)}, x.m, nil, true)
		}
	}
	p.transformBlockLayout(main, m.block)
}
