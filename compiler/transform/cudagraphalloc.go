package transform

import (
	"cmp"
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// graphStorage is storage that is allocated once.
type graphStorage struct {
	bytes   int64
	binding relax.Binding
}

// allocate adds the function that allocates the storage of all functions. The largest storage of each function is the same memory, then the
// second largest, and so on, for each memory scope: they do not run at the same time.
func (g *graphRewriter) allocate(plans []*graphPlan) {
	type list = []graphStorage
	byScope := map[string][]list{}
	for _, p := range plans {
		scopes := map[string]list{}
		for _, b := range p.alloc.bindings {
			c := b.BoundValue().(*relax.Call)
			scope := ""
			if s, ok := c.Args[2].(*relax.StringImm); ok {
				scope = s.Value
			}
			n, _ := storageBytes(c)
			scopes[scope] = append(scopes[scope], graphStorage{n, b})
		}
		for scope, l := range scopes {
			slices.SortStableFunc(l, func(a, b graphStorage) int { return cmp.Compare(b.bytes, a.bytes) })
			byScope[scope] = append(byScope[scope], l)
		}
	}
	var bindings []relax.Binding
	var fields []relax.Expr
	at := map[*relax.Var]int{}
	for _, scope := range slices.Sorted(maps.Keys(byScope)) {
		functions := byScope[scope]
		for i := 0; ; i++ {
			var shared list
			for _, l := range functions {
				if i < len(l) {
					shared = append(shared, l[i])
				}
			}
			if len(shared) == 0 {
				break
			}
			largest := slices.MaxFunc(shared, func(a, b graphStorage) int { return cmp.Compare(a.bytes, b.bytes) })
			for _, s := range shared {
				at[s.binding.Bound()] = len(bindings)
			}
			bindings, fields = append(bindings, largest.binding), append(fields, largest.binding.Bound())
		}
	}
	if len(bindings) == 0 {
		return
	}
	for _, p := range plans {
		for i, v := range p.alloc.outputs {
			p.alloc.fields[i] = at[v]
		}
	}
	fn := graphFunction(ir.Base{Origin: g.originOf(bindings)}, nil, bindings, fields)
	g.alloc = g.bb.AddFunc("cuda_graph_alloc", relax.CopyFunction(fn))
}
