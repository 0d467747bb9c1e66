package flow

import "fmt"

// Form says what a graph shows.
type Form string

// The forms of graph.
const (
	// Dataflow is the graph of values: an edge goes from a definition to a use.
	Dataflow Form = "dataflow"
	// Loops is a tree of loops, blocks and statements: an edge goes from a statement to one
	// in its body.
	Loops Form = "loops"
)

// Kind says what a node is.
type Kind string

// The kinds of node. The first group stands in dataflow, the second in loop nests.
const (
	Param    Kind = "param"
	Constant Kind = "constant"
	Op       Kind = "op"     // call of an operator
	Kernel   Kind = "kernel" // call of a PrimFunc
	Call     Kind = "call"   // call of a Relax function or of a function held by a variable
	Packed   Kind = "packed" // call of a packed function of the runtime
	Shape    Kind = "shape"  // computes with shapes
	Memory   Kind = "memory" // allocates or frees
	Tuple    Kind = "tuple"  // makes a tuple or takes a field of one
	Control  Kind = "control"
	Return   Kind = "return"

	Function Kind = "function"
	Loop     Kind = "loop"
	Block    Kind = "block"
	Store    Kind = "store"
	Alloc    Kind = "alloc"
	Let      Kind = "let"
	Eval     Kind = "eval"

	Group Kind = "group" // several nodes folded into one
)

// Mark says what became of a node or an edge between two graphs; None where there is only one.
type Mark string

// The marks.
const (
	None    Mark = ""
	Same    Mark = "same"
	Added   Mark = "added"
	Removed Mark = "removed"
	Changed Mark = "changed"
)

// Node is a value that is computed, or a statement.
type Node struct {
	// ID is unique in its graph and made of the name of the variable, so that it mostly
	// stays the same from pass to pass.
	ID string `json:"id"`
	// Name is the name of the variable; empty where the node binds none.
	Name string `json:"name,omitempty"`
	// Label is what the node does: an operator, a kernel, the head of a loop.
	Label string `json:"label"`
	// Info is what is known of the value, in short: "(1, 64, 56, 56) f32".
	Info string `json:"info,omitempty"`
	// Inline lists the constants and shapes among the arguments, in short.
	Inline []string `json:"inline,omitempty"`
	Kind   Kind     `json:"kind"`
	// Line is the line of the printed function, from 1; 0 is unknown. That of a removed
	// node is a line of the text before.
	Line int `json:"line,omitempty"`
	// Detail tells the rest, a line for each fact. It names no variables.
	Detail string `json:"detail,omitempty"`
	// Cluster is the number of the cluster that the node is in: an index in Graph.Clusters
	// plus one, 0 for none.
	Cluster int `json:"cluster,omitempty"`
	// Group names what Fold may gather the node under: the function that it calls.
	Group string `json:"group,omitempty"`
	// Scope is the path in the names of the source model that the node belongs to, with slashes,
	// see ScopeOf; empty is unknown.
	Scope string `json:"scope,omitempty"`
	// Beyond says how many neighbours of the node are left out, in words; see Near.
	Beyond string `json:"beyond,omitempty"`
	// Stands is the ID of the cluster that a folded one stands for.
	Stands string `json:"stands,omitempty"`
	// Names are the variables that calls in that cluster bind, without those that were removed.
	Names []string `json:"names,omitempty"`
	// Count is the number of nodes that a folded one stands for.
	Count int `json:"count,omitempty"`

	Mark Mark `json:"mark,omitempty"`
	// Was is the label of a changed node before, or its kind if only that was another.
	Was string `json:"was,omitempty"`
	// WasName is the name that the variable had before, where that was another.
	WasName string `json:"wasName,omitempty"`
	// WasLine is the line in the text before of a node that both texts have.
	WasLine int `json:"wasLine,omitempty"`
}

// Edge goes from node From, which defines a value, to node To, which uses it: indices in
// Graph.Nodes.
type Edge struct {
	From int `json:"from"`
	To   int `json:"to"`
	// Arg is the place of the value among the arguments, with tuples flattened.
	Arg int `json:"arg,omitempty"`
	// Order says that no value goes along the edge: one runs after the other.
	Order bool `json:"order,omitempty"`
	Mark  Mark `json:"mark,omitempty"`
}

// Cluster is a group of nodes with a frame, such as a branch.
type Cluster struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	// Parent is the cluster around, numbered as in Node.Cluster.
	Parent int `json:"parent,omitempty"`
}

// Graph is the graph of one function.
type Graph struct {
	Name     string    `json:"name"`
	Form     Form      `json:"form"`
	Nodes    []Node    `json:"nodes"`
	Edges    []Edge    `json:"edges"`
	Clusters []Cluster `json:"clusters,omitempty"`
	// Diff says that nodes and edges have marks.
	Diff bool `json:"diff,omitempty"`
	// Folded is the number of nodes that do not show because they stand in groups.
	Folded int `json:"folded,omitempty"`
}

// Check returns an error for a graph whose numbers point nowhere or whose clusters contain
// each other. A graph read from outside is checked before it is used.
func (g *Graph) Check() error {
	for i, c := range g.Clusters {
		if c.Parent < 0 || c.Parent > i {
			return fmt.Errorf("graph %s: cluster %d (%s) is in cluster %d, expected one of the %d before it", g.Name, i+1, c.ID, c.Parent, i)
		}
	}
	seen := make(map[string]bool, len(g.Nodes))
	for i, n := range g.Nodes {
		if n.Cluster < 0 || n.Cluster > len(g.Clusters) {
			return fmt.Errorf("graph %s: node %d (%s) is in cluster %d, expected one of %d", g.Name, i, n.ID, n.Cluster, len(g.Clusters))
		}
		if seen[n.ID] {
			return fmt.Errorf("graph %s: node %d has the id %q of a node before it, expected another", g.Name, i, n.ID)
		}
		seen[n.ID] = true
	}
	for i, e := range g.Edges {
		if e.From < 0 || e.From >= len(g.Nodes) || e.To < 0 || e.To >= len(g.Nodes) {
			return fmt.Errorf("graph %s: edge %d goes from node %d to node %d, expected two of %d", g.Name, i, e.From, e.To, len(g.Nodes))
		}
	}
	return nil
}

// Counts returns how many nodes have each mark.
func (g *Graph) Counts() map[Mark]int {
	out := map[Mark]int{}
	for i := range g.Nodes {
		out[g.Nodes[i].Mark] += max(1, g.Nodes[i].Count)
	}
	return out
}

// Hide returns the graph without the nodes of some kinds and the edges at them; g itself if
// it has none.
func Hide(g *Graph, kinds ...Kind) *Graph {
	hidden := map[Kind]bool{}
	for _, k := range kinds {
		hidden[k] = true
	}
	out := keep(g, func(i int) bool { return !hidden[g.Nodes[i].Kind] })
	if len(out.Nodes) == len(g.Nodes) {
		return g
	}
	return out
}
