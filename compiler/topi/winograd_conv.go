package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// Conv is the convolution of x with what WinogradWeights made of the weights: in NCHW16c, for blocks of 16 channels, or in NCHW.
func (o Winograd) Conv(x, u *te.Tensor) (*te.Tensor, error) {
	axes := 5
	if o.Plain {
		axes = 4
	}
	w := winogradConv{Winograd: o, x: x, m: o.Tile, side: o.Tile + 2}
	var known bool
	if w.forData, _, w.forResults, known = winogradTransforms(o.Tile); !known || len(x.Shape) != axes || len(u.Shape) != 5 {
		return nil, fmt.Errorf("Winograd: tiles of %d, data with %d axes: expected tiles of 2 or 4, and data with %d", o.Tile, len(x.Shape), axes)
	}
	for k, e := range []tir.Expr{x.Shape[2], x.Shape[3], u.Shape[3], u.Shape[4]} {
		n, ok := tir.AsInt(e)
		if !ok {
			return nil, fmt.Errorf("Winograd: extents of images and of blocks of channels must be constant")
		}
		*[]*int64{&w.height, &w.width, &w.ofIn, &w.ofOut}[k] = n
	}
	w.height += o.Before[0] + o.After[0] - 2
	w.width += o.Before[1] + o.After[1] - 2
	if w.height < 1 || w.width < 1 {
		return nil, fmt.Errorf("Winograd: the image is smaller than a window")
	}
	w.across, w.rows = (w.width+w.m-1)/w.m, o.Rows*w.m
	w.n, w.channels, w.features = x.Shape[0], u.Shape[2], u.Shape[1]
	w.b = tir.Int(((w.height+w.m-1)/w.m + o.Rows - 1) / o.Rows)
	return w.result(w.results(w.products(w.data(w.padded()), u))), nil
}

// winogradConv is such a convolution under way.
type winogradConv struct {
	Winograd
	x                   *te.Tensor
	forData, forResults [][]float64
	m, side             int64 // results and elements of a tile along an axis
	height, width       int64 // of results
	ofIn, ofOut         int64 // channels of a block
	across, rows        int64 // tiles of a row, and rows of results of a band
	// images, bands, and blocks of channels of data and of results
	n, b, channels, features tir.Expr
}

// axes name the loops over tiles.
var winogradAxes = []string{"n", "b", "c", "y", "x"}

// tile is the number in its band of the tile at i, by winogradAxes.
func (w *winogradConv) tile(i []tir.Expr) tir.Expr {
	return tir.Add(tir.Mul(i[3], tir.Int(w.across)), i[4])
}

// within is where element by of a tile lies.
func (w *winogradConv) within(tile, by tir.Expr) tir.Expr {
	return tir.Add(tir.Mul(tile, tir.Int(w.m)), by)
}

// place is which of the matrices an element of a tile is in.
func (w *winogradConv) place(row, col tir.Expr) tir.Expr {
	return tir.Add(tir.Mul(row, tir.Int(w.side)), col)
}

// matrix lists indices, or extents, of the matrices that are multiplied: of an image and a band, of a matrix e, a block c of channels, a tile t, and a channel l of the block. Vectors that are too short for
// blocks of channels find all channels of a tile beside each other: an element of the data that is spread over a vector is there used for all results before the next ones are spread.
func (w *winogradConv) matrix(n, b, e, c, t, l tir.Expr) []tir.Expr {
	if w.Plain {
		return []tir.Expr{n, b, e, t, c, l}
	}
	return []tir.Expr{n, b, e, c, t, l}
}

// padded is the data in blocks of channels, with zeros around it: band by band, or, where it is brought into blocks, once for all.
func (w *winogradConv) padded() *te.Tensor {
	zero := tir.Const(w.x.DType, 0)
	at := func(n, c, h, col, l tir.Expr) tir.Expr {
		h, col = tir.Sub(h, tir.Int(w.Before[0])), tir.Sub(col, tir.Int(w.Before[1]))
		place := []tir.Expr{n, c, h, col, l}
		if w.Plain {
			place = []tir.Expr{n, tir.Add(tir.Mul(c, tir.Int(w.ofIn)), l), h, col}
		}
		inside := tir.And(tir.And(tir.GE(h, tir.Int(0)), tir.LT(h, w.x.Shape[2])), tir.And(tir.GE(col, tir.Int(0)), tir.LT(col, w.x.Shape[3])))
		return tir.IfThenElseExpr(inside, w.x.At(place...), zero)
	}
	width, lanes := tir.Int(w.across*w.m+2), tir.Int(w.ofIn)
	if w.Plain {
		return te.Compute("pad_temp", []tir.Expr{w.n, w.channels, tir.Add(tir.Mul(w.b, tir.Int(w.rows)), tir.Int(2)), width, lanes}, func(i []tir.Expr) tir.Expr {
			return at(i[0], i[1], i[2], i[3], i[4])
		})
	}
	return te.Compute("pad_temp", []tir.Expr{w.n, w.b, w.channels, tir.Int(w.rows + 2), width, lanes}, func(i []tir.Expr) tir.Expr {
		return at(i[0], i[2], tir.Add(tir.Mul(i[1], tir.Int(w.rows)), i[3]), i[4], i[5])
	})
}

// data are the transformed tiles.
func (w *winogradConv) data(padded *te.Tensor) *te.Tensor {
	return te.Tiles("winograd_data", te.Out{DType: w.x.DType, Shape: w.matrix(w.n, w.b, tir.Int(w.side*w.side), w.channels, tir.Int(w.Rows*w.across), tir.Int(w.ofIn))},
		winogradAxes, []tir.Expr{w.n, w.b, w.channels, tir.Int(w.Rows), tir.Int(w.across)}, []*te.Tensor{padded},
		func(in []*tir.Buffer, out *tir.Buffer, i []tir.Expr) te.Tile {
			return twice(w.forData, w.side, w.ofIn, in[0], out, func(row, col, l tir.Expr) []tir.Expr {
				row, col = w.within(i[3], row), w.within(i[4], col)
				if w.Plain {
					return []tir.Expr{i[0], i[2], tir.Add(tir.Mul(i[1], tir.Int(w.rows)), row), col, l}
				}
				return []tir.Expr{i[0], i[1], i[2], row, col, l}
			}, func(row, col, l tir.Expr) []tir.Expr {
				return w.matrix(i[0], i[1], w.place(row, col), i[2], w.tile(i), l)
			})
		})
}

// products are those of each element of the tiles with all weights for it.
func (w *winogradConv) products(data, u *te.Tensor) *te.Tensor {
	rc, rci := te.ReduceAxis("rc", w.channels), te.ReduceAxis("rci", tir.Int(w.ofIn))
	return te.Compute("winograd_products", w.matrix(w.n, w.b, tir.Int(w.side*w.side), w.features, tir.Int(w.Rows*w.across), tir.Int(w.ofOut)), func(i []tir.Expr) tir.Expr {
		c, t := i[3], i[4]
		if w.Plain {
			c, t = t, c
		}
		return te.Sum(tir.Mul(data.At(w.matrix(i[0], i[1], i[2], rc.Var, t, rci.Var)...), u.At(i[2], c, rc.Var, rci.Var, i[5])), rc, rci)
	})
}

// results are the products brought back, in blocks of channels and bands of rows.
func (w *winogradConv) results(products *te.Tensor) *te.Tensor {
	return te.Tiles("winograd_results", te.Out{DType: w.x.DType, Shape: []tir.Expr{w.n, w.b, w.features, tir.Int(w.rows), tir.Int(w.across * w.m), tir.Int(w.ofOut)}},
		winogradAxes, []tir.Expr{w.n, w.b, w.features, tir.Int(w.Rows), tir.Int(w.across)}, []*te.Tensor{products},
		func(in []*tir.Buffer, out *tir.Buffer, i []tir.Expr) te.Tile {
			return twice(w.forResults, w.side, w.ofOut, in[0], out, func(row, col, l tir.Expr) []tir.Expr {
				return w.matrix(i[0], i[1], w.place(row, col), i[2], w.tile(i), l)
			}, func(row, col, l tir.Expr) []tir.Expr {
				return []tir.Expr{i[0], i[1], i[2], w.within(i[3], row), w.within(i[4], col), l}
			})
		}, te.Attr(tir.AttrBandRows, w.rows))
}

// result are the results in their place.
func (w *winogradConv) result(results *te.Tensor) *te.Tensor {
	rows, lanes := tir.Int(w.rows), tir.Int(w.ofOut)
	at := func(n, c, h, col, l tir.Expr) tir.Expr {
		return results.At(n, tir.FloorDiv(h, rows), c, tir.FloorMod(h, rows), col, l)
	}
	if w.Plain {
		return te.Compute("conv2d_winograd", []tir.Expr{w.n, tir.Mul(w.features, lanes), tir.Int(w.height), tir.Int(w.width)}, func(i []tir.Expr) tir.Expr {
			return at(i[0], tir.FloorDiv(i[1], lanes), i[2], i[3], tir.FloorMod(i[1], lanes))
		})
	}
	return te.Compute("conv2d_winograd", []tir.Expr{w.n, w.features, tir.Int(w.height), tir.Int(w.width), lanes}, func(i []tir.Expr) tir.Expr {
		return at(i[0], i[1], i[2], i[3], i[4])
	})
}
