package instruments

import (
	"maps"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/event"
)

// Meter measures modules. It keeps sums over the module that it measured last, so that
// measuring after a pass costs as much as the functions that the pass changed and their
// callers.
type Meter struct {
	mu      sync.Mutex
	last    *ir.Module
	funcs   map[string]*funcMetrics
	sum     event.Metrics
	public  map[string]bool            // graph functions that may be called from outside
	blobs   map[*ir.Blob]int           // constants by number of uses
	callers map[string]map[string]bool // by callee
	total   map[string]int64           // FLOPs with those of callees, where known
}

// NewMeter returns a meter that knows no function yet.
func NewMeter() *Meter {
	return &Meter{
		last: ir.NewModule(), funcs: map[string]*funcMetrics{}, sum: event.Metrics{Ops: map[string]int{}}, public: map[string]bool{},
		blobs: map[*ir.Blob]int{}, callers: map[string]map[string]bool{}, total: map[string]int64{},
	}
}

type funcMetrics struct {
	kernel        bool
	public        bool // a graph function with a global_symbol
	ops           map[string]int
	calls         map[string]int // kernels and functions called, by name
	flops         int64          // of one run of a kernel
	intermediates int64
	blobs         []*ir.Blob
}

// Measure returns the metrics of m. Symbolic extents count as 1. FLOPs are those of one call
// of each public graph function: kernels by their loops, and before they exist by operator.
func (t *Meter) Measure(m *ir.Module) *event.Metrics {
	t.mu.Lock()
	defer t.mu.Unlock()
	m.EachChange(t.last, func(name string, before, after ir.Function) {
		if before != nil {
			t.add(name, t.funcs[name], -1)
			delete(t.funcs, name)
		}
		if after != nil {
			f := measureFunc(after)
			t.funcs[name] = f
			t.add(name, f, 1)
		}
		t.invalidate(name)
	})
	t.last = m
	out := t.sum
	out.Functions, out.Ops = m.Len(), maps.Clone(t.sum.Ops)
	for name := range t.public {
		out.FLOPs += t.flops(name, map[string]bool{})
	}
	if m.Len() == 1 && len(t.public) == 0 {
		for name := range t.funcs {
			out.FLOPs = t.flops(name, map[string]bool{})
		}
	}
	return &out
}

// add counts a function in (1) or out (-1).
func (t *Meter) add(name string, f *funcMetrics, sign int) {
	if f.kernel {
		t.sum.Kernels += sign
	}
	switch {
	case f.public && sign > 0:
		t.public[name] = true
	case f.public:
		delete(t.public, name)
	}
	for op, n := range f.ops {
		if t.sum.Ops[op] += sign * n; t.sum.Ops[op] == 0 {
			delete(t.sum.Ops, op)
		}
	}
	t.sum.IntermediateBytes += int64(sign) * f.intermediates
	for _, b := range f.blobs {
		bytes := b.NumElements() * int64(b.DType().Bytes())
		switch t.blobs[b] += sign; {
		case t.blobs[b] == 0:
			delete(t.blobs, b)
			t.sum.ConstantBytes -= bytes
		case t.blobs[b] == 1 && sign > 0:
			t.sum.ConstantBytes += bytes
		}
	}
	for callee := range f.calls {
		switch list := t.callers[callee]; {
		case sign < 0:
			delete(list, name)
		case list == nil:
			t.callers[callee] = map[string]bool{name: true}
		default:
			list[name] = true
		}
	}
}

// invalidate forgets the total of a function and of all that reach it.
func (t *Meter) invalidate(name string) {
	todo := []string{name}
	seen := map[string]bool{name: true}
	for len(todo) > 0 {
		name, todo = todo[len(todo)-1], todo[:len(todo)-1]
		delete(t.total, name)
		for caller := range t.callers[name] {
			if !seen[caller] {
				seen[caller] = true
				todo = append(todo, caller)
			}
		}
	}
}

// flops returns the work of one call of a function; recursion counts once.
func (t *Meter) flops(name string, open map[string]bool) int64 {
	f := t.funcs[name]
	if f == nil || open[name] {
		return 0
	}
	if n, ok := t.total[name]; ok {
		return n
	}
	open[name] = true
	n := f.flops
	for callee, times := range f.calls {
		n += int64(times) * t.flops(callee, open)
	}
	delete(open, name)
	t.total[name] = n
	return n
}

func measureFunc(fn ir.Function) *funcMetrics {
	out := &funcMetrics{ops: map[string]int{}, calls: map[string]int{}}
	switch fn := fn.(type) {
	case *tir.PrimFunc:
		out.kernel = true
		out.flops = loopFLOPs(fn.Body)
	case *relax.Function:
		out.public = ir.GlobalSymbol(fn) != ""
		relax.EachBinding(fn.Body, func(_ *relax.BindingBlock, b relax.Binding) { out.binding(b) })
	}
	return out
}

func (f *funcMetrics) binding(b relax.Binding) {
	ir.Walk(b.BoundValue(), func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.Constant:
			f.blobs = append(f.blobs, n.Data)
		case *ir.GlobalVar:
			f.calls[n.Name]++
		case relax.StructInfo, *relax.Function, *relax.If:
			return false
		}
		return true
	})
	c, ok := b.BoundValue().(*relax.Call)
	if !ok {
		return
	}
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
		if x, ok := tir.AsInt(d); ok {
			n *= x
		}
	}
	return n
}
