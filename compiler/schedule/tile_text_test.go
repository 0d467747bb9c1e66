package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/schedule"
)

// tile is a change by TileReduction of block C.
func tile(name, params, body string, spec func(o on) schedule.TileSpec, want string, extents ...map[string]int64) change {
	return change{name, params, body, func(o on) error { return second(o.s.TileReduction(o.b("C"), spec(o))) }, want, extents}
}

func as(spec schedule.TileSpec) func(o on) schedule.TileSpec {
	return func(on) schedule.TileSpec { return spec }
}

const (
	rowSumParams = `A: T.Buffer((3, 22), "float32"), C: T.Buffer((3,), "float32")`
	rowSum       = `
for i, k in T.grid(3, 22):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vk]`
	columnSumParams = `A: T.Buffer((5, 12), "float32"), C: T.Buffer((12,), "float32")`
	columnSum       = `
for k, i in T.grid(5, 12):
    with T.block("C"):
        vk, vi = T.axis.remap("RS", [k, i])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vk, vi]`
)

const (
	symbolicSumParams = "a: T.handle, c: T.handle"
	symbolicSum       = `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
C = T.match_buffer(c, (n,))
for i, k in T.grid(n, m):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vk]`
	wideParams = `A: T.Buffer((2, 3, 8), "int8"), C: T.Buffer((2,), "int32")`
	wide       = `
for i, j, k in T.grid(2, 3, 8):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SRR", [i, j, k])
        with T.init():
            C[vi] = 0
        C[vi] = C[vi] + T.Cast("int32", A[vi, vj, vk])`
	windowParams = `X: T.Buffer((3, 13), "float32"), W: T.Buffer((4, 3, 3), "float32"), C: T.Buffer((4, 6), "float32")`
	window       = `
for f, y, c, r in T.grid(4, 6, 3, 3):
    with T.block("C"):
        vf, vy, vc, vr = T.axis.remap("SSRR", [f, y, c, r])
        with T.init():
            C[vf, vy] = T.float32(0)
        C[vf, vy] = C[vf, vy] + X[vc, vy * 2 + vr] * W[vf, vc, vr]`
)

// symbolicSizes are extents of symbolicSum; from the second one on there is a tile of 4.
var symbolicSizes = []map[string]int64{{"n": 3, "m": 2}, {"n": 4, "m": 0}, {"n": 5, "m": 7}, {"n": 8, "m": 4}, {"n": 4, "m": 1}}

func TestTileTexts(t *testing.T) {
	changes(t, []change{
		tile("lanes of a sum", rowSumParams, rowSum, as(schedule.TileSpec{Order: []int{0}, Tile: []int64{1, 4}, Vector: 1, Lanes: 4, Reduce: []int{1}}), `
C_local = T.alloc_buffer((4,), scope="local")
for vi_a in range(3):
    for lane in T.vectorized(4):
        with T.block("C_init"):
            t_vk, vi = T.axis.remap("SS", [lane, vi_a])
            C_local[t_vk] = T.float32(0.0)
    for vk_k in range(5):
        for lane in T.vectorized(4):
            with T.block("C_update"):
                t_vk, vi = T.axis.remap("SS", [lane, vi_a])
                vk = T.axis.reduce(22, vk_k * 4 + lane)
                C_local[t_vk] = C_local[t_vk] + A[vi, vk]
    for vk_k in range(2):
        with T.block("C_rest"):
            t_vk = T.axis.spatial(4, 0)
            vi = T.axis.spatial(3, vi_a)
            vk = T.axis.reduce(22, 20 + vk_k)
            C_local[t_vk] = C_local[t_vk] + A[vi, vk]
    with T.block("C"):
        t_vk = T.axis.spatial(4, 0)
        vi = T.axis.spatial(3, vi_a)
        C[vi] = C_local[0] + C_local[1] + C_local[2] + C_local[3]`),
		tile("two vectors of a sum", rowSumParams, rowSum, as(schedule.TileSpec{Order: []int{0}, Tile: []int64{1, 8}, Vector: 1, Lanes: 4, Reduce: []int{1}}), `
C_local = T.alloc_buffer((8,), scope="local")
for vi_a in range(3):
    for vec in T.unroll(2):
        for lane in T.vectorized(4):
            with T.block("C_init"):
                t_vk = T.axis.spatial(8, vec * 4 + lane)
                vi = T.axis.spatial(3, vi_a)
                C_local[t_vk] = T.float32(0.0)
    for vk_k in range(2):
        for vec in T.unroll(2):
            for lane in T.vectorized(4):
                with T.block("C_update"):
                    t_vk = T.axis.spatial(8, vec * 4 + lane)
                    vi = T.axis.spatial(3, vi_a)
                    vk = T.axis.reduce(22, vk_k * 8 + (vec * 4 + lane))
                    C_local[t_vk] = C_local[t_vk] + A[vi, vk]
    for vk_k in range(6):
        with T.block("C_rest"):
            t_vk = T.axis.spatial(8, 0)
            vi = T.axis.spatial(3, vi_a)
            vk = T.axis.reduce(22, 16 + vk_k)
            C_local[t_vk] = C_local[t_vk] + A[vi, vk]
    for lane in T.vectorized(4):
        with T.block("C_fold"):
            t_vk = T.axis.spatial(8, lane)
            part = T.axis.reduce(1, 0)
            C_local[t_vk] = C_local[t_vk] + C_local[(part + 1) * 4 + t_vk]
    with T.block("C"):
        t_vk = T.axis.spatial(8, 0)
        vi = T.axis.spatial(3, vi_a)
        C[vi] = C_local[0] + C_local[1] + C_local[2] + C_local[3]`),
		tile("a factor of the first variable", columnSumParams, columnSum, as(schedule.TileSpec{Order: []int{1}, Tile: []int64{1, 4}, Vector: 1, Lanes: 4, Reduce: []int{0}, Factor: 2}), `
C_local = T.alloc_buffer((4,), scope="local")
for vi_o in range(3):
    for lane in T.vectorized(4):
        with T.block("C_init"):
            t_vi = T.axis.spatial(4, lane)
            vi = T.axis.spatial(12, vi_o * 4 + lane)
            C_local[t_vi] = T.float32(0.0)
    for vk_k in range(2):
        for vk_u in T.unroll(2):
            for lane in T.vectorized(4):
                with T.block("C_update"):
                    t_vi = T.axis.spatial(4, lane)
                    vi = T.axis.spatial(12, vi_o * 4 + lane)
                    vk = T.axis.reduce(5, vk_k * 2 + vk_u)
                    C_local[t_vi] = C_local[t_vi] + A[vk, vi]
    for lane in T.vectorized(4):
        with T.block("C_rest"):
            t_vi = T.axis.spatial(4, lane)
            vi = T.axis.spatial(12, vi_o * 4 + lane)
            C_local[t_vi] = C_local[t_vi] + A[4, vi]
    for lane in T.vectorized(4):
        with T.block("C"):
            t_vi = T.axis.spatial(4, lane)
            vi = T.axis.spatial(12, vi_o * 4 + lane)
            C[vi] = C_local[t_vi]`),
		tile("a factor of one", columnSumParams, columnSum, as(schedule.TileSpec{Order: []int{1}, Tile: []int64{1, 4}, Vector: 1, Lanes: 4, Reduce: []int{0}, Factor: 1}), `
C_local = T.alloc_buffer((4,), scope="local")
for vi_o in range(3):
    for lane in T.vectorized(4):
        with T.block("C_init"):
            t_vi = T.axis.spatial(4, lane)
            vi = T.axis.spatial(12, vi_o * 4 + lane)
            C_local[t_vi] = T.float32(0.0)
    for vk_k in range(5):
        for lane in T.vectorized(4):
            with T.block("C_update"):
                t_vi = T.axis.spatial(4, lane)
                vi = T.axis.spatial(12, vi_o * 4 + lane)
                vk = T.axis.reduce(5, vk_k)
                C_local[t_vi] = C_local[t_vi] + A[vk, vi]
    for lane in T.vectorized(4):
        with T.block("C"):
            t_vi = T.axis.spatial(4, lane)
            vi = T.axis.spatial(12, vi_o * 4 + lane)
            C[vi] = C_local[t_vi]`),
		tile("unrolled", columnSumParams, columnSum, as(schedule.TileSpec{Order: []int{1}, Tile: []int64{1, 4}, Vector: 1, Lanes: 4, Reduce: []int{0}, Unroll: []bool{true}, Factor: 3}), `
C_local = T.alloc_buffer((4,), scope="local")
for vi_o in range(3):
    for lane in T.vectorized(4):
        with T.block("C_init"):
            t_vi = T.axis.spatial(4, lane)
            vi = T.axis.spatial(12, vi_o * 4 + lane)
            C_local[t_vi] = T.float32(0.0)
    for vk_u in T.unroll(5):
        for lane in T.vectorized(4):
            with T.block("C_update"):
                t_vi = T.axis.spatial(4, lane)
                vi = T.axis.spatial(12, vi_o * 4 + lane)
                vk = T.axis.reduce(5, vk_u)
                C_local[t_vi] = C_local[t_vi] + A[vk, vi]
    for lane in T.vectorized(4):
        with T.block("C"):
            t_vi = T.axis.spatial(4, lane)
            vi = T.axis.spatial(12, vi_o * 4 + lane)
            C[vi] = C_local[t_vi]`),
		tile("no tile", columnSumParams, columnSum, as(schedule.TileSpec{Order: []int{1}, Vector: 1, Lanes: 1, Reduce: []int{0}}), `
C_local = T.alloc_buffer((1,), scope="local")
for vi_a in range(12):
    with T.block("C_init"):
        vi = T.axis.spatial(12, vi_a)
        C_local[0] = T.float32(0.0)
    for vk_k in range(5):
        with T.block("C_update"):
            vi, vk = T.axis.remap("SR", [vi_a, vk_k])
            C_local[0] = C_local[0] + A[vk, vi]
    with T.block("C"):
        vi = T.axis.spatial(12, vi_a)
        C[vi] = C_local[0]`),
		tile("a variable bound to zero", `A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")`, `
for k in range(8):
    with T.block("C"):
        vi = T.axis.spatial(4, 0)
        vk = T.axis.reduce(8, k)
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vk]`, as(schedule.TileSpec{Order: []int{0}, Tile: []int64{1, 4}, Vector: 1, Lanes: 4, Reduce: []int{1}}), `
C_local = T.alloc_buffer((4,), scope="local")
for lane in T.vectorized(4):
    with T.block("C_init"):
        t_vk = T.axis.spatial(4, lane)
        C_local[t_vk] = T.float32(0.0)
for vk_k in range(2):
    for lane in T.vectorized(4):
        with T.block("C_update"):
            t_vk = T.axis.spatial(4, lane)
            vk = T.axis.reduce(8, vk_k * 4 + lane)
            C_local[t_vk] = C_local[t_vk] + A[0, vk]
with T.block("C"):
    t_vk = T.axis.spatial(4, 0)
    C[0] = C_local[0] + C_local[1] + C_local[2] + C_local[3]`),
		tile("packed inside of the loop that it depends on", productSmallParams, productSmall, func(o on) schedule.TileSpec {
			return schedule.TileSpec{Order: []int{0, 1}, Tile: []int64{4, 1, 1}, Vector: 0, Lanes: 4, Reduce: []int{2}, Pack: loads(o.b("C"))[1:]}
		}, `
C_local = T.alloc_buffer((4,), scope="local")
B_pack = T.alloc_buffer((6,))
for vj_a in range(3):
    for vk_k in range(6):
        with T.block("C_pack"):
            k_vk, vj, vk = T.axis.remap("SSS", [vk_k, vj_a, vk_k])
            B_pack[k_vk] = B[vk, vj]
    for lane in T.vectorized(4):
        with T.block("C_init"):
            t_vi, vi, vj = T.axis.remap("SSS", [lane, lane, vj_a])
            C_local[t_vi] = T.float32(0.0)
    for vk_k in range(6):
        for lane in T.vectorized(4):
            with T.block("C_update"):
                t_vi, vi, vj, vk = T.axis.remap("SSSR", [lane, lane, vj_a, vk_k])
                C_local[t_vi] = C_local[t_vi] + A[vi, vk] * B_pack[vk]
    for lane in T.vectorized(4):
        with T.block("C"):
            t_vi, vi, vj = T.axis.remap("SSS", [lane, lane, vj_a])
            C[vi, vj] = C_local[t_vi]`),
		tile("a symbolic tile cut off", symbolicSumParams, symbolicSum, as(schedule.TileSpec{Order: []int{0}, Tile: []int64{4}, Vector: 1, Lanes: 1, Reduce: []int{1}}), `
C_local = T.alloc_buffer((4,), scope="local")
for vi_o in range((n + 3) // 4):
    for vi_i in T.unroll(4):
        with T.block("C_init"):
            t_vi = T.axis.spatial(4, vi_i)
            vi = T.axis.spatial(n, T.min(vi_o * 4 + vi_i, n - 1))
            C_local[t_vi] = T.float32(0.0)
    for vk_k in range(m):
        for vi_i in T.unroll(4):
            with T.block("C_update"):
                t_vi = T.axis.spatial(4, vi_i)
                vi = T.axis.spatial(n, T.min(vi_o * 4 + vi_i, n - 1))
                vk = T.axis.reduce(m, vk_k)
                C_local[t_vi] = C_local[t_vi] + A[vi, vk]
    for vi_i in T.unroll(4):
        with T.block("C"):
            t_vi = T.axis.spatial(4, vi_i)
            vi = T.axis.spatial(n, vi_o * 4 + vi_i)
            T.where(vi_o * 4 + vi_i < n)
            C[vi] = C_local[t_vi]`, symbolicSizes...),
		tile("a symbolic tile that is whole", symbolicSumParams, symbolicSum, as(schedule.TileSpec{Order: []int{0}, Tile: []int64{4}, Whole: []int{0}, Vector: 0, Lanes: 2, Reduce: []int{1}, Factor: 3}), `
C_local = T.alloc_buffer((4,), scope="local")
for vi_o in range((n + 3) // 4):
    for vec in T.unroll(2):
        for lane in T.vectorized(2):
            with T.block("C_init"):
                t_vi = T.axis.spatial(4, vec * 2 + lane)
                vi = T.axis.spatial(n, T.min(vi_o * 4, n - 4) + (vec * 2 + lane))
                C_local[t_vi] = T.float32(0.0)
    for vk_k in range(m // 3):
        for vk_u in T.unroll(3):
            for vec in T.unroll(2):
                for lane in T.vectorized(2):
                    with T.block("C_update"):
                        t_vi = T.axis.spatial(4, vec * 2 + lane)
                        vi = T.axis.spatial(n, T.min(vi_o * 4, n - 4) + (vec * 2 + lane))
                        vk = T.axis.reduce(m, vk_k * 3 + vk_u)
                        C_local[t_vi] = C_local[t_vi] + A[vi, vk]
    for vk_k in range(m % 3):
        for vec in T.unroll(2):
            for lane in T.vectorized(2):
                with T.block("C_rest"):
                    t_vi = T.axis.spatial(4, vec * 2 + lane)
                    vi = T.axis.spatial(n, T.min(vi_o * 4, n - 4) + (vec * 2 + lane))
                    vk = T.axis.reduce(m, m // 3 * 3 + vk_k)
                    C_local[t_vi] = C_local[t_vi] + A[vi, vk]
    for vec in T.unroll(2):
        for lane in T.vectorized(2):
            with T.block("C"):
                t_vi = T.axis.spatial(4, vec * 2 + lane)
                vi = T.axis.spatial(n, T.min(vi_o * 4, n - 4) + (vec * 2 + lane))
                C[vi] = C_local[t_vi]`, symbolicSizes[1:]...),
		tile("lanes of a symbolic sum", symbolicSumParams, symbolicSum, as(schedule.TileSpec{Order: []int{0}, Tile: []int64{1, 4}, Vector: 1, Lanes: 4, Reduce: []int{1}}), `
C_local = T.alloc_buffer((4,), scope="local")
for vi_a in range(n):
    for lane in T.vectorized(4):
        with T.block("C_init"):
            t_vk, vi = T.axis.remap("SS", [lane, vi_a])
            C_local[t_vk] = T.float32(0.0)
    for vk_k in range(m // 4):
        for lane in T.vectorized(4):
            with T.block("C_update"):
                t_vk, vi = T.axis.remap("SS", [lane, vi_a])
                vk = T.axis.reduce(m, vk_k * 4 + lane)
                C_local[t_vk] = C_local[t_vk] + A[vi, vk]
    for vk_k in range(m % 4):
        with T.block("C_rest"):
            t_vk = T.axis.spatial(4, 0)
            vi = T.axis.spatial(n, vi_a)
            vk = T.axis.reduce(m, m // 4 * 4 + vk_k)
            C_local[t_vk] = C_local[t_vk] + A[vi, vk]
    with T.block("C"):
        t_vk = T.axis.spatial(4, 0)
        vi = T.axis.spatial(n, vi_a)
        C[vi] = C_local[0] + C_local[1] + C_local[2] + C_local[3]`, symbolicSizes...),
		tile("runs", wideParams, wide, as(schedule.TileSpec{Order: []int{0}, Tile: []int64{1, 1, 1}, Vector: 0, Lanes: 1, Reduce: []int{1, 2}, Run: 3}), `
C_local = T.alloc_buffer((1,), "int8", scope="local")
C_sums = T.alloc_buffer((1,), "int32", scope="local")
for vi_a in range(2):
    with T.block("C_init"):
        vi = T.axis.spatial(2, vi_a)
        C_sums[0] = 0
    for vj_k in range(3):
        for vk_run in range(2):
            with T.block("C_init_1"):
                vi = T.axis.spatial(2, vi_a)
                C_local[0] = T.int8(0)
            for vk_k in range(3):
                with T.block("C_update"):
                    vi, vj = T.axis.remap("SR", [vi_a, vj_k])
                    vk = T.axis.reduce(8, vk_run * 3 + vk_k)
                    C_local[0] = C_local[0] + A[vi, vj, vk]
            with T.block("C_flush"):
                C_sums[0] = C_sums[0] + T.Cast("int32", C_local[0])
        with T.block("C_init_2"):
            vi = T.axis.spatial(2, vi_a)
            C_local[0] = T.int8(0)
        for vk_k in range(2):
            with T.block("C_update_1"):
                vi, vj = T.axis.remap("SR", [vi_a, vj_k])
                vk = T.axis.reduce(8, 6 + vk_k)
                C_local[0] = C_local[0] + A[vi, vj, vk]
        with T.block("C_flush_1"):
            C_sums[0] = C_sums[0] + T.Cast("int32", C_local[0])
    with T.block("C"):
        vi = T.axis.spatial(2, vi_a)
        C[vi] = C_sums[0]`),
		tile("runs of lanes", wideParams, wide, as(schedule.TileSpec{Order: []int{0}, Tile: []int64{1, 1, 2}, Vector: 2, Lanes: 2, Reduce: []int{1, 2}, Run: 2}), `
C_local = T.alloc_buffer((2,), "int8", scope="local")
C_sums = T.alloc_buffer((2,), "int32", scope="local")
for vi_a in range(2):
    for lane in T.vectorized(2):
        with T.block("C_init"):
            t_vk, vi = T.axis.remap("SS", [lane, vi_a])
            C_sums[t_vk] = 0
    for vj_k, vk_run in T.grid(3, 2):
        for lane in T.vectorized(2):
            with T.block("C_init_1"):
                t_vk, vi = T.axis.remap("SS", [lane, vi_a])
                C_local[t_vk] = T.int8(0)
        for vk_k in range(2):
            for lane in T.vectorized(2):
                with T.block("C_update"):
                    t_vk, vi, vj = T.axis.remap("SSR", [lane, vi_a, vj_k])
                    vk = T.axis.reduce(8, vk_run * 4 + (vk_k * 2 + lane))
                    C_local[t_vk] = C_local[t_vk] + A[vi, vj, vk]
        for lane in T.vectorized(2):
            with T.block("C_flush"):
                t_vk = T.axis.spatial(2, lane)
                C_sums[t_vk] = C_sums[t_vk] + T.Cast("int32", C_local[t_vk])
    with T.block("C"):
        t_vk = T.axis.spatial(2, 0)
        vi = T.axis.spatial(2, vi_a)
        C[vi] = C_sums[0] + C_sums[1]`),
		tile("runs of steps", wideParams, wide, as(schedule.TileSpec{Order: []int{0}, Tile: []int64{1, 1, 1}, Vector: 0, Lanes: 1, Reduce: []int{1, 2}, Run: 2, Factor: 2}), `
C_local = T.alloc_buffer((1,), "int8", scope="local")
C_sums = T.alloc_buffer((1,), "int32", scope="local")
for vi_a in range(2):
    with T.block("C_init"):
        vi = T.axis.spatial(2, vi_a)
        C_sums[0] = 0
    for vj_k, vk_run in T.grid(3, 2):
        with T.block("C_init_1"):
            vi = T.axis.spatial(2, vi_a)
            C_local[0] = T.int8(0)
        for vk_k in range(2):
            for vk_u in T.unroll(2):
                with T.block("C_update"):
                    vi, vj = T.axis.remap("SR", [vi_a, vj_k])
                    vk = T.axis.reduce(8, vk_run * 4 + (vk_k * 2 + vk_u))
                    C_local[0] = C_local[0] + A[vi, vj, vk]
        with T.block("C_flush"):
            C_sums[0] = C_sums[0] + T.Cast("int32", C_local[0])
    with T.block("C"):
        vi = T.axis.spatial(2, vi_a)
        C[vi] = C_sums[0]`),
		tile("a window", windowParams, window, func(o on) schedule.TileSpec {
			l := loads(o.b("C"))
			return schedule.TileSpec{Order: []int{0, 1}, Tile: []int64{2, 4, 1, 1}, Vector: 1, Lanes: 4, Reduce: []int{2, 3}, Unroll: []bool{false, false, false, true}, Splat: l[1:], Pack: l[:1]}
		}, `
C_local = T.alloc_buffer((2, 4), scope="local")
W_splat = T.alloc_buffer((3, 3, 2, 4))
X_pack = T.alloc_buffer((2, 3, 3, 4))
for vy_o, vy_i, vc_k, vr_k in T.grid(2, 4, 3, 3):
    with T.block("C_pack"):
        o_vy, k_vc, k_vr, p_vy = T.axis.remap("SSSS", [vy_o, vc_k, vr_k, vy_i])
        vy = T.axis.spatial(6, T.min(vy_o * 4, 2) + vy_i)
        vc, vr = T.axis.remap("SS", [vc_k, vr_k])
        X_pack[o_vy, k_vc, k_vr, p_vy] = X[vc, vy * 2 + vr]
for vf_o in range(2):
    for vc_k, vr_k in T.grid(3, 3):
        for vf_i in T.unroll(2):
            for lane in T.vectorized(4):
                with T.block("C_splat"):
                    k_vc, k_vr, p_vf, l = T.axis.remap("SSSS", [vc_k, vr_k, vf_i, lane])
                    vf = T.axis.spatial(4, vf_o * 2 + vf_i)
                    vc, vr = T.axis.remap("SS", [vc_k, vr_k])
                    W_splat[k_vc, k_vr, p_vf, l] = W[vf, vc, vr]
    for vy_o in range(2):
        for vf_i in T.unroll(2):
            for lane in T.vectorized(4):
                with T.block("C_init"):
                    t_vf, t_vy = T.axis.remap("SS", [vf_i, lane])
                    vf = T.axis.spatial(4, vf_o * 2 + vf_i)
                    vy = T.axis.spatial(6, T.min(vy_o * 4, 2) + lane)
                    C_local[t_vf, t_vy] = T.float32(0.0)
        for vc_k in range(3):
            for vr_u in T.unroll(3):
                for vf_i in T.unroll(2):
                    for lane in T.vectorized(4):
                        with T.block("C_update"):
                            t_vf, t_vy = T.axis.remap("SS", [vf_i, lane])
                            vf = T.axis.spatial(4, vf_o * 2 + vf_i)
                            vy = T.axis.spatial(6, T.min(vy_o * 4, 2) + lane)
                            vc, vr, o_vy, p_vy, p_vf, l = T.axis.remap("RRSSSS", [vc_k, vr_u, vy_o, lane, vf_i, lane])
                            C_local[t_vf, t_vy] = C_local[t_vf, t_vy] + X_pack[o_vy, vc, vr, p_vy] * W_splat[vc, vr, p_vf, l]
        for vf_i in T.unroll(2):
            for lane in T.vectorized(4):
                with T.block("C"):
                    t_vf, t_vy = T.axis.remap("SS", [vf_i, lane])
                    vf = T.axis.spatial(4, vf_o * 2 + vf_i)
                    vy = T.axis.spatial(6, T.min(vy_o * 4, 2) + lane)
                    C[vf, vy] = C_local[t_vf, t_vy]`),
	})
}

// TestTileStarts: lanes and runs start anew, so that the start must not count.
func TestTileStarts(t *testing.T) {
	sum := func(op, start, value string) string {
		return `
for i, k in T.grid(2, 8):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = ` + start + `
        C[vi] = C[vi] ` + op + ` ` + value
	}
	const params = `A: T.Buffer((2, 8), "int8"), C: T.Buffer((2,), "int32")`
	const cast = `T.Cast("int32", A[vi, vk])`
	runs := func(o on) error {
		return second(o.s.TileReduction(o.b("C"), schedule.TileSpec{Order: []int{0}, Vector: 0, Lanes: 1, Reduce: []int{1}, Run: 3}))
	}
	lanes := func(o on) error {
		return second(o.s.TileReduction(o.b("C"), schedule.TileSpec{Order: []int{0}, Tile: []int64{1, 4}, Vector: 1, Lanes: 4, Reduce: []int{1}}))
	}
	const say = "schedule: tile_reduction block C: "
	refusals(t, params, sum("+", "0", cast), []refusal{{"runs from 0", runs, ""}, {"lanes from 0", lanes, ""}})
	refusals(t, params, sum("+", "1", cast), []refusal{
		{"runs from 1", runs, say + "its init is not neutral, so that runs cannot start from it"},
		{"lanes from 1", lanes, say + "its init is not neutral, so that lanes cannot start from it"},
	})
	refusals(t, params, sum("*", "1", cast), []refusal{
		{"runs of a product", runs, say + "it does not add terms that it converts"},
		{"lanes of a product from 1", lanes, ""},
	})
	refusals(t, params, sum("*", "0", cast), []refusal{{"lanes of a product from 0", lanes, say + "its init is not neutral, so that lanes cannot start from it"}})
	refusals(t, `A: T.Buffer((2, 8), "int32"), C: T.Buffer((2,), "int32")`, sum("+", "0", "A[vi, vk]"), []refusal{{"runs of what is not converted", runs, say + "it does not add terms that it converts"}})
}
