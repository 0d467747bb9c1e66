package sch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/tensor"
)

// product is C = A @ B with sizes of no common factor.
const product = `
for i, j, k in T.grid(7, 12, 5):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`

const productParams = `A: T.Buffer((7, 5), "float32"), B: T.Buffer((5, 12), "float32"), C: T.Buffer((7, 12), "float32")`

// tileKernels are reductions for TileReduction; whole says which axes hold a tile of 4.
var tileKernels = []struct {
	name, params, body string
	extents            map[string]int64
	wide               bool // adds terms that it converts
	free               bool // the result may start from the lanes of the init
}{
	{name: "product", params: productParams, body: product, free: true},
	{name: "symbolic", free: true, extents: map[string]int64{"n": 6, "m": 9}, params: `a: T.handle, b: T.handle, c: T.handle`, body: `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
B = T.match_buffer(b, (m, 10))
C = T.match_buffer(c, (n, 10))
for i, j, k in T.grid(n, 10, m):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`},
	{name: "window", params: `X: T.Buffer((3, 13), "float32"), W: T.Buffer((4, 3, 3), "float32"), Y: T.Buffer((4, 6), "float32")`, free: true, body: `
for f, y, c, r in T.grid(4, 6, 3, 3):
    with T.block("Y"):
        vf, vy, vc, vr = T.axis.remap("SSRR", [f, y, c, r])
        with T.init():
            Y[vf, vy] = T.float32(0)
        Y[vf, vy] = Y[vf, vy] + X[vc, vy * 2 + vr] * W[vf, vc, vr]`},
	{name: "largest", params: `A: T.Buffer((9, 7), "float32"), M: T.Buffer((7,), "float32")`, free: true, body: `
for j, k in T.grid(7, 9):
    with T.block("M"):
        vj, vk = T.axis.remap("SR", [j, k])
        with T.init():
            M[vj] = T.float32(2)
        M[vj] = T.max(M[vj], A[vk, vj])`},
	{name: "times", params: `A: T.Buffer((4, 6), "float32"), P: T.Buffer((4,), "float32")`, free: true, body: `
for j, k in T.grid(4, 6):
    with T.block("P"):
        vj, vk = T.axis.remap("SR", [j, k])
        with T.init():
            P[vj] = T.float32(1)
        P[vj] = A[vj, vk] * P[vj]`},
	{name: "from three", params: `A: T.Buffer((5, 6), "float32"), P: T.Buffer((5,), "float32")`, body: `
for j, k in T.grid(5, 6):
    with T.block("P"):
        vj, vk = T.axis.remap("SR", [j, k])
        with T.init():
            P[vj] = T.float32(3)
        P[vj] = P[vj] + A[vj, vk]`},
	{name: "wide", wide: true, free: true, params: `A: T.Buffer((5, 2, 11), "float32"), B: T.Buffer((2, 11, 6), "float32"), C: T.Buffer((5, 6), "float64")`, body: `
for i, j, r, k in T.grid(5, 6, 2, 11):
    with T.block("C"):
        vi, vj, vr, vk = T.axis.remap("SSRR", [i, j, r, k])
        with T.init():
            C[vi, vj] = T.float64(0)
        C[vi, vj] = C[vi, vj] + T.Cast("float64", A[vi, vr, vk] * B[vr, vk, vj])`},
	{name: "part", free: true, params: `A: T.Buffer((9, 8), "float32"), C: T.Buffer((9,), "float32")`, body: `
for i in range(9):
    with T.block("none"):
        vi = T.axis.spatial(9, i)
        C[vi] = T.float32(7)
for i, k in T.grid(6, 5):
    with T.block("C"):
        vi = T.axis.spatial(9, i + 2)
        vk = T.axis.reduce((3, 8), 3 + k)
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vk]`},
	{name: "unit", free: true, params: `A: T.Buffer((1, 8), "float32"), C: T.Buffer((1, 1), "float32")`, body: `
for k in range(8):
    with T.block("C"):
        vi = T.axis.spatial(1, 0)
        vj = T.axis.spatial(1, 0)
        vk = T.axis.reduce(8, k)
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk]`},
	{name: "pool", free: true, params: `X: T.Buffer((9, 11, 4), "float32"), M: T.Buffer((4, 5, 4), "float32")`, body: `
for y, x, c, r, q in T.grid(4, 5, 4, 3, 3):
    with T.block("M"):
        vy, vx, vc, vr, vq = T.axis.remap("SSSRR", [y, x, c, r, q])
        with T.init():
            M[vy, vx, vc] = T.float32("-inf")
        M[vy, vx, vc] = T.max(M[vy, vx, vc], X[vy * 2 + vr, vx * 2 + vq, vc])`},
	{name: "pool that repeats edges", free: true, params: `X: T.Buffer((7, 6, 4), "int32"), M: T.Buffer((7, 6, 4), "int32")`, body: `
for y, x, c, r, q in T.grid(7, 6, 4, 3, 5):
    with T.block("M"):
        vy, vx, vc, vr, vq = T.axis.remap("SSSRR", [y, x, c, r, q])
        with T.init():
            M[vy, vx, vc] = 2147483647
        M[vy, vx, vc] = T.min(M[vy, vx, vc], X[T.max(T.min(vy + vr - 1, 6), 0), T.max(T.min(vx + vq - 2, 5), 0), vc])`},
	{name: "sum of windows", free: true, params: `X: T.Buffer((2, 8, 10), "float32"), Y: T.Buffer((2, 8, 9), "float32")`, body: `
for n, y, x, r, q in T.grid(2, 8, 9, 3, 2):
    with T.block("Y"):
        vn, vy, vx, vr, vq = T.axis.remap("SSSRR", [n, y, x, r, q])
        with T.init():
            Y[vn, vy, vx] = T.float32(0)
        Y[vn, vy, vx] = Y[vn, vy, vx] + T.if_then_else(1 <= vy + vr and vy + vr < 9, X[vn, vy + vr - 1, vx + vq], T.float32(0))`},
	{name: "symbolic windows", free: true, extents: map[string]int64{"n": 7, "m": 10}, params: `a: T.handle, b: T.handle`, body: `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (m, 6))
B = T.match_buffer(b, (n, 6))
for i, j, k in T.grid(n, 6, 4):
    with T.block("B"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            B[vi, vj] = T.float32(0)
        B[vi, vj] = B[vi, vj] + A[vi + vk, vj]`},
	{name: "epilogue", free: true, params: `A: T.Buffer((7, 5), "float32"), B: T.Buffer((5, 12), "float32"), D: T.Buffer((12,), "float32"), E: T.Buffer((7, 12), "float32")`, body: `
C = T.alloc_buffer((7, 12))
F = T.alloc_buffer((7, 12))
for i, j, k in T.grid(7, 12, 5):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
for i, j in T.grid(7, 12):
    with T.block("F"):
        vi, vj = T.axis.remap("SS", [i, j])
        F[vi, vj] = C[vi, vj] + D[vj]
for i, j in T.grid(7, 12):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = T.max(F[vi, vj], T.float32(0))`},
	{name: "symbolic epilogue", free: true, extents: map[string]int64{"n": 6, "m": 9}, params: `a: T.handle, e: T.handle`, body: `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
E = T.match_buffer(e, (n,))
C = T.alloc_buffer((n,))
for i, k in T.grid(n, m):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vk]
for i in range(n):
    with T.block("E"):
        vi = T.axis.spatial(n, i)
        E[vi] = C[vi] * C[vi]`},
}

// results runs the function main on small whole numbers, so that sums are exact in any order, with NaN where
// nothing was written; extents gives values to symbolic ones by their names.
func results(t testing.TB, m *ir.Module, extents map[string]int64) []*tensor.Tensor {
	t.Helper()
	f := m.Lookup("main").(*tir.PrimFunc)
	var args []any
	var out []*tensor.Tensor
	for k, b := range f.Buffers {
		var shape []int64
		for _, d := range b.Shape {
			n, ok := tir.AsInt(d)
			if v, isVar := d.(*tir.Var); isVar {
				n, ok = extents[v.Name], true
			}
			if !ok {
				t.Fatalf("an extent of %s is neither a constant nor a variable", b.Name)
			}
			shape = append(shape, n)
		}
		v := tensor.MustNew(b.DType, shape...)
		for i := range v.Len() {
			v.SetFloat(i, float64((i*7+k*5+i/3)%7-3))
			if k == len(f.Buffers)-1 {
				v.SetFloat(i, math.NaN())
			}
		}
		args, out = append(args, v), append(out, v)
	}
	if err := interp.Run(t.Context(), f, args, nil); err != nil {
		t.Fatalf("%v\n%s", err, source(m))
	}
	return out
}

// same checks that the schedule of m is well formed, reads back from its text, computes exactly what m does, and has a trace that makes it.
func same(t *testing.T, m *ir.Module, s *sch.Schedule, extents map[string]int64) {
	t.Helper()
	now := s.Module()
	if found := tir.Verify("main", now.Lookup("main").(*tir.PrimFunc)); len(found) > 0 {
		t.Fatalf("%s\n%s", found[0].Message, source(now))
	}
	if err := roundtrip.Check(now); err != nil {
		t.Fatalf("%v\n%s", err, source(now))
	}
	want := results(t, m, extents)
	equal := func(now *ir.Module) {
		t.Helper()
		got := results(t, now, extents)
		for k := range want {
			for i := range want[k].Len() {
				x, y := want[k].Float(i), got[k].Float(i)
				if x != y && (!math.IsNaN(x) || !math.IsNaN(y)) {
					t.Fatalf("element %d of parameter %d is %g, want %g\n%s", i, k, y, x, source(now))
				}
			}
		}
	}
	equal(now)
	if f, loops := tirtest.Backwards(now.Lookup("main").(*tir.PrimFunc)); loops > 0 {
		equal(now.With("main", f))
	}
	replayed(t, m, s)
}

// parsed is the module of a function main with a body in TVMScript.
func parsed(t *testing.T, params, body string) *ir.Module {
	t.Helper()
	return read(t, "text.py", "# from tvm.script import tir as T\n\n@T.prim_func\ndef main("+params+"):\n    "+strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ")+"\n")
}

// tileArguments draws arguments of tile_reduction, mostly such that fit: free says that vectors may run over the reduction, wide that the block adds
// terms that it converts.
func tileArguments(r *rand.Rand, b *tir.Block, ref *sch.Block, extents map[string]int64, free, wide bool) []any {
	order, tile, reduce, whole, unroll := []int64{}, make([]int64, len(b.IterVars)), []int64{}, []int64{}, []int64{}
	var vectors []int
	for k, iv := range b.IterVars {
		size, known := tir.AsInt(iv.Dom.Extent)
		if v, ok := iv.Dom.Extent.(*tir.Var); ok {
			size = extents[v.Name]
		}
		if iv.Kind != tir.DataPar {
			reduce = append(reduce, int64(k))
			if known && r.IntN(3) == 0 {
				unroll = append(unroll, int64(k))
			}
			if free {
				vectors = append(vectors, k)
			}
			continue
		}
		order = append(order, int64(k))
		tile[k] = int64(r.IntN(int(max(min(size, 6), 0)) + 1))
		if tile[k] > 1 && !known && r.IntN(2) == 0 {
			whole = append(whole, int64(k))
		}
		if known || slices.Contains(whole, int64(k)) {
			vectors = append(vectors, k)
		}
	}
	shuffled := func(x []int64) { r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] }) }
	shuffled(order)
	shuffled(reduce)
	if len(vectors) == 0 {
		vectors = []int{0}
	}
	v := pick(r, vectors)
	dot := v < len(b.IterVars) && b.IterVars[v].Kind != tir.DataPar
	lanes := int64(1)
	if v < len(tile) {
		if tile[v] == 5 {
			tile[v] = 4
		}
		if dot {
			tile[v] = pick(r, []int64{1, 2, 4, 8})
			unroll = slices.DeleteFunc(unroll, func(k int64) bool { return k == int64(v) })
		}
		if tile[v] > 1 {
			lanes = pick(r, []int64{tile[v], 1, tile[v]})
			if tile[v]%2 == 0 && r.IntN(2) == 0 {
				lanes = 2
			}
		}
	}
	// A vector sticks out.
	out := false
	if v < len(tile) && !dot && !wide {
		n, known := tir.AsInt(b.IterVars[v].Dom.Extent)
		if out = known && n > 0 && r.IntN(4) == 0; out {
			tile[v] = n + 1 + int64(r.IntN(3))
			lanes = tile[v]
		}
	}
	splat, pack := []int64{}, []int64{}
	if _, value, _, ok := sch.Combiner(b); ok {
		for i, l := range sch.Loads(value, nil) {
			uses := false
			ir.Walk(l, func(n ir.Node) bool { uses = uses || n == ir.Node(b.IterVars[v].Var); return true })
			switch k := r.IntN(3); {
			case sch.Guarded(value, l), out:
			case k == 0 && !uses && !dot && tile[v] > 1:
				splat = append(splat, int64(i))
			case k == 1 && !dot:
				pack = append(pack, int64(i))
			}
		}
	}
	// Some variables of constant extents get loops over blocks of tiles, anywhere in front of those over tiles.
	blocks := make([]int64, len(b.IterVars))
	for i := 0; i < len(order); i++ {
		k := order[i]
		if _, ok := tir.AsInt(b.IterVars[k].Dom.Extent); !ok || r.IntN(3) > 0 || slices.Contains(order[:i], k) {
			continue
		}
		blocks[k] = int64(1 + r.IntN(3))
		order = slices.Insert(order, r.IntN(i+1), k)
		i++
	}
	run := int64(0)
	if wide {
		run = int64(r.IntN(5))
	}
	parallel := []int64{}
	for i := range order {
		if r.IntN(3) == 0 {
			parallel = append(parallel, int64(i))
		}
	}
	chunk, chunkAt := int64(0), int64(0)
	if n, known := int64(0), false; len(reduce) > 0 && !dot && !out && r.IntN(2) == 0 {
		if n, known = tir.AsInt(b.IterVars[reduce[0]].Dom.Extent); known && n > 0 {
			chunk = pick(r, divisors(n))
		}
		chunkAt = int64(r.IntN(len(order) + 1))
		for i, k := range order {
			if _, ok := tir.AsInt(b.IterVars[k].Dom.Extent); !ok {
				chunkAt = max(chunkAt, int64(i+1))
			}
		}
	}
	if chunk > 0 {
		splat, pack, run = nil, nil, 0
		unroll = slices.DeleteFunc(unroll, func(k int64) bool { return k == reduce[0] })
		parallel = slices.DeleteFunc(parallel, func(i int64) bool { return i >= chunkAt })
	}
	// Windows that overlap share columns.
	slide := []int64{}
	if free && !wide && !dot && chunk == 0 && r.IntN(3) > 0 {
		var pairs [][]int64
		for k, iv := range b.IterVars {
			_, known := tir.AsInt(iv.Dom.Extent)
			for c := range b.IterVars {
				shares := k != v && sch.Slides(b, k, c) > 0 || k == v && sch.MovesBy(b, k, c) > 0
				if iv.Kind == tir.DataPar && shares && !(out && k == v) && (known || slices.Contains(whole, int64(k))) && b.IterVars[c].Kind != tir.DataPar {
					pairs = append(pairs, []int64{int64(k), int64(c)})
				}
			}
		}
		if len(pairs) > 0 {
			slide, splat, pack = pick(r, pairs), nil, nil
		}
	}
	factor := r.IntN(10)
	matrix := !dot && chunk == 0 && run == 0 && len(slide) == 0 && r.IntN(4) == 0
	if matrix {
		unroll, factor = nil, factor%2
	}
	return []any{ref, order, tile, reduce, int64(v), lanes, whole, append([]int64{}, unroll...), int64(factor / 2), append([]int64{}, splat...), append([]int64{}, pack...), run, nil, blocks, parallel, chunk, chunkAt, slide, factor%2 == 0, matrix}
}

// divisors are those of a number.
func divisors(n int64) []int64 {
	var out []int64
	for d := int64(1); d <= n; d++ {
		if n%d == 0 {
			out = append(out, d)
		}
	}
	return out
}

// TestTilesKeepMeaning tiles reductions in all ways: in every order, with tiles that do not
// divide, over lanes of results or of the reduction, with copies, in runs, in chunks, with columns that results share, with blocks behind them.
func TestTilesKeepMeaning(t *testing.T) {
	for _, c := range tileKernels {
		m := parsed(t, c.params, c.body)
		t.Run(c.name, func(t *testing.T) {
			seed.Each(t, 40, func(t *testing.T, r *rand.Rand) {
				s := newSchedule(t, m, 1)
				var b *sch.Block
				var k *tir.Block
				for _, x := range do(t, s, "GetChildBlocks", do(t, s, "GetBlock", "root", nil)[0]) {
					y, err := s.Get(x)
					if err != nil {
						t.Fatal(err)
					}
					if y.(*tir.Block).Init != nil {
						b, k = x.(*sch.Block), y.(*tir.Block)
					}
				}
				args := tileArguments(r, k, b, c.extents, c.free, c.wide)
				var epilogue []*sch.Block
				for _, e := range s.State().Epilogue(b)[:] {
					if r.IntN(4) == 0 {
						break
					}
					epilogue = append(epilogue, do(t, s, "GetBlock", e.Name, nil)[0].(*sch.Block))
				}
				if len(epilogue) > 0 {
					args[12] = epilogue
				}
				t.Log(args[1:]...)
				do(t, s, "TileReduction", args...)
				for _, e := range epilogue {
					if _, err := s.Get(e); err == nil {
						t.Error("a block of the epilogue is still there")
					}
				}
				same(t, m, s, c.extents)
			})
		})
	}
}
