package tirpass

import (
	"fmt"
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// scopeVTCM is the scope of the memory beside the vector unit of a Hexagon.
const scopeVTCM = "global.vtcm"

// LowerVtcmAlloc has the runtime allocate the memory beside the vector unit of a Hexagon.
var LowerVtcmAlloc = &pass.Pass{
	Name: "tir.LowerVtcmAlloc", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Replaces allocations in the scope global.vtcm, the memory beside the vector unit of a Hexagon, by nd_mem_alloc_with_scope, which asks the runtime for it.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		m := &tir.Mapper{}
		m.Stmt = func(s tir.Stmt) tir.Stmt {
			a, ok := s.(*tir.Allocate)
			if !ok || !strings.Contains(scopeOf(a.Var), scopeVTCM) {
				return m.MapStmt(s)
			}
			out := allocateND(a, m.Stmt(a.Body), a.Extents)
			c.Rewrite("ask the runtime for memory of the vector unit", a, out)
			return out
		}
		return f.WithBody(m.Stmt(f.Body)), nil
	}),
}

// allocateND returns a, with another body, as a request to the runtime for memory of these extents; more are further arguments of it.
func allocateND(a *tir.Allocate, body tir.Stmt, extents []tir.Expr, more ...tir.Expr) *tir.LetStmt {
	return &tir.LetStmt{Base: a.Base, Var: a.Var, Value: ndAllocCall(a.Base, scopeOf(a.Var), extents, more...), Body: body}
}

func ndAllocCall(base ir.Base, scope string, extents []tir.Expr, more ...tir.Expr) *tir.Call {
	shape := &tir.Call{Base: base, Type: dtype.HandleT, Op: tir.OpStackMakeShape, Args: extents}
	args := append([]tir.Expr{&tir.StringImm{Value: scope}, tir.Int(int64(len(extents))), shape}, more...)
	return &tir.Call{Base: base, Type: dtype.HandleT, Op: tir.OpNDAlloc, Args: args}
}

// VerifyVTCMLimit rejects functions that need more memory beside the vector unit than there is.
var VerifyVTCMLimit = &pass.Pass{
	Name: "tir.VerifyVTCMLimit", Kind: pass.Module, Config: []string{keyVTCMCapacity},
	Doc: "Rejects functions that allocate more in the scope global.vtcm at once than the target of the function has, by its attribute vtcm-capacity, or else the config option tir.vtcm_capacity says. Functions without a target are held to default_target.",
	Options: []pass.Option{{
		Name: "default_target", Default: "",
		Doc: "the target of functions that name none; without it these are not checked",
	}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		byDefault, most := c.Arg("default_target").(string), c.Config.Get(keyVTCMCapacity).(int64)
		return pass.EachPrimFunc(func(_ *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			limit := vtcmCapacity(f.Attrs.Str(ir.AttrTarget, byDefault), most)
			if limit <= 0 {
				return f, nil
			}
			if used := vtcmBytes(f.Body); used > limit {
				return nil, fmt.Errorf("RuntimeError: The global.vtcm memory allocation limit has been exceeded (allocated: %d, limit: %d).\n  In function\n%s",
					used, limit, strings.TrimSpace(script.Function(gv.Name, f, script.Options{}).Source))
			}
			return f, nil
		})(c, m)
	},
}

const keyVTCMCapacity = "tir.vtcm_capacity"

// vtcmCapacity returns the bytes that a target has, 0 for no limit.
func vtcmCapacity(text string, configured int64) int64 {
	if text == "" {
		return 0
	}
	if targetKind(text) == "hexagon" {
		if n := targetInt(text, "vtcm-capacity", 0); n > 0 {
			return n
		}
	}
	return configured
}

// vtcmBytes returns the most bytes that s allocates at once. What has no constant size counts as nothing.
func vtcmBytes(s tir.Stmt) int64 {
	most := int64(0)
	s.EachChild(func(n ir.Node) {
		if inner, ok := n.(tir.Stmt); ok {
			most = max(most, vtcmBytes(inner))
		}
	})
	if a, ok := s.(*tir.Allocate); ok && scopeOf(a.Var) == scopeVTCM {
		size := allocatedBytes(a)
		most += min(size, math.MaxInt64-most)
	}
	return most
}
