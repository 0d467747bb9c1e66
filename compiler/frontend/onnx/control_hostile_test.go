package onnx

import (
	"fmt"
	"strings"
	"testing"
	"time"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// bodyOf is a graph that an attribute holds.
func bodyOf(inputs, outputs string, nodes ...onnxpb.Node) *onnxpb.Graph {
	g := &onnxpb.Graph{Name: "body", Nodes: nodes}
	for _, name := range strings.Fields(inputs) {
		g.Inputs = append(g.Inputs, onnxpb.ValueInfo{Name: name})
	}
	for _, name := range strings.Fields(outputs) {
		g.Outputs = append(g.Outputs, onnxpb.ValueInfo{Name: name})
	}
	return g
}

func op1(op, in, out string, attrs ...onnxpb.Attribute) onnxpb.Node {
	return inner(op, strings.Fields(in), strings.Fields(out), attrs...)
}

// looping is a model with a loop over x (2, 3), whose operands are named.
func looping(operands string, body *onnxpb.Graph) *ob.Builder {
	b := ob.New("g", 17)
	b.Input("x", onnxpb.Float, 2, 3)
	b.Input("m", onnxpb.Int64)
	b.Input("pair", onnxpb.Int64, 2)
	b.Input("go", onnxpb.Bool)
	b.Initializer("yes", onnxpb.Tensor{Type: onnxpb.Bool, Data: []byte{1}})
	b.NodeOut("Loop", "loop", strings.Fields(operands), []string{"y"}, ob.Graph("body", body))
	b.Output("y", onnxpb.Undefined)
	return b
}

// TestHostileControl: graphs in graphs that are wrong are errors that say where.
func TestHostileControl(t *testing.T) {
	keep := op1("Identity", "c", "d")
	deep := bodyOf("i c a", "d b", keep, op1("Neg", "a", "b"))
	for k := range 17 {
		suffix := fmt.Sprint(k)
		in, out := "i"+suffix+" c"+suffix+" a"+suffix, "d"+suffix+" b"+suffix
		deep = bodyOf(in, out, op1("Identity", "c"+suffix, "d"+suffix), op1("Loop", "m go a"+suffix, "b"+suffix, ob.Graph("body", deep)))
	}
	scan := func(attrs ...onnxpb.Attribute) *ob.Builder {
		b := ob.New("g", 17)
		b.Input("x", onnxpb.Float, 2, 3)
		b.Input("z", onnxpb.Float, 3, 3)
		b.NodeOut("Scan", "scan", []string{"x", "z"}, []string{"y"}, append(attrs, ob.Graph("body", bodyOf("p q", "r", op1("Concat", "p q", "r", ob.Int("axis", 0)))))...)
		b.Output("y", onnxpb.Float)
		return b
	}
	choice := func(then, otherwise onnxpb.Node) *ob.Builder {
		b := looping("m go x", bodyOf("i c a", "d b", keep, op1("Neg", "a", "b")))
		b.NodeOut("If", "if", []string{"go"}, []string{"z"}, ob.Graph("then_branch", bodyOf("", "k", then)), ob.Graph("else_branch", bodyOf("", "k", otherwise)))
		b.Output("z", onnxpb.Undefined)
		return b
	}
	start := time.Now()
	for _, c := range []struct {
		want string
		b    *ob.Builder
	}{
		{`carried value 0 has element type float32, but the body yields int64`, looping("m go x", bodyOf("i c a", "d b", keep, op1("Cast", "a", "b", ob.Int("to", 7))))},
		{`carried value 0 has 2 dimensions, but the body yields 1`, looping("m go x", bodyOf("i c a", "d b", keep, op1("ReduceSum", "a axis", "b", ob.Int("keepdims", 0)), op1("Constant", "", "axis", ob.IntList("value_ints", 0))))},
		{`the condition that the body yields is not of type bool`, looping("m go x", bodyOf("i c a", "i b", op1("Neg", "a", "b")))},
		{`the loop has neither a trip count nor a condition that can end it`, func() *ob.Builder {
			b := looping("m yes x", bodyOf("i c a", "c b", op1("Neg", "a", "b")))
			b.Model().Graph.Nodes[0].Inputs[0] = ""
			return b
		}()},
		{`reshape`, looping("pair go x", bodyOf("i c a", "d b", keep, op1("Neg", "a", "b")))},
		{`input 0 ("x") has element type float32, expected int64`, looping("x go x", bodyOf("i c a", "d b", keep, op1("Neg", "a", "b")))},
		{`input 1 ("m") has element type int64, expected bool`, looping("m m x", bodyOf("i c a", "d b", keep, op1("Neg", "a", "b")))},
		{`attribute "body" has 2 inputs and 2 outputs, expected 3 and 2`, looping("m go x", bodyOf("i c", "d b", keep, op1("Neg", "x", "b")))},
		{`attribute "body" is missing`, func() *ob.Builder {
			b := looping("m go x", bodyOf("i c a", "d b", keep, op1("Neg", "a", "b")))
			b.Model().Graph.Nodes[0].Attributes = nil
			return b
		}()},
		{`input 2 of the body: value "x" is defined outside of the body as well`, looping("m go x", bodyOf("i c x", "d b", keep, op1("Neg", "x", "b")))},
		{`input 2 of the body: value "c" is defined twice`, looping("m go x", bodyOf("i c c", "d b", keep, op1("Neg", "c", "b")))},
		{`output "b" is also an output`, looping("m go x", bodyOf("i c a", "d b", keep, op1("Neg", "a", "b"), op1("Neg", "a", "b")))},
		{`is collected, but its extent`, looping("m go x", bodyOf("i c a", "d b b", keep, op1("Concat", "a x", "b", ob.Int("axis", 0))))},
		{`the body carries a value on that is not a tensor`, looping("m go x", bodyOf("i c a", "d b", keep, op1("SequenceConstruct", "a", "b")))},
		{`have more than 200000 nodes`, looping("m go x", deep)},
		{`has 1 outputs, but the body yields 0`, looping("m go", bodyOf("i c", "d", keep))},
		{`attribute "num_scan_inputs" is 0 for 2 inputs`, scan()},
		{`attribute "scan_input_axes" has 1 elements, expected 2`, scan(ob.Int("num_scan_inputs", 2), ob.IntList("scan_input_axes", 0))},
		{`attribute "scan_input_directions" has the element 2, expected 0 or 1`, scan(ob.Int("num_scan_inputs", 1), ob.IntList("scan_input_directions", 2))},
		{`inputs 0 and 1 have 2 and 3 elements along their axes`, scan(ob.Int("num_scan_inputs", 2))},
		{`output 0 has element type float32 in one branch and bool in the other`, choice(op1("Neg", "x", "k"), op1("Not", "go", "k"))},
		{`graph.node[1].then_branch.node[0]: Neg "k" (operator set 17): input "nowhere" is not defined`, choice(op1("Neg", "nowhere", "k"), op1("Neg", "x", "k"))},
	} {
		if _, err := tryImport(t, c.b, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if d := time.Since(start); d > 60*time.Second {
		t.Errorf("it took %v", d)
	}
}

// FuzzControl imports random graphs in graphs.
func FuzzControl(f *testing.F) {
	f.Add([]byte{0, 3, 1, 2, 1, 1, 2, 3, 0, 1, 2, 0, 0, 1})
	f.Add([]byte{1, 2, 2, 2, 0, 1, 0, 1, 1, 1, 3, 2, 0, 1, 4, 1, 2, 1, 0, 0, 2, 1})
	f.Add([]byte{2, 2, 1, 0, 0, 0, 0, 1, 1, 1, 3, 2, 0, 1, 4, 1, 2, 1, 0, 0, 2, 1, 5, 6, 7, 2, 3, 1, 2, 8, 1, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		e := &entropy{data}
		b := ob.New("fuzz", 17)
		b.Input("x", onnxpb.Float, 2, 3)
		b.Input("n", onnxpb.Float, "n", 3)
		b.Input("m", onnxpb.Int64)
		b.Input("go", onnxpb.Bool)
		b.Initializer("two", ob.Ints(nil, 2))
		g := b.Model().Graph
		g.Nodes = e.nodes([]string{"x", "n", "m", "go", "two"}, "v", 0)
		for i := range g.Nodes {
			for _, out := range g.Nodes[i].Outputs {
				b.Output(out, onnxpb.Undefined)
			}
		}
		importWithin(t, b.Model())
		if mod, err := Import(t.Context(), b.Model(), Options{}); err == nil {
			wellFormed(t, "fuzz", mod)
		}
	})
}

// nodes are random ones that read what is in scope.
func (e *entropy) nodes(scope []string, prefix string, depth int) (out []onnxpb.Node) {
	pick := func() string { return scope[e.next(len(scope))] }
	for i := range 1 + e.next(4) {
		name := fmt.Sprintf("%s%d", prefix, i)
		body := func(inputs int) *onnxpb.Graph {
			g := &onnxpb.Graph{Name: "body"}
			inner := append([]string{}, scope...)
			for k := range inputs {
				in := fmt.Sprintf("%s_in%d", name, k)
				g.Inputs = append(g.Inputs, onnxpb.ValueInfo{Name: in})
				inner = append(inner, in)
			}
			g.Nodes = e.nodes(inner, name+"_", depth+1)
			for range inputs + e.next(2) {
				g.Outputs = append(g.Outputs, onnxpb.ValueInfo{Name: inner[e.next(len(inner))]})
			}
			g.Outputs = append(g.Outputs, onnxpb.ValueInfo{Name: g.Nodes[len(g.Nodes)-1].Outputs[0]})
			return g
		}
		kind := e.next(8)
		if depth > 3 && kind > 4 {
			kind = 0
		}
		n := onnxpb.Node{Outputs: []string{name}}
		switch kind {
		case 0:
			n.OpType, n.Inputs = "Neg", []string{pick()}
		case 1:
			n.OpType, n.Inputs = "Add", []string{pick(), pick()}
		case 2:
			n.OpType, n.Inputs, n.Attributes = "Concat", []string{pick(), pick()}, []onnxpb.Attribute{ob.Int("axis", int64(e.next(2)))}
		case 3:
			n.OpType, n.Inputs = []string{"Shape", "NonZero", "SequenceConstruct", "Unique"}[e.next(4)], []string{pick()}
		case 4:
			n.OpType, n.Inputs = "Gather", []string{pick(), pick()}
		case 5:
			n.OpType, n.Inputs = "If", []string{pick()}
			n.Attributes = []onnxpb.Attribute{ob.Graph("then_branch", body(0)), ob.Graph("else_branch", body(0))}
		case 6:
			n.OpType, n.Inputs = "Loop", []string{[]string{"m", "two", "", "x"}[e.next(4)], []string{"go", "", "x"}[e.next(3)], pick()}
			n.Attributes = []onnxpb.Attribute{ob.Graph("body", body(3))}
		case 7:
			n.OpType, n.Inputs = "Scan", []string{pick(), pick()}
			n.Attributes = []onnxpb.Attribute{ob.Graph("body", body(2)), ob.Int("num_scan_inputs", int64(1+e.next(2)))}
		}
		out, scope = append(out, n), append(scope[:len(scope):len(scope)], name)
	}
	return out
}
