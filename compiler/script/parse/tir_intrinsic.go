package parse

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// intrinsic evaluates a call of an intrinsic.
func (b *builder) intrinsic(name string, n *syntax.Node) any {
	op := script.IntrinsicOf(name)
	known := tir.LookupBuiltin(op)
	if known == nil {
		b.fail(n.Kids[0], b.meantIntrinsic(name), "T has no %q", name)
	}
	form := script.LookupCall(op)
	typ, args := b.intrinsicArgs(name, form, n)
	c := &tir.Call{Base: b.span(n), Op: known.Op}
	switch {
	case typ != nil:
		c.Type = b.dtypeOf(typ)
	case form.Place != script.DTypeNone:
		b.fail(n, `write it as in T.`+name+`("float32", ...)`, "T.%s needs the type of its result", name)
	}
	packed := op == tir.OpCallPacked.Name || op == tir.OpCallCPacked.Name
	for _, a := range args {
		c.Args = append(c.Args, b.intrinsicArg(op, packed, a))
	}
	if known.Arity >= 0 && len(c.Args) != known.Arity {
		b.fail(n, "", "T.%s takes %d arguments, got %d", name, known.Arity, len(c.Args))
	}
	switch op {
	case "tir.bitwise_and", "tir.bitwise_or", "tir.bitwise_xor", "tir.shift_left", "tir.shift_right", "tir.pow", "tir.fmod", "tir.atan2":
		c.Args[0], c.Args[1] = tir.MatchTypes(c.Args[0], c.Args[1])
	case tir.OpIfThenElse.Name:
		c.Args[1], c.Args[2] = tir.MatchTypes(c.Args[1], c.Args[2])
	}
	if typ == nil {
		c.Type = script.ResultType(op, c.Args)
	}
	return c
}

// meantIntrinsic is the hint for a name that T does not have.
func (b *builder) meantIntrinsic(name string) string {
	names := make([]string, 0, 256)
	for _, x := range tir.Builtins() {
		names = append(names, script.LookupCall(x).Name)
	}
	names = append(names, dialectNames...)
	if near := nearest.Name(name, slices.Values(names)); near != "" {
		return "did you mean T." + near + "?"
	}
	return ""
}

// intrinsicArgs returns the arguments of a call in order, and apart from them the type of the
// result where the intrinsic is given one. Others ignore it, as TVM does.
func (b *builder) intrinsicArgs(name string, form script.CallForm, n *syntax.Node) (typ *syntax.Node, args []*syntax.Node) {
	args = b.spread(n.Kids[1:])
	names := intrinsicParams[name]
	for i := range n.Keywords() {
		kw := &n.Keywords()[i]
		at := slices.IndexFunc(names, func(p intrinsicParam) bool { return p.name == kw.Name })
		switch {
		case kw.Name == "dtype":
			typ = kw.Value
		case kw.Name == "span":
		case at >= 0 && at >= len(args):
			for len(args) <= at {
				args = append(args, nil)
			}
			args[at] = kw.Value
		case at >= 0:
			b.fail(kw.Value, "", "T.%s is given its argument %s twice", name, kw.Name)
		default:
			b.d.Add(kw.At, kw.End, "T."+name+" has no argument "+kw.Name, "")
			panic(failure{})
		}
	}
	switch {
	case form.Place == script.DTypeNone:
		typ = nil
	case typ != nil || len(args) == 0:
	case form.Place == script.DTypeFirst:
		typ, args = args[0], args[1:]
	default:
		typ, args = args[len(args)-1], args[:len(args)-1]
	}
	if name == "dp4a" && len(args) > 0 && args[0].Kind == syntax.String { // as the printer of TVM writes it
		args = args[1:]
	}
	for i, p := range names {
		if i >= len(args) && p.def != nil {
			args = append(args, syntax.NewValue(n.At, n.End, p.def))
		}
	}
	for i, a := range args {
		if a == nil {
			b.fail(n, "", "T.%s needs its argument %s", name, names[i].name)
		}
	}
	return typ, args
}

// intrinsicArg evaluates an argument of the intrinsic op.
func (b *builder) intrinsicArg(op string, packed bool, n *syntax.Node) tir.Expr {
	v := b.eval(n)
	switch x := v.(type) {
	case *tir.Buffer:
		switch {
		case op == tir.OpAddressOf.Name:
			load := &tir.BufferLoad{Base: b.span(n), Buffer: x}
			for _, d := range x.Shape {
				load.Indices = append(load.Indices, tir.Const(d.DType(), 0))
			}
			return load
		case len(x.Shape) == 0:
		case packed:
			return b.packBuffer(x, n)
		default:
			return x.Data
		}
	case *tir.BufferRegion:
		if op == tir.OpAddressOf.Name {
			load := &tir.BufferLoad{Base: x.Base, Buffer: x.Buffer}
			for _, r := range x.Region {
				load.Indices = append(load.Indices, r.Min)
			}
			return load
		}
	case nil:
		v = int64(0)
	}
	return b.toExpr(v, n)
}

// packBuffer describes a buffer that is handed to a packed function.
func (b *builder) packBuffer(buf *tir.Buffer, n *syntax.Node) tir.Expr {
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

// callIntrin evaluates T.call_intrin(dtype, name, args...).
func (b *builder) callIntrin(n *syntax.Node) any {
	args := b.spread(n.Kids[1:])
	for _, kw := range n.Keywords() {
		if kw.Name == "dtype" {
			args = append([]*syntax.Node{kw.Value}, args...)
		}
	}
	if len(args) < 2 {
		b.fail(n, "", "T.call_intrin needs the type of the result and the name of the intrinsic")
	}
	name := b.strOf(args[1], "the name of the intrinsic")
	known := tir.LookupBuiltin(name)
	if known == nil {
		b.fail(args[1], b.meantIntrinsic(strings.TrimPrefix(name, "tir.")), "there is no intrinsic %q", name)
	}
	c := &tir.Call{Base: b.span(n), Type: b.dtypeOf(args[0]), Op: known.Op}
	for _, a := range args[2:] {
		c.Args = append(c.Args, b.intrinsicArg(name, false, a))
	}
	return c
}

// isFinite evaluates T.isfinite(x), for which there is no intrinsic.
func (b *builder) isFinite(n *syntax.Node) tir.Expr {
	x := b.expr(b.one(n))
	base := b.span(n)
	no := func(op *ir.Op) tir.Expr {
		typ := dtype.BoolT.WithLanes(int(x.DType().Lanes))
		return &tir.Not{Base: base, A: &tir.Call{Base: base, Type: typ, Op: op, Args: []tir.Expr{x}}}
	}
	return tir.BinaryAt(base, tir.OpAnd, no(tir.OpIsInf), no(tir.OpIsNaN))
}

// intrinsicParam is a parameter of an intrinsic that may be given by name; def is its default.
type intrinsicParam struct {
	name string
	def  any
}

// intrinsicParams lists the parameters of intrinsics that have names worth writing.
var intrinsicParams = func() map[string][]intrinsicParam {
	out := map[string][]intrinsicParam{}
	for _, line := range strings.Split(strings.TrimSpace(`
exp exp2 exp10 log log2 log10 log1p sqrt rsqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh erf sigmoid floor ceil trunc round nearbyint fabs popcount clz isnan isinf isnullptr: x
pow fmod: x y
atan2 copysign hypot nextafter ldexp: x1 x2
if_then_else: cond t f
likely assume tvm_thread_invariant: cond
ret: val
address_of: obj
fma: x y z
q_multiply_shift: x y q s
q_multiply_shift_per_axis: x y ls rs q is_lshift_required is_rshift_required
reinterpret: value
tvm_access_ptr: ptype data offset extent rw_mask
tvm_struct_get: arr index field
tvm_struct_set: arr index field value
tvm_stack_alloca: dtype_str num
tvm_storage_sync: storage_scope
tvm_warp_shuffle: mask value warp_id width warp_size
tvm_warp_shuffle_up tvm_warp_shuffle_down: mask value offset width warp_size
tvm_load_matrix_sync tvm_store_matrix_sync: fragment m n k index buffer_ptr stride layout
tvm_mma_sync tvm_bmma_sync: fragment_d index_d fragment_a index_a fragment_b index_b fragment_c index_c
tvm_fill_fragment: fragment m n k index value
ptx_mma: shape A_layout B_layout A_dtype B_dtype C_dtype multiplicand_a a_index multiplicand_b b_index accumulator c_index saturate operator
ptx_mma_sp: shape A_layout B_layout A_dtype B_dtype C_dtype multiplicand_a a_index multiplicand_b b_index accumulator c_index metadata meta_index sparse_selector saturate
ptx_ldmatrix: trans num type local_ptr local_offset smem_ptr smem_offset
ptx_cp_async: shared_ptr shared_offset global_ptr global_offset bytes
ptx_cp_async_bulk: shared_ptr shared_offset global_ptr global_offset bytes barrier_id
ptx_wait_group: num
mma_store: m n dst_ptr src_ptr src_offset dst_stride
mma_fill: local_size local_ptr offset
make_filled_simdgroup_matrix: d index value col=8 row=8
simdgroup_load simdgroup_store: d index ptr stride col=8 row=8 transpose_matrix=0
dp4a: vec1 vec2 acc=0
get_active_lane_mask: base limit
start_profile_intrinsic end_profile_intrinsic: id
vectorlow vectorhigh: vec
vectorcombine: vec1 vec2
`), "\n") {
		names, params, _ := strings.Cut(line, ":")
		var list []intrinsicParam
		for _, p := range strings.Fields(params) {
			name, def, has := strings.Cut(p, "=")
			switch {
			case !has:
				list = append(list, intrinsicParam{name, nil})
			case name == "transpose_matrix":
				list = append(list, intrinsicParam{name, false})
			default:
				list = append(list, intrinsicParam{name, int64(def[0] - '0')})
			}
		}
		for _, n := range strings.Fields(names) {
			out[n] = list
		}
	}
	return out
}()

// dialectNames are names of T besides the intrinsics, for hints.
var dialectNames = strings.Fields(`block grid serial parallel vectorized unroll thread_binding func_attr match_buffer
	alloc_buffer decl_buffer allocate allocate_const reads writes where block_attr init axis.spatial axis.reduce axis.remap
	evaluate attr launch_thread env_thread Cast cast Select Let Ramp Broadcast Shuffle min max floordiv floormod truncdiv
	truncmod ceildiv comm_reducer reduce index_map target float16 float32 float64 int8 int16 int32 int64 uint8 uint32 bool
	handle Buffer LetStmt Assert realize meta_var abs iter_var min_value max_value infinity isfinite macro prim_func
	buffer_store type_annotation call_intrin call_packed call_cpacked bfloat16 ptr Range`)
