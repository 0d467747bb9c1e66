package topi

import (
	"fmt"
	"slices"

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

// bands are the first axes of what the steps of a band hand on: images and bands, or all bands of all images where the data is brought into blocks first.
func (w *winogradConv) bands() []tir.Expr {
	if w.Plain {
		return []tir.Expr{tir.Mul(w.n, w.b)}
	}
	return []tir.Expr{w.n, w.b}
}

// behind is a list of indices or extents behind those of bands.
func behind(bands []tir.Expr, list ...tir.Expr) []tir.Expr {
	return append(slices.Clone(bands), list...)
}

// tiles computes something tile by tile for blocks of channels: of is called with the indices of the bands, a block, and the row and the column of a tile.
func (w *winogradConv) tiles(name string, shape []tir.Expr, blocks tir.Expr, in *te.Tensor, of func(in, out *tir.Buffer, b []tir.Expr, c, y, x tir.Expr) te.Tile, opts ...te.Option) *te.Tensor {
	names, n := []string{"n", "b", "c", "y", "x"}, 2
	if w.Plain {
		names, n = names[1:], 1
	}
	return te.Tiles(name, te.Out{DType: w.x.DType, Shape: shape}, names, behind(w.bands(), blocks, tir.Int(w.Rows), tir.Int(w.across)), []*te.Tensor{in}, func(in []*tir.Buffer, out *tir.Buffer, i []tir.Expr) te.Tile {
		return of(in[0], out, i[:n], i[n], i[n+1], i[n+2])
	}, opts...)
}

// tile is the number of a tile in its band.
func (w *winogradConv) tile(y, x tir.Expr) tir.Expr { return tir.Add(tir.Mul(y, tir.Int(w.across)), x) }

// within is where element by of a tile lies.
func (w *winogradConv) within(tile, by tir.Expr) tir.Expr {
	return tir.Add(tir.Mul(tile, tir.Int(w.m)), by)
}

// place is which of the matrices an element of a tile is in.
func (w *winogradConv) place(row, col tir.Expr) tir.Expr {
	return tir.Add(tir.Mul(row, tir.Int(w.side)), col)
}

// factor lists indices of the transformed data: of a band, of a matrix e, a block c of channels, a tile t, and a channel l of the block. Vectors that are too short for blocks of channels
// find all channels of a tile beside each other: an element of the data that is spread over a vector is there used for all results before the next ones are spread.
func (w *winogradConv) factor(b []tir.Expr, e, c, t, l tir.Expr) []tir.Expr {
	if w.Plain {
		return behind(b, e, t, tir.Add(tir.Mul(c, tir.Int(w.ofIn)), l))
	}
	return behind(b, e, c, t, l)
}

// product lists indices of the products in the same way, whose results go as those of the data do.
func (w *winogradConv) product(b []tir.Expr, e, c, t, l tir.Expr) []tir.Expr {
	if w.Plain {
		return behind(b, e, t, c, l)
	}
	return behind(b, e, c, t, l)
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
	shape := behind(w.bands(), tir.Int(w.side*w.side), w.channels, tir.Int(w.Rows*w.across), tir.Int(w.ofIn))
	if w.Plain {
		shape = behind(w.bands(), tir.Int(w.side*w.side), tir.Int(w.Rows*w.across), tir.Mul(w.channels, tir.Int(w.ofIn)))
	}
	return w.tiles("winograd_data", shape, w.channels, padded, func(in, out *tir.Buffer, b []tir.Expr, c, y, x tir.Expr) te.Tile {
		return twice(w.forData, w.side, w.ofIn, in, out, func(row, col, l tir.Expr) []tir.Expr {
			row, col = w.within(y, row), w.within(x, col)
			if w.Plain {
				return []tir.Expr{tir.FloorDiv(b[0], w.b), c, tir.Add(tir.Mul(tir.FloorMod(b[0], w.b), tir.Int(w.rows)), row), col, l}
			}
			return behind(b, c, row, col, l)
		}, func(row, col, l tir.Expr) []tir.Expr {
			return w.factor(b, w.place(row, col), c, w.tile(y, x), l)
		})
	})
}

// products are those of each element of the tiles with all weights for it.
func (w *winogradConv) products(data, u *te.Tensor) *te.Tensor {
	rc, rci := te.ReduceAxis("rc", w.channels), te.ReduceAxis("rci", tir.Int(w.ofIn))
	shape := w.product(w.bands(), tir.Int(w.side*w.side), w.features, tir.Int(w.Rows*w.across), tir.Int(w.ofOut))
	return te.Compute("winograd_products", shape, func(i []tir.Expr) tir.Expr {
		n := len(w.bands())
		e, c, t, l := i[n], i[n+1], i[n+2], i[n+3]
		if w.Plain {
			c, t = t, c
		}
		return te.Sum(tir.Mul(data.At(w.factor(i[:n], e, rc.Var, t, rci.Var)...), u.At(e, c, rc.Var, rci.Var, l)), rc, rci)
	})
}

// results are the products brought back, in blocks of channels and bands of rows.
func (w *winogradConv) results(products *te.Tensor) *te.Tensor {
	shape := behind(w.bands(), w.features, tir.Int(w.rows), tir.Int(w.across*w.m), tir.Int(w.ofOut))
	opts := []te.Option{te.Attr(tir.AttrBandRows, w.rows)}
	if w.Plain {
		opts = append(opts, te.Attr(tir.AttrBandAxes, int64(1)))
	}
	return w.tiles("winograd_results", shape, w.features, products, func(in, out *tir.Buffer, b []tir.Expr, c, y, x tir.Expr) te.Tile {
		return twice(w.forResults, w.side, w.ofOut, in, out, func(row, col, l tir.Expr) []tir.Expr {
			return w.product(b, w.place(row, col), c, w.tile(y, x), l)
		}, func(row, col, l tir.Expr) []tir.Expr {
			return behind(b, c, w.within(y, row), w.within(x, col), l)
		})
	}, opts...)
}

// result are the results in their place.
func (w *winogradConv) result(results *te.Tensor) *te.Tensor {
	rows, lanes := tir.Int(w.rows), tir.Int(w.ofOut)
	at := func(n, c, h, col, l tir.Expr) tir.Expr {
		b := []tir.Expr{n, tir.FloorDiv(h, rows)}
		if w.Plain {
			b = []tir.Expr{tir.Add(tir.Mul(n, w.b), b[1])}
		}
		return results.At(behind(b, c, tir.FloorMod(h, rows), col, l)...)
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
