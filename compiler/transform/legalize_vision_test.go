package transform_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestVisionByValues has the examples of ONNX's NonMaxSuppression, and small ones whose values follow from the texts of the operators.
func TestVisionByValues(t *testing.T) {
	const boxes = "1 6 4: 0 0 1 1 0 0.1 1 1.1 0 -0.1 1 0.9 0 10 1 11 0 10.1 1 11.1 0 100 1 101"
	const scores = "1 1 6: 0.9 0.75 0.6 0.95 0.5 0.3"
	nms := "R.vision.all_class_non_max_suppression(x, y, z, u, v)"
	byValues(t, []valueCase{
		{nms, []string{boxes, scores, "int64: 3", ": 0.5", ": 0"}, []float64{0, 0, 3, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3}},
		{nms, []string{boxes, scores, "1 int64: 3", "1: 0.5", "1: 0.4"}, []float64{0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}},
		{nms, []string{boxes, scores, "1 int64: 0", "1: 0.5", "1: 0.4"}, []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{
			"R.vision.all_class_non_max_suppression(x, y, z, R.prim_value(T.float32(0.5)), R.const(0.4, \"float32\"), output_format=\"tensorflow\")",
			[]string{boxes, scores, "int64: 3"},
			[]float64{0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.95, 0.9, 0, 0, 0, 0, 2},
		},
		{"R.vision.get_valid_counts(x, score_threshold=0.4, id_index=0, score_index=1)", []string{"1 4 2: 0 0.8 1 0.1 -1 0.9 2 0.5"}, []float64{2, 0, 0.8, 2, 0.5, -1, -1, -1, -1, 0, 3, -1, -1}},
		{"R.vision.get_valid_counts(x, score_threshold=0.4, id_index=-1, score_index=1)", []string{"1 3 2: 0 0.8 1 0.1 -1 0.9"}, []float64{2, 0, 0.8, -1, 0.9, -1, -1, 0, 2, -1}},
		{"R.median(x, axis=[1])", []string{"2 3: 3 1 2 6 5 4"}, []float64{2, 5, 2, 1}},
		{"R.median(x, axis=[-2], keepdims=True)", []string{"4 1: 4 1 3 2"}, []float64{2, 3}},
		{"R.median(x)", []string{"2 2: 4 1 3 2"}, []float64{2}},
		{"R.median(x, axis=[0, 2])", []string{"2 2 2: 1 9 5 6 3 4 8 7"}, []float64{3, 6}},
		{"R.reverse_sequence(x, y)", []string{"2 3: 1 2 3 4 5 6", "2 int32: 2 9"}, []float64{2, 1, 3, 6, 5, 4}},
		{"R.reverse_sequence(x, y, seq_axis=0, batch_axis=-1)", []string{"2 3: 1 2 3 4 5 6", "3 int64: 2 0 1"}, []float64{4, 2, 3, 1, 5, 6}},
		{"R.quantize(x, y, z)", []string{"3: 1 2 4", "1: 2", "1 int8: 1"}, []float64{2, 2, 3}},
		{
			"R.vision.multibox_transform_loc(x, y, z, variances=[1.0, 1.0, 1.0, 1.0])",
			[]string{"1 2 1: 0 0", "1 4: 0.5 0 0 0", "1 1 4: 0 0 2 4"},
			[]float64{0, 1, 4, 3, 0.5, 0.5},
		},
		{
			"R.vision.multibox_transform_loc(x, y, z, variances=[1.0, 1.0, 1.0, 1.0], clip=True, threshold=0.6, keep_background=False)",
			[]string{"1 2 1: 0 0", "1 4: 0 0 0 0", "1 1 4: 0 0 2 4"},
			[]float64{0, 0, 1, 1, 0, 0},
		},
		{"R.image.resize3d(x, R.shape([1, 1, 2]), method=\"linear\")", []string{"1 1 2 2 2: 0 1 2 3 4 5 6 7"}, []float64{3, 4}},
		{"R.image.resize3d(x, R.shape([1, 2, 2]), layout=\"NDHWC\", method=\"nearest_neighbor\", coordinate_transformation_mode=\"asymmetric\", rounding_method=\"floor\")", []string{"1 2 2 2 1: 0 1 2 3 4 5 6 7"}, []float64{0, 1, 2, 3}},
		{"R.vision.roi_align(x, y, pooled_size=[1, 1], spatial_scale=1.0, sample_ratio=2, mode=\"max\")", []string{"1 1 2 2: 0 1 2 3", "2 5: 0 0 0 1 1 7 0 0 1 1"}, []float64{2.25, 0}},
		{"R.vision.roi_align(x, y, pooled_size=[1, 1], spatial_scale=1.0, sample_ratio=1, layout=\"NHWC\")", []string{"1 2 2 1: 0 1 2 3", "1 5: 0 0 0 1 1"}, []float64{1.5}},
	})
}

// candidate is a box with its class and score, and where it stood.
type candidate struct {
	box          [4]float64
	class, score float64
	at           int
}

// share is the intersection of two boxes over their union.
func share(a, b candidate) float64 {
	span := func(k int) (both, x, y float64) {
		la, ha := math.Min(a.box[k], a.box[k+2]), math.Max(a.box[k], a.box[k+2])
		lb, hb := math.Min(b.box[k], b.box[k+2]), math.Max(b.box[k], b.box[k+2])
		return math.Max(0, math.Min(ha, hb)-math.Max(la, lb)), ha - la, hb - lb
	}
	w, wa, wb := span(0)
	h, ha, hb := span(1)
	if u := wa*ha + wb*hb - w*h; u > 0 {
		return w * h / u
	}
	return 0
}

// suppressed is what non_max_suppression keeps, by its text: the best that is left suppresses others or takes from their scores, until none is left.
func suppressed(list []candidate, iou, sigma, least float64, most int, sameClass bool) (kept []candidate) {
	left := slices.Clone(list)
	for len(kept) < most || most <= 0 {
		best := -1
		for i, c := range left {
			if c.score > least && (best < 0 || c.score > left[best].score) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		c := left[best]
		kept, left = append(kept, c), slices.Delete(left, best, best+1)
		left = slices.DeleteFunc(left, func(o candidate) bool { return (!sameClass || o.class == c.class) && share(c, o) >= iou })
		for i := range left {
			if sigma > 0 && (!sameClass || left[i].class == c.class) {
				s := share(c, left[i])
				left[i].score *= math.Exp(-0.5 / sigma * s * s)
			}
		}
	}
	return kept
}

// TestSuppressionAtRandom holds non_max_suppression against its text.
func TestSuppressionAtRandom(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, rng *rand.Rand) {
		for range 40 {
			n := rng.IntN(9)
			valid, topK, most := rng.IntN(n+1), rng.IntN(n+2)-1, rng.IntN(4)-1
			force, soft, back := rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0
			sigma, least := 0.0, 0.0
			if soft {
				sigma, least = 0.5, 0.2
			}
			var list []candidate
			var data, indices []string
			for i := range n {
				c := candidate{class: float64(rng.IntN(2)), score: float64(rng.IntN(1000)+1) / 1000, at: 10 + i}
				for k := range c.box {
					c.box[k] = float64(rng.IntN(6))
				}
				data = append(data, fmt.Sprint(c.class, c.score, c.box[0], c.box[1], c.box[2], c.box[3]))
				indices = append(indices, fmt.Sprint(c.at))
				if i < valid {
					list = append(list, c)
				}
			}
			slices.SortStableFunc(list, func(a, b candidate) int { return int(1e4 * (b.score - a.score)) })
			if topK > 0 && topK < len(list) {
				list = list[:topK]
			}
			const iou = 0.31
			kept := suppressed(list, iou, sigma, least, most, !force)
			var want []float64
			boxes := func() {
				for i := range n {
					row := []float64{-1, -1, -1, -1, -1, -1}
					if i < len(kept) {
						row = append([]float64{kept[i].class, kept[i].score}, kept[i].box[:]...)
					}
					want = append(want, row...)
				}
			}
			if soft || !back {
				boxes()
			}
			if back {
				for i := range n {
					at := -1.0
					if i < len(kept) {
						at = float64(kept[i].at)
					}
					want = append(want, at)
				}
				want = append(want, float64(len(kept)))
			}
			title := func(v bool) string { return strings.ToUpper(fmt.Sprint(v)[:1]) + fmt.Sprint(v)[1:] }
			call := fmt.Sprintf("R.vision.non_max_suppression(x, y, z, max_output_size=%d, iou_threshold=%v, force_suppress=%s, top_k=%d, coord_start=2, score_index=1, id_index=0, return_indices=%s, invalid_to_bottom=True, soft_nms_sigma=%v, score_threshold=%v)",
				most, iou, title(force), topK, title(back), sigma, least)
			byValues(t, []valueCase{{call, []string{
				fmt.Sprintf("1 %d 6: %s", n, strings.Join(data, " ")), fmt.Sprintf("1 int32: %d", valid), fmt.Sprintf("1 %d int32: %s", n, strings.Join(indices, " ")),
			}, want}})
		}
	})
}
