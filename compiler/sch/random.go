package sch

// random is the generator of TVM's schedules: a linear congruential one, so that a seed gives the same decisions.
type random struct{ state int64 }

const (
	randMultiplier = 48271
	randModulus    = 2147483647
)

// newRandom returns the generator of a seed; -1 is one that does not depend on anything.
func newRandom(seed int64) random {
	if seed == -1 {
		seed = 1
	}
	seed %= randModulus
	if seed <= 0 {
		seed = seed + randModulus - 1
	}
	return random{max(seed, 1)}
}

// next returns the next number, at least 1 and less than the modulus.
func (r *random) next() int64 {
	r.state = r.state * randMultiplier % randModulus
	return r.state
}

// fork returns the seed of another generator.
func (r *random) fork() int64 { return (r.next()*32767 + 1) % 1999999973 }
