package tir

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
)

// MaxFindings bounds the diagnostics that Verify returns for one function.
const MaxFindings = 20

// Verify checks that fn is well formed and returns what is not, nothing if all is well:
// variables are defined once (those of Let expressions once in each scope) and before their uses, loop variables stay out of the bodies
// of blocks that have iteration variables, buffers are declared and accessed with as many
// indices as they have dimensions, operands have the types that their operator needs, and
// blocks bind each of their iteration variables. Each finding names function, block and node.
func Verify(name string, fn *PrimFunc) []ir.Diagnostic {
	v := &verifier{
		fn: name, active: map[*Var]bool{}, past: map[*Var]bool{}, buffers: map[*Buffer]bool{}, consts: map[*Var]bool{},
		loops: map[*Var]int{}, seen: map[Expr]int{},
	}
	v.strict = hasBlock(fn.Body)
	v.function(fn)
	return v.found
}

// hasBlock reports whether s is above LowerOpaqueBlock; below it, buffers may alias memory
// without a declaration.
func hasBlock(s Stmt) bool {
	found := false
	ir.Walk(s, func(n ir.Node) bool {
		switch n.(type) {
		case *Block:
			found = true
		case Expr:
			return false
		}
		return !found
	})
	return found
}

type verifier struct {
	fn      string
	strict  bool
	found   []ir.Diagnostic
	active  map[*Var]bool // in scope
	past    map[*Var]bool // were in scope
	buffers map[*Buffer]bool
	consts  map[*Var]bool // constants, over which any buffer may stand
	loops   map[*Var]int  // loop variables in scope: blocks with iteration variables around them
	blocks  []string      // names of the enclosing blocks
	inner   int           // how many of them have iteration variables
	seen    map[Expr]int  // expressions checked, with the scope that they were checked in
	scope   int
	child   func(ir.Node) // checks an operand
}

// report adds a finding about node n.
func (v *verifier) report(n ir.Node, format string, args ...any) {
	if len(v.found) >= MaxFindings {
		return
	}
	msg := fmt.Sprintf(format, args...)
	if len(v.blocks) > 0 {
		msg = "block " + v.blocks[len(v.blocks)-1] + ": " + msg
	}
	d := ir.Diagnostic{Severity: ir.Error, Func: v.fn, Message: msg + " (in " + kindOf(n) + ")"}
	if n != nil {
		d.Span, d.Origin = n.Meta().Span, n.Meta().Origin
	}
	v.found = append(v.found, d)
}

func kindOf(n ir.Node) string {
	if b, ok := n.(*Binary); ok {
		return b.Op.String()
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", n), "*tir.")
}

// define brings x into scope and returns what takes it out again.
func (v *verifier) define(at ir.Node, x *Var) func() {
	switch {
	case x == nil:
		v.report(at, "defines a nil variable")
		return func() {}
	case v.active[x]:
		v.report(at, "variable %s is defined again inside its own scope", x.Name)
		return func() {}
	case v.past[x]:
		v.report(at, "variable %s is defined a second time", x.Name)
	}
	v.active[x] = true
	v.scope++
	return func() {
		delete(v.active, x)
		v.past[x] = true
		v.scope++
	}
}

func (v *verifier) function(fn *PrimFunc) {
	if len(fn.Buffers) != len(fn.Params) {
		v.report(fn, "%d parameters with %d buffer entries: there must be one (or nil) for each", len(fn.Params), len(fn.Buffers))
		return
	}
	for _, p := range fn.Params {
		v.define(fn, p)
	}
	for k, b := range fn.Buffers {
		if b == nil {
			continue
		}
		if !fn.Params[k].DType().IsHandle() {
			v.report(fn, "parameter %s has buffer %s but type %s, expected handle", fn.Params[k].Name, b.Name, fn.Params[k].DType())
		}
		v.implicit(fn, b)
	}
	for _, b := range fn.Buffers {
		if b != nil {
			v.determined(fn, b)
			v.bufferExprs(fn, b)
		}
	}
	if fn.Body == nil {
		v.report(fn, "has no body")
		return
	}
	v.stmt(fn.Body)
}

// determined reports the variables that parameter b has in expressions only, which an argument
// need not determine: the factors of n*m, or n of n//2. They count as defined from then on.
func (v *verifier) determined(fn *PrimFunc, b *Buffer) {
	for k, e := range b.Shape {
		ir.Walk(e, func(n ir.Node) bool {
			if x, ok := n.(*Var); ok && !v.active[x] {
				v.report(fn, "dimension %d of parameter %s uses variable %s, which no parameter defines: expected %s as a dimension of its own in one of them, or as a parameter",
					k, b.Name, x.Name, x.Name)
				v.define(fn, x)
			}
			return true
		})
	}
}

// implicit defines a matched buffer, and the variables that it takes its value from.
func (v *verifier) implicit(at ir.Node, b *Buffer) (undo []func()) {
	v.buffers[b] = true
	undo = append(undo, func() { delete(v.buffers, b) })
	b.EachExpr(func(e Expr) {
		if x, ok := e.(*Var); ok && !v.active[x] {
			undo = append(undo, v.define(at, x))
		}
	})
	return undo
}

// declare brings a buffer into scope; owns says that it brings its memory with it.
func (v *verifier) declare(at ir.Node, b *Buffer, owns bool) (undo []func()) {
	if v.buffers[b] {
		v.report(at, "buffer %s is declared again inside its own scope", b.Name)
		return nil
	}
	if owns {
		undo = append(undo, v.define(at, b.Data))
	} else if !v.active[b.Data] {
		v.report(at, "buffer %s is declared over pointer %s, which is not defined here", b.Name, b.Data.Name)
	}
	v.bufferExprs(at, b)
	v.buffers[b] = true
	return append(undo, func() { delete(v.buffers, b) })
}

func (v *verifier) bufferExprs(at ir.Node, b *Buffer) {
	if n := len(b.Strides); n != 0 && n != len(b.Shape) {
		v.report(at, "buffer %s has %d dimensions and %d strides", b.Name, len(b.Shape), n)
	}
	b.EachExpr(func(e Expr) {
		if e != Expr(b.Data) {
			v.integer(at, e, "an extent, stride or offset of buffer "+b.Name)
			v.expr(e)
		}
	})
}

func (v *verifier) integer(at ir.Node, e Expr, what string) {
	if d := e.DType(); !d.IsInteger() {
		v.report(at, "%s has type %s, expected an integer", what, d)
	}
}

func (v *verifier) boolean(at ir.Node, e Expr, what string) {
	if d := e.DType(); !d.IsBool() {
		v.report(at, "%s has type %s, expected bool", what, d)
	}
}

func undoAll(fs []func()) {
	for k := len(fs) - 1; k >= 0; k-- {
		fs[k]()
	}
}

// use checks that buffer b may be used here.
func (v *verifier) use(at ir.Node, b *Buffer) {
	switch {
	case v.buffers[b]:
	case !v.active[b.Data]:
		v.report(at, "buffer %s is used outside of its scope", b.Name)
	case v.strict && !v.consts[b.Data]:
		v.report(at, "buffer %s is used but not declared", b.Name)
	}
}

// access checks the indices of a load or store.
func (v *verifier) access(at ir.Node, b *Buffer, indices []Expr, pred Expr) {
	v.use(at, b)
	if len(indices) != len(b.Shape) {
		v.report(at, "buffer %s has %d dimensions and is accessed with %d indices", b.Name, len(b.Shape), len(indices))
	}
	for k, ix := range indices {
		v.expr(ix)
		v.integer(at, ix, fmt.Sprintf("index %d of buffer %s", k, b.Name))
		if k+1 < len(indices) && ix.DType().Lanes > 1 {
			v.report(at, "index %d of buffer %s is a vector, only the last may be one", k, b.Name)
		}
	}
	if pred != nil {
		v.expr(pred)
		v.boolean(at, pred, "the mask of an access to buffer "+b.Name)
	}
}
