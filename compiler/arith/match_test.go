package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// readFrom is a tensor that a ProducerLoad reads.
type readFrom struct {
	ir.Base
	name string
}

func (p *readFrom) ProducerName() string       { return p.name }
func (p *readFrom) ProducerDType() dtype.DType { return dtype.Int32T }
func (p *readFrom) ProducerShape() []tir.Expr  { return nil }
func (p *readFrom) EachChild(func(ir.Node))    {}
func (p *readFrom) Meta() ir.Base              { return p.Base }

// TestEqualCallees compares loads and calls that differ in what they read or call.
func TestEqualCallees(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int32T), tir.NewVar("y", dtype.Int32T)
	shift, again := *tir.OpShiftLeft, *tir.OpShiftLeft
	call := func(op ir.Callee, args ...tir.Expr) tir.Expr {
		return &tir.Call{Type: dtype.Int32T, Op: op, Args: args}
	}
	for _, c := range []struct {
		what string
		a, b tir.Expr
		want bool
	}{
		{"two copies of an operator", call(&shift, x, y), call(&again, x, y), true},
		{"two operators", call(tir.OpShiftLeft, x, y), call(tir.OpShiftRight, x, y), false},
		{"an operator and a function", call(tir.OpShiftLeft, x), call(opaque, x), false},
		{"a function and an operator", call(opaque, x), call(tir.OpShiftLeft, x), false},
		{"calls of a function", call(opaque, x), call(opaque, x), false},
		{"operators and arguments", call(tir.OpShiftLeft, x, y), call(tir.OpShiftLeft, y, x), false},
		{"a variable and nothing", x, nil, false},
		{"nothing and a variable", nil, x, false},
	} {
		if got := Equal(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	same := call(opaque, x)
	if !Equal(same, same) {
		t.Error("a call is not itself")
	}
	// Comparing ends where it has looked at too many nodes that are two.
	const equalBudget = 1 << 12
	a, b := tir.Expr(x), tir.Expr(x)
	for range equalBudget {
		a, b = tir.NewBinary(tir.OpAdd, a, y), tir.NewBinary(tir.OpAdd, b, y)
	}
	if !Equal(a, b) {
		t.Errorf("expressions with %d operations are not compared", equalBudget)
	}
	a, b = tir.NewBinary(tir.OpAdd, a, y), tir.NewBinary(tir.OpAdd, b, y)
	if Equal(a, b) || !Equal(a, a) {
		t.Errorf("expressions with %d operations are compared", equalBudget+1)
	}
}

// TestHashes checks that the hash tells apart what differs near the top, and is cheap for what is large.
func TestHashes(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int32T), tir.NewVar("y", dtype.Int32T)
	b := func(op tir.BinaryOp, a, b tir.Expr) tir.Expr { return tir.NewBinary(op, a, b) }
	cast := func(e tir.Expr) tir.Expr { return &tir.Cast{Type: dtype.Int64T, Value: e} }
	all := []tir.Expr{
		x, y, tir.Int32(3), tir.Int32(4), b(tir.OpAdd, x, y), b(tir.OpAdd, y, x), b(tir.OpSub, x, y), b(tir.OpAdd, x, tir.Int32(3)), b(tir.OpAdd, x, tir.Int32(4)),
		cast(x), cast(y), cast(tir.Int32(3)), b(tir.OpAdd, cast(x), y), b(tir.OpAdd, x, cast(y)), cast(cast(x)), tir.LogicalNot(b(tir.OpLT, x, y)),
	}
	at := map[uint64]tir.Expr{}
	for _, e := range all {
		if o, ok := at[hashOf(e)]; ok {
			t.Errorf("%s and %s have one hash", show(e), show(o))
		}
		at[hashOf(e)] = e
	}
	// Beyond the first nodes, which are those on the right, differences do not count.
	far := func(e tir.Expr, n int) tir.Expr {
		for range n {
			e = b(tir.OpAdd, e, tir.Int32(1))
		}
		return e
	}
	if hashOf(far(x, 31)) == hashOf(far(y, 31)) {
		t.Error("a difference in the 63rd node is not seen")
	}
	if hashOf(far(x, 32)) != hashOf(far(y, 32)) {
		t.Error("a difference in the 65th node is seen")
	}
	if hashOf(nil) != hashOf(&tir.FloatImm{Type: dtype.Float32T, Value: 1}) {
		t.Error("a number is looked into")
	}
}

// TestSideEffects checks the strongest effect in an expression, wherever it is.
func TestSideEffects(t *testing.T) {
	x := tir.NewVar("x", dtype.Int32T)
	buf := tir.NewBuffer("b", dtype.Int32T, []tir.Expr{tir.Int32(8)}, "")
	load := tir.Load(buf, x)
	call := opaqueCall(dtype.Int32T)
	add := func(a, b tir.Expr) tir.Expr { return tir.NewBinary(tir.OpAdd, a, b) }
	for _, c := range []struct {
		e    tir.Expr
		want tir.Effect
	}{
		{x, tir.Pure},
		{add(x, x), tir.Pure},
		{tir.NewCall(tir.OpLikely, x), tir.Pure},
		{load, tir.ReadState},
		{add(load, x), tir.ReadState},
		{add(x, load), tir.ReadState},
		{tir.Load(buf, load), tir.ReadState},
		{tir.NewCall(tir.OpLikely, load), tir.ReadState},
		{call, tir.OpaqueCall},
		{add(load, call), tir.OpaqueCall},
		{add(call, load), tir.OpaqueCall},
		{tir.Load(buf, call), tir.OpaqueCall},
		{&tir.Cast{Type: dtype.Int64T, Value: call}, tir.OpaqueCall},
		{&tir.ProducerLoad{Producer: &readFrom{name: "t"}, Indices: []tir.Expr{x}}, tir.ReadState},
	} {
		if got := SideEffect(c.e); got != c.want {
			t.Errorf("%s has effect %v, want %v", show(c.e), got, c.want)
		}
	}
	p, q := &readFrom{name: "p"}, &readFrom{name: "q"}
	y := tir.NewVar("y", dtype.Int32T)
	read := func(p tir.Producer, i tir.Expr) tir.Expr {
		return &tir.ProducerLoad{Producer: p, Indices: []tir.Expr{i}}
	}
	if !Equal(read(p, x), read(p, x)) || Equal(read(p, x), read(q, x)) || Equal(read(p, x), read(p, y)) || Equal(read(p, x), x) || Equal(x, read(p, x)) {
		t.Error("loads are compared by producer and indices")
	}
	asked := 0
	if !UsesVar(add(y, add(x, x)), func(v *tir.Var) bool { asked++; return v == x }) || asked != 2 {
		t.Errorf("%d variables were looked at", asked)
	}
	if UsesVar(tir.Int32(3), func(*tir.Var) bool { return true }) || UsesVar(x, func(*tir.Var) bool { return false }) {
		t.Error("a variable is used that is not there")
	}
}

// TestMatchers checks the small matchers of the rules.
func TestMatchers(t *testing.T) {
	x := tir.NewVar("x", dtype.Int32T)
	for e, want := range map[tir.Expr]bool{tir.Int32(4): true, tir.Int32(5): false, tir.FloatConst(dtype.Float32T, 4): false, x: false} {
		if isCst(e, 4) != want {
			t.Errorf("%s is 4: %v", show(e), !want)
		}
	}
	for s, want := range map[string]bool{
		"int32": true, "int64": true, "int8": false, "int16": false, "uint32": false, "uint64": false, "bool": false, "float32": false, "float64": false, "int32x4": false, "int64x2": false, "handle": false,
	} {
		if isIndex(dtype.MustParse(s)) != want {
			t.Errorf("%s is an index: %v", s, !want)
		}
	}
	for _, c := range []struct {
		e    tir.Expr
		want bool
	}{
		{tir.NewBinary(tir.OpAdd, x, tir.Int32(4)), true},
		{tir.NewBinary(tir.OpAdd, tir.Int32(4), x), false},
		{tir.NewBinary(tir.OpSub, x, tir.Int32(4)), false},
		{tir.NewBinary(tir.OpAdd, x, x), false},
		{x, false},
	} {
		y, k, ok := opConst(c.e, tir.OpAdd)
		if ok != c.want || ok && (y != tir.Expr(x) || k != 4) || !ok && (y != nil || k != 0) {
			t.Errorf("%s is %s + %d: %v", show(c.e), show(y), k, ok)
		}
	}
	f := tir.NewVar("f", dtype.Float32T)
	if !total(tir.NewBinary(tir.OpLT, x, x)) || total(tir.NewBinary(tir.OpLT, f, f)) || total(tir.NewBinary(tir.OpLT, tir.NewBinary(tir.OpAdd, f, f), f)) {
		t.Error("floats are ordered totally, or integers are not")
	}
	if bin(x) != noBin || bin(nil) != noBin {
		t.Error("a variable is an operation")
	}
	for _, op := range allOps {
		if noBin.Op == op {
			t.Errorf("nothing is %v", op)
		}
	}
}
