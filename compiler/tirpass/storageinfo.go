package tirpass

import (
	"cmp"
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// LowerDeviceStorageAccessInfo replaces what the code generator does not know of special memory.
var LowerDeviceStorageAccessInfo = &pass.Pass{
	Name: "tir.LowerDeviceStorageAccessInfo", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Replaces allocations in special memory, whose scope has a tag such as global.vtcm, by the address at which it begins, or drops them where the memory has no addresses, and pointers into buffers by addresses of elements.",
	Options: []pass.Option{{
		Name: "memory_info", Default: ir.NewAttrs(),
		Doc: `what special memory is like, by scope: {"global.vtcm": {"unit_bits": 8, "head_address": "function that returns its address"}}; without head_address it has no addresses`,
	}},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		table, err := memoryInfos(c.Arg("memory_info").(*ir.Attrs))
		if err != nil {
			return nil, err
		}
		l := &storageInfoLower{c: c, an: arith.Bounded(c.Budget()), table: table, of: map[*tir.Var]*memoryInfo{}}
		l.m.Stmt, l.m.Expr = l.stmt, l.expr
		body := l.stmt(f.Body)
		if l.err != nil {
			return nil, l.err
		}
		return f.WithBody(body), nil
	}),
}

// memoryInfo says what the memory of a scope is like.
type memoryInfo struct {
	unitBits int64
	head     string // the function that returns its address, "" if it has none
}

func memoryInfos(table *ir.Attrs) (map[string]*memoryInfo, error) {
	out := map[string]*memoryInfo{}
	for i := range table.Len() {
		scope, v := table.At(i)
		fields, ok := v.(*ir.Attrs)
		if !ok {
			return nil, fmt.Errorf("option memory_info: %s: expected a dictionary with unit_bits and head_address, got %v", scope, v)
		}
		info := &memoryInfo{unitBits: fields.Int("unit_bits", 8), head: fields.Str("head_address", "")}
		if info.unitBits <= 0 {
			return nil, fmt.Errorf("option memory_info: %s: unit_bits must be positive, got %d", scope, info.unitBits)
		}
		for j := range fields.Len() {
			if key, _ := fields.At(j); key != "unit_bits" && key != "head_address" {
				return nil, fmt.Errorf("option memory_info: %s: unknown field %s: known are unit_bits and head_address", scope, key)
			}
		}
		out[scope] = info
	}
	return out, nil
}

type storageInfoLower struct {
	c     *pass.Context
	m     tir.Mapper
	an    *arith.Analyzer
	table map[string]*memoryInfo
	of    map[*tir.Var]*memoryInfo
	err   error
}

func (l *storageInfoLower) fail(format string, args ...any) {
	l.err = cmp.Or(l.err, fmt.Errorf(format, args...))
}

func (l *storageInfoLower) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Allocate:
		scope := scopeOf(s.Var)
		_, tag, err := splitScope(scope)
		if err != nil {
			l.err = cmp.Or(l.err, err)
			return s
		}
		if tag == "" || tag == ".dyn" {
			break
		}
		info := l.table[scope]
		if info == nil {
			l.fail("Cannot find memory info of %s: name it in the option memory_info", scope)
			return s
		}
		if l.of[s.Var] != nil {
			l.fail("Double allocation of %s: %s is allocated twice", scope, s.Var.Name)
			return s
		}
		l.of[s.Var] = info
		body := l.stmt(s.Body)
		if info.head == "" {
			l.c.Rewrite("drop an allocation of memory without addresses", s, nil)
			return body
		}
		address := &tir.Call{Base: s.Base, Type: dtype.HandleT, Op: tir.OpCallExtern, Args: []tir.Expr{&tir.StringImm{Value: info.head}}}
		out := &tir.LetStmt{Base: s.Base, Var: s.Var, Value: address, Body: body}
		l.c.Rewrite("take the address of special memory", s, out)
		return out
	case *tir.DeclBuffer:
		if info := l.of[s.Buffer.Data]; info != nil && info.head == "" {
			return l.stmt(s.Body)
		}
	}
	return l.m.MapStmt(s)
}

func (l *storageInfoLower) expr(e tir.Expr) tir.Expr {
	e = l.m.MapExpr(e)
	call, ok := tir.IsCallTo(e, tir.OpAccessPtr)
	if !ok {
		return e
	}
	v, ok := call.Args[1].(*tir.Var)
	if !ok || len(call.Args) != 5 {
		l.fail("T.tvm_access_ptr must have 5 arguments, of which the second is the data of a buffer")
		return e
	}
	elem, offset := call.Args[0].DType(), call.Args[2]
	info := l.of[v]
	var out tir.Expr
	switch {
	case call.Type.IsHandle():
		if info != nil && info.head == "" {
			l.fail("%s is not adddressable.: its scope %s has no head_address in the option memory_info", v.Name, scopeOf(v))
			return e
		}
		out = addressOffset(call.Base, v, elem, offset)
	case info == nil:
		l.fail("T.tvm_access_ptr of %s must be a handle, it is %s", v.Name, call.Type)
		return e
	default:
		bits := int64(elem.Bits) * max(int64(elem.Lanes), 1)
		if info.unitBits%bits != 0 {
			l.fail("a unit of %s has %d bits, which elements of %s do not fill", scopeOf(v), info.unitBits, elem)
			return e
		}
		out = tir.CastTo(call.Type, l.an.Simplify(tir.Div(offset, tir.Const(offset.DType(), info.unitBits/bits))))
	}
	l.c.Rewrite("turn a pointer into an address", call, out)
	return out
}

// addressOffset is the address of the element at an offset of memory, which may be counted in vectors.
func addressOffset(base ir.Base, v *tir.Var, elem dtype.DType, offset tir.Expr) tir.Expr {
	if n := int64(elem.Lanes); n > 1 {
		offset = tir.Mul(offset, tir.Const(offset.DType(), n))
		offset = &tir.Ramp{Base: base, Start: offset, Stride: tir.Const(offset.DType(), 1), Lanes: int(n)}
		elem = elem.WithLanes(1)
	}
	shape := tir.Expr(tir.Int32(0))
	if !offset.DType().IsInt() || offset.DType().Lanes <= 1 {
		shape = tir.Add(offset, tir.Const(offset.DType(), 1))
	}
	b := &tir.Buffer{Base: base, Data: v, DType: elem, Shape: []tir.Expr{shape}, Name: v.Name, DataAlignment: tir.DefaultAlignment, OffsetFactor: 1}
	load := &tir.BufferLoad{Base: base, Buffer: b, Indices: []tir.Expr{offset}}
	return &tir.Call{Base: base, Type: dtype.HandleT, Op: tir.OpAddressOf, Args: []tir.Expr{load}}
}
