package tirpass

import (
	"maps"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// padder lengthens the rows of shared buffers so that the threads of a warp, which read or write at the same time, use different
// ones of the 32 banks of shared memory, as far as that works.
//
// Each copy says which elements the threads of a typical warp touch: per dimension, the list of the values that its index takes
// (TVM's iteration space; autocopybank.go). A padding for each dimension is then chosen from the last one outwards, at most a quarter of
// the row: the one for which the busiest bank has the least to do. All paddings of all dimensions together would
// take exponential time; one by one they take 32 trials for each.
type padder struct {
	c      *pass.Context
	spaces map[*tir.Buffer][][][]int64
	step   map[*tir.Buffer]int64
	fixed  map[*tir.Var]bool // memory whose layout something else relies on
	padded map[*tir.Buffer]*tir.Buffer
}

// newPadder prepares to pad buffers of body. Memory that is used through its pointer keeps its layout, and so does that of which a block
// has a view without strides of its own.
func newPadder(c *pass.Context, body tir.Stmt) *padder {
	p := &padder{c: c, spaces: map[*tir.Buffer][][][]int64{}, step: map[*tir.Buffer]int64{}, fixed: map[*tir.Var]bool{}, padded: map[*tir.Buffer]*tir.Buffer{}}
	ir.Walk(body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			p.fixed[n] = true
		case *tir.DeclBuffer:
			p.fixed[n.Buffer.Data] = true
		case *tir.MatchBufferRegion:
			free := len(n.Buffer.Strides) > 0
			for _, e := range n.Buffer.Strides {
				_, isVar := e.(*tir.Var)
				free = free && isVar
			}
			if !free {
				p.fixed[n.Source.Buffer.Data] = true
			}
		}
		return true
	})
	return p
}

const banks = 32

// buffers pads those of list that copies touch.
func (p *padder) buffers(list []*tir.Buffer) []*tir.Buffer {
	return ir.MapSame(list, func(b *tir.Buffer) *tir.Buffer {
		spaces := p.spaces[b]
		if len(spaces) == 0 || len(b.Shape) == 0 || len(b.Strides) > 0 {
			return b
		}
		if p.fixed[b.Data] {
			p.c.Declined("pad shared memory", b, "its layout is relied on, by a pointer or a view without strides")
			return b
		}
		strides, ok := padding(b, spaces, max(1, p.step[b]))
		if !ok {
			return b
		}
		out := *b
		out.Strides = strides
		p.padded[b] = &out
		p.c.Rewrite("pad shared memory", b, &out)
		return &out
	})
}

// padding returns the strides of b for which accesses meet in the fewest banks.
func padding(b *tir.Buffer, spaces [][][]int64, step int64) ([]tir.Expr, bool) {
	n := len(b.Shape)
	bits := int64(b.DType.Bits)
	if bits < 1 || bits > banks*32 {
		return nil, false
	}
	width := int64(banks * 32 / bits) // elements in all banks
	low := make([][]int64, len(spaces))
	for i, space := range spaces {
		low[i] = space[n-1]
	}
	strides := make([]tir.Expr, n)
	d := b.Shape[n-1].DType()
	strides[n-1] = tir.Const(d, 1)
	stride := int64(1)
	for k := n - 2; k >= 0; k-- {
		extent, ok := tir.AsInt(b.Shape[k+1])
		if !ok || extent < 1 || extent > 1<<30/stride {
			return nil, false
		}
		row := stride * extent
		best, pad := int64(-1), int64(0)
		for try := int64(0); try <= min(row/4, width); try += step {
			worst := int64(0)
			for i, space := range spaces {
				if len(space[k])*len(low[i]) > 1<<14 {
					return nil, false
				}
				worst = max(worst, busiest(space[k], low[i], (row+try)%width, bits))
			}
			if best < 0 || worst < best {
				best, pad = worst, try
			}
		}
		for i, space := range spaces {
			if len(space[k]) == 0 {
				continue
			}
			var span []int64
			for _, v := range space[k] {
				for _, w := range low[i] {
					span = append(span, (v*((row+pad)%width)+w)*bits%width)
				}
			}
			low[i] = span
		}
		stride = row + pad
		strides[k] = tir.Const(d, stride)
	}
	return strides, true
}

// busiest returns how many of the accesses at rows and columns fall in one bank.
func busiest(rows, cols []int64, stride, bits int64) int64 {
	var bank [banks]int64
	for _, v := range rows {
		for _, w := range cols {
			bank[(v*stride+w)*bits/32%banks]++
		}
	}
	most := int64(0)
	for _, n := range bank {
		most = max(most, n)
	}
	return most
}

// rewrite puts the padded buffers in the place of those that they were.
func (p *padder) rewrite(s tir.Stmt) tir.Stmt {
	if len(p.padded) == 0 {
		return s
	}
	m := &tir.Mapper{Buffer: func(b *tir.Buffer) *tir.Buffer {
		if out := p.padded[b]; out != nil {
			return out
		}
		return b
	}}
	m.Expr = tir.Memo(m.MapExpr)
	m.Stmt = m.MapStmt
	return m.Stmt(s)
}

// analyze notes which elements of shared memory a typical warp touches in s: all loops around it at their first iteration, and the first 32
// threads of its block.
func (p *padder) analyze(s tir.Stmt, outer []*tir.For, threads map[string]int64) {
	warp, prod := map[string]int64{}, int64(1)
	for _, tag := range []string{"threadIdx.x", "threadIdx.y", "threadIdx.z"} {
		n, ok := threads[tag]
		if !ok {
			n = 1
		}
		if prod*n >= 32 {
			warp[tag] = 32 / prod
			break
		}
		warp[tag] = n
		prod *= n
	}
	v := &warpAccess{p: p, warp: warp, first: map[*tir.Var]tir.Expr{}, extent: map[*tir.Var]int64{}}
	for _, f := range outer {
		v.first[f.LoopVar] = f.Min
	}
	v.walk(s)
}

// warpAccess walks over a copy.
type warpAccess struct {
	p      *padder
	warp   map[string]int64
	first  map[*tir.Var]tir.Expr
	extent map[*tir.Var]int64 // of the variables that differ between threads of a warp
	vector *tir.For
}

func (v *warpAccess) walk(n ir.Node) {
	switch n := n.(type) {
	case *tir.For:
		vector := v.vector
		if n.Thread == nil {
			v.first[n.LoopVar] = n.Min
			if n.Kind == tir.Vectorized {
				v.vector = n
			}
		} else {
			v.extent[n.LoopVar] = max(1, v.warp[n.Thread.ThreadTag])
		}
		n.EachChild(v.walk)
		v.vector = vector
		return
	case *tir.BufferStore:
		v.access(n.Buffer, n.Indices)
	case *tir.BufferLoad:
		v.access(n.Buffer, n.Indices)
	case *tir.BufferRegion:
		return
	case *tir.Block:
		v.matrices(n)
		if n.Init != nil {
			v.walk(n.Init)
		}
		v.walk(n.Body)
		return
	}
	n.EachChild(v.walk)
}

// access notes an access to an element.
func (v *warpAccess) access(b *tir.Buffer, indices []tir.Expr) {
	if !strings.HasPrefix(b.Scope(), "shared") || len(indices) == 0 {
		return
	}
	v.note(b, indices, v.extent)
	if v.vector == nil {
		return
	}
	lanes, ok := tir.AsInt(v.vector.Extent)
	if !ok {
		return
	}
	at := func(i int64) tir.Expr {
		x := v.vector.LoopVar
		return tir.SubstExpr(tir.SubstExpr(indices[len(indices)-1], map[*tir.Var]tir.Expr{x: tir.Const(x.DType(), i)}), v.first)
	}
	if !arith.NewAnalyzer().CanProve(tir.NE(tir.Sub(at(1), at(0)), tir.Const(indices[len(indices)-1].DType(), 1))) {
		v.p.step[b] = max(1, lanes, v.p.step[b])
	}
}

// matrices notes the matrix of shared memory that an instruction for fragments touches.
func (v *warpAccess) matrices(b *tir.Block) {
	e, ok := b.Body.(*tir.Evaluate)
	if !ok {
		return
	}
	call, ok := e.Value.(*tir.Call)
	if !ok || call.Op != opLoadMatrix && call.Op != opStoreMatrix {
		return
	}
	for _, m := range b.MatchBuffers {
		if src := m.Source.Buffer; strings.HasPrefix(src.Scope(), "shared") {
			extent := maps.Clone(v.extent)
			var indices []tir.Expr
			for _, r := range m.Source.Region {
				x := tir.NewVar("region", r.Min.DType())
				extent[x], _ = tir.AsInt(r.Extent)
				indices = append(indices, tir.Add(r.Min, x))
			}
			v.note(src, indices, extent)
		}
	}
}

func (v *warpAccess) note(b *tir.Buffer, indices []tir.Expr, extent map[*tir.Var]int64) {
	a := arith.NewAnalyzer()
	fixed := make([]tir.Expr, len(indices))
	for i, e := range indices {
		fixed[i] = a.Simplify(tir.SubstExpr(e, v.first))
	}
	v.p.spaces[b] = append(v.p.spaces[b], spacesOf(fixed, extent))
}
