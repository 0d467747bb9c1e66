package tir

import (
	"fmt"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
)

// maxFindings bounds the diagnostics that Verify returns for one function.
const maxFindings = 20

// Verify checks that fn is well formed and returns what is not, nothing if all is well:
// variables are defined once (those of Let expressions once in each scope) and before their uses, loop variables stay out of the bodies
// of blocks that have iteration variables, buffers are declared and accessed with as many
// indices as they have dimensions, operands have the types that their operator needs, and
// blocks bind each of their iteration variables. Each finding names function, block and node.
func Verify(name string, fn *PrimFunc) []ir.Diagnostic {
	v := verifiers.Get().(*verifier)
	v.fn, v.body = name, fn.Body
	v.function(fn)
	found := v.found
	if v.reset() {
		verifiers.Put(v)
	}
	return found
}

// verifiers are kept for the next function, since all functions are verified after each pass.
var verifiers = sync.Pool{New: func() any { return &verifier{} }}

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
	body    Stmt
	looked  bool // strict is known
	strict  bool
	found   []ir.Diagnostic
	vars    ir.Memo[*Var, varState]
	buffers ir.Memo[*Buffer, bool] // whether they are in scope
	defined []definition           // what is in scope, in order
	blocks  []string               // names of the enclosing blocks
	inner   int                    // how many of them have iteration variables
	scope   int
	child   func(ir.Node) // checks an operand
	visits  int           // of expressions
	// seen holds the expressions checked, with the scope that they were checked in, from the visit lazyVisits on.
	seen map[Expr]int
	// told holds what was reported of expressions, with the scope: one may be checked in several places.
	told map[finding]bool
}

// varState is what is known of a variable.
type varState struct {
	active bool  // in scope
	past   bool  // was in scope
	handle bool  // a constant, over which any buffer may stand
	loop   bool  // of a loop in scope
	depth  int32 // of a loop: blocks with iteration variables around it
}

// definition is a variable or a buffer in scope.
type definition struct {
	x *Var
	b *Buffer
}

type finding struct {
	n     ir.Node
	scope int
	msg   string
}

// lazyVisits is how many expressions are visited before those visited are noted. Few functions have as many, and in others no
// sharing makes more of them.
const lazyVisits = 1 << 14

// maxKept is how many entries the tables of a verifier may have that is kept.
const maxKept = 1 << 12

// reset prepares v for another function. It reports whether v is worth keeping.
func (v *verifier) reset() bool {
	if v.vars.Len() > maxKept || v.buffers.Len() > maxKept {
		return false
	}
	v.vars.Clear()
	v.buffers.Clear()
	clear(v.defined[:cap(v.defined)])
	*v = verifier{vars: v.vars, buffers: v.buffers, defined: v.defined[:0], blocks: v.blocks[:0], child: v.child}
	return true
}

// active reports whether x is in scope.
func (v *verifier) active(x *Var) bool { return v.state(x).active }

// state returns what is known of x.
func (v *verifier) state(x *Var) varState {
	st, _ := v.vars.Get(x)
	return st
}

// visible reports whether b is in scope.
func (v *verifier) visible(b *Buffer) bool {
	in, _ := v.buffers.Get(b)
	return in
}

// report adds a finding about node n.
func (v *verifier) report(n ir.Node, format string, args ...any) {
	if len(v.found) >= maxFindings {
		return
	}
	msg := fmt.Sprintf(format, args...)
	if e, ok := n.(Expr); ok {
		key := finding{e, v.scope, msg}
		if v.told[key] {
			return
		}
		if v.told == nil {
			v.told = map[finding]bool{}
		}
		v.told[key] = true
	}
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

// define brings x into scope, until leave takes it out again.
func (v *verifier) define(at ir.Node, x *Var) {
	if x == nil {
		v.report(at, "defines a nil variable")
		return
	}
	st := v.state(x)
	switch {
	case st.active:
		v.report(at, "variable %s is defined again inside its own scope", x.Name)
		return
	case st.past:
		v.report(at, "variable %s is defined a second time", x.Name)
	}
	st.active = true
	v.vars.Put(x, st)
	v.scope++
	v.defined = append(v.defined, definition{x: x})
}

// declared notes that buffer b is in scope, until leave takes it out again.
func (v *verifier) declared(b *Buffer) {
	v.buffers.Put(b, true)
	v.defined = append(v.defined, definition{b: b})
}

// enter returns the place of the scope that begins; leave ends it.
func (v *verifier) enter() int { return len(v.defined) }

func (v *verifier) leave(mark int) {
	for k := len(v.defined) - 1; k >= mark; k-- {
		d := v.defined[k]
		if d.b != nil {
			v.buffers.Put(d.b, false)
			continue
		}
		st := v.state(d.x)
		st.active, st.past = false, true
		v.vars.Put(d.x, st)
		v.scope++
	}
	v.defined = v.defined[:mark]
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
		if _, ok := e.(*IntImm); ok {
			continue
		}
		ir.Walk(e, func(n ir.Node) bool {
			if x, ok := n.(*Var); ok && !v.active(x) {
				v.report(fn, "dimension %d of parameter %s uses variable %s, which no parameter defines: expected %s as a dimension of its own in one of them, or as a parameter",
					k, b.Name, x.Name, x.Name)
				v.define(fn, x)
			}
			return true
		})
	}
}

// implicit defines a matched buffer, and the variables that it takes its value from.
func (v *verifier) implicit(at ir.Node, b *Buffer) {
	v.declared(b)
	b.EachExpr(func(e Expr) {
		if x, ok := e.(*Var); ok && !v.active(x) {
			v.define(at, x)
		}
	})
}

// declare brings a buffer into scope; owns says that it brings its memory with it.
func (v *verifier) declare(at ir.Node, b *Buffer, owns bool) {
	if v.visible(b) {
		v.report(at, "buffer %s is declared again inside its own scope", b.Name)
		return
	}
	if owns {
		v.define(at, b.Data)
	} else if !v.active(b.Data) {
		v.report(at, "buffer %s is declared over pointer %s, which is not defined here", b.Name, b.Data.Name)
	}
	v.bufferExprs(at, b)
	v.declared(b)
}

func (v *verifier) bufferExprs(at ir.Node, b *Buffer) {
	if n := len(b.Strides); n != 0 && n != len(b.Shape) {
		v.report(at, "buffer %s has %d dimensions and %d strides", b.Name, len(b.Shape), n)
	}
	b.EachExpr(func(e Expr) {
		if e != Expr(b.Data) {
			v.integer(at, e, "an extent, stride or offset of buffer %s", b.Name)
			v.expr(e)
		}
	})
}

// integer checks the type of e, which is what says, a format of args.
func (v *verifier) integer(at ir.Node, e Expr, what, name string) {
	if d := e.DType(); !d.IsInteger() {
		v.report(at, "%s has type %s, expected an integer", fmt.Sprintf(what, name), d)
	}
}

func (v *verifier) boolean(at ir.Node, e Expr, what string) {
	if d := e.DType(); !d.IsBool() {
		v.report(at, "%s has type %s, expected bool", what, d)
	}
}

// declares reports whether the function must declare the buffers that it uses.
func (v *verifier) declares() bool {
	if !v.looked {
		v.looked, v.strict = true, hasBlock(v.body)
	}
	return v.strict
}

// use checks that buffer b may be used here.
func (v *verifier) use(at ir.Node, b *Buffer) {
	switch {
	case v.visible(b):
	case !v.active(b.Data):
		v.report(at, "buffer %s is used outside of its scope", b.Name)
	case !v.state(b.Data).handle && v.declares():
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
		if d := ix.DType(); !d.IsInteger() {
			v.report(at, "index %d of buffer %s has type %s, expected an integer", k, b.Name, d)
		}
		if k+1 < len(indices) && ix.DType().Lanes > 1 {
			v.report(at, "index %d of buffer %s is a vector, only the last may be one", k, b.Name)
		}
	}
	if pred != nil {
		v.expr(pred)
		if d := pred.DType(); !d.IsBool() {
			v.report(at, "the mask of an access to buffer %s has type %s, expected bool", b.Name, d)
		}
	}
}
