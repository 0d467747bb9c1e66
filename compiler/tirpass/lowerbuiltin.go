package tirpass

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxStackBytes is the size up to which an allocation stays on the stack of the kernel. localBytes is that for targets of kind x86: a tile of sums that a schedule keeps in vector
// registers is no workspace, and to ask for one takes as long as what a turn does with a padded image of one channel.
const (
	maxStackBytes = 1024
	localBytes    = 16 << 10
)

// hostDeviceType is DLPack's number of the CPU.
const hostDeviceType = 1

// LowerTVMBuiltin turns large allocations into workspaces and packed calls into calls of
// the runtime.
var LowerTVMBuiltin = &pass.Pass{
	Name: "tir.LowerTVMBuiltin", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Turns allocations that are large or of unknown size into workspaces of the runtime, freed on every way out, and packs the arguments of packed calls on the stack.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if onDevice(targetKind(f.Attrs.Str(ir.AttrTarget, ""))) {
			c.Declined("lower builtins of the host", f, "it runs on a device, which has no runtime to call")
			return f, nil
		}
		l := &builtinLowerer{c: c, stack: stackBytes(f)}
		if f.Attrs.Has(ir.AttrTarget) {
			l.deviceType = tir.Int32(int64(deviceType(f.Attrs.Str(ir.AttrTarget, ""))))
		}
		l.m.Stmt, l.m.Expr = l.stmt, l.expr
		body := l.stmt(f.Body)
		return f.WithBody(body), l.err
	}),
}

type builtinLowerer struct {
	c     *pass.Context
	m     tir.Mapper
	stack int64      // bytes up to which allocations stay
	open  []*tir.Var // workspaces that are allocated at the current place
	loop  int        // how many of them are allocated around the innermost loop
	// The device that memory is allocated on: of the target or of annotations; nil if nothing says it.
	deviceType, deviceID tir.Expr
	devices              map[*tir.Var][2]tir.Expr // the type and the number of the device of each workspace
	look                 func(ir.Node) bool       // looks for calls in an expression
	context              bool                     // it found one of the context of a thread
	err                  error
}

// Keys of the AttrStmts that say on which device memory is allocated.
const (
	keyDeviceType = "device_type"
	keyDeviceID   = "device_id"
)

func (l *builtinLowerer) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Allocate:
		return l.allocate(s)
	case *tir.Evaluate:
		return l.evaluate(s)
	case *tir.LetStmt:
		return l.let(s)
	case *tir.AttrStmt:
		if s.Key == keyDeviceType || s.Key == keyDeviceID {
			outer := [2]tir.Expr{l.deviceType, l.deviceID}
			if s.Key == keyDeviceType {
				l.deviceType = s.Value
			} else {
				l.deviceID = s.Value
			}
			out := l.stmt(s.Body)
			l.deviceType, l.deviceID = outer[0], outer[1]
			l.c.Rewrite("take over the device of an annotation", s, out)
			return out
		}
	case *tir.For, *tir.While:
		outer := l.loop
		l.loop = len(l.open)
		out := l.m.MapStmt(s)
		l.loop = outer
		return out
	}
	return l.m.MapStmt(s)
}

// expr rejects packed calls inside expressions: they are statements or the value of a let. The context of a thread is the only one on the host.
func (l *builtinLowerer) expr(e tir.Expr) tir.Expr {
	if l.look == nil { // once, for there are many expressions
		l.look = func(n ir.Node) bool {
			if c, ok := n.(*tir.Call); ok {
				if _, yes := isPacked(c); yes {
					l.fail("%s(%v) is inside an expression: bind its result to a variable first", strings.TrimPrefix(c.Op.CalleeName(), "tir.tvm_"), packedName(c))
				}
				l.context = l.context || c.Op.CalleeName() == opContextID
			}
			return l.err == nil
		}
	}
	l.context = false
	ir.Walk(e, l.look)
	if !l.context {
		return e
	}
	return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		if c, ok := e.(*tir.Call); ok && c.Op.CalleeName() == opContextID {
			out := tir.Expr(&tir.Call{Base: c.Base, Type: c.Type, Op: tir.OpReinterpret, Args: []tir.Expr{tir.Const(dtype.UInt64T, 0)}})
			l.c.Rewrite("take the only context", c, out)
			return out
		}
		return e
	})
}

func packedName(c *tir.Call) string {
	if len(c.Args) > 0 {
		if s, ok := c.Args[0].(*tir.StringImm); ok {
			return s.Value
		}
	}
	return "?"
}

// evaluate frees open workspaces before a jump that leaves them and lowers packed calls.
func (l *builtinLowerer) evaluate(s *tir.Evaluate) tir.Stmt {
	for _, jump := range [...]struct {
		op   *ir.Op
		from int // the first workspace that is left
	}{{tir.OpRet, 0}, {tir.OpBreakLoop, l.loop}, {tir.OpContinueLoop, l.loop}} {
		n := jump.from
		if _, ok := tir.IsCallTo(s.Value, jump.op); ok && len(l.open) > n {
			out := tir.Seq(append(l.freeFrom(n), s)...)
			l.c.Rewrite("free workspaces before leaving", s, out)
			return out
		}
	}
	if c, ok := isPacked(s.Value); ok {
		out := l.call(c, evaluated(s.Base))
		l.c.Rewrite(rulePack, s, out)
		return out
	}
	if c, ok := s.Value.(*tir.Call); ok && dmaCalls[c.Op.CalleeName()] != "" && l.deviceType != nil {
		out := l.dma(c)
		l.c.Rewrite("have the runtime of the device move data", s, out)
		return out
	}
	return l.m.MapStmt(s)
}

// rulePack is the name of the rule.
const rulePack = "pack the arguments of a call"

// let lowers a let of what a packed function returns, or of memory that a device allocates.
func (l *builtinLowerer) let(s *tir.LetStmt) tir.Stmt {
	if c, ok := isPacked(s.Value); ok {
		body := l.stmt(s.Body)
		out := l.call(c, func(e tir.Expr) tir.Stmt { return s.WithValue(e).WithBody(body) })
		l.c.Rewrite(rulePack, s, out)
		return out
	}
	if c, ok := s.Value.(*tir.Call); ok && c.Op.CalleeName() == tir.OpNDAlloc.Name {
		out := l.ndAlloc(s, c)
		l.c.Rewrite("allocate memory of several dimensions", s, out)
		return out
	}
	return l.m.MapStmt(s)
}

// stackBytes is the size up to which an allocation of f stays on the stack.
func stackBytes(f *tir.PrimFunc) int64 {
	if targetKind(f.Attrs.Str(ir.AttrTarget, "")) == "x86" {
		return localBytes
	}
	return maxStackBytes
}

// onStack reports whether an allocation stays what it is: one of constant size, up to a limit.
func onStack(s *tir.Allocate, limit int64) bool {
	n := int64(s.Type.Bytes())
	for _, e := range s.Extents {
		k, ok := tir.AsInt(e)
		if !ok || k > limit {
			return false
		}
		n *= k
		if n > limit {
			return false
		}
	}
	return true
}

// ruleWorkspace is the name of the rule.
const ruleWorkspace = "allocate a workspace"

// onHost reports whether memory is allocated on the CPU, as it is if nothing names a device.
func (l *builtinLowerer) onHost() bool {
	return l.deviceType == nil && l.deviceID == nil || l.deviceType != nil && tir.IsConst(l.deviceType, hostDeviceType)
}

// device returns the type and the number of the device that s is allocated on.
func (l *builtinLowerer) device(s *tir.Allocate) (typ, id tir.Expr) {
	typ, id = l.deviceType, l.deviceID
	if l.onHost() {
		if typ = tir.Int32(hostDeviceType); id == nil {
			id = tir.Int32(0)
		}
	}
	switch {
	case l.err != nil:
	case typ == nil:
		l.err = fmt.Errorf("the allocation of %s: unknown device type, which the target of the function or an annotation %q must say", s.Var.Name, keyDeviceType)
	case id == nil:
		l.err = fmt.Errorf("the allocation of %s: unknown device id, which an annotation %q must say for a device other than the CPU", s.Var.Name, keyDeviceID)
	}
	if l.err != nil {
		return tir.Int32(0), tir.Int32(0)
	}
	return tir.CastTo(dtype.Int32T, typ), tir.CastTo(dtype.Int32T, id)
}

// allocate keeps small constant allocations on the CPU and makes workspaces of others.
func (l *builtinLowerer) allocate(s *tir.Allocate) tir.Stmt {
	host := l.onHost()
	if host && onStack(s, l.stack) {
		l.c.Declined(ruleWorkspace, s, "it has a small constant size: it stays on the stack")
		out := *s
		if out.Body = l.stmt(s.Body); out.Body == s.Body {
			return s
		}
		return &out
	}
	typ, id := l.device(s)
	size := dtype.UInt64T
	if host {
		size = dtype.Int64T
	}
	bytes := tir.Const(size, int64(s.Type.Bytes()))
	for _, e := range s.Extents {
		bytes = tir.Mul(bytes, tir.CastTo(size, e))
	}
	throw := &tir.Evaluate{Base: s.Base, Value: &tir.Call{Base: s.Base, Type: dtype.Int32T, Op: tir.OpThrowLastError}}
	// Where memory runs out, what is open around is freed before the function fails.
	failed := tir.Seq(append(l.freeFrom(0), throw)...)
	if l.devices == nil {
		l.devices = map[*tir.Var][2]tir.Expr{}
	}
	l.open, l.devices[s.Var] = append(l.open, s.Var), [2]tir.Expr{typ, id}
	body := l.stmt(s.Body)
	free := l.freeWorkspace(s.Var)
	l.open = l.open[:len(l.open)-1]
	if host {
		body = tir.Seq(body, free)
	} else { // where freeing may fail
		check := &tir.IfThenElse{Base: s.Base, Cond: tir.NE(free.(*tir.Evaluate).Value, tir.Int32(0)), Then: throw}
		body = insideBuffers(body, check)
	}
	body = tir.Seq(&tir.IfThenElse{Base: s.Base, Cond: isNull(s.Var), Then: failed}, body)
	alloc := &tir.Call{Base: s.Base, Type: dtype.HandleT, Op: tir.OpAllocWorkspace, Args: []tir.Expr{
		typ, id, bytes, tir.Int32(int64(s.Type.Code)), tir.Int32(int64(s.Type.Bits)),
	}}
	out := &tir.LetStmt{Base: s.Base, Var: s.Var, Value: alloc, Body: &tir.AttrStmt{
		Base: s.Base, Node: s.Var, Key: "storage_alignment", Value: tir.Int32(tir.DefaultAlignment), Body: body,
	}}
	l.c.Rewrite(ruleWorkspace, s, out)
	return out
}

// insideBuffers puts free behind body, in the declarations of buffers around it.
func insideBuffers(body, free tir.Stmt) tir.Stmt {
	if d, ok := body.(*tir.DeclBuffer); ok {
		return d.WithBody(insideBuffers(d.Body, free))
	}
	return tir.Seq(body, free)
}

// freeFrom frees the workspaces that were opened after the first n, the last one first.
func (l *builtinLowerer) freeFrom(n int) []tir.Stmt {
	var seq []tir.Stmt
	for i := len(l.open) - 1; i >= n; i-- {
		seq = append(seq, l.freeWorkspace(l.open[i]))
	}
	return seq
}

func (l *builtinLowerer) freeWorkspace(v *tir.Var) tir.Stmt {
	on := l.devices[v]
	return &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpFreeWorkspace, Args: []tir.Expr{on[0], on[1], v}}}
}
