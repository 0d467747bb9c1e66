package transform

import (
	"fmt"
	"slices"
)

// winogradForm is how a convolution is computed by tiles.
type winogradForm struct {
	tile int64
	rows int64 // of tiles in a band
}

const (
	// farBytes is how many bytes from beyond the second cache take as long as a vector of products.
	farBytes = 8
	// nearBytes is how many bytes that another core wrote last take as long.
	nearBytes = 2
	// movedElement is how many vectors of products take as long as moving an element between NCHW and blocks of channels, spreadElement, as spreading one over a vector ahead.
	movedElement, spreadElement = 4, 3
	// winogradGain is the part of the time of the convolution as it is that tiles must stay below: how long they take is an estimate.
	winogradGain = 0.9
	// fewProducts is what a convolution must have more of, so that five steps in its place pay: some ten microseconds.
	fewProducts = 1 << 20
)

// choose returns the tiles that take the least time, or says why none does.
func (w *winograd) choose(s convSizes) (winogradForm, string) {
	tiles := []int64{2}
	switch {
	case w.tile > 0:
		tiles = []int64{w.tile}
	case w.c.OptLevel >= 3:
		tiles = []int64{2, 4}
	}
	if n := s.products(); w.tile == 0 && n <= fewProducts {
		return winogradForm{}, fmt.Sprintf("it has %.0f products only", n)
	}
	best, least := winogradForm{}, 0.0
	for _, m := range tiles {
		if f, t := w.timeOf(s, m); best.tile == 0 || t < least {
			best, least = f, t
		}
	}
	if whole := w.direct(s); w.tile == 0 && least > winogradGain*whole {
		return best, fmt.Sprintf("products and transforms of tiles of %dx%d would take %.0f %% of its time, with what the larger weights take", best.tile, best.tile, 100*least/whole)
	}
	return best, ""
}

// products is how many numbers a convolution multiplies as it is.
func (s convSizes) products() float64 {
	return float64(s.images) * float64(s.height) * float64(s.width) * 9 * float64(s.in) * float64(s.out)
}

// direct is about how many vectors of products a convolution takes as it is, with what its weights take that come from beyond the second cache.
func (w *winograd) direct(s convSizes) float64 {
	return s.products()/float64(s.lanes) + w.far(9*4*float64(s.in)*float64(s.out), 1)
}

// far is what reading bytes so often takes of which the second cache keeps half of its size.
func (w *winograd) far(bytes, times float64) float64 {
	return max(bytes-float64(w.cache)/2, 0) * times / farBytes
}

// mostRows is how many rows of tiles a band has at most that is not a half, a third and so on of an image, and how many parts of an image are tried.
const mostRows = 16

// timeOf returns the rows of a band with which tiles of size m take the least time, and that time, counted as direct does. A transform reads and writes each element of a tile twice, and
// adds up three or four.
func (w *winograd) timeOf(s convSizes, m int64) (best winogradForm, least float64) {
	down := ceilDiv(s.height, m)
	list := []int64{min(w.rows, down)}
	if w.rows == 0 {
		list = nil
		for k := int64(1); k <= min(mostRows, down); k++ {
			list = append(list, k, ceilDiv(down, k))
		}
		slices.Sort(list)
	}
	for _, rows := range list {
		if t := w.bandsTime(s, m, rows, ceilDiv(down, rows)); best.tile == 0 || t < least {
			best, least = winogradForm{tile: m, rows: rows}, t
		}
	}
	return best, least
}

// bandsTime is the time of bands of some rows of tiles.
func (w *winograd) bandsTime(s convSizes, m, rows, bands int64) float64 {
	area, edge := float64((m+2)*(m+2)), float64((m+2)*m)
	of := float64(rows) * float64(ceilDiv(s.width, m)) // tiles of a band
	in, out, block := float64(s.in), float64(s.out), float64(s.lanes)
	products := area * in * out / block
	if s.plain {
		products += movedElement*float64(m*m)*(in+out) + spreadElement*area*in
	}
	transforms := in/block*7*area + out/block*(3*area+5*edge+3*float64(m*m))
	between := 4 * area * of * (in + out)
	t := float64(s.images) * float64(bands) * (of*(products+transforms) + w.far(between, 4) + w.far(4*area*in*out, 1))
	switch n := bands * s.images; {
	case w.threads == 1:
	case n > 1:
		t *= float64(ceilDiv(n, w.threads)*w.threads) / float64(n)
	default: // threads share the products alone, and what these read and write goes from one to the other
		t += float64(w.threads-1) * (of*transforms + between/nearBytes)
	}
	return t
}

func ceilDiv(a, b int64) int64 { return (a-1)/b + 1 }
