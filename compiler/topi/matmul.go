package topi

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// MatmulOpts refines Matmul.
type MatmulOpts struct {
	// TransposeA and TransposeB say that the last two axes of a factor of at least two
	// dimensions are swapped; the kernel reads it as it lies in memory.
	TransposeA, TransposeB bool
	// Out is the element type of the result; Void is that of a. Sums are computed in its
	// accumulator type.
	Out dtype.DType
}

// Matmul is the matrix product over the last two axes with the others broadcast. A factor
// of one dimension is a row on the left and a column on the right.
func Matmul(a, b *te.Tensor, opts MatmulOpts) (*te.Tensor, error) {
	if a.NDim() == 0 || b.NDim() == 0 {
		return nil, fmt.Errorf("matmul needs tensors of at least one dimension")
	}
	out := opts.Out
	if out.IsVoid() {
		out = a.DType
	}
	left, right := newFactor(a, opts.TransposeA, true), newFactor(b, opts.TransposeB, false)
	outer, err := BroadcastShape(left.outer, right.outer)
	if err != nil {
		return nil, err
	}
	shape := append([]tir.Expr{}, outer...)
	if a.NDim() > 1 {
		shape = append(shape, left.free)
	}
	if b.NDim() > 1 {
		shape = append(shape, right.free)
	}
	name := "matmul"
	if opts.TransposeA || opts.TransposeB {
		name = map[bool]string{true: "T", false: "N"}[opts.TransposeA] + map[bool]string{true: "T", false: "N"}[opts.TransposeB] + "_matmul"
	}
	k := te.ReduceAxis("k", left.sum)
	term := factorType(out)
	left.t, right.t = converted(a, term), converted(b, term)
	product := te.Compute(name, shape, func(i []tir.Expr) tir.Expr {
		row, col := tir.Expr(nil), tir.Expr(nil)
		rest := i[len(outer):]
		if a.NDim() > 1 {
			row, rest = rest[0], rest[1:]
		}
		if b.NDim() > 1 {
			col = rest[0]
		}
		x := left.at(i[:len(outer)], outer, row, k.Var)
		y := right.at(i[:len(outer)], outer, col, k.Var)
		return dot(tir.Mul(x, y), k)
	}, te.AxisPrefix("i"), inRuns())
	return converted(product, out, te.AxisPrefix("i")), nil
}

// factor is one side of a matrix product.
type factor struct {
	t         *te.Tensor // in the type of the factors
	outer     []tir.Expr
	free, sum tir.Expr // extents of the axis that stays (nil for a vector) and of the one that is summed over
	sumLast   bool
}

func newFactor(t *te.Tensor, transposed, left bool) *factor {
	n := t.NDim()
	if n == 1 {
		return &factor{sum: t.Shape[0]}
	}
	f := &factor{outer: t.Shape[:n-2], sumLast: left != transposed}
	f.free, f.sum = t.Shape[n-1], t.Shape[n-2]
	if f.sumLast {
		f.free, f.sum = f.sum, f.free
	}
	return f
}

func (f *factor) at(i, outer []tir.Expr, free, sum tir.Expr) tir.Expr {
	if f.free == nil {
		return f.t.At(sum)
	}
	idx := broadcastIndex(f.outer, i, outer)
	if f.sumLast {
		return f.t.At(append(idx, free, sum)...)
	}
	return f.t.At(append(idx, sum, free)...)
}

// Einsum is the sum of products that subscripts ("ij,jk->ik") describes; a letter that the
// result lacks is summed over.
func Einsum(subscripts string, xs []*te.Tensor) (*te.Tensor, error) {
	spec := strings.ReplaceAll(subscripts, " ", "")
	ins, out, explicit := strings.Cut(spec, "->")
	terms := strings.Split(ins, ",")
	if len(terms) != len(xs) {
		return nil, fmt.Errorf("einsum %q names %d operands, got %d", subscripts, len(terms), len(xs))
	}
	extent, counts := map[rune]tir.Expr{}, map[rune]int{}
	for k, term := range terms {
		for j, r := range []rune(term) {
			counts[r]++
			if d := xs[k].Shape[j]; extent[r] == nil || tir.IsConst(extent[r], 1) {
				extent[r] = d
			}
		}
	}
	if !explicit {
		for r := 'A'; r <= 'z'; r++ {
			if counts[r] == 1 {
				out += string(r)
			}
		}
	}
	var shape []tir.Expr
	for _, r := range out {
		shape = append(shape, extent[r])
	}
	reduced := map[rune]*tir.IterVar{}
	var axes []*tir.IterVar
	for _, r := range ins {
		if r != ',' && !strings.ContainsRune(out, r) && reduced[r] == nil {
			reduced[r] = te.ReduceAxis(string(r), extent[r])
			axes = append(axes, reduced[r])
		}
	}
	elem := xs[0].DType
	factors := make([]*te.Tensor, len(xs))
	for k, x := range xs {
		factors[k] = converted(x, x.DType.Accumulator())
	}
	xs = factors
	total := te.Compute("T_einsum", shape, func(i []tir.Expr) tir.Expr {
		at := map[rune]tir.Expr{}
		for k, r := range []rune(out) {
			at[r] = i[k]
		}
		var product tir.Expr
		for k, term := range terms {
			var idx []tir.Expr
			for j, r := range []rune(term) {
				v := at[r]
				if reduced[r] != nil {
					v = reduced[r].Var
				}
				if tir.IsConst(xs[k].Shape[j], 1) {
					v = tir.Int(0)
				}
				idx = append(idx, v)
			}
			e := xs[k].At(idx...)
			if product == nil {
				product = e
			} else {
				product = tir.Mul(product, e)
			}
		}
		if len(axes) == 0 {
			return product
		}
		return dot(product, axes...)
	}, inRuns())
	return converted(total, elem), nil
}

// Outer is the product of each element of a with each of b, both of one dimension.
func Outer(a, b *te.Tensor) *te.Tensor {
	return te.Compute("T_outer", []tir.Expr{a.Shape[0], b.Shape[0]}, func(i []tir.Expr) tir.Expr {
		return tir.Mul(a.At(i[0]), b.At(i[1]))
	})
}
