package transform

import "fmt"

// winogradForm is how a convolution is computed by tiles.
type winogradForm struct {
	tile int64
	rows int64 // of tiles in a band
}

const (
	// farBytes is how many bytes from beyond the second cache take as long as a vector of products.
	farBytes = 8
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
	if n := s.images * s.height * s.width * 9 * s.in * s.out; w.tile == 0 && n <= fewProducts {
		return winogradForm{}, fmt.Sprintf("it has %d products only", n)
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

// direct is about how many vectors of products a convolution takes as it is, with what its weights take that come from beyond the second cache.
func (w *winograd) direct(s convSizes) float64 {
	products := float64(s.images*s.height*s.width) * float64(9*s.in*s.out) / float64(s.block)
	return products + w.far(float64(9*s.in*s.out*4), 1)
}

// far is what reading bytes so often takes of which the second cache keeps half of its size.
func (w *winograd) far(bytes, times float64) float64 {
	return max(bytes-float64(w.cache)/2, 0) * times / farBytes
}

// timeOf returns the rows of a band with which tiles of size m take the least time, and that time, counted as direct does. A transform reads and writes each element of a tile twice, and
// adds up three or four.
func (w *winograd) timeOf(s convSizes, m int64) (winogradForm, float64) {
	side := m + 2
	down, across := (s.height+m-1)/m, (s.width+m-1)/m
	weights := float64(side*side*s.in*s.out) * 4
	best, least := winogradForm{}, 0.0
	for rows := int64(1); rows <= down; rows++ {
		bands := (down + rows - 1) / rows
		if w.rows > 0 && rows != min(w.rows, down) || w.rows == 0 && (down+bands-1)/bands < rows {
			continue // these are not asked for, or fewer make as many bands
		}
		tiles := float64(bands * rows * across)
		vectors := func(channels int64, perTile int64) float64 {
			return tiles * float64(channels/s.block) * float64(perTile)
		}
		t := tiles * float64(side*side) * float64(s.in*s.out) / float64(s.block)
		t += vectors(s.in, 7*side*side) + vectors(s.out, 3*side*side+5*side*m+3*m*m)
		between := float64(side*side*rows*across*(s.in+s.out)) * 4
		t = float64(s.images)*(t+w.far(between, 4*float64(bands))) + w.far(weights, float64(s.images*bands))
		if n := bands * s.images; bands > 1 && w.threads > 1 {
			t *= float64((n+w.threads-1)/w.threads*w.threads) / float64(n)
		}
		if best.tile == 0 || t < least {
			best, least = winogradForm{tile: m, rows: rows}, t
		}
	}
	return best, least
}
