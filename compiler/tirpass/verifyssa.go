package tirpass

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// VerifySSA rejects functions in which a variable is defined twice.
var VerifySSA = &pass.Pass{
	Name: "tir.VerifySSA", Kind: pass.Module,
	Doc: "Rejects PrimFuncs in which two statements define the same variable. Lets inside of expressions may define one again, as the same value. tir.ConvertSSA gives each definition a variable of its own.",
	Run: pass.EachPrimFunc(func(_ *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		v := &ssaVerifier{defined: map[*tir.Var]tir.Expr{}, seen: map[tir.Expr]bool{}}
		if v.function(f); v.twice == nil {
			return f, nil
		}
		return nil, fmt.Errorf("RuntimeError: IR is not in SSA form: %s is defined twice; run tir.ConvertSSA first\n  In function\n%s",
			v.twice.Name, strings.TrimSpace(script.Function(gv.Name, f, script.Options{}).Source))
	}),
}

// ssaVerifier walks a function until it meets a second definition of a variable. Definitions are parameters, what the shapes of parameters
// bind (each of these may name a variable again), loops, lets, and allocations.
type ssaVerifier struct {
	defined map[*tir.Var]tir.Expr // the value that a let gives a variable, else the variable itself
	seen    map[tir.Expr]bool     // shared expressions are looked at once
	twice   *tir.Var
}

func (v *ssaVerifier) function(f *tir.PrimFunc) {
	for _, p := range f.Params {
		v.define(p, p)
	}
	for _, b := range f.Buffers {
		if b != nil {
			v.match(b)
		}
	}
	v.visit(f.Body)
}

// define notes a definition of x, which must be the first.
func (v *ssaVerifier) define(x *tir.Var, value tir.Expr) {
	if _, again := v.defined[x]; again && v.twice == nil {
		v.twice = x
	}
	v.defined[x] = value
}

// match notes the variables of the buffer of a parameter.
func (v *ssaVerifier) match(b *tir.Buffer) {
	note := func(e tir.Expr) {
		ir.Walk(e, func(n ir.Node) bool {
			if x, ok := n.(*tir.Var); ok && v.defined[x] == nil {
				v.defined[x] = x
			}
			return true
		})
	}
	note(b.Data)
	for _, list := range [][]tir.Expr{b.Shape, b.Strides} {
		for _, e := range list {
			note(e)
		}
	}
	if b.ElemOffset != nil {
		note(b.ElemOffset)
	}
}

func (v *ssaVerifier) visit(n ir.Node) {
	if v.twice != nil {
		return
	}
	switch n := n.(type) {
	case *tir.For:
		v.define(n.LoopVar, n.LoopVar)
	case *tir.LetStmt:
		v.define(n.Var, n.Value)
	case *tir.Allocate:
		v.define(n.Var, n.Var)
	case *tir.Let:
		if old := v.defined[n.Var]; old == nil || !tir.Equal(old, n.Value) {
			v.define(n.Var, n.Value)
		}
	}
	if e, ok := n.(tir.Expr); ok {
		if v.seen[e] {
			return
		}
		v.seen[e] = true
	}
	n.EachChild(v.visit)
}
