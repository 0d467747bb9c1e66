package topi

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

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
	return te.Compute("T_einsum", shape, func(i []tir.Expr) tir.Expr {
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
		return te.Sum(product, axes...)
	}), nil
}

// Outer is the product of each element of a with each of b, both of one dimension.
func Outer(a, b *te.Tensor) *te.Tensor {
	return te.Compute("outer", []tir.Expr{a.Shape[0], b.Shape[0]}, func(i []tir.Expr) tir.Expr {
		return tir.Mul(a.At(i[0]), b.At(i[1]))
	}, te.AxisNames("i", "j"))
}
