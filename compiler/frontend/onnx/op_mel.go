package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
)

// melWeights is the matrix that sums the elements of a spectrum up in bands whose middles are equally far from each other on the mel scale. A band is a
// triangle from the middle of the one before to that of the next. The distance on the scale is that of one band more than there are edges, as the text's
// reference has it.
func melWeights(n *node) {
	bands, length, rate := n.oneInt(0, "num_mel_bins"), n.oneInt(1, "dft_length"), n.oneInt(2, "sample_rate")
	low, high := n.scalarOperand(3, "lower_edge_hertz"), n.scalarOperand(4, "upper_edge_hertz")
	d, err := onnxpb.DataType(n.int("output_datatype", int64(onnxpb.Float))).DType()
	n.check(err)
	if !d.IsFloat() && !d.IsInteger() {
		n.fail("attribute \"output_datatype\" names %s, expected a number", d)
	}
	if length < 0 || rate < 1 || bands < 0 || length > maxSignal || bands > maxSignal/(length/2+1) {
		n.fail("num_mel_bins, dft_length and sample_rate are %d, %d and %d, expected 0, 0 and 1 or more, and at most %d elements", bands, length, rate, maxSignal)
	}
	if !(low > -700) || !(high > -700) || isInf(low) || isInf(high) {
		n.fail("lower_edge_hertz and upper_edge_hertz are %g and %g, expected frequencies", low, high)
	}
	rows := length/2 + 1
	mel := func(hertz float64) float64 { return 2595 * math.Log10(1+hertz/700) }
	step := (mel(high) - mel(low)) / float64(bands+2)
	edges := make([]int64, bands+2) // rows
	for i := range edges {
		hertz := 700 * (math.Pow(10, (float64(i)*step+mel(low))/2595) - 1)
		at := math.Floor(float64(length+1) * hertz / float64(rate))
		if !(at >= 0 && at <= float64(rows)) || i > 0 && i <= int(bands) && at >= float64(rows) || i > 0 && int64(at) < edges[i-1] {
			n.fail("edge %d of the bands is %g Hz, which is row %g of a spectrum of %d rows; choose edges from 0 to half the sample rate in order", i, hertz, at, rows)
		}
		edges[i] = int64(at)
	}
	y := n.numbers(dtype.Float32T, []int64{rows, bands}, func(i int) float64 {
		row, band := int64(i)/bands, int64(i)%bands
		lo, middle, hi := edges[band], edges[band+1], edges[band+2]
		switch {
		case row == middle:
			return 1
		case row >= lo && row < middle:
			return float64(row-lo) / float64(middle-lo)
		case row > middle && row < hi:
			return float64(hi-row) / float64(hi-middle)
		}
		return 0
	})
	if d == dtype.Float32T {
		n.set(0, y)
		return
	}
	n.result("relax.astype", args(y), "dtype", d)
}
