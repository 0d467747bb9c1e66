package dlight

import (
	"strings"

	"github.com/irscope/irscope/target"
)

// isAdreno reports whether a target is OpenCL for a GPU of a phone with Android.
func isAdreno(t target.Target) bool {
	return t.Kind().Name == "opencl" && (hostOf(t, "android") || attrsOf(t, "adreno"))
}

// isMali reports whether a target is OpenCL for a Mali GPU.
func isMali(t target.Target) bool { return t.Kind().Name == "opencl" && attrsOf(t, "mali") }

// hostOf reports whether the host of a target, if it has one, mentions a word.
func hostOf(t target.Target, word string) bool {
	return !t.Host().Equal(t) && strings.Contains(t.Host().String(), word)
}

// attrsOf reports whether the attributes of a target mention a word.
func attrsOf(t target.Target, word string) bool {
	return strings.Contains(strings.TrimPrefix(t.WithoutHost().String(), t.Kind().Name), word)
}

// gemvConfig says how a product of a matrix and a vector is shared out: threads along rows (s) and along the reduction (r).
type gemvConfig struct {
	tagS, tagR   string
	ts, tr       int64
	tileS, tileR int64 // iterations of a thread
	vecLoad      int64 // bytes of the matrix that a thread loads at once
	vecC         int64 // lanes of the sum
	share        bool  // whether the vector goes into shared memory
	vecV         int64 // lanes in which it does
	unroll       int64
	shuffles     bool // whether threads of a warp exchange sums without shared memory
}

// byX and byY are the two ways to lay the threads: those along the reduction on x or on y.
func byX() gemvConfig {
	return gemvConfig{tagS: "threadIdx.y", tagR: "threadIdx.x", vecLoad: 1, vecV: -1}
}

func byY() gemvConfig {
	return gemvConfig{tagS: "threadIdx.x", tagR: "threadIdx.y", vecLoad: 1, vecV: -1}
}

// innerConfig chooses the numbers for a matrix in which the reduction is innermost.
func (g *gemvRule) innerConfig() gemvConfig {
	l := g.p.nest(g.block, 4)
	lenB, b := g.p.extent(l[0])
	lenS, s := g.p.extent(l[1])
	lenR, knownR := g.p.extent(l[2])
	lenC, _ := g.p.extent(l[3])
	known := b && s
	wide := func() bool {
		declineIf(!knownR, "the extent of the reduction is not known")
		return lenB*lenS > lenR*lenC
	}
	c := byX()
	c.vecC, c.unroll, c.ts, c.tr = 1, 64, 1, 64
	switch kind := g.t.Kind().Name; {
	case kind == "cuda":
		c.vecC, c.share, c.vecV, c.vecLoad, c.unroll, c.shuffles = 4, true, 8, 4, 256, true
		if known {
			c.ts, c.tr = 16, 32
		}
	case kind == "metal": // tuned on an M2 Ultra for models of 7 billion parameters, as TVM says
		c = byY()
		c.vecC, c.unroll, c.shuffles, c.ts, c.tr = 1, 256, true, 1, 64
		if known && wide() {
			c.ts, c.tr = 4, 16
		} else if known {
			c.ts = 2
		}
	case kind == "rocm":
		c.vecC, c.vecV, c.unroll = 4, 8, 256
		if known && wide() {
			c.tr = 128
		} else if known {
			c.ts = 8
		}
	case isAdreno(g.t):
		c = byY()
		c.vecC, c.unroll, c.ts, c.tr = 8, 8, 2, 32
	case kind == "vulkan":
		c.vecC, c.share, c.vecV, c.unroll = 4, true, 4, 256
		if known && wide() {
			c.ts, c.tr = 4, 32
		} else if known {
			c.ts, c.tr = 16, 32
		}
	case isMali(g.t):
		c.vecC = 8
	}
	c.fit(g.t)
	c.tileS, c.tileR = 1, max(lenC, 1)
	if lenC <= 1 && knownR {
		c.tileR = max(bestFactor(lenR, c.tr, 2*c.tr, 4*c.tr, 8*c.tr)/c.tr, 1)
	}
	c.vecC = min(bestFactor(c.tileR, 1, 2, 4, 8), c.vecC)
	return c
}

// fit halves the threads until a block of the target has as many.
func (c *gemvConfig) fit(t target.Target) {
	for c.ts*c.tr > t.IntAttr("max_num_threads", 1) && c.ts*c.tr > 1 {
		if c.ts > 1 {
			c.ts /= 2
		} else {
			c.tr /= 2
		}
	}
}
