package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// InjectPTXAsyncCopy makes copies of an async_scope instructions of the GPU that copy while threads go on.
var InjectPTXAsyncCopy = &pass.Pass{
	Name: "tir.InjectPTXAsyncCopy", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Replaces copies from global to shared memory of 4, 8, or 16 bytes, in the body of an attribute async_scope, by ptx_cp_async, and removes the attribute. A copy under if_then_else with 0 elsewhere becomes one with a predicate.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		p := &asyncCopies{c: c}
		p.m.Stmt = p.stmt
		body := p.stmt(f.Body)
		if p.err != nil {
			return nil, p.err
		}
		return f.WithBody(body), nil
	}),
}

// attrAsyncScope marks statements that may run while the thread goes on.
const attrAsyncScope = "async_scope"

var opCpAsync = tir.LookupBuiltin("tir.ptx_cp_async").Op

type asyncCopies struct {
	c      *pass.Context
	m      tir.Mapper
	inside bool
	err    error
}

func (p *asyncCopies) stmt(s tir.Stmt) tir.Stmt {
	if p.err != nil {
		return s
	}
	switch s := s.(type) {
	case *tir.AttrStmt:
		if s.Key != attrAsyncScope {
			break
		}
		if p.inside {
			//lint:ignore ST1005 as TVM says it
			p.err = fmt.Errorf("Nested async scopes not supported: an attribute %s is in the body of another", attrAsyncScope)
			return s
		}
		p.inside = true
		body := p.stmt(s.Body)
		p.inside = false
		p.c.Rewrite("remove an async scope", s, body)
		return body
	case *tir.BufferStore:
		if scope := s.Buffer.Scope(); !p.inside || scope != "shared" && scope != "shared.dyn" {
			return s
		}
		out, why := p.copy(s)
		if out == nil {
			if why != "" {
				p.c.Declined("copy asynchronously", s, why)
			}
			return s
		}
		p.c.Rewrite("copy asynchronously", s, out)
		return out
	}
	return p.m.MapStmt(s)
}

// copy returns the instruction that does what s does, or why there is none.
func (p *asyncCopies) copy(s *tir.BufferStore) (out tir.Stmt, why string) {
	value := s.Value
	var cond tir.Expr
	if call, ok := tir.IsCallTo(value, tir.OpIfThenElse); ok && len(call.Args) == 3 {
		if !isFloatZero(call.Args[2]) {
			return nil, "its value elsewhere is not 0.0, which is what the instruction writes"
		}
		cond, value = call.Args[0], call.Args[1]
	}
	load, ok := value.(*tir.BufferLoad)
	switch {
	case !ok:
		return nil, "what it stores is computed: the instruction only copies"
	case load.Buffer.Scope() != "global":
		return nil, "what it copies is in " + load.Buffer.Scope() + " memory: the instruction copies from global memory"
	case load.Predicate != nil || s.Predicate != nil:
		return nil, "it has a predicate for lanes"
	case len(load.Indices) != 1 || len(s.Indices) != 1:
		p.err = fmt.Errorf("the copy from %s to %s has more than one index: run tir.FlattenBuffer first", load.Buffer.Name, s.Buffer.Name)
		return nil, ""
	case load.Indices[0].DType().Lanes != s.Indices[0].DType().Lanes:
		p.err = fmt.Errorf("the copy from %s to %s reads %d elements and writes %d", load.Buffer.Name, s.Buffer.Name, load.Indices[0].DType().Lanes, s.Indices[0].DType().Lanes)
		return nil, ""
	}
	elem := load.Buffer.DType
	bytes := int64(max(1, load.Indices[0].DType().Lanes)) * int64(bytesOf(elem))
	if bytes != 4 && bytes != 8 && bytes != 16 {
		return nil, fmt.Sprintf("it copies %d bytes: the instruction copies 4, 8, or 16", bytes)
	}
	src, dst := startOf(load.Indices[0]), startOf(s.Indices[0])
	if src == nil || dst == nil {
		return nil, "its elements do not follow each other in memory"
	}
	from, to := pointedElem(load.Buffer), pointedElem(s.Buffer)
	if from != to {
		if s.Buffer.Scope() != "shared.dyn" || to.Bits != 8 || !to.IsUInt() {
			return nil, fmt.Sprintf("it copies %s to %s", from, to)
		}
		// Of merged shared memory, whose elements are bytes; the index counts elements of what is copied.
		dst = tir.Mul(dst, tir.Const(dst.DType(), int64(bytesOf(from))))
	}
	args := []tir.Expr{s.Buffer.Data, dst, load.Buffer.Data, src, tir.Int32(bytes)}
	if cond != nil {
		args = append(args, cond)
	}
	return &tir.Evaluate{Base: s.Base, Value: &tir.Call{Base: s.Base, Type: s.Buffer.DType, Op: opCpAsync, Args: args}}, ""
}

// pointedElem is the type of the elements that the memory of b holds.
func pointedElem(b *tir.Buffer) dtype.DType {
	if p, ok := b.Data.Type.(*ir.PointerType); ok {
		return ir.TypeDType(p.Elem)
	}
	return b.DType
}

// isFloatZero tells whether e is 0.0, or a vector of it.
func isFloatZero(e tir.Expr) bool {
	if b, ok := e.(*tir.Broadcast); ok {
		e = b.Value
	}
	f, ok := e.(*tir.FloatImm)
	return ok && f.Value == 0
}

// startOf returns the first of the elements at index e, which have to follow each other; nil if they do not.
func startOf(e tir.Expr) tir.Expr {
	if e.DType().IsScalar() {
		return e
	}
	if add, ok := e.(*tir.Binary); ok && add.Op == tir.OpAdd {
		if b, ok := add.B.(*tir.Broadcast); ok {
			if start := startOf(add.A); start != nil {
				return tir.Add(start, b.Value)
			}
		}
		return nil
	}
	start, ok := baseOf(e)
	if !ok {
		return nil
	}
	return start
}
