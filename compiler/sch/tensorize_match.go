package sch

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// matcher compares a block with the description of a tensor intrinsic (TVM's TensorizeComparator): the two are equal up to the names of variables and
// buffers, outer dimensions of which the block accesses one element only, where the accessed parts begin, and the number of bits of integers. The
// left side is the block.
type matcher struct {
	s       *State
	vars    map[*tir.Var]tir.Expr       // of the left side, what they are on the right
	buffers map[*tir.Buffer]*tir.Buffer // of the right side, what they are on the left
	base    map[*tir.Buffer][]tir.Expr  // where the parts begin that the outermost block declares
	an      *arith.Analyzer             // of the right side
	left    *arith.Analyzer
	scope   bool // the outermost block is not compared yet
	errors  []string
	stmts   [2]tir.Stmt // the innermost loops or blocks that differ
}

func newMatcher(s *State) *matcher {
	return &matcher{
		s: s, vars: map[*tir.Var]tir.Expr{}, buffers: map[*tir.Buffer]*tir.Buffer{}, base: map[*tir.Buffer][]tir.Expr{},
		an: arith.NewAnalyzer(), left: arith.NewAnalyzer(), scope: true,
	}
}

// mismatch is the error of what was compared.
func (m *matcher) mismatch(l, r tir.Stmt) error {
	if m.stmts[0] != nil {
		l, r = m.stmts[0], m.stmts[1]
	}
	text := func(x tir.Stmt) string { return strings.TrimRight(script.Node(x, script.Options{}), "\n") }
	return m.s.fail("TensorIntrinMismatchError", "The stmt {0} doesn't match the tensor intrin\nThe pattern attempting to be matched:\n"+text(l)+
		"\nDoes not match the tensorize description:\n"+text(r)+"\n"+strings.Join(m.errors, "\n"), l)
}

func (m *matcher) differ(format string, args ...any) bool {
	m.errors = append(m.errors, fmt.Sprintf(format, args...))
	return false
}

func show(e tir.Expr) string { return script.Node(e, script.Options{}) }

func (m *matcher) stmt(l, r tir.Stmt) bool {
	if reflect.TypeOf(l) == reflect.TypeOf(r) && m.sameStmt(l, r) {
		return true
	}
	switch l.(type) {
	case *tir.For, *tir.Block:
		if m.stmts[0] == nil {
			m.stmts = [2]tir.Stmt{l, r}
		}
	}
	return false
}

func (m *matcher) sameStmt(l, r tir.Stmt) bool {
	switch l := l.(type) {
	case *tir.For:
		r := r.(*tir.For)
		switch {
		case !m.define(l.LoopVar, r.LoopVar, rangeOf(r)):
			return m.differ("ForNode loop vars do not match: op->loop_var=%s vs rhs->loop_var=%s", l.LoopVar.Name, r.LoopVar.Name)
		case !m.expr(l.Min, r.Min):
			return m.differ("ForNode min values do not match: op->min=%s vs rhs->min=%s", show(l.Min), show(r.Min))
		case !m.expr(l.Extent, r.Extent):
			return m.differ("ForNode extent values do not match: op->extent=%s vs rhs->extent=%s", show(l.Extent), show(r.Extent))
		case (l.Thread == nil) != (r.Thread == nil), l.Thread != nil && l.Thread.ThreadTag != r.Thread.ThreadTag:
			return m.differ("ForNode thread_bindings do not match: op->thread_binding.defined()=%v vs rhs->thread_binding.defined()=%v", l.Thread != nil, r.Thread != nil)
		case l.Kind != r.Kind:
			return m.differ("ForNode kinds do not match: op->kind=%v vs rhs->kind=%v", l.Kind, r.Kind)
		case !sameAnnotations(l.Annotations, r.Annotations):
			return m.differ("ForNode annotation maps do not match: op->annotations=%s vs rhs->annotations=%s", python(l.Annotations, nil), python(r.Annotations, nil))
		}
		return m.stmt(l.Body, r.Body)
	case *tir.SeqStmt:
		r := r.(*tir.SeqStmt)
		return len(l.Seq) == len(r.Seq) && eachPair(l.Seq, r.Seq, m.stmt)
	case *tir.BufferStore:
		r := r.(*tir.BufferStore)
		return m.access(l.Buffer, l.Indices, r.Buffer, r.Indices) && m.expr(l.Value, r.Value) && l.Predicate == nil && r.Predicate == nil
	case *tir.Evaluate:
		return m.expr(l.Value, r.(*tir.Evaluate).Value)
	case *tir.BlockRealize:
		r := r.(*tir.BlockRealize)
		if !m.scope && !m.exprs(l.Values, r.Values) {
			return m.differ("BlockRealizeNode iter_values do not match: op->iter_values=%s vs rhs->iter_values=%s", spelled(l.Values), spelled(r.Values))
		}
		return m.expr(l.Predicate, r.Predicate) && m.stmt(l.Block, r.Block)
	case *tir.Block:
		return m.block(l, r.(*tir.Block))
	case *tir.IfThenElse:
		r := r.(*tir.IfThenElse)
		return m.expr(l.Cond, r.Cond) && m.stmt(l.Then, r.Then) && (l.Else == nil) == (r.Else == nil) && (l.Else == nil || m.stmt(l.Else, r.Else))
	}
	return m.differ("statements of type %s cannot be compared", ir.TypeName(l))
}

func (m *matcher) block(l, r *tir.Block) bool {
	for _, iv := range l.IterVars {
		m.left.BindRange(iv.Var, iv.Dom)
	}
	if !m.scope {
		same := len(l.IterVars) == len(r.IterVars)
		for i := 0; same && i < len(l.IterVars); i++ {
			a, b := l.IterVars[i], r.IterVars[i]
			same = m.define(a.Var, b.Var, b.Dom) && m.expr(a.Dom.Min, b.Dom.Min) && m.expr(a.Dom.Extent, b.Dom.Extent) && a.Kind == b.Kind
		}
		if !same {
			return m.differ("BlockNode iter_vars do not match: op->iter_vars=%s vs rhs->iter_vars=%s", iterNames(l), iterNames(r))
		}
		if len(l.AllocBuffers) != len(r.AllocBuffers) || !eachPair(l.AllocBuffers, r.AllocBuffers, m.buffer) {
			return m.differ("BlockNode alloc_buffers do not match")
		}
	}
	if len(l.Writes) != len(r.Writes) || !eachPair(l.Writes, r.Writes, m.region) {
		return m.differ("BlockNode write buffers do not match: op->writes=%s vs rhs->writes=%s", regionNames(l.Writes), regionNames(r.Writes))
	}
	if len(l.Reads) != len(r.Reads) || !eachPair(l.Reads, r.Reads, m.region) {
		return m.differ("BlockNode read buffers regions do not match: op->reads=%s vs rhs->reads=%s", regionNames(l.Reads), regionNames(r.Reads))
	}
	m.scope = false
	return m.stmt(l.Body, r.Body)
}

func iterNames(b *tir.Block) string {
	var out []string
	for _, iv := range b.IterVars {
		out = append(out, iv.Var.Name)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func regionNames(list []*tir.BufferRegion) string {
	var out []string
	for _, r := range list {
		out = append(out, script.Node(r, script.Options{}))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func eachPair[T any](a, b []T, f func(x, y T) bool) bool {
	for i := range a {
		if !f(a[i], b[i]) {
			return false
		}
	}
	return true
}

func sameAnnotations(l, r *ir.Attrs) bool {
	if l.Len() != r.Len() {
		return false
	}
	for i := range l.Len() {
		k, v := l.At(i)
		w, ok := r.Get(k)
		if !ok || python(v, nil) != python(w, nil) {
			return false
		}
	}
	return true
}
