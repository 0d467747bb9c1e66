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

// Conv is the convolution of x in NCHW16c, for blocks of 16 channels, with what WinogradWeights made of the weights.
func (o Winograd) Conv(x, u *te.Tensor) (*te.Tensor, error) {
	forData, _, forResults, known := winogradTransforms(o.Tile)
	if !known || len(x.Shape) != 5 || len(u.Shape) != 5 {
		return nil, fmt.Errorf("Winograd: tiles of %d, data with %d axes: expected tiles of 2 or 4, and data in blocks of channels", o.Tile, len(x.Shape))
	}
	var size [4]int64 // height, width, and the channels of a block of data and of results
	for k, e := range []tir.Expr{x.Shape[2], x.Shape[3], x.Shape[4], u.Shape[4]} {
		n, ok := tir.AsInt(e)
		if !ok {
			return nil, fmt.Errorf("Winograd: extents of images and of blocks of channels must be constant")
		}
		size[k] = n
	}
	m, side := o.Tile, o.Tile+2
	height, width := size[0]+o.Before[0]+o.After[0]-2, size[1]+o.Before[1]+o.After[1]-2
	if height < 1 || width < 1 {
		return nil, fmt.Errorf("Winograd: the image is smaller than a window")
	}
	across, bands := (width+m-1)/m, ((height+m-1)/m+o.Rows-1)/o.Rows
	rows := o.Rows * m // of a band
	zero := tir.Const(x.DType, 0)
	n, b, features := x.Shape[0], tir.Int(bands), u.Shape[1]
	padded := te.Compute("pad_temp", []tir.Expr{n, b, x.Shape[1], tir.Int(rows + 2), tir.Int(across*m + 2), x.Shape[4]}, func(i []tir.Expr) tir.Expr {
		h := tir.Sub(tir.Add(tir.Mul(i[1], tir.Int(rows)), i[3]), tir.Int(o.Before[0]))
		w := tir.Sub(i[4], tir.Int(o.Before[1]))
		inside := tir.And(tir.And(tir.GE(h, tir.Int(0)), tir.LT(h, x.Shape[2])), tir.And(tir.GE(w, tir.Int(0)), tir.LT(w, x.Shape[3])))
		return tir.IfThenElseExpr(inside, x.At(i[0], i[2], h, w, i[5]), zero)
	})
	tile := func(i []tir.Expr) tir.Expr { return tir.Add(tir.Mul(i[3], tir.Int(across)), i[4]) }
	within := func(e, by tir.Expr) tir.Expr { return tir.Add(tir.Mul(e, tir.Int(m)), by) }
	place := func(row, col tir.Expr) tir.Expr { return tir.Add(tir.Mul(row, tir.Int(side)), col) }
	axes := []string{"n", "b", "c", "y", "x"}
	data := te.Tiles("winograd_data", te.Out{DType: x.DType, Shape: []tir.Expr{n, b, tir.Int(side * side), x.Shape[1], tir.Int(o.Rows * across), x.Shape[4]}},
		axes, []tir.Expr{n, b, x.Shape[1], tir.Int(o.Rows), tir.Int(across)}, []*te.Tensor{padded},
		func(in []*tir.Buffer, out *tir.Buffer, i []tir.Expr) te.Tile {
			return twice(forData, side, size[2], in[0], out, func(row, col, l tir.Expr) []tir.Expr {
				return []tir.Expr{i[0], i[1], i[2], within(i[3], row), within(i[4], col), l}
			}, func(row, col, l tir.Expr) []tir.Expr {
				return []tir.Expr{i[0], i[1], place(row, col), i[2], tile(i), l}
			})
		})
	rc, rci := te.ReduceAxis("rc", x.Shape[1]), te.ReduceAxis("rci", x.Shape[4])
	products := te.Compute("winograd_products", []tir.Expr{n, b, tir.Int(side * side), features, tir.Int(o.Rows * across), u.Shape[4]}, func(i []tir.Expr) tir.Expr {
		return te.Sum(tir.Mul(data.At(i[0], i[1], i[2], rc.Var, i[4], rci.Var), u.At(i[2], i[3], rc.Var, rci.Var, i[5])), rc, rci)
	})
	results := te.Tiles("winograd_results", te.Out{DType: x.DType, Shape: []tir.Expr{n, b, features, tir.Int(rows), tir.Int(across * m), u.Shape[4]}},
		axes, []tir.Expr{n, b, features, tir.Int(o.Rows), tir.Int(across)}, []*te.Tensor{products},
		func(in []*tir.Buffer, out *tir.Buffer, i []tir.Expr) te.Tile {
			return twice(forResults, side, size[3], in[0], out, func(row, col, l tir.Expr) []tir.Expr {
				return []tir.Expr{i[0], i[1], place(row, col), i[2], tile(i), l}
			}, func(row, col, l tir.Expr) []tir.Expr {
				return []tir.Expr{i[0], i[1], i[2], within(i[3], row), within(i[4], col), l}
			})
		}, te.Attr(tir.AttrBandRows, rows))
	return te.Compute("conv2d_winograd", []tir.Expr{n, features, tir.Int(height), tir.Int(width), u.Shape[4]}, func(i []tir.Expr) tir.Expr {
		return results.At(i[0], tir.FloorDiv(i[2], tir.Int(rows)), i[1], tir.FloorMod(i[2], tir.Int(rows)), i[3], i[4])
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
