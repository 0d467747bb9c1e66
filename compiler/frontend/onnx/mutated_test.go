package onnx

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
)

// mutate changes one thing of a valid model, and returns what.
func mutate(r *rand.Rand, m *onnxpb.Model) string {
	g := m.Graph
	pick := func(n int) int { return r.IntN(max(n, 1)) }
	if len(g.Nodes) == 0 {
		return "nothing"
	}
	n := &g.Nodes[pick(len(g.Nodes))]
	for _, a := range n.Attributes { // a node in a body
		if a.G != nil && len(a.G.Nodes) > 0 && r.IntN(2) == 0 {
			n = &a.G.Nodes[pick(len(a.G.Nodes))]
			break
		}
	}
	switch r.IntN(16) {
	case 0, 1:
		if len(n.Inputs) > 0 {
			k := pick(len(n.Inputs))
			if r.IntN(2) == 0 {
				n.Inputs[k] = ""
				return fmt.Sprintf("%s: no input %d", n.OpType, k)
			}
			n.Inputs = slices.Delete(slices.Clone(n.Inputs), k, k+1)
			return fmt.Sprintf("%s: input %d removed", n.OpType, k)
		}
	case 2:
		if len(n.Inputs) > 0 {
			a, b := pick(len(n.Inputs)), pick(len(n.Inputs))
			n.Inputs[a], n.Inputs[b] = n.Inputs[b], n.Inputs[a]
			return fmt.Sprintf("%s: inputs %d and %d exchanged", n.OpType, a, b)
		}
	case 3:
		n.Inputs = append(slices.Clone(n.Inputs), n.Outputs[pick(len(n.Outputs)):]...)
		return n.OpType + ": reads its own result"
	case 4:
		if len(g.Inputs) > 0 && len(n.Outputs) > 0 {
			n.Outputs[pick(len(n.Outputs))] = g.Inputs[pick(len(g.Inputs))].Name
			return n.OpType + ": result called as an input"
		}
	case 5, 6, 7:
		if len(n.Attributes) > 0 {
			a := &n.Attributes[pick(len(n.Attributes))]
			e := &entropy{[]byte{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())}}
			switch a.Type {
			case onnxpb.AttrInt:
				a.I = e.int()
			case onnxpb.AttrInts:
				a.Ints = e.ints()
			case onnxpb.AttrFloat:
				a.F = float32(e.int())
			case onnxpb.AttrString:
				a.S = a.S[:pick(len(a.S))]
			case onnxpb.AttrGraph:
				a.G = &onnxpb.Graph{Nodes: g.Nodes[:0], Inputs: g.Inputs, Outputs: g.Inputs}
				return fmt.Sprintf("%s: attribute %s is a graph of no nodes", n.OpType, a.Name)
			}
			return fmt.Sprintf("%s: attribute %s is %d %v %g %q", n.OpType, a.Name, a.I, a.Ints, a.F, a.S)
		}
	case 8, 9, 10:
		if len(g.Inputs) > 0 {
			in := &g.Inputs[pick(len(g.Inputs))]
			if in.Type == nil || in.Type.Tensor == nil {
				in.Type = nil
				return "an input without a type"
			}
			typ, tensor := *in.Type, *in.Type.Tensor
			tensor.Shape = slices.Clone(tensor.Shape)
			typ.Tensor, in.Type = &tensor, &typ
			dims := []onnxpb.Dim{{HasValue: true, Value: []int64{0, 1, 2, 3, 1 << 31, 1 << 62, -1}[r.IntN(7)]}, {Param: "n"}}
			switch k := pick(len(tensor.Shape)); {
			case len(tensor.Shape) > 0 && r.IntN(2) == 0:
				tensor.Shape[k] = dims[r.IntN(2)]
			case len(tensor.Shape) > 0 && r.IntN(2) == 0:
				tensor.Shape = slices.Delete(tensor.Shape, k, k+1)
			default:
				tensor.Shape = slices.Insert(tensor.Shape, k, dims[r.IntN(2)])
			}
			return fmt.Sprintf("input %s has shape %v", in.Name, tensor.Shape)
		}
	case 11:
		if len(g.Inputs) > 0 {
			in := &g.Inputs[pick(len(g.Inputs))]
			if in.Type != nil && in.Type.Tensor != nil {
				typ, tensor := *in.Type, *in.Type.Tensor
				tensor.Elem = onnxpb.DataType(r.IntN(28))
				typ.Tensor, in.Type = &tensor, &typ
				return fmt.Sprintf("input %s has elements %v", in.Name, tensor.Elem)
			}
		}
	case 12, 13:
		for i := range m.OpsetImports {
			m.OpsetImports[i].Version = 1 + r.Int64N(29)
		}
		return fmt.Sprintf("operator sets %v", m.OpsetImports)
	case 14:
		if names := Domains()[n.Domain]; len(names) > 0 {
			n.OpType = names[pick(len(names))]
		}
		return "operator " + n.OpType
	case 15:
		n.Outputs = append(slices.Clone(n.Outputs), n.Outputs...)
		return n.OpType + ": results twice"
	}
	return "nothing"
}

// TestMutatedModels imports the published node tests with one to three things changed: none may make it panic, take long or take much memory, and what is
// refused says where.
func TestMutatedModels(t *testing.T) {
	times, seed := 3, uint64(1)
	if s, err := strconv.Atoi(os.Getenv("IRSCOPE_MUTATED")); err == nil {
		times, seed = 100, uint64(s)
	}
	cases := slices.Concat(ownNodes(), ownOld(), ownSequences(), onnxtest.Recorded(t), onnxtest.Nodes(t))
	r := rand.New(rand.NewPCG(seed, 0))
	refused, imported := 0, 0
	for _, c := range cases {
		for range times {
			m, err := onnxpb.Read(slices.Clone(c.Model), onnxpb.Options{})
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			bind := map[string]*onnxpb.Tensor{}
			if len(c.Sets) > 0 && r.IntN(2) == 0 {
				bind, _ = onnxtest.Bound(m, c.Sets[0])
			}
			var what []string
			for range 1 + r.IntN(3) {
				what = append(what, mutate(r, m))
			}
			name := fmt.Sprintf("%s: %q", c.Name, what)
			err, panicked := importGuarded(t, m, Options{Bind: bind}, name)
			var at *Error
			var missing *UnsupportedError
			switch {
			case panicked:
			case err == nil:
				imported++
			case errors.As(err, &at) && (at.Path == "" || at.Op == ""), len(err.Error()) < 20:
				t.Errorf("%s: the error does not say where: %v", name, err)
			default:
				_ = errors.As(err, &missing)
				refused++
			}
		}
	}
	t.Logf("%d refused, %d imported", refused, imported)
}

// importGuarded imports a model with an eye on time, memory and panics.
func importGuarded(t *testing.T, m *onnxpb.Model, o Options, name string) (err error, panicked bool) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			buf := make([]byte, 4096)
			t.Errorf("%s: panic: %v\n%s", name, p, buf[:runtime.Stack(buf, false)])
			panicked = true
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	mod, err := Import(ctx, m, o)
	if err == nil {
		wellFormed(t, name, mod)
	}
	if ctx.Err() != nil {
		t.Errorf("%s: the import did not end", name)
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 512 {
		t.Errorf("%s: took %d MiB", name, got)
	}
	return err, false
}
