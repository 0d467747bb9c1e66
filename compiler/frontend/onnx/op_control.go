package onnx

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// controlRows are the operators that have graphs as attributes.
func controlRows() []operator {
	return []operator{
		{name: "If", minIn: 1, maxIn: 1, attrs: []string{"else_branch", "then_branch"}, convert: branch},
		{name: "Loop", maxIn: -1, attrs: []string{"body"}, convert: loopOp},
		{
			name: "Scan", maxIn: -1, convert: scan,
			attrs: []string{"body", "directions", "num_scan_inputs", "scan_input_axes", "scan_input_directions", "scan_output_axes", "scan_output_directions"},
		},
	}
}

// branch takes the branch that a condition selects which is known during the import, as those are that ask whether a shape has one axis more.
// Otherwise it is a conditional of both.
func branch(n *node) {
	k := n.known(0)
	if k != nil && len(k.elems) == 1 {
		if v, ok := tir.AsInt(k.elems[0]); ok {
			attr := "else_branch"
			if v != 0 {
				attr = "then_branch"
			}
			outs, err := n.g.inline(n.graph(attr, 0, len(n.pb.Outputs)), n.path+"."+attr)
			n.check(err)
			for i := range n.pb.Outputs {
				n.setValue(i, outs[i])
			}
			return
		}
	}
	cond := n.condition(0)
	var infos [2][]relax.StructInfo
	lengths := make([]int, len(n.pb.Outputs)) // of sequences, -1 for tensors
	emit := func(k int, attr string) func() (relax.Expr, error) {
		body := n.graph(attr, 0, len(n.pb.Outputs))
		return func() (out relax.Expr, err error) {
			defer recoverBail(&err)
			defer n.g.scope()()
			outs, err := n.g.inline(body, n.path+"."+attr)
			if err != nil {
				return nil, err
			}
			var fields []relax.Expr
			for i, out := range outs[:len(n.pb.Outputs)] {
				elements, length := []*value{out}, -1
				if out.list != nil {
					elements, length = out.list.of, len(out.list.of)
				}
				if k == 1 && length != lengths[i] {
					n.fail("output %d is a sequence of %d elements in one branch and of %d in the other (-1 stands for a tensor), expected as many", i, lengths[i], length)
				}
				lengths[i] = length
				for _, e := range elements {
					fields = append(fields, n.tensor(e))
					infos[k] = append(infos[k], relax.SInfoOf(fields[len(fields)-1]))
				}
			}
			if len(fields) == 1 {
				return fields[0], nil
			}
			return tuple(fields), nil
		}
	}
	before := len(n.g.symbols.born)
	v, err := n.g.bb.EmitIfAt(ir.Base{Origin: n.origin}, cond, emit(0, "then_branch"), emit(1, "else_branch"), n.g.names.fresh(n.base))
	n.check(err)
	inner := n.g.symbols.born[before:]
	at := 0
	field := func(i int, name string) *value {
		var e relax.Expr = v
		if len(infos[0]) > 1 {
			e = n.bind(&relax.TupleGetItem{Base: ir.Base{Origin: n.origin}, Tuple: v, Index: at}, name, n.isOutput(i) && lengths[i] < 0)
		}
		e = n.joined(e, i, infos[0][at], infos[1][at], inner)
		at++
		return &value{expr: e}
	}
	for i, name := range n.pb.Outputs {
		if lengths[i] < 0 {
			n.setValue(i, field(i, name))
			continue
		}
		of := make([]*value, lengths[i])
		for k := range of {
			of[k] = field(i, fmt.Sprintf("%s_%d", name, k))
		}
		n.setSequence(i, of)
	}
}

// graph returns an attribute that is a body with so many inputs and at least so many outputs.
func (n *node) graph(attr string, inputs, outputs int) *onnxpb.Graph {
	a := n.attr(attr, onnxpb.AttrGraph)
	if a == nil || a.G == nil {
		n.fail("attribute %q is missing", attr)
	}
	if len(a.G.Outputs) < outputs || len(a.G.Inputs) != inputs {
		n.fail("attribute %q has %d inputs and %d outputs, expected %d and %d, as the node has", attr, len(a.G.Inputs), len(a.G.Outputs), inputs, outputs)
	}
	return a.G
}

// condition is operand i as a scalar truth value.
func (n *node) condition(i int) relax.Expr {
	n.wantDType(i, "bool", dtype.DType.IsBool)
	for _, d := range n.dims(i) {
		if v, ok := tir.AsInt(d); ok && v != 1 {
			n.fail("the condition (input %d, %q) has shape %s, expected one element", i, n.pb.Inputs[i], relax.FormatDims(n.dims(i)))
		}
	}
	return n.reshape(n.expr(i), nil)
}

// joined is result i of a conditional whose branches yield values of the given struct info: extents that differ, or that depend on symbols of a
// branch, become symbolic ones, which are known at run time.
func (n *node) joined(e relax.Expr, i int, a, b relax.StructInfo, inner []*tir.Var) relax.Expr {
	x, xok := a.(*relax.TensorStructInfo)
	y, yok := b.(*relax.TensorStructInfo)
	if !xok || !yok {
		return e
	}
	if x.DType != y.DType {
		n.fail("output %d has element type %s in one branch and %s in the other", i, x.DType, y.DType)
	}
	if _, ok := relax.SInfoOf(e).(*relax.TensorStructInfo).Dims(); ok {
		return e
	}
	xd, xok := x.Dims()
	yd, yok := y.Dims()
	if !xok || !yok || len(xd) != len(yd) {
		return e
	}
	ctx := &relax.InferContext{Prover: n.g.prover}
	dims := make([]tir.Expr, len(xd))
	for k := range dims {
		dims[k] = xd[k]
		if ctx.Equal(xd[k], yd[k]) != relax.True || mentions(xd[k], inner) || mentions(yd[k], inner) {
			dims[k] = n.g.symbols.extent(n.base)
		}
	}
	return n.matchCast(e, dims)
}

// mentions reports whether e has one of the variables in it.
func mentions(e tir.Expr, vars []*tir.Var) bool {
	return slices.ContainsFunc(relax.VarsOf(e), func(v *tir.Var) bool { return slices.Contains(vars, v) })
}

// scope begins a place whose bindings are not visible outside, and returns what ends it: computed shapes that were bound in it are not any more.
func (g *graph) scope() func() {
	outer, assumed := g.cached, len(g.assumed)
	g.cached = nil
	return func() {
		for _, v := range g.cached {
			v.expr = nil
		}
		g.cached, g.assumed = outer, g.assumed[:assumed]
	}
}

// inline converts a graph in which the values of this one are visible, and returns its outputs. Its names are gone behind it: the other branch of the
// node may have the same.
func (g *graph) inline(pb *onnxpb.Graph, path string) ([]*value, error) {
	saved := *g
	defer func() {
		g.pb, g.path, g.uses, g.outputs, g.nested = saved.pb, saved.path, saved.uses, saved.outputs, saved.nested
	}()
	g.pb, g.path = pb, path
	if g.nested++; g.nested > maxNested {
		return nil, fmt.Errorf("%s: functions, branches and loops are more than %d deep in each other", path, maxNested)
	}
	if err := g.inlining(len(pb.Nodes)); err != nil {
		return nil, err
	}
	g.countUses()
	g.outputs = map[string]bool{} // none is one of main
	if err := g.supported(); err != nil {
		return nil, err
	}
	if err := g.initializers(); err != nil {
		return nil, err
	}
	if err := g.nodes(); err != nil {
		return nil, err
	}
	var outs []*value
	for i, out := range pb.Outputs {
		v := g.values[out.Name]
		if v == nil {
			return nil, fmt.Errorf("%s.output[%d]: %q is not defined", path, i, out.Name)
		}
		outs = append(outs, v)
	}
	for i := range pb.Initializers {
		delete(g.values, pb.Initializers[i].Name)
	}
	for i := range pb.Nodes {
		for _, name := range pb.Nodes[i].Outputs {
			delete(g.values, name)
		}
	}
	return outs, nil
}
