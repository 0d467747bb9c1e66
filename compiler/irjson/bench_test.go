package irjson_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// large builds a module of 20,000 bindings with 100,000 distinct nodes, and a constant of
// 64 MiB.
func large() *ir.Module {
	info := relax.TensorOf(dtype.Float32T, tir.NewVar("n", dtype.Int64T))
	p := &relax.Var{Name: "x", SInfo: info}
	blk := &relax.BindingBlock{Dataflow: true}
	last := p
	for range 20_000 {
		v := &relax.Var{Name: "lv", SInfo: info, Dataflow: true}
		call := &relax.Call{Op: ir.NewOp("relax.add"), Args: []relax.Expr{last, &relax.PrimValue{Value: tir.Int(1)}}, SInfo: info}
		blk.Bindings = append(blk.Bindings, &relax.VarBinding{Var: v, Value: call})
		last = v
	}
	b, err := ir.NewBlob(dtype.Float32T, []int64{1 << 24}, make([]byte, 64<<20))
	if err != nil {
		panic(err)
	}
	body := &relax.Tuple{Fields: []relax.Expr{last, &relax.Constant{Data: b}}}
	f := &relax.Function{Params: []*relax.Var{p}, Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{blk}, Body: body}}
	return ir.NewModule().With("main", f)
}

func BenchmarkSave(b *testing.B) {
	m := large()
	b.ReportAllocs()
	for b.Loop() {
		if err := irjson.Save(io.Discard, m, irjson.Options{Blobs: irjson.Raw}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	m := large()
	for _, c := range []struct {
		name string
		enc  irjson.Encoding
	}{{"raw", irjson.Raw}, {"base64", irjson.Base64}} {
		text := save(b, m, c.enc)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := irjson.Load(bytes.NewReader(text), irjson.DefaultLimits()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
