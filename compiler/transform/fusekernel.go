package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// tirFuser builds the kernel of one Primitive function. Each variable of the function is one buffer, or as many as its tuple has
// tensors; what call_tir_inplace returns is the buffer that it was given. The parameters of the kernel are the buffers of the parameters,
// those of the results that are not among them, and the scalars.
type tirFuser struct {
	m       *ir.Module
	seen    map[*relax.Var]*tir.Buffer // how the first kernel sees a tensor
	buffers map[*relax.Var][]*tir.Buffer
	written map[*tir.Buffer]bool // in place
	params  []*tir.Var
	ports   []*tir.Buffer
	scalars []*tir.Var
	inplace []int64
	allocs  []*tir.Buffer
	body    []tir.Stmt
	names   ir.Names // of buffers
	blocks  ir.Names
	origin  ir.OriginID // of the kernel
}

// noKernel says why a function is no kernel, although nothing in it is wrong.
type noKernel struct{ reason string }

func (e *noKernel) Error() string { return e.reason }

func noKernelf(format string, args ...any) error { return &noKernel{fmt.Sprintf(format, args...)} }

func fusePrimFuncs(m *ir.Module, f *relax.Function) (*tirFuser, *tir.PrimFunc, error) {
	u := &tirFuser{m: m, origin: f.Origin, buffers: map[*relax.Var][]*tir.Buffer{}, seen: map[*relax.Var]*tir.Buffer{}, written: map[*tir.Buffer]bool{}}
	if err := u.uses(f); err != nil {
		return nil, nil, err
	}
	for _, p := range f.Params {
		if err := u.param(p); err != nil {
			return nil, nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
	}
	for _, blk := range f.Body.Blocks {
		for _, b := range blk.Bindings {
			if err := u.binding(b); err != nil {
				return nil, nil, fmt.Errorf("variable %s: %w", b.Bound().Name, err)
			}
		}
	}
	if err := u.results(f.Body.Body); err != nil {
		return nil, nil, err
	}
	for _, v := range u.scalars {
		u.params, u.ports = append(u.params, v), append(u.ports, nil)
	}
	base := ir.Base{Span: f.Span, Origin: u.origin}
	root := &tir.Block{Base: base, Name: "root", AllocBuffers: u.allocs, Body: tir.Seq(u.body...)}
	return u, &tir.PrimFunc{
		Base: base, Params: u.params, Buffers: u.ports, RetType: ir.VoidType(),
		Body:  &tir.BlockRealize{Base: base, Predicate: tir.Bool(true), Block: root},
		Attrs: ir.NewAttrs("tir.noalias", true),
	}, nil
}

// uses notes how kernels see the tensors that they are given and return: their memory scope and the separators of their axes. All have to see
// one alike.
func (u *tirFuser) uses(f *relax.Function) (err error) {
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		c := kernelCall(b.BoundValue())
		if c == nil || err != nil {
			return
		}
		gv, _ := c.Args[0].(*ir.GlobalVar)
		callee, ok := u.m.Lookup(gv.Name).(*tir.PrimFunc)
		if !ok {
			return
		}
		note := func(v *relax.Var, i int) {
			if i >= len(callee.Buffers) || callee.Buffers[i] == nil || err != nil {
				return
			}
			now := callee.Buffers[i]
			if old := u.seen[v]; old != nil && (old.Scope() != now.Scope() || !slices.Equal(old.AxisSeparators, now.AxisSeparators)) {
				err = fmt.Errorf("inconsistent buffers %s and %s mapped to the same relax var: %s", old.Name, now.Name, v.Name)
			}
			u.seen[v] = now
		}
		args := fieldsOf(c.Args[1])
		for i, a := range args {
			if v, ok := a.(*relax.Var); ok {
				note(v, i)
			}
		}
		if _, ok := b.Bound().SInfo.(*relax.TensorStructInfo); ok {
			note(b.Bound(), outputIndices(c, 1)[0])
		}
	})
	return err
}

// kernelCall returns e as a call_tir or call_tir_inplace, nil if it is neither.
func kernelCall(e relax.Expr) *relax.Call {
	if c := callsOp(e, opCallTIRInplace); c != nil {
		return c
	}
	return callsOp(e, opCallTIR)
}

// outputIndices returns for each of n results the parameter of the kernel that it is.
func outputIndices(c *relax.Call, n int) []int {
	at := c.Attrs.Ints("inplace_indices")
	next := len(fieldsOf(c.Args[1]))
	out := make([]int, n)
	for i := range out {
		if i < len(at) && at[i] >= 0 {
			out[i] = int(at[i])
			continue
		}
		out[i] = next
		next++
	}
	return out
}

// param makes parameters of the kernel of one of the function.
func (u *tirFuser) param(p *relax.Var) error {
	var values []tir.Expr
	switch info := p.SInfo.(type) {
	case *relax.TensorStructInfo:
		b, err := u.buffer(p, p.Name, info)
		if err != nil {
			return err
		}
		b.Base = p.Base
		u.port(b)
		u.buffers[p] = []*tir.Buffer{b}
		return nil
	case *relax.ShapeStructInfo:
		if values = info.Values; values == nil {
			return noKernelf("its values are unknown: %s", relax.FormatSInfo(info))
		}
	case *relax.PrimStructInfo:
		values = []tir.Expr{info.Value}
	default:
		return noKernelf("it is not a tensor, shape or scalar but %s", relax.FormatSInfo(p.SInfo))
	}
	for _, e := range values {
		v, ok := e.(*tir.Var)
		if !ok {
			return noKernelf("a scalar of a kernel must be a symbolic variable: %s", relax.FormatSInfo(p.SInfo))
		}
		u.scalars = append(u.scalars, v)
	}
	return nil
}

// port makes b a parameter of the kernel.
func (u *tirFuser) port(b *tir.Buffer) {
	u.params = append(u.params, &tir.Var{Name: "p_" + b.Name, Type: &ir.PrimType{DType: dtype.HandleT}})
	u.ports = append(u.ports, b)
}

// buffer returns a buffer for the tensor v, or for a part of it, as kernels see it.
func (u *tirFuser) buffer(v *relax.Var, name string, info *relax.TensorStructInfo) (*tir.Buffer, error) {
	dims, ok := info.Dims()
	if !ok {
		return nil, noKernelf("its shape is unknown: %s", relax.FormatSInfo(info))
	}
	scope := ""
	seen := u.seen[v]
	if seen != nil && seen.Scope() != "global" {
		scope = seen.Scope()
	}
	b := tir.NewBuffer(u.names.Fresh(name, "_"), info.DType, dims, scope)
	if seen != nil {
		b.AxisSeparators = seen.AxisSeparators
	}
	return b, nil
}

func (u *tirFuser) binding(b relax.Binding) error {
	c := kernelCall(b.BoundValue())
	if c == nil {
		list, ok := u.of(b.BoundValue())
		if _, cast := b.(*relax.MatchCast); !ok || cast {
			return noKernelf("it is not bound to a call_tir or call_tir_inplace")
		}
		u.buffers[b.Bound()] = list
		return nil
	}
	gv := c.Args[0].(*ir.GlobalVar)
	callee, ok := u.m.Lookup(gv.Name).(*tir.PrimFunc)
	if !ok {
		return fmt.Errorf("kernel %s is not in the module", gv.Name)
	}
	args, scalars, err := u.args(gv.Name, c)
	if err != nil {
		return err
	}
	infos, err := tensorsIn(b.Bound().SInfo)
	if err != nil {
		return fmt.Errorf("kernel %s returns %w", gv.Name, err)
	}
	inputs := len(args)
	for i, at := range outputIndices(c, len(infos)) {
		if at < inputs {
			u.written[args[at]] = true
			u.buffers[b.Bound()] = append(u.buffers[b.Bound()], args[at])
			continue
		}
		name := b.Bound().Name
		if len(infos) > 1 {
			name = fmt.Sprintf("%s_%d", name, i)
		}
		out, err := u.buffer(b.Bound(), name, infos[i])
		if err != nil {
			return err
		}
		out.Base = b.Meta()
		args, u.allocs = append(args, out), append(u.allocs, out)
		u.buffers[b.Bound()] = append(u.buffers[b.Bound()], out)
	}
	var vars []tir.Expr
	if len(c.Args) > 2 {
		shape, ok := c.Args[2].(*relax.ShapeExpr)
		if !ok {
			return fmt.Errorf("the tir_vars of kernel %s are a %T: only a shape that is written out can be fused", gv.Name, c.Args[2])
		}
		vars = shape.Values
	}
	return u.inline(gv.Name, callee, args, vars, scalars, b.Meta())
}

// args returns the buffers that a kernel is called with, and the values of those that stand for scalar constants.
func (u *tirFuser) args(name string, c *relax.Call) ([]*tir.Buffer, map[*tir.Buffer]tir.Expr, error) {
	var args []*tir.Buffer
	scalars := map[*tir.Buffer]tir.Expr{}
	for i, a := range fieldsOf(c.Args[1]) {
		switch a := a.(type) {
		case *relax.Var:
			if len(u.buffers[a]) != 1 {
				return nil, nil, fmt.Errorf("kernel %s takes %s, which is neither a parameter nor computed before", name, a.Name)
			}
			args = append(args, u.buffers[a]...)
		case *relax.Constant:
			value, scalar := scalarConst(a)
			if !scalar {
				return nil, nil, fmt.Errorf("kernel %s takes a constant tensor: it must be a parameter of the function", name)
			}
			cell := tir.NewBuffer("const", a.Data.DType(), nil, "")
			scalars[cell] = value
			args = append(args, cell)
		default:
			return nil, nil, fmt.Errorf("argument %d of kernel %s is a %T: only tensors can be fused", i, name, a)
		}
	}
	return args, scalars, nil
}

// of returns the buffers of a variable, a tuple or a field of one.
func (u *tirFuser) of(e relax.Expr) ([]*tir.Buffer, bool) {
	switch e := e.(type) {
	case *relax.Var:
		list, ok := u.buffers[e]
		return list, ok
	case *relax.Tuple:
		var out []*tir.Buffer
		for _, f := range e.Fields {
			list, ok := u.of(f)
			if !ok {
				return nil, false
			}
			out = append(out, list...)
		}
		return out, true
	case *relax.TupleGetItem:
		list, ok := u.of(e.Tuple)
		info, tuple := relax.SInfoOf(e.Tuple).(*relax.TupleStructInfo)
		if !ok || !tuple || e.Index >= len(info.Fields) {
			return nil, false
		}
		from := 0
		for i, f := range info.Fields[:e.Index+1] {
			n, err := tensorsIn(f)
			if err != nil || from+len(n) > len(list) {
				return nil, false
			}
			if i == e.Index {
				return list[from : from+len(n)], true
			}
			from += len(n)
		}
	}
	return nil, false
}

// tensorsIn returns the tensors of a value in order, those of tuples in tuples included.
func tensorsIn(s relax.StructInfo) ([]*relax.TensorStructInfo, error) {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		return []*relax.TensorStructInfo{s}, nil
	case *relax.TupleStructInfo:
		var out []*relax.TensorStructInfo
		for _, f := range s.Fields {
			list, err := tensorsIn(f)
			if err != nil {
				return nil, err
			}
			out = append(out, list...)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s: only tensors can be fused", relax.FormatSInfo(s))
}

// results makes the buffers of the results parameters of the kernel. Those that are parameters already are written in place.
func (u *tirFuser) results(body relax.Expr) error {
	list, ok := u.of(body)
	if !ok || len(list) == 0 {
		return noKernelf("the result is not a tensor that a kernel returns, or a tuple of such, but a %T", body)
	}
	inputs, inplace := len(u.ports), false
	indices := make([]int64, len(list))
	for i, b := range list {
		at := slices.Index(u.ports, b)
		switch {
		case at < 0:
			indices[i] = -1
			u.port(b)
			u.allocs = slices.DeleteFunc(u.allocs, func(x *tir.Buffer) bool { return x == b })
		case at >= inputs || slices.Contains(indices[:i], int64(at)):
			return noKernelf("two results are the same tensor, %s", b.Name)
		case !u.written[b]:
			return noKernelf("a result is the parameter %s, which no kernel writes", b.Name)
		default:
			indices[i], inplace = int64(at), true
		}
	}
	if inplace {
		u.inplace = indices
	}
	return nil
}
