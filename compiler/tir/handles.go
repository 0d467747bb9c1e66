package tir

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
)

// VerifyHandles checks that the PrimFuncs of m take the addresses that they use from
// parameters and allocations, and returns what makes one of anything else: of an integer, of
// another address, or of what stands in memory. Such a handle may point anywhere, and no check
// of bounds finds it. A workspace of the runtime is an allocation if a variable is bound to it, and is freed by this variable. Passes make such handles when they lower functions to the packed calling
// convention, so packed functions, and private ones beside them, are passed over: this check is
// for what people write above that, in a text, a file or a script. only, unless nil, names the
// functions to look at.
func VerifyHandles(m *ir.Module, only func(name string) bool) []ir.Diagnostic {
	var found []ir.Diagnostic
	lowered := false
	for _, fn := range m.Funcs() {
		f, ok := fn.(*PrimFunc)
		lowered = lowered || ok && isPacked(f)
	}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*PrimFunc)
		if !ok || f.Body == nil || isPacked(f) || lowered && ir.GlobalSymbol(f) == "" {
			continue
		}
		if only == nil || only(gv.Name) {
			h := &handles{fn: gv.Name, seen: map[Expr]bool{}, workspaces: map[*Var]bool{}}
			h.stmt(f.Body)
			found = append(found, h.found...)
		}
	}
	return found
}

// isPacked reports whether MakePackedAPI has been at f.
func isPacked(f *PrimFunc) bool {
	if f.Attrs.Int(ir.AttrCallingConv, 0) != 0 {
		return true
	}
	if len(f.Params) != 4 {
		return false
	}
	d := func(k int) bool { return f.Params[k].DType().IsHandle() }
	return d(0) && d(1) && !d(2) && d(3) && f.Buffers[0] == nil && f.Buffers[1] == nil && f.Buffers[3] == nil
}

// loweredOps work on the structs of the packed calling convention, or on bare addresses.
var loweredOps = map[string]bool{
	OpStructGet.Name: true, OpStructSet.Name: true, OpStackAlloca.Name: true, OpStackMakeShape.Name: true, OpStackMakeArray.Name: true,
	OpCallPackedLowered.Name: true, OpCallCPackedLowered.Name: true, OpAllocWorkspace.Name: true, OpFreeWorkspace.Name: true,
	"tir.handle_add_byte_offset": true,
}

type handles struct {
	fn    string
	found []ir.Diagnostic
	seen  map[Expr]bool
	// workspaces are the variables bound to memory of the runtime, which are allocations like those of Allocate.
	workspaces map[*Var]bool
}

func (h *handles) report(n ir.Node, format string, args ...any) {
	if len(h.found) >= maxFindings {
		return
	}
	h.found = append(h.found, ir.Diagnostic{
		Severity: ir.Error, Func: h.fn, Message: fmt.Sprintf(format, args...), Span: n.Meta().Span, Origin: n.Meta().Origin,
		Help: "a handle comes from a parameter or an allocation: declare a buffer over the data of another, as T.decl_buffer(..., data=A.data, elem_offset=...)",
	})
}

func (h *handles) stmt(s Stmt) {
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *LetStmt:
			h.bound(n.Var, n.Value)
			if c, ok := IsCallTo(n.Value, OpAllocWorkspace); ok {
				h.workspaces[n.Var] = true
				h.children(c)
				h.stmt(n.Body)
				return false
			}
		case *Evaluate:
			if c, ok := n.Value.(*Call); ok { // its result is dropped
				h.call(c)
				return false
			}
		case *AttrStmt:
			if isNull(n.Value) { // of the kind reduce_scope: nothing reads it
				h.stmt(n.Body)
				return false
			}
		case Expr:
			h.expr(n)
			return false
		}
		return true
	})
}

// bound checks what a variable that may be the data of a buffer is bound to.
func (h *handles) bound(v *Var, value Expr) {
	if c, ok := IsCallTo(value, OpAddressOf); ok && v.DType().IsHandle() {
		h.report(c, "handle %s points into a buffer, but nothing says how far: T.address_of is for arguments of calls", v.Name)
	}
}

// expr checks an expression whose value is used.
func (h *handles) expr(e Expr) {
	if h.seen[e] {
		return
	}
	h.seen[e] = true
	switch e := e.(type) {
	case *Var, *StringImm, *IntImm, *FloatImm:
		return
	case *Cast:
		if e.Type.IsHandle() || e.Value.DType().IsHandle() {
			h.report(e, "a cast from %s to %s: an address is not a number", e.Value.DType(), e.Type)
			return
		}
	case *Let:
		h.bound(e.Var, e.Value)
	case *Call:
		op, ok := e.Op.(*ir.Op)
		known := ok && (op.Name == OpAddressOf.Name || op.Name == OpAccessPtr.Name || op.Name == "tir.tvm_thread_context") // the last is its argument, marked
		if h.call(e) && e.Type.IsHandle() && !known {
			h.report(e, "%s makes a handle that belongs to no buffer", calleeOf(e))
		}
		return
	case *BufferLoad:
		if e.Buffer.DType.IsHandle() {
			h.report(e, "a handle is read from buffer %s: what memory contains may be any number", e.Buffer.Name)
		}
	default:
		if e.DType().IsHandle() {
			h.report(e, "%s makes a handle", kindOf(e))
			return
		}
	}
	h.children(e)
}

// call checks a call and its arguments, and reports whether nothing is wrong with its operator.
func (h *handles) call(e *Call) bool {
	op, ok := e.Op.(*ir.Op)
	if ok && op.Name == OpFreeWorkspace.Name && len(e.Args) == 3 {
		if v, named := e.Args[2].(*Var); named && h.workspaces[v] {
			h.children(e)
			return true
		}
	}
	switch {
	case ok && loweredOps[op.Name]:
		h.report(e, "%s is for lowered functions: passes make it when they lower a function to the packed calling convention", calleeOf(e))
		return false
	case ok && op.Name == OpReinterpret.Name && len(e.Args) == 1 && (e.Type.IsHandle() || e.Args[0].DType().IsHandle()):
		h.report(e, "%s from %s to %s: an address is not a number", calleeOf(e), e.Args[0].DType(), e.Type)
		return false
	}
	if ok && op.Name == OpThreadAllreduce.Name {
		h.childrenBut(e, isNull) // the handle of a reduction that needs none
		return true
	}
	h.children(e)
	return true
}

// isNull reports whether e is the address of no buffer.
func isNull(e Expr) bool {
	c, ok := IsCallTo(e, OpReinterpret)
	return ok && c.Type.IsHandle() && IsConst(c.Args[0], 0)
}

func (h *handles) children(n ir.Node) { h.childrenBut(n, func(Expr) bool { return false }) }

// childrenBut checks the children of n for which skip is false.
func (h *handles) childrenBut(n ir.Node, skip func(Expr) bool) {
	n.EachChild(func(c ir.Node) {
		if x, ok := c.(Expr); ok && !skip(x) {
			h.expr(x)
		}
	})
}

// calleeOf is how a text spells what e calls.
func calleeOf(e *Call) string {
	if op, ok := e.Op.(*ir.Op); ok {
		return "T." + op.Name[len("tir."):]
	}
	return e.Op.CalleeName()
}
