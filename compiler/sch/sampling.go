package sch

import (
	"fmt"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// maxTiles bounds into how many loops a loop is tiled, and maxDraws how often tiles are drawn until they fit.
const (
	maxTiles = 64
	maxDraws = 1 << 20
)

// sampleCategorical draws one of some numbers, each with its probability; a decision is the index of one.
func sampleCategorical(r *random, candidates []int64, probs []float64, decision any) (x, chosen int64, err error) {
	if len(candidates) != len(probs) {
		return 0, 0, fmt.Errorf("ValueError: number of candidates does not match number of probabilities")
	}
	total := 0.0
	for _, p := range probs {
		if !(p >= 0) || math.IsInf(p, 0) {
			return 0, 0, fmt.Errorf("probs: %v is no probability", p)
		}
		total += p
	}
	if len(candidates) == 0 || total == 0 {
		return 0, 0, fmt.Errorf("there is nothing to draw: the probabilities add up to 0")
	}
	i, ok := decision.(int64)
	if !ok {
		i = int64(r.choose(probs))
	}
	if i < 0 || i >= int64(len(candidates)) {
		return 0, 0, fmt.Errorf("ValueError: Wrong decision value, where n = %d, but decision is: %d", len(candidates), i)
	}
	return candidates[i], i, nil
}

// samplePerfectTile draws factors whose product is the extent of a loop, the last at most maxInnermost unless that is -1. A decision that does not fit
// the loop any more is mended. A loop of unknown extent gets one factor to be inferred, -1, and units.
func (s *State) samplePerfectTile(r *random, l *Loop, n, maxInnermost int64, decision any) ([]int64, error) {
	at, err := s.loop(l)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > maxTiles {
		return nil, fmt.Errorf("n: cannot tile a loop into %d parts, expected 1 to %d", n, maxTiles)
	}
	extent, known := tir.AsInt(at.For().Extent)
	switch given, has := intsOf(decision); {
	case !known:
		return trivialTile(n), nil
	case extent < 1 || extent > math.MaxInt32:
		return nil, fmt.Errorf("ValueError: Cannot tile a loop with 0 or negative extent: loop %s has %d iterations, expected 1 to %d", l.v.Name, extent, math.MaxInt32)
	case has:
		return perfectTile(given, n, extent)
	case maxInnermost == -1:
		return r.tile(extent, n), nil
	case n < 2:
		return nil, fmt.Errorf("ValueError: Cannot tile a loop into %d splits", n)
	case maxInnermost < 1:
		return nil, fmt.Errorf("max_innermost_factor: no factor is at most %d, expected a positive number or -1 for no limit", maxInnermost)
	}
	return r.tileWhere(extent, n, func(t []int64) bool { return t[n-1] <= maxInnermost })
}

// samplePartitionedTile draws factors whose product is the extent of a loop, those from a position on a multiple of factor.
func (s *State) samplePartitionedTile(r *random, l *Loop, n, pos, factor int64, decision any) ([]int64, error) {
	at, err := s.loop(l)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > maxTiles || pos < 0 || pos >= n || factor < 1 {
		return nil, fmt.Errorf("cannot tile a loop into %d parts of which those from %d on make a multiple of %d", n, pos, factor)
	}
	extent, known := tir.AsInt(at.For().Extent)
	inner := func(t []int64) bool {
		x := int64(1)
		for _, f := range t[pos:] {
			x = x * f % factor
		}
		return x%factor == 0
	}
	switch given, has := intsOf(decision); {
	case !known || extent%factor != 0:
		return trivialTile(n), nil
	case extent < 1 || extent > math.MaxInt32:
		return nil, fmt.Errorf("ValueError: Cannot tile a loop with 0 or negative extent: loop %s has %d iterations, expected 1 to %d", l.v.Name, extent, math.MaxInt32)
	case has && int64(len(given)) == n && !inner(given):
		out := trivialTile(n)
		out[0] = extent / factor
		out[pos] *= factor
		if pos == 0 {
			out[0] = extent
		}
		return out, nil
	case has:
		return perfectTile(given, n, extent)
	case pos == 0 && factor == 1:
		return r.tile(extent, n), nil
	case n < 2:
		return nil, fmt.Errorf("ValueError: Cannot tile a loop into %d splits", n)
	}
	return r.tileWhere(extent, n, inner)
}

// trivialTile leaves the first factor to be inferred.
func trivialTile(n int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = 1
	}
	out[0] = -1
	return out
}

// perfectTile keeps the factors of a decision from the last one on as long as they divide what is left.
func perfectTile(given []int64, n, extent int64) ([]int64, error) {
	if int64(len(given)) != n {
		return nil, fmt.Errorf("decision: %v has %d factors, expected %d", given, len(given), n)
	}
	out := slices.Clone(given)
	for i := len(out) - 1; i > 0; i-- {
		if out[i] < 1 || extent%out[i] != 0 {
			out[i] = extent
		}
		extent /= out[i]
	}
	out[0] = extent
	return out, nil
}

// intsOf returns a decision that is a list of numbers.
func intsOf(x any) (out []int64, ok bool) {
	switch x := x.(type) {
	case []int64:
		return x, true
	case []any:
		for _, e := range x {
			n, ok := e.(int64)
			if !ok {
				return nil, false
			}
			out = append(out, n)
		}
		return out, true
	}
	return nil, false
}

func (r *random) tileWhere(extent, n int64, fits func([]int64) bool) ([]int64, error) {
	for range maxDraws {
		if t := r.tile(extent, n); fits(t) {
			return t, nil
		}
	}
	return nil, fmt.Errorf("no tile of %d into %d parts was found that fits", extent, n)
}

// tile draws n factors of a number: the powers of each of its primes are shared out evenly among all ways to do so.
func (r *random) tile(extent, n int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = 1
	}
	if n == 1 {
		out[0] = extent
		return out
	}
	for _, f := range factorized(extent) {
		switch {
		case n == 2 && f.large:
			out[r.below(0, 2)] *= f.prime
		case n == 2:
			x := r.below(0, f.power+1)
			out[0] *= power(f.prime, x)
			out[1] *= power(f.prime, f.power-x)
		case f.power == 1:
			out[r.below(0, n)] *= f.prime
		default:
			at := slices.Clone(r.some(f.power+n-1, n-1))
			slices.Sort(at)
			at = append(at, f.power+n-1)
			last := int64(-1)
			for i, x := range at {
				out[i] *= power(f.prime, x-last-1)
				last = x
			}
		}
	}
	return out
}

// primePower is a prime with its power in a number. A large one is not in TVM's table of primes, which treats it otherwise.
type primePower struct {
	prime, power int64
	large        bool
}

const primeTable = 65536

func factorized(n int64) []primePower {
	var out []primePower
	for p := int64(2); n > 1 && p*p <= n; p++ {
		k := int64(0)
		for n%p == 0 {
			n /= p
			k++
		}
		if k > 0 {
			out = append(out, primePower{prime: p, power: k})
		}
	}
	if n > 1 {
		out = append(out, primePower{prime: n, power: 1, large: n >= primeTable})
	}
	return out
}

func power(x, k int64) int64 {
	out := int64(1)
	for range k {
		out *= x
	}
	return out
}
