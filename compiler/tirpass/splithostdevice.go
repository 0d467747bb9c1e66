package tirpass

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// attrIsGlobalFunc marks functions that a device launches.
const attrIsGlobalFunc = "tir.is_global_func"

// SplitHostDevice moves the parts of functions that are marked for another target into
// functions of their own.
var SplitHostDevice = &pass.Pass{
	Name: "tir.SplitHostDevice", Kind: pass.Module, Lowering: true,
	Doc: "Moves the parts of functions marked with a target of their own into private kernels for that target and calls those. A kernel that runs on a CPU returns an error code, which the caller asserts to be 0.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		e := m.Edit()
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*tir.PrimFunc)
			if !ok {
				continue
			}
			prefix := cmp.Or(ir.GlobalSymbol(f), gv.Name)
			var err error
			// The outermost mark counts: what is inside of it goes along.
			mp := &tir.Mapper{}
			mp.Stmt = func(s tir.Stmt) tir.Stmt {
				a, ok := s.(*tir.AttrStmt)
				if !ok || a.Key != ir.AttrTarget {
					return mp.MapStmt(s)
				}
				target, ok := a.Node.(*tir.StringImm)
				if !ok {
					err = cmp.Or(err, fmt.Errorf("%s: a part is marked with a target that is not a string but a %T", gv.Name, a.Node))
					return s
				}
				c.Working(gv.Name)
				out := splitKernel(e, prefix+"_kernel", withoutHost(target.Value), a)
				c.Rewrite("move a part into a kernel", a, out)
				return out
			}
			body := mp.Stmt(f.Body)
			if err != nil {
				return nil, err
			}
			e.Set(gv.Name, f.WithBody(body))
		}
		return e.Done(), nil
	},
}

// splitKernel adds the body of a to the module as a function for target and returns the call
// of it.
func splitKernel(e *ir.Editor, name, target string, a *tir.AttrStmt) tir.Stmt {
	params := freeVars(a.Body)
	slices.SortStableFunc(params, func(x, y *tir.Var) int {
		if h := x.DType().IsHandle(); h != y.DType().IsHandle() {
			if h {
				return -1
			}
			return 1
		}
		return strings.Compare(x.Name, y.Name)
	})
	body := a.Body
	sub := map[*tir.Var]tir.Expr{} // the kernel has variables of its own
	own := make([]*tir.Var, len(params))
	args := make([]tir.Expr, len(params))
	for i, p := range params {
		own[i] = &tir.Var{Base: p.Base, Name: p.Name, Type: p.Type, Size: p.Size}
		sub[p], args[i] = own[i], p
	}
	for _, b := range freeBuffers(a.Body) {
		body = &tir.DeclBuffer{Base: b.Base, Buffer: b, Body: body}
	}
	onCPU := !onDevice(targetKind(target))
	ret := ir.VoidType()
	if onCPU {
		ret = &ir.PrimType{DType: dtype.Int32T}
		done := &tir.Call{Type: dtype.Int32T, Op: tir.OpRet, Args: []tir.Expr{tir.Int32(0)}}
		body = tir.Seq(body, &tir.Evaluate{Value: done})
	}
	kernel := &tir.PrimFunc{
		Base: a.Base, Params: own, Buffers: make([]*tir.Buffer, len(own)), RetType: ret, Body: tir.SubstStmt(body, sub),
		Attrs: ir.NewAttrs(ir.AttrTarget, target, attrNoAlias, true, attrIsGlobalFunc, true),
	}
	callee := e.Set(freshKernel(e, name), kernel)
	if !onCPU {
		return &tir.Evaluate{Base: a.Base, Value: &tir.Call{Op: callee, Args: args}}
	}
	code := tir.NewVar("kernel_error_code", dtype.Int32T)
	return &tir.LetStmt{
		Base: a.Base, Var: code, Value: &tir.Call{Type: dtype.Int32T, Op: callee, Args: args},
		Body: &tir.AssertStmt{Cond: tir.EQ(code, tir.Int32(0)), Message: &tir.StringImm{Value: "Error executing compute kernel"}, Body: tir.NoOp()},
	}
}

// freshKernel returns name, or name_1, name_2, ... where the module has that.
func freshKernel(e *ir.Editor, name string) string {
	out := name
	for i := 1; e.Lookup(out) != nil; i++ {
		out = name + "_" + strconv.Itoa(i)
	}
	return out
}

// freeBuffers returns the buffers that s accesses and does not define, nor the memory that they are in, in order of first use.
func freeBuffers(s tir.Stmt) []*tir.Buffer {
	defined, seen := map[*tir.Buffer]bool{}, map[*tir.Buffer]bool{}
	own := map[*tir.Var]bool{}
	var out []*tir.Buffer
	use := func(b *tir.Buffer) {
		if !seen[b] {
			seen[b] = true
			out = append(out, b)
		}
	}
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.DeclBuffer:
			defined[n.Buffer] = true
		case *tir.Allocate:
			own[n.Var] = true
		case *tir.AllocateConst:
			own[n.Var] = true
		case *tir.LetStmt:
			own[n.Var] = true
		case *tir.Block:
			for _, b := range n.AllocBuffers {
				defined[b] = true
			}
			for _, m := range n.MatchBuffers {
				defined[m.Buffer] = true
				use(m.Source.Buffer)
			}
		case *tir.BufferLoad:
			use(n.Buffer)
		case *tir.BufferStore:
			use(n.Buffer)
		}
		return true
	})
	return slices.DeleteFunc(out, func(b *tir.Buffer) bool { return defined[b] || own[b.Data] })
}

// freeVars returns the variables that s uses and does not define, data pointers of buffers
// included, in order of first use.
func freeVars(s ir.Node) []*tir.Var {
	defined := map[*tir.Var]bool{}
	define := func(e tir.Expr) {
		if v, ok := e.(*tir.Var); ok {
			defined[v] = true
		}
	}
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Block:
			for _, b := range n.AllocBuffers {
				define(b.Data)
			}
			for _, m := range n.MatchBuffers { // a view takes its strides and its offset from its source
				define(m.Buffer.Data)
				define(m.Buffer.ElemOffset)
				for _, e := range m.Buffer.Strides {
					define(e)
				}
			}
		case *tir.For:
			defined[n.LoopVar] = true
		case *tir.LetStmt:
			defined[n.Var] = true
		case *tir.Let:
			defined[n.Var] = true
		case *tir.Allocate:
			defined[n.Var] = true
		case *tir.AllocateConst:
			defined[n.Var] = true
		case *tir.IterVar:
			defined[n.Var] = true
		case *tir.CommReducer:
			for i := range n.LHS {
				defined[n.LHS[i]], defined[n.RHS[i]] = true, true
			}
		}
		return true
	})
	var out []*tir.Var
	seen := map[*tir.Var]bool{}
	use := func(v *tir.Var) {
		if !defined[v] && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			use(n)
		case *tir.Buffer:
			n.EachExpr(func(e tir.Expr) {
				ir.Walk(e, func(n ir.Node) bool {
					if v, ok := n.(*tir.Var); ok {
						use(v)
					}
					return true
				})
			})
		}
		return true
	})
	return out
}
