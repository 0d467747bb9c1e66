package vmcodegen_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/vmcodegen"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/vm"
)

var (
	info = relax.StaticTensor(dtype.Float32T, 2)
	x    = &relax.Var{Name: "x", SInfo: info}
)

// function returns main with one binding y = value.
func function(value relax.Expr, dataflow bool) *relax.Function {
	y := &relax.Var{Name: "y", SInfo: info}
	b := &relax.BindingBlock{Dataflow: dataflow, Bindings: []relax.Binding{&relax.VarBinding{Var: y, Value: value}}}
	return &relax.Function{Params: []*relax.Var{x}, Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{b}, Body: y}, Ret: info}
}

func call(op string, args ...relax.Expr) *relax.Call {
	return &relax.Call{Op: ir.NewOp("relax." + op), Args: args, SInfo: info}
}

func TestUnlowered(t *testing.T) {
	n := tir.NewVar("n", dtype.Int64T)
	cast := function(x, false)
	cast.Body.Blocks[0].Bindings[0] = &relax.MatchCast{Var: cast.Body.Body.(*relax.Var), Value: x, SInfo: info}
	for name, tt := range map[string]struct {
		f    *relax.Function
		help string
	}{
		"a dataflow block":             {function(x, true), "ToNonDataflow"},
		"operator relax.call_tir":      {function(call("call_tir", ir.NewGlobalVar("k"), x), false), "CallTIRRewrite"},
		"operator relax.nn.relu":       {function(call("nn.relu", x), false), "LegalizeOps"},
		"operator relax.reshape":       {function(call("reshape", x), false), "LowerRuntimeBuiltin"},
		"operator relax.shape_of":      {function(call("shape_of", x), false), "LowerRuntimeBuiltin"},
		"operator relax.builtin.alloc": {function(call("builtin.alloc_tensor"), false), "LowerAllocTensor"},
		"operator relax.memory.alloc":  {function(call("memory.alloc_storage"), false), "LowerRuntimeBuiltin"},
		"operator relax.call_pure":     {function(call("call_pure_packed", x), false), "RemovePurityChecking"},
		"match_cast to":                {cast, "VMShapeLower"},
		"the symbolic shape":           {function(&relax.ShapeExpr{Values: []tir.Expr{n}}, false), "VMShapeLower"},
		"the scalar n":                 {function(&relax.PrimValue{Value: n}, false), "ComputePrimValue"},
		"a local function":             {function(function(x, false), false), "LambdaLift"},
	} {
		err := vmcodegen.Build(ir.NewModule().With("main", tt.f), vm.NewBuilder())
		var u *vmcodegen.Unlowered
		if !errors.As(err, &u) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		for _, part := range []string{"function main", name, "was not lowered", "run ", tt.help} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %q lacks %q", name, err, part)
			}
		}
		if u.Func != "main" || name != "a dataflow block" && u.Var != "y" {
			t.Errorf("%s: it happened in %q, %q", name, u.Func, u.Var)
		}
	}
}

func TestBuild(t *testing.T) {
	branch := func(e relax.Expr) *relax.SeqExpr { return &relax.SeqExpr{Body: e} }
	c := &relax.Constant{Data: ir.Float32Blob([]int64{2}, 1, 2)}
	kill := &relax.Call{Op: ir.NewOp("relax.vm.kill_object"), Args: []relax.Expr{x}, SInfo: &relax.TupleStructInfo{}}
	for name, e := range map[string]relax.Expr{
		"if":       &relax.If{Cond: x, Then: branch(x), Else: branch(c)},
		"constant": c, "tuple": &relax.Tuple{Fields: []relax.Expr{x, c}}, "field": &relax.TupleGetItem{Tuple: x, Index: 0},
		"shape": &relax.ShapeExpr{Values: relax.Ints([]int64{2, 3})}, "float": &relax.PrimValue{Value: tir.FloatConst(dtype.Float32T, 2)},
		"call": &relax.Call{Op: ir.NewGlobalVar("main"), Args: []relax.Expr{x}}, "packed": &relax.Call{Op: &relax.ExternFunc{Symbol: "f"}, Args: []relax.Expr{x}},
		"closure": &relax.Call{Op: x, Args: []relax.Expr{c}}, "kill": kill,
		"builtin": call("call_builtin_with_ctx", &relax.ExternFunc{Symbol: "vm.builtin.alloc_shape_heap"}, &relax.Tuple{Fields: []relax.Expr{&relax.PrimValue{Value: tir.Int(2)}}}),
	} {
		b := vm.NewBuilder()
		if err := vmcodegen.Build(ir.NewModule().With("main", function(e, false)), b); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "kill" {
			continue // its variable has no value, so returning it is not valid
		}
		if _, err := b.Build(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
