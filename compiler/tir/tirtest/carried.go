package tirtest

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// CarriedFunction returns a random function with state in buffers of its own: loops whose
// bodies write and read them at related indices, so that an iteration may read what another
// one left, under conditions or not. Elements may be read before anything writes them: the
// interpreter gives all bytes of new memory one value, so results are still defined as long
// as each buffer has memory of its own.
func CarriedFunction(src Source) (*tir.PrimFunc, []any) {
	g := &gen{src: src, index: dtype.Int32T}
	f := &tir.PrimFunc{RetType: ir.VoidType(), Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "kernel", "tir.noalias", true)}
	c := &carriedGen{gen: g, extent: map[*tir.Var]int64{}}
	for _, name := range []string{"in", "out"} {
		b := tir.NewBuffer(g.name(name), dtype.Int32T, g.imms([]int64{8, 6}), "")
		f.Params = append(f.Params, tir.NewVar("var_"+b.Name, dtype.HandleT))
		f.Buffers = append(f.Buffers, b)
	}
	c.in, c.out = f.Buffers[0], f.Buffers[1]
	for range 1 + src.IntN(2) {
		dims := make([]int64, 1+src.IntN(2))
		for i := range dims {
			dims[i] = []int64{4, 8, 1, 3, 6}[src.IntN(5)]
		}
		c.state = append(c.state, tir.NewBuffer(g.name("state"), dtype.Int32T, g.imms(dims), ""))
	}
	body := c.loops(1+src.IntN(3), func() tir.Stmt { return c.steps(2) })
	f.Body = &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Name: "root", AllocBuffers: c.state, Body: body}}
	return f, Arguments(f, uint64(src.IntN(1<<30)))
}

type carriedGen struct {
	*gen
	in, out *tir.Buffer
	state   []*tir.Buffer
	extent  map[*tir.Var]int64
}

// loops makes n loops around what body returns.
func (c *carriedGen) loops(n int, body func() tir.Stmt) tir.Stmt {
	if n == 0 {
		return body()
	}
	v := c.variable("i")
	e := c.between(1, 4)
	c.extent[v] = e
	inner := c.scoped([]*tir.Var{v}, func() tir.Stmt { return c.loops(n-1, body) })
	return &tir.For{LoopVar: v, Min: c.imm(0), Extent: c.imm(e), Body: inner}
}

// steps makes a sequence of nests, some of them with sequences inside.
func (c *carriedGen) steps(depth int) tir.Stmt {
	var out []tir.Stmt
	for range 2 + c.src.IntN(2) {
		body := func() tir.Stmt {
			if depth > 0 && c.one(4) {
				return c.steps(depth - 1)
			}
			return c.assign()
		}
		out = append(out, c.guarded(func() tir.Stmt {
			return c.loops(c.src.IntN(3), func() tir.Stmt { return c.guarded(body) })
		}))
	}
	return tir.Seq(out...)
}

func (c *carriedGen) guarded(body func() tir.Stmt) tir.Stmt {
	if len(c.vars) == 0 || !c.one(4) {
		return body()
	}
	v := c.vars[c.src.IntN(len(c.vars))]
	var cond tir.Expr
	switch c.src.IntN(3) {
	case 0:
		cond = tir.EQ(v, c.imm(0))
	case 1:
		cond = tir.LT(c.affine(), c.imm(c.between(1, 6)))
	default:
		cond = tir.GT(v, c.imm(0))
	}
	return &tir.IfThenElse{Cond: cond, Then: body()}
}

// assign stores to state or to the result, in a block whose axes stand for the loops or not.
func (c *carriedGen) assign() tir.Stmt {
	to := c.out
	if c.one(2) {
		to = c.state[c.src.IntN(len(c.state))]
	}
	store := func() tir.Stmt {
		at := c.indices(to)
		from := c.state[c.src.IntN(len(c.state))]
		if c.one(3) || to != c.out && c.one(2) {
			from = c.in
		}
		x := tir.Expr(tir.Load(from, c.indices(from)...))
		if c.one(6) {
			x = tir.IfThenElseExpr(tir.LT(c.affine(), c.imm(c.between(1, 4))), x, c.imm(7))
		}
		if c.one(2) {
			x = tir.Add(x, tir.Mul(tir.Load(to, at...), c.imm(3)))
		}
		return tir.Store(to, x, at...)
	}
	if len(c.vars) == 0 || c.one(2) {
		return store()
	}
	var ivs []*tir.IterVar
	var bind []tir.Expr
	outer := c.vars
	c.vars = nil
	for _, v := range outer {
		iv := c.variable("v")
		c.extent[iv] = c.extent[v]
		ivs = append(ivs, &tir.IterVar{Dom: &tir.Range{Min: c.imm(0), Extent: c.imm(c.extent[v])}, Var: iv})
		bind = append(bind, v)
		c.vars = append(c.vars, iv)
	}
	b := &tir.Block{Name: c.name("block"), IterVars: ivs, Body: store()}
	c.vars = outer
	for _, buf := range append([]*tir.Buffer{c.in, c.out}, c.state...) {
		b.Reads, b.Writes = append(b.Reads, tir.FullRegion(buf)), append(b.Writes, tir.FullRegion(buf))
	}
	return &tir.BlockRealize{Values: bind, Predicate: tir.Bool(true), Block: b}
}

// affine is a sum of loop variables and a constant, none of it negative.
func (c *carriedGen) affine() tir.Expr {
	e := tir.Expr(c.imm(c.between(0, 1)))
	for range 1 + c.src.IntN(2) {
		if len(c.vars) > 0 {
			// The innermost are the likeliest: indices of neighbours are then related.
			v := c.vars[max(c.src.IntN(len(c.vars)), c.src.IntN(len(c.vars)))]
			e = tir.Add(e, tir.Mul(v, c.imm([]int64{1, 1, 2, 4}[c.src.IntN(4)])))
		}
	}
	return e
}

// indices is an index for each dimension of b: a variable where its range fits, or a sum
// that wraps around.
func (c *carriedGen) indices(b *tir.Buffer) []tir.Expr {
	out := make([]tir.Expr, len(b.Shape))
	for i, d := range Dims(b.Shape) {
		var fits []*tir.Var
		for _, v := range c.vars {
			if c.extent[v] <= d {
				fits = append(fits, v)
			}
		}
		switch {
		case len(fits) > 0 && !c.one(4):
			out[i] = fits[c.src.IntN(len(fits))]
		case d == 1 || c.one(4):
			out[i] = c.imm(c.between(0, d-1))
		default:
			out[i] = tir.FloorMod(c.affine(), c.imm(d))
		}
	}
	return out
}
