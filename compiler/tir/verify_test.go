package tir

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

func testBuffer(name string, dims ...int64) *Buffer {
	var shape []Expr
	for _, d := range dims {
		shape = append(shape, Int(d))
	}
	return NewBuffer(name, dtype.Float32T, shape, "")
}

func testFunc(body Stmt, bufs ...*Buffer) *PrimFunc {
	f := &PrimFunc{Body: body, Buffers: bufs, RetType: ir.VoidType()}
	for _, b := range bufs {
		f.Params = append(f.Params, &Var{Name: b.Name + "_h", Type: &ir.PrimType{DType: dtype.HandleT}})
	}
	return f
}

func TestVerifyFindings(t *testing.T) {
	A, B := testBuffer("A", 4), testBuffer("B", 4, 4)
	i, v := NewVar("i", dtype.Int64T), NewVar("v", dtype.Int64T)
	one := FloatConst(dtype.Float32T, 1)
	loop := func(body Stmt) Stmt { return &For{LoopVar: i, Min: Int(0), Extent: Int(4), Body: body} }
	block := func(body Stmt, values ...Expr) Stmt {
		return loop(&BlockRealize{Values: values, Predicate: Bool(true), Block: &Block{
			Name: "blk", IterVars: []*IterVar{{Dom: &Range{Min: Int(0), Extent: Int(4)}, Var: v}}, Body: body,
		}})
	}
	badRegion := &BlockRealize{Predicate: Bool(true), Block: &Block{
		Name: "r", Body: Store(A, one, Int(0)),
		Writes: []*BufferRegion{{Buffer: A, Region: []*Range{{Min: Int(0), Extent: Int(1)}, {Min: Int(0), Extent: Int(1)}}}},
	}}
	for _, tc := range []struct {
		name string
		body Stmt
		want string // "" is well formed
	}{
		{"good", block(Store(A, one, v), i), ""},
		{"undefined variable", Store(A, one, i), "f: variable i is used but not defined here (in Var)"},
		{"loop variable after its loop", Seq(loop(Store(A, one, i)), Store(A, one, i)), "variable i is used but not defined"},
		{"defined twice", Seq(loop(Store(A, one, i)), loop(Store(A, one, i))), "variable i is defined a second time (in For)"},
		{"nested definition", loop(loop(Store(A, one, i))), "defined again inside its own scope"},
		{"loop variable in a block", block(Store(A, one, i), i), "block blk: loop variable i is used inside a block"},
		{"missing binding", block(Store(A, one, v)), "block blk has 1 iteration variables and 0 bindings (in BlockRealize)"},
		{"binding type", block(Store(A, one, v), CastTo(dtype.Int32T, i)), "binds v of type int64 to a value of type int32"},
		{"region rank", badRegion, "block r: region of buffer A has 2 ranges, the buffer 1 dimensions (in BufferRegion)"},
		{"index count", Store(B, one, Int(0)), "buffer B has 2 dimensions and is accessed with 1 indices (in BufferStore)"},
		{"store type", Store(A, Int(1), Int(0)), "a value of type int64 is stored to buffer A, expected float32"},
		{"operand types", Store(A, NewBinary(OpAdd, one, Int(1)), Int(0)), "operands have types float32 and int64 (in Add)"},
		{"undeclared buffer", Store(testBuffer("C", 4), one, Int(0)), "buffer C is used outside of its scope"},
		{"condition type", &IfThenElse{Cond: Int(1), Then: NoOp()}, "the condition has type int64, expected bool (in IfThenElse)"},
		{"unknown intrinsic", &Evaluate{Value: &Call{Op: ir.NewOp("tir.nope")}}, "calls unknown intrinsic tir.nope"},
		{"loop bounds", &For{LoopVar: NewVar("j", dtype.Int32T), Min: Int(0), Extent: Int(1), Body: NoOp()}, "loop variable j has type int32, but its bounds have int64"},
	} {
		found := Verify("f", testFunc(tc.body, A, B))
		switch {
		case tc.want == "" && len(found) > 0:
			t.Errorf("%s: unexpected %v", tc.name, found)
		case tc.want != "" && (len(found) != 1 || !strings.Contains("f: "+found[0].Message, tc.want)):
			t.Errorf("%s: got %v, want one finding %q", tc.name, found, tc.want)
		}
	}
}

// TestVerifyExtentsOfParameters: a variable is defined by a dimension of its own, before or
// after an expression that uses it, and by nothing else.
func TestVerifyExtentsOfParameters(t *testing.T) {
	n := NewVar("n", dtype.Int64T)
	twice := NewBuffer("A", dtype.Float32T, []Expr{Mul(n, Int(2)), Int(2)}, "")
	plain := NewBuffer("B", dtype.Float32T, []Expr{Int(4), n}, "")
	if found := Verify("f", testFunc(NoOp(), twice, plain)); len(found) > 0 {
		t.Errorf("expression before its variable: %v", found)
	}
	found := Verify("f", testFunc(NoOp(), twice))
	want := "dimension 0 of parameter A uses variable n, which no parameter defines: expected n as a dimension of its own in one of them, or as a parameter"
	if len(found) != 1 || !strings.Contains(found[0].Message, want) {
		t.Errorf("got %v, want one finding %q", found, want)
	}
}

func TestVerifySharedExpressionInTwoScopes(t *testing.T) {
	// The same expression is fine inside its loop and wrong after it.
	A := testBuffer("A", 8)
	i := NewVar("i", dtype.Int64T)
	shared := Add(i, Int(1))
	one := FloatConst(dtype.Float32T, 1)
	body := Seq(&For{LoopVar: i, Min: Int(0), Extent: Int(4), Body: Store(A, one, shared)}, Store(A, one, shared))
	if found := Verify("f", testFunc(body, A)); len(found) != 1 {
		t.Fatalf("got %v", found)
	}
}

func TestVerifyIsLinearInSharing(t *testing.T) {
	A := testBuffer("A", 8)
	e := Expr(Load(A, Int(0)))
	for range 60 {
		e = NewBinary(OpAdd, e, e)
	}
	if found := Verify("f", testFunc(Store(A, e, Int(0)), A)); len(found) != 0 {
		t.Fatalf("got %v", found)
	}
}
