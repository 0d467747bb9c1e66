package starpass

import (
	"errors"
	"fmt"
	"hash/maphash"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Computed is a tensor of te as a value of Starlark: A[i, j] reads an element.
type Computed struct{ t *te.Tensor }

var (
	_ starlark.HasAttrs = (*Computed)(nil)
	_ starlark.Mapping  = (*Computed)(nil)
	_ starlark.Callable = (*Computed)(nil)
)

func (v *Computed) String() string        { return fmt.Sprintf("Tensor(%s, %s)", v.t.Name, v.t.DType) }
func (*Computed) Type() string            { return "te.Tensor" }
func (v *Computed) Name() string          { return v.t.Name }
func (*Computed) Freeze()                 {}
func (*Computed) Truth() starlark.Bool    { return true }
func (v *Computed) Hash() (uint32, error) { return uint32(maphash.Comparable(nodeSeed, v.t)), nil }

// AttrNames returns the fields.
func (*Computed) AttrNames() []string { return []string{"dtype", "name", "ndim", "shape"} }

// Attr returns a field.
func (v *Computed) Attr(name string) (starlark.Value, error) {
	switch name {
	case "dtype":
		return starlark.String(v.t.DType.String()), nil
	case "name":
		return starlark.String(v.t.Name), nil
	case "ndim":
		return starlark.MakeInt(v.t.NDim()), nil
	case "shape":
		return listOf(v.t.Shape), nil
	}
	return nil, nil
}

// Get is A[i] or A[i, j].
func (v *Computed) Get(key starlark.Value) (starlark.Value, bool, error) {
	list, ok := key.(starlark.Tuple)
	if !ok {
		list = starlark.Tuple{key}
	}
	out, err := v.at(list)
	return out, err == nil, err
}

// CallInternal is A(i, j).
func (v *Computed) CallInternal(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 {
		return nil, errors.New("a tensor is read at indices by position")
	}
	return v.at(args)
}

func (v *Computed) at(list starlark.Tuple) (starlark.Value, error) {
	if len(list) != v.t.NDim() {
		return nil, fmt.Errorf("tensor %s has %d dimensions, got %d indices", v.t.Name, v.t.NDim(), len(list))
	}
	idx := make([]tir.Expr, len(list))
	for i, x := range list {
		e, err := exprOf(x, v.t.Shape[i].DType())
		if err == nil && (!e.DType().IsInteger() || e.DType().Lanes != 1) {
			err = fmt.Errorf("index %d of tensor %s is a %s, expected an integer", i, v.t.Name, e.DType())
		}
		if err != nil {
			return nil, err
		}
		idx[i] = e
	}
	return &Node{v.t.At(idx...)}, nil
}

// refusedTE are the functions of te that are not built.
var refusedTE = []string{"comm_reducer", "create_schedule", "extern", "gradient", "hybrid", "tag_scope"}

// teNamespace is te.
func teNamespace() starlark.Value {
	d := starlark.StringDict{
		"compute":          builtin("compute", compute),
		"const":            builtin("const", teConst),
		"create_prim_func": builtin("create_prim_func", createPrimFunc),
		"placeholder":      builtin("placeholder", placeholder),
		"reduce_axis":      builtin("reduce_axis", reduceAxis),
		"scan":             builtin("scan", teScan),
		"size_var":         builtin("size_var", teVar(true)),
		"var":              builtin("var", teVar(false)),
		"Tensor":           &typeValue{name: "Tensor", is: func(v starlark.Value) bool { _, ok := v.(*Computed); return ok }},
	}
	for name, f := range map[string]func(tir.Expr, ...*tir.IterVar) tir.Expr{"sum": te.Sum, "prod": te.Prod, "max": te.Max, "min": te.Min} {
		d[name] = builtin("te."+name, reduction(f))
	}
	for _, name := range refusedTE {
		d[name] = builtin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return nil, fmt.Errorf("te.%s is not available: write the kernel with compute and reductions, or as a PrimFunc", name)
		})
	}
	return namespace("te", d)
}

func shapeOf(v starlark.Value) ([]tir.Expr, error) {
	if _, ok := v.(starlark.Iterable); !ok {
		v = starlark.Tuple{v}
	}
	return dimsOf(v)
}

func placeholder(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var shape starlark.Value
	dt, name := "float32", "placeholder"
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "shape", &shape, "dtype?", &dt, "name?", &name); err != nil {
		return nil, err
	}
	dims, err := shapeOf(shape)
	if err != nil {
		return nil, fmt.Errorf("placeholder: %w", err)
	}
	d, err := dtype.Parse(dt)
	if err != nil {
		return nil, fmt.Errorf("placeholder: %w", err)
	}
	return &Computed{te.Placeholder(name, d, dims...)}, nil
}

func teVar(size bool) builtinFunc {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		name, dt := "tindex", "int64"
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name?", &name, "dtype?", &dt); err != nil {
			return nil, err
		}
		d, err := dtype.Parse(dt)
		if err != nil {
			return nil, err
		}
		v := tir.NewVar(name, d)
		v.Size = size
		return &Node{v}, nil
	}
}

func teConst(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	dt := ""
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "value", &v, "dtype?", &dt); err != nil {
		return nil, err
	}
	like := dtype.Void
	if dt != "" {
		var err error
		if like, err = dtype.Parse(dt); err != nil {
			return nil, err
		}
	}
	e, err := exprOf(v, like)
	if err != nil {
		return nil, err
	}
	return &Node{e}, nil
}

// reduceAxis is reduce_axis((begin, end), name): axes begin at 0 here.
func reduceAxis(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var dom starlark.Value
	name := "rv"
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "dom", &dom, "name?", &name); err != nil {
		return nil, err
	}
	ends, err := dimsOf(dom)
	if err != nil {
		return nil, fmt.Errorf("reduce_axis: %w", err)
	}
	if len(ends) != 2 || !tir.IsConst(ends[0], 0) {
		return nil, errors.New("reduce_axis: expected a range (0, extent)")
	}
	return &Node{te.ReduceAxis(name, ends[1])}, nil
}

func reduction(f func(tir.Expr, ...*tir.IterVar) tir.Expr) builtinFunc {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var v, axis starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &v, "axis", &axis); err != nil {
			return nil, err
		}
		e, err := exprOf(v, dtype.Float32T)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		if d := e.DType(); d.Lanes != 1 || !d.IsFloat() && !d.IsInteger() {
			return nil, fmt.Errorf("%s: a %s cannot be reduced", b.Name(), d)
		}
		if isNode(axis) {
			axis = starlark.Tuple{axis}
		}
		var axes []*tir.IterVar
		err = eachOf(axis, func(x starlark.Value) error {
			a, err := asNode[*tir.IterVar](x, "a reduce_axis")
			if err == nil && a.Kind != tir.CommReduce {
				err = fmt.Errorf("%s is no reduce_axis", a.Var.Name)
			}
			axes = append(axes, a)
			return err
		})
		if err == nil && len(axes) == 0 {
			err = errors.New("there is no axis")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		return &Node{f(e, axes...)}, nil
	}
}

// compute is compute(shape, lambda i, j: ..., name="compute").
func compute(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var shape, tag, attrs starlark.Value
	var f starlark.Callable
	name := "compute"
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "shape", &shape, "fcompute", &f, "name?", &name, "tag?", &tag, "attrs?", &attrs); err != nil {
		return nil, err
	}
	dims, err := shapeOf(shape)
	if err != nil {
		return nil, fmt.Errorf("compute: %w", err)
	}
	r := runOf(t)
	var axes []string
	if fn, ok := f.(*starlark.Function); ok && !fn.HasVarargs() {
		for i := range fn.NumParams() {
			n, _ := fn.Param(i)
			axes = append(axes, n)
		}
		if len(axes) != len(dims) {
			return nil, fmt.Errorf("compute: the shape has %d dimensions, but the function has %d parameters", len(dims), len(axes))
		}
	}
	body := func(i []tir.Expr) tir.Expr {
		idx := make(starlark.Tuple, len(i))
		for k, e := range i {
			idx[k] = &Node{e}
		}
		var v starlark.Value
		if v, err = starlark.Call(t, f, idx, nil); err != nil {
			return tir.Int(0)
		}
		var e tir.Expr
		if e, err = exprOf(v, dtype.Float32T); err == nil {
			err = r.checkBody(e)
		}
		if err != nil {
			return tir.Int(0)
		}
		return e
	}
	out := te.Compute(name, dims, body, te.AxisNames(axes...))
	if err != nil {
		return nil, fmt.Errorf("compute: %w", err)
	}
	return &Computed{out}, nil
}

// teScan is scan(init, update, state_placeholder, inputs=None, name="scan"), of tensors or of lists of tensors.
func teScan(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var given [3]starlark.Value
	var inputs, tag, attrs starlark.Value
	name := "scan"
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "init", &given[0], "update", &given[1], "state_placeholder", &given[2], "inputs?", &inputs, "name?", &name, "tag?", &tag, "attrs?", &attrs); err != nil {
		return nil, err
	}
	var lists [3][]*te.Tensor
	_, single := given[0].(*Computed)
	for i, v := range given {
		var err error
		if c, ok := v.(*Computed); ok {
			lists[i] = []*te.Tensor{c.t}
		} else if lists[i], err = tensorsOf(v); err != nil {
			return nil, fmt.Errorf("scan: %w", err)
		}
	}
	out, err := te.Scan(name, lists[0], lists[1], lists[2])
	if err != nil {
		return nil, err
	}
	if single {
		return &Computed{out[0]}, nil
	}
	var list []starlark.Value
	for _, t := range out {
		list = append(list, &Computed{t})
	}
	return starlark.NewList(list), nil
}

// tensorsOf returns the tensors in a list.
func tensorsOf(v starlark.Value) (out []*te.Tensor, err error) {
	err = eachOf(v, func(x starlark.Value) error {
		c, ok := x.(*Computed)
		if !ok {
			return fmt.Errorf("expected tensors, got %s", describe(x))
		}
		out = append(out, c.t)
		return nil
	})
	return out, err
}

// checkBody refuses what no kernel can be made of: a reduction inside of an expression, and expressions without end.
func (r *run) checkBody(e tir.Expr) error {
	if err := r.countNodes("compute", e); err != nil {
		return err
	}
	if d := e.DType(); d.Lanes != 1 || !d.IsFloat() && !d.IsInteger() && !d.IsBool() {
		return fmt.Errorf("an element cannot be a %s", d)
	}
	inner := 0
	ir.Walk(e, func(n ir.Node) bool {
		if _, ok := n.(*tir.Reduce); ok && n != ir.Node(e) {
			inner++
		}
		return inner == 0
	})
	if inner > 0 {
		return errors.New("a reduction stands inside of an expression: compute it as a tensor of its own")
	}
	return nil
}

// createPrimFunc is create_prim_func([A, B, C]): a kernel with these inputs and outputs.
func createPrimFunc(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "ops", &list); err != nil {
		return nil, err
	}
	tensors, err := tensorsOf(list)
	if err != nil {
		return nil, fmt.Errorf("create_prim_func: %w", err)
	}
	fn, err := runOf(t).primFunc(tensors)
	if err != nil {
		return nil, fmt.Errorf("create_prim_func: %w", err)
	}
	return &Node{fn}, nil
}

// primFunc makes a kernel, within the steps of a pass.
func (r *run) primFunc(tensors []*te.Tensor) (fn *tir.PrimFunc, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *budget.Stop:
			fn, err = nil, &LimitError{fmt.Sprintf("the kernel is beyond the limit: %v", p)}
		default:
			panic(p)
		}
	}()
	return te.CreatePrimFunc(tensors, te.FuncOpts{Budget: budget.New(r.ctx, pass.FunctionSteps)})
}
