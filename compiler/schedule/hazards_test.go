package schedule_test

import "testing"

// TestWritesBetween: a block does not move over another one that writes what it reads, or that reads
// or writes what it writes.
func TestWritesBetween(t *testing.T) {
	const params = `A: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")`
	refusals(t, params, `
X = T.alloc_buffer((4,))
B = T.alloc_buffer((4,))
for i in range(4):
    with T.block("P"):
        vi = T.axis.spatial(4, i)
        X[vi] = A[vi]
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = X[vi] + T.float32(1)
for i in range(4):
    with T.block("Q"):
        vi = T.axis.spatial(4, i)
        X[vi] = T.float32(5)
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = B[vi] * X[vi]`, []refusal{
		{"inline", func(o on) error { return o.s.ComputeInline(o.b("B")) }, "schedule: compute_inline block B: block Q, which writes X, does not run before it"},
		{"move to its consumer", func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("E", 0)) }, "schedule: compute_at block B loop i: block Q, which writes X, does not run before it"},
	})
	refusals(t, params, `
B = T.alloc_buffer((4,))
X = T.alloc_buffer((4,))
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = A[vi] + T.float32(1)
for i in range(4):
    with T.block("Q"):
        vi = T.axis.spatial(4, i)
        E[vi] = T.float32(5)
for i in range(4):
    with T.block("X"):
        vi = T.axis.spatial(4, i)
        X[vi] = E[vi]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        T.where(i < 3)
        E[vi] = X[vi] + T.float32(1)
for i in range(4):
    with T.block("F"):
        vi = T.axis.spatial(4, i)
        E[vi] = B[vi]`, []refusal{
		{"inline backwards", func(o on) error { return o.s.ReverseComputeInline(o.b("F")) }, "schedule: reverse_compute_inline block F: block Q, which uses E, runs after the producer"},
		{"move to its producer", func(o on) error { return o.s.ReverseComputeAt(o.b("F"), o.l("B", 0)) }, "schedule: reverse_compute_at block F loop i: 3 blocks write E"},
	})
	refusals(t, `A: T.Buffer((4,), "float32"), G: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")`, `
B = T.alloc_buffer((4,))
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = A[vi] + T.float32(1)
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = G[vi]
for i in range(4):
    with T.block("G"):
        vi = T.axis.spatial(4, i)
        G[vi] = B[vi]`, []refusal{
		{"inline backwards over what reads", func(o on) error { return o.s.ReverseComputeInline(o.b("G")) }, "schedule: reverse_compute_inline block G: block E, which uses G, runs after the producer"},
		{"move over what reads", func(o on) error { return o.s.ReverseComputeAt(o.b("G"), o.l("B", 0)) }, "schedule: reverse_compute_at block G loop i: consumer E does not run after the block"},
	})
}

// TestReadsBeforeWrites: what reads a parameter before it is written stays before.
func TestReadsBeforeWrites(t *testing.T) {
	refusals(t, `A: T.Buffer((4,), "float32"), G: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")`, `
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = G[vi]
for i in range(4):
    with T.block("Q"):
        vi = T.axis.spatial(4, i)
        G[vi] = A[vi]`, []refusal{
		{"move to what writes", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("Q", 0)) }, "schedule: reverse_compute_at block E loop i: block Q, which writes G, does not run before it"},
	})
	refusals(t, `A: T.Buffer((4, 6), "float32"), E: T.Buffer((4, 6), "float32")`, `
X = T.alloc_buffer((4, 6))
for i in range(4):
    with T.block("row"):
        vi = T.axis.spatial(4, i)
        for j in range(6):
            with T.block("X"):
                vj = T.axis.spatial(6, j)
                X[vi, vj] = A[vi, vj]
        for j in range(6):
            with T.block("E"):
                vj = T.axis.spatial(6, j)
                E[vi, vj] = X[vi, vj]`, []refusal{
		{"a variable of the block around", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("X", 0)) }, "schedule: reverse_compute_at block E loop j: index 0 of X is not an iteration variable"},
	})
}

// TestCacheOfPart: what a block does not write keeps its contents.
func TestCacheOfPart(t *testing.T) {
	changes(t, []change{
		{"cache_write", `A: T.Buffer((4, 6), "float32"), E: T.Buffer((4, 6), "float32"), Z: T.Buffer((1,), "float32")`, `
for i, j in T.grid(3, 6):
    with T.block("E"):
        vi = T.axis.spatial(4, i + 1)
        vj = T.axis.spatial(6, j)
        E[vi, vj] = A[vi, vj]`, func(o on) error { return second(o.s.CacheWrite(o.b("E"), 0, "local")) }, "", nil},
		{"decompose_padding", `A: T.Buffer((6,), "float32"), E: T.Buffer((9,), "float32")`, `
for i in range(5):
    with T.block("E"):
        vi = T.axis.spatial(9, i)
        E[vi] = T.if_then_else(2 <= vi and vi < 8, A[vi - 2], T.float32(0))`, func(o on) error {
			_, err := o.s.DecomposePadding(o.b("E"))
			refuses(o.t, err, "schedule: decompose_padding block E: its loops were changed before")
			return nil
		}, "", nil},
	})
}

// TestPartsOfDomains: what does not run over all of the domains of its variables does not do so
// after a move either.
func TestPartsOfDomains(t *testing.T) {
	const params = `A: T.Buffer((6, 6), "float32"), E: T.Buffer((6, 6), "float32"), Z: T.Buffer((1,), "float32")`
	const part = "it does not run over all of its domain"
	const start = `
B = T.alloc_buffer((6, 6))
for i, j in T.grid(6, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1)`
	refusals(t, params, start+`
for i, j in T.grid(5, 6):
    with T.block("E"):
        vi = T.axis.spatial(6, i)
        vj = T.axis.spatial(6, j)
        E[vi, vj] = B[vi, vj]`, []refusal{
		{"reverse_compute_at", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("B", 0)) }, "schedule: reverse_compute_at block E loop i: " + part},
		{"reverse_compute_inline", reverseInline, "schedule: reverse_compute_inline block E: " + part},
		{"compute_at", func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("E", 0)) }, ""},
	})
	refusals(t, params, start+`
for i, j in T.grid(6, 6):
    with T.block("E"):
        vi = T.axis.spatial(6, i)
        vj = T.axis.spatial(6, i // 2 + j // 2)
        E[vi, vj] = B[vi, vj]`, []refusal{
		{"as many, but not all", reverseInline, "schedule: reverse_compute_inline block E: " + part},
	})
	refusals(t, `A: T.Buffer((6,), "float32"), E: T.Buffer((6,), "float32")`, `
B = T.alloc_buffer((6,))
for i in range(6):
    with T.block("B"):
        vi = T.axis.spatial(6, i)
        B[vi] = A[vi] + T.float32(1)
for i in range(6):
    with T.block("E"):
        vi = T.axis.spatial(6, i // 2)
        E[vi] = B[vi]`, []refusal{
		{"one loop, as many, but not all", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("B", 0)) }, "schedule: reverse_compute_at block E loop i: " + part},
	})
	refusals(t, params, start+`
for i in range(6):
    for j in range(i + 1):
        with T.block("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = B[vi, vj]`, []refusal{
		{"a triangle", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("B", 0)) }, "schedule: reverse_compute_at block E loop i: the domain of vj depends on a loop around it"},
		{"a triangle, split", func(o on) error { return second(o.s.Split(o.l("E", 0), 0, 4)) }, ""},
		{"a triangle, from outside", func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("E", 0)) }, ""},
	})
	refusals(t, params, `
for i in range(5):
    for k, l in T.grid(2, 3):
        with T.block("E"):
            vi = T.axis.spatial(6, i)
            vk = T.axis.reduce(2, k)
            vl = T.axis.reduce(3, l)
            with T.init():
                E[vi, 0] = T.float32(0)
            E[vi, 0] = E[vi, 0] + A[vi, vk * 3 + vl]`, []refusal{
		{"rfactor", func(o on) error { return second(o.s.RFactor(o.l("E", 1), 0)) }, "schedule: rfactor block E loop k: " + part},
	})
	refusals(t, params, start+`
for i, j in T.grid(6, 6):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[vi, vj]`, []refusal{
		{"split loops", func(o on) error {
			return steps(second(o.s.Split(o.l("E", 0), 0, 3)), second(o.s.Fuse(o.l("E", 1), o.l("E", 2))), o.s.ReverseComputeAt(o.b("E"), o.l("B", 0)))
		}, ""},
	})
}
