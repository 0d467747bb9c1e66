package script_test

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// graphSamples holds every kind of graph-level expression, binding and struct info.
func graphSamples() []sample {
	t4 := relax.StaticTensor(f32, 4)
	op := func(name string, attrs *ir.Attrs, args ...relax.Expr) *relax.Call {
		return &relax.Call{Op: ir.NewOp("relax." + name), Args: args, Attrs: attrs, SInfo: t4}
	}
	gv := func(n string) *ir.GlobalVar { return ir.NewGlobalVar(n) }
	tup := func(f ...relax.Expr) *relax.Tuple { return &relax.Tuple{Fields: f} }
	tir1 := op("call_tir", nil, gv("k"), tup(rx))
	tir1.SInfoArgs = []relax.StructInfo{t4}
	tir2 := op("call_tir", nil, gv("k"), tup(rx, ry), &relax.ShapeExpr{Values: []tir.Expr{symN}})
	tir2.SInfoArgs = []relax.StructInfo{&relax.TupleStructInfo{Fields: []relax.StructInfo{t4, t4}}}
	inplace := op("call_tir_inplace", ir.NewAttrs("inplace_indices", []int{0}), gv("k"), tup(rx))
	inplace.SInfoArgs = tir1.SInfoArgs
	dps := op("call_dps_packed", nil, &relax.ExternFunc{Symbol: "f"}, tup(rx))
	dps.SInfoArgs = tir1.SInfoArgs
	packed := &relax.Call{Op: &relax.ExternFunc{Symbol: "f"}, Args: []relax.Expr{rx}, SInfoArgs: []relax.StructInfo{t4, relax.Object()}}
	ctx := op("call_builtin_with_ctx", nil, &relax.ExternFunc{Symbol: "vm.builtin.x"}, tup())
	ctx.SInfoArgs = []relax.StructInfo{&relax.TupleStructInfo{}}
	fn := func(pure bool) *relax.Function {
		p := &relax.Var{Name: "p", SInfo: t4}
		return &relax.Function{Params: []*relax.Var{p}, Body: &relax.SeqExpr{Body: p}, Ret: t4, Pure: pure}
	}
	bind := func(v *relax.Var, e relax.Expr) *relax.VarBinding { return &relax.VarBinding{Var: v, Value: e} }
	v := func(name string, s relax.StructInfo) *relax.Var { return &relax.Var{Name: name, SInfo: s} }
	local := &relax.Var{Name: "lv", SInfo: t4, Dataflow: true}
	out := v("gv", t4)
	flow := &relax.BindingBlock{Dataflow: true, Bindings: []relax.Binding{bind(local, op("nn.relu", nil, rx)), bind(out, op("add", nil, local, local))}}
	branch := func(n string) *relax.SeqExpr {
		w := v(n, t4)
		return &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{bind(w, op("nn.relu", nil, rx))}}}, Body: w}
	}
	m := tir.NewVar("m", i64)
	callable := &relax.FuncStructInfo{Params: []relax.StructInfo{t4}, Ret: t4, Pure: true}
	vdev := &relax.VDevice{Target: "llvm", ID: 0, Scope: "global"}
	mesh := &relax.DeviceMesh{Shape: []int64{2, 1}, IDs: []int64{0, 1}, Ranged: true}
	onDevice := relax.StaticTensor(f32, 4)
	onDevice.VDevice = vdev
	return []sample{
		{"rVar", rx},
		{"GlobalVar", gv("f")},
		{"Op", ir.NewOp("relax.nn.relu")},
		{"rCall", op("nn.conv2d", ir.NewAttrs("data_layout", "NCHW", "groups", 1, "out_dtype", nil, "padding", []int{1, 1}, "flag", true, "dt", f32, "scale", 0.5), rx, ry)},
		{"rCall/call_tir", tir1},
		{"rCall/call_tir_outputs", tir2},
		{"rCall/inplace", inplace},
		{"rCall/dps", dps},
		{"rCall/packed", packed},
		{"rCall/builtin", ctx},
		{"rCall/function", &relax.Call{Op: gv("f"), Args: []relax.Expr{rx}}},
		{"Tuple", tup(rx, ry)},
		{"Tuple/one", tup(rx)},
		{"Tuple/empty", tup()},
		{"TupleGetItem", &relax.TupleGetItem{Tuple: rx, Index: 1}},
		{"ShapeExpr", &relax.ShapeExpr{Values: []tir.Expr{symN, tir.Int(4)}}},
		{"Constant", &relax.Constant{Data: ir.Float32Blob([]int64{2}, 1, 2)}},
		{"Constant/scalar", &relax.Constant{Data: ir.Float32Blob(nil, 0.5)}},
		{"Constant/int", &relax.Constant{Data: ir.Int64Blob(nil, -3)}},
		{"PrimValue", &relax.PrimValue{Value: tir.Add(symN, tir.Int(1))}},
		{"rStringImm", &relax.StringImm{Value: "s"}},
		{"DataTypeImm", &relax.DataTypeImm{Value: dtype.Float16T}},
		{"ExternFunc", &relax.ExternFunc{Symbol: "ext"}},
		{"SeqExpr", branch("s")},
		{"rIf", &relax.If{Cond: rx, Then: branch("a"), Else: branch("b")}},
		{"VarBinding", bind(v("z", t4), op("nn.relu", nil, rx))},
		{"VarBinding/effect", bind(v("_", &relax.TupleStructInfo{}), ctx)},
		{"VarBinding/if", bind(v("r", t4), &relax.If{Cond: rx, Then: branch("a"), Else: branch("b")})},
		{"VarBinding/function", bind(v("f", callable), fn(false))},
		{"MatchCast", &relax.MatchCast{Var: v("z", relax.TensorOf(f32, m)), Value: rx, SInfo: relax.TensorOf(f32, m)}},
		{"BindingBlock", flow},
		{"rFunction", fn(true)},
		{"ObjectStructInfo", relax.Object()},
		{"PrimStructInfo", &relax.PrimStructInfo{DType: i64}},
		{"PrimStructInfo/value", &relax.PrimStructInfo{DType: i64, Value: symN}},
		{"ShapeStructInfo", relax.ShapeOf(symN, tir.Int(2))},
		{"ShapeStructInfo/ndim", &relax.ShapeStructInfo{NDim: 3}},
		{"ShapeStructInfo/any", &relax.ShapeStructInfo{NDim: -1}},
		{"ShapeStructInfo/empty", relax.ShapeOf()},
		{"TensorStructInfo", t4},
		{"TensorStructInfo/any", relax.TensorOfRank(dtype.Void, -1)},
		{"TensorStructInfo/rank", relax.TensorOfRank(f32, 2)},
		{"TensorStructInfo/scalar", relax.StaticTensor(f32)},
		{"TensorStructInfo/variable", &relax.TensorStructInfo{Shape: rx, DType: f32, NDim: 2}},
		{"TensorStructInfo/device", onDevice},
		{"TupleStructInfo", &relax.TupleStructInfo{Fields: []relax.StructInfo{t4, relax.Object()}}},
		{"TupleStructInfo/empty", &relax.TupleStructInfo{}},
		{"FuncStructInfo", callable},
		{"FuncStructInfo/opaque", &relax.FuncStructInfo{Opaque: true, Ret: relax.Object()}},
		{"FuncStructInfo/opaque_ret", &relax.FuncStructInfo{Opaque: true, Ret: t4, Pure: true}},
		{"VDevice", vdev},
		{"DeviceMesh", mesh},
		{"DeviceMesh/listed", &relax.DeviceMesh{Shape: []int64{2}, IDs: []int64{4, 9}}},
		{"Sharding", &relax.Sharding{Mesh: mesh, Placement: []int64{1, relax.Replica}}},
		{"TensorStructInfo/distributed", t4.WithSharding(&relax.Sharding{Mesh: mesh, Placement: []int64{0, relax.Replica}})},
	}
}
