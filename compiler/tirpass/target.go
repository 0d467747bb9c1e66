package tirpass

import (
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// Function attributes that the passes of the packed calling convention agree on.
const (
	attrIsEntry = "tir.is_entry_func"
	attrNoAlias = "tir.noalias"

	// callingCPacked marks functions with the packed signature.
	callingCPacked = 1
)

// BindTarget notes the target on each loop function.
var BindTarget = &pass.Pass{
	Name: "tir.BindTarget", Kind: pass.PrimFunc, Lowering: true,
	Doc:         "Notes on each loop function the target that it is compiled for.",
	Options:     []pass.Option{{Name: "target", Default: "", Doc: "the target, e.g. wasm; empty takes that of the run"}},
	ReadsTarget: true,
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		t := c.TargetOf()
		if s := c.Arg("target").(string); s != "" {
			var err error
			if t, err = target.Parse(s); err != nil {
				return nil, fmt.Errorf("option target: %w", err)
			}
		}
		if t.IsZero() {
			return nil, errors.New("no target is set: give one, e.g. --target wasm")
		}
		return pass.EachPrimFunc(func(_ *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			if f.Attrs.Has(ir.AttrTarget) {
				return f, nil
			}
			return f.WithFuncAttrs(f.Attrs.With(ir.AttrTarget, t.String())).(*tir.PrimFunc), nil
		})(c, m)
	},
}

// AnnotateEntryFunc marks the only public loop function of a module as its entry.
var AnnotateEntryFunc = &pass.Pass{
	Name: "tir.AnnotateEntryFunc", Kind: pass.Module,
	Doc: "Marks a module's only loop function, or its only public one, as the entry of the module.",
	Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		var all, public []string
		for gv, fn := range m.Funcs() {
			if _, ok := fn.(*tir.PrimFunc); !ok {
				return m, nil // a module with graph functions is entered through them
			}
			all = append(all, gv.Name)
			if ir.GlobalSymbol(fn) != "" {
				public = append(public, gv.Name)
			}
		}
		entry := all
		if len(all) != 1 {
			entry = public
		}
		if len(entry) != 1 {
			return m, nil
		}
		fn := m.Lookup(entry[0])
		if fn.FuncAttrs().Bool(attrIsEntry, false) {
			return m, nil
		}
		return m.With(entry[0], fn.WithFuncAttrs(fn.FuncAttrs().With(attrIsEntry, true))), nil
	},
}

// deviceKinds are the kinds of target whose memory the host cannot reach.
var deviceKinds = []string{"cuda", "rocm", "opencl", "metal", "vulkan", "webgpu", "nvptx"}

// VerifyMemory rejects functions for an accelerator that touch its memory from the host.
var VerifyMemory = &pass.Pass{
	Name: "tir.VerifyMemory", Kind: pass.PrimFunc,
	Doc:         "Rejects functions for an accelerator whose buffers are accessed outside loops bound to its threads.",
	ReadsTarget: true,
	Run: pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		t := c.TargetOf()
		if t.IsZero() || !slices.Contains(deviceKinds, t.Kind().Name) {
			return f, nil
		}
		var bad *tir.Buffer
		var scan func(n ir.Node)
		scan = func(n ir.Node) {
			switch n := n.(type) {
			case *tir.AttrStmt:
				if n.Key == "thread_extent" || n.Key == "pipeline_exec_scope" {
					return
				}
			case *tir.For:
				if n.Kind == tir.ThreadBinding {
					return
				}
			case *tir.Buffer:
				if bad == nil && n.Scope() == "global" {
					bad = n
				}
			}
			n.EachChild(scan)
		}
		scan(f.Body)
		if bad != nil {
			return nil, fmt.Errorf("%s accesses buffer %s of target %s outside any thread: bind a loop to a thread, e.g. with ApplyDefaultSchedule",
				gv.Name, bad.Name, t.Kind().Name)
		}
		return f, nil
	}),
}

// SplitHostDevice moves the parts of functions that are marked for another target into
// functions of their own.
var SplitHostDevice = &pass.Pass{
	Name: "tir.SplitHostDevice", Kind: pass.Module, Lowering: true,
	Doc: "Moves the parts of functions marked with a target of their own into kernels and calls those.",
	Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		e := m.Edit()
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*tir.PrimFunc)
			if !ok {
				continue
			}
			body := tir.RewriteStmt(f.Body, func(s tir.Stmt) tir.Stmt {
				a, ok := s.(*tir.AttrStmt)
				if !ok || a.Key != ir.AttrTarget {
					return s
				}
				params := freeVars(a.Body)
				attrs := ir.NewAttrs(ir.AttrTarget, a.Value, attrNoAlias, true, ir.AttrGlobalSymbol, e.Fresh(gv.Name+"_kernel"))
				kernel := &tir.PrimFunc{Base: a.Base, Params: params, Buffers: make([]*tir.Buffer, len(params)), RetType: ir.VoidType(), Body: a.Body, Attrs: attrs}
				callee := e.Add(gv.Name+"_kernel", kernel)
				args := make([]tir.Expr, len(params))
				for i, p := range params {
					args[i] = p
				}
				return &tir.Evaluate{Value: &tir.Call{Op: callee, Args: args}}
			}, nil)
			e.Set(gv.Name, f.WithBody(body))
		}
		return e.Done(), nil
	},
}

// freeVars returns the variables that s uses and does not define, data pointers of buffers
// included, in order of first use.
func freeVars(s ir.Node) []*tir.Var {
	defined := map[*tir.Var]bool{}
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			defined[n.LoopVar] = true
		case *tir.LetStmt:
			defined[n.Var] = true
		case *tir.Let:
			defined[n.Var] = true
		case *tir.Allocate:
			defined[n.Var] = true
		case *tir.AllocateConst:
			defined[n.Var] = true
		case *tir.IterVar:
			defined[n.Var] = true
		}
		return true
	})
	var out []*tir.Var
	seen := map[*tir.Var]bool{}
	use := func(v *tir.Var) {
		if !defined[v] && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			use(n)
		case *tir.Buffer:
			n.EachExpr(func(e tir.Expr) {
				ir.Walk(e, func(n ir.Node) bool {
					if v, ok := n.(*tir.Var); ok {
						use(v)
					}
					return true
				})
			})
		}
		return true
	})
	return out
}
