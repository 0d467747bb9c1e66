package relay

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// reader reads a call of an operator that is not the same call with other names.
type reader func(b *builder, n *node, args []relax.Expr, attrs []attr) (*relax.Call, error)

// readerOf returns the reader of the operator that Relay knows by a name, nil for one that the table describes.
func readerOf(name string) reader {
	switch name {
	case "clip":
		return readClip
	case "reshape":
		return readReshape
	case "expand_dims":
		return readExpandDims
	case "where":
		return readWhere
	case "nn.matmul", "nn.batch_matmul":
		return readMatmul
	case "sum", "mean", "max", "min", "prod":
		return readReduce
	}
	return nil
}

// values returns the attributes by name; it refuses those that are not listed.
func values(name string, attrs []attr, known ...string) (map[string]ir.Value, error) {
	out := map[string]ir.Value{}
	for _, a := range attrs {
		fine := false
		for _, k := range known {
			fine = fine || a.name == k
		}
		if !fine {
			return nil, fmt.Errorf("%s has no attribute %s", name, a.name)
		}
		out[a.name] = a.value
	}
	return out, nil
}

// readClip makes arguments of the bounds.
func readClip(b *builder, n *node, args []relax.Expr, attrs []attr) (*relax.Call, error) {
	v, err := values("clip", attrs, "a_min", "a_max")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"a_min", "a_max"} {
		f, ok := convert(v[name], op.FloatAttr)
		x, isFloat := f.(float64)
		if !ok || !isFloat {
			return nil, fmt.Errorf("clip needs its attribute %s, a number", name)
		}
		args = append(args, &relax.PrimValue{Value: &tir.FloatImm{Type: dtype.Float64T, Value: x}})
	}
	return b.typed(n, "relax.clip", args, nil)
}

// readReshape reads the special values of newshape where the shape of the argument is known; else the operator keeps them.
func readReshape(b *builder, n *node, args []relax.Expr, attrs []attr) (*relax.Call, error) {
	r := rows()["reshape"]
	list, err := r.read(attrs)
	if err != nil {
		return nil, err
	}
	c, err := b.typed(n, r.op.Name, args, list)
	if err != nil {
		return nil, err
	}
	t, ok := c.SInfo.(*relax.TensorStructInfo)
	if !ok {
		return c, nil
	}
	dims, ok := b.ctx.ShapeValues(t.Shape)
	if !ok || !plainDims(dims) {
		return c, nil
	}
	return b.typed(n, "relax.reshape", []relax.Expr{args[0], &relax.ShapeExpr{Values: dims}}, nil)
}

// plainDims reports whether newshape can say a shape: its extents are known but for one.
func plainDims(dims []tir.Expr) bool {
	open := 0
	for _, d := range dims {
		if v, ok := tir.AsInt(d); !ok {
			open++
		} else if v == 0 {
			return false
		}
	}
	return open <= 1
}

// readExpandDims writes the new axes out.
func readExpandDims(b *builder, n *node, args []relax.Expr, attrs []attr) (*relax.Call, error) {
	v, err := values("expand_dims", attrs, "axis", "num_newaxis")
	if err != nil {
		return nil, err
	}
	axis, ok := v["axis"].(int64)
	count, given := v["num_newaxis"].(int64)
	if !given {
		count = 1
	}
	if !ok || count < 0 || count > 64 || len(args) != 1 {
		return nil, fmt.Errorf("expand_dims needs an argument, an axis, and a number of new axes from 0 to 64")
	}
	if axis < 0 && count != 1 {
		t, _ := b.ctx.SInfoOf(args[0]).(*relax.TensorStructInfo)
		if t == nil || t.NDim < 0 {
			return nil, fmt.Errorf("expand_dims: the axis %d of a tensor of unknown rank", axis)
		}
		axis += int64(t.NDim) + 1
	}
	axes := []int64{}
	for i := range count {
		axes = append(axes, axis+i)
	}
	return b.typed(n, "relax.expand_dims", args, ir.NewAttrs("axis", axes))
}

// readWhere keeps an operator of Relay where the condition is no truth value.
func readWhere(b *builder, n *node, args []relax.Expr, attrs []attr) (*relax.Call, error) {
	if _, err := values("where", attrs); err != nil {
		return nil, err
	}
	if len(args) == 3 {
		if t, ok := b.ctx.SInfoOf(args[0]).(*relax.TensorStructInfo); ok && t.DType.IsBool() {
			return b.typed(n, "relax.where", args, nil)
		}
	}
	return b.typed(n, op.RelayPrefix+"where", args, nil)
}

// readReduce reads axes that are excluded as all others.
func readReduce(b *builder, n *node, args []relax.Expr, attrs []attr) (*relax.Call, error) {
	r := rows()[n.name]
	list, err := r.read(dropped(attrs, "exclude"))
	if err != nil {
		return nil, err
	}
	axes, given := list.Get("axis")
	if of, ok := axes.([]ir.Value); given && ok && excludes(attrs) {
		t, _ := b.ctx.SInfoOf(args[0]).(*relax.TensorStructInfo)
		if t == nil || t.NDim < 0 {
			return nil, fmt.Errorf("%s: exclude, for a tensor of unknown rank", n.name)
		}
		in := map[int64]bool{}
		for _, a := range of {
			x, _ := a.(int64)
			in[(x+int64(t.NDim))%max(1, int64(t.NDim))] = true
		}
		rest := []int64{}
		for i := range int64(t.NDim) {
			if !in[i] {
				rest = append(rest, i)
			}
		}
		list = list.With("axis", rest)
	}
	return b.typed(n, r.op.Name, args, list)
}

func excludes(attrs []attr) bool {
	for _, a := range attrs {
		if a.name == "exclude" {
			return a.value == true || a.value == int64(1)
		}
	}
	return false
}

func dropped(attrs []attr, name string) []attr {
	var out []attr
	for _, a := range attrs {
		if a.name != name {
			out = append(out, a)
		}
	}
	return out
}

// matmulOf is Relay's name of the matrix product of a rank, "" where it has none.
func matmulOf(rank int) string {
	switch rank {
	case 2:
		return "nn.matmul"
	case 3:
		return "nn.batch_matmul"
	}
	return ""
}

// readMatmul is Relax's where nothing is transposed and both are of the rank of the operator.
func readMatmul(b *builder, n *node, args []relax.Expr, attrs []attr) (*relax.Call, error) {
	r := rows()[n.name]
	list, err := r.read(attrs)
	if err != nil {
		return nil, err
	}
	plain := len(args) == 2 && !list.Bool("transpose_a", false) && !list.Bool("transpose_b", false)
	for _, a := range args {
		t, ok := b.ctx.SInfoOf(a).(*relax.TensorStructInfo)
		plain = plain && ok && matmulOf(t.NDim) == n.name
	}
	if !plain {
		return b.typed(n, r.op.Name, args, list)
	}
	dt, _ := list.Get("out_dtype")
	return b.typed(n, "relax.matmul", args, ir.NewAttrs("out_dtype", dt))
}
