package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// promote runs a loop with the elements that it accumulates into kept in locals.
func (g *gen) promote(e *lower.LoopEffects, loop func()) {
	sums := g.Accumulators(e, func(v *tir.Var) bool { _, ok := g.vars[v]; return ok && g.slots[v] == nil })
	for _, a := range sums {
		x := g.bufferLoad(&tir.BufferLoad{Buffer: a.Buffer, Indices: []tir.Expr{a.Index}})
		for _, part := range x.parts {
			w := g.newVariable(a.Pointer.Name+"_sum", typeOf(part))
			g.Set(w, part)
			g.Instead[a.Pointer] = append(g.Instead[a.Pointer], w)
		}
		g.promoted[a.Pointer] = value{dt: x.dt, mask: x.mask}
	}
	loop()
	for _, a := range sums {
		x := g.loadPromoted(a.Pointer)
		delete(g.promoted, a.Pointer)
		delete(g.Instead, a.Pointer)
		what := "BufferStore to " + a.Buffer.Name
		g.storeLanes(g.pointer(a.Pointer, what), g.Place(a.Buffer, []tir.Expr{a.Index}, what), x, a.Pointer, nil, what)
	}
}

func (g *gen) loadPromoted(v *tir.Var) value {
	out := g.promoted[v]
	for _, w := range g.Instead[v] {
		out.parts = append(out.parts, g.Read(w))
	}
	return out
}

func (g *gen) storePromoted(ptr *tir.Var, v value) {
	vars := g.Instead[ptr]
	switch {
	case len(v.parts) != len(vars) && vars[0].Type == lower.Type(wasmbin.V128):
		v = g.pack(v.dt, g.scalars(v))
	case len(v.parts) != len(vars):
		v = value{dt: v.dt, parts: g.scalars(v)}
	}
	for i, w := range vars {
		g.Set(w, v.parts[i])
	}
}
