package fromir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/history"
)

// function tables a printed function. What has no origin of its own came from what the text
// indents it under.
func (t *tabler) function(s *instruments.Snapshot) (rows history.Rows, unknown int) {
	t.rows, t.around, t.unknown = t.rows[:0], t.around[:0], 0
	clear(t.ports)
	around := t.around
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
	t.around = around
	return slices.Clone(t.rows), t.unknown
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
		for _, b := range n.Buffers {
			if b != nil {
				t.ports[b] = true
				t.add(history.Param, b.Name, "", b.Origin)
			}
		}
	case *tir.Buffer:
		if !t.ports[n] {
			t.add(history.Buffer, n.Name, n.Scope(), n.Origin)
		}
	case *tir.BlockRealize:
		t.block(n.Block, origin)
	case *tir.Block:
		t.block(n, origin)
	case *tir.For:
		t.addLoop(n, origin)
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
		return strconv.FormatInt(n, 10)
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
	if kind != history.Constant {
		t.add(kind, name, op, origin)
	}
	if kind == history.Binding && origin == 0 {
		t.unknown++
	}
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

// callee names a function that is called; kernels and Relax functions with an "@".
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
