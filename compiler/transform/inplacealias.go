package transform

import (
	"maps"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/relax"
)

// unknownMemory is the location of a value that was made outside of the block that is looked at.
const unknownMemory = -1

// Interval is the part of a block in which a variable is of use: the numbers of the binding that defines it, -1 if it comes from
// outside, and of the last one that uses it, the number of bindings if it is seen behind the block.
type Interval struct{ From, To int }

// DataflowLivenessAnalysis returns the intervals of the variables that a dataflow block defines or uses. As in TVM, taking a field of a
// tuple is no use of the tuple, and what is no local variable of the block counts as seen behind it.
func DataflowLivenessAnalysis(b *relax.BindingBlock) map[*relax.Var]Interval {
	out := map[*relax.Var]Interval{}
	last := func(v *relax.Var, at int) int {
		if v.Dataflow {
			return at
		}
		return len(b.Bindings)
	}
	for i, x := range slices.Backward(b.Bindings) {
		v := x.Bound()
		if _, field := x.BoundValue().(*relax.TupleGetItem); !field {
			eachUsed(x.BoundValue(), func(u *relax.Var) {
				if _, known := out[u]; !known {
					out[u] = Interval{-1, last(u, i)}
				}
			})
		}
		if r, used := out[v]; used {
			out[v] = Interval{i, r.To}
		} else {
			out[v] = Interval{i, last(v, i)}
		}
	}
	return out
}

// eachUsed calls f for the variables that a value uses: those that a local function takes from outside.
func eachUsed(e relax.Expr, f func(*relax.Var)) {
	if fn, ok := e.(*relax.Function); ok {
		for _, v := range relax.FreeVars(fn) {
			f(v)
		}
		return
	}
	usedVars(e, f)
}

// Aliases tells where in memory values may lie. Each allocation that a block makes is a location, a number from 0; -1 stands for memory that
// was made outside.
type Aliases struct {
	// Of holds the locations that a variable may be at.
	Of map[*relax.Var][]int
	// Fields holds, for the location of a tuple, the locations that each of its fields may be at.
	Fields map[int][][]int

	next     int
	readOnly map[int]bool // constants and functions
	// coarse says that what a call of unknown effect returns lies outside, and that its arguments escape, so that the analysis is linear.
	coarse  bool
	escaped map[int]bool
}

// DataflowAliasAnalysis returns where the variables of a dataflow block may lie. Inputs are variables from outside that have memory of their own.
// It assumes that an operator with a kernel returns new memory, and that any other call returns what it was given, or a part of it, or
// something new.
func DataflowAliasAnalysis(b *relax.BindingBlock, inputs []*relax.Var) *Aliases {
	return aliases(b, inputs, false)
}

func aliases(b *relax.BindingBlock, inputs []*relax.Var, coarse bool) *Aliases {
	a := &Aliases{Of: map[*relax.Var][]int{}, Fields: map[int][][]int{}, readOnly: map[int]bool{}, coarse: coarse, escaped: map[int]bool{}}
	for _, v := range inputs {
		a.Of[v] = []int{a.fresh(v.SInfo)}
	}
	for _, x := range b.Bindings {
		a.Of[x.Bound()] = a.value(x.BoundValue(), x.Bound().SInfo)
	}
	return a
}

// fresh returns a new location; one for each field too if it holds a tuple.
func (a *Aliases) fresh(s relax.StructInfo) int {
	at := a.next
	a.next++
	if t, ok := s.(*relax.TupleStructInfo); ok {
		fields := make([][]int, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = []int{a.fresh(f)}
		}
		a.Fields[at] = fields
	}
	return at
}

// value returns the locations of a value with struct info s.
func (a *Aliases) value(e relax.Expr, s relax.StructInfo) []int {
	switch e := e.(type) {
	case *relax.Var:
		if at, ok := a.Of[e]; ok {
			return at
		}
		return []int{unknownMemory}
	case *relax.Tuple:
		at := a.next
		a.next++
		fields := make([][]int, len(e.Fields))
		for i, f := range e.Fields {
			fields[i] = a.value(f, relax.SInfoOf(f))
		}
		a.Fields[at] = fields
		return []int{at}
	case *relax.TupleGetItem:
		var out []int
		for _, t := range a.value(e.Tuple, relax.SInfoOf(e.Tuple)) {
			if t == unknownMemory {
				return []int{unknownMemory}
			}
			if fields := a.Fields[t]; e.Index < len(fields) {
				out = union(out, fields[e.Index])
			}
		}
		return out
	case *relax.Call:
		return a.call(e, s)
	}
	at := a.fresh(s)
	a.readOnly[at] = true
	return []int{at}
}

// call returns the locations of the result of a call.
func (a *Aliases) call(c *relax.Call, s relax.StructInfo) []int {
	args := c.Args
	switch name := opName(c); {
	case name == opReshape: // which becomes a view
		return a.value(args[0], relax.SInfoOf(args[0]))
	case name == opCallTIRInplace:
		return a.inplace(c, s)
	case name == opCallPurePacked:
		args = args[1:]
	case name == opCallTIR || name == opCallDPS || makesKernel(name):
		return []int{a.fresh(s)}
	}
	if a.coarse {
		for _, x := range args {
			for _, at := range a.value(x, relax.SInfoOf(x)) {
				a.within(a.escaped, at)
			}
		}
		return []int{unknownMemory}
	}
	made := a.fresh(s)
	found := map[int]bool{}
	a.within(found, made)
	for _, x := range args {
		for _, at := range a.value(x, relax.SInfoOf(x)) {
			a.within(found, at)
		}
	}
	out := slices.Sorted(maps.Keys(found))
	a.widen(made, out)
	return out
}

// makesKernel reports whether an operator computes its result into new memory, whatever passes make of it.
func makesKernel(name string) bool {
	switch name {
	case "relax.nn.dropout", "relax.nn.batch_norm", "relax.grad.no_grad", "relax.grad.start_checkpoint", "relax.grad.end_checkpoint":
		return false // which become their arguments, or a tuple that holds one
	}
	return legalizeRule(name) != nil
}

// inplace returns the locations of the results of a call that overwrites arguments.
func (a *Aliases) inplace(c *relax.Call, s relax.StructInfo) []int {
	made := a.fresh(s)
	args := fieldsOf(c.Args[1])
	fields, tuple := a.Fields[made]
	if !tuple {
		fields = [][]int{{made}}
	}
	for i, n := range c.Attrs.Ints("inplace_indices") {
		if n >= 0 && i < len(fields) && int(n) < len(args) {
			fields[i] = a.value(args[n], relax.SInfoOf(args[n]))
		}
	}
	if tuple {
		return []int{made}
	}
	return fields[0]
}

// within adds a location and those of the fields of what it holds to a set.
func (a *Aliases) within(set map[int]bool, at int) {
	if set[at] {
		return
	}
	set[at] = true
	for _, f := range a.Fields[at] {
		for _, x := range f {
			a.within(set, x)
		}
	}
}

// widen lets the fields of a tuple, and those of tuples in it, be at any of the locations.
func (a *Aliases) widen(tuple int, to []int) {
	fields := a.Fields[tuple]
	for i, f := range fields {
		for _, x := range f {
			a.widen(x, to)
		}
		fields[i] = union(f, to)
	}
}

func union(list, more []int) []int {
	out := slices.Clone(list)
	for _, x := range more {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// canWrite reports whether nobody but the block holds what is at all of the locations, and whether they hold tensors.
func (a *Aliases) canWrite(at []int) bool {
	for _, x := range at {
		if x == unknownMemory || a.readOnly[x] || a.escaped[x] || a.Fields[x] != nil {
			return false
		}
	}
	return len(at) > 0
}

// isClosure reports whether a value keeps the variables that it uses.
func isClosure(e relax.Expr) bool {
	if _, ok := e.(*relax.Function); ok {
		return true
	}
	return opName(e) == "relax.make_closure"
}

// lastReads returns for each location the number of the last binding of the block that may read or write it, the number
// of bindings for what is seen behind the block. Another name, a tuple and a field of one read nothing: what uses them does.
func (a *Aliases) lastReads(b *relax.BindingBlock) map[int]int {
	out := map[int]int{}
	for i, x := range b.Bindings {
		value, until := x.BoundValue(), i
		switch value.(type) {
		case *relax.Var, *relax.Tuple, *relax.TupleGetItem:
			until = -1
		}
		if isClosure(value) {
			until = len(b.Bindings)
		}
		if until >= 0 {
			eachUsed(value, func(v *relax.Var) { a.reads(out, v, until) })
		}
	}
	for _, x := range b.Bindings {
		if v := x.Bound(); !v.Dataflow {
			a.reads(out, v, len(b.Bindings))
		}
	}
	return out
}

// reads notes that v, and what it holds, is read by the binding until.
func (a *Aliases) reads(last map[int]int, v *relax.Var, until int) {
	if !v.Dataflow {
		until = math.MaxInt
	}
	for _, at := range a.Of[v] {
		if a.Fields[at] == nil {
			last[at] = max(last[at], until)
			continue
		}
		all := map[int]bool{}
		a.within(all, at)
		for x := range all {
			last[x] = max(last[x], until)
		}
	}
}
