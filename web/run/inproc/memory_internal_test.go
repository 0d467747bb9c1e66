package inproc

import (
	"reflect"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
)

func sizeOf(nodes ...ir.Node) int64 {
	n := int64(0)
	for _, x := range nodes {
		n += int64(reflect.TypeOf(x).Elem().Size())
	}
	return n
}

// TestBytesOfAFunction counts a node once, and each reference to one; a span has its own bytes, a constant is a part.
func TestBytesOfAFunction(t *testing.T) {
	span := &ir.Span{Line: 1}
	one := tir.Int(7)
	two := &tir.IntImm{Type: dtype.Int64T, Value: 8}
	two.Span = span
	eval := func(e tir.Expr) *tir.Evaluate { return &tir.Evaluate{Value: e} }
	a, b := eval(one), eval(two)
	seq := &tir.SeqStmt{Seq: []tir.Stmt{a, b}}
	f := &tir.PrimFunc{Body: seq}
	// Function, sequence, two statements and two numbers are six nodes, with an edge each.
	n, holds := measure(f)
	if want := perPart + 6*perEdge + perSpan + sizeOf(f, seq, a, b, one, two); n != want || len(holds) > 0 {
		t.Errorf("a function of six nodes has %d bytes, want %d", n, want)
	}
	// The same number twice is one node with two edges.
	c := eval(one)
	g := &tir.PrimFunc{Body: &tir.SeqStmt{Seq: []tir.Stmt{a, c}}}
	n, _ = measure(g)
	if want := int64(perPart) + 6*perEdge + sizeOf(g, seq, a, c, one); n != want {
		t.Errorf("with a shared number it has %d bytes, want %d", n, want)
	}
	// What is below a shared node counts once: the statement twice is one statement and one number, and three edges.
	h := &tir.PrimFunc{Body: &tir.SeqStmt{Seq: []tir.Stmt{a, a}}}
	n, _ = measure(h)
	if want := int64(perPart) + 5*perEdge + sizeOf(h, seq, a, one); n != want {
		t.Errorf("with a shared statement it has %d bytes, want %d", n, want)
	}
}

// TestConstantsArePartsOfFunctions, each once for a function, and shared by functions that hold the same.
func TestConstantsArePartsOfFunctions(t *testing.T) {
	blob, other := ir.Float32Blob([]int64{100}, make([]float32, 100)...), ir.Float32Blob([]int64{50}, make([]float32, 50)...)
	graph := func(blobs ...*ir.Blob) *relax.Function {
		var fields []relax.Expr
		for _, b := range blobs {
			fields = append(fields, &relax.Constant{Data: b})
		}
		return &relax.Function{Body: &relax.SeqExpr{Body: &relax.Tuple{Fields: fields}}}
	}
	holds := func(fn ir.Function) []any {
		_, h := measure(fn)
		return h
	}
	if h := holds(graph(blob, other, blob)); len(h) != 2 || h[0] != any(blob) || h[1] != any(other) {
		t.Errorf("a function with two constants holds %d parts", len(h))
	}
	loops := &tir.PrimFunc{Body: &tir.AllocateConst{Var: tir.NewVar("c", dtype.HandleT), Type: dtype.Float32T, Data: blob, Body: &tir.Evaluate{Value: tir.Int(0)}}}
	if h := holds(loops); len(h) != 1 || h[0] != any(blob) {
		t.Errorf("a PrimFunc with a constant holds %d parts", len(h))
	}
	for b, want := range map[*ir.Blob]int64{blob: 400 + perPart, other: 200 + perPart} {
		if n, h := measure(b); n != want || h != nil {
			t.Errorf("a constant has %d bytes, want %d", n, want)
		}
	}

	module := func(fns ...ir.Function) *ir.Module {
		m := ir.NewModule()
		for i, fn := range fns {
			m = m.With(string(rune('f'+i)), fn)
		}
		return m
	}
	f, g := graph(blob), graph(blob, other)
	own := func(fn ir.Function) int64 { n, _ := measure(fn); return n }
	mem := newMemory(1 << 20)
	keepModel(mem, &driver.Model{ID: "m", Module: module(f)})
	used := perModule + own(f) + 400 + perPart
	if mem.Used() != used {
		t.Errorf("a module uses %d bytes, want %d", mem.Used(), used)
	}
	if found, ok := mem.Get("m"); !ok || found.model == nil || found.model.ID != "m" {
		t.Errorf("the model is kept as %+v", found)
	}
	snap := driver.Snapshot{Module: module(f, g), Events: []event.Event{note("x")}}
	keepStep(mem, "s", snap)
	used += perModule + 2*perPart + 512 + own(g) + 200 + perPart
	if mem.Used() != used {
		t.Errorf("with a step that shares a function it uses %d bytes, want %d", mem.Used(), used)
	}
	if found, ok := mem.Get("s"); !ok || found.step.Module != snap.Module || len(found.step.Events) != 1 {
		t.Errorf("the step is kept as %+v", found)
	}
	if p := parts(snap.Module); len(p) != 2 || p[0] != any(f) || p[1] != any(g) {
		t.Errorf("the parts of a module are %v", p)
	}
	// Hunks of several functions all count.
	two := event.New("", "", &event.PassFinished{Functions: []event.FunctionChange{
		{Hunks: []event.Hunk{{Lines: []string{"a"}}, {Lines: []string{"bcd", ""}}}}, {}, {Hunks: []event.Hunk{{Lines: []string{"ef"}}}},
	}}, nil)
	if n := eventBytes([]event.Event{two, note("x"), two}); n != 3*512+2*(3*256+6+4*16) {
		t.Errorf("two events with changes and one without have %d bytes", n)
	}
}

// TestBytesOfAProgram are those of its kernels, its instructions and its constants; under two keys it counts once.
func TestBytesOfAProgram(t *testing.T) {
	exec := &vm.Executable{InstrData: make([]int64, 10), InstrOffset: make([]int64, 3)}
	exec.Consts = []vm.Const{{Tensor: tensor.MustNew(dtype.Float32T, 100)}, {}, {Tensor: tensor.MustNew(dtype.Int8T, 7)}}
	a := &artifact.Artifact{Exec: exec, Modules: []runtime.Binary{{Bytes: make([]byte, 50)}, {Bytes: make([]byte, 6)}}}
	mem := newMemory(1 << 20)
	keepCode(mem, "p", driver.Code{Artifact: a})
	if want := int64(perModule + 8*13 + 56 + 3*perPart + 407); mem.Used() != want {
		t.Errorf("a program has %d bytes, want %d", mem.Used(), want)
	}
	if found, ok := mem.Get("p"); !ok || found.code.Artifact != a {
		t.Errorf("the program is kept as %+v", found)
	}
	keepCode(mem, "q", driver.Code{Artifact: a, Module: ir.NewModule(), Kernels: make([]compiler.Kernel, 2), Body: &event.CodeGenerated{}})
	if want := int64(2*perModule + 8*13 + 56 + 3*perPart + 407 + 2*perPart + 512); mem.Used() != want {
		t.Errorf("with another key for it %d bytes are kept, want %d", mem.Used(), want)
	}
}
