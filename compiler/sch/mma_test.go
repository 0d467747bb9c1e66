package sch_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// mmaSteps tile a product for the warps of a GPU: matrices go to shared memory, tiles of them to the registers of a warp, and the intrinsics replace the loops over a tile.
const mmaSteps = `
block = sch.get_block("C")
i, j, k = sch.get_loops(block)
i, i_t = sch.split(i, factors=[None, 16])
j, j_t = sch.split(j, factors=[None, 16])
k, k_t = sch.split(k, factors=[None, %[1]d])
sch.reorder(i, j, k, i_t, j_t, k_t)
inner = block
outer = sch.blockize(i_t)
k0, k1 = sch.split(k, factors=[None, %[2]d])
sch.bind(i, "blockIdx.x")
sch.bind(j, "%[3]s")

def shared(n):
    b = sch.cache_read(outer, n, "shared")
    sch.compute_at(b, k0)
    fused = sch.fuse(*sch.get_loops(b)[-2:])
    _, tx, v = sch.split(fused, factors=[None, 32, %[4]d])
    sch.bind(tx, "threadIdx.x")

shared(0)
shared(1)
A_warp = sch.cache_read(outer, 0, "warp")
B_warp = sch.cache_read(outer, 1, "warp")
sch.compute_at(A_warp, k1)
sch.compute_at(B_warp, k1)
C_warp = sch.cache_write(outer, 0, "warp")
sch.reverse_compute_at(C_warp, j)
sch.decompose_reduction(outer, k0)
init = sch.get_block("C_init")

def tile(b, rows, cols):
    x, y = sch.get_loops(b)[-2:]
    x0, x1 = sch.split(x, factors=[None, rows])
    y0, y1 = sch.split(y, factors=[None, cols])
    sch.reorder(x0, y0, x1, y1)
    return x1

loop_a = tile(A_warp, %[5]s)
loop_b = tile(B_warp, %[6]s)
loop_c = tile(C_warp, 16, 16)

sch.transform_layout(A_warp, ("write", 0), lambda i, j: %[7]s)
sch.transform_layout(B_warp, ("write", 0), lambda i, j: %[8]s)
sch.transform_layout(C_warp, ("read", 0), lambda i, j: %[9]s)
sch.tensorize(loop_a, "%[10]s")
sch.tensorize(loop_b, "%[11]s")
sch.tensorize(sch.get_loops(inner)[-3], "%[12]s")
sch.tensorize(sch.get_loops(init)[-2], "mma_fill_16x16_%[13]s")
sch.tensorize(loop_c, "mma_store_16x16_%[13]s_global_")
`

// The layouts of tiles in the memory of a warp.
const (
	tile16x16 = "[i // 16, j // 16, 4 * (i % 8) + j % 8 // 2, 4 * (j % 16 // 8) + i % 16 // 8 * 2 + j % 2]"
	tile16x32 = "[i // 16, j // 32, 4 * (i % 8) + j % 16 // 4, 8 * (j % 32 // 16) + i % 16 // 8 * 4 + j % 4]"
	tile32x16 = "[i // 32, j // 16, i % 16 // 4 + 4 * (j % 8), 8 * (j % 16 // 8) + i % 32 // 16 * 4 + i % 4]"
)

// mmaCase is a product that the intrinsics can do.
type mmaCase struct {
	in, acc        string
	transA, transB bool
}

// program returns the product, of so many tiles, and the steps.
func (c mmaCase) program(r *rand.Rand) (text, steps string) {
	tile := int64(16)
	short := map[string]string{"float16": "f16", "float32": "f32", "int8": "i8", "int32": "i32", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}
	layoutA, layoutB := tile16x16, tile16x16
	if c.in != "float16" {
		tile = 32
		layoutA, layoutB = tile16x32, tile32x16
		if c.transB {
			layoutB = tile16x32
		}
	}
	m, n, k1 := 16*(1+r.Int64N(2)), 16*(1+r.Int64N(2)), 1+r.Int64N(2)
	k := tile * k1 * (1 + r.Int64N(2))
	flip := func(on bool, x, y any) (any, any) {
		if on {
			return y, x
		}
		return x, y
	}
	a0, a1 := flip(c.transA, m, k)
	b0, b1 := flip(c.transB, k, n)
	ai, aj := flip(c.transA, "vi", "vk")
	bi, bj := flip(c.transB, "vk", "vj")
	value := fmt.Sprintf("A[%v, %v] * B[%v, %v]", ai, aj, bi, bj)
	if c.acc != "float16" {
		value = fmt.Sprintf("T.Cast(%[1]q, A[%[2]v, %[3]v]) * T.Cast(%[1]q, B[%[4]v, %[5]v])", c.acc, ai, aj, bi, bj)
	}
	text = fmt.Sprintf(`@T.prim_func
def main(A: T.Buffer((%d, %d), %[5]q), B: T.Buffer((%[3]d, %[4]d), %[5]q), C: T.Buffer((%[6]d, %[7]d), %[8]q)):
    for i, j, k in T.grid(%[6]d, %[7]d, %[9]d):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.%[8]s(0)
            C[vi, vj] = C[vi, vj] + %[10]s
`, a0, a1, b0, b1, c.in, m, n, c.acc, k, value)
	name := short[c.in]
	mark := func(on bool, s string) string {
		if on {
			return s
		}
		return ""
	}
	rowsA, colsA := flip(c.transA, 16, tile)
	rowsB, colsB := flip(c.transB, tile, 16)
	steps = fmt.Sprintf(mmaSteps, tile, k1, []string{"blockIdx.y", "threadIdx.y"}[r.IntN(2)], []int{1, 2, 4}[r.IntN(3)],
		fmt.Sprintf("%v, %v", rowsA, colsA), fmt.Sprintf("%v, %v", rowsB, colsB), layoutA, layoutB, tile16x16,
		"mma_ldmatrix_"+name+"_a"+mark(c.transA, "_trans"), "mma_ldmatrix_"+name+"_b"+mark(c.transB, "_trans"),
		"mma_"+name+name+short[c.acc]+mark(c.transA, "_trans_a")+mark(c.transB, "_trans_b"), short[c.acc])
	return text, steps
}

// mmaLowering takes a scheduled kernel to the calls of its instructions, on registers.
var mmaLowering = []*pass.Pass{
	tirpass.LowerInitBlock, tirpass.PlanAndUpdateBufferAllocationLocation, tirpass.ConvertBlocksToOpaque, tirpass.LiftThreadBinding, tirpass.CompactBufferAllocation,
	tirpass.UnifyThreadBinding, tirpass.LowerMatchBuffer, tirpass.Simplify, tirpass.LowerOpaqueBlock, tirpass.FlattenBuffer, tirpass.Simplify,
	tirpass.ThreadSync, tirpass.LowerWarpMemory,
}

// TestRandomTensorCores tensorizes products with the intrinsics of tensor cores: they give what the loops give, as scheduled and as lowered.
func TestRandomTensorCores(t *testing.T) {
	cases := []mmaCase{
		{"float16", "float32", false, false},
		{"float16", "float32", false, true},
		{"float16", "float32", true, false},
		{"float16", "float32", true, true},
		{"float16", "float16", false, false},
		{"float16", "float16", true, true},
		{"int8", "int32", false, true},
		{"int8", "int32", false, false},
		{"float8_e4m3fn", "float32", false, true},
		{"float8_e5m2", "float32", false, false},
	}
	n := 0
	seed.Each(t, 2*len(cases), func(t *testing.T, r *rand.Rand) {
		c := cases[n%len(cases)]
		n++
		text, steps := c.program(r)
		m := read(t, "before", text)
		s, err := starpass.Parse("steps", steps, starpass.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		done, err := s.Schedule(t.Context(), m, 1, nil)
		if err != nil {
			t.Fatalf("%v: %v\n%s%s", c, err, text, steps)
		}
		args := tirtest.Arguments(m.Lookup("main").(*tir.PrimFunc), r.Uint64()%1000)
		want, err := tirtest.Run(m.Lookup("main").(*tir.PrimFunc), args, nil)
		if err != nil {
			t.Fatal(err)
		}
		same := func(what string, m *ir.Module) {
			f := m.Lookup("main").(*tir.PrimFunc)
			got, err := tirtest.Run(f, args, nil)
			d := ""
			if err != nil {
				d = err.Error()
			} else {
				d = tirtest.Differ(got, want)
			}
			if d != "" {
				t.Fatalf("%v, %s: %s\n%s", c, what, d, script.Module(m, script.Options{}).Source)
			}
		}
		same("scheduled", done.Module())
		target := map[string]any{"target": "cuda"}
		lowered := done.Module()
		for _, p := range append([]*pass.Pass{withOptions(t, tirpass.BindTarget, target)}, mmaLowering...) {
			if p == tirpass.ThreadSync {
				p = withOptions(t, p, map[string]any{"storage_scope": "shared"})
			}
			if lowered, err = passtest.NewContext().Run(p, lowered); err != nil {
				t.Fatalf("%v: %v", c, err)
			}
		}
		same("lowered", lowered)
	})
}

func withOptions(t *testing.T, p *pass.Pass, options map[string]any) *pass.Pass {
	t.Helper()
	var pairs []any
	for k, v := range options {
		pairs = append(pairs, k, v)
	}
	out, err := p.With(ir.NewAttrs(pairs...))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// mma8Steps tile a product for mma.m16n8k8, whose fragments are buffers of their own scopes: one warp computes 32 by 32 elements.
const mma8Steps = `
block = sch.get_block("C")
i, j, k = sch.get_loops(block)
i0, i1, i2 = sch.split(i, factors=[None, 2, 16])
j0, j1, j2 = sch.split(j, factors=[None, 4, 8])
k0, k1, k2 = sch.split(k, factors=[None, %[1]d, 8])
sch.reorder(i0, j0, k0, k1, i1, j1, i2, j2, k2)
outer = sch.blockize(i2)
sch.bind(i0, "blockIdx.x")
sch.bind(j0, "blockIdx.y")

def shared(n):
    b = sch.cache_read(outer, n, "shared.dyn")
    sch.compute_at(b, k0)
    fused = sch.fuse(*sch.get_loops(b)[-2:])
    _, tx = sch.split(fused, factors=[None, 32])
    sch.bind(tx, "threadIdx.x")

shared(0)
shared(1)
A_frag = sch.cache_read(outer, 0, "m16n8k8.matrixA")
B_frag = sch.cache_read(outer, 1, "m16n8k8.matrixB")
sch.compute_at(A_frag, k1)
sch.compute_at(B_frag, k1)
C_frag = sch.cache_write(outer, 0, "m16n8k8.matrixC")
sch.reverse_compute_at(C_frag, j0)
x, y = sch.get_loops(C_frag)[-2:]
x0, x1 = sch.split(x, factors=[None, 8])
y0, y1, y2 = sch.split(y, factors=[None, 4, 2])
sch.reorder(x0, y0, x1, y1, y2)
sch.bind(sch.fuse(x1, y1), "threadIdx.x")
sch.decompose_reduction(outer, k0)
sch.tensorize(sch.get_loops(A_frag)[-2], "mma_load_m16n8k8_f16_A_shared_dyn")
sch.tensorize(sch.get_loops(B_frag)[-2], "mma_load_m16n8k8_f16_B_shared_dyn")
sch.tensorize(sch.get_loops(block)[-3], "mma_sync_m16n8k8_f16f16%[2]s")
sch.tensorize(sch.get_loops(sch.get_block("C_init"))[-2], "mma_init_m16n8k8_%[2]s")
`

// TestRandomFragments tensorizes products with mma.m16n8k8; tir.TransformMmaBufferLayout gives each thread its registers.
func TestRandomFragments(t *testing.T) {
	seed.Each(t, 10, func(t *testing.T, r *rand.Rand) {
		c := mmaCase{in: "float16", acc: []string{"float16", "float32"}[r.IntN(2)]}
		k1 := 1 + r.Int64N(3)
		m, n, k := 32*(1+r.Int64N(2)), 32*(1+r.Int64N(2)), 8*k1*(1+r.Int64N(2))
		value := "A[vi, vk] * B[vk, vj]"
		short := "f16"
		if c.acc == "float32" {
			value, short = `T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vk, vj])`, "f32"
		}
		before := read(t, "before", fmt.Sprintf(`@T.prim_func
def main(A: T.Buffer((%[1]d, %[3]d), "float16"), B: T.Buffer((%[3]d, %[2]d), "float16"), C: T.Buffer((%[1]d, %[2]d), %[4]q)):
    for i, j, k in T.grid(%[1]d, %[2]d, %[3]d):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.%[4]s(0)
            C[vi, vj] = C[vi, vj] + %[5]s
`, m, n, k, c.acc, value))
		s, err := starpass.Parse("steps", fmt.Sprintf(mma8Steps, k1, short), starpass.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		done, err := s.Schedule(t.Context(), before, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := before.Lookup("main").(*tir.PrimFunc)
		args := tirtest.Arguments(f, r.Uint64()%1000)
		want, err := tirtest.Run(f, args, nil)
		if err != nil {
			t.Fatal(err)
		}
		lowered := done.Module()
		for _, p := range []*pass.Pass{
			tirpass.LowerInitBlock, tirpass.PlanAndUpdateBufferAllocationLocation, tirpass.ConvertBlocksToOpaque, tirpass.LiftThreadBinding, tirpass.CompactBufferAllocation,
			tirpass.UnifyThreadBinding, tirpass.LowerMatchBuffer, tirpass.Simplify, tirpass.TransformMmaBufferLayout, tirpass.LowerOpaqueBlock, tirpass.FlattenBuffer,
			tirpass.VectorizeLoop, tirpass.Simplify, withOptions(t, tirpass.ThreadSync, map[string]any{"storage_scope": "shared.dyn"}),
		} {
			if lowered, err = passtest.NewContext().Run(p, lowered); err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
		}
		got, err := tirtest.Run(lowered.Lookup("main").(*tir.PrimFunc), args, nil)
		d := ""
		if err != nil {
			d = err.Error()
		} else {
			d = tirtest.Differ(got, want)
		}
		if d != "" {
			t.Fatalf("%s\n%s", d, script.Module(lowered, script.Options{}).Source)
		}
	})
}
