package tirpass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// BindParams makes the last parameters of kernels, such as weights, constants of theirs.
var BindParams = &pass.Pass{
	Name: "tir.BindParams", Kind: pass.Module,
	Doc: "Removes the last parameters of PrimFuncs, as many as constants has, and allocates these constants in the functions in their place.",
	Options: []pass.Option{{
		Name: "constants", Default: []ir.Value{}, Elem: []ir.Value{},
		Doc: "the tensors, in the order of the parameters: lists of numbers, one in the other as the shape says, e.g. [[[1, 2], [3, 4]]] for one of 2 by 2",
	}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		values := c.Arg("constants").([]ir.Value)
		if len(values) == 0 {
			return m, nil
		}
		bound := map[string]bool{}
		out, err := ir.MapFuncs(m, func(gv *ir.GlobalVar, f *tir.PrimFunc) (ir.Function, error) {
			c.Working(gv.Name)
			bound[gv.Name] = true
			return bindConstants(c, f, values)
		})
		if err != nil {
			return nil, err
		}
		c.Working("")
		for gv, fn := range out.Funcs() {
			if called := callsAny(fn, bound); called != "" {
				return nil, fmt.Errorf("function %s calls %s, with arguments for all of its parameters; inline it first", gv.Name, called)
			}
		}
		return out, nil
	},
}

// boundConstant is a constant in place of a parameter.
type boundConstant struct {
	buffer *tir.Buffer
	data   *ir.Blob
}

// bindConstants returns f with constants for its last parameters. Those that nothing reads are not allocated.
func bindConstants(c *pass.Context, f *tir.PrimFunc, values []ir.Value) (*tir.PrimFunc, error) {
	start := len(f.Params) - len(values)
	if start < 0 {
		return nil, fmt.Errorf("constants: %d for a function of %d parameters", len(values), len(f.Params))
	}
	of := map[*tir.Var]*boundConstant{}
	for i, v := range values {
		p, b := f.Params[start+i], f.Buffers[start+i]
		if b == nil {
			return nil, fmt.Errorf("constants: parameter %s is no buffer", p.Name)
		}
		data, err := tir.Literal(b.DType, v.([]ir.Value))
		if err != nil {
			return nil, fmt.Errorf("constants: for buffer %s: %w", b.Name, err)
		}
		if !slices.EqualFunc(b.Shape, data.Shape(), func(e tir.Expr, n int64) bool { return tir.IsConst(e, n) }) {
			return nil, fmt.Errorf("constants: for buffer %s: the shape is %v, want %v", b.Name, data.Shape(), b.Shape)
		}
		if len(b.Strides) > 0 || b.ElemOffset != nil && !tir.IsConst(b.ElemOffset, 0) {
			return nil, fmt.Errorf("constants: for buffer %s: expected one without strides and offset", b.Name)
		}
		of[b.Data] = &boundConstant{b, data}
	}
	used, err := readConstants(f, of)
	if err != nil {
		return nil, err
	}
	for _, x := range used {
		extents := make([]tir.Expr, 0, len(x.data.Shape()))
		for _, n := range x.data.Shape() {
			extents = append(extents, tir.Int32(n))
		}
		allocated := func(s tir.Stmt) tir.Stmt {
			out := &tir.AllocateConst{Base: x.buffer.Base, Var: x.buffer.Data, Type: x.buffer.DType, Extents: extents, Data: x.data, Body: s}
			c.Rewrite("make a parameter a constant", x.buffer, out)
			return out
		}
		if r, ok := f.Body.(*tir.BlockRealize); ok {
			f = f.WithBody(r.WithBlock(r.Block.WithBody(allocated(r.Block.Body))))
		} else {
			f = f.WithBody(allocated(f.Body))
		}
	}
	return f.WithParams(f.Params[:start:start]).WithBuffers(f.Buffers[:start:start]), nil
}

// readConstants returns the constants that f uses, in the order in which it does, and refuses those that it writes.
func readConstants(f *tir.PrimFunc, of map[*tir.Var]*boundConstant) (used []*boundConstant, err error) {
	note := func(v *tir.Var) {
		if x := of[v]; x != nil && !slices.Contains(used, x) {
			used = append(used, x)
		}
	}
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			note(n.Buffer.Data)
		case *tir.Var:
			note(n)
		case *tir.BufferStore:
			if x := of[n.Buffer.Data]; x != nil && err == nil {
				err = fmt.Errorf("constants: the function stores to buffer %s, which would be a constant", x.buffer.Name)
			}
		}
		return true
	})
	return used, err
}
