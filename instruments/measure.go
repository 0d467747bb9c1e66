package instruments

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/instruments/event"
)

// funcMetrics is what a Meter knows of one function.
type funcMetrics struct {
	kernel        bool
	public        bool // a Relax function with a global_symbol
	ops           map[string]int
	calls         map[string]int // kernels and functions called, by name
	structure     event.Structure
	flops         int64 // of one run of a kernel
	intermediates int64
	blobs         []*ir.Blob
	pattern       string // of a kernel
}

func measureFunc(fn ir.Function) *funcMetrics {
	out := &funcMetrics{}
	switch fn := fn.(type) {
	case *tir.PrimFunc:
		var c counter
		out.kernel = true
		out.flops = c.function(fn)
		out.structure = c.Structure
		out.pattern = transform.OpPattern(fn)
	case *relax.Function:
		out.ops, out.calls = map[string]int{}, map[string]int{}
		out.public = ir.GlobalSymbol(fn) != ""
		used := out.used
		relax.EachBinding(fn.Body, func(_ *relax.BindingBlock, b relax.Binding) { out.binding(b, used) })
	}
	return out
}

// annotated returns the metrics of fn, which has other attributes than the kernel that f is about, and the same code.
func (f *funcMetrics) annotated(fn ir.Function) *funcMetrics {
	out := *f
	out.pattern = transform.OpPattern(fn.(*tir.PrimFunc))
	return &out
}

// used notes the constants and functions that a value refers to; it is what ir.Walk calls.
func (f *funcMetrics) used(n ir.Node) bool {
	switch n := n.(type) {
	case *relax.Constant:
		f.blobs = append(f.blobs, n.Data)
	case *ir.GlobalVar:
		f.calls[n.Name]++
	case relax.StructInfo, *relax.Function, *relax.If:
		return false
	}
	return true
}

// binding measures a binding; used is f.used, made once.
func (f *funcMetrics) binding(b relax.Binding, used func(ir.Node) bool) {
	f.structure.Bindings++
	f.values(b.BoundValue(), used)
	c, ok := b.BoundValue().(*relax.Call)
	if !ok {
		return
	}
	f.structure.Calls++
	op, ok := c.Op.(*ir.Op)
	if ok {
		f.ops[op.Name]++
		f.flops += opFLOPs(op.Name, c)
	}
	if t, ok := b.Bound().SInfo.(*relax.TensorStructInfo); ok && allocates(op) {
		f.intermediates += elements(t) * int64(t.DType.Bytes())
	}
	f.intermediates += storageBytes(op, c)
}

// values walks a value. Most are calls of what needs no walk.
func (f *funcMetrics) values(e relax.Expr, used func(ir.Node) bool) {
	switch e := e.(type) {
	case nil, *relax.Var, *relax.StringImm, *relax.DataTypeImm, *ir.Op:
	case *relax.ShapeExpr:
		for _, x := range e.Values {
			if _, ok := x.(*tir.IntImm); !ok {
				ir.Walk(x, used)
			}
		}
	case *relax.Call:
		f.values(e.Op, used)
		for _, a := range e.Args {
			f.values(a, used)
		}
	case *relax.Tuple:
		for _, a := range e.Fields {
			f.values(a, used)
		}
	default:
		ir.Walk(e, used)
	}
}

// storageBytes returns the size of the storage that c allocates: what tensors take once the
// memory is planned, since they share it.
func storageBytes(op *ir.Op, c *relax.Call) int64 {
	if op == nil || op.Name != "relax.memory.alloc_storage" && op.Name != "relax.vm.alloc_storage" {
		return 0
	}
	shape, ok := c.Args[0].(*relax.ShapeExpr)
	if !ok || len(shape.Values) != 1 {
		return 0
	}
	n, _ := tir.AsInt(shape.Values[0])
	return n
}

// allocates reports whether the result of an operator takes memory of its own.
func allocates(op *ir.Op) bool {
	if op == nil {
		return false
	}
	switch op.Name {
	case "relax.memory.alloc_tensor", "relax.vm.alloc_tensor", "relax.reshape", "relax.memory.view":
		return false
	}
	return true
}

func elements(t *relax.TensorStructInfo) int64 {
	dims, ok := t.Dims()
	if !ok {
		return 0
	}
	n := int64(1)
	for _, d := range dims {
		n *= extent(d)
	}
	return n
}
