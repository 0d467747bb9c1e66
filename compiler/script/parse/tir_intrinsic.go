package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"

	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// intrinsicNames are the parameters of intrinsics whose names are worth writing. Of others, all
// arguments are given by position.
const intrinsicNames = `
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
tvm_storage_sync: storage_scope is_lead num_blocks
tvm_warp_shuffle: mask value warp_id width warp_size
tvm_warp_shuffle_up tvm_warp_shuffle_down: mask value offset width warp_size
tvm_load_matrix_sync tvm_store_matrix_sync: fragment m n k index buffer_ptr stride layout
tvm_mma_sync tvm_bmma_sync: fragment_d index_d fragment_a index_a fragment_b index_b fragment_c index_c
tvm_fill_fragment: fragment m n k index value
ptx_mma: shape A_layout B_layout A_dtype B_dtype C_dtype multiplicand_a a_index multiplicand_b b_index accumulator c_index saturate operator
ptx_mma_sp: shape A_layout B_layout A_dtype B_dtype C_dtype multiplicand_a a_index multiplicand_b b_index accumulator c_index metadata meta_index sparse_selector saturate
ptx_ldmatrix: trans num type local_ptr local_offset smem_ptr smem_offset
ptx_cp_async: shared_ptr shared_offset global_ptr global_offset bytes predicate
ptx_cp_async_bulk: shared_ptr shared_offset global_ptr global_offset bytes barrier_id
ptx_wait_group: num
mma_store: m n dst_ptr src_ptr src_offset dst_stride
mma_fill: local_size local_ptr offset
make_filled_simdgroup_matrix: d index value col=8 row=8
simdgroup_load simdgroup_store: d index ptr stride col=8 row=8 transpose_matrix=False
get_active_lane_mask: base limit
start_profile_intrinsic end_profile_intrinsic: id
vectorlow vectorhigh: vec
vectorcombine: vec1 vec2
`

// newerNames are the names that intrinsics of GPUs have in TVM after v0.23, where they are grouped by what they are for.
var newerNames = map[string]string{
	"ptx_mma": "ptx_legacy.mma", "ptx_ldmatrix": "ptx_legacy.ldmatrix",
	"ptx_cp_async":     "s_tir.cp_async_raw|T.s_tir.cp_async_raw.legacy",
	"ptx_commit_group": "ptx.cp.async_.commit_group", "ptx_wait_group": "ptx.cp.async_.wait_group",
	"make_filled_simdgroup_matrix": "metal.make_filled_simdgroup_matrix",
	"simdgroup_load":               "metal.simdgroup_load", "simdgroup_store": "metal.simdgroup_store",
	"simdgroup_multiply_accumulate": "metal.simdgroup_multiply_accumulate",
}

// intrinsics returns the signatures of all intrinsics: those that need the type of their result have
// it in front or at the end of the parameters, as the printer writes it.
func intrinsics(kinds map[string]*kind) []*signature {
	named := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(intrinsicNames), "\n") {
		names, params, _ := strings.Cut(line, ": ")
		var list []string
		for _, p := range strings.Fields(params) {
			name, def, has := strings.Cut(p, "=")
			if name += ": operand"; has {
				name += " = " + def
			}
			list = append(list, name)
		}
		for _, name := range strings.Fields(names) {
			named[name] = strings.Join(list, ", ")
		}
	}
	var out []*signature
	for _, op := range tir.Builtins() {
		form := script.LookupCall(op)
		params, ok := named[strings.TrimPrefix(op, "tir.")]
		if !ok {
			params = "*args: operand"
		}
		switch form.Place {
		case script.DTypeFirst:
			params = "dtype: rtype, " + params
		case script.DTypeLast:
			params += ", dtype: rtype"
		}
		names := "T." + form.Name
		if full := strings.TrimPrefix(op, "tir."); full != form.Name {
			names += "|T." + full
		}
		if newer := newerNames[strings.TrimPrefix(op, "tir.")]; newer != "" {
			names += "|T." + newer
		}
		for _, s := range signaturesOf(row{names + "(" + params + ")", (*call).builtin}, kinds) {
			s.intrinsic = tir.LookupBuiltin(op)
			for i := range s.params { // where any number of arguments is taken, the last ones may be missing
				s.params[i].need = s.params[i].need && (s.intrinsic.Arity >= 0 || s.params[i].name == "dtype")
			}
			out = append(out, s)
		}
	}
	return out
}

// builtin builds the call of an intrinsic.
func (c *call) builtin() any {
	known := c.sig.intrinsic
	out := &tir.Call{Base: c.base(), Op: known.Op, Args: make([]tir.Expr, 0, len(c.vals)+len(c.rest))}
	typ, left := false, -1
	for i, v := range c.vals {
		switch v := v.(type) {
		case dtype.DType:
			out.Type, typ = v, true
		case nil: // not given, or those behind a star
			left = i
		default:
			if left >= 0 {
				c.missing(left)
			}
			out.Args = append(out.Args, c.toExpr(v, c.n))
		}
		if i == c.sig.rest {
			for _, v := range c.rest {
				out.Args = append(out.Args, v.(tir.Expr))
			}
		}
	}
	if known.Arity >= 0 && len(out.Args) != known.Arity {
		c.fail(c.n, "", "%s takes %s, got %d", c.name(), count(known.Arity, "argument", "arguments"), len(out.Args))
	}
	switch op := known.Name; op {
	case "tir.bitwise_and", "tir.bitwise_or", "tir.bitwise_xor", "tir.shift_left", "tir.shift_right", "tir.pow", "tir.fmod", "tir.atan2":
		out.Args[0], out.Args[1] = tir.MatchTypes(out.Args[0], out.Args[1])
	case tir.OpIfThenElse.Name:
		out.Args[1], out.Args[2] = tir.MatchTypes(out.Args[1], out.Args[2])
	}
	if !typ {
		out.Type = script.ResultType(known.Name, out.Args)
	}
	if known.Op == tir.OpReinterpret && out.Type == out.Args[0].DType() {
		return out.Args[0] // as TVM's constructor does
	}
	return out
}

// callRow builds the node of an intrinsic: T.Call("int32", "tir.tvm_throw_last_error", []), and on TVM's main branch T.Call("tirx.prefetch", [args], ret_ty="void").
var callRow = row{"T.Call(op: value, args: value, dtype|ret_ty: value = None)", func(c *call) any {
	typ, op, args := 2, 0, 1
	if _, ok := c.vals[1].(string); ok { // the order of v0.23: type, operator, arguments
		typ, op, args = 0, 1, 2
	}
	name := ir.OlderName(c.toString(c.vals[op], c.at[op], "the name of the intrinsic"))
	known := tir.LookupBuiltin(name)
	if known == nil {
		c.fail(c.at[op], c.nearest("T."+strings.TrimPrefix(name, "tir.")), "there is no intrinsic %q", name)
	}
	out := &tir.Call{Base: c.base(), Op: known.Op}
	if c.has(typ) {
		out.Type = c.toType(c.vals[typ], c.at[typ])
	}
	if c.has(args) {
		out.Args = c.toExprs(c.vals[args], c.at[args])
	}
	return out
}}

// callIntrinRow calls an intrinsic by its full name, with any type of result.
var callIntrinRow = row{"T.call_intrin(dtype: dtype, name: str, *args: value)", func(c *call) any {
	name := ir.OlderName(c.strAt(1))
	known := tir.LookupBuiltin(name)
	if known == nil {
		c.fail(c.at[1], c.nearest("T."+strings.TrimPrefix(name, "tir.")), "there is no intrinsic %q", name)
	}
	out := &tir.Call{Base: c.base(), Type: c.typeAt(0), Op: known.Op}
	for i, v := range c.rest {
		out.Args = append(out.Args, c.operand(name, v, c.restAt[i]))
	}
	return out
}}

// dp4aRow may name a type of result in front, which the printer of TVM writes and its parser skips.
var dp4aRow = row{"T.dp4a(vec1: value, vec2: value, acc: value = 0, last: value = None)", func(c *call) any {
	first := 0
	if _, ok := c.vals[0].(string); ok {
		first = 1
	}
	known := tir.LookupBuiltin("tir.dp4a")
	out := &tir.Call{Base: c.base(), Op: known.Op}
	for i := first; i < first+known.Arity; i++ {
		at := c.at[i]
		if at == nil {
			at = c.n
		}
		out.Args = append(out.Args, c.operand(known.Name, c.vals[i], at))
	}
	out.Type = script.ResultType(known.Name, out.Args)
	return out
}}

// operand turns a value into an argument of an intrinsic: buffers are pointers to their data, or
// described where a packed function takes them.
func (b *builder) operand(op string, v any, n *syntax.Node) tir.Expr {
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
		case op == tir.OpCallPacked.Name || op == tir.OpCallCPacked.Name:
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
