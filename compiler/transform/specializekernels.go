package transform

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

const (
	// attrScoped says that the buffers of a kernel are those of its calls.
	attrScoped     = "scoped"
	ruleSpecialize = "take extents and memory scopes from the call"
)

// SpecializePrimFuncBasedOnCallSite brings what is known at the calls of kernels into the kernels.
var SpecializePrimFuncBasedOnCallSite = &pass.Pass{
	Name: "SpecializePrimFuncBasedOnCallSite", Kind: pass.Module,
	Doc: "Gives the parameters of kernels the constant extents, and the memory scopes of virtual devices, that the tensors at their calls have, and marks them scoped. A kernel whose calls differ becomes several.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		s := &specializer{c: c, m: m, edit: m.Edit(), names: map[string]map[string]*ir.GlobalVar{}, used: map[string]int{}}
		if err := s.count(); err != nil {
			return nil, err
		}
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok || f.Attrs.Has(attrPrimitive) {
				continue
			}
			if err := c.Err(); err != nil {
				return nil, err
			}
			c.Working(gv.Name)
			mu := newMutator(c, m, ruleSpecialize)
			mu.Call = s.call
			out, err := mu.Function(f)
			if err != nil {
				return nil, err
			}
			s.edit.Set(gv.Name, out)
		}
		c.Working("")
		return s.edit.Done(), nil
	},
}

type specializer struct {
	c     *pass.Context
	m     *ir.Module
	edit  *ir.Editor
	names map[string]map[string]*ir.GlobalVar // kernels by name and by what is known at a call
	used  map[string]int                      // how often a kernel is used other than by calls that are brought into it
}

// count counts the uses of kernels.
func (s *specializer) count() error {
	for gv, fn := range s.m.Funcs() {
		if err := s.c.Err(); err != nil {
			return err
		}
		if ir.GlobalSymbol(fn) != "" {
			s.used[gv.Name]++ // by what is outside
		}
		f, graph := fn.(*relax.Function)
		graph = graph && !f.Attrs.Has(attrPrimitive)
		ir.Walk(fn, func(n ir.Node) bool {
			switch n := n.(type) {
			case *ir.GlobalVar:
				s.used[n.Name]++
			case *relax.Call:
				if graph && kernelOf(s.m, n) != nil {
					if _, why := s.site(n); why == "" {
						s.used[n.Args[0].(*ir.GlobalVar).Name]--
					}
				}
			}
			return true
		})
	}
	return nil
}

// site returns what is known at a call of a kernel; or why that says nothing.
func (s *specializer) site(call *relax.Call) (*callSite, string) {
	var infos []*relax.TensorStructInfo
	for _, a := range fieldsOf(call.Args[1]) {
		t, ok := relax.SInfoOf(a).(*relax.TensorStructInfo)
		if !ok {
			return nil, "an argument is not a tensor"
		}
		infos = append(infos, t)
	}
	outs, _ := outputInfos(call)
	return knownAt(kernelOf(s.m, call), append(infos, outs...))
}

// call returns a call of the kernel for what is known at call.
func (s *specializer) call(call *relax.Call) relax.Expr {
	f := kernelOf(s.m, call)
	if f == nil {
		return call
	}
	gv := call.Args[0].(*ir.GlobalVar)
	at, why := s.site(call)
	if why != "" {
		s.c.Declined(ruleSpecialize, call, why)
		return call
	}
	known := s.names[gv.Name]
	if known == nil {
		known = map[string]*ir.GlobalVar{}
		s.names[gv.Name] = known
	}
	if to := known[at.key]; to != nil {
		return s.to(call, to)
	}
	out, name := at.specialize(f), gv
	switch {
	case out == f:
	case len(known) == 0 && s.used[gv.Name] == 0:
		s.edit.Set(gv.Name, out)
	default: // others call the kernel as it is
		name = s.edit.Add(gv.Name, out.WithAttrs(out.Attrs.Without(ir.AttrGlobalSymbol)))
	}
	if out != f {
		s.c.Rewrite(ruleSpecialize, f, out)
	}
	known[at.key] = name
	return s.to(call, name)
}

func (s *specializer) to(call *relax.Call, gv *ir.GlobalVar) relax.Expr {
	if call.Args[0].(*ir.GlobalVar).Name == gv.Name {
		return call
	}
	return call.WithArgs(append([]relax.Expr{gv}, call.Args[1:]...))
}

// callSite is what is known where a kernel is called.
type callSite struct {
	vars   map[*tir.Var]tir.Expr
	scopes []string // of the buffers
	key    string   // the same for the same
}

// knownAt returns what tensors of these types tell of f; or why nothing.
func knownAt(f *tir.PrimFunc, infos []*relax.TensorStructInfo) (*callSite, string) {
	if len(infos) > len(f.Params) {
		return nil, "the kernel takes fewer tensors than there are"
	}
	at := &callSite{vars: map[*tir.Var]tir.Expr{}}
	var text strings.Builder
	for i, t := range infos {
		b := f.Buffers[i]
		dims, known := t.Dims()
		if b == nil || !known || len(dims) != len(b.Shape) {
			return nil, "the shape of a tensor is not known"
		}
		scope := "global"
		if t.VDevice != nil {
			scope = t.VDevice.Scope
		}
		at.scopes = append(at.scopes, scope)
		text.WriteString(" " + scope)
		for j, d := range dims {
			v, isVar := b.Shape[j].(*tir.Var)
			n, isConst := tir.AsInt(d)
			if !isVar || !isConst {
				continue
			}
			if old, ok := at.vars[v]; ok && !tir.IsConst(old, n) {
				return nil, "extents that the kernel takes to be the same differ: " + v.Name
			}
			at.vars[v] = tir.CastTo(v.DType(), tir.Int(n))
			fmt.Fprintf(&text, " %d.%d=%d", i, j, n)
		}
	}
	at.key = text.String()
	return at, ""
}

// specialize returns f for what is known; f itself if it is.
func (at *callSite) specialize(f *tir.PrimFunc) *tir.PrimFunc {
	vars := at.vars
	buffers, data := map[*tir.Buffer]*tir.Buffer{}, map[*tir.Var]tir.Expr{}
	same := len(vars) == 0 && f.Attrs.Int(attrScoped, 0) == 1
	for i, scope := range at.scopes {
		if b := f.Buffers[i]; b.Scope() != scope {
			same = false
			out := *b
			out.Data = tir.NewBuffer(b.Data.Name, b.DType, nil, scope).Data
			buffers[b], data[b.Data] = &out, out.Data
		}
	}
	if same {
		return f
	}
	m := &tir.Mapper{}
	m.Expr = tir.Memo(func(e tir.Expr) tir.Expr {
		if v, ok := e.(*tir.Var); ok {
			if x := data[v]; x != nil {
				return x
			}
			if x := vars[v]; x != nil {
				return x
			}
			return v
		}
		return m.MapExpr(e)
	})
	done := map[*tir.Buffer]*tir.Buffer{}
	m.Buffer = func(b *tir.Buffer) *tir.Buffer {
		if out := done[b]; out != nil {
			return out
		}
		from := b
		if x := buffers[b]; x != nil {
			from = x
		}
		done[b] = from.MapExprs(m.Expr)
		return done[b]
	}
	m.Stmt = m.MapStmt
	out := m.MapFunc(f)
	return tir.CopyFunc(out).WithAttrs(f.Attrs.With(attrScoped, 1))
}
