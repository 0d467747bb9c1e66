package schedule_test

import "testing"

func TestCacheText(t *testing.T) {
	const body = `
B = T.alloc_buffer((4, 6))
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1)
for i, j in T.grid(4, 6):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[vi, vj] * A[vi, 5 - vj]`
	const params = `A: T.Buffer((4, 6), "float32"), E: T.Buffer((4, 6), "float32")`
	changes(t, []change{
		{"read of a buffer between", params, body, func(o on) error {
			c, err := o.s.CacheRead(o.b("E"), 0, "shared")
			if got := c.Name(); got != "B_shared" {
				o.t.Errorf("the copy is %s", got)
			}
			return err
		}, `
B = T.alloc_buffer((4, 6))
B_shared = T.alloc_buffer((4, 6), scope="shared")
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1.0)
for ax0, ax1 in T.grid(4, 6):
    with T.block("B_shared"):
        v0, v1 = T.axis.remap("SS", [ax0, ax1])
        B_shared[v0, v1] = B[v0, v1]
for i, j in T.grid(4, 6):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B_shared[vi, vj] * A[vi, 5 - vj]`, nil},
		{"read of the second buffer, within a nest", params, body, func(o on) error { return second(o.s.CacheRead(o.b("E"), 1, "local")) }, `
B = T.alloc_buffer((4, 6))
A_local = T.alloc_buffer((4, 6), scope="local")
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1.0)
for ax0, ax1 in T.grid(4, 6):
    with T.block("A_local"):
        v0, v1 = T.axis.remap("SS", [ax0, ax1])
        A_local[v0, v1] = A[v0, v1]
for i, j in T.grid(4, 6):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[vi, vj] * A_local[vi, 5 - vj]`, nil},
		{"write of a buffer between", params, body, func(o on) error { return second(o.s.CacheWrite(o.b("B"), 0, "")) }, `
B = T.alloc_buffer((4, 6))
B_global = T.alloc_buffer((4, 6))
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B_global[vi, vj] = A[vi, vj] + T.float32(1.0)
for ax0, ax1 in T.grid(4, 6):
    with T.block("B_1"):
        v0, v1 = T.axis.remap("SS", [ax0, ax1])
        B[v0, v1] = B_global[v0, v1]
for i, j in T.grid(4, 6):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[vi, vj] * A[vi, 5 - vj]`, nil},
		{"write of a part of a result", `A: T.Buffer((4, 6), "float32"), E: T.Buffer((4, 6), "float32"), Z: T.Buffer((1,), "float32")`, `
for i, j in T.grid(3, 6):
    with T.block("E"):
        vi = T.axis.spatial(4, i + 1)
        vj = T.axis.spatial(6, j)
        E[vi, vj] = A[vi, vj]`, func(o on) error { return second(o.s.CacheWrite(o.b("E"), 0, "local")) }, `
E_local = T.alloc_buffer((4, 6), scope="local")
for i, j in T.grid(3, 6):
    with T.block("E"):
        vi = T.axis.spatial(4, i + 1)
        vj = T.axis.spatial(6, j)
        E_local[vi, vj] = A[vi, vj]
for ax0, ax1 in T.grid(3, 6):
    with T.block("E_local"):
        v0 = T.axis.spatial(4, 1 + ax0)
        v1 = T.axis.spatial(6, ax1)
        E[v0, v1] = E_local[v0, v1]`, nil},
		{"the copy moves to where it is read", params, body, func(o on) error {
			c, err := o.s.CacheRead(o.b("E"), 1, "local")
			return steps(err, o.s.ComputeAt(c, o.l("E", 0)))
		}, `
B = T.alloc_buffer((4, 6))
A_local = T.alloc_buffer((4, 6), scope="local")
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1.0)
for i in range(4):
    for ax1 in range(6):
        with T.block("A_local"):
            v0, v1 = T.axis.remap("SS", [i, ax1])
            A_local[v0, v1] = A[v0, v1]
    for j in range(6):
        with T.block("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = B[vi, vj] * A_local[vi, 5 - vj]`, nil},
		{"a scalar", `A: T.Buffer((), "float32"), E: T.Buffer((2,), "float32")`, `
for i in range(2):
    with T.block("E"):
        vi = T.axis.spatial(2, i)
        E[vi] = A[()]`, func(o on) error { return second(o.s.CacheRead(o.b("E"), 0, "")) }, `
A_global = T.alloc_buffer(())
with T.block("A_global"):
    A_global[()] = A[()]
for i in range(2):
    with T.block("E"):
        vi = T.axis.spatial(2, i)
        E[vi] = A_global[()]`, nil},
		{"the scope of a buffer with a start", chainParams, chain, func(o on) error {
			old := o.b("D").Writes()[0].Buffer
			err := o.s.SetScope(o.b("D"), 0, "local")
			now := o.b("D").Writes()[0].Buffer
			if now == old || now.Name != "D" || now.Scope() != "local" || !o.s.Allocates(now) || o.s.Allocates(old) {
				o.t.Errorf("the buffer is %s in %s", now.Name, now.Scope())
			}
			if got := names(o.s.GetProducers(o.b("E"))); got != "D" {
				o.t.Errorf("the producers of E are %q", got)
			}
			return err
		}, `
B = T.alloc_buffer((4, 6))
C = T.alloc_buffer((4, 6))
D = T.alloc_buffer((4,), scope="local")
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1.0)
for i, j in T.grid(4, 6):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = B[vi, vj] * T.float32(2.0)
for i, k in T.grid(4, 6):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(0.0)
        D[vi] = D[vi] + C[vi, vk]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = D[vi] - T.float32(1.0)`, nil},
	})
	refusals(t, params, `
B = T.alloc_buffer((4, 6))
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj]
for i, j in T.grid(4, 6):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = B[vi, vj] + A[vi, vj]
for i, j in T.grid(4, 6):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[vi, vj]`, []refusal{
		{"read of what it writes", func(o on) error { return second(o.s.CacheRead(o.b("C"), 0, "")) }, "schedule: cache_read block C: it writes B as well"},
		{"read of something beside it", func(o on) error { return second(o.s.CacheRead(o.b("C"), 1, "")) }, ""},
		{"read of what two write", func(o on) error { return second(o.s.CacheRead(o.b("E"), 0, "")) }, ""},
		{"write of one of two", func(o on) error { return second(o.s.CacheWrite(o.b("B"), 0, "")) }, "schedule: cache_write block B: 2 blocks write B"},
	})
}
