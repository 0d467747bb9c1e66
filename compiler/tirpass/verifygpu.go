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

// VerifyGPUCode rejects kernels that are too large for a GPU.
var VerifyGPUCode = &pass.Pass{
	Name: "tir.VerifyGPUCode", Kind: pass.Module,
	Doc: "Rejects functions whose kernels use more threads, memory, or lanes than the constraints allow. It looks at lowered functions, with their threads as attributes and memory as allocations.",
	Options: []pass.Option{{
		Name: "constraints", Default: ir.NewAttrs(),
		Doc: "the greatest allowed " + strings.Join(gpuLimits, ", ") + "; what is missing has no limit",
	}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		limits, err := gpuConstraints(c.Arg("constraints").(*ir.Attrs))
		if err != nil {
			return nil, err
		}
		return pass.EachPrimFunc(func(_ *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			v := &gpuVerifier{limits: limits, threads: map[string]int64{}}
			v.visit(f.Body)
			if len(v.errors) == 0 {
				return f, nil
			}
			return nil, fmt.Errorf("RuntimeError: GPU constraint(s) violated:\n    %s\n  In function\n%s", strings.Join(v.errors, "\n    "), strings.TrimSpace(script.Function(gv.Name, f, script.Options{}).Source))
		})(c, m)
	},
}

// gpuLimits are the names of what may be bounded.
var gpuLimits = []string{
	"max_local_memory_per_block", "max_shared_memory_per_block", "max_threads_per_block", "max_thread_x", "max_thread_y", "max_thread_z",
	"max_vthread", "max_vector_bytes", "max_kernels",
}

func gpuConstraints(given *ir.Attrs) (map[string]int64, error) {
	out := map[string]int64{}
	for _, name := range gpuLimits {
		out[name] = math.MaxInt64
	}
	for i := range given.Len() {
		name, v := given.At(i)
		if _, ok := out[name]; !ok {
			return nil, fmt.Errorf("option constraints: Invalid check item: %s: known are %s", name, strings.Join(gpuLimits, ", "))
		}
		n, ok := v.(int64)
		if !ok || n < 0 {
			return nil, fmt.Errorf("option constraints: %s: expected a number that is not negative, got %v", name, v)
		}
		out[name] = n
	}
	return out, nil
}

// gpuVerifier adds up what the kernels of a function use.
type gpuVerifier struct {
	limits               map[string]int64
	errors               []string
	depth                int
	kernels              int64
	threads              map[string]int64 // extents of a kernel, by name
	total, local, shared int64
}

func (v *gpuVerifier) fail(format string, args ...any) {
	v.errors = append(v.errors, fmt.Sprintf(format, args...))
}

func (v *gpuVerifier) visit(n ir.Node) {
	switch n := n.(type) {
	case *tir.Allocate:
		n.EachChild(v.visit)
		v.allocate(n)
		return
	case *tir.AttrStmt:
		if iv := n.BoundThread(); iv != nil {
			v.launch(n, iv)
			return
		}
	case *tir.For:
		if size, ok := tir.AsInt(n.Extent); ok && n.LoopVar.Name == "vthread.s" && size > v.limits["max_vthread"] {
			v.fail("Number of vthreads (%d) is greater than the allowed maximum (%d)", size, v.limits["max_vthread"])
		}
	case *tir.Cast:
		v.lanes(n.DType())
	case *tir.BufferLoad:
		v.access(n.DType(), n.Indices)
	case *tir.BufferStore:
		v.access(n.Value.DType(), n.Indices)
	}
	n.EachChild(v.visit)
}

// elemBytes returns the bytes of an element of d, lanes apart.
func elemBytes(d dtype.DType) int64 { return (int64(d.Bits) + 7) / 8 }

// lanes checks the size of a vector.
func (v *gpuVerifier) lanes(d dtype.DType) {
	if limit := v.limits["max_vector_bytes"]; d.Lanes > 1 && int64(d.Lanes)*elemBytes(d) > limit {
		v.fail("Number of lanes (%d) times number of bytes (%d) for dtype %s is greater than the maximum number of vector bytes (%d)", d.Lanes, elemBytes(d), d, limit)
	}
}

// access checks a vector that is read or written; also the vector of its indices, where they are apart.
func (v *gpuVerifier) access(d dtype.DType, indices []tir.Expr) {
	if d.Lanes <= 1 {
		return
	}
	v.lanes(d)
	for _, e := range indices {
		if r, ok := e.(*tir.Ramp); ok && !tir.IsConst(r.Stride, 1) {
			v.lanes(r.DType())
		}
	}
}

func (v *gpuVerifier) allocate(n *tir.Allocate) {
	size := allocatedBytes(n)
	switch rank, _, _ := splitScope(scopeOf(n.Var)); rank {
	case "local":
		v.local += size
	case "shared":
		v.shared += size
	}
	v.lanes(n.Type)
}

// allocatedBytes returns the bytes that n allocates, 0 where that is not known or beyond all memory.
func allocatedBytes(n *tir.Allocate) int64 {
	size := int64(1)
	for _, e := range n.Extents {
		k, ok := tir.AsInt(e)
		if !ok || k != 0 && size > math.MaxInt64/16/k {
			k = 0
		}
		size *= k
	}
	return size * elemBytes(n.Type) * int64(max(1, n.Type.Lanes))
}

// launch visits a kernel, or a thread in one.
func (v *gpuVerifier) launch(n *tir.AttrStmt, iv *tir.IterVar) {
	if v.depth == 0 {
		clear(v.threads)
		v.total, v.local, v.shared = 1, 0, 0
		v.kernels++
	}
	if size, ok := tir.AsInt(n.Value); ok {
		v.thread(iv.ThreadTag, size)
	} else {
		v.fail("Extent of %s is no constant", iv.ThreadTag)
	}
	v.depth++
	n.EachChild(v.visit)
	v.depth--
	if v.depth > 0 {
		return
	}
	for _, x := range []struct {
		what, limit string
		n           int64
	}{{"threads per block", "max_threads_per_block", v.total}, {"local memory per block", "max_local_memory_per_block", v.local}, {"shared memory per block", "max_shared_memory_per_block", v.shared}} {
		if x.n > v.limits[x.limit] {
			v.fail("Used %s (%d) is greater than the allowed maximum (%d)", x.what, x.n, v.limits[x.limit])
		}
	}
	if limit := v.limits["max_kernels"]; v.kernels > limit {
		v.fail("Number of launched kernels (%d) is greater than the allowed maximum (%d)", v.kernels, limit)
	}
}

func (v *gpuVerifier) thread(tag string, size int64) {
	limit := v.limits["max_vthread"]
	switch {
	case strings.HasPrefix(tag, "threadIdx."):
		limit = v.limits["max_thread_"+tag[len("threadIdx."):]]
	case !strings.HasPrefix(tag, "vthread") && tag != "cthread":
		return
	}
	if old, ok := v.threads[tag]; ok {
		if old != size && strings.HasPrefix(tag, "threadIdx.") {
			v.fail("Extent of %s (%d) does not match the bound %d", tag, size, old)
		}
		return
	}
	v.threads[tag] = size
	if v.total < math.MaxInt64/max(1, size) {
		v.total *= size
	}
	if size > limit {
		v.fail("Extent of %s (%d) is greater than maximum allowed (%d);", tag, size, limit)
	}
}
