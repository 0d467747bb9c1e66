package irjson_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

func TestGalleryAfterEveryPass(t *testing.T) {
	for i, g := range gallery.Models() {
		if testing.Short() && i > 0 {
			break
		}
		t.Run(g.Name, func(t *testing.T) {
			model, err := onnxpb.Read(g.Bytes, onnxpb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := onnx.Import(t.Context(), model, onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			check := func(m *ir.Module) {
				back := roundTrip(t, m, irjson.Raw).(*ir.Module)
				if d := ir.FirstModuleMismatch(m, back, ir.EqualOpts{}); d != nil {
					t.Fatalf("the module differs: %s", d)
				}
				if ir.StructuralHashModule(m) != ir.StructuralHashModule(back) {
					t.Fatal("the module has another hash")
				}
				if x, y := script.Module(m, script.Options{}).Source, script.Module(back, script.Options{}).Source; x != y {
					t.Fatal("the module prints otherwise")
				}
				for i := range m.Origins().Len() {
					if id := ir.OriginID(i + 1); !reflect.DeepEqual(m.Origins().Get(id), back.Origins().Get(id)) {
						t.Fatalf("origin %d is %v, expected %v", id, back.Origins().Get(id), m.Origins().Get(id))
					}
				}
			}
			check(m)
			last := m
			in := &pass.Instrument{Name: "irjson", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
				if m != last {
					last = m
					check(m)
				}
				return nil
			}}
			if _, err := compiler.Passes(context.Background(), compiler.Request{Module: m, Instruments: []*pass.Instrument{in}}); err != nil {
				t.Fatal(err)
			}
			if last == m {
				t.Error("no pass changed the module")
			}
		})
	}
}

func TestRandomFunctions(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		f, _ := tirtest.Function(rand.New(rand.NewPCG(seed, 2)))
		m := ir.NewModule().With("f", f).With("g", f)
		back := roundTrip(t, m, irjson.Base64).(*ir.Module)
		if d := ir.FirstModuleMismatch(m, back, ir.EqualOpts{}); d != nil {
			t.Fatalf("the module differs: %s", d)
		}
		if back.Lookup("f") != back.Lookup("g") {
			t.Fatalf("one function became two")
		}
		roundTrip(t, f, irjson.Base64)
	})
}

// values are attributes of every kind.
func values(n ir.Node) *ir.Attrs {
	return ir.NewAttrs(
		"nil", nil, "true", true, "int", int64(math.MinInt64), "big", int64(math.MaxInt64), "float", 1.0, "tenth", 0.1,
		"huge", 1e300, "tiny", 5e-324, "minus", math.Copysign(0, -1), "nan", math.Float64frombits(0x7ff8000000000123),
		"inf", math.Inf(-1), "string", "a\"b\\\n<\u2028é", "bytes", "\xff\x00", "dtype", dtype.MustParse("float32x4"),
		"list", []any{int64(1), 2.0, "x", []any{}, nil}, "dict", ir.NewAttrs("$node", 1), "empty", ir.NewAttrs(), "node", n,
		"$odd key\n", 1,
	)
}

func TestValuesAndMeta(t *testing.T) {
	src := &ir.Source{Name: "a.py", Text: "x = 1\n"}
	span := &ir.Span{Source: src, Line: 1, Col: 2, EndLine: 3, EndCol: 4}
	i := tir.NewVar("i\xfe", dtype.Int64T)
	call := &relax.Call{Base: ir.Base{Span: span, Origin: 2}, Op: ir.NewOp("f"), Attrs: values(i), SInfo: relax.Object()}
	blob := ir.Float32Blob([]int64{2, 2}, 1, 2, 3, float32(math.NaN()))
	flat, err := blob.WithShape([]int64{4})
	if err != nil {
		t.Fatal(err)
	}
	splat, err := ir.NewSplat(dtype.Int64T, []int64{1 << 30}, make([]byte, 8))
	if err != nil {
		t.Fatal(err)
	}
	empty := ir.Float32Blob([]int64{0})
	c := func(b *ir.Blob) relax.Expr { return &relax.Constant{Data: b} }
	body := &relax.Tuple{Fields: []relax.Expr{call, c(blob), c(blob), c(flat), c(splat), c(empty), &relax.Tuple{Fields: []relax.Expr{}}, &relax.Tuple{}}}
	f := &relax.Function{Base: ir.Base{Span: &ir.Span{Line: 7}}, Body: &relax.SeqExpr{Body: body}}
	m := ir.NewModule().With("main", f).WithAttrs(values(i)).
		WithGlobalInfos("vdevice", []ir.Node{&relax.VDevice{Target: "llvm"}}).WithGlobalInfos("none", nil)
	m.Origins().Add(ir.Origin{Pass: "import", Name: "n", Op: "Add", Span: span})
	m.Origins().Add(ir.Origin{Pass: "FuseOps", Parents: []ir.OriginID{1, 0}})
	back := roundTrip(t, m, irjson.Raw, irjson.Base64).(*ir.Module)
	fields := func(m *ir.Module) []relax.Expr {
		return m.Lookup("main").(*relax.Function).Body.Body.(*relax.Tuple).Fields
	}
	data := func(m *ir.Module, i int) *ir.Blob { return fields(m)[i].(*relax.Constant).Data }
	if data(back, 1) != data(back, 2) {
		t.Error("a shared constant became two")
	}
	if &data(back, 1).Stored()[0] != &data(back, 3).Stored()[0] {
		t.Error("two views of the same data became copies")
	}
	if got := fields(back)[0].Meta().Span.Source; got == nil || *got != *src {
		t.Errorf("the source of a span is %v", got)
	}
	call2 := fields(back)[0].(*relax.Call)
	if v, _ := call2.Attrs.Get("node"); reflect.TypeOf(v) != reflect.TypeFor[*tir.Var]() {
		t.Errorf("a node in an attribute became %v", v)
	}
	if got := m.Attrs().Len(); got != back.Attrs().Len() {
		t.Errorf("the module has %d attributes, expected %d", back.Attrs().Len(), got)
	}
	if infos := back.GlobalInfos(); len(infos) != 2 || len(infos["vdevice"]) != 1 {
		t.Errorf("global infos are %v", infos)
	}
	raw := save(t, m, irjson.Raw)
	if !bytes.Equal(raw, save(t, m, irjson.Raw)) {
		t.Error("saving twice gives different bytes")
	}
	if bytes.Count(raw, blob.Stored()) != 1 {
		t.Error("the data of a constant is not in the file once")
	}
}

// TestEveryTypeKey: every type key is read back; a node that lacks what it needs is an error
// that says so.
func TestEveryTypeKey(t *testing.T) {
	for _, key := range irjson.TypeKeys() {
		text := fmt.Sprintf(`{"irscope_version":1,"nodes":[{"type_key":%q}],"root":0}`, key)
		n, err := irjson.Load(strings.NewReader(text), irjson.DefaultLimits())
		if err != nil {
			if !strings.Contains(err.Error(), "needs") && !strings.Contains(err.Error(), "expected 1 to") && !strings.Contains(err.Error(), "sources") {
				t.Errorf("%s: %v", key, err)
			}
			continue
		}
		if again := save(t, n, irjson.Base64); !strings.Contains(string(again), fmt.Sprintf("%q", key)) {
			t.Errorf("a %s is saved as %s", key, again)
		}
	}
}

func TestDeepTrees(t *testing.T) {
	const depth = 300_000
	var e tir.Expr = tir.NewVar("x", dtype.BoolT)
	for range depth {
		e = &tir.Not{A: e}
	}
	text := save(t, e, irjson.Base64)
	lim := irjson.DefaultLimits()
	if _, err := irjson.Load(bytes.NewReader(text), lim); err == nil || !strings.Contains(err.Error(), "Limits.Depth") {
		t.Errorf("a tree of depth %d: %v", depth, err)
	}
	lim.Depth = depth + 10
	n, err := irjson.Load(bytes.NewReader(text), lim)
	if err != nil {
		t.Fatal(err)
	}
	for range depth {
		n = n.(*tir.Not).A
	}
	if v, ok := n.(*tir.Var); !ok || v.Name != "x" {
		t.Errorf("the leaf is %v", n)
	}
}

func TestSharedChain(t *testing.T) {
	chain := func(depth int) []byte {
		var e tir.Expr = tir.NewVar("x", dtype.Int64T)
		for range depth {
			e = tir.NewBinary(tir.OpAdd, e, e)
		}
		return save(t, e, irjson.Base64)
	}
	back := load(t, chain(20)).(*tir.Binary)
	if back.A != back.B {
		t.Error("a shared node became two")
	}
	for _, depth := range []int{30, 60, 70, 1000} {
		if _, err := irjson.Load(bytes.NewReader(chain(depth)), irjson.DefaultLimits()); err == nil || !strings.Contains(err.Error(), "(Limits.Places)") {
			t.Errorf("a chain that stands for 2^%d nodes: %v", depth, err)
		}
	}
}

func TestSaveErrors(t *testing.T) {
	for _, root := range []any{nil, 3, (*tir.Not)(nil)} {
		if err := irjson.Save(&bytes.Buffer{}, root, irjson.Options{}); err == nil {
			t.Errorf("%v is saved", root)
		}
	}
	err := irjson.Save(&bytes.Buffer{}, &tir.Evaluate{Value: &tir.ProducerLoad{}}, irjson.Options{})
	if err == nil || err.Error() != "irjson: cannot save value: a tir.ProducerLoad has no type key" {
		t.Errorf("a node without a type key: %v", err)
	}
}
