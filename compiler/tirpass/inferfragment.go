package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// InferFragment says behind the allocation of fragments of matrices what shape and layout they have.
var InferFragment = &pass.Pass{
	Name: "tir.InferFragment", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Puts the shape of fragments of matrices, and for operands their layout, around the body of their allocation as the attributes fragment_shape and fragment_layout, as the intrinsics that load, store and fill them say.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		found := fragments{}
		if err := found.collect(f.Body); err != nil {
			return nil, err
		}
		if err := found.check(f.Body); err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return f, nil
		}
		m := &tir.Mapper{}
		m.Stmt = func(s tir.Stmt) tir.Stmt {
			out := m.MapStmt(s)
			a, ok := out.(*tir.Allocate)
			if !ok || found[a.Var] == nil || noted(a) {
				return out
			}
			out = a.WithBody(found[a.Var].around(a, a.Body))
			c.Rewrite("note the shape of a fragment", s, out)
			return out
		}
		return f.WithBody(m.Stmt(f.Body)), nil
	}),
}

// The attributes that describe fragments.
const (
	attrFragmentShape  = "fragment_shape"
	attrFragmentLayout = "fragment_layout"
)

// fragmentInfo is what intrinsics say of the memory of a fragment.
type fragmentInfo struct {
	m, n, k int64
	layout  string
	scope   string
}

// noted tells whether the body of a has the attributes already.
func noted(a *tir.Allocate) bool {
	for s := a.Body; ; {
		attr, ok := s.(*tir.AttrStmt)
		if !ok || attr.Node != ir.Node(a.Var) {
			return false
		}
		if attr.Key == attrFragmentShape {
			return true
		}
		s = attr.Body
	}
}

// around puts attributes around s, the body of a. (TVM has them around the allocation, where the pointer that they are for is not defined yet.)
func (g *fragmentInfo) around(a *tir.Allocate, s tir.Stmt) tir.Stmt {
	attr := func(key, value string) {
		s = &tir.AttrStmt{Base: a.Base, Node: a.Var, Key: key, Value: &tir.StringImm{Base: a.Base, Value: value}, Body: s}
	}
	attr(attrFragmentShape, fmt.Sprintf("%d, %d, %d", g.m, g.n, g.k))
	if g.layout != "" {
		attr(attrFragmentLayout, g.layout)
	}
	return s
}

// fragments are those of a function, by the pointer to their memory.
type fragments map[*tir.Var]*fragmentInfo

// collect reads the intrinsics in s that load, store and fill fragments.
func (found fragments) collect(s tir.Stmt) error {
	var err error
	ir.Walk(s, func(n ir.Node) bool {
		call, ok := n.(*tir.Call)
		if !ok || err != nil {
			return err == nil
		}
		switch call.Op.CalleeName() {
		case opLoadMatrix.Name, opStoreMatrix.Name:
			err = found.meet(call, 8)
		case "tir.tvm_fill_fragment":
			err = found.meet(call, 6)
		}
		return err == nil
	})
	return err
}

// meet takes what call, which has args arguments, says of its fragment.
func (found fragments) meet(call *tir.Call, args int) error {
	name := call.Op.CalleeName()
	if len(call.Args) != args {
		return fmt.Errorf("%s has %d arguments: expected %d", name, len(call.Args), args)
	}
	v, ok := call.Args[0].(*tir.Var)
	if !ok {
		return fmt.Errorf("%s: expected the pointer of a fragment first", name)
	}
	g := &fragmentInfo{scope: scopeOf(v)}
	for i, p := range []*int64{&g.m, &g.n, &g.k} {
		if *p, ok = tir.AsInt(call.Args[i+1]); !ok {
			return fmt.Errorf("%s of %s: expected constants for the shape of the fragment", name, v.Name)
		}
	}
	operand := g.scope == "wmma.matrix_a" || g.scope == "wmma.matrix_b"
	fill := args == 6
	switch {
	case fill:
		g.layout = "row_major"
	case operand:
		text, ok := call.Args[7].(*tir.StringImm)
		if !ok {
			return fmt.Errorf("%s of %s: expected the layout as a text last", name, v.Name)
		}
		g.layout = text.Value
	case g.scope != "wmma.accumulator":
		return fmt.Errorf("%s of %s, which is in %s memory: expected wmma.matrix_a, wmma.matrix_b, or wmma.accumulator", name, v.Name, g.scope)
	}
	old := found[v]
	if old == nil {
		found[v] = g
		return nil
	}
	if old.m != g.m || old.n != g.n || old.k != g.k {
		return fmt.Errorf("fragment %s has the shape %d, %d, %d in one place and %d, %d, %d in another", v.Name, old.m, old.n, old.k, g.m, g.n, g.k)
	}
	if operand && !fill && old.layout != g.layout {
		return fmt.Errorf("fragment %s is %s in one place and %s in another", v.Name, old.layout, g.layout)
	}
	return nil
}

// check compares the shapes of the fragments that are multiplied in s.
func (found fragments) check(s tir.Stmt) error {
	var err error
	ir.Walk(s, func(n ir.Node) bool {
		call, ok := n.(*tir.Call)
		if !ok || err != nil {
			return err == nil
		}
		name := call.Op.CalleeName()
		if name != "tir.tvm_mma_sync" && name != "tir.tvm_bmma_sync" {
			return true
		}
		if len(call.Args) != 8 {
			err = fmt.Errorf("%s has %d arguments: expected 8", name, len(call.Args))
			return false
		}
		var first *fragmentInfo
		for i := 0; i < 8 && err == nil; i += 2 {
			v, ok := call.Args[i].(*tir.Var)
			if !ok {
				err = fmt.Errorf("%s: expected the pointer of a fragment as argument %d", name, i)
				break
			}
			g := found[v]
			switch {
			case g == nil:
				//lint:ignore ST1005 as TVM says it
				err = fmt.Errorf("Tensorecore fragment %s must be filled (with tvm_fill_fragment) or loaded (with tvm_load_matrix_sync) before use.", v.Name)
			case first == nil:
				first = g
			case first.m != g.m || first.n != g.n || first.k != g.k:
				err = fmt.Errorf("%s multiplies fragments of the shapes %d, %d, %d and %d, %d, %d", name, first.m, first.n, first.k, g.m, g.n, g.k)
			}
		}
		return err == nil
	})
	return err
}
