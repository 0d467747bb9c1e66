package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// uniformKernel reports whether equal elements in all inputs give equal elements in the
// output: every block is elementwise, broadcast or injective and no value depends on its
// position.
func uniformKernel(f *tir.PrimFunc) bool {
	blocks, opaque := leafBlocks(f.Body)
	if opaque != nil {
		return false
	}
	for _, b := range blocks {
		spatial := map[*tir.Var]int{}
		for _, iv := range b.IterVars {
			if iv.Kind != tir.DataPar {
				return false
			}
			spatial[iv.Var] = -1
		}
		store, ok := b.Body.(*tir.BufferStore)
		if !ok || usesPosition(store.Value, spatial) {
			return false
		}
	}
	return len(blocks) == 1
}

// evaluateSplat computes one element and spreads it: the kernel is specialised to extents
// of 1.
func (fo *folder) evaluateSplat(kernel *tir.PrimFunc, args []*ir.Blob, info *relax.TensorStructInfo, dims []int64) (*relax.Constant, error) {
	blocks, _ := leafBlocks(kernel.Body)
	store := blocks[0].Body.(*tir.BufferStore)
	port := map[*tir.Buffer]*ir.Blob{}
	for i, b := range kernel.Buffers {
		if b != nil && i < len(args) {
			port[b] = args[i]
		}
	}
	// One scalar function of the loaded elements: scalar buffers in, scalar buffer out.
	cell := map[*tir.Buffer]*tir.Buffer{}
	f := &tir.PrimFunc{RetType: ir.VoidType(), Attrs: ir.NewAttrs("tir.noalias", true)}
	var blobs []*ir.Blob
	ok := true
	add := func(b *tir.Buffer) *tir.Buffer {
		if c := cell[b]; c != nil {
			return c
		}
		c := tir.NewBuffer(b.Name, b.DType, nil, "")
		cell[b] = c
		f.Params = append(f.Params, tir.NewVar(b.Name+"_h", c.Data.DType()))
		f.Buffers = append(f.Buffers, c)
		return c
	}
	value := tir.RewriteExpr(store.Value, func(e tir.Expr) tir.Expr {
		l, isLoad := e.(*tir.BufferLoad)
		if !isLoad {
			return e
		}
		blob := port[l.Buffer]
		if blob == nil {
			ok = false
			return e
		}
		if cell[l.Buffer] == nil {
			one, err := ir.NewBlob(blob.DType(), nil, blob.Elem(0))
			if err != nil {
				ok = false
				return e
			}
			blobs = append(blobs, one)
		}
		return tir.Load(add(l.Buffer))
	})
	if !ok {
		return nil, nil
	}
	f.Body = tir.Store(add(store.Buffer), value)
	outs, err := fo.c.Evaluator.Eval(fo.c.Context(), f, blobs, []pass.TensorType{{DType: info.DType}})
	if err != nil {
		return nil, nil // the general way reports what is wrong
	}
	data, err := ir.NewSplat(info.DType, dims, outs[0].Elem(0))
	if err != nil {
		return nil, err
	}
	return &relax.Constant{Data: data}, nil
}
