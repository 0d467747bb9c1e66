package dlight

import (
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// The kinds of the variables of blocks.
const (
	spatial   = 'S'
	reduction = 'R'
	other     = 'O'
)

// iterInfo is a variable of a block with the loop that runs it.
type iterInfo struct {
	kind byte
	v    *tir.Var
	dom  tir.Expr
	loop *sch.Loop
}

// blockInfo is a block whose variables are its loops (TVM's BlockInfo).
type blockInfo struct {
	name        string
	iters       []iterInfo
	block       *sch.Block
	isReduction bool
}

// kinds returns the kinds of the variables as a word, as SSR.
func (b *blockInfo) kinds() string {
	var w strings.Builder
	for _, i := range b.iters {
		w.WriteByte(i.kind)
	}
	return w.String()
}

// isInjective reports whether all variables are spatial.
func (b *blockInfo) isInjective() bool { return strings.Trim(b.kinds(), string(spatial)) == "" }

func iterKind(iv *tir.IterVar) byte {
	switch iv.Kind {
	case tir.DataPar:
		return spatial
	case tir.CommReduce:
		return reduction
	}
	return other
}

// describe pairs the loops of a block with its variables.
func (p *program) describe(b *sch.Block) *blockInfo {
	stmt := p.block(b)
	out := &blockInfo{name: stmt.Name, block: b}
	loops := p.loops(b)
	for i, iv := range stmt.IterVars[:min(len(loops), len(stmt.IterVars))] {
		out.iters = append(out.iters, iterInfo{iterKind(iv), iv.Var, iv.Dom.Extent, loops[i]})
	}
	return out
}

// leaves returns the blocks inside of a block that have no blocks inside, the block itself if it has none.
func (p *program) leaves(b *sch.Block) []*sch.Block {
	below := p.children(b)
	if len(below) == 0 {
		return []*sch.Block{b}
	}
	var out []*sch.Block
	for _, c := range below {
		out = append(out, p.leaves(c)...)
	}
	return out
}

// normalize brings a function to a form that rules understand: the loops of each block are its variables, without those of extent 1, and
// a block without spatial variables gets one of extent 1 (TVM's NormalizePrimFunc). It declines functions whose blocks bind other
// expressions than loops.
func (p *program) normalize() []*blockInfo {
	root := one[*sch.Block](p.do("get_block", "root"))
	blocks := p.leaves(root)
	for _, b := range blocks {
		loops := p.loops(b)
		if len(loops) == 0 {
			continue
		}
		realize := p.realize(b)
		declineIf(len(loops) != len(realize.Values), "block %s has %d loops for %d variables", realize.Block.Name, len(loops), len(realize.Values))
		for i, l := range loops {
			loop := p.loop(l)
			declineIf(realize.Values[i] != tir.Expr(loop.LoopVar), "variable %s of block %s is not bound to loop %s", realize.Block.IterVars[i].Var.Name, realize.Block.Name, loop.LoopVar.Name)
			declineIf(!tir.IsConst(loop.Min, 0), "loop %s does not begin at 0", loop.LoopVar.Name)
		}
	}
	var out []*blockInfo
	for _, b := range blocks {
		m := dropUnits(p.block(b))
		_ = try(func() { p.transformBlockLayout(b, m) }) // a block that cannot be transformed stays
		info := p.describe(b)
		is, err := p.s.State().IsReductionBlock(b, root)
		if err != nil {
			panic(stop{err})
		}
		info.isReduction = is
		out = append(out, info)
	}
	return out
}

// dropUnits returns the map of the variables of a block to those that are not of extent 1, with a leading zero if no spatial one is left.
func dropUnits(b *tir.Block) *tir.IndexMap {
	m := &tir.IndexMap{}
	hasSpatial := false
	for _, iv := range b.IterVars {
		v := tir.NewVar(iv.Var.Name, iv.Var.DType())
		m.Initial = append(m.Initial, v)
		if !tir.IsConst(iv.Dom.Extent, 1) {
			m.Final = append(m.Final, v)
			hasSpatial = hasSpatial || iv.Kind == tir.DataPar
		}
	}
	if !hasSpatial {
		m.Final = slices.Insert(m.Final, 0, tir.Expr(tir.Const(dtype.Int64T, 0)))
	}
	return m
}

// realize returns what runs a block.
func (p *program) realize(b *sch.Block) *tir.BlockRealize {
	stmt := p.block(b)
	var out *tir.BlockRealize
	ir.Walk(p.fn().Body, func(n ir.Node) bool {
		if r, ok := n.(*tir.BlockRealize); ok && r.Block == stmt {
			out = r
		}
		return out == nil
	})
	return out
}

// varSet is a set of variables.
type varSet map[*tir.Var]bool

// varsIn returns the variables in an expression.
func varsIn(e tir.Expr) varSet {
	out := varSet{}
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			out[v] = true
		}
		return true
	})
	return out
}

// itersOf returns the variables of a block.
func itersOf(b *tir.Block) varSet {
	out := varSet{}
	for _, iv := range b.IterVars {
		out[iv.Var] = true
	}
	return out
}

func (s varSet) and(t varSet) varSet {
	out := maps.Clone(s)
	maps.DeleteFunc(out, func(v *tir.Var, _ bool) bool { return !t[v] })
	return out
}

// accessIters returns the variables of a block in the places of a region, which must be one element.
func accessIters(b *tir.Block, region []*tir.Range) varSet {
	out := varSet{}
	for _, r := range region {
		declineIf(!tir.IsConst(r.Extent, 1), "block %s accesses more than one element at a time", b.Name)
		maps.Copy(out, varsIn(r.Min))
	}
	return out.and(itersOf(b))
}

// offsetOf returns the place in memory, counted in elements, at which a region begins.
func offsetOf(r *tir.BufferRegion) tir.Expr {
	buf := r.Buffer
	var out tir.Expr
	for i, x := range r.Region {
		switch {
		case len(buf.Strides) > 0:
			t := tir.Mul(x.Min, buf.Strides[i])
			if out == nil {
				out = t
			} else {
				out = tir.Add(out, t)
			}
		case out == nil:
			out = x.Min
		default:
			out = tir.Add(tir.Mul(out, buf.Shape[i]), x.Min)
		}
	}
	if out == nil {
		out = tir.Int32(0)
	}
	if buf.ElemOffset != nil && !tir.IsConst(buf.ElemOffset, 0) {
		out = tir.Add(out, buf.ElemOffset)
	}
	return arith.SimplifyAlone(out)
}

// dominantRead returns the place in memory of the read that depends on most variables of a block, the first of several; only those in
// among count.
func dominantRead(b *tir.Block, among varSet) tir.Expr {
	var found *tir.BufferRegion
	most := -1
	for _, r := range b.Reads {
		if n := len(accessIters(b, r.Region).and(among)); n > most {
			most, found = n, r
		}
	}
	declineIf(found == nil, "block %s reads nothing", b.Name)
	return offsetOf(found)
}

// iterSum writes a place as a sum of digits of the variables of a block.
func iterSum(b *tir.Block, place tir.Expr) *arith.IterSum {
	iters := map[*tir.Var]*tir.Range{}
	for _, iv := range b.IterVars {
		iters[iv.Var] = iv.Dom
	}
	return arith.NormalizeToIterSum(place, iters, arith.NewAnalyzer())
}

// isBroadcast reports whether an epilogue reads what a block wrote with fewer variables than it has.
func (p *program) isBroadcast(b, epilogue *sch.Block) bool {
	written := map[*tir.Buffer]bool{}
	for _, w := range p.block(b).Writes {
		written[w.Buffer] = true
	}
	e := p.block(epilogue)
	for _, r := range e.Reads {
		if written[r.Buffer] && len(accessIters(e, r.Region)) < len(e.IterVars) {
			return true
		}
	}
	return false
}
