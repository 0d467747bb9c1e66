package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// ExtractPrimFuncConstants lists the constants of PrimFuncs in the module.
var ExtractPrimFuncConstants = &pass.Pass{
	Name: "tir.ExtractPrimFuncConstants", Kind: pass.Module,
	Doc: "Lists the constants that PrimFuncs hold as the attribute constants of the module, each once, and notes at each allocation which of them it is, as the annotation irmod_storage_idx.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		x := &constantLister{c: c, index: map[string]int64{}}
		x.m.Stmt = x.stmt
		old, _ := m.Attrs().Get(attrConstants)
		if list, ok := old.([]ir.Value); ok {
			for _, v := range list {
				if k, ok := v.(*relax.Constant); ok {
					x.index[k.Data.Digest()] = int64(len(x.list))
				}
				x.list = append(x.list, v)
			}
		}
		known := len(x.list)
		m2, err := ir.MapFuncs(m, func(_ *ir.GlobalVar, f *tir.PrimFunc) (ir.Function, error) {
			if err := c.Err(); err != nil {
				return nil, err
			}
			return f.WithBody(x.stmt(f.Body)), nil
		})
		if err != nil || len(x.list) == known {
			return m2, err
		}
		return m2.WithAttrs(m2.Attrs().With(attrConstants, x.list)), nil
	},
}

const (
	// attrConstants is the attribute of a module that lists the constants of its PrimFuncs.
	attrConstants = "constants"
	// keyStorageIndex is the annotation of an allocation that says which of them it holds.
	keyStorageIndex = "irmod_storage_idx"
)

type constantLister struct {
	c     *pass.Context
	m     tir.Mapper
	list  []ir.Value
	index map[string]int64 // of constants in list, by their digests
}

func (x *constantLister) stmt(s tir.Stmt) tir.Stmt {
	a, ok := s.(*tir.AllocateConst)
	if !ok {
		return x.m.MapStmt(s)
	}
	key := a.Data.Digest()
	i, known := x.index[key]
	if !known {
		i = int64(len(x.list))
		x.index[key] = i
		x.list = append(x.list, &relax.Constant{Base: a.Base, Data: a.Data})
	}
	if a.Annotations.Int(keyStorageIndex, -1) == i {
		return x.m.MapStmt(s)
	}
	out := x.m.MapStmt(s).(*tir.AllocateConst)
	out = out.WithAnnotations(a.Annotations.With(keyStorageIndex, i))
	if known {
		x.c.Rewrite("share a constant of the module", s, out)
	} else {
		x.c.Rewrite("list a constant in the module", s, out)
	}
	return out
}
