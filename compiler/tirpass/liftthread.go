package tirpass

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// LiftThreadBinding moves the loops of a thread to where they can be one.
var LiftThreadBinding = &pass.Pass{
	Name: "tir.LiftThreadBinding", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Replaces all loops of a kernel that are bound to the same thread by one around the innermost loop that holds them all. A kernel in which loops of one thread may differ in their ranges stays: UnifyThreadBinding refuses it.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		l := &threadLifter{c: c}
		l.m.Stmt, l.m.Expr, l.m.Buffer = l.stmt, l.expr, l.buffer
		return f.WithBody(l.stmt(f.Body)), nil
	}),
}

// lifted is the one loop of a thread.
type lifted struct {
	v       *tir.Var
	from    *tir.For   // the first loop of the thread
	within  []*tir.For // the loops around all loops of the thread
	notes   *ir.Attrs
	several bool // more than one loop
	differ  bool // their ranges are not known to be equal
}

type threadLifter struct {
	c       *pass.Context
	m       tir.Mapper
	under   map[*tir.For][]*lifted // the threads launched directly inside a loop; nil outside of kernels
	sub     map[*tir.Var]*tir.Var
	buffers map[*tir.Buffer]*tir.Buffer
}

func (l *threadLifter) expr(e tir.Expr) tir.Expr {
	if v, ok := e.(*tir.Var); ok {
		if x, ok := l.sub[v]; ok {
			return x
		}
		return e
	}
	return l.m.MapExpr(e)
}

// buffer replaces variables of loops in the definition of b.
func (l *threadLifter) buffer(b *tir.Buffer) *tir.Buffer {
	if l.under == nil {
		return b
	}
	out, ok := l.buffers[b]
	if !ok {
		out = b.MapExprs(l.expr)
		l.buffers[b] = out
	}
	return out
}

func (l *threadLifter) stmt(s tir.Stmt) tir.Stmt {
	loop, ok := s.(*tir.For)
	if !ok {
		return l.m.MapStmt(s)
	}
	bound := loop.Kind == tir.ThreadBinding && loop.Thread != nil
	root := bound && l.under == nil
	if root && !l.enter(loop) {
		return s
	}
	mapped := l.m.MapStmt(loop).(*tir.For)
	body := mapped.Body
	for _, t := range l.under[loop] {
		th := *t.from.Thread
		th.Var = &tir.Var{Name: t.v.Name, Type: t.v.Type}
		body = &tir.For{Base: t.from.Base, LoopVar: t.v, Min: t.from.Min, Extent: t.from.Extent, Kind: tir.ThreadBinding, Body: body, Thread: &th, Annotations: t.notes}
		l.c.Rewrite("launch a thread around all of its loops", t.from, body)
	}
	if root {
		l.under, l.sub, l.buffers = nil, nil, nil
	}
	if bound {
		return body
	}
	return mapped.WithBody(body)
}

// enter finds the threads of the kernel root and where each goes. It returns false if each has one
// loop, which stays where it is, or if the loops of a thread are no loops over the same range, which one cannot stand for.
func (l *threadLifter) enter(root *tir.For) bool {
	l.under, l.sub, l.buffers = map[*tir.For][]*lifted{}, map[*tir.Var]*tir.Var{}, map[*tir.Buffer]*tir.Buffer{}
	threads := map[string]*lifted{}
	var stack []*tir.For
	var scan func(n ir.Node)
	scan = func(n ir.Node) {
		loop, ok := n.(*tir.For)
		if !ok {
			n.EachChild(scan)
			return
		}
		stack = append(stack, loop)
		loop.EachChild(scan)
		if loop.Kind == tir.ThreadBinding && loop.Thread != nil {
			l.meet(threads, loop, stack)
		}
		stack = stack[:len(stack)-1]
	}
	scan(root)
	all := slices.Collect(maps.Values(threads))
	if !slices.ContainsFunc(all, func(t *lifted) bool { return t.several }) || slices.ContainsFunc(all, func(t *lifted) bool { return t.differ }) {
		l.under, l.sub, l.buffers = nil, nil, nil
		return false
	}
	tags := slices.SortedFunc(maps.Keys(threads), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(b, a)) // threads inside blocks, x outermost
	})
	for _, tag := range tags {
		t := threads[tag]
		at := t.within[len(t.within)-1]
		l.under[at] = append(l.under[at], t)
	}
	return true
}

// meet notes a loop of a thread, which lies in the loops of stack.
func (l *threadLifter) meet(threads map[string]*lifted, loop *tir.For, stack []*tir.For) {
	tag := loop.Thread.ThreadTag
	t := threads[tag]
	if t == nil {
		v := *loop.LoopVar
		v.Name = strings.ReplaceAll(tag, ".", "_")
		t = &lifted{v: &v, from: loop, within: slices.Clone(stack)}
		threads[tag] = t
	} else {
		n := 0
		for n < len(stack) && n < len(t.within) && stack[n] == t.within[n] {
			n++
		}
		t.within, t.several = t.within[:n], true
		t.differ = t.differ || !sameRange(t.from, loop)
	}
	for i := range loop.Annotations.Len() {
		t.notes = t.notes.With(loop.Annotations.At(i))
	}
	l.sub[loop.LoopVar] = t.v
}

// sameRange reports whether two loops are known to run over the same numbers.
func sameRange(a, b *tir.For) bool {
	an := arith.NewAnalyzer()
	same := func(x, y tir.Expr) bool { return an.CanProveEqual(x, tir.CastTo(x.DType(), y)) }
	return same(a.Min, b.Min) && same(a.Extent, b.Extent)
}
