package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
)

// maxHeight bounds how deep nodes hold others that a script makes or hands on. What works on nodes recurses, and a stack that is used up ends the process.
const maxHeight = 20_000

// checkHeight checks a value if it is a node. Each node is looked at once in a run.
func (r *run) checkHeight(what string, v starlark.Value) error {
	x, ok := v.(*Node)
	if !ok {
		return nil
	}
	if r.heights == nil {
		r.heights = map[ir.Node]int{}
	}
	if r.height(x.n, maxHeight) > maxHeight {
		return &LimitError{fmt.Sprintf("%s: nodes hold others more than the limit of %d deep", what, maxHeight)}
	}
	return nil
}

// height is how many nodes hold each other in n, itself included; beyond most it is some greater number.
func (r *run) height(n ir.Node, most int) int {
	if h, ok := r.heights[n]; ok {
		return h
	}
	if most <= 0 {
		return 1
	}
	h := 0
	n.EachChild(func(c ir.Node) {
		if h < most {
			h = max(h, r.height(c, most-1))
		}
	})
	if h++; h <= most {
		r.heights[n] = h
	}
	return h
}
