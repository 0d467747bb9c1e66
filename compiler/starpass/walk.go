package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// walk is one walk over a tree. Its errors travel as panics of type halt, from the callbacks
// of the mappers to the next entry point.
type walk struct {
	w    *Walker
	r    *run
	mod  *ir.Module
	self *Self
	m    *relax.ExprMutator // of a mutator, once it is at the graph level
	rm   relax.Mapper
	tm   tir.Mapper
	memo map[tir.Expr]tir.Expr // of a mutator, for one statement
	at   frame                 // of the innermost handler
	// object is the visitor or mutator of a class whose methods are the handlers; nil where these are functions.
	object *Instance
	begun  ir.Node // where its method for every expression began the walk, until that is visited
}

type halt struct{ err error }

func newWalk(w *Walker, r *run, mod *ir.Module, state *starlark.Dict) *walk {
	k := &walk{w: w, r: r, mod: mod}
	k.self = &Self{k: k, state: state}
	k.rm = relax.Mapper{Expr: k.relaxExpr, Var: k.varDef, Binding: k.binding, Block: k.block}
	if w.handlers["PrimExpr"] != nil {
		k.rm.Prim = k.primExpr
	}
	k.tm = tir.Mapper{Expr: k.tirExpr, Stmt: k.tirStmt}
	if w.handlers["Buffer"] != nil || w.handlers["tir.Buffer"] != nil {
		done := map[*tir.Buffer]*tir.Buffer{}
		k.tm.Buffer = func(b *tir.Buffer) *tir.Buffer {
			out, ok := done[b]
			if !ok {
				out = must[*tir.Buffer](k, b, k.dispatch(b, func() ir.Node { return b }), "a Buffer")
				done[b] = out
			}
			return out
		}
	}
	if w.handler(levelTIR, "VarDef") != nil {
		done := map[*tir.Var]*tir.Var{}
		k.tm.Var = func(v *tir.Var) *tir.Var {
			out, ok := done[v]
			if !ok {
				out = must[*tir.Var](k, v, k.handle(w.handler(levelTIR, "VarDef"), v), "a tir.Var")
				done[v] = out
			}
			return out
		}
	}
	return k
}

func (k *walk) fail(format string, args ...any) { panic(halt{fmt.Errorf(format, args...)}) }

func (k *walk) try(err error) {
	if err != nil {
		panic(halt{err})
	}
}

// protect runs f and returns the error that halted it.
func (k *walk) protect(f func() ir.Node) (n ir.Node, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case halt:
			n, err = nil, p.err
		default:
			panic(p)
		}
	}()
	return f(), nil
}

// root walks a whole tree.
func (k *walk) root(n ir.Node) (ir.Node, error) {
	return k.protect(func() ir.Node {
		if e, ok := n.(relax.Expr); ok {
			return k.relaxRoot(e)
		}
		return k.visit(n)
	})
}

// visit walks n: by its handler if it has one.
func (k *walk) visit(n ir.Node) ir.Node {
	switch n := n.(type) {
	case *tir.PrimFunc:
		return k.dispatch(n, func() ir.Node { return k.defaultVisit(n) })
	case tir.Stmt:
		return k.tirStmt(n)
	case tir.Expr:
		return k.tirExpr(n)
	case *tir.Buffer:
		if k.tm.Buffer != nil {
			return k.tm.Buffer(n)
		}
		return n
	case relax.Binding:
		k.binding(n)
		return nil
	case *relax.BindingBlock:
		k.block(n)
		return nil
	case relax.Expr:
		return k.relaxExpr(n)
	}
	k.fail("%s: cannot walk %s: walk expressions, statements, bindings, blocks and functions", k.w.Type(), describe(nodeValue(n)))
	return nil
}

// defaultVisit walks the children of n.
func (k *walk) defaultVisit(n ir.Node) ir.Node {
	switch n := n.(type) {
	case *tir.PrimFunc:
		return n.WithBody(k.tirStmt(n.Body))
	case tir.Stmt:
		return k.defaultStmt(n)
	case tir.Expr:
		return k.defaultExpr(n)
	case *tir.Buffer:
		return n
	case relax.Binding:
		return k.defaultBinding(n)
	case *relax.BindingBlock:
		return k.defaultBlock(n)
	case relax.Expr:
		return k.defaultRelax(n)
	}
	return k.visit(n)
}

// visitCost is the visit of a node in steps, by the time that it takes.
const visitCost = 8

// dispatch gives n to its handler, or to f if it has none.
func (k *walk) dispatch(n ir.Node, f func() ir.Node) ir.Node {
	k.try(k.r.work(visitCost))
	if k.w.every != nil && isExpr(n) && n != k.begun {
		return k.handle(k.w.every, n)
	}
	k.begun = nil
	h := k.w.handler(levelOf(n), nodeName(n))
	if h == nil && isExpr(n) {
		h = k.w.handler(levelOf(n), "Expr")
	}
	if h == nil {
		return f()
	}
	return k.handle(h, n)
}

// specific gives n to its handler, past one for every expression.
func (k *walk) specific(n ir.Node) ir.Node {
	if h := k.w.handler(levelOf(n), nodeName(n)); h != nil {
		return k.handle(h, n)
	}
	return k.defaultVisit(n)
}

func isExpr(n ir.Node) bool {
	switch n.(type) {
	case relax.Expr, tir.Expr:
		return true
	}
	return false
}

// handle calls a handler. What a visitor's handler returns does not matter.
func (k *walk) handle(h starlark.Callable, n ir.Node) ir.Node {
	outer := k.at
	k.at = frame{of: n}
	k.r.handlers++
	var self starlark.Value = k.self
	if k.object != nil {
		self = k.object
	}
	v, err := starlark.Call(k.r.thread, h, starlark.Tuple{self, &Node{n}}, nil)
	k.r.handlers--
	at := k.at
	k.at = outer
	k.try(err)
	if !k.w.mutates {
		return n
	}
	image := k.image(n, v)
	k.reported(h, at, image)
	return image
}

// image returns what a handler of a mutator made of n by returning v; nil where it emitted what takes its place.
func (k *walk) image(n ir.Node, v starlark.Value) ir.Node {
	switch v := v.(type) {
	case *Node:
		return v.n
	case starlark.NoneType:
		switch n.(type) {
		case relax.Binding, *relax.BindingBlock: // what it emitted takes the place
			return nil
		}
		k.fail("mutator: the handler of %s returned None: return the node, or self.visit_default(node)", nodeName(n))
	case starlark.Int, starlark.Float, starlark.Bool, starlark.String:
		if e, ok := n.(tir.Expr); ok {
			x, err := exprOf(v, e.DType())
			k.try(err)
			return x
		}
	}
	k.fail("mutator: the handler of %s returned %s, expected a node", nodeName(n), describe(v))
	return nil
}

// must returns the image of n as a T.
func must[T ir.Node](k *walk, n, image ir.Node, want string) T {
	out, ok := image.(T)
	if !ok {
		k.fail("mutator: the handler of %s must return %s, got %s", nodeName(n), want, describe(nodeValue(image)))
	}
	return out
}
