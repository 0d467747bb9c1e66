package dlight

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// vectorsOf returns the buffers that are the vectors of a product with a matrix: those that depend on some of the variables of the block,
// but not on all. Only the variables in among count. It declines a block that is no such product.
func (p *program) vectorsOf(b *blockInfo, among varSet) []*tir.Buffer {
	stmt := p.block(b.block)
	declineIf(!b.isReduction, "block %s is no reduction", b.name)
	declineIf(len(stmt.Reads) < 2 || len(stmt.Writes) != 1, "block %s does not read two buffers and write one", b.name)
	declineIf(reducedValue(stmt) == nil, "block %s does not add to its buffer", b.name)
	declineIf(len(accessIters(stmt, stmt.Writes[0].Region)) == 0, "block %s writes a single element", b.name)
	var out []*tir.Buffer
	for _, r := range stmt.Reads {
		if n := len(accessIters(stmt, r.Region).and(among)); n > 0 && n < len(among) {
			out = append(out, r.Buffer)
		}
	}
	declineIf(len(out) == 0, "all that block %s reads depends on all its variables: there is no vector", b.name)
	declineIf(len(out) == len(stmt.Reads), "nothing that block %s reads depends on all its variables: there is no matrix", b.name)
	return out
}

// axes are the loops of a product of a matrix and a vector by what they run over, in the order of the matrix in memory.
type axes struct {
	batch, s, r, group []*sch.Loop
	inner              bool // whether a reduction is innermost
}

// axesOf sorts the loops of a block by the place in memory of its matrix. Grouped loops, of which the matrix holds several in one element,
// are split where groups is set.
func (p *program) axesOf(b *blockInfo, place tir.Expr, groups bool) axes {
	var out axes
	stmt := p.block(b.block)
	access := iterSum(stmt, place)
	declineIf(len(varsIn(access.Base).and(itersOf(stmt))) > 0 || len(access.Args) == 0, "the matrix of block %s is not indexed by sums of loops", b.name)
	uses := []varSet{}
	for _, r := range slices.Concat(stmt.Writes, stmt.Reads) {
		uses = append(uses, accessIters(stmt, r.Region))
	}
	for _, a := range access.Args {
		i := slices.IndexFunc(b.iters, func(i iterInfo) bool { return a.Source.Var != nil && i.v == a.Source.Var })
		declineIf(i < 0, "the matrix of block %s is not indexed by its variables", b.name)
		info := b.iters[i]
		l := info.loop
		out.inner = info.kind == reduction
		if groups {
			if lower := lowerFactor(a); lower > 1 {
				declineIf(out.group != nil, "the matrix of block %s groups several loops", b.name)
				halves := p.split(l, rest, lower)
				declineIf(info.kind != reduction, "the matrix of block %s groups a spatial loop", b.name)
				l, out.group = halves[0], halves[1:]
			}
		}
		switch {
		case info.kind == reduction:
			out.r = append(out.r, l)
		case !slices.ContainsFunc(uses, func(s varSet) bool { return !s[info.v] }):
			out.batch = append(out.batch, l)
		default:
			out.s = append(out.s, l)
		}
	}
	declineIf(len(out.s) == 0 || len(out.r) == 0, "the matrix of block %s has no spatial or no reduction loop", b.name)
	return out
}

// normalizeGEMV makes the loops of a product of a matrix and a vector batch, spatial, reduction, group, and reports whether the reduction is
// innermost in the matrix.
func (p *program) normalizeGEMV(b *blockInfo) (inner bool) {
	stmt := p.block(b.block)
	x := p.axesOf(b, dominantRead(stmt, itersOf(stmt)), true)
	if x.group == nil {
		x.group = []*sch.Loop{p.addUnitLoop(b.block)}
	}
	if x.batch == nil {
		x.batch = []*sch.Loop{p.addUnitLoop(b.block)}
	}
	p.reorder(slices.Concat(x.batch, x.s, x.r, x.group)...)
	p.fuse(x.batch...)
	p.fuse(x.s...)
	p.fuse(x.r...)
	return x.inner
}

// prepareGEMV recognizes a product of a matrix and a vector, and what follows it.
func (p *program) prepareGEMV() (block *sch.Block, vectors []*tir.Buffer, epilogue *blockInfo, inner bool) {
	info, epilogue := p.mainAndEpilogue(p.normalize())
	declineIf(len(info.iters) != 2 && len(info.iters) != 3, "block %s has %d variables, expected two or three", info.name, len(info.iters))
	stmt := p.block(info.block)
	vectors = p.vectorsOf(info, itersOf(stmt))
	return info.block, vectors, epilogue, p.normalizeGEMV(info)
}

// bestFactor returns the largest of some factors, in falling order, that divides n, 1 if none does.
func bestFactor(n int64, factors ...int64) int64 {
	best := int64(1)
	for _, f := range factors {
		if f > best && n%f == 0 {
			best = f
		}
	}
	return best
}
