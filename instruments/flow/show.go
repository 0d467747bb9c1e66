package flow

import (
	"slices"
	"strconv"
)

// Show returns what is to be seen of a diff: Diff, but where a function became one of another kind,
// as FuseTIR makes a PrimFunc of a Relax function, one node stands for all that was there. Nothing of
// the two is the same, and a loop nest does not go with dataflow into one picture.
func Show(before, after *Graph) *Graph {
	if before == nil || after == nil || before.Form == after.Form || len(before.Nodes) == 0 || len(after.Nodes) == 0 {
		return Diff(before, after)
	}
	out := &Graph{Name: after.Name, Form: after.Form, Clusters: slices.Clone(after.Clusters), Diff: true}
	was := Node{ID: "before:" + before.Name, Label: before.Name, Kind: Group, Mark: Removed, Count: len(before.Nodes), Line: before.Nodes[0].Line}
	what := map[Form]string{Dataflow: "a Relax function", Loops: "a PrimFunc"}[before.Form]
	was.Info = "was " + what + " of " + strconv.Itoa(len(before.Nodes)) + " nodes"
	out.Nodes = append(out.Nodes, was)
	for _, n := range after.Nodes {
		if n.ID == was.ID {
			n.ID += "~"
		}
		n.Mark = Added
		out.Nodes = append(out.Nodes, n)
	}
	for _, e := range after.Edges {
		e.From, e.To, e.Mark = e.From+1, e.To+1, Added
		out.Edges = append(out.Edges, e)
	}
	return out
}
