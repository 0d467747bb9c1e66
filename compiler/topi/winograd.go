package topi

import (
	"fmt"
	"strconv"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Winograd is a convolution with windows of 3x3 and stride 1, computed tile by tile: with m x m results of a tile, m^2 * 9 products for each pair of channels become
// (m+2)^2. The (m+2) x (m+2) elements that a tile reads, and the window, are brought by B^T and G to where their convolution is a product of elements, so that all tiles and channels
// make (m+2)^2 products of matrices, and A^T brings those back. After S. Winograd, "Arithmetic complexity of computations" (1980), and A. Lavin and S. Gray, "Fast algorithms for
// convolutional neural networks" (2015), whose transforms these are.
//
// Sums come in another order than by definition, so results round otherwise: with tiles of 2 by no more, as sums are nine times as short, with tiles of 4 by four times as much (for
// 64 channels). An element that is infinite or NaN reaches all results of the tiles that read it.
type Winograd struct {
	// Tile is m, 2 or 4.
	Tile int64
	// Rows is how many rows of tiles are computed before the next ones, a band: what they need in between is the memory of one band.
	Rows int64
	// Before and After are the zeros around an image, of the height and of the width.
	Before, After []int64
	// Plain is whether data and results are in NCHW, and not in blocks of channels as the weights are.
	Plain bool
}

// winogradTransforms are B^T, G and A^T for tiles of a size; ok is false for others than 2 and 4.
func winogradTransforms(tile int64) (data, weights, results [][]float64, ok bool) {
	switch tile {
	case 2:
		data = [][]float64{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}}
		weights = [][]float64{{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}}
		results = [][]float64{{1, 1, 1, 0}, {0, 1, -1, -1}}
	case 4:
		data = [][]float64{{4, 0, -5, 0, 1, 0}, {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}}
		weights = [][]float64{
			{1. / 4, 0, 0}, {-1. / 6, -1. / 6, -1. / 6}, {-1. / 6, 1. / 6, -1. / 6}, {1. / 24, 1. / 12, 1. / 6}, {1. / 24, -1. / 12, 1. / 6}, {0, 0, 1},
		}
		results = [][]float64{{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}
	}
	return data, weights, results, data != nil
}

// WinogradWeights brings the windows of a convolution to where they are multiplied: weights OIHW16i16o, for blocks of 16 channels, become (m+2)^2 matrices [(m+2)^2, O, I, 16i, 16o].
func WinogradWeights(w *te.Tensor, tile int64) (*te.Tensor, error) {
	_, windows, _, known := winogradTransforms(tile)
	if !known || len(w.Shape) != 6 || !tir.IsConst(w.Shape[2], 3) || !tir.IsConst(w.Shape[3], 3) {
		return nil, fmt.Errorf("Winograd: tiles of %d and weights with %d axes: expected tiles of 2 or 4, and weights 3x3 in blocks of channels", tile, len(w.Shape))
	}
	lanes, ok := tir.AsInt(w.Shape[5])
	if !ok {
		return nil, fmt.Errorf("Winograd: a block of output channels is not of constant size")
	}
	side := tile + 2
	place := func(row, col tir.Expr) tir.Expr { return tir.Add(tir.Mul(row, tir.Int(side)), col) }
	shape := []tir.Expr{tir.Int(side * side), w.Shape[0], w.Shape[1], w.Shape[4], w.Shape[5]}
	return te.Tiles("winograd_weights", te.Out{DType: w.DType, Shape: shape}, []string{"o", "i", "ii"}, []tir.Expr{w.Shape[0], w.Shape[1], w.Shape[4]}, []*te.Tensor{w},
		func(in []*tir.Buffer, out *tir.Buffer, i []tir.Expr) te.Tile {
			return twice(windows, 3, lanes, in[0], out, func(row, col, l tir.Expr) []tir.Expr {
				return []tir.Expr{i[0], i[1], row, col, i[2], l}
			}, func(row, col, l tir.Expr) []tir.Expr {
				return []tir.Expr{place(row, col), i[0], i[1], i[2], l}
			})
		}), nil
}

// twice is the tile in which a matrix is applied to the columns and then to the rows of what from reads, a square with that many elements along each side, vectors of so many lanes. The
// result stands at the indices that to returns.
func twice(matrix [][]float64, side, lanes int64, in, out *tir.Buffer, from, to func(row, col, lane tir.Expr) []tir.Expr) te.Tile {
	results := int64(len(matrix))
	half := te.LocalBuffer("half", out.DType, results, side, lanes)
	lane := tir.NewVar("lane", out.Shape[len(out.Shape)-1].DType())
	col, row := tir.NewVar("col", dtype.Int64T), tir.NewVar("row", dtype.Int64T)
	columns := applied(matrix, side, func(k int64) tir.Expr { return tir.Load(in, from(tir.Int(k), col, lane)...) }, func(k int64, e tir.Expr) tir.Stmt {
		return tir.Store(half, e, tir.Int(k), col, lane)
	})
	rows := applied(matrix, side, func(k int64) tir.Expr { return tir.Load(half, row, tir.Int(k), lane) }, func(k int64, e tir.Expr) tir.Stmt {
		return tir.Store(out, e, to(row, tir.Int(k), lane)...)
	})
	unrolled := func(v *tir.Var, n int64, body tir.Stmt) tir.Stmt {
		return &tir.For{LoopVar: v, Min: tir.Int(0), Extent: tir.Int(n), Kind: tir.Unrolled, Body: body}
	}
	return te.Tile{Local: []*tir.Buffer{half}, Body: &tir.For{
		LoopVar: lane, Min: tir.Const(lane.DType(), 0), Extent: tir.Const(lane.DType(), lanes), Kind: tir.Vectorized,
		Body: tir.Seq(unrolled(col, side, columns), unrolled(row, results, rows)),
	}}
}

// applied has the elements that at returns bound to variables, and stores what a matrix makes of them.
func applied(matrix [][]float64, side int64, at func(k int64) tir.Expr, store func(k int64, e tir.Expr) tir.Stmt) tir.Stmt {
	vars, values := make([]*tir.Var, side), make([]tir.Expr, side)
	for k := range side {
		values[k] = at(k)
		vars[k] = tir.NewVar("x"+strconv.FormatInt(k, 10), values[k].DType())
	}
	stores := make([]tir.Stmt, len(matrix))
	for k, factors := range matrix {
		stores[k] = store(int64(k), weighted(factors, func(k int64) tir.Expr { return vars[k] }))
	}
	body := tir.Seq(stores...)
	for k := side - 1; k >= 0; k-- {
		body = &tir.LetStmt{Var: vars[k], Value: values[k], Body: body}
	}
	return body
}

// weighted is the sum of elements times the factors of a row: those that are taken as they are come first, so that each other one is a product and a sum in one.
func weighted(row []float64, at func(k int64) tir.Expr) tir.Expr {
	var sum tir.Expr
	add := func(of func(f float64) bool, with func(sum, x, f tir.Expr) tir.Expr) {
		for k := len(row) - 1; k >= 0; k-- {
			if f := row[k]; of(f) {
				x := at(int64(k))
				sum = with(sum, x, &tir.FloatImm{Type: x.DType(), Value: f})
			}
		}
	}
	add(func(f float64) bool { return f == 1 }, func(sum, x, _ tir.Expr) tir.Expr {
		if sum == nil {
			return x
		}
		return tir.Add(sum, x)
	})
	some := sum != nil
	add(func(f float64) bool { return f == -1 && some }, func(sum, x, _ tir.Expr) tir.Expr { return tir.Sub(sum, x) })
	add(func(f float64) bool { return f != 0 && f != 1 && (f != -1 || !some) }, func(sum, x, f tir.Expr) tir.Expr {
		if sum == nil {
			return tir.Mul(x, f)
		}
		return tir.Add(sum, tir.Mul(x, f))
	})
	return sum
}
