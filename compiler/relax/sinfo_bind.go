package relax

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Bind replaces free variables of e, graph-level and symbolic ones, in expressions and in
// struct info. Variables whose struct info changes are replaced by new ones of the same name.
// It returns e itself if nothing changed.
func Bind(e Expr, sub Subst) Expr {
	m := &Mapper{Prim: sub.Prim}
	m.SInfo = m.MapSInfo
	m.RenewSInfo()
	expr := m.Expr
	m.Expr = func(e Expr) Expr {
		if v, ok := e.(*Var); ok && sub.Vars[v] != nil {
			return sub.Vars[v]
		}
		return expr(e)
	}
	return m.Expr(e)
}

// BindParams returns f without the parameters that values holds, which are replaced by their
// values; symbolic variables that those parameters define are replaced by what the values
// have in their place. It is an error if a value cannot be one of its parameter.
func BindParams(f *Function, values map[*Var]Expr, ctx *InferContext) (*Function, error) {
	var params, args []StructInfo
	var rest []*Var
	sub := Subst{Vars: map[*Var]Expr{}}
	for _, p := range f.Params {
		v, ok := values[p]
		if !ok {
			rest = append(rest, p)
			continue
		}
		info := ctx.SInfoOf(v)
		if info == nil {
			return nil, fmt.Errorf("the value of parameter %s has no struct info", p.Name)
		}
		params, args = append(params, p.SInfo), append(args, info)
		sub.Vars[p] = v
	}
	prims, bad := ctx.MatchParams(params, args)
	if bad >= 0 {
		return nil, fmt.Errorf("parameter of struct info %s cannot hold a value of struct info %s", FormatSInfo(params[bad]), FormatSInfo(args[bad]))
	}
	sub.Prims = prims
	return Bind(f.WithParams(rest), sub).(*Function), nil
}

// BindSymbolicVars returns f with symbolic variables replaced by expressions, such as the
// extents of a fixed input.
func BindSymbolicVars(f *Function, values map[*tir.Var]tir.Expr) *Function {
	return Bind(f, Subst{Prims: values}).(*Function)
}

// CopyFunction returns f with fresh variables, graph-level and symbolic ones, so that the
// copy can stand beside f in a module.
func CopyFunction(f *Function) *Function {
	prims := map[*tir.Var]tir.Expr{}
	fresh := func(v *tir.Var) {
		if prims[v] == nil {
			out := *v
			prims[v] = &out
		}
	}
	for _, v := range DefinedSymbolicVars(f) {
		fresh(v)
	}
	EachBinding(f.Body, func(_ *BindingBlock, b Binding) {
		if m, ok := b.(*MatchCast); ok {
			for _, v := range DefinableVars(m.SInfo) {
				fresh(v)
			}
		}
	})
	sub := Subst{Prims: prims}
	m := &Mapper{Prim: sub.Prim}
	m.SInfo = m.MapSInfo
	m.Renew(func(v *Var) *Var {
		out := *v
		if v.SInfo != nil {
			out.SInfo = m.SInfo(v.SInfo)
		}
		return &out
	})
	return m.MapFunction(f)
}

// VDeviceOf returns virtual device number i of the module, nil if there is none.
func (c *InferContext) VDeviceOf(i int) *VDevice {
	if c == nil || c.VDevices == nil {
		return nil
	}
	list := c.VDevices()
	if i < 0 || i >= len(list) {
		return nil
	}
	d, _ := list[i].(*VDevice)
	return d
}

var _ ir.Variable = (*Var)(nil)
