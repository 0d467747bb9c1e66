package history

// Level is a level of the way from a model to code.
type Level string

// The levels.
const (
	GraphLevel Level = "graph"
	LoopLevel  Level = "loops"
	CodeLevel  Level = "code"
)

// level returns the level that a row of a function is on.
func (f *Function) level(k Kind) Level {
	switch {
	case k == Code:
		return CodeLevel
	case k == Kernel || k.inner():
		return LoopLevel
	case k != Param:
		return GraphLevel
	}
	for _, r := range f.Rows { // a parameter is of either
		if r.Kind == Kernel || r.Kind.inner() {
			return LoopLevel
		}
	}
	return GraphLevel
}

// Count counts rows by level; those that are parameters, hold constants, compute shapes or
// manage storage are counted apart.
type Count struct {
	Graph     int `json:"graph,omitempty"`
	Loops     int `json:"loops,omitempty"`
	Code      int `json:"code,omitempty"`
	Params    int `json:"params,omitempty"` // of Relax functions
	Ports     int `json:"ports,omitempty"`  // parameters of PrimFuncs
	Constants int `json:"constants,omitempty"`
	Shapes    int `json:"shapes,omitempty"`
	Memory    int `json:"memory,omitempty"`
}

// count counts the rows whose set is hit.
func (f *Function) count(hit []bool) Count {
	var c Count
	param := &c.Params
	if f.level(Param) == LoopLevel {
		param = &c.Ports
	}
	for _, r := range f.Rows {
		if !hit[r.Set] {
			continue
		}
		switch r.Kind {
		case Param:
			*param++
		case Constant:
			c.Constants++
		case Shape:
			c.Shapes++
		case Memory:
			c.Memory++
		case Code:
			c.Code++
		case Graph, Binding:
			c.Graph++
		default:
			c.Loops++
		}
	}
	return c
}

func (c *Count) add(d Count, by int) {
	c.Graph += by * d.Graph
	c.Loops += by * d.Loops
	c.Code += by * d.Code
	c.Params += by * d.Params
	c.Ports += by * d.Ports
	c.Constants += by * d.Constants
	c.Shapes += by * d.Shapes
	c.Memory += by * d.Memory
}
