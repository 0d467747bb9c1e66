package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// callExtern calls a function of the module or a math function of the host.
func (g *gen) callExtern(e *tir.Call, name string, args []tir.Expr) value {
	what := "call_extern " + name
	if _, ok := g.mod.funcs[name]; ok {
		return g.callFunction(e, name, args)
	}
	sig, ok := hostFunc(name)
	if _, math := abi.Math(name); !ok || !math { // the other imports take addresses
		g.Fail(what, "the runtime has no function of this name: kernels can call math functions and functions of their module")
	}
	if len(args) != len(sig.params) {
		g.Fail(what, "%d arguments, expected %d", len(args), len(sig.params))
	}
	vals := make([]value, len(args))
	for i, a := range args {
		vals[i] = g.Expr(a)
	}
	xs := make([]*node, e.Type.Lanes)
	if len(xs) == 0 {
		xs = make([]*node, 1)
	}
	for l := range xs {
		in := make([]*node, len(args))
		for i, v := range vals {
			in[i] = g.LaneOf(v, min(l, v.Lanes()-1))
			if typeOf(in[i]) != sig.params[i] {
				g.Fail(what, "argument %d has type %s", i, v.DType)
			}
		}
		xs[l] = g.hostCall(name, in...)
	}
	if len(xs) == 1 {
		return one(e.Type, xs[0])
	}
	return g.Pack(e.Type, xs)
}

// callFunction calls another function of the module by its plain signature.
func (g *gen) callFunction(e *tir.Call, name string, args []tir.Expr) value {
	what := "call of " + name
	callee, ok := g.mod.funcs[name]
	if !ok {
		g.Fail(what, "the module has no such function")
	}
	if len(args) != len(callee.f.Type.Params) {
		g.Fail(what, "%d arguments, expected %d", len(args), len(callee.f.Type.Params))
	}
	it := item{Kind: lower.ItemCall, Callee: lower.Ref(wasmbin.PackFunc(callee.f.Ref()))}
	for i, a := range args {
		n := g.ScalarExpr(a, what)
		if typeOf(n) != callee.f.Type.Params[i] {
			g.Fail(what, "argument %d has type %s, expected %s", i, typeOf(n), callee.f.Type.Params[i])
		}
		it.Args = append(it.Args, n)
	}
	g.KillAll()
	if len(callee.f.Type.Results) == 0 {
		g.Add(it)
		return one(dtype.Int32T, g.i32(0))
	}
	t := callee.f.Type.Results[0]
	it.HasRes, it.Reg = true, g.newLocal("result", t)
	g.Add(it)
	res := g.Stable(it.Reg, g.Cur, false)
	if callee.kernel {
		g.check(res)
	}
	return one(e.Type, res)
}

// check leaves the function where an error code is not 0.
func (g *gen) check(code *node) {
	if g.kernel {
		g.Branch(code, "error", func() { g.Add(item{Kind: lower.ItemReturn, Args: g.Operands(code)}) }, nil)
	}
}
