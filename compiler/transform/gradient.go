package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ruleGradient is what Gradient reports.
const ruleGradient = "differentiate a function"

// Gradient adds the reverse-mode derivative of a function, as src/relax/transform/gradient.cc of TVM v0.23 does.
var Gradient = GradientWith(nil)

// KernelGradient returns, for each of the arguments that call passes to its kernel, the derivative by it, where grad is the adjoint of the result; nil is none. It
// adds the kernels that it needs to the module of bb. The attribute te_grad_kwargs of the call has what the user gave for it.
type KernelGradient func(bb *relax.BlockBuilder, call *relax.Call, grad relax.Expr) ([]relax.Expr, error)

// GradientWith is Gradient where the derivatives of kernels that call_tir_with_grad calls are made by functions registered under the names in te_grad_name, as those
// are that TVM's register_te_gradient registers. PrimFuncs of the module are used for the names that kernels does not have.
func GradientWith(kernels map[string]KernelGradient) *pass.Pass {
	return &pass.Pass{
		Name: "Gradient", Kind: pass.Module,
		Doc: "Adds to the function func_name a function func_name_adjoint that returns the same and, behind it, the tuple of the derivatives of a scalar result by the parameters. The function must be one dataflow block. What lies between start_checkpoint and end_checkpoint is computed again instead of being kept.",
		Options: []pass.Option{
			{Name: "func_name", Default: "", Doc: "the function to differentiate; empty is none"},
			{Name: "require_grads", Default: []ir.Value{}, Elem: "", Or: "", Doc: "the name or the names of the parameters and other variables to differentiate by; none are all parameters"},
			{Name: "target_index", Default: 0, Doc: "which field of a tuple that the function returns is differentiated"},
		},
		Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return addAdjoint(c, m, kernels) },
	}
}

// addAdjoint returns m with the derivative of the function that the options name.
func addAdjoint(c *pass.Context, m *ir.Module, kernels map[string]KernelGradient) (*ir.Module, error) {
	name := c.Arg("func_name").(string)
	if name == "" {
		return m, nil
	}
	fn := m.Lookup(name)
	f, ok := fn.(*relax.Function)
	switch {
	case fn == nil:
		return nil, fmt.Errorf("func_name: the module has no function called %s", name)
	case !ok:
		return nil, fmt.Errorf("func_name: %s is no Relax function, and only these can be differentiated", name)
	}
	c.Working(name)
	adjoint, m, err := differentiate(c, m, name, relax.CopyFunction(f), kernels)
	if err != nil {
		return nil, err
	}
	e := m.Edit()
	free := name + "_adjoint"
	if m.Lookup(free) != nil {
		free = e.Fresh(free)
	}
	adjoint = adjoint.WithAttrs(f.Attrs.With(ir.AttrGlobalSymbol, free))
	e.Set(free, adjoint)
	c.Working(free)
	c.Rewrite(ruleGradient, nil, adjoint)
	c.Working("")
	return e.Done(), nil
}

// differentiate returns f, which it may take apart, with the derivatives, and m with the kernels that these call.
func differentiate(c *pass.Context, m *ir.Module, name string, f *relax.Function, kernels map[string]KernelGradient) (*relax.Function, *ir.Module, error) {
	if len(f.Body.Blocks) != 1 || !f.Body.Blocks[0].Dataflow {
		return nil, nil, fmt.Errorf("%s has %s; it must be one dataflow block: run ConvertToDataflow", name, describeBlocks(f))
	}
	sources, err := gradientSources(c, name, f)
	if err != nil {
		return nil, nil, err
	}
	fwd, err := eliminateCheckpoints(f)
	if err != nil {
		return nil, nil, err
	}
	target, err := gradientTarget(fwd.result, int(c.Arg("target_index").(int64)))
	if err != nil {
		return nil, nil, err
	}
	for i, v := range sources {
		if to, ok := fwd.renamed[v].(*relax.Var); ok {
			sources[i] = to
		}
	}
	out, m, err := backward(c, m, f, fwd, target, sources, kernels)
	if err != nil {
		return nil, nil, err
	}
	out, err = simplifyGradient(m, pruned(out))
	return out, m, err
}

func describeBlocks(f *relax.Function) string {
	switch n := len(f.Body.Blocks); {
	case n == 0:
		return "no bindings"
	case n == 1:
		return "bindings outside of a dataflow block"
	default:
		return fmt.Sprintf("%d blocks", n)
	}
}

// gradientSources returns the variables to differentiate by.
func gradientSources(c *pass.Context, name string, f *relax.Function) ([]*relax.Var, error) {
	var names []ir.Value
	switch given := c.Arg("require_grads").(type) {
	case string:
		names = []ir.Value{given}
	case []ir.Value:
		names = given
	}
	if len(names) == 0 {
		for _, p := range f.Params {
			if !isNestedTensor(p.SInfo, anyTensor) {
				return nil, fmt.Errorf("parameter %s is %s, which has no derivative: list others in require_grads", p.Name, relax.FormatSInfo(p.SInfo))
			}
		}
		return slices.Clone(f.Params), nil
	}
	byName := map[string][]*relax.Var{}
	note := func(v *relax.Var) { byName[v.Name] = append(byName[v.Name], v) }
	for _, p := range f.Params {
		note(p)
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) { note(b.Bound()) })
	var out []*relax.Var
	for _, n := range names {
		list := byName[n.(string)]
		switch {
		case len(list) == 0:
			return nil, fmt.Errorf("require_grads: %s has no variable called %s", name, n)
		case len(list) > 1:
			return nil, fmt.Errorf("require_grads: %s has %d variables called %s, and it is not known which is meant", name, len(list), n)
		case slices.Contains(out, list[0]):
			return nil, fmt.Errorf("require_grads: %s is there twice", n)
		case !isNestedTensor(list[0].SInfo, floatTensor):
			return nil, fmt.Errorf("require_grads: %s is %s; there are derivatives only by tensors of floating-point numbers and tuples of them", n, relax.FormatSInfo(list[0].SInfo))
		}
		out = append(out, list[0])
	}
	return out, nil
}

func anyTensor(*relax.TensorStructInfo) bool { return true }

func floatTensor(t *relax.TensorStructInfo) bool { return t.DType.IsFloat() }

func floatScalar(t *relax.TensorStructInfo) bool {
	d, known := t.Dims()
	return known && len(d) == 0 && floatTensor(t)
}

// isNestedTensor tells whether s is a tensor for which is holds, or a tuple of such.
func isNestedTensor(s relax.StructInfo, is func(*relax.TensorStructInfo) bool) bool {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		return is(s)
	case *relax.TupleStructInfo:
		return !slices.ContainsFunc(s.Fields, func(f relax.StructInfo) bool { return !isNestedTensor(f, is) })
	}
	return false
}

// gradientTarget returns the variable to differentiate.
func gradientTarget(result relax.Expr, index int) (*relax.Var, error) {
	var target relax.Expr
	switch r := result.(type) {
	case *relax.Var:
		if index != 0 {
			return nil, fmt.Errorf("target_index is %d, but the function returns one value: want 0", index)
		}
		target = r
	case *relax.Tuple:
		if index < 0 || index >= len(r.Fields) {
			return nil, fmt.Errorf("target_index is %d, want one of the %d values that the function returns, counted from 0", index, len(r.Fields))
		}
		target = r.Fields[index]
	default:
		return nil, fmt.Errorf("the function returns neither a variable nor a tuple: there is nothing to differentiate")
	}
	v, ok := target.(*relax.Var)
	if !ok {
		return nil, fmt.Errorf("the value to differentiate, number %d, is a %s and no variable", index, strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", target), "*relax.")))
	}
	if t, ok := v.SInfo.(*relax.TensorStructInfo); !ok || !floatScalar(t) {
		return nil, fmt.Errorf("the value to differentiate, %s, is %s; it must be a floating-point tensor without dimensions", v.Name, relax.FormatSInfo(v.SInfo))
	}
	return v, nil
}

// pruned drops what no derivative needs. All values of the block are pure.
func pruned(f *relax.Function) *relax.Function {
	needed := map[*relax.Var]bool{}
	need := func(v *relax.Var) { needed[v] = true }
	usedVars(f.Body.Body, need)
	blk := f.Body.Blocks[0]
	var kept []relax.Binding
	for _, b := range slices.Backward(blk.Bindings) {
		if needed[b.Bound()] {
			kept = append(kept, b)
			usedVars(b.BoundValue(), need)
		}
	}
	slices.Reverse(kept)
	return f.WithBody(f.Body.WithBlocks([]*relax.BindingBlock{blk.WithBindings(kept)}))
}

// simplifyGradient takes two transpositions behind each other away and transposes the factors instead of a product, since that is how the
// derivatives of matmul with transposed factors come out. It is TVM's gradient_simplifier.cc, but what leaves the block stays bound.
func simplifyGradient(m *ir.Module, f *relax.Function) (*relax.Function, error) {
	mu := op.NewExprMutator(m)
	valueOf := func(e relax.Expr) *relax.Call {
		v, ok := e.(*relax.Var)
		if !ok {
			return nil
		}
		call, _ := mu.Builder().LookupBinding(v).(*relax.Call)
		return call
	}
	turned := func(e relax.Expr) relax.Expr {
		if call := valueOf(e); call != nil && isTransposition(call) {
			return call.Args[0]
		}
		return transposition(e)
	}
	mu.Binding = func(b relax.Binding) {
		out := mu.MapBinding(b)
		vb, ok := out.(*relax.VarBinding)
		call, isCall := out.BoundValue().(*relax.Call)
		if !ok || !isCall || !isTransposition(call) {
			mu.EmitNormalized(out)
			return
		}
		switch inner := valueOf(call.Args[0]); {
		case inner == nil:
		case isTransposition(inner):
			if v, ok := inner.Args[0].(*relax.Var); ok && vb.Var.Dataflow {
				mu.Remap(b.Bound(), v)
				return
			}
		case opName(inner) == "relax.matmul" && rankOf(inner.Args[0]) > 1 && rankOf(inner.Args[1]) > 1:
			value := inner.WithArgs([]relax.Expr{turned(inner.Args[1]), turned(inner.Args[0])}).WithSInfo(nil)
			mu.Reemit(vb.WithValue(value))
			return
		}
		mu.EmitNormalized(out)
	}
	out, err := mu.Function(f)
	if err != nil {
		return nil, err
	}
	return pruned(out), nil
}

func rankOf(e relax.Expr) int {
	if t, ok := relax.SInfoOf(e).(*relax.TensorStructInfo); ok {
		return t.NDim
	}
	return -1
}

// isTransposition tells whether a call swaps the last two axes.
func isTransposition(call *relax.Call) bool {
	n := rankOf(call.Args[0])
	if opName(call) != "relax.permute_dims" || n < 2 {
		return false
	}
	axes := call.Attrs.Ints("axes")
	if len(axes) == 0 {
		return n == 2
	}
	return slices.Equal(axes, swappedLast(n))
}

func swappedLast(n int) []int64 {
	axes := make([]int64, n)
	for i := range axes {
		axes[i] = int64(i)
	}
	axes[n-2], axes[n-1] = axes[n-1], axes[n-2]
	return axes
}

func transposition(e relax.Expr) relax.Expr { return op.PermuteDims(e, swappedLast(rankOf(e))...) }
