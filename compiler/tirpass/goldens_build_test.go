package tirpass_test

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Short forms for functions written by hand. Indices are int32.

func n(v int64) tir.Expr { return tir.Int32(v) }

func f32(v float64) tir.Expr { return tir.FloatConst(dtype.Float32T, v) }

func index(name string) *tir.Var { return tir.NewVar(name, dtype.Int32T) }

func shape(ns ...any) []tir.Expr {
	out := make([]tir.Expr, len(ns))
	for i, x := range ns {
		switch x := x.(type) {
		case int:
			out[i] = n(int64(x))
		case tir.Expr:
			out[i] = x
		}
	}
	return out
}

func floats(name string, ns ...any) *tir.Buffer {
	return tir.NewBuffer(name, dtype.Float32T, shape(ns...), "")
}

func bytesOf(name string, ns ...any) *tir.Buffer {
	return tir.NewBuffer(name, dtype.Int8T, shape(ns...), "")
}

// fn is a function of buffers and scalars.
func fn(body tir.Stmt, params ...any) *tir.PrimFunc {
	f := &tir.PrimFunc{RetType: ir.VoidType(), Body: body, Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "kernel")}
	for _, p := range params {
		switch p := p.(type) {
		case *tir.Buffer:
			f.Params, f.Buffers = append(f.Params, tir.NewVar(p.Name+"_handle", dtype.HandleT)), append(f.Buffers, p)
		case *tir.Var:
			f.Params, f.Buffers = append(f.Params, p), append(f.Buffers, nil)
		}
	}
	return f
}

func loop(v *tir.Var, extent int64, body ...tir.Stmt) *tir.For {
	return &tir.For{LoopVar: v, Min: n(0), Extent: n(extent), Body: tir.Seq(body...)}
}

func kind(k tir.ForKind, l *tir.For) *tir.For {
	return l.WithKind(k)
}

// opaque is a block without iteration variables that allocates bufs.
func opaque(name string, body tir.Stmt, bufs ...*tir.Buffer) *tir.BlockRealize {
	return &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Name: name, AllocBuffers: bufs, Body: body}}
}

func root(body tir.Stmt, bufs ...*tir.Buffer) *tir.BlockRealize { return opaque("root", body, bufs...) }

// iter is an iteration variable with what it is bound to.
type iter struct {
	v    *tir.Var
	dom  int64
	bind tir.Expr
	kind tir.IterKind
}

func block(name string, iters []iter, writes *tir.Buffer, body tir.Stmt) *tir.BlockRealize {
	r := &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Name: name, Body: body, Writes: []*tir.BufferRegion{tir.FullRegion(writes)}}}
	for _, it := range iters {
		r.Values = append(r.Values, it.bind)
		r.Block.IterVars = append(r.Block.IterVars, &tir.IterVar{Dom: &tir.Range{Min: n(0), Extent: n(it.dom)}, Var: it.v, Kind: it.kind})
	}
	return r
}

func alloc(b *tir.Buffer, body ...tir.Stmt) tir.Stmt {
	return &tir.Allocate{Var: b.Data, Type: b.DType, Extents: b.Shape, Condition: tir.Bool(true), Body: &tir.DeclBuffer{Buffer: b, Body: tir.Seq(body...)}}
}

func load(b *tir.Buffer, at ...tir.Expr) tir.Expr { return tir.Load(b, at...) }

func store(b *tir.Buffer, v tir.Expr, at ...tir.Expr) tir.Stmt { return tir.Store(b, v, at...) }

func add(a, b tir.Expr) tir.Expr { return tir.Add(a, b) }

func mul(a, b tir.Expr) tir.Expr { return tir.Mul(a, b) }
