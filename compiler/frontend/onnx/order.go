package onnx

import (
	"fmt"
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/ir/nearest"
)

// order returns the numbers of the nodes in the order in which to convert them.
func (g *graph) order() ([]int, error) {
	nodes := g.pb.Nodes
	producer := make(map[string]int, len(nodes))
	for i := range nodes {
		for _, out := range nodes[i].Outputs {
			if out == "" {
				continue
			}
			if j, ok := producer[out]; ok {
				return nil, g.newNode(i).err(fmt.Sprintf("output %q is also an output of %s.node[%d]", out, g.path, j), nil)
			}
			if g.values[out] != nil {
				return nil, g.newNode(i).err(fmt.Sprintf("output %q is also an input or initializer of the graph", out), nil)
			}
			producer[out] = i
		}
	}
	sorted := true
	for i := range nodes {
		for _, in := range nodes[i].Inputs {
			if in == "" || g.values[in] != nil {
				continue
			}
			if _, ok := producer[in]; !ok {
				return nil, g.newNode(i).err(fmt.Sprintf("input %q is not defined%s", in, g.suggest(in, producer)), nil)
			}
		}
		for in := range operandNames(&nodes[i]) {
			j, ok := producer[in]
			sorted = sorted && (!ok || j < i)
		}
	}
	order := make([]int, 0, len(nodes))
	if sorted {
		for i := range nodes {
			order = append(order, i)
		}
		return order, nil
	}
	return g.sort(producer)
}

func (g *graph) suggest(name string, producer map[string]int) string {
	if len(producer) > 10_000 {
		return ""
	}
	all := slices.AppendSeq(slices.Collect(maps.Keys(producer)), maps.Keys(g.values))
	if s := nearest.Name(name, slices.Values(all)); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

// sort orders nodes topologically (Kahn), those of the file that come first first among
// the ones that are ready.
func (g *graph) sort(producer map[string]int) ([]int, error) {
	nodes := g.pb.Nodes
	waits := make([]int, len(nodes))
	users := make([][]int, len(nodes))
	var ready []int
	for i := range nodes {
		for in := range operandNames(&nodes[i]) {
			if j, ok := producer[in]; ok && g.values[in] == nil {
				waits[i]++
				users[j] = append(users[j], i)
			}
		}
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for k := 0; k < len(ready); k++ {
		for _, u := range users[ready[k]] {
			if waits[u]--; waits[u] == 0 {
				ready = append(ready, u)
			}
		}
	}
	if len(ready) == len(nodes) {
		return ready, nil
	}
	return nil, g.cycle(producer, waits)
}

// cycle names a cycle among the nodes that still wait: from any of them, going back along
// an operand that waits as well leads into one.
func (g *graph) cycle(producer map[string]int, waits []int) error {
	at := 0
	for waits[at] == 0 {
		at++
	}
	step := map[int]int{}
	var path []int
	for {
		if k, seen := step[at]; seen {
			path = path[k:]
			break
		}
		step[at] = len(path)
		path = append(path, at)
		for in := range operandNames(&g.pb.Nodes[at]) {
			if j, ok := producer[in]; ok && waits[j] > 0 && g.values[in] == nil {
				at = j
				break
			}
		}
	}
	n := g.newNode(path[0])
	if len(path) == 1 {
		return n.err("the node uses its own output", nil)
	}
	return n.err(fmt.Sprintf("the graph has a cycle of %d nodes: the node depends on %s.node[%d] %q, which depends on it in turn",
		len(path), g.path, path[1], g.newNode(path[1]).label()), nil)
}
