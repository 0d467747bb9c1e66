package sch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// chain returns a function of n blocks, each of which reads what the one before wrote.
func chain(n int) *ir.Module {
	shape := []tir.Expr{tir.Int32(128), tir.Int32(128)}
	buffers := make([]*tir.Buffer, n+1)
	for i := range buffers {
		buffers[i] = tir.NewBuffer(fmt.Sprintf("b%d", i), dtype.Float32T, shape, "")
	}
	var list []tir.Stmt
	for i := range n {
		vars := make([]*tir.Var, 4)
		for k := range vars {
			vars[k] = tir.NewVar([]string{"i", "j", "vi", "vj"}[k], dtype.Int32T)
		}
		at := func(b *tir.Buffer) *tir.BufferRegion {
			return &tir.BufferRegion{Buffer: b, Region: []*tir.Range{{Min: vars[2], Extent: tir.Int32(1)}, {Min: vars[3], Extent: tir.Int32(1)}}}
		}
		dom := &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(128)}
		var body tir.Stmt = &tir.BlockRealize{Values: []tir.Expr{vars[0], vars[1]}, Predicate: tir.Bool(true), Block: &tir.Block{
			Name: fmt.Sprintf("B%d", i), IterVars: []*tir.IterVar{{Dom: dom, Var: vars[2]}, {Dom: dom, Var: vars[3]}},
			Reads: []*tir.BufferRegion{at(buffers[i])}, Writes: []*tir.BufferRegion{at(buffers[i+1])},
			Body: tir.Store(buffers[i+1], tir.Add(tir.Load(buffers[i], vars[2], vars[3]), tir.FloatConst(dtype.Float32T, 1)), vars[2], vars[3]),
		}}
		for k := 1; k >= 0; k-- {
			body = &tir.For{LoopVar: vars[k], Min: tir.Int32(0), Extent: tir.Int32(128), Body: body}
		}
		list = append(list, body)
	}
	root := &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Name: "root", AllocBuffers: buffers[1:n], Body: tir.Seq(list...)}}
	p, q := &tir.Var{Name: "p", Type: buffers[0].Data.Type}, &tir.Var{Name: "q", Type: buffers[n].Data.Type}
	return ir.NewModule().With("main", &tir.PrimFunc{Params: []*tir.Var{p, q}, Buffers: []*tir.Buffer{buffers[0], buffers[n]}, Body: root})
}

// BenchmarkPrimitives splits, reorders and moves blocks of a function with 200 blocks: the goal is less than 1 ms for a primitive.
func BenchmarkPrimitives(b *testing.B) {
	m := chain(200)
	st, err := sch.New(m)
	if err != nil {
		b.Fatal(err)
	}
	st, blk, err := st.GetBlock("B100", "main")
	if err != nil {
		b.Fatal(err)
	}
	loops, err := st.GetLoops(blk)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := st.ComputeInline(blk); err != nil { // the facts of all blocks are derived once
		b.Fatal(err)
	}
	for name, f := range map[string]func() error{
		"split":          func() error { _, _, err := st.Split(loops[0], []tir.Expr{nil, tir.Int32(7)}, true, false); return err },
		"reorder":        func() error { _, err := st.Reorder([]*sch.Loop{loops[1], loops[0]}); return err },
		"compute_inline": func() error { _, err := st.ComputeInline(blk); return err },
		"cache_read":     func() error { _, _, err := st.CacheRead(blk, 0, "local", nil); return err },
		"set_scope":      func() error { _, err := st.SetScope(blk, 0, "local"); return err },
		"blockize":       func() error { _, _, err := st.Blockize(loops[1], true); return err },
		"transform_block_layout": func() error {
			_, err := st.TransformBlockLayout(blk, twoFromTwo())
			return err
		},
		"transform_layout": func() error { _, err := st.TransformLayout(blk, 0, "write", twoFromTwo(), nil, false); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// twoFromTwo is lambda i, j: (j, i).
func twoFromTwo() *tir.IndexMap {
	i, j := tir.NewVar("i", dtype.Int32T), tir.NewVar("j", dtype.Int32T)
	return &tir.IndexMap{Initial: []*tir.Var{i, j}, Final: []tir.Expr{j, i}}
}

// TestManyBlocks splits and inlines in a function of 2,000 blocks, which takes no more than a moment.
func TestManyBlocks(t *testing.T) {
	s, err := sch.NewSchedule(chain(2000), 0)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for i := 1; i < 20; i++ {
		if _, err := s.Do(sch.KindOf("ComputeInline"), fmt.Sprintf("B%d", 2*i)); err != nil {
			t.Fatal(err)
		}
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
}
