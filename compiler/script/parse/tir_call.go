package parse

import (
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// call evaluates a call by what is called.
func (b *builder) call(n *node) any {
	b.enter(n)
	defer func() { b.depth-- }()
	fn := n.kids[0]
	if path, ok := b.path(fn); ok {
		dot := strings.IndexByte(path, '.')
		if dot < 0 {
			return b.hostCall(path, n)
		}
		switch path[:dot] {
		case "T":
			return b.tirCall(path[dot+1:], n)
		case "R":
			return b.relaxCall(path[dot+1:], n)
		case "I":
			return b.moduleCall(path[dot+1:], n)
		}
		b.fail(n, "values of the host program are given with --define", "%s cannot be called from a script", path)
	}
	switch v := b.eval(fn).(type) {
	case method:
		return b.methodCall(v, n)
	case *macro:
		return b.expand(v, n)
	case *ir.GlobalVar, moduleRef:
		if gv, ok := v.(*ir.GlobalVar); ok {
			return b.callGlobal(gv, n)
		}
	default:
		if out, ok := b.callValue(v, n); ok {
			return out
		}
		b.fail(fn, "", "%s cannot be called", describe(v))
	}
	return nil
}

// hostCall evaluates the few functions of Python that scripts use.
func (b *builder) hostCall(name string, n *node) any {
	switch name {
	case "range":
		return b.loopRange(n, tir.Serial)
	case "len":
		a := b.bind(n, "x")
		if l, ok := b.eval(a[0]).(*list); ok {
			return int64(len(l.items))
		}
	case "int", "bool":
		a := b.bind(n, "x")
		switch v := b.eval(a[0]).(type) {
		case float64:
			return int64(v)
		case int64, bool:
			return v
		}
	case "float":
		a := b.bind(n, "x")
		switch v := b.eval(a[0]).(type) {
		case int64:
			return float64(v)
		case float64:
			return v
		case string:
			if f, ok := namedFloat(v); ok {
				return f
			}
		}
	}
	b.fail(n, "", "%s cannot be called like this in a script", name)
	return nil
}

func namedFloat(s string) (float64, bool) {
	switch s {
	case "inf":
		return math.Inf(1), true
	case "-inf":
		return math.Inf(-1), true
	case "nan":
		return math.NaN(), true
	}
	return 0, false
}

// callGlobal calls a function of the module.
func (b *builder) callGlobal(gv *ir.GlobalVar, n *node) any {
	if b.graph {
		return b.graphCall(gv, n)
	}
	c := &tir.Call{Base: b.span(n), Op: gv}
	if f, ok := b.mod.funcs[gv.Name].(*tir.PrimFunc); ok {
		c.Type = ir.TypeDType(f.RetType)
	}
	for i, v := range b.values(n.kids[1:]) {
		at := n.kids[min(i+1, len(n.kids)-1)]
		if buf, ok := v.(*tir.Buffer); ok {
			v = buf.Data
		}
		c.Args = append(c.Args, b.toExpr(v, at))
	}
	return c
}

// nodeNames are the operations of two operands by the name of their node, which does not fold.
var nodeNames = map[string]tir.BinaryOp{
	"Add": tir.OpAdd, "Sub": tir.OpSub, "Mul": tir.OpMul, "Div": tir.OpDiv, "Mod": tir.OpMod, "FloorDiv": tir.OpFloorDiv,
	"FloorMod": tir.OpFloorMod, "Min": tir.OpMin, "Max": tir.OpMax, "EQ": tir.OpEQ, "NE": tir.OpNE, "LT": tir.OpLT,
	"LE": tir.OpLE, "GT": tir.OpGT, "GE": tir.OpGE, "And": tir.OpAnd, "Or": tir.OpOr,
}

// foldNames are those that fold constants.
var foldNames = map[string]tir.BinaryOp{
	"truncdiv": tir.OpDiv, "truncmod": tir.OpMod, "floordiv": tir.OpFloorDiv, "floormod": tir.OpFloorMod,
	"min": tir.OpMin, "max": tir.OpMax, "indexdiv": tir.OpFloorDiv, "indexmod": tir.OpFloorMod,
}

func (b *builder) tirCall(name string, n *node) any {
	if op, ok := nodeNames[name]; ok {
		x, y := b.two(n)
		return &tir.Binary{Base: b.span(n), Op: op, A: x, B: y}
	}
	if op, ok := foldNames[name]; ok {
		x, y := b.two(n)
		out := tir.BinaryExpr(op, x, y)
		setSpan(out, b.span(n))
		return out
	}
	if b.tf != nil || name == "Buffer" {
		if v, ok := b.scopeCall(name, n); ok {
			return v
		}
	}
	if name == "handle" {
		return b.handle(n)
	}
	if d, ok := dtypeName(name); ok {
		return b.typedCall(d, n)
	}
	if v, ok := b.special(name, n); ok {
		return v
	}
	return b.intrinsic(name, n)
}

// two evaluates two operands and matches their types.
func (b *builder) two(n *node) (tir.Expr, tir.Expr) {
	a := b.bind(n, "a", "b", "span")
	b.need(n, a, 2, "a", "b")
	x, y := b.eval(a[0]), b.eval(a[1])
	_, xn := asPythonFloat(x)
	_, yn := asPythonFloat(y)
	if xn && yn {
		return tir.MatchTypes(b.toExpr(x, a[0]), b.toExpr(y, a[1]))
	}
	return b.pairOf(x, y, &node{at: n.at, end: n.end, kids: []*node{a[0], a[1]}})
}

// typedCall evaluates T.int32(v): a constant, a cast, or a new variable.
func (b *builder) typedCall(d dtype.DType, n *node) any {
	if len(n.kids) == 1 {
		for _, kw := range n.kws {
			if kw.name == "expr" {
				return b.typedValue(d, kw.value, n)
			}
		}
		return b.newVar(d, n)
	}
	out := b.typedValue(d, n.kids[1], n)
	if e, ok := out.(tir.Expr); ok {
		setSpan(e, b.span(n))
	}
	return out
}

func (b *builder) typedValue(d dtype.DType, n, at *node) any {
	switch v := b.eval(n).(type) {
	case nil:
		return fresh{&tir.Var{Base: b.span(n), Type: &ir.PrimType{DType: d}}}
	case string:
		if f, ok := namedFloat(v); ok {
			return tir.FloatConst(d, f)
		}
		b.fail(n, `"inf", "-inf" and "nan" are the only numbers written as strings`, "%q is no number", v)
	case int64, float64, bool, uint64:
		if !d.IsInteger() && !d.IsFloat() && !d.IsBool() {
			b.fail(n, "", "there are no constants of type %s", d)
		}
		return b.literal(d, v, at)
	default:
		e := b.toExpr(v, n)
		if f, ok := e.(*tir.FloatImm); ok && d.IsFloat() && d.Lanes == 1 {
			return &tir.FloatImm{Type: d, Value: f.Value}
		}
		if e.DType().Lanes > 1 && d.Lanes == 1 {
			d = d.WithLanes(int(e.DType().Lanes))
		}
		return tir.CastTo(d, e)
	}
	return nil
}

// intrinsic evaluates a call of an intrinsic.
func (b *builder) intrinsic(name string, n *node) any {
	op := script.IntrinsicOf(name)
	form := script.LookupCall(op)
	known := tir.LookupBuiltin(op)
	if known == nil && !otherIntrinsics[name] {
		names := append(tir.Builtins(), dialectNames()...)
		help := ""
		if near := nearest("tir."+name, names); near != "" {
			help = "did you mean T." + script.LookupCall(near).Name + "?"
		}
		b.fail(n, help, "T has no %q", name)
	}
	args := b.spread(n.kids[1:])
	for _, kw := range n.kws {
		if kw.name == "dtype" {
			args = append([]*node{kw.value}, args...)
			if form.Place == script.DTypeLast {
				args = append(args[1:], kw.value)
			}
		} else if kw.name != "span" {
			args = append(args, kw.value)
		}
	}
	c := &tir.Call{Base: b.span(n)}
	if known != nil {
		c.Op = known.Op
	} else {
		c.Op = ir.NewOp(op)
	}
	switch {
	case form.Place == script.DTypeFirst && len(args) > 0:
		c.Type, args = b.dtypeOf(args[0]), args[1:]
	case form.Place == script.DTypeLast && len(args) > 0:
		c.Type, args = b.dtypeOf(args[len(args)-1]), args[:len(args)-1]
	case form.Place != script.DTypeNone:
		b.fail(n, "", "T.%s needs the type of its result", name)
	}
	packed := op == tir.OpCallPacked.Name || op == tir.OpCallCPacked.Name
	for _, a := range args {
		v := b.eval(a)
		if buf, ok := v.(*tir.Buffer); ok && len(buf.Shape) > 0 {
			if packed {
				c.Args = append(c.Args, b.packBuffer(buf, a))
				continue
			}
			v = buf.Data
		}
		if r, ok := v.(*tir.BufferRegion); ok && op == tir.OpAddressOf.Name {
			v = pointLoad(r)
		}
		if v == nil {
			v = int64(0)
		}
		c.Args = append(c.Args, b.toExpr(v, a))
	}
	if known != nil && known.Arity >= 0 && len(c.Args) < known.Arity && known.Vector {
		b.fail(n, "", "T.%s takes %d arguments, got %d", name, known.Arity, len(c.Args))
	}
	if binaryIntrinsic(op) && len(c.Args) == 2 {
		c.Args[0], c.Args[1] = tir.MatchTypes(c.Args[0], c.Args[1])
	}
	if op == tir.OpIfThenElse.Name && len(c.Args) == 3 {
		c.Args[1], c.Args[2] = tir.MatchTypes(c.Args[1], c.Args[2])
	}
	if form.Place == script.DTypeNone {
		c.Type = script.ResultType(op, c.Args)
	}
	return c
}

func pointLoad(r *tir.BufferRegion) tir.Expr {
	out := &tir.BufferLoad{Base: r.Base, Buffer: r.Buffer}
	for _, x := range r.Region {
		out.Indices = append(out.Indices, x.Min)
	}
	return out
}

// binaryIntrinsic says which intrinsics match the types of their operands.
func binaryIntrinsic(op string) bool {
	switch op {
	case "tir.bitwise_and", "tir.bitwise_or", "tir.bitwise_xor", "tir.shift_left", "tir.shift_right", "tir.pow", "tir.fmod", "tir.atan2":
		return true
	}
	return false
}

// packBuffer describes a buffer that is handed to a packed function.
func (b *builder) packBuffer(buf *tir.Buffer, n *node) tir.Expr {
	base := b.span(n)
	shape := &tir.Call{Base: base, Type: dtype.HandleT, Op: tir.OpStackMakeShape, Args: buf.Shape}
	var strides tir.Expr = &tir.IntImm{Base: base, Type: dtype.Int32T}
	if len(buf.Strides) > 0 {
		strides = &tir.Call{Base: base, Type: dtype.HandleT, Op: tir.OpStackMakeShape, Args: buf.Strides}
	}
	offset := buf.ElemOffset
	if offset == nil {
		offset = &tir.IntImm{Base: base, Type: dtype.Int32T}
	}
	return &tir.Call{Base: base, Type: dtype.HandleT, Op: tir.OpStackMakeArray, Args: []tir.Expr{
		buf.Data, shape, strides, tir.Int32(int64(len(buf.Shape))), tir.Const(buf.DType.Elem(), 0), offset,
	}}
}

// otherIntrinsics are those of accelerators, which are read and printed but not compiled.
var otherIntrinsics = wordSet(`vscale get_active_lane_mask tvm_load_matrix_sync tvm_store_matrix_sync tvm_mma_sync
	tvm_bmma_sync tvm_fill_fragment ptx_mma ptx_mma_sp ptx_ldmatrix ptx_cp_async ptx_cp_async_bulk ptx_commit_group
	ptx_wait_group ptx_cp_async_barrier ptx_init_barrier_thread_count ptx_arrive_barrier
	ptx_arrive_barrier_expect_tx ptx_wait_barrier create_barriers mma_store mma_fill simdgroup_load simdgroup_store
	simdgroup_multiply_accumulate make_filled_simdgroup_matrix tvm_warp_shuffle tvm_warp_shuffle_up
	tvm_warp_shuffle_down tvm_warp_activemask tvm_thread_invariant tvm_tuple anylist_getitem anylist_resetitem
	anylist_setitem_call_packed anylist_setitem_call_cpacked thread_return llvm_lookup_intrinsic_id
	call_llvm_intrin q_multiply_shift_per_axis dp4a ignore_loop_partition tvm_context_id
	tvm_static_handle mem_copy dma_copy dma_wait dma_start_group dma_end_group lookup_param tvm_handle_is_null
	start_profile_intrinsic end_profile_intrinsic vectorhigh vectorlow vectorcombine vectorpermute
	ptx_ldg32 tvm_check_return nvshmem assume undef prefetch bitwise_not infinity reinterpret`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// dialectNames are names of T, for hints.
func dialectNames() []string {
	out := strings.Fields(`tir.block tir.grid tir.serial tir.parallel tir.vectorized tir.unroll tir.thread_binding tir.func_attr
		tir.match_buffer tir.alloc_buffer tir.decl_buffer tir.allocate tir.allocate_const tir.reads tir.writes tir.where
		tir.block_attr tir.init tir.axis.spatial tir.axis.reduce tir.axis.remap tir.evaluate tir.attr tir.launch_thread
		tir.env_thread tir.Cast tir.cast tir.Select tir.Let tir.Ramp tir.Broadcast tir.Shuffle tir.min tir.max tir.floordiv
		tir.floormod tir.truncdiv tir.truncmod tir.ceildiv tir.comm_reducer tir.reduce tir.index_map tir.target tir.float32
		tir.int32 tir.int64 tir.float16 tir.handle tir.Buffer tir.LetStmt tir.Assert tir.realize tir.meta_var`)
	return out
}
