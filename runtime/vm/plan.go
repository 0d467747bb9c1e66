package vm

import (
	"math"
	"slices"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/memory"
)

// Plan is the memory that a run takes for what it computes: storages, where they lie, the tensors in them, and when both
// come and go. Inputs and constants, which are there before, are not part of it.
//
// Time is counted in steps, the calls of kernels: a storage or a tensor lives From its first step To its last, both
// included. Offsets are those that the allocator of devices gives when the run starts with an empty heap, which does not
// depend on what else is on the device.
type Plan struct {
	Steps    int
	Calls    []int // for each step, its call in the trace
	Storages []PlanStorage
	Tensors  []PlanTensor
	// Peak is the largest number of bytes of storages that live in one step; PeakFrom and PeakTo are the first steps in a
	// row that have it. Extent is the end of the storage with the largest offset.
	Peak             int64
	PeakFrom, PeakTo int
	Extent           int64
}

// PlanStorage is an allocation. Bytes is its size, rounded up to the granularity of the allocator.
type PlanStorage struct {
	PC            int64 // of the call that allocates it
	Bytes, Offset int64
	From, To      int
}

// PlanTensor is a tensor in a storage; views of the same bytes are one tensor.
type PlanTensor struct {
	PC             int64 // of the call that makes it
	Storage        int
	Offset, Bytes  int64 // within the storage
	DType          dtype.DType
	Shape          []int64
	From, To       int
	Maker, LastUse int // the first and the last step that takes it, -1 for none
}

// planner watches the calls of a run. Before each call it looks which storages and tensors nothing refers to any more,
// so a call costs it what the number of those is that live.
type planner struct {
	plan Plan
	heap *memory.Heap
	// storages are those that were seen; the index of those that were there before the run is -1.
	storages map[*runtime.Storage]int
	tensors  map[*runtime.Tensor]int
	// What lives. A tensor is listed with each of its views.
	liveStorages []indexed[*runtime.Storage]
	liveTensors  []indexed[*runtime.Tensor]
}

// indexed is something on the device with its index in the plan.
type indexed[T any] struct {
	of    T
	index int
}

func newPlanner() *planner {
	return &planner{
		heap:     memory.NewHeap(0, math.MaxUint32, func(uint64) error { return nil }),
		storages: map[*runtime.Storage]int{}, tensors: map[*runtime.Tensor]int{},
	}
}

// poll ends the life of what nothing refers to any more: the last step was its last one.
func (p *planner) poll() {
	p.liveTensors = slices.DeleteFunc(p.liveTensors, func(t indexed[*runtime.Tensor]) bool {
		if t.of.Live() {
			return false
		}
		p.plan.Tensors[t.index].To = p.plan.Steps - 1 // of its last view in the end
		return true
	})
	p.liveStorages = slices.DeleteFunc(p.liveStorages, func(s indexed[*runtime.Storage]) bool {
		if s.of.Live() {
			return false
		}
		st := &p.plan.Storages[s.index]
		st.To = p.plan.Steps - 1
		p.heap.Free(uint64(st.Offset))
		return true
	})
}

// call notes what a call takes; call number n of the trace is a step if it is that of a kernel.
func (p *planner) call(c *Call, n int, kernel bool) {
	for _, v := range c.Args {
		eachTensor(v, func(t *runtime.Tensor) {
			if _, ok := p.storages[t.Storage()]; !ok {
				p.storages[t.Storage()] = -1
			}
			if i, ok := p.tensors[t]; ok && kernel {
				used := &p.plan.Tensors[i]
				if used.LastUse = p.plan.Steps; used.Maker < 0 {
					used.Maker = p.plan.Steps
				}
			}
		})
	}
	if kernel {
		p.plan.Calls = append(p.plan.Calls, n)
		p.plan.Steps++
	}
}

// result notes what a call made.
func (p *planner) result(c *Call) {
	if st, ok := c.Result.AsStorage(); ok {
		p.storage(c.PC, st)
	}
	eachTensor(c.Result, func(t *runtime.Tensor) { p.tensor(c.PC, t) })
}

// storage notes a storage if it is new, and returns its index.
func (p *planner) storage(pc int64, st *runtime.Storage) int {
	if i, ok := p.storages[st]; ok {
		return i
	}
	i := len(p.plan.Storages)
	at, err := p.heap.Alloc(st.Size())
	if err != nil { // the device had room for it, and its addresses are as long
		at = uint64(p.plan.Extent)
	}
	s := PlanStorage{PC: pc, Bytes: int64(p.heap.Size(at)), Offset: int64(at), From: p.plan.Steps, To: -1}
	p.plan.Extent = max(p.plan.Extent, s.Offset+s.Bytes)
	p.plan.Storages, p.storages[st] = append(p.plan.Storages, s), i
	p.liveStorages = append(p.liveStorages, indexed[*runtime.Storage]{st, i})
	return i
}

// tensor notes a tensor if it is new and not a part of what was there before the run.
func (p *planner) tensor(pc int64, t *runtime.Tensor) {
	if _, ok := p.tensors[t]; ok {
		return
	}
	st := p.storage(pc, t.Storage())
	if st < 0 {
		return
	}
	made := PlanTensor{
		PC: pc, Storage: st, Offset: t.Offset(), Bytes: int64(t.ByteSize()), DType: t.DType(), Shape: t.Shape(),
		From: p.plan.Steps, To: -1, Maker: -1, LastUse: -1,
	}
	i := slices.IndexFunc(p.liveTensors, func(v indexed[*runtime.Tensor]) bool {
		o := p.plan.Tensors[v.index]
		return o.Storage == st && o.Offset == made.Offset && o.Bytes == made.Bytes
	})
	if i >= 0 {
		i = p.liveTensors[i].index // a view of it
	} else {
		i = len(p.plan.Tensors)
		p.plan.Tensors = append(p.plan.Tensors, made)
	}
	p.tensors[t] = i
	p.liveTensors = append(p.liveTensors, indexed[*runtime.Tensor]{t, i})
}

// finish returns the plan of a run that is over. What the run returns lives to its end.
func (p *planner) finish() *Plan {
	p.poll()
	for _, t := range p.liveTensors {
		p.plan.Tensors[t.index].To = p.plan.Steps - 1
	}
	for _, s := range p.liveStorages {
		p.plan.Storages[s.index].To = p.plan.Steps - 1
	}
	p.plan.findPeak()
	return &p.plan
}

// findPeak finds the steps in which the storages are largest together.
func (p *Plan) findPeak() {
	change := make([]int64, p.Steps+1)
	for _, s := range p.Storages {
		if s.From <= s.To { // else it came and went between two steps
			change[s.From] += s.Bytes
			change[s.To+1] -= s.Bytes
		}
	}
	var now int64
	for step, by := range change[:p.Steps] {
		now += by
		switch {
		case now > p.Peak:
			p.Peak, p.PeakFrom, p.PeakTo = now, step, step
		case now == p.Peak && p.PeakTo == step-1:
			p.PeakTo = step
		}
	}
}

// eachTensor calls f for the tensors in a value.
func eachTensor(v runtime.Value, f func(*runtime.Tensor)) {
	if t, ok := v.AsTensor(); ok {
		f(t)
	}
	if v.Kind() == runtime.KindTuple {
		tup, _ := v.AsTuple()
		for _, x := range tup.Fields {
			eachTensor(x, f)
		}
	}
}
