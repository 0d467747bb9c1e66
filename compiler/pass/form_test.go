package pass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func TestForms(t *testing.T) {
	x := &relax.Var{Name: "x", SInfo: relax.Object()}
	y := &relax.Var{Name: "y", SInfo: relax.Object(), Dataflow: true}
	graph := func(dataflow bool, attrs *ir.Attrs) ir.Function {
		blk := &relax.BindingBlock{Bindings: []relax.Binding{&relax.VarBinding{Var: y.WithDataflow(dataflow), Value: x}}, Dataflow: dataflow}
		return &relax.Function{Params: []*relax.Var{x}, Attrs: attrs, Ret: relax.Object(), Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{blk}, Body: x}}
	}
	buf := tir.NewBuffer("B", dtype.Float32T, []tir.Expr{tir.Int(2), tir.Int(3)}, "")
	i := tir.NewVar("i", dtype.Int64T)
	loops := func(body tir.Stmt) ir.Function { return &tir.PrimFunc{RetType: ir.VoidType(), Body: body} }
	block := func(iters ...*tir.IterVar) tir.Stmt {
		values := make([]tir.Expr, len(iters))
		for k := range values {
			values[k] = tir.Int(0)
		}
		return &tir.BlockRealize{Values: values, Predicate: tir.Bool(true), Block: &tir.Block{Name: "b", IterVars: iters, Body: tir.NoOp()}}
	}
	iter := &tir.IterVar{Var: i, Dom: &tir.Range{Min: tir.Int(0), Extent: tir.Int(1)}}
	zero := tir.FloatConst(dtype.Float32T, 0)
	for _, c := range []struct {
		form  *pass.Form
		fn    ir.Function
		wants string
	}{
		{pass.NoDataflow, graph(true, nil), "a dataflow block"},
		{pass.NoDataflow, graph(true, ir.NewAttrs(pass.AttrSkipOptimization, true)), ""},
		{pass.NoDataflow, graph(false, nil), ""},
		{pass.OpaqueBlocks, loops(block(iter)), `block "b" with iteration variables`},
		{pass.OpaqueBlocks, loops(block()), ""},
		{pass.NoBlocks, loops(block()), `block "b"`},
		{pass.NoBlocks, loops(tir.NoOp()), ""},
		{pass.FlatBuffers, loops(tir.Store(buf, zero, tir.Int(0), tir.Int(0))), "an access of buffer B with 2 indices"},
		{pass.FlatBuffers, loops(tir.Store(buf.WithAxisSeparators([]int{1}), zero, tir.Int(0), tir.Int(0))), ""},
		{pass.FlatBuffers, loops(tir.Store(buf, tir.Load(buf, tir.Int(0), tir.Int(1)), tir.Int(0))), "an access of buffer B with 2 indices"},
		{pass.FlatBuffers, loops(tir.Store(buf, zero, tir.Int(0))), ""},
		{pass.FlatBuffers, loops(&tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Name: "b", Reads: []*tir.BufferRegion{{Buffer: buf, Region: []*tir.Range{iter.Dom, iter.Dom}}}, Body: tir.NoOp()}}), "an access of buffer B with 2 indices"},
	} {
		err := c.form.Check(ir.NewModule().With("f", c.fn))
		if c.wants == "" && err != nil || c.wants != "" && (err == nil || !strings.HasSuffix(err.Error(), "function f has "+c.wants)) {
			t.Errorf("%s: %v, expected %q", c.form.Name, err, c.wants)
		}
	}
}
