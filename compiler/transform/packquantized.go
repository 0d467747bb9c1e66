package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

const rulePackQuantized = "multiply by weights of few bits"

// PackQuantizedWeights keeps constant right factors of products in the few bits that they are made of.
//
// Where weights are (data - zero) scale, of constants, they would be computed when a program is loaded, and take the memory of float32. A product of one row is as fast as its weights
// are read. TVM's compilers for language models fuse the operators that decode weights into products, as MLC-LLM's FuseDequantizeMatmulEwise does.
var PackQuantizedWeights = &pass.Pass{
	Name: "PackQuantizedWeights", Level: 2, Kind: pass.Module, ReadsTarget: true,
	Doc: "Computes matmul of float32 by a matrix that is (data - zero) scale, where data is a constant of 8-bit integers, and zero and scale have an element each for all columns, for a column, or for a block of its rows, without that matrix: it stays integers in memory, which become numbers where a tile of results reads them. They are brought into blocks of columns, each with its rows behind each other, two to a byte where all lie within four bits, by a kernel that runs when the program is loaded. On targets whose vectors hold fewer than 8 numbers, one row by weights of 4 MiB or more as float32 alone is computed so.",
	Options: []pass.Option{
		{Name: "block", Default: int64(0), Doc: "the columns of a block at most; 0 for as many as four vectors of 32-bit numbers of the target hold, if a vector holds more than one"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		block, narrow := c.Arg("block").(int64), false
		if block == 0 && !c.TargetOf().IsZero() {
			if n := int64(c.TargetOf().VectorLanes(dtype.Float32T)); n > 1 {
				block, narrow = 4*n, n < gainful
			}
		}
		if block < 0 || block > maxBlock {
			return nil, fmt.Errorf("block: %d columns, want 0 to %d", block, maxBlock)
		}
		p := &quantizedPacking{c: c, block: block, narrow: narrow}
		out, err := lowerPicked(c, "PackQuantizedWeights", m, p.scan, p.pick)
		if err != nil || out == m {
			return out, err
		}
		return eachFunction(c, out, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) { return removeUnused(c, out, f) }) // what computed the weights
	},
}

// leastColumns is the least number of columns of a block that is worth having: a vector of any target has so many.
const leastColumns = 4

// quantizedPacking finds and lowers the products.
type quantizedPacking struct {
	c      *pass.Context
	block  int64
	narrow bool // few numbers become floats in one instruction
	inputsOf
}

// farWeights is how many bytes float32 weights take that no cache holds: to read them takes longer than to convert a quarter as many with vectors of four numbers.
const farWeights = 4 << 20

// pick returns the kernel of a product.
func (p *quantizedPacking) pick(vb *relax.VarBinding) *lowered {
	call := callsOp(vb.Value, "relax.matmul")
	if call == nil || len(call.Args) != 2 {
		return nil
	}
	w := p.constants.dequantized(call.Args[1])
	if w == nil {
		return nil
	}
	columns, why := p.columns(vb, call, w)
	if why != "" {
		p.c.Declined(rulePackQuantized, vb, why)
		return nil
	}
	return &lowered{
		rule: func(k *kernel) ([]*te.Tensor, error) { return w.matmul(k, columns) }, hint: "dequantize_matmul", why: rulePackQuantized, hidden: p.dataflow[vb.Var],
	}
}

// columns is how many columns a block has, or why the product stays as it is.
func (p *quantizedPacking) columns(vb *relax.VarBinding, call *relax.Call, w *quantizedWeights) (columns int64, why string) {
	a, ok := relax.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
	out, also := vb.Var.SInfo.(*relax.TensorStructInfo)
	switch {
	case p.block < leastColumns:
		return 0, "the target has no vectors, and the option block is not given"
	case !ok || !also || a.DType != dtype.Float32T || out.DType != dtype.Float32T:
		return 0, "its tensors are not of type float32"
	}
	left, known := a.Dims()
	if !known || len(left) == 0 || !tir.IsConst(left[len(left)-1], w.depth) {
		return 0, "the shape of its left factor is not known"
	}
	if p.narrow && (!oneRow(left) || 4*w.depth*w.columns < farWeights) {
		return 0, "vectors of the target are short, so that only one row by weights that no cache would hold gains by converting them each time"
	}
	for n := p.block; n >= leastColumns; n /= 2 {
		if w.columns%n == 0 {
			return n, ""
		}
	}
	return 0, fmt.Sprintf("it has %d columns, which blocks of %d do not divide", w.columns, leastColumns)
}

// matmul is the kernel, behind those that bring the weights into blocks of n columns.
func (w *quantizedWeights) matmul(k *kernel, n int64) ([]*te.Tensor, error) {
	k.pattern = patOutEWiseFusable
	halves, less := w.stored()
	form := topi.QuantizedWeights{Halves: halves, Rows: w.rows}
	data := w.data.tensor("data")
	packed := topi.PackQuantized(w.depth, w.columns, n, halves, less, func(row, column tir.Expr) tir.Expr { return data.At(w.data.at(row, column)...) })
	form.Data = k.param(k.bindKernel("packed", packed, []*te.Tensor{data}, []relax.Expr{w.data.value}), 1)
	// table brings an operand into the form of zeros and scales.
	table := func(o *quantizedOperand, name string, less int64) topi.Operand {
		if o == nil {
			return topi.Operand{Scalar: tir.Const(dtype.Float32T, -less)}
		}
		if x, ok := o.uniform(); ok {
			return topi.Operand{Scalar: tir.FloatConst(dtype.Float32T, x-float64(less))}
		}
		t := o.tensor(name)
		out := te.Compute(name, []tir.Expr{tir.Int(w.columns / n), tir.Int((w.depth + w.rows - 1) / w.rows), tir.Int(n)}, func(i []tir.Expr) tir.Expr {
			e := tir.CastTo(dtype.Float32T, t.At(o.at(tir.Mul(i[1], tir.Int(w.rows)), tir.Add(tir.Mul(i[0], tir.Int(n)), i[2]))...))
			return tir.Sub(e, tir.Const(dtype.Float32T, less))
		}, te.AxisPrefix("i"))
		return topi.T(k.param(k.bindKernel(name, out, []*te.Tensor{t}, []relax.Expr{o.value}), 1))
	}
	form.Scale = table(&w.scale, "scales", 0)
	form.Zero = table(w.zero, "zeros", less)
	out, err := topi.MatmulQuantized(k.tensor(0), form)
	return list(out, err)
}
