package instruments

import (
	"maps"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
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
	public  map[string]bool            // Relax functions that may be called from outside
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

// Measure returns the metrics of m. Symbolic dimensions count as 1. FLOPs are those of one call
// of each public Relax function: kernels by their loops, and before they exist by operator.
func (t *Meter) Measure(m *ir.Module) *event.Metrics {
	t.mu.Lock()
	defer t.mu.Unlock()
	var changed []string
	m.EachChange(t.last, func(name string, before, after ir.Function) {
		changed = append(changed, name)
		known := t.funcs[name]
		if before != nil {
			t.add(name, known, -1)
			delete(t.funcs, name)
		}
		if after != nil {
			var f *funcMetrics
			if sameCode(before, after) {
				f = known.annotated(after)
			} else {
				f = measureFunc(after)
			}
			t.funcs[name] = f
			t.add(name, f, 1)
		}
	})
	t.invalidate(changed)
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
	t.sum.Add(f.structure, sign)
	t.sum.IntermediateBytes += int64(sign) * f.intermediates
	for _, b := range f.blobs {
		bytes := blobBytes(b)
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

// Function returns the metrics of a function of the module that was measured last; nil if it
// has none of that name.
func (t *Meter) Function(name string) *event.FunctionMetrics {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.funcs[name]
	if f == nil {
		return nil
	}
	out := &event.FunctionMetrics{Structure: f.structure, FLOPs: f.flops, IntermediateBytes: f.intermediates, OpPattern: f.pattern}
	if len(f.ops) > 0 {
		out.Ops = maps.Clone(f.ops)
	}
	seen := map[*ir.Blob]bool{}
	for _, b := range f.blobs {
		if !seen[b] {
			seen[b] = true
			out.ConstantBytes += blobBytes(b)
		}
	}
	return out
}

func blobBytes(b *ir.Blob) int64 { return b.NumElements() * int64(b.DType().Bytes()) }

// invalidate forgets the totals of functions and of all that reach them.
func (t *Meter) invalidate(todo []string) {
	seen := make(map[string]bool, len(todo))
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		delete(t.total, name)
		for caller := range t.callers[name] {
			if !seen[caller] {
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
