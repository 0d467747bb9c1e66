package sch

import "errors"

// random is the generator of TVM's schedules: a linear congruential one, so that a seed gives the same decisions.
type random struct{ state int64 }

const (
	randMultiplier = 48271
	randModulus    = 2147483647
)

// errSeed is what TVM says of seeds below 0.
var errSeed = errors.New("ValueError: Random seed must be non-negative")

// newRandom returns the generator of a seed. -1, which TVM takes from the device, is a seed that does not depend on anything.
func newRandom(seed int64) (random, error) {
	if seed == -1 {
		seed = 1
	}
	seed %= randModulus
	if seed < 0 {
		return random{}, errSeed
	}
	return random{max(seed, 1)}, nil
}

// next returns the next number, at least 1 and less than the modulus.
func (r *random) next() int64 {
	r.state = r.state * randMultiplier % randModulus
	return r.state
}

// fork returns the seed of another generator.
func (r *random) fork() int64 { return r.next() * 32767 % 1999999973 }

// forked returns another generator.
func (r *random) forked() random { return random{max(r.fork(), 1)} }

// below returns a number of [lo, hi), as std::uniform_int_distribution of GCC's library draws it.
func (r *random) below(lo, hi int64) int64 {
	if lo+1 == hi {
		return lo
	}
	scaling := int64(randModulus-1) / (hi - lo)
	for {
		if x := r.next(); x < scaling*(hi-lo) {
			return lo + x/scaling
		}
	}
}

// unit returns a number of [0, 1), as std::generate_canonical draws it: of two numbers, the later one the more significant.
func (r *random) unit() float64 {
	sum := float64(r.next())
	sum += float64(r.next()) * randModulus
	x := sum / (float64(randModulus) * randModulus)
	return min(x, 1-1.0/(1<<53))
}

// choose returns the index of one of some weights, as std::discrete_distribution draws it.
func (r *random) choose(weights []float64) int {
	if len(weights) < 2 {
		return 0
	}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	p, sum := r.unit(), 0.0
	for i, w := range weights[:len(weights)-1] {
		if sum += w / total; sum >= p {
			return i
		}
	}
	return len(weights) - 1
}

// some returns k different numbers below n.
func (r *random) some(n, k int64) []int64 {
	switch k {
	case 1:
		return []int64{r.below(0, n)}
	case 2:
		a, b := r.below(0, n), r.below(0, n-1)
		if b >= a {
			b++
		}
		return []int64{a, b}
	}
	order := make([]int64, n)
	for i := range order {
		order[i] = int64(i)
	}
	for i := range k {
		j := r.below(i, n)
		order[i], order[j] = order[j], order[i]
	}
	return order[:k]
}
