package fromir

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/history"
)

// tabler fills the tables of one step.
type tabler struct {
	origins *ir.Origins
	step    *history.Step
	names   map[string]int
	sets    map[ir.OriginID]int // in step.Sets
	byRoots map[string]int      // the same, by the members
	rows    history.Rows        // of the function at work
	line    int
}

func newTabler(origins *ir.Origins, step *history.Step) *tabler {
	return &tabler{origins: origins, step: step, names: map[string]int{}, sets: map[ir.OriginID]int{}, byRoots: map[string]int{}}
}

func (t *tabler) name(s string) int {
	i, ok := t.names[s]
	if !ok {
		i = len(t.step.Names)
		t.names[s] = i
		t.step.Names = append(t.step.Names, s)
	}
	return i
}

// add appends a row, unless nothing is known of where it came from.
func (t *tabler) add(kind history.Kind, name, op string, origin ir.OriginID) {
	if set := t.set(origin); set >= 0 {
		t.rows = append(t.rows, history.Row{Line: t.line, Kind: kind, Name: t.name(name), Op: t.name(op), Set: set})
	}
}

// function tables a printed function. What has no origin of its own came from what the text
// indents it under.
func (t *tabler) function(s *instruments.Snapshot) history.Rows {
	t.rows = nil
	type scope struct {
		indent int
		origin ir.OriginID
	}
	var around []scope
	rest := s.Text
	for i, n := range s.Nodes {
		var text string
		text, rest, _ = strings.Cut(rest, "\n")
		if n == nil {
			continue
		}
		indent := len(text) - len(strings.TrimLeft(text, " "))
		for len(around) > 0 && around[len(around)-1].indent >= indent {
			around = around[:len(around)-1]
		}
		origin := originOf(n)
		if origin == 0 && len(around) > 0 {
			origin = around[len(around)-1].origin
		}
		around = append(around, scope{indent, origin})
		t.line = i + 1
		t.node(s.Name, n, origin)
	}
	return t.rows
}

// originOf is the origin of a node that begins a line, or of its main part.
func originOf(n ir.Node) ir.OriginID {
	if id := n.Meta().Origin; id != 0 {
		return id
	}
	switch n := n.(type) {
	case relax.Binding:
		return n.BoundValue().Meta().Origin
	case *tir.BlockRealize:
		return n.Block.Origin
	}
	return 0
}

func (t *tabler) node(fn string, n ir.Node, origin ir.OriginID) {
	switch n := n.(type) {
	case *relax.Function:
		t.add(history.Graph, fn, "", origin)
		for _, p := range n.Params {
			t.add(history.Param, p.Name, "", p.Origin)
		}
	case relax.Binding:
		t.binding(n, origin)
	case *tir.PrimFunc:
		t.add(history.Kernel, fn, "", origin)
	case *tir.Buffer:
		t.add(history.Buffer, n.Name, n.Scope(), n.Origin)
	case *tir.BlockRealize:
		t.block(n.Block, origin)
	case *tir.Block:
		t.block(n, origin)
	case *tir.For:
		t.add(history.Loop, n.LoopVar.Name, fmt.Sprintf("%s %s", loopKind(n.Kind), extent(n.Extent)), origin)
	case *tir.BufferStore:
		t.add(history.Store, n.Buffer.Name, "", origin)
	case *tir.Allocate:
		t.add(history.Buffer, n.Var.Name, "", origin)
	}
}

// block leaves out the root block, which is the whole kernel.
func (t *tabler) block(b *tir.Block, origin ir.OriginID) {
	if b.Name != "root" && b.Name != "" {
		t.add(history.Block, b.Name, "", origin)
	}
}

func extent(e tir.Expr) string {
	if n, ok := tir.AsInt(e); ok {
		return fmt.Sprint(n)
	}
	return "n"
}

func loopKind(k tir.ForKind) string {
	switch k {
	case tir.Serial:
		return "serial"
	case tir.Parallel:
		return "parallel"
	case tir.Vectorized:
		return "vectorized"
	case tir.Unrolled:
		return "unrolled"
	case tir.ThreadBinding:
		return "thread"
	}
	panic(fmt.Sprintf("fromir: unknown kind of loop %v", k))
}

func (t *tabler) binding(b relax.Binding, origin ir.OriginID) {
	name := b.Bound().Name
	kind, op := valueKind(b.BoundValue())
	if _, cast := b.(*relax.MatchCast); cast {
		kind, op = history.Shape, "match_cast"
	}
	t.add(kind, name, op, origin)
	t.constants(name, b.BoundValue())
}

// constants adds a row for each constant that stands in a line.
func (t *tabler) constants(name string, e relax.Expr) {
	switch e := e.(type) {
	case *relax.Constant:
		t.add(history.Constant, name, "", e.Origin)
	case *relax.Call:
		for _, a := range e.Args {
			t.constants(name, a)
		}
	case *relax.Tuple:
		for _, a := range e.Fields {
			t.constants(name, a)
		}
	}
}

// valueKind returns the kind of a value and what computes it: an operator, the kernel or
// function that is called, or nothing.
func valueKind(e relax.Expr) (history.Kind, string) {
	c, ok := e.(*relax.Call)
	if !ok {
		if _, ok := e.(*relax.Constant); ok {
			return history.Constant, ""
		}
		return history.Binding, ""
	}
	name := ""
	switch op := c.Op.(type) {
	case *ir.Op:
		name = op.Name
		switch name {
		case "relax.call_tir", "relax.call_tir_inplace", "relax.call_dps_packed", "relax.call_pure_packed", "relax.vm.call_tir_dyn":
			if len(c.Args) > 0 {
				return history.Binding, callee(c.Args[0])
			}
		}
	default:
		name = callee(c.Op)
	}
	return kindOfCall(name), name
}

// callee names a function that is called; kernels and graph functions with an "@".
func callee(e ir.Node) string {
	switch e := e.(type) {
	case *ir.GlobalVar:
		return "@" + e.Name
	case *relax.ExternFunc:
		return e.Symbol
	}
	return ""
}

func kindOfCall(name string) history.Kind {
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case last == "shape_of" || last == "shape_to_tensor" || last == "tensor_to_shape" || strings.HasPrefix(last, "make_shape") || strings.HasPrefix(last, "match_shape") || strings.HasPrefix(last, "check_"):
		return history.Shape
	case strings.HasPrefix(last, "alloc_") || strings.HasPrefix(last, "kill_") || last == "null_value":
		return history.Memory
	}
	return history.Binding
}
