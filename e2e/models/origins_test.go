package models

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/history"
	"github.com/irscope/irscope/instruments/history/fromir"
)

// TestOrigins compiles the gallery and the light models with the default pipeline and checks
// what kernels say that they came from.
func TestOrigins(t *testing.T) {
	for _, c := range onnxtest.Gallery(t) {
		t.Run(c.Name, func(t *testing.T) { checkOrigins(t, c) })
	}
	t.Run("light", func(t *testing.T) {
		for _, c := range onnxtest.Light(t) {
			t.Run(c.Name, func(t *testing.T) {
				if testing.Short() && slow[c.Name] {
					t.Skip("takes seconds")
				}
				checkOrigins(t, c)
			})
		}
	})
}

// names is a set of names of ONNX nodes.
type names map[string]bool

func (n names) String() string { return strings.Join(slices.Sorted(maps.Keys(n)), ", ") }

// nodesOf returns the nodes of the model that origins go back to; other roots are left out.
func nodesOf(o *ir.Origins, ids ...ir.OriginID) names {
	out := names{}
	for _, id := range ids {
		for _, r := range o.Sources(id) {
			if (history.Root{Op: r.Op}).IsNode() {
				out[r.Name] = true
			}
		}
	}
	return out
}

func checkOrigins(t *testing.T, c onnxtest.Case) {
	model := c.Model(t)
	h := newHarness(t)
	mod := h.importModel(model)
	at := map[string][2]*ir.Module{} // before and after a pass
	watch := &pass.Instrument{Name: "watch", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
		at[s.Pass.Name] = [2]*ir.Module{s.Input, m}
		return nil
	}}
	hist := history.New()
	rec := fromir.NewRecorder(instruments.NewSnapshots(), func(s *history.Step) error {
		hist.Add(s)
		return nil
	})
	if err := rec.Start(mod); err != nil {
		t.Fatal(err)
	}
	res, err := compiler.Compile(t.Context(), compiler.Request{Module: mod, Instruments: []*pass.Instrument{watch, rec.Instrument()}})
	if err != nil {
		t.Fatal(err)
	}
	generated := executed(res.Module)
	for _, k := range res.Kernels {
		generated = append(generated, k.Name)
	}
	if err := rec.Generated(res.Module, generated...); err != nil {
		t.Fatal(err)
	}

	want := kernelNodes(t, at["FuseOps"][0], at["FuseOps"][1], at["FuseTIRInner"][1])
	shapes := 0
	for _, k := range res.Kernels {
		fn := ir.MustLookup[*tir.PrimFunc](res.Module, k.Name)
		if got := nodesOf(res.Module.Origins(), fn.Origin); got.String() != want[k.Name].String() {
			t.Errorf("kernel %s comes from\n%v\nits fusion groups are of\n%v", k.Name, got, want[k.Name])
		} else if len(got) == 0 {
			shapes++
		}
		if inside := checkInside(t, res.Module.Origins(), k.Name, fn); inside.String() != want[k.Name].String() {
			t.Errorf("the statements of kernel %s come from\n%v\nat the end, its fusion groups are of\n%v", k.Name, inside, want[k.Name])
		}
	}
	fused := at["FuseTIRInner"][1]
	for gv, fn := range fused.Funcs() {
		if f, ok := fn.(*tir.PrimFunc); ok && want[gv.Name] != nil {
			if inside := checkInside(t, fused.Origins(), gv.Name, f); inside.String() != want[gv.Name].String() {
				t.Errorf("the statements of kernel %s come from\n%v\nits fusion groups are of\n%v", gv.Name, inside, want[gv.Name])
			}
		}
	}
	t.Logf("%d kernels, %d of them compute shapes or nothing of the model", len(res.Kernels), shapes)
	checkReached(t, model.Graph, res.Module, hist)
}

// kernelNodes returns the nodes that each kernel should come from. It finds the fusion groups
// again: a call that FuseOps took out of main went into the call that its result reaches.
func kernelNodes(t *testing.T, before, after, kernels *ir.Module) map[string]names {
	t.Helper()
	stays := map[string]bool{}
	for _, b := range bindings(after) {
		stays[b.Bound().Name] = true
	}
	users := map[string][]string{} // of a variable: the variables computed of it
	list := bindings(before)
	for _, b := range list {
		ir.Walk(b.BoundValue(), func(n ir.Node) bool {
			if v, ok := n.(*relax.Var); ok {
				users[v.Name] = append(users[v.Name], b.Bound().Name)
			}
			return true
		})
	}
	group := map[string]string{} // the binding that a variable's computation went into
	nodes := map[string]names{}  // by such a binding
	for _, b := range slices.Backward(list) {
		name := b.Bound().Name
		if group[name] = name; !stays[name] {
			group[name] = ""
			for _, u := range users[name] {
				if group[name] != "" && group[name] != group[u] {
					t.Errorf("%s went into %s and %s", name, group[name], group[u])
				}
				group[name] = group[u]
			}
			if group[name] == "" {
				t.Errorf("%s is gone, and so is everything that uses it", name)
			}
		}
		if nodes[group[name]] == nil {
			nodes[group[name]] = names{}
		}
		maps.Copy(nodes[group[name]], nodesOf(before.Origins(), b.Meta().Origin))
	}
	out := map[string]names{}
	for _, b := range bindings(kernels) {
		c, ok := b.BoundValue().(*relax.Call)
		if !ok || len(c.Args) == 0 {
			continue
		}
		if gv, ok := c.Args[0].(*ir.GlobalVar); ok {
			if out[gv.Name] == nil {
				out[gv.Name] = names{}
			}
			maps.Copy(out[gv.Name], nodes[b.Bound().Name])
		}
	}
	return out
}

func bindings(m *ir.Module) []relax.Binding { return bindingsOf(m, "main") }

func bindingsOf(m *ir.Module, name string) []relax.Binding {
	var out []relax.Binding
	relax.EachBinding(ir.MustLookup[*relax.Function](m, name).Body, func(_ *relax.BindingBlock, b relax.Binding) { out = append(out, b) })
	return out
}

// executed names the Relax functions of a module that run: main, and what runs when the program is loaded.
func executed(m *ir.Module) []string {
	out := []string{"main"}
	for gv, fn := range m.Funcs() {
		if f, ok := fn.(*relax.Function); ok && f.Attrs.Bool(ir.AttrRunOnce, false) {
			out = append(out, gv.Name)
		}
	}
	return out
}

// checkInside checks that no statement of a kernel comes from more than the kernel does, and
// returns what they come from together.
func checkInside(t *testing.T, o *ir.Origins, name string, fn *tir.PrimFunc) names {
	t.Helper()
	whole, all := nodesOf(o, fn.Origin), names{}
	seen := map[ir.OriginID]bool{}
	ir.Walk(fn.Body, func(n ir.Node) bool {
		if _, ok := n.(tir.Stmt); !ok {
			return false
		}
		id := n.Meta().Origin
		switch n.(type) {
		case *tir.For, *tir.BufferStore:
			if id == 0 && len(whole) > 0 {
				t.Errorf("kernel %s: a %T comes from nowhere", name, n)
				return false
			}
		}
		if r, ok := n.(*tir.BlockRealize); seen[id] || id == 0 || ok && r.Block.Name == "root" {
			return true
		}
		switch n := n.(type) {
		case *tir.Block:
			if n.Name == "root" {
				return true
			}
		case *tir.DeclBuffer, *tir.Allocate: // what a buffer holds may come from elsewhere
			return true
		}
		seen[id] = true
		for node := range nodesOf(o, id) {
			if all[node] = true; !whole[node] {
				t.Errorf("kernel %s: a %T comes from %s, the kernel does not", name, n, node)
			}
		}
		return true
	})
	return all
}

// checkReached checks that each node of the model is computed at run time, or was folded or
// is dead, by the model itself.
func checkReached(t *testing.T, g *onnxpb.Graph, m *ir.Module, h *history.History) {
	t.Helper()
	computed, apart, weights := names{}, names{}, names{} // weights are constants that passes computed
	var list []relax.Binding
	for _, name := range executed(m) {
		list = append(list, bindingsOf(m, name)...)
	}
	for _, b := range list {
		to := computed
		ir.Walk(b.BoundValue(), func(n ir.Node) bool {
			if c, ok := n.(*relax.Constant); ok {
				maps.Copy(weights, nodesOf(m.Origins(), c.Origin))
			}
			return true
		})
		if c, ok := b.BoundValue().(*relax.Call); ok {
			symbol := ""
			switch f := c.Op.(type) {
			case *relax.ExternFunc:
				symbol = f.Symbol
			case *ir.Op:
				symbol = f.Name
			}
			switch symbol {
			case "relax.vm.alloc_storage", "relax.vm.alloc_tensor", "relax.vm.kill_object", "vm.builtin.make_shape", "vm.builtin.match_shape",
				"vm.builtin.shape_of", "vm.builtin.tensor_to_shape", "vm.builtin.check_tensor_info", "vm.builtin.alloc_shape_heap":
				to = apart
			}
		}
		maps.Copy(to, nodesOf(m.Origins(), b.Meta().Origin))
	}
	facts := factsOf(g)
	counts := map[string]int{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		label := n.Name
		if label == "" {
			label = n.Outputs[0]
		}
		verb := history.Died // by the importer, before the first step
		f, err := h.Named(label)
		if err != nil {
			t.Errorf("node %s: %v", label, err)
			continue
		}
		if es := h.Of(f); len(es) > 0 {
			verb = es[len(es)-1].Verb
		}
		x := facts[i]
		switch {
		case computed[label]:
			counts["computed"]++
			if verb != history.Lowered {
				t.Errorf("%s %s is computed, its history ends with %q", n.OpType, label, verb)
			}
		case x.constant:
			counts["constant"]++
		case x.dead:
			counts["dead"]++
		case x.alias:
			counts["alias"]++
		case apart[label]:
			counts["shape"]++
		case weights[label]:
			counts["weights"]++
			if verb != history.Same {
				t.Errorf("%s %s is in weights, its history ends with %q", n.OpType, label, verb)
			}
		default:
			t.Errorf("%s %s is nowhere: its history ends with %q\n%s", n.OpType, label, verb, describe(h.Of(f)))
		}
		if !computed[label] && !apart[label] && !weights[label] && verb != history.Died && verb != history.Folded {
			t.Errorf("%s %s is not computed, its history ends with %q\n%s", n.OpType, label, verb, describe(h.Of(f)))
		}
	}
	t.Logf("%d nodes: %v", len(g.Nodes), counts)
}

func describe(es []history.Entry) string {
	var b strings.Builder
	for _, e := range es {
		fmt.Fprintf(&b, "%s %s %d -> %d\n", e.Path, e.Verb, len(e.From), len(e.To))
	}
	return b.String()
}

// fact is what the model says of a node.
type fact struct {
	constant bool // it depends on no input of the graph, or on nothing but its shape
	dead     bool // no output of the graph depends on it
	alias    bool // its result is its first operand
}

func factsOf(g *onnxpb.Graph) []fact {
	varies := map[string]bool{}
	weights := map[string]bool{}
	for i := range g.Initializers {
		weights[g.Initializers[i].Name] = true
	}
	for _, in := range g.Inputs {
		varies[in.Name] = !weights[in.Name]
	}
	out := make([]fact, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		x := &out[i]
		x.constant = true
		for _, in := range n.Inputs {
			x.constant = x.constant && !varies[in]
		}
		x.constant = x.constant || n.OpType == "Shape" || n.OpType == "Size"
		x.alias = n.OpType == "Identity" || n.OpType == "Dropout"
		for _, o := range n.Outputs {
			varies[o] = !x.constant
		}
	}
	needed := map[string]bool{}
	for _, o := range g.Outputs {
		needed[o.Name] = true
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := &g.Nodes[i]
		x := &out[i]
		x.dead = true
		for _, o := range n.Outputs {
			x.dead = x.dead && !needed[o]
		}
		for _, in := range n.Inputs {
			needed[in] = needed[in] || !x.dead
		}
	}
	return out
}
