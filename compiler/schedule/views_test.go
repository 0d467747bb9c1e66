package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

func TestFlattenAccessText(t *testing.T) {
	fused := func(o on) error {
		err := o.s.FuseIters(o.b("B"), 0, 1)
		o.s.FlattenAccess(o.b("B"))
		return err
	}
	const params = `A: T.Buffer((4, 6), "float32"), B: T.Buffer((4, 6), "float32")`
	body := func(store string) string {
		return `
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        ` + store
	}
	const head = `
for vi_vj_l in range(24):
    with T.block("B"):
        vi_vj = T.axis.spatial(24, vi_vj_l)
`
	changes(t, []change{
		{"a buffer read twice has one view", params, body("B[vi, vj] = A[vi, vj] * A[vi, vj]"), fused, head + `        A_flat = T.decl_buffer((24,), data=A.data)
        B_flat = T.decl_buffer((24,), data=B.data)
        B_flat[vi_vj] = A_flat[vi_vj] * A_flat[vi_vj]`, nil},
		{"a buffer read and written has one view", params, body("B[vi, vj] = A[vi, vj]\n        B[vi, vj] = B[vi, vj] + T.float32(1)"), fused, "", nil},
		{"a row for all stays", `A: T.Buffer((6,), "float32"), B: T.Buffer((4, 6), "float32")`, body("B[vi, vj] = A[vj]"), fused, "", nil},
		{"what stays divided stays", `A: T.Buffer((6, 4), "float32"), B: T.Buffer((4, 6), "float32")`, body("B[vi, vj] = A[vj, vi]"), fused, "", nil},
		{"symbolic", symbolicCopyParams, symbolicCopyBody, fused, `
for vi_vj_l in range(n * m):
    with T.block("B"):
        vi_vj = T.axis.spatial(n * m, vi_vj_l)
        A_flat = T.decl_buffer((n * m,), data=A.data)
        B_flat = T.decl_buffer((n * m,), data=B.data)
        B_flat[vi_vj] = A_flat[vi_vj]`, sizes},
		{"with a start", `A: T.Buffer((4, 6, 5), "float32"), B: T.Buffer((4, 6), "float32")`, `
for i, j, k in T.grid(4, 6, 5):
    with T.block("B"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            B[vi, vj] = T.float32(0)
        B[vi, vj] = B[vi, vj] + A[vi, vj, vk]`, fused, "", nil},
	})
}

// TestNoViewsOfOtherLayouts: a buffer with strides or an offset has no view.
func TestNoViewsOfOtherLayouts(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(b *tir.Buffer)
		want bool
	}{
		{"compact", func(*tir.Buffer) {}, true},
		{"an offset of zero", func(b *tir.Buffer) { b.ElemOffset = i32(0) }, true},
		{"an offset", func(b *tir.Buffer) { b.ElemOffset = i32(4) }, false},
		{"strides", func(b *tir.Buffer) { b.Strides = []tir.Expr{i32(6), i32(1)} }, false},
	} {
		f := parsed(t, `A: T.Buffer((4, 6), "float32"), B: T.Buffer((4, 6), "float32")`, `
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj]`)
		c.do(f.Buffers[0])
		s := scheduled(t, f)
		b := block(t, s, "B")
		if err := s.FuseIters(b, 0, 1); err != nil {
			t.Fatal(err)
		}
		s.FlattenAccess(b)
		got := false
		ir.Walk(b.Body(), func(n ir.Node) bool {
			if l, ok := n.(*tir.BufferLoad); ok {
				got = l.Buffer.Name == "A_flat"
			}
			return true
		})
		if got != c.want {
			t.Errorf("%s: a view is %v, want %v", c.name, got, c.want)
		}
	}
}

// TestOriginsOfAccesses: what is rewritten keeps its origin: stores, loads and iteration variables.
func TestOriginsOfAccesses(t *testing.T) {
	for name, do := range map[string]func(o on) error{
		"set_scope": func(o on) error { return o.s.SetScope(o.b("B"), 0, "local") },
		"transform_layout": func(o on) error {
			return second(transform(o, func(ix []*tir.Var) []tir.Expr { return []tir.Expr{ix[1], ix[0]} }))
		},
		"fuse":  func(o on) error { return steps(o.s.FuseIters(o.b("B"), 0, 1), o.s.FuseIters(o.b("E"), 0, 1)) },
		"split": func(o on) error { return o.s.SplitIter(o.b("B"), 0, 2) },
		"views": func(o on) error {
			err := steps(o.s.FuseIters(o.b("B"), 0, 1), o.s.FuseIters(o.b("E"), 0, 1))
			o.s.FlattenAccess(o.b("B"))
			o.s.FlattenAccess(o.b("E"))
			return err
		},
		"reverse_compute_inline": reverseInline,
		"split loops":            func(o on) error { return second(o.s.Split(o.l("B", 0), 0, 2)) },
		"partition":              func(o on) error { return third(o.s.LoopPartition(o.l("B", 0), i32(2))) },
	} {
		f := parsed(t, squareParams, square("B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[vi, vj]"))
		giveOrigins(f)
		ir.Walk(f.Body, func(n ir.Node) bool {
			switch n := n.(type) {
			case *tir.BufferStore:
				n.Origin = 1
			case *tir.BufferLoad:
				n.Origin = 1
			case *tir.Block:
				for _, iv := range n.IterVars {
					iv.Origin = 1
				}
			}
			return true
		})
		s := scheduled(t, f)
		if err := do(on{t, s}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		hasOrigins(t, s)
		ir.Walk(s.Func().Body, func(n ir.Node) bool {
			switch x := n.(type) {
			case *tir.Block:
				for _, iv := range x.IterVars {
					if iv.Origin == 0 {
						t.Errorf("%s: variable %s has no origin", name, iv.Var.Name)
					}
				}
			case *tir.BufferStore, *tir.BufferLoad:
				if n.Meta().Origin == 0 {
					t.Errorf("%s: a %T has no origin", name, n)
				}
			}
			return true
		})
	}
	f := parsed(t, productSmallParams, productSmall)
	giveOrigins(f)
	ir.Walk(f.Body, func(n ir.Node) bool {
		if b, ok := n.(*tir.Block); ok {
			for _, iv := range b.IterVars {
				iv.Origin = 1
			}
		}
		return true
	})
	s := scheduled(t, f)
	o := on{t, s}
	init, err := s.DecomposeReduction(o.b("C"), o.l("C", 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, iv := range init.Iters() {
		if iv.Origin == 0 {
			t.Errorf("variable %s has no origin", iv.Var.Name)
		}
	}
}

// TestOriginOfResults: the store of the results of a tile has the origin of the store before.
func TestOriginOfResults(t *testing.T) {
	f := parsed(t, rowSumParams, rowSum)
	ir.Walk(f.Body, func(n ir.Node) bool {
		if st, ok := n.(*tir.BufferStore); ok {
			st.Origin = 7
		}
		return true
	})
	s := scheduled(t, f)
	tiled, err := s.TileReduction(block(t, s, "C"), schedule.TileSpec{Order: []int{0}, Tile: []int64{1, 4}, Vector: 1, Lanes: 4, Reduce: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	if id := tiled.Write.Body().Meta().Origin; id != 7 {
		t.Errorf("the origin is %d, want 7", id)
	}
}
