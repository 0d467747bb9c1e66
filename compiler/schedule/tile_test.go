package schedule_test

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
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
}

// loads lists the loads of a block of other buffers than what it writes.
func loads(b *schedule.Block) []*tir.BufferLoad {
	var out []*tir.BufferLoad
	ir.Walk(b.Body(), func(n ir.Node) bool {
		if l, ok := n.(*tir.BufferLoad); ok && l.Buffer != b.Writes()[0].Buffer {
			out = append(out, l)
		}
		return true
	})
	return out
}

func uses(l *tir.BufferLoad, v *tir.Var) bool {
	found := false
	ir.Walk(l, func(n ir.Node) bool { found = found || n == ir.Node(v); return true })
	return found
}

// randomSpec draws a specification that may be applied to b.
func randomSpec(r *rand.Rand, b *schedule.Block, extents map[string]int64, free, wide bool) schedule.TileSpec {
	spec := schedule.TileSpec{Lanes: 1, Factor: int64(r.IntN(5))}
	n := len(b.Iters())
	spec.Tile, spec.Unroll = make([]int64, n), make([]bool, n)
	var vectors []int
	for k, iv := range b.Iters() {
		size, known := tir.AsInt(iv.Dom.Extent)
		if v, ok := iv.Dom.Extent.(*tir.Var); ok {
			size = extents[v.Name]
		}
		switch {
		case iv.Kind == tir.DataPar:
			spec.Order = append(spec.Order, k)
			spec.Tile[k] = int64(r.IntN(int(min(size, 6)) + 1))
			if spec.Tile[k] > 1 && !known && r.IntN(2) == 0 {
				spec.Whole = append(spec.Whole, k)
			}
			if known || len(spec.Whole) > 0 && spec.Whole[len(spec.Whole)-1] == k {
				vectors = append(vectors, k)
			}
		default:
			spec.Reduce = append(spec.Reduce, k)
			spec.Unroll[k] = known && r.IntN(3) == 0
			if free {
				vectors = append(vectors, k)
			}
		}
	}
	r.Shuffle(len(spec.Order), func(i, j int) { spec.Order[i], spec.Order[j] = spec.Order[j], spec.Order[i] })
	r.Shuffle(len(spec.Reduce), func(i, j int) { spec.Reduce[i], spec.Reduce[j] = spec.Reduce[j], spec.Reduce[i] })
	spec.Vector = pick(r, vectors)
	iv := b.Iters()[spec.Vector]
	if spec.Tile[spec.Vector] == 5 {
		spec.Tile[spec.Vector] = 4
	}
	if iv.Kind != tir.DataPar {
		spec.Tile[spec.Vector], spec.Unroll[spec.Vector] = pick(r, []int64{1, 2, 4, 8}), false
	}
	if spec.Tile[spec.Vector] > 1 {
		spec.Lanes = pick(r, []int64{spec.Tile[spec.Vector], 1, spec.Tile[spec.Vector]})
		if spec.Tile[spec.Vector]%2 == 0 && r.IntN(2) == 0 {
			spec.Lanes = 2
		}
	}
	for _, l := range loads(b) {
		switch k := r.IntN(3); {
		case k == 0 && !uses(l, iv.Var) && iv.Kind == tir.DataPar && spec.Tile[spec.Vector] > 1:
			spec.Splat = append(spec.Splat, l)
		case k == 1 && iv.Kind == tir.DataPar:
			spec.Pack = append(spec.Pack, l)
		}
	}
	if wide {
		spec.Run = int64(r.IntN(5))
	}
	return spec
}

// TestTilesKeepMeaning tiles reductions in all ways: in every order, with tiles that do not
// divide, over lanes of results or of the reduction, with copies, in runs.
func TestTilesKeepMeaning(t *testing.T) {
	for _, c := range tileKernels {
		f := parsed(t, c.params, c.body)
		t.Run(c.name, func(t *testing.T) {
			seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
				s := scheduled(t, f)
				b := block(t, s, s.Blocks()[len(s.Blocks())-1].Name())
				spec := randomSpec(r, b, c.extents, c.free, c.wide)
				t.Logf("%+v", spec)
				if _, err := s.TileReduction(b, spec); err != nil {
					t.Fatal(err)
				}
				same(t, f, s, c.extents)
			})
		})
	}
}

// TestTileRefusals tells each way in which a specification does not fit.
func TestTileRefusals(t *testing.T) {
	good := func() schedule.TileSpec {
		return schedule.TileSpec{Order: []int{0, 1}, Tile: []int64{7, 12}, Vector: 1, Lanes: 4, Reduce: []int{2}}
	}
	const combine = "schedule: tile_reduction block C: it does not combine one value from an init on by a commutative operation"
	for _, c := range []struct {
		name string
		do   func(x *schedule.TileSpec)
		want string
	}{
		{"fits", func(*schedule.TileSpec) {}, ""},
		{"a tile larger than its axis", func(x *schedule.TileSpec) { x.Tile[0] = 8 }, "schedule: tile_reduction block C: the tile of vi is 8, its extent 7"},
		{"a tile of the reduction may be", func(x *schedule.TileSpec) { x.Tile, x.Vector = []int64{7, 12, 8}, 2 }, ""},
		{"lanes that do not divide", func(x *schedule.TileSpec) { x.Lanes = 5 }, "schedule: tile_reduction block C: the tile of the vector variable is not a multiple of 5 lanes"},
		{"no lanes", func(x *schedule.TileSpec) { x.Lanes = 0 }, "schedule: tile_reduction block C: the tile of the vector variable is not a multiple of 0 lanes"},
		{"one lane", func(x *schedule.TileSpec) { x.Lanes = 1 }, ""},
		{"no vector", func(x *schedule.TileSpec) { x.Vector = -1 }, "schedule: tile_reduction block C: the tile of the vector variable is not a multiple of 4 lanes"},
		{"a vector beyond", func(x *schedule.TileSpec) { x.Vector = 3 }, "schedule: tile_reduction block C: the tile of the vector variable is not a multiple of 4 lanes"},
		{"twice in the order", func(x *schedule.TileSpec) { x.Order = []int{0, 1, 0} }, "schedule: tile_reduction block C: the order of its variables is not a permutation"},
		{"in both orders", func(x *schedule.TileSpec) { x.Reduce = []int{2, 1} }, "schedule: tile_reduction block C: the order of its variables is not a permutation"},
		{"beyond the order", func(x *schedule.TileSpec) { x.Reduce = []int{2, 3} }, "schedule: tile_reduction block C: the order of its variables is not a permutation"},
		{"before the order", func(x *schedule.TileSpec) { x.Order = []int{-1, 0, 1} }, "schedule: tile_reduction block C: the order of its variables is not a permutation"},
		{"missing", func(x *schedule.TileSpec) { x.Reduce = nil }, "schedule: tile_reduction block C: vk is not in the order"},
		{"runs of what is not converted", func(x *schedule.TileSpec) { x.Run = 1 }, "schedule: tile_reduction block C: it does not add terms that it converts"},
	} {
		s := scheduled(t, parsed(t, productParams, product))
		old := source(s.Func())
		spec := good()
		c.do(&spec)
		_, err := s.TileReduction(block(t, s, "C"), spec)
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				same(t, parsed(t, productParams, product), s, nil)
				return
			}
			refuses(t, err, c.want)
			if source(s.Func()) != old {
				t.Error("the function changed")
			}
		})
	}
	one := func(body string) string {
		return "for i, k in T.grid(4, 8):\n    with T.block(\"C\"):\n        vi, vk = T.axis.remap(\"SR\", [i, k])\n        " + body
	}
	const sum = "with T.init():\n            C[vi] = T.float32(0)\n        C[vi] = C[vi] + A[vi, vk]"
	for _, c := range []struct {
		name, body string
		prepare    func(s *schedule.Schedule, b *schedule.Block) error
		want       string
	}{
		{"no init", one("C[vi] = C[vi] + A[vi, vk]"), nil, combine},
		{"a difference", one("with T.init():\n            C[vi] = T.float32(0)\n        C[vi] = C[vi] - A[vi, vk]"), nil, combine},
		{"a condition", one("T.where(i + k < 9)\n        " + sum), nil, combine},
		{"a start that is not neutral", one("with T.init():\n            C[vi] = T.float32(1)\n        C[vi] = C[vi] + A[vi, vk]"), nil, "schedule: tile_reduction block C: its init is not neutral, so that lanes cannot start from it"},
		{"a factor that is not neutral", one("with T.init():\n            C[vi] = T.float32(0)\n        C[vi] = C[vi] * A[vi, vk]"), nil, "schedule: tile_reduction block C: its init is not neutral, so that lanes cannot start from it"},
		{"neutral", one(sum), nil, ""},
		{"a part of the domain", "for i, k in T.grid(4, 7):\n    with T.block(\"C\"):\n        vi = T.axis.spatial(4, i)\n        vk = T.axis.reduce(8, k + 1)\n        " + sum, nil, "schedule: tile_reduction block C: vk does not reduce over all of its domain, so that the init may not run"},
		{"a parallel loop", one(sum), func(s *schedule.Schedule, b *schedule.Block) error { return s.Parallel(s.GetLoops(b)[0]) }, "schedule: tile_reduction block C: its loops are not serial or hold other blocks"},
		{"split loops", one(sum), func(s *schedule.Schedule, b *schedule.Block) error {
			_, err := s.Split(s.GetLoops(b)[0], 0, 2)
			return err
		}, "schedule: tile_reduction block C: vi is not bound to a loop of its own"},
		{"a loop too many", one(sum), func(s *schedule.Schedule, b *schedule.Block) error { _, err := s.AddUnitLoop(b); return err }, "schedule: tile_reduction block C: it has loops that no iteration variable is bound to"},
		{"twice", one(sum), func(s *schedule.Schedule, b *schedule.Block) error {
			_, err := s.TileReduction(b, schedule.TileSpec{Order: []int{0}, Vector: 1, Tile: []int64{1, 4}, Lanes: 4, Reduce: []int{1}})
			return err
		}, "schedule: tile_reduction block C: the block was removed by an earlier primitive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scheduled(t, parsed(t, `A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")`, c.body))
			b := block(t, s, "C")
			if c.prepare != nil {
				if err := c.prepare(s, b); err != nil {
					t.Fatal(err)
				}
			}
			_, err := s.TileReduction(b, schedule.TileSpec{Order: []int{0}, Vector: 1, Tile: []int64{1, 4}, Lanes: 4, Reduce: []int{1}})
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			refuses(t, err, c.want)
		})
	}
}

// TestTileOfSymbolicVector: a vector needs whole tiles, which the caller must promise.
func TestTileOfSymbolicVector(t *testing.T) {
	f := parsed(t, tileKernels[1].params, tileKernels[1].body)
	spec := schedule.TileSpec{Order: []int{0, 1}, Tile: []int64{4}, Vector: 0, Lanes: 4, Reduce: []int{2}}
	s := scheduled(t, f)
	_, err := s.TileReduction(block(t, s, "C"), spec)
	refuses(t, err, "schedule: tile_reduction block C: the vector variable has a symbolic extent: use loop_partition first, or say that it holds a whole tile")
	spec.Whole = []int{0}
	if _, err := s.TileReduction(block(t, s, "C"), spec); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{4, 5, 7, 8, 9} {
		same(t, f, s, map[string]int64{"n": n, "m": n - 4})
	}
}

// TestTileText shows the nests of a product: tiles of 4 rows and 8 columns, the last ones moved
// back, vectors of 4 columns, steps of 3 and what is left of them.
func TestTileText(t *testing.T) {
	s := scheduled(t, parsed(t, `A: T.Buffer((4, 8), "float32"), B: T.Buffer((8, 20), "float32"), C: T.Buffer((4, 20), "float32")`, `
for i, j, k in T.grid(4, 20, 8):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`))
	b := block(t, s, "C")
	l := loads(b)
	tiled, err := s.TileReduction(b, schedule.TileSpec{
		Order: []int{0, 1}, Tile: []int64{2, 8}, Vector: 1, Lanes: 4, Reduce: []int{2}, Factor: 3,
		Splat: l[:1], Pack: l[1:],
	})
	if err != nil {
		t.Fatal(err)
	}
	looks(t, s, `
C_local = T.alloc_buffer((2, 8), scope="local")
A_splat = T.alloc_buffer((8, 2, 4))
B_pack = T.alloc_buffer((3, 8, 8))
for vj_o, vk_k in T.grid(3, 8):
    for vj_i in T.vectorized(8):
        with T.block("C_pack"):
            o_vj, k_vk, p_vj = T.axis.remap("SSS", [vj_o, vk_k, vj_i])
            vj = T.axis.spatial(20, T.min(vj_o * 8, 12) + vj_i)
            vk = T.axis.spatial(8, vk_k)
            B_pack[o_vj, k_vk, p_vj] = B[vk, vj]
for vi_o in range(2):
    for vk_k in range(8):
        for vi_i in T.unroll(2):
            for lane in T.vectorized(4):
                with T.block("C_splat"):
                    k_vk, p_vi, l = T.axis.remap("SSS", [vk_k, vi_i, lane])
                    vi = T.axis.spatial(4, vi_o * 2 + vi_i)
                    vk = T.axis.spatial(8, vk_k)
                    A_splat[k_vk, p_vi, l] = A[vi, vk]
    for vj_o in range(3):
        for vi_i in T.unroll(2):
            for vec in T.unroll(2):
                for lane in T.vectorized(4):
                    with T.block("C_init"):
                        t_vi = T.axis.spatial(2, vi_i)
                        t_vj = T.axis.spatial(8, vec * 4 + lane)
                        vi = T.axis.spatial(4, vi_o * 2 + vi_i)
                        vj = T.axis.spatial(20, T.min(vj_o * 8, 12) + (vec * 4 + lane))
                        C_local[t_vi, t_vj] = T.float32(0.0)
        for vk_k in range(2):
            for vk_u in T.unroll(3):
                for vi_i in T.unroll(2):
                    for vec in T.unroll(2):
                        for lane in T.vectorized(4):
                            with T.block("C_update"):
                                t_vi = T.axis.spatial(2, vi_i)
                                t_vj = T.axis.spatial(8, vec * 4 + lane)
                                vi = T.axis.spatial(4, vi_o * 2 + vi_i)
                                vj = T.axis.spatial(20, T.min(vj_o * 8, 12) + (vec * 4 + lane))
                                vk = T.axis.reduce(8, vk_k * 3 + vk_u)
                                p_vi, l, o_vj = T.axis.remap("SSS", [vi_i, lane, vj_o])
                                p_vj = T.axis.spatial(8, vec * 4 + lane)
                                C_local[t_vi, t_vj] = C_local[t_vi, t_vj] + A_splat[vk, p_vi, l] * B_pack[o_vj, vk, p_vj]
        for vk_k in range(2):
            for vi_i in T.unroll(2):
                for vec in T.unroll(2):
                    for lane in T.vectorized(4):
                        with T.block("C_rest"):
                            t_vi = T.axis.spatial(2, vi_i)
                            t_vj = T.axis.spatial(8, vec * 4 + lane)
                            vi = T.axis.spatial(4, vi_o * 2 + vi_i)
                            vj = T.axis.spatial(20, T.min(vj_o * 8, 12) + (vec * 4 + lane))
                            vk = T.axis.reduce(8, 6 + vk_k)
                            p_vi, l, o_vj = T.axis.remap("SSS", [vi_i, lane, vj_o])
                            p_vj = T.axis.spatial(8, vec * 4 + lane)
                            C_local[t_vi, t_vj] = C_local[t_vi, t_vj] + A_splat[vk, p_vi, l] * B_pack[o_vj, vk, p_vj]
        for vi_i in T.unroll(2):
            for vec in T.unroll(2):
                for lane in T.vectorized(4):
                    with T.block("C"):
                        t_vi = T.axis.spatial(2, vi_i)
                        t_vj = T.axis.spatial(8, vec * 4 + lane)
                        vi = T.axis.spatial(4, vi_o * 2 + vi_i)
                        vj = T.axis.spatial(20, T.min(vj_o * 8, 12) + (vec * 4 + lane))
                        C[vi, vj] = C_local[t_vi, t_vj]`)
	for _, x := range []struct {
		b    *schedule.Block
		name string
	}{{tiled.Init, "C_init"}, {tiled.Update, "C_update"}, {tiled.Write, "C"}, {tiled.Copies[0], "C_splat"}, {tiled.Copies[1], "C_pack"}} {
		if x.b == nil || x.b.Name() != x.name {
			t.Errorf("%v is not %s", x.b, x.name)
		}
	}
	if n := len(tiled.Copies); n != 2 {
		t.Errorf("%d copies", n)
	}
	if d := tiled.Write.Writes()[0].Buffer.DType; d != dtype.Float32T {
		t.Errorf("results are %v", d)
	}
	_, err = s.TileReduction(b, schedule.TileSpec{})
	refuses(t, err, "schedule: tile_reduction block C: the block was removed by an earlier primitive")
}
