package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// VerifyMemory rejects functions for an accelerator that touch its memory from the host.
var VerifyMemory = &pass.Pass{
	Name: "tir.VerifyMemory", Kind: pass.PrimFunc,
	Doc:         "Rejects functions for an accelerator, by their own target or else that of the run, whose arguments are accessed outside loops bound to its threads.",
	ReadsTarget: true,
	Run: pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if f.Attrs.Has(ir.AttrCallingConv) {
			return f, nil
		}
		kind := targetKind(f.Attrs.Str(ir.AttrTarget, ""))
		if t := c.TargetOf(); kind == "" && !t.IsZero() {
			kind = t.Kind().Name
		}
		if !onDevice(kind) {
			return f, nil
		}
		if bad := hostAccess(f); bad != nil {
			return nil, fmt.Errorf("%s accesses buffer %s of target %s outside of its threads: bind a loop around the access to a thread, e.g. with T.thread_binding or bind of a schedule",
				gv.Name, bad.Name, kind)
		}
		return f, nil
	}),
}

// hostAccess returns a buffer over memory of the arguments of f that is read or written
// outside of all threads, nil if there is none.
func hostAccess(f *tir.PrimFunc) *tir.Buffer {
	given := map[*tir.Var]bool{} // pointers to memory that the caller passed
	for i, p := range f.Params {
		if b := f.Buffers[i]; b != nil {
			given[b.Data] = true
		} else if p.DType().IsHandle() {
			given[p] = true
		}
	}
	var bad *tir.Buffer
	var scan func(n ir.Node)
	access := func(b *tir.Buffer) {
		if bad == nil && given[b.Data] {
			bad = b
		}
	}
	scan = func(n ir.Node) {
		switch n := n.(type) {
		case *tir.AttrStmt:
			if n.Key == tir.KeyThreadExtent || n.Key == "pipeline_exec_scope" {
				return
			}
		case *tir.For:
			if n.Kind == tir.ThreadBinding {
				return
			}
		case *tir.BufferLoad:
			access(n.Buffer)
		case *tir.BufferStore:
			access(n.Buffer)
		}
		n.EachChild(scan)
	}
	scan(f.Body)
	return bad
}
