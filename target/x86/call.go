package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/target/codegen"
)

// Intrinsic translates what kernels ask of the host.
func (g *gen) Intrinsic(name string, e *tir.Call, what string) (value, bool) {
	switch name {
	case "":
		g.Fail(what, "native kernels call no other functions")
	case tir.OpThrowLastError.Name:
		g.leave(native.StatusFailed)
		return one(dtype.Int32T, g.i32(0)), true
	case tir.OpAllocWorkspace.Name:
		size := g.ScalarExpr(e.Args[2], what)
		if size.Type == tI32 {
			size = g.Fn(lower.ExtendU, size)
		}
		return one(dtype.HandleT, g.Workspace(size, dtype.UInt8T)), true
	case tir.OpFreeWorkspace.Name:
		return one(dtype.Int32T, g.request(native.StatusFree, "freed", g.ScalarExpr(e.Args[2], what))), true
	}
	return value{}, false
}

// String refuses strings.
func (g *gen) String(string) *node {
	g.Fail("StringImm", "native kernels have no strings")
	return nil
}

// Field is a field of the structs of the calling convention.
func (g *gen) Field(number int64) (lower.Field, bool) {
	f := abi.StructField(number)
	offset, size, ok := f.Offset(abi.PtrBits)
	address := f == abi.KArrAddr
	return lower.Field{Name: f.String(), Offset: int64(offset), Size: size, Struct: int64(f.StructSize(abi.PtrBits)), Address: address}, ok || address
}

// Poll takes a cost in simple operations off the budget.
func (g *gen) Poll(cost float64) {
	g.Add(item{Kind: lower.ItemPoll, Imm: uint64(min(max(cost, 1), abi.PollBudget))})
}

// raised is the item that writes the words of an error.
const raised lower.Ref = 1 << 32

// Raise hands the error of an assertion with up to two numbers to the host and leaves the kernel.
func (g *gen) Raise(s *tir.AssertStmt, bound []tir.Expr) {
	text, fact, values := codegen.FailureOf(s, bound)
	id := g.i64(int64(g.mod.message(abi.Message{Kind: "RuntimeError", Text: text, Fact: fact})))
	facts := g.Facts(values)
	g.Add(item{Kind: lower.ItemCall, Callee: raised, Args: g.Operands(id, facts[0], facts[1])})
	g.leave(native.StatusRaised)
}

// NoMemory leaves the kernel: the host knows that it had no memory.
func (g *gen) NoMemory() { g.leave(native.StatusFailed) }

// leave returns a status.
func (g *gen) leave(status int32) {
	g.Add(item{Kind: lower.ItemReturn, Args: g.Operands(g.i32(status))})
}

// request asks something of the host: its answer goes to a register.
func (g *gen) request(status lower.Ref, name string, args ...*node) *node {
	it := item{Kind: lower.ItemCall, Callee: status, Args: args, HasRes: true, Reg: g.NewReg(name, tI32)}
	g.Add(it)
	return g.Stable(it.Reg, g.Cur, true)
}

// Workspace returns the address of memory, 0 where there is none.
func (g *gen) Workspace(size *node, _ dtype.DType) *node {
	return g.request(native.StatusAlloc, "workspace", size)
}

// FreeWorkspace gives it back.
func (g *gen) FreeWorkspace(ptr *node) { g.request(native.StatusFree, "freed", ptr) }
