package irjson_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func file(nodes string) string {
	return "{\"irscope_version\": 1,\n\"nodes\": [\n" + nodes + "\n],\n\"root\": 0}\n"
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 1, column 1: the file ends unexpectedly"},
		{"[]", `line 1, column 1: expected a saved module or node, which starts with "{", found "["`},
		{"{}", `line 1, column 2: the file has no "root"`},
		{`{"nodes":[]}`, `line 1, column 8: unexpected key "nodes", expected one of: irscope_version (in this order)`},
		{`{"irscope_version":2}`, "line 1, column 20: the file has format version 2, but this program reads versions up to 1: use a newer program"},
		{`{"irscope_version":"1"}`, `line 1, column 22: expected a whole number for irscope_version, found the string "1"`},
		{`{"irscope_version":1,"root":0}`, "line 1, column 27: the table of nodes is empty"},
		{file(`{"type_key":"tir.Foo"}`), `line 3, column 21: unknown type key "tir.Foo" of node 0`},
		{file(`{"fields":{}}`), `line 3, column 9: expected the key type_key first, found "fields"`},
		{file(`{"type_key":"ir.Op","fields":{"nam":"x"}}`), `line 3, column 35: unknown field "nam" of a ir.Op; its fields are name`},
		{file(`{"type_key":"ir.Op","fields":{"name":"x","name":"y"}}`), "line 3, column 47: the field name of a ir.Op occurs twice"},
		{file(`{"type_key":"ir.Op","extra":1}`), `line 3, column 27: unknown key "extra" of a node, expected one of: type_key, fields, span, origin`},
		{file(`{"type_key":"ir.Op","type_key":"ir.Op"}`), `line 3, column 30: the key "type_key" occurs twice`},
		{file(`{"type_key":"tir.Not"}`), "line 3, column 22: a tir.Not needs the field a"},
		{file(`{"type_key":"tir.Not","fields":{"a":0}}`), "line 3, column 37: the field a of a tir.Not is 0, but there is nothing before it to refer to"},
		{file(`{"type_key":"tir.Not","fields":{"a":null}}`), "line 3, column 40: expected a whole number for the field a of a tir.Not, found null"},
		{file("{\"type_key\":\"ir.Op\"},\n{\"type_key\":\"tir.Not\",\"fields\":{\"a\":0}}"), "line 4, column 37: the field a of a tir.Not refers to node 0, a ir.Op, expected a tir.Expr"},
		{file(`{"type_key":"ir.IntImm","fields":{"type":"int6"}}`), `line 3, column 47: the field type of a ir.IntImm: unknown element type "int6"`},
		{file(`{"type_key":"ir.IntImm","fields":{"value":1.5}}`), "line 3, column 45: expected a whole number for the field value of a ir.IntImm, found 1.5"},
		{file(`{"type_key":"ir.FloatImm","fields":{"value":{"$float":"x"}}}`), `line 3, column 57: $float is "x", expected 16 hexadecimal digits`},
		{file(`{"type_key":"tir.Broadcast","fields":{"lanes":0,"value":0}}`), "line 3, column 57: the field value of a tir.Broadcast is 0, but there is nothing before it to refer to"},
		{file(`{"type_key":"ir.TupleType","fields":{"fields":[null]}}`), "line 3, column 51: expected a whole number for the field fields of a ir.TupleType, found null"},
		{file(`{"type_key":"ir.Op","span":[0,1,2,3,4]}`), "line 3, column 29: the source of a span is 0, but there is nothing before it to refer to"},
		{file(`{"type_key":"ir.Op","span":[null,1]}`), "line 3, column 35: expected a source and four numbers in a span, found 2 entries"},
		{file(`{"type_key":"ir.Op","origin":1}`), "line 3, column 30: an origin is 1, expected a number from 0 to 0"},
		{file(`{"type_key":"relax.expr.Constant","fields":{"data":0}}`), "line 3, column 52: the field data of a relax.expr.Constant is 0, but there is nothing before it to refer to"},
		{file(`{"type_key":"ir.IRModule","fields":{"attrs":{"a":{"$x":1}}}}`), "line 3, column 54: unknown tag \"$x\", expected $node, $dict, $dtype, $float or $bytes"},
		{file(`{"type_key":"ir.IRModule","fields":{"attrs":{"a":{}}}}`), "line 3, column 51: an empty object where a value is expected"},
		{file("{\"type_key\":\"ir.IRModule\"},\n{\"type_key\":\"ir.Op\"}"), "line 3, column 26: a node follows the module, which must be the last one"},
		{file(`{"type_key":"ir.Op"}`) + "x", "line 6, column 1: invalid character 'x'"},
		{`{"irscope_version":1,"data":["?"]}`, "illegal base64 data"},
		{`{"irscope_version":1,"data":["AAAA"],"blobs":[{"dtype":"float32","shape":[2],"data":0}]}`, "constant of shape [2] and type float32 needs 8 bytes, got 3"},
		{`{"irscope_version":1,"data":["AAAA"],"blobs":[{"dtype":"float32","shape":[2]}]}`, "a constant has no data"},
		{"irscope\x00\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff", "raw constants: unexpected EOF"},
		{"irscope\x00\x00\x00\x00\x00\x00\x00\x00\x00{\"irscope_version\":1,\"data\":[3]}", "raw data 0 should have 3 bytes, which the file does not have there"},
	} {
		if n, err := irjson.Load(strings.NewReader(c.text), irjson.DefaultLimits()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\nis read as %v, %v, expected the error\n %s", c.text, n, err, c.want)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestErrorsOfTheReader(t *testing.T) {
	_, err := irjson.Load(io.MultiReader(strings.NewReader(`{"irscope_version":1,`), failing{}), irjson.DefaultLimits())
	if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("an error of the reader becomes %v", err)
	}
}

func TestLimits(t *testing.T) {
	c := &relax.Constant{Data: ir.Float32Blob([]int64{4}, 1, 2, 3, 4)}
	root := &relax.Tuple{Fields: []relax.Expr{c, &relax.StringImm{Value: strings.Repeat("x", 50)}}}
	for _, enc := range []irjson.Encoding{irjson.Base64, irjson.Raw} {
		text := save(t, root, enc)
		for _, l := range []struct {
			name string
			set  func(*irjson.Limits, int64)
			need int64
		}{
			{"FileBytes", func(l *irjson.Limits, n int64) { l.FileBytes = n }, int64(len(text))},
			{"Nodes", func(l *irjson.Limits, n int64) { l.Nodes = int(n) }, 3},
			{"Places", func(l *irjson.Limits, n int64) { l.Places = n }, 3},
			{"Depth", func(l *irjson.Limits, n int64) { l.Depth = int(n) }, 2},
			{"StringBytes", func(l *irjson.Limits, n int64) { l.StringBytes = int(n) }, 50},
			{"BlobBytes", func(l *irjson.Limits, n int64) { l.BlobBytes = n }, 16},
		} {
			lim := irjson.DefaultLimits()
			l.set(&lim, l.need)
			if _, err := irjson.Load(bytes.NewReader(text), lim); err != nil {
				t.Errorf("%s: what is needed is refused: %v", l.name, err)
			}
			l.set(&lim, l.need-1)
			if _, err := irjson.Load(bytes.NewReader(text), lim); err == nil || !strings.Contains(err.Error(), "(Limits."+l.name+")") {
				t.Errorf("%s: one less than is needed: %v", l.name, err)
			}
		}
	}
	lim := irjson.DefaultLimits()
	lim.Depth = 10
	deep := file(`{"type_key":"ir.IRModule","fields":{"attrs":{"a":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}}}`)
	if _, err := irjson.Load(strings.NewReader(deep), lim); err == nil || !strings.Contains(err.Error(), "(Limits.Depth)") {
		t.Errorf("deep lists: %v", err)
	}
	// A stated length alone costs no memory.
	huge := append([]byte("irscope\x00\x01\x00\x00\x00\x00\x00\x00\x00"), binary.LittleEndian.AppendUint64(nil, 1<<30)...)
	if _, err := irjson.Load(bytes.NewReader(huge), irjson.DefaultLimits()); err == nil {
		t.Error("raw data that is not there is read")
	}
}

// FuzzLoad: Load never panics, and what it accepts is saved and loaded again to the same.
func FuzzLoad(f *testing.F) {
	i := tir.NewVar("i", dtype.Int64T)
	main := &relax.Function{Body: &relax.SeqExpr{Body: &relax.Tuple{Fields: []relax.Expr{
		&relax.Constant{Data: ir.Float32Blob([]int64{1}, 1)}, &relax.Call{Op: ir.NewOp("f"), Attrs: values(i)},
	}}}}
	m := ir.NewModule().With("main", main).WithGlobalInfos("vdevice", []ir.Node{&relax.VDevice{}})
	m.Origins().Add(ir.Origin{Pass: "import", Span: &ir.Span{Source: &ir.Source{Name: "a"}, Line: 1}})
	for _, enc := range []irjson.Encoding{irjson.Base64, irjson.Raw} {
		f.Add(save(f, m, enc))
	}
	f.Add(save(f, &tir.For{LoopVar: i, Min: tir.Int(0), Extent: tir.Int(4), Kind: tir.Vectorized, Body: tir.NoOp()}, irjson.Base64))
	for _, key := range irjson.TypeKeys() {
		f.Add([]byte(file(`{"type_key":"` + key + `"}`)))
	}
	if doc, err := os.ReadFile("../../docs/nodes.md"); err == nil {
		f.Add(doc)
	}
	lim := irjson.Limits{FileBytes: 1 << 20, Nodes: 1000, Places: 10_000, Depth: 100, StringBytes: 1 << 16, BlobBytes: 1 << 16}
	f.Fuzz(func(t *testing.T, in []byte) {
		root, err := irjson.Load(bytes.NewReader(in), lim)
		if err != nil {
			return
		}
		text := save(t, root, irjson.Base64)
		again := save(t, load(t, text), irjson.Base64)
		if !bytes.Equal(text, again) {
			t.Fatalf("%s\nis saved again as\n%s", text, again)
		}
	})
}
