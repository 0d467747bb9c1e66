package starpass

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// constructor returns the function that builds nodes of kind k: fields by position in the
// order of the schema, or by name.
func constructor(k *kind, name string) *starlark.Builtin {
	return builtin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		n := reflect.New(k.typ.Elem())
		node := n.Interface().(ir.Node)
		given := map[string]bool{}
		fields := fieldsOf(node)
		if len(args) > len(fields) {
			return nil, fmt.Errorf("%s takes %s, got %d arguments", name, strings.Join(fieldNames(node), ", "), len(args))
		}
		for i, v := range args {
			if err := set(n, fields[i], v); err != nil {
				return nil, err
			}
			given[fields[i].Name] = v != starlark.None
		}
		for _, kv := range kwargs {
			f, err := fieldToSet(node, string(kv[0].(starlark.String)))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if given[f.Name] {
				return nil, fmt.Errorf("%s: %s is given twice", name, f.Name)
			}
			if err := set(n, f, kv[1]); err != nil {
				return nil, err
			}
			given[f.Name] = kv[1] != starlark.None
		}
		if name == "DataflowVar" || name == "SizeVar" {
			given["dataflow"], given["size"] = true, true
			n.Elem().FieldByName(map[string]string{"DataflowVar": "Dataflow", "SizeVar": "Size"}[name]).SetBool(true)
		}
		for _, f := range fields {
			if !given[f.Name] && !slices.Contains(k.optional, f.Name) {
				return nil, fmt.Errorf("%s: the field %s is missing", name, f.Name)
			}
		}
		out, err := complete(node, given)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return &Node{out}, nil
	})
}

func set(n reflect.Value, f ir.Field, v starlark.Value) error {
	if i, ok := v.(starlark.Int); ok && n.Type() == reflect.TypeFor[*relax.PrimValue]() {
		x, err := exprOf(i, dtype.Int64T) // scalars of the graph level are int64
		if err != nil {
			return err
		}
		v = &Node{x}
	}
	if err := setField(n.Elem().Field(f.Index()), v); err != nil {
		return fmt.Errorf("field %s of %s: %w", f.Name, strings.TrimPrefix(n.Type().String(), "*"), err)
	}
	return nil
}

func fieldToSet(n ir.Node, name string) (ir.Field, error) {
	if f, ok := findField(n, name); ok {
		return f, nil
	}
	names := fieldNames(n)
	msg := fmt.Sprintf("%s has no field %q", nodeName(n), name)
	if near := nearestOf(name, names); near != "" {
		return ir.Field{}, fmt.Errorf("%s; did you mean %q?", msg, near)
	}
	return ir.Field{}, fmt.Errorf("%s; it has %s", msg, strings.Join(names, ", "))
}

// complete fills in what follows from the other fields of a new node, and refuses nodes whose
// parts the compiler relies on to fit each other.
func complete(n ir.Node, given map[string]bool) (ir.Node, error) {
	switch n := n.(type) {
	case *relax.Call:
		return n, typed(n)
	case *relax.TupleGetItem:
		if n.Index < 0 {
			return nil, fmt.Errorf("the index is %d, expected 0 or more", n.Index)
		}
	case *relax.TensorStructInfo:
		if s, ok := n.Shape.(*relax.ShapeExpr); ok {
			n.NDim = len(s.Values)
		} else if t, ok := n.Shape.(*relax.Tuple); ok { // a list of extents
			values, err := extents(t)
			if err != nil {
				return nil, err
			}
			n.Shape, n.NDim = &relax.ShapeExpr{Values: values}, len(values)
		} else if !given["ndim"] {
			n.NDim = -1
		}
	case *relax.ShapeStructInfo:
		if n.Values != nil || given["values"] {
			n.NDim = len(n.Values)
		} else if !given["ndim"] {
			n.NDim = -1
		}
	case *relax.ShapeExpr:
		for i, e := range n.Values {
			if x, ok := e.(*tir.IntImm); ok && x.Type != dtype.Int64T {
				n.Values[i] = tir.Int(x.Value)
			}
		}
	case *relax.Function:
		n.Pure = n.Pure || !given["pure"]
	case *relax.FuncStructInfo:
		n.Pure = n.Pure || !given["pure"]
	case *tir.Shuffle:
		if len(n.Vectors) == 0 {
			return nil, errors.New("a Shuffle needs vectors")
		}
	case *tir.SeqStmt:
		return tir.Seq(n.Seq...), nil
	case *tir.PrimFunc:
		if n.RetType == nil {
			n.RetType = ir.VoidType()
		}
		if len(n.Buffers) == 0 {
			n.Buffers = make([]*tir.Buffer, len(n.Params))
		}
		if len(n.Buffers) != len(n.Params) {
			return nil, fmt.Errorf("%d buffers for %d parameters: give None for parameters without one", len(n.Buffers), len(n.Params))
		}
	case *tir.Buffer:
		if !given["data_alignment"] {
			n.DataAlignment = tir.DefaultAlignment
		}
		if !given["offset_factor"] {
			n.OffsetFactor = 1
		}
	case *tir.IntImm:
		if d := n.Type; d.Lanes != 1 || !d.IsInteger() && !d.IsBool() {
			return nil, fmt.Errorf("an IntImm is of a scalar integer type, not %s", d)
		}
	case *tir.FloatImm:
		if d := n.Type; d.Lanes != 1 || !d.IsFloat() {
			return nil, fmt.Errorf("a FloatImm is of a scalar float type, not %s", d)
		}
	case *tir.Ramp:
		return n, lanes(n.Lanes)
	case *tir.Broadcast:
		return n, lanes(n.Lanes)
	}
	return n, nil
}

// typed gives the attributes of a call of an operator that are element types, which scripts
// write as strings, their type.
func typed(c *relax.Call) error {
	o := op.Of(c)
	for i := range c.Attrs.Len() {
		name, v := c.Attrs.At(i)
		s, text := v.(string)
		if o == nil || !text {
			continue
		}
		if a := o.Attr(name); a != nil && a.Type == op.DTypeAttr {
			d, err := dtype.Parse(s)
			if err != nil {
				return fmt.Errorf("attribute %s: %w", name, err)
			}
			c.Attrs = c.Attrs.With(name, d)
		}
	}
	return nil
}

func lanes(n int) error {
	if n < 1 || n > 1<<10 {
		return fmt.Errorf("lanes are 1 to %d, got %d", 1<<10, n)
	}
	return nil
}

func extents(t *relax.Tuple) ([]tir.Expr, error) {
	out := make([]tir.Expr, len(t.Fields))
	for i, e := range t.Fields {
		p, ok := e.(*relax.PrimValue)
		if !ok {
			return nil, fmt.Errorf("extent %d of the shape is not a scalar", i)
		}
		out[i] = p.Value
	}
	return out, nil
}

// binaryConstructor builds a binary operation as it stands, without folding.
func binaryConstructor(op tir.BinaryOp) *starlark.Builtin {
	return builtin(op.String(), func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var x, y starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "a", &x, "b", &y); err != nil {
			return nil, err
		}
		a, err := exprOf(x, dtype.Void)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		c, err := exprOf(y, a.DType())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		e, err := arithmetic(op, a, c, false)
		if err != nil {
			return nil, err
		}
		return &Node{e}, nil
	})
}

// constructors returns relax.X or tir.X for all kinds of a level.
func constructors(level string) starlark.StringDict {
	d := starlark.StringDict{}
	for _, k := range kinds() {
		if k.level == level {
			d[k.name] = typeOfKind(k, k.name, constructor(k, k.name))
		}
		if k.level == level {
			for name, stands := range more {
				if stands == k.name && (name == "SizeVar") == (level == levelTIR) && name != "DataflowBlock" {
					d[name] = typeOfKind(k, name, constructor(k, name))
				}
			}
		}
	}
	if level == levelTIR {
		for op := tir.OpAdd; op <= tir.OpOr; op++ {
			d[op.String()] = &typeValue{name: op.String(), call: binaryConstructor(op), is: func(v starlark.Value) bool {
				n, ok := v.(*Node)
				b, binary := ir.Node(nil), false
				if ok {
					b = n.n
				}
				x, binary := b.(*tir.Binary)
				return ok && binary && x.Op == op
			}}
		}
	}
	for name, v := range families(level) {
		d[name] = v
	}
	return d
}
