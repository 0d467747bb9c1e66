package op_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/op/optest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// The operators that the reference names and this compiler takes, by family.
const wanted = `
abs acos acosh asin asinh atan atanh bitwise_not ceil clip cos cosh erf exp floor isfinite isinf isnan
log logical_not negative round rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc
add atan2 bitwise_and bitwise_or bitwise_xor divide equal floor_divide floor_mod greater greater_equal
left_shift less less_equal log_add_exp logical_and logical_or logical_xor maximum minimum mod multiply
not_equal power right_shift subtract where ewise_fma
broadcast_to concat expand_dims flatten flip gather_elements gather_nd layout_transform one_hot
permute_dims repeat reshape split squeeze stack tile scatter_elements scatter_nd
arange full full_like ones zeros ones_like zeros_like tril triu eye eye_like astype wrap_param
take strided_slice dynamic_strided_slice matmul einsum outer argmax argmin sum mean max min prod std
variance cumsum cumprod topk sort argsort
nn.conv1d nn.conv2d nn.conv3d nn.conv1d_transpose nn.conv2d_transpose nn.conv3d_transpose
nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d
nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d
nn.relu nn.leakyrelu nn.prelu nn.gelu nn.gelu_tanh nn.selu nn.silu nn.softplus nn.softmax nn.log_softmax
nn.batch_norm nn.layer_norm nn.group_norm nn.instance_norm nn.rms_norm nn.dropout nn.pad nn.pixel_shuffle
nn.batch_flatten nn.rnn nn.gru nn.lstm nn.attention nn.attention_bias nn.attention_var_len nn.cross_entropy_with_logits nn.nll_loss
image.resize2d image.resize3d image.grid_sample image.affine_grid
vision.all_class_non_max_suppression vision.get_valid_counts vision.non_max_suppression vision.multibox_transform_loc
vision.roi_align vision.roi_pool
collapse_sum_like collapse_sum_to index_put index_tensor meshgrid reverse_sequence slice_scatter hamming_window bucketize
unique nonzero median multinomial_from_uniform quantize dequantize
grad.no_grad grad.start_checkpoint grad.end_checkpoint grad.nll_loss_backward grad.max_pool2d_backward grad.avg_pool2d_backward
grad.take_backward
inspect.tensor_dtype_code inspect.tensor_dtype_bits inspect.tensor_dtype_lanes inspect.tensor_ndim inspect.tensor_shape_i
inspect.tensor_stride_i inspect.tensor_byte_offset inspect.tensor_elem_offset
ccl.allreduce ccl.allgather ccl.broadcast_from_worker0 ccl.scatter_from_worker0
dist.annotate_sharding dist.redistribute dist.call_tir_local_view dist.redistribute_replica_to_shard
call_tir_with_grad call_inplace_packed call_py_func
call_tir call_tir_inplace call_dps_packed call_pure_packed call_builtin_with_ctx null_value print assert_op
make_closure invoke_closure invoke_pure_closure shape_of size tensor_to_shape shape_to_tensor
builtin.alloc_tensor builtin.stop_lift_params memory.alloc_storage memory.alloc_tensor memory.kill_storage
memory.kill_tensor memory.view memory.ensure_zero_offset vm.alloc_storage vm.alloc_tensor vm.kill_object
vm.call_tir_dyn to_vdevice hint_on_device
`

func TestTableIsComplete(t *testing.T) {
	want := map[string]bool{}
	for _, n := range strings.Fields(wanted) {
		want["relax."+n] = true
		if op.Lookup("relax."+n) == nil {
			t.Errorf("operator relax.%s is missing", n)
		}
	}
	for _, o := range op.All() {
		if !want[o.Name] {
			t.Errorf("operator %s is not in the test's list", o.Name)
		}
	}
}

func TestTableIsDocumented(t *testing.T) {
	for _, o := range op.All() {
		optest.Documented(t, o)
	}
}

// TestInferNeverPanics calls every rule with arguments and attributes of all kinds: whatever
// they are, the rule yields struct info or an error.
func TestInferNeverPanics(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, rng *rand.Rand) {
		for _, o := range op.All() {
			for range 2000 {
				callAtRandom(t, rng, o)
			}
		}
	})
}

func callAtRandom(t *testing.T, rng *rand.Rand, o *op.Op) {
	var args []relax.Expr
	for range o.Args {
		args = append(args, randomArg(rng, 2))
	}
	if rng.IntN(10) == 0 && len(args) > 0 {
		args = args[:len(args)-1]
	}
	var attrs *ir.Attrs
	for _, a := range o.Attrs {
		if a.Required || rng.IntN(3) == 0 {
			attrs = attrs.With(a.Name, randomAttr(rng, a))
		}
	}
	call, err := op.New(o.Name, args, attrs)
	if err != nil {
		return
	}
	if rng.IntN(2) == 0 {
		call.SInfoArgs = []relax.StructInfo{randomSInfo(rng, 2)}
	}
	defer func() {
		if r := recover(); r != nil {
			var got []string
			for _, a := range args {
				got = append(got, relax.FormatSInfo(relax.SInfoOf(a)))
			}
			t.Fatalf("%s(%s), %v: panic: %v", o.Name, strings.Join(got, "; "), attrs, r)
		}
	}()
	ctx := &relax.InferContext{}
	if rng.IntN(4) == 0 {
		ctx.Prover = arith.NewAnalyzer()
	}
	info, err := op.Table().InferCall(call, ctx)
	if err == nil {
		_, err = op.Table().NormalizeCall(call, ctx)
	}
	if err != nil {
		return
	}
	if info == nil {
		t.Fatalf("%s: neither struct info nor an error", o.Name)
	}
	checkInfo(t, o.Name, info)
}

// checkInfo checks that struct info is consistent in itself.
func checkInfo(t *testing.T, name string, info relax.StructInfo) {
	t.Helper()
	switch s := info.(type) {
	case *relax.TensorStructInfo:
		if d, ok := s.Dims(); ok {
			if len(d) != s.NDim {
				t.Fatalf("%s: %d extents for %d dimensions", name, len(d), s.NDim)
			}
			for _, e := range d {
				if e == nil || e.DType() != dtype.Int64T {
					t.Fatalf("%s: extent %v of %s is not an int64", name, e, relax.FormatSInfo(s))
				}
			}
		}
	case *relax.TupleStructInfo:
		for _, f := range s.Fields {
			checkInfo(t, name, f)
		}
	}
}

var (
	symN = tir.NewVar("n", dtype.Int64T)
	symM = tir.NewVar("m", dtype.Int64T)
)

func randomDim(rng *rand.Rand) tir.Expr {
	switch rng.IntN(6) {
	case 0:
		return symN
	case 1:
		return tir.Mul(symM, tir.Int(2))
	}
	return tir.Int(int64(rng.IntN(5)))
}

func randomDims(rng *rand.Rand) []tir.Expr {
	out := make([]tir.Expr, rng.IntN(6))
	for i := range out {
		out[i] = randomDim(rng)
	}
	return out
}

func randomSInfo(rng *rand.Rand, depth int) relax.StructInfo {
	types := []dtype.DType{dtype.Float32T, dtype.Float32T, dtype.Float32T, dtype.Int64T, dtype.BoolT, dtype.Void, dtype.Float16T}
	dt := types[rng.IntN(len(types))]
	switch rng.IntN(12) {
	case 0:
		return relax.Object()
	case 1:
		return &relax.PrimStructInfo{DType: dtype.Int64T}
	case 2:
		return &relax.ShapeStructInfo{NDim: rng.IntN(4) - 1}
	case 3:
		return relax.ShapeOf(randomDims(rng)...)
	case 4:
		return relax.TensorOfRank(dt, rng.IntN(6)-1)
	case 5:
		if depth > 0 {
			t := &relax.TupleStructInfo{}
			for range rng.IntN(3) {
				t.Fields = append(t.Fields, randomSInfo(rng, depth-1))
			}
			return t
		}
	case 6:
		return &relax.TensorStructInfo{DType: dt, NDim: 2, Shape: &relax.Var{Name: "s", SInfo: &relax.ShapeStructInfo{NDim: 2}}}
	}
	return relax.TensorOf(dt, randomDims(rng)...)
}

func randomArg(rng *rand.Rand, depth int) relax.Expr {
	switch rng.IntN(9) {
	case 0:
		return &relax.PrimValue{Value: randomDim(rng)}
	case 1:
		return &relax.ShapeExpr{Values: randomDims(rng)}
	case 2:
		return &relax.DataTypeImm{Value: dtype.Float32T}
	case 3:
		return &relax.StringImm{Value: "global"}
	case 4:
		return ir.NewGlobalVar("f")
	case 5:
		if depth > 0 {
			t := &relax.Tuple{}
			for range rng.IntN(4) {
				t.Fields = append(t.Fields, randomArg(rng, depth-1))
			}
			return t
		}
	}
	return &relax.Var{Name: "x", SInfo: randomSInfo(rng, depth)}
}

func randomAttr(rng *rand.Rand, a op.Attr) ir.Value {
	n := int64(rng.IntN(7) - 2)
	switch a.Type {
	case op.IntAttr, op.OptIntAttr, op.IntOrIntsAttr:
		if a.Type == op.IntOrIntsAttr && rng.IntN(2) == 0 {
			return ir.Normalize([]int64{n, n + 2})
		}
		return n
	case op.FloatAttr, op.OptFloatAttr:
		return float64(n)
	case op.BoolAttr:
		return n > 0
	case op.StringAttr, op.OptStringAttr:
		if len(a.Enum) > 0 {
			return a.Enum[rng.IntN(len(a.Enum))]
		}
		pool := []string{"", "NCHW", "NHWC", "OIHW", "ij,jk->ik", "ii", "NCW", "é->é", ",->"}
		return pool[rng.IntN(len(pool))]
	case op.IntsAttr, op.OptIntsAttr:
		list := make([]int64, rng.IntN(5))
		for i := range list {
			list[i] = int64(rng.IntN(6) - 2)
		}
		return ir.Normalize(list)
	case op.FloatsAttr:
		return ir.Normalize([]float64{0, 1})
	case op.DTypeAttr:
		return dtype.Float32T
	case op.NodeAttr:
		v := tir.NewVar("i", dtype.Int64T)
		if rng.IntN(2) == 0 {
			return &tir.IndexMap{Initial: []*tir.Var{v}, Final: []tir.Expr{tir.FloorDiv(v, tir.Int(4)), tir.FloorMod(v, tir.Int(4))}}
		}
		return &relax.VDevice{Target: "llvm"}
	}
	return nil
}

// TestFieldsAreRead looks for what reads each field of the description of an operator: one that
// nothing reads promises what is not there.
func TestFieldsAreRead(t *testing.T) {
	var source strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			var text []byte
			text, err = os.ReadFile(path)
			source.Write(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []any{op.Op{}, op.Arg{}, op.Attr{}} {
		typ := reflect.TypeOf(x)
		for i := range typ.NumField() {
			name := typ.Field(i).Name
			if !regexp.MustCompile(`\w\.` + name + `\b`).MatchString(source.String()) {
				t.Errorf("nothing reads the field %s of %s", name, typ)
			}
		}
	}
}
