package hostile

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// verdict is what must come of a file.
type verdict int

const (
	refused verdict = iota // an error of the reader or the importer
	fails                  // an error at the latest when it runs
	either                 // an error or success
	works                  // success
	imports                // success of the import; going on would take long
)

// specimen is a file and what must come of it.
type specimen struct {
	name string
	data func() []byte
	want verdict
	// says is part of the error.
	says string
}

// unary is a model of one node over a float input x.
func unary(op string, dims []any, attrs ...onnxpb.Attribute) []byte {
	b := ob.New("g", 17)
	x := b.Input("x", onnxpb.Float, dims...)
	b.NodeOut(op, "n", []string{x}, []string{"y"}, attrs...)
	b.Output("y", onnxpb.Float)
	return anyShape(b)
}

// anyShape encodes a model whose outputs declare no shape.
func anyShape(b *ob.Builder) []byte {
	for i := range b.Model().Graph.Outputs {
		b.Model().Graph.Outputs[i].Type.Tensor.HasShape = false
	}
	return b.Bytes()
}

// shaped is a model with one node that makes a tensor of a constant shape.
func shaped(op string, shape ...int64) []byte {
	b := ob.New("g", 17)
	s := b.Initializer("s", ob.Shape(shape...))
	in := []string{s}
	if op != "ConstantOfShape" {
		dims := make([]int64, len(shape))
		for i := range dims {
			dims[i] = 1
		}
		in = []string{b.Initializer("one", ob.Floats(dims, 1)), s}
	}
	b.NodeOut(op, "n", in, []string{"big"})
	b.NodeOut("Relu", "r", []string{"big"}, []string{"y"})
	b.Output("y", onnxpb.Float)
	return anyShape(b)
}

// chain is a model of n nodes in a row that take turns among ops.
func chain(n int, ops ...string) []byte {
	b := ob.New("chain", 17)
	at := b.Input("x", onnxpb.Float, 2, 3)
	c := b.Initializer("c", ob.Floats([]int64{1}, 0.5))
	for i := range n {
		op := ops[i%len(ops)]
		in := []string{at}
		if op == "Add" || op == "Mul" {
			in = append(in, c)
		}
		at = b.NodeOut(op, fmt.Sprintf("n%d", i), in, []string{fmt.Sprintf("v%d", i)})
	}
	b.Output(at, onnxpb.Float, 2, 3)
	return b.Bytes()
}

// crowd is a model of n nodes that are all the same.
func crowd(n int) []byte {
	node := []byte{1<<3 | 2, 12, 1<<3 | 2, 1, 'x', 2<<3 | 2, 1, 'y', 4<<3 | 2, 4, 'R', 'e', 'l', 'u'}
	out := append([]byte{8, 8, 7<<3 | 2}, varint(n*len(node))...)
	out = append(out, bytes.Repeat(node, n)...)
	return append(out, 8<<3|2, 2, 16, 17)
}

// nested is a model whose only node holds a graph that holds a node, depth times over.
func nested(depth int) []byte {
	const node = 1<<3 | 2      // GraphProto.node
	const attribute = 5<<3 | 2 // NodeProto.attribute
	const graph = 6<<3 | 2     // AttributeProto.g
	tags := [...]byte{node, attribute, graph}
	sizes := make([]int, 0, 3*depth)
	n := 0
	for range 3 * depth {
		sizes = append(sizes, n)
		n += len(varint(n)) + 1
	}
	out := []byte{8, 8} // ir_version 8
	out = append(out, 7<<3|2)
	out = append(out, varint(n)...)
	for i := range 3 * depth {
		out = append(out, tags[i%3])
		out = append(out, varint(sizes[3*depth-1-i])...)
	}
	return append(out, 8<<3|2, 2, 16, 17) // opset_import, version 17
}

func varint(n int) []byte {
	var out []byte
	for ; n >= 128; n >>= 7 {
		out = append(out, byte(n)|128)
	}
	return append(out, byte(n))
}

// named is a model in which everything bears the name.
func named(name string) []byte {
	b := ob.New(name, 17)
	x := b.Input(name, onnxpb.Float, 2, name+"_dim")
	b.NodeOut("Relu", name, []string{x}, []string{name + "1"})
	b.NodeOut("Sigmoid", name, []string{name + "1"}, []string{name + "2"})
	b.Output(name+"2", onnxpb.Float, 2, name+"_dim")
	b.Model().ProducerName = name
	return b.Bytes()
}

// manyInputs adds up n inputs in a row of nodes.
func manyInputs(n int) []byte {
	b := ob.New("inputs", 17)
	var names []string
	for i := range n {
		names = append(names, b.Input(fmt.Sprintf("x%d", i), onnxpb.Float, 2))
	}
	b.NodeOut("Sum", "sum", names, []string{"y"})
	b.Output("y", onnxpb.Float, 2)
	return b.Bytes()
}

// binary is a model of one node over two inputs.
func binary(op string, a, b onnxpb.DataType, da, db []any) []byte {
	m := ob.New("g", 17)
	x, y := m.Input("x", a, da...), m.Input("y", b, db...)
	m.NodeOut(op, "n", []string{x, y}, []string{"z"})
	m.Output("z", onnxpb.Float)
	return anyShape(m)
}

func dims(ds ...any) []any { return ds }

const html = `<script>alert("1")</script><img src=x onerror=alert(2)>`

// specimens are the files that the issue lists, and their kin.
func specimens() []specimen {
	cyclic := func() []byte {
		b := ob.New("g", 17)
		b.Input("x", onnxpb.Float, 2)
		b.NodeOut("Add", "first", []string{"x", "b"}, []string{"a"})
		b.NodeOut("Relu", "second", []string{"a"}, []string{"b"})
		b.Output("b", onnxpb.Float, 2)
		return b.Bytes()
	}
	undefined := func() []byte {
		b := ob.New("g", 17)
		b.NodeOut("Relu", "lonely", []string{"nothing"}, []string{"y"})
		b.Output("y", onnxpb.Float, 2)
		return b.Bytes()
	}
	tensor := func(t onnxpb.Tensor) func() []byte {
		return func() []byte {
			b := ob.New("g", 17)
			b.Initializer("w", t)
			b.NodeOut("Relu", "n", []string{"w"}, []string{"y"})
			b.Output("y", onnxpb.Float, 2)
			return b.Bytes()
		}
	}
	ones := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = 1
		}
		return out
	}
	text := func(s string) func() []byte { return func() []byte { return []byte(s) } }
	return []specimen{
		{"empty", text(""), refused, ""},
		{"text", text("this is not a model\n"), refused, ""},
		{"html", text("<!DOCTYPE html><html><body>404</body></html>"), refused, ""},
		{"png", text("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), refused, ""},
		{"zeros", func() []byte { return make([]byte, 1<<20) }, refused, ""},
		{"ones", func() []byte { return []byte(strings.Repeat("\xff", 1<<20)) }, refused, ""},
		{"cycle", cyclic, refused, "cycle"},
		{"undefined name", undefined, refused, "nothing"},
		{"wrong types", func() []byte { return binary("Add", onnxpb.Float, onnxpb.Int64, dims(2), dims(2)) }, refused, "int64"},
		{"type without arithmetic", func() []byte { return binary("Add", onnxpb.String, onnxpb.String, dims(2), dims(2)) }, refused, "string"},
		{"unknown type", func() []byte { return binary("Add", 99, 99, dims(2), dims(2)) }, refused, "99"},
		{"short data", tensor(onnxpb.Tensor{Type: onnxpb.Float, Dims: []int64{2, 3}, Data: make([]byte, 20)}), refused, "20"},
		{"unknown operator", func() []byte { return unary("Nonsense", dims(2)) }, refused, "Nonsense"},
		{"shape overflows", func() []byte { return unary("Relu", dims(1<<40, 1<<40)) }, refused, "x"},
		{"dimension of 2^63-1", func() []byte { return unary("Relu", dims(math.MaxInt64)) }, refused, "x"},
		{"negative dimension", func() []byte { return unary("Relu", dims(-5)) }, either, ""},
		{"initializer overflows", tensor(onnxpb.Tensor{Type: onnxpb.Float, Dims: []int64{1 << 62, 4}}), refused, "4"},
		{"initializer of 2^40", tensor(onnxpb.Tensor{Type: onnxpb.Float, Dims: []int64{1 << 40}}), refused, "1099511627776"},
		{"10^6 nodes", func() []byte { return crowd(1_000_000) }, refused, "200000"},
		{"depth 10^5", func() []byte { return nested(100_000) }, refused, "deep"},
		{"input of 2^40", func() []byte { return unary("Relu", dims(1<<40)) }, fails, ""},
		{"input of 2^33", func() []byte { return unary("Relu", dims(1<<33)) }, fails, ""},
		{"ConstantOfShape of 2^40", func() []byte { return shaped("ConstantOfShape", 1<<20, 1<<20) }, fails, ""},
		{"ConstantOfShape overflows", func() []byte { return shaped("ConstantOfShape", 1<<40, 1<<40) }, refused, "n"},
		{"ConstantOfShape of -1", func() []byte { return shaped("ConstantOfShape", -1) }, refused, "n"},
		{"Expand to 2^40", func() []byte { return shaped("Expand", 1<<20, 1<<20) }, fails, ""},
		{"Expand overflows", func() []byte { return shaped("Expand", 1<<62, 1<<62) }, refused, "n"},
		{"Tile to 2^40", func() []byte { return shaped("Tile", 1<<20, 1<<20) }, fails, ""},
		{"Tile overflows", func() []byte { return shaped("Tile", 1<<62, 1<<62) }, refused, "n"},
		{"Pad to 2^40", func() []byte {
			b := ob.New("g", 17)
			x := b.Input("x", onnxpb.Float, 4)
			p := b.Initializer("p", ob.Shape(1<<40, 1<<40))
			b.NodeOut("Pad", "n", []string{x, p}, []string{"y"})
			b.Output("y", onnxpb.Float)
			return anyShape(b)
		}, fails, ""},
		{"Range of 2^40", func() []byte {
			b := ob.New("g", 17)
			var in []string
			for i, v := range []int64{0, 1 << 40, 1} {
				in = append(in, b.Initializer(fmt.Sprintf("r%d", i), ob.Ints(nil, v)))
			}
			b.NodeOut("Range", "n", in, []string{"y"})
			b.Output("y", onnxpb.Int64)
			return anyShape(b)
		}, fails, ""},
		{"MatMul of 2^20 by 2^20", func() []byte {
			return binary("MatMul", onnxpb.Float, onnxpb.Float, dims(1<<20, 2), dims(2, 1<<20))
		}, fails, ""},
		{"10^5 inputs", func() []byte { return manyInputs(100_000) }, imports, ""},
		{"Transpose with 10^6 axes", func() []byte {
			return unary("Transpose", dims(2, 3), ob.IntList("perm", make([]int64, 1_000_000)...))
		}, refused, "perm"},
		{"MaxPool with 10^6 sizes", func() []byte {
			return unary("MaxPool", dims(1, 1, 8, 8), ob.IntList("kernel_shape", make([]int64, 1_000_000)...))
		}, refused, "kernel_shape"},
		{"MaxPool of 2^62 by 2^62", func() []byte {
			return unary("MaxPool", dims(1, 1, 8, 8), ob.IntList("kernel_shape", 1<<62, 1<<62), ob.IntList("pads", 1<<62, 1<<62, 1<<62, 1<<62))
		}, refused, ""},
		{"10^5 attributes", func() []byte {
			var list []onnxpb.Attribute
			for i := range 100_000 {
				list = append(list, ob.Int(fmt.Sprintf("a%d", i), 1))
			}
			return unary("Relu", dims(2), list...)
		}, either, ""},
		{"control characters", func() []byte { return named("a\x00b\x1b[31m\r\n\t\x7f") }, works, ""},
		{"text direction", func() []byte { return named("a\u202eb\u2066c\u200b") }, works, ""},
		{"no utf-8", func() []byte { return named("a\xff\xfe\xc0") }, either, ""},
		{"html in names", func() []byte { return named(html) }, works, ""},
		{"quotes in names", func() []byte { return named("a\"b'c\\d`e\"\"\"f#g") }, works, ""},
		{"empty names", func() []byte {
			b := ob.New("", 17)
			x := b.Input("x", onnxpb.Float, 2)
			b.NodeOut("Relu", "", []string{x}, []string{"y"})
			b.Output("y", onnxpb.Float, 2)
			return b.Bytes()
		}, works, ""},
		{"keywords as names", func() []byte { return named("def") }, works, ""},
		{"name of 100 KiB", func() []byte { return named(strings.Repeat("long", 25<<10)) }, either, ""},
		{"rank 10^4", func() []byte { return unary("Relu", ones(10_000)) }, refused, "64"},
		{"rank 64", func() []byte { return unary("Relu", ones(64)) }, either, ""},
		{"zero-size Relu", func() []byte { return unary("Relu", dims(0, 3)) }, works, ""},
		{"zero-size Softmax", func() []byte { return unary("Softmax", dims(0, 3)) }, works, ""},
		{"Softmax over nothing", func() []byte { return unary("Softmax", dims(3, 0)) }, works, ""},
		{"MatMul over nothing", func() []byte {
			return binary("MatMul", onnxpb.Float, onnxpb.Float, dims(2, 0), dims(0, 3))
		}, works, ""},
		{"zero-size MatMul", func() []byte {
			return binary("MatMul", onnxpb.Float, onnxpb.Float, dims(0, 4), dims(4, 3))
		}, works, ""},
		{"GlobalAveragePool of no batch", func() []byte { return unary("GlobalAveragePool", dims(0, 3, 4, 4)) }, works, ""},
		{"GlobalAveragePool over nothing", func() []byte { return unary("GlobalAveragePool", dims(1, 3, 0, 4)) }, either, ""},
		{"two symbols added", func() []byte {
			return binary("Add", onnxpb.Float, onnxpb.Float, dims("n", 3), dims("m", 3))
		}, either, ""},
		{"symbol in two places", func() []byte {
			return binary("MatMul", onnxpb.Float, onnxpb.Float, dims("n", "k"), dims("k", "n"))
		}, works, ""},
		{"symbol twice in one shape", func() []byte { return unary("Relu", dims("n", "n")) }, works, ""},
		{"symbols that must agree", func() []byte {
			return binary("MatMul", onnxpb.Float, onnxpb.Float, dims("n", "k"), dims("m", 3))
		}, either, ""},
		{"symbol called like a number", func() []byte { return unary("Relu", dims("3", "-1")) }, either, ""},
		{"empty symbol", func() []byte { return unary("Relu", dims("", 3)) }, either, ""},
	}
}
