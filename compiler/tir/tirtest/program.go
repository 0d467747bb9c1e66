package tirtest

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Source draws numbers from 0 to n-1. A *math/rand/v2.Rand is one.
type Source interface{ IntN(n int) int }

// gen makes one function.
type gen struct {
	src   Source
	index dtype.DType   // type of loops and indices
	ready []*tir.Buffer // buffers whose elements are all written
	vars  []*tir.Var    // integers in scope, 0 or more and below 1000
	root  []*tir.Buffer // buffers for the root block to allocate
	// reads and writes collect what a block accesses.
	reads []*tir.Buffer
	pool  []shared
	n     int
}

var elementTypes = []string{"float32", "int32", "float32", "int64", "uint8", "bool", "float64", "int8", "float16"}

// Function returns a random well-formed function at the level of blocks whose parameters
// are tensors, with arguments for it.
func Function(src Source) (*tir.PrimFunc, []any) {
	g := &gen{src: src, index: dtype.Int64T}
	if g.one(2) {
		g.index = dtype.Int32T
	}
	f := &tir.PrimFunc{RetType: ir.VoidType(), Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "kernel", "tir.noalias", true)}
	param := func(b *tir.Buffer) {
		f.Params = append(f.Params, tir.NewVar("var_"+b.Name, dtype.HandleT))
		f.Buffers = append(f.Buffers, b)
	}
	for range 1 + src.IntN(3) {
		b := g.buffer("in", "")
		param(b)
		g.ready = append(g.ready, b)
	}
	var allocs []*tir.Buffer
	var body []tir.Stmt
	for range src.IntN(4) {
		b := g.buffer("tmp", []string{"", "", "local"}[src.IntN(3)])
		allocs = append(allocs, b)
		body = append(body, g.stage(b))
		g.ready = append(g.ready, b)
	}
	for range 1 + src.IntN(2) {
		b := g.buffer("out", "")
		param(b)
		body = append(body, g.stage(b))
		if g.one(4) {
			body = append(body, g.stage(b)) // once more over what is there
		}
		g.ready = append(g.ready, b)
	}
	f.Body = &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{
		Name: "root", AllocBuffers: append(allocs, g.root...), Body: tir.Seq(body...),
	}}
	return f, Arguments(f, uint64(src.IntN(1<<30)))
}

// Arguments returns tensors with small values for the parameters of f, whose shapes are constant, and small numbers for those that are
// integers.
func Arguments(f *tir.PrimFunc, seed uint64) []any {
	var args []any
	for i, b := range f.Buffers {
		if b == nil {
			args = append(args, int64((seed>>(3*i))%7))
			continue
		}
		t := tensor.MustNew(b.DType, Dims(b.Shape)...)
		x := seed*2654435761 + uint64(i) + 1
		for k := range t.Len() {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			switch v := int64(x>>20)%101 - 50; {
			case b.DType.IsFloat():
				t.SetFloat(k, float64(v)/4)
			case b.DType.IsBool():
				t.SetInt(k, v&1)
			case b.DType.IsUInt():
				t.SetInt(k, v+50)
			default:
				t.SetInt(k, v)
			}
		}
		args = append(args, t)
	}
	return args
}

// Dims returns the values of constant extents.
func Dims(shape []tir.Expr) []int64 {
	out := make([]int64, len(shape))
	for i, e := range shape {
		out[i], _ = tir.AsInt(e)
	}
	return out
}

// one is true once in n times.
func (g *gen) one(n int) bool { return g.src.IntN(n) == n-1 }

func (g *gen) between(lo, hi int64) int64 { return lo + int64(g.src.IntN(int(hi-lo+1))) }

func (g *gen) name(s string) string { g.n++; return s + strconv.Itoa(g.n) }

func (g *gen) imm(v int64) tir.Expr { return tir.Const(g.index, v) }

func (g *gen) imms(dims []int64) []tir.Expr {
	out := make([]tir.Expr, len(dims))
	for i, d := range dims {
		out[i] = g.imm(d)
	}
	return out
}

func (g *gen) variable(s string) *tir.Var { return tir.NewVar(g.name(s), g.index) }

func (g *gen) buffer(s, scope string) *tir.Buffer {
	dims := make([]int64, 1+g.src.IntN(3))
	for i := range dims {
		dims[i] = []int64{4, 3, 2, 1, 5, 8}[g.src.IntN(6)]
	}
	d := dtype.MustParse(elementTypes[g.src.IntN(len(elementTypes))])
	return tir.NewBuffer(g.name(s), d, g.imms(dims), scope)
}

// scoped calls f with vars in scope.
func (g *gen) scoped(vars []*tir.Var, f func() tir.Stmt) tir.Stmt {
	old := g.vars
	g.vars = append(old[:len(old):len(old)], vars...)
	s := f()
	g.vars = old
	return s
}
