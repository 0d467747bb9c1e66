package script_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/runtime/dtype"
)

// constants is a module whose function returns a tuple of the blobs.
func constants(blobs ...*ir.Blob) *ir.Module {
	var fields []relax.Expr
	var infos []relax.StructInfo
	for _, b := range blobs {
		fields = append(fields, &relax.Constant{Data: b})
		infos = append(infos, relax.StaticTensor(b.DType(), b.Shape()...))
	}
	info := &relax.TupleStructInfo{Fields: infos}
	v := &relax.Var{Name: "v", SInfo: info}
	body := &relax.SeqExpr{
		Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{&relax.VarBinding{Var: v, Value: &relax.Tuple{Fields: fields}}}}},
		Body:   v,
	}
	f := &relax.Function{Body: body, Ret: info, Pure: true, Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "main")}
	return ir.NewModule().With("main", f)
}

// TestMetadataHoldsEveryType writes constants of all element types and reads their bits from
// the text alone.
func TestMetadataHoldsEveryType(t *testing.T) {
	var blobs []*ir.Blob
	for _, name := range strings.Fields(`bool int4 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bfloat16
		float8_e4m3fn float8_e5m2 float4_e2m1fn float32x4`) {
		d, err := dtype.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 3*d.Bytes())
		for i := range data {
			data[i] = byte(37 * i)
			if d.IsBool() {
				data[i] &= 1
			}
		}
		b, err := ir.NewBlob(d, []int64{3, 1}, data)
		if err != nil {
			t.Fatal(err)
		}
		blobs = append(blobs, b)
	}
	nan, err := ir.NewBlob(dtype.Float32T, nil, []byte{1, 2, 0xc0, 0xff})
	if err != nil {
		t.Fatal(err)
	}
	empty, err := ir.NewBlob(dtype.Float32T, []int64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := constants(append(blobs, nan, empty, blobs[0])...)
	text := script.Module(m, script.Options{ShowMeta: true}).Source
	got, diags := parse.Module("meta.py", text, parse.Options{})
	if len(diags) > 0 {
		t.Fatalf("%s\n%s", diags[0].Format(), text)
	}
	if d := ir.FirstModuleMismatch(m, got, ir.EqualOpts{}); d != nil {
		t.Errorf("%s\n%s", d, text)
	}
}

// TestMetadataIsBounded leaves out what is too large, and says so.
func TestMetadataIsBounded(t *testing.T) {
	huge, err := ir.NewSplat(dtype.Float32T, []int64{1 << 20, 1 << 10}, make([]byte, 4))
	if err != nil {
		t.Fatal(err)
	}
	text := script.Module(constants(huge, ir.Float32Blob([]int64{1}, 2)), script.Options{ShowMeta: true}).Source
	for _, want := range []string{
		"# 1 constants are not in the metadata", `metadata["relax.expr.Constant"]["` + huge.Digest()[:12], `metadata["relax.expr.Constant"][0]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// TestMetadataHasABound writes the constants that fit into MetaBytes, and counts the others once.
func TestMetadataHasABound(t *testing.T) {
	large, small := ir.Float32Blob([]int64{3}, 1, 2, 3), ir.Float32Blob([]int64{2}, 4, 5)
	m := constants(large, small, large)
	for bytes, omitted := range map[int64]int{0: 0, 7: 2, 8: 1, 19: 1, 20: 0} {
		text := script.Module(m, script.Options{ShowMeta: true, MetaBytes: bytes})
		got, diags := parse.Module("meta.py", text.Source, parse.Options{AllowMissingConstants: true})
		if len(diags) > 0 {
			t.Fatalf("%d bytes: %s", bytes, diags[0].Format())
		}
		if whole := ir.FirstModuleMismatch(m, got, ir.EqualOpts{}) == nil; text.Omitted != omitted || whole != (omitted == 0) {
			t.Errorf("%d bytes: %d constants are omitted, want %d; the module is whole: %v\n%s", bytes, text.Omitted, omitted, whole, text.Source)
		}
	}
}
