package te

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Tile is what a computation of Tiles does for one tile.
type Tile struct {
	Local []*tir.Buffer // memory that the tile has to itself
	Body  tir.Stmt
}

// Tiles returns a tensor that statements compute tile by tile. The tile at i, one index for each of the axes, which are as long as extents say, writes elements of out that no other tile
// writes, and reads inputs. Unlike Extern it has a block with axes, what that reads and writes follows from its statements, and schedules may take the tiles in any
// order. body is called once for each function made of the tensor and must make new variables each time.
func Tiles(name string, out Out, axes []string, extents []tir.Expr, inputs []*Tensor, body func(in []*tir.Buffer, out *tir.Buffer, i []tir.Expr) Tile, opts ...Option) *Tensor {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	op := &operation{name: name, attrs: o.attrs, extern: &external{inputs: inputs}}
	op.extern.block = func(b *builder, in, out []*tir.Buffer) tir.Stmt {
		n, at := b.nest(op), make([]tir.Expr, len(extents))
		for k, extent := range extents {
			d := extent.DType()
			n.axis(&tir.IterVar{Dom: &tir.Range{Min: tir.Const(d, 0), Extent: extent}, Var: tir.NewVar(axes[k], d), Kind: tir.DataPar})
			at[k] = n.iters[k].Var
		}
		blk, t := n.block(), body(in, out[0], at)
		blk.AllocBuffers, blk.Body = t.Local, b.from(t.Body)
		return n.around(blk)
	}
	op.outputs = []*Tensor{{Name: name, DType: out.DType, Shape: out.Shape, op: op}}
	return op.outputs[0]
}

// LocalBuffer is memory for Tile.Local.
func LocalBuffer(name string, d dtype.DType, shape ...int64) *tir.Buffer {
	dims := make([]tir.Expr, len(shape))
	for k, n := range shape {
		dims[k] = tir.Int(n)
	}
	return tir.NewBuffer(name, d, dims, "local")
}
