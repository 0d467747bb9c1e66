package tensor

import (
	"math"
	"math/rand/v2"
)

// FillUniform sets every element to a seeded random number in [lo, hi): the same seed,
// type and shape give the same values on every machine. Integers are drawn from
// lo..hi-1 (lo where that is empty), bools are true half of the time.
func (t *Tensor) FillUniform(seed uint64, lo, hi float64) {
	r := rand.New(rand.NewPCG(seed, 0x1e5c09e))
	switch {
	case t.DType.IsBool():
		for i := range t.lanes() {
			t.SetInt(i, int64(r.Uint64()&1))
		}
	case t.DType.IsInteger():
		span := max(1, math.Ceil(hi)-math.Ceil(lo))
		for i := range t.lanes() {
			t.SetInt(i, int64(math.Ceil(lo)+math.Floor(r.Float64()*span)))
		}
	default:
		for i := range t.lanes() {
			t.SetFloat(i, lo+r.Float64()*(hi-lo))
		}
	}
}

// FillNormal sets every element to a seeded normally distributed number.
func (t *Tensor) FillNormal(seed uint64, mean, stddev float64) {
	r := rand.New(rand.NewPCG(seed, 0x1e5c09e))
	for i := range t.lanes() {
		t.SetFloat(i, mean+stddev*r.NormFloat64())
	}
}

// Random is what stands in for an input that nobody supplied: floats in [-1, 1), integers
// in 0..9, bools.
func (t *Tensor) Random(seed uint64) {
	if t.DType.IsInteger() {
		t.FillUniform(seed, 0, 10)
		return
	}
	t.FillUniform(seed, -1, 1)
}
