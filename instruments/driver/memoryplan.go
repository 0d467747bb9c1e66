package driver

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/vm"
)

// maxPlanned is the number of tensors that the plan of an event lists, and of storages.
const maxPlanned = 2000

// plan describes the memory of an execution, with the names that storages and tensors have in the last module. It names the value
// of each call of a kernel.
func (p *profiler) plan(calls []event.ProfiledCall) *event.MemoryPlan {
	got := p.got.Plan
	out := &event.MemoryPlan{Peak: got.Peak, PeakFrom: got.PeakFrom, PeakTo: got.PeakTo, Extent: got.Extent}
	for _, c := range p.exec.Consts {
		out.Constants += c.Bytes()
	}
	for _, n := range got.Calls {
		out.Steps = append(out.Steps, p.got.Calls[n].Site)
	}
	names := p.names()
	name := func(pc int64) string {
		if n := names[pc]; n != "" {
			return n
		}
		for _, s := range p.got.Sites {
			if s.PC == pc {
				return s.Callee
			}
		}
		return "?"
	}
	for _, s := range got.Storages {
		out.Storages = append(out.Storages, event.PlanStorage{Name: name(s.PC), Bytes: s.Bytes, Offset: s.Offset, From: s.From, To: s.To})
	}
	for _, t := range got.Tensors {
		out.Unplanned += t.Bytes
		out.Tensors = append(out.Tensors, event.PlanTensor{
			Name: name(t.PC), Storage: t.Storage, Offset: t.Offset, Bytes: t.Bytes, DType: t.DType.String(), Shape: append([]int64{}, t.Shape...),
			From: t.From, To: t.To, Maker: t.Maker, LastUse: t.LastUse,
		})
		if t.Maker >= 0 && calls[out.Steps[t.Maker]].Value == "" {
			calls[out.Steps[t.Maker]].Value = name(t.PC)
		}
	}
	shorten(out)
	return out
}

// shorten leaves the largest storages, and the largest tensors in them.
func shorten(p *event.MemoryPlan) {
	if len(p.Storages) > maxPlanned {
		order := make([]int, len(p.Storages))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Storages[b].Bytes, p.Storages[a].Bytes) })
		kept := order[:maxPlanned]
		slices.Sort(kept)
		storages, at := make([]event.PlanStorage, len(kept)), map[int]int{}
		for i, k := range kept {
			storages[i], at[k] = p.Storages[k], i
		}
		before := len(p.Tensors)
		p.Tensors = slices.DeleteFunc(p.Tensors, func(t event.PlanTensor) bool { _, ok := at[t.Storage]; return !ok })
		for i := range p.Tensors {
			p.Tensors[i].Storage = at[p.Tensors[i].Storage]
		}
		p.Storages, p.Omitted = storages, before-len(p.Tensors)
	}
	if n := len(p.Tensors); n > maxPlanned {
		sizes := make([]int64, n)
		for i, t := range p.Tensors {
			sizes[i] = t.Bytes
		}
		slices.Sort(sizes)
		least, over := sizes[n-maxPlanned], n-maxPlanned
		p.Omitted += over
		p.Tensors = slices.DeleteFunc(p.Tensors, func(t event.PlanTensor) bool {
			if over == 0 || t.Bytes > least {
				return false
			}
			over--
			return true
		})
	}
}

// planOps are the operators whose calls make storages and tensors, with the builtins that they become.
var planOps = map[string]string{
	"relax.vm.alloc_storage": "vm.builtin.alloc_storage",
	"relax.vm.alloc_tensor":  "vm.builtin.alloc_tensor",
}

// names returns the variables of the last module that calls of the bytecode make, by instruction. The code generator emits the calls
// of a function in the order of its bindings, so the n-th that allocates is that of the n-th such binding. A function whose
// numbers differ has no names.
func (p *profiler) names() map[int64]string {
	out := map[int64]string{}
	if p.kept.module == nil {
		return out
	}
	for _, f := range p.exec.Funcs {
		fn, ok := p.kept.module.Lookup(f.Name).(*relax.Function)
		if !ok || f.Kind != vm.VMFunc {
			continue
		}
		vars := map[string][]string{}
		ir.Walk(fn.Body, func(n ir.Node) bool {
			if b, ok := n.(*relax.VarBinding); ok {
				if c, ok := b.Value.(*relax.Call); ok {
					if op, ok := c.Op.(*ir.Op); ok && planOps[op.Name] != "" {
						vars[planOps[op.Name]] = append(vars[planOps[op.Name]], b.Var.Name)
					}
				}
			}
			return true
		})
		calls := map[string][]int64{}
		for pc := f.Start; pc < f.End; pc++ {
			if in, err := p.exec.Instr(pc); err == nil && in.Op == vm.OpCall {
				callee := p.exec.Funcs[in.Func].Name
				calls[callee] = append(calls[callee], pc)
			}
		}
		for callee, list := range vars {
			if len(calls[callee]) != len(list) {
				continue
			}
			for i, pc := range calls[callee] {
				out[pc] = list[i]
			}
		}
	}
	return out
}
