package cpu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// TestChoose tells along which variable vectors run, if any.
func TestChoose(t *testing.T) {
	sum := func(params, extents, load string) *plan {
		return planOf(t, params, `
for i, j, k in T.grid(`+extents+`):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + `+load)
	}
	const cube = `A: T.Buffer((8, 8, 16), "float32"), C: T.Buffer((8, 8), "float32")`
	for _, c := range []struct {
		name   string
		p      *plan
		ok     bool
		vector int
		lanes  int64
	}{
		{"contiguous results", columns(t, "4", "5", "8", "float32"), true, 1, 4},
		{"a product", product(t, "8", "16", "8", "float32", false), true, 1, 4},
		{"a transposed product of few rows", product(t, "8", "16", "8", "float32", true), true, 2, 4},
		{"a transposed product of many rows", product(t, "64", "16", "8", "float32", true), true, 1, 4},
		{"a transposed product of a short reduction", product(t, "8", "7", "8", "float32", true), true, 1, 4},
		{"a sum along contiguous elements", sum(cube, "8, 8, 16", "A[vi, vj, vk]"), true, 2, 4},
		{"a sum along few contiguous elements", sum(`A: T.Buffer((8, 8, 7), "float32"), C: T.Buffer((8, 8), "float32")`, "8, 8, 7", "A[vi, vj, vk]"), true, 1, 1},
		{"narrow rows", columns(t, "4", "5", "3", "float32"), true, 1, 1},
		{"no elements", columns(t, "0", "5", "8", "float32"), false, 0, 4},
		{"nothing to sum", columns(t, "4", "0", "8", "float32"), false, 0, 4},
		{"one to sum", columns(t, "4", "1", "8", "float32"), false, 0, 4},
		{"one result", product(t, "1", "7", "1", "float32", false), false, 0, 4},
	} {
		if ok := c.p.choose(); ok != c.ok || c.p.Vector != c.vector || c.p.Lanes != c.lanes {
			t.Errorf("%s: %v, %d lanes along %d, want %v, %d along %d", c.name, ok, c.p.Lanes, c.p.Vector, c.ok, c.lanes, c.vector)
		}
	}
	first := planOf(t, `A: T.Buffer((4, 16), "float32"), C: T.Buffer((4,), "float32")`, `
for k, i in T.grid(16, 4):
    with T.block("C"):
        vk, vi = T.axis.remap("RS", [k, i])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vk]`)
	if !first.choose() || first.Vector != 0 || first.Lanes != 4 {
		t.Errorf("%+v", first.TileSpec)
	}
	// A product whose second factor is read from afar is packed, also along the first variable.
	far := planOf(t, `A: T.Buffer((64, 7), "float32"), B: T.Buffer((8, 7), "float32"), C: T.Buffer((64, 8), "float32")`, `
for j, i, k in T.grid(8, 64, 7):
    with T.block("C"):
        vj, vi, vk = T.axis.remap("SSR", [j, i, k])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]`)
	if !far.choose() || far.Vector != 0 || far.Lanes != 4 || len(far.Pack) != 1 {
		t.Errorf("%+v", far.TileSpec)
	}
	// What vectors have no type for is computed one by one.
	small := planOf(t, `A: T.Buffer((5, 8), "float8_e4m3fn"), C: T.Buffer((8,), "float8_e4m3fn")`, `
for i, k in T.grid(8, 5):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = T.Cast("float8_e4m3fn", T.float32(0))
        C[vi] = T.max(C[vi], A[vk, vi])`)
	if !small.choose() || small.Lanes != 1 || small.Tile[0] != 4 {
		t.Errorf("%+v", small.TileSpec)
	}
	// What moves by no constant along the reduction is no row of a sum.
	apart := sum(`A: T.Buffer((64, 16), "float32"), C: T.Buffer((8, 8), "float32")`, "8, 8, 16", "A[vk * vk // 4, vk]")
	if d := apart.contiguousReduction(); d != -1 {
		t.Errorf("vectors run along %d", d)
	}
}

// TestEpilogue: what alone uses the results of a reduction is computed where they are written.
func TestEpilogue(t *testing.T) {
	const params = `A: T.Buffer((4, 40), "float32"), C: T.Buffer((4,), "float32"), F: T.Buffer((4,), "float32")`
	const sum = `
D = T.alloc_buffer((4,))
E = T.alloc_buffer((4,))
for i, k in T.grid(4, 40):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(0)
        D[vi] = D[vi] + A[vi, vk]`
	use := func(name, store string) string {
		return fmt.Sprintf("\nfor i in range(4):\n    with T.block(%q):\n        vi = T.axis.spatial(4, i)\n        %s", name, store)
	}
	tiled := []string{"D_init: 4 2u 4v", "D_update: 4 5 2u 4v", "D_fold: 4 4v", "D: 4"}
	for _, c := range []struct {
		name, uses string
		more       []string
	}{
		{"one", use("C", "C[vi] = D[vi] * T.float32(2)"), nil},
		{"one after the other", use("E", "E[vi] = D[vi] * T.float32(2)") + use("C", "C[vi] = E[vi] + T.float32(1)"), nil},
		{"two", use("C", "C[vi] = D[vi] * T.float32(2)") + use("F", "F[vi] = D[vi] * T.float32(3)"), []string{"C: 4", "F: 4"}},
		{"at other places", use("C", "C[vi] = D[3 - vi]"), []string{"C: 4"}},
		{"a reduction", "\nfor k in range(4):\n    with T.block(\"C\"):\n        vi = T.axis.spatial(1, 0)\n        vk = T.axis.reduce(4, k)\n        with T.init():\n            C[vi] = T.float32(0)\n        C[vi] = C[vi] + D[vk]", []string{"C: 4"}},
	} {
		r, _ := blockOf(t, params, sum+c.uses)
		d, err := r.blocksBy("GetBlock", "D", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.reduction(d[0]); err != nil {
			t.Fatal(err)
		}
		if got, want := loopsOf(r), append(slices.Clone(tiled), c.more...); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

// TestFlatAccesses: results over fused axes are stored through views.
func TestFlatAccesses(t *testing.T) {
	r, _ := pair(t, "4", "6", "(4, 6)", "(4, 6)", "C[vi, vj] = A[vi, vj]")
	g, err := wide.Schedule(r.function(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	body := g.Body.(*tir.BlockRealize).Block.Body
	for {
		if l, ok := body.(*tir.For); ok {
			body = l.Body
			continue
		}
		break
	}
	if d, ok := body.(*tir.BlockRealize).Block.Body.(*tir.DeclBuffer); !ok || d.Buffer.Name != "A_flat" {
		t.Errorf("the body is %T", body.(*tir.BlockRealize).Block.Body)
	}
}
