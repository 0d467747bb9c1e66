package tirpass

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// What tells a runtime how to launch a kernel.
const (
	attrLaunchParams  = "tir.kernel_launch_params"
	useDynamicShared  = "tir.use_dyn_shared_memory" // the launch parameter for the bytes of dynamic shared memory
	callingCDevice    = 2
	rewriteLaunchCall = "launch a kernel"
)

// LowerDeviceKernelLaunch makes calls of functions for other devices launches of kernels.
var LowerDeviceKernelLaunch = &pass.Pass{
	Name: "tir.LowerDeviceKernelLaunch", Kind: pass.Module, Lowering: true,
	Doc: "Makes calls of functions for a target on another device launches of kernels, to which the extents of the threads and the bytes of dynamic shared memory are passed, and calls of functions for another target on the same device extern calls.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		l := &launchLowerer{c: c, kernels: map[string]*kernelInfo{}, launched: map[string]bool{}, extern: map[string]bool{}}
		for gv, fn := range m.Funcs() {
			if f, ok := fn.(*tir.PrimFunc); ok {
				k, err := kernelOf(gv, f)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", gv.Name, err)
				}
				l.kernels[gv.Name] = k
			}
		}
		e := m.Edit()
		for gv, fn := range m.Funcs() {
			if f, ok := fn.(*tir.PrimFunc); ok {
				c.Working(gv.Name)
				l.caller = l.kernels[gv.Name]
				e.Set(gv.Name, f.WithBody(l.calls(f.Body)))
				if l.err != nil {
					return nil, fmt.Errorf("%s: %w", gv.Name, l.err)
				}
			}
		}
		for gv := range m.Funcs() {
			f, ok := e.Lookup(gv.Name).(*tir.PrimFunc)
			if !ok {
				continue
			}
			c.Working(gv.Name)
			out, err := l.callee(gv, f)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", gv.Name, err)
			}
			e.Set(gv.Name, out)
		}
		return e.Done(), nil
	},
}

// kernelInfo is what a call of a function must know of it.
type kernelInfo struct {
	target string // without a host
	symbol string
	params []*tir.Var
	launch []ir.Value // the names of launch parameters
	args   []tir.Expr // and their values, in terms of the parameters
}

func kernelOf(gv *ir.GlobalVar, f *tir.PrimFunc) (*kernelInfo, error) {
	if !f.Attrs.Has(ir.AttrTarget) {
		return nil, errors.New("it has no target, which says where it runs: run tir.BindTarget first")
	}
	k := &kernelInfo{target: withoutHost(f.Attrs.Str(ir.AttrTarget, "")), symbol: cmp.Or(ir.GlobalSymbol(f), gv.Name), params: f.Params}
	seen := map[*tir.IterVar]bool{}
	var shared tir.Expr
	var err error
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.AttrStmt:
			iv, ok := n.Node.(*tir.IterVar)
			if !ok || n.Key != tir.KeyThreadExtent || seen[iv] {
				break
			}
			if iv.ThreadTag == "" {
				err = cmp.Or(err, fmt.Errorf("the thread %s has no tag such as threadIdx.x", iv.Var.Name))
			}
			seen[iv] = true
			k.launch = append(k.launch, iv.ThreadTag)
			k.args = append(k.args, n.Value)
		case *tir.Allocate:
			if !dynamicShared(scopeOf(n.Var)) {
				break
			}
			if shared != nil {
				//lint:ignore ST1005 as TVM says it
				err = cmp.Or(err, errors.New("Only one dynamic shared memory allocation is allowed.: run tir.MergeSharedMemoryAllocations first"))
			}
			shared = tir.Expr(tir.Int32(1))
			for _, e := range n.Extents {
				shared = tir.Mul(tir.CastTo(e.DType(), shared), e)
			}
			shared = tir.Mul(shared, tir.Const(shared.DType(), int64(bytesOf(n.Type))))
		}
		return true
	})
	if shared != nil {
		k.launch, k.args = append(k.launch, useDynamicShared), append(k.args, shared)
	}
	return k, err
}

type launchLowerer struct {
	c                *pass.Context
	kernels          map[string]*kernelInfo
	caller           *kernelInfo
	launched, extern map[string]bool
	err              error
}

// calls rewrites the calls of functions for other targets.
func (l *launchLowerer) calls(s tir.Stmt) tir.Stmt {
	return tir.RewriteStmt(s, nil, func(e tir.Expr) tir.Expr {
		call, ok := e.(*tir.Call)
		if !ok {
			return e
		}
		gv, ok := call.Op.(*ir.GlobalVar)
		if !ok {
			return e
		}
		k := l.kernels[gv.Name]
		if k == nil {
			l.err = cmp.Or(l.err, fmt.Errorf("CallNode attempted subroutine call to %s, but %s did not appear within the IRModule", gv.Name, gv.Name))
			return e
		}
		switch {
		case k.target == l.caller.target:
			return e // the code generator knows both
		case deviceType(k.target) == deviceType(l.caller.target):
			l.extern[gv.Name] = true
			out := call.WithOp(tir.OpCallExtern).WithArgs(append([]tir.Expr{&tir.StringImm{Base: call.Base, Value: gv.Name}}, call.Args...))
			l.c.Rewrite("call a function of another code generator by its symbol", call, out)
			return out
		}
		return l.launch(gv, k, call)
	})
}

func (l *launchLowerer) launch(gv *ir.GlobalVar, k *kernelInfo, call *tir.Call) tir.Expr {
	if len(call.Args) != len(k.params) {
		//lint:ignore ST1005 as TVM says it
		l.err = cmp.Or(l.err, fmt.Errorf("Function %s accepts %d arguments as input, but is called using %d arguments", gv.Name, len(k.params), len(call.Args)))
		return call
	}
	sub := map[*tir.Var]tir.Expr{}
	own := map[*tir.Var]bool{}
	for i, p := range k.params {
		sub[p], own[p] = call.Args[i], true
	}
	args := append([]tir.Expr{&tir.StringImm{Base: call.Base, Value: k.symbol}}, call.Args...)
	for i, e := range k.args {
		for _, v := range freeVars(e) {
			if !own[v] {
				l.err = cmp.Or(l.err, fmt.Errorf("the launch parameter %v of %s depends on %s, which is computed inside of the kernel: compute it before", k.launch[i], gv.Name, v.Name))
			}
		}
		args = append(args, tir.SubstExpr(e, sub))
	}
	l.launched[gv.Name] = true
	d := call.Type
	if d == dtype.Void {
		d = dtype.Int32T
	}
	out := &tir.Call{Base: call.Base, Type: d, Op: tir.OpCallPacked, Args: args}
	l.c.Rewrite(rewriteLaunchCall, call, out)
	return out
}

// callee gives a function that is called from another target the attributes that it is found by.
func (l *launchLowerer) callee(gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
	launched, extern := l.launched[gv.Name], l.extern[gv.Name]
	if launched && extern {
		//lint:ignore ST1005 as TVM says it
		return nil, fmt.Errorf("Function %s has multiple callees, and would need to be lowered into a call_extern at some call sites, and a device kernel launch at others.  This case is not yet supported.", gv.Name)
	}
	if !launched && !extern {
		return f, nil
	}
	attrs := f.Attrs.With(attrIsGlobalFunc, true)
	out := f
	if launched {
		body, err := withoutReturns(f.Body)
		if err != nil {
			return nil, err
		}
		k := l.kernels[gv.Name]
		list := k.launch
		if list == nil {
			list = []ir.Value{}
		}
		attrs = attrs.With(ir.AttrCallingConv, callingCDevice).With(attrLaunchParams, list).With(ir.AttrGlobalSymbol, k.symbol)
		out = out.WithBody(body).WithRetType(ir.VoidType())
	} else if ir.GlobalSymbol(f) == "" {
		attrs = attrs.With(ir.AttrGlobalSymbol, gv.Name)
	}
	out = out.WithAttrs(attrs)
	l.c.Rewrite("let a function be called from another target", f, out)
	return out, nil
}

// withoutReturns drops returns of 0, which a kernel that is launched does not return.
func withoutReturns(s tir.Stmt) (tir.Stmt, error) {
	var err error
	out := tir.RewriteStmt(s, func(s tir.Stmt) tir.Stmt {
		e, ok := s.(*tir.Evaluate)
		if !ok {
			return s
		}
		call, ok := tir.IsCallTo(e.Value, tir.OpRet)
		if !ok {
			return s
		}
		if len(call.Args) != 1 || !tir.IsConst(call.Args[0], 0) {
			//lint:ignore ST1005 as TVM says it
			err = cmp.Or(err, errors.New("Device kernel may only contain successful return, T.ret(0)"))
		}
		return e.WithValue(tir.Int32(0))
	}, nil)
	return out, err
}
