package schedule_test

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
)

// symbolicKernels are functions over extents n and m that are known when they run.
var symbolicKernels = map[string]struct{ params, body string }{
	"chain": {`a: T.handle, c: T.handle`, `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
C = T.match_buffer(c, (n, m))
B = T.alloc_buffer((n, m))
for i, j in T.grid(n, m):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] * T.float32(2)
for i, j in T.grid(n, m):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = B[vi, vj] + T.float32(1)`},
	"sums": {`a: T.handle, d: T.handle, e: T.handle`, `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
D = T.match_buffer(d, (n,))
E = T.match_buffer(e, (n, m))
B = T.alloc_buffer((n, m))
C = T.alloc_buffer((n,))
for i, j in T.grid(n, m):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1)
for i, k in T.grid(n, m):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + B[vi, vk]
for i in range(n):
    with T.block("D"):
        vi = T.axis.spatial(n, i)
        D[vi] = C[vi] * T.float32(2)
for i, j in T.grid(n, m):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[vi, vj] - C[vi]`},
	"product": {`a: T.handle, b: T.handle, d: T.handle`, `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
B = T.match_buffer(b, (m, 4))
D = T.match_buffer(d, (n, 4))
C = T.alloc_buffer((n, T.int64(4)))
for i, j, k in T.grid(n, T.int64(4), m):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
for i, j in T.grid(n, T.int64(4)):
    with T.block("D"):
        vi, vj = T.axis.remap("SS", [i, j])
        D[vi, vj] = T.max(C[vi, vj], T.float32(0))`},
	"padding": {`a: T.handle, c: T.handle`, `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
C = T.match_buffer(c, (n, m))
P = T.alloc_buffer((n + T.int64(2), m))
for i, j in T.grid(n + T.int64(2), m):
    with T.block("P"):
        vi, vj = T.axis.remap("SS", [i, j])
        P[vi, vj] = T.if_then_else(T.int64(1) <= vi and vi < n + T.int64(1), A[vi - T.int64(1), vj], T.float32(0))
for i, j, k in T.grid(n, m, T.int64(3)):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + P[vi + vk, vj]`},
}

// TestPrimitivesKeepSymbolicMeaning is TestPrimitivesKeepMeaning for extents that are not known: the results are the same for rows and
// columns that tiles divide and do not, and for none.
func TestPrimitivesKeepSymbolicMeaning(t *testing.T) {
	for name, c := range symbolicKernels {
		f := parsed(t, c.params, c.body)
		t.Run(name, func(t *testing.T) {
			seed.Each(t, 50, func(t *testing.T, r *rand.Rand) {
				s := scheduled(t, f)
				var log []string
				defer func() {
					if t.Failed() {
						t.Logf("%q", log)
					}
				}()
				somePrimitives(t, r, s, func(_ int, what string) { log = append(log, what) })
				for _, e := range [][2]int64{{5, 6}, {8, 4}, {3, 1}, {4, 0}, {0, 3}} {
					same(t, f, s, map[string]int64{"n": e[0], "m": e[1]})
				}
			})
		})
	}
}
