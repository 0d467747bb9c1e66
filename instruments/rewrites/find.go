package rewrites

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/event"
)

// finder looks up nodes in the printed functions of one side of a step. All nodes of a function
// are looked up at once, so that it is printed and walked once.
type finder struct {
	mod, other *ir.Module
	wanted     map[string]map[ir.Node]bool // by function
	exact      map[ir.Node]bool            // of those, the nodes that were asked for
	// instead leads from a node that a rule of the same step replaced, or made, to another one.
	instead map[ir.Node]ir.Node
	found   map[string]*located
	changed []string // functions that the step changed, in order
}

// located are the nodes of a function that were found.
type located struct {
	text   string
	places map[ir.Node]script.Place
	paths  map[ir.Node]string
}

func newFinder(mod, other *ir.Module) *finder {
	f := &finder{mod: mod, other: other, wanted: map[string]map[ir.Node]bool{}, exact: map[ir.Node]bool{}, instead: map[ir.Node]ir.Node{}, found: map[string]*located{}}
	mod.EachChange(other, func(name string, _, now ir.Function) {
		if now != nil {
			f.changed = append(f.changed, name)
		}
	})
	return f
}

// want notes nodes that are looked for in a function: each, and what may stand for it.
func (f *finder) want(fn string, nodes ...ir.Node) {
	w := f.wanted[fn]
	if w == nil {
		w = map[ir.Node]bool{}
		f.wanted[fn] = w
	}
	for _, n := range nodes {
		f.exact[n] = true
		f.candidates(n, func(c ir.Node) bool {
			w[c] = true
			return true
		})
	}
}

// maxParts is the number of parts of a node that are looked for in its place, and maxSteps that
// of the rules in a row that are followed.
const (
	maxParts = 24
	maxSteps = 16
)

// candidates calls visit for n and for what may stand for it, the best first, until visit
// returns false: what another rule put in its place, the variable that it binds, its parts.
// Constants and variables that it merely uses stand elsewhere as well.
func (f *finder) candidates(n ir.Node, visit func(ir.Node) bool) {
	for i, x := 0, n; i < maxSteps && x != nil; i, x = i+1, f.instead[x] {
		if !visit(x) {
			return
		}
		if d := defined(x); d != nil && !visit(d) {
			return
		}
	}
	left := maxParts
	ir.Walk(n, func(x ir.Node) bool {
		if left == 0 {
			return false
		}
		switch x.(type) {
		case *relax.Var, *tir.Var, *tir.Buffer, *tir.IntImm, *tir.FloatImm, *tir.StringImm, *ir.GlobalVar, *ir.Op, ir.Type, relax.StructInfo:
			return x == n
		}
		left--
		if x != n && !visit(x) {
			left = 0
		}
		return left > 0
	})
}

// defined returns the variable or buffer that n defines, which is where n is, however it was
// copied since; nil if there is none.
func defined(n ir.Node) ir.Node {
	switch n := n.(type) {
	case relax.Binding:
		return n.Bound()
	case *tir.For:
		return n.LoopVar
	case *tir.LetStmt:
		return n.Var
	case *tir.Allocate:
		return n.Var
	case *tir.AllocateConst:
		return n.Var
	case *tir.DeclBuffer:
		return n.Buffer
	case *tir.BlockRealize:
		return defined(n.Block)
	case *tir.Block:
		if len(n.IterVars) > 0 {
			return n.IterVars[0].Var
		}
	}
	return nil
}

// find looks the nodes up: each in the function that its pass was working on, and the rest in
// the functions that the step changed.
func (f *finder) find() {
	rest := map[ir.Node]bool{}
	for _, name := range append(f.names(), "") {
		wanted := f.wanted[name]
		fn := f.mod.Lookup(name)
		if fn == nil {
			maps.Copy(rest, wanted)
			continue
		}
		l := f.locate(name, fn, wanted)
		f.found[name] = l
		for n := range wanted {
			if _, ok := l.places[n]; !ok && f.exact[n] {
				rest[n] = true
			}
		}
	}
	if len(rest) == 0 {
		return
	}
	for _, name := range f.changed {
		if l := f.locate(name, f.mod.Lookup(name), rest); f.found[name] == nil {
			f.found[name] = l
		} else {
			maps.Copy(f.found[name].places, l.places)
			maps.Copy(f.found[name].paths, l.paths)
		}
	}
}

// names returns the functions in which nodes are looked for.
func (f *finder) names() []string {
	var out []string
	for gv := range f.mod.Funcs() {
		if f.wanted[gv.Name] != nil {
			out = append(out, gv.Name)
		}
	}
	for name := range f.wanted {
		if name != "" && f.mod.Lookup(name) == nil {
			out = append(out, name) // only adds to the rest, so the order does not matter
		}
	}
	return out
}

func (f *finder) locate(name string, fn ir.Function, wanted map[ir.Node]bool) *located {
	text, places := script.Places(name, fn, wanted)
	l := &located{text.Source, places, map[ir.Node]string{}}
	left := len(places)
	if left == 0 {
		return l
	}
	ir.WalkPaths(fn, func(p ir.Path, n ir.Node) bool {
		if _, ok := places[n]; ok && l.paths[n] == "" {
			l.paths[n] = p.String()
			left--
		}
		return left > 0
	})
	return l
}

// place returns where n stands.
func (f *finder) place(fn string, n ir.Node) event.Place {
	var out event.Place
	near := func(c ir.Node) bool {
		if out.Line > 0 {
			return false
		}
		for _, name := range f.order(fn) {
			l := f.found[name]
			if l == nil {
				continue
			}
			if p, ok := l.places[c]; ok {
				out = event.Place{Func: name, Path: l.paths[c], Line: p.Line, Col: p.Col, EndLine: p.EndLine, EndCol: p.EndCol, Near: c != n}
				if c == n {
					out.Text = short(l.text[p.Start:p.End])
				}
				return false
			}
		}
		return true
	}
	f.candidates(n, near)
	if out.Text == "" {
		out.Text = Text(n)
	}
	return out
}

// order returns the functions in which a node may stand, the likeliest first.
func (f *finder) order(fn string) []string {
	if fn == "" {
		return f.changed
	}
	return append([]string{fn}, f.changed...)
}

// Limits of a piece of text.
const (
	maxText  = 300
	maxLines = 6
	maxNodes = 200 // of what is printed on its own
)

// Text returns the beginning of the text of a node that is printed on its own, or what it is
// where it is large.
func Text(n ir.Node) string {
	left := maxNodes
	ir.Walk(n, func(ir.Node) bool { left--; return left > 0 })
	switch n.(type) {
	case tir.Stmt, tir.Expr, relax.Expr, relax.Binding, *relax.BindingBlock, relax.StructInfo, *tir.Buffer:
		if left > 0 {
			return short(script.Node(n, script.Options{}))
		}
	}
	return fmt.Sprintf("(%s)", reflect.TypeOf(n).Elem().Name())
}

// short cuts a text to a few lines.
func short(s string) string {
	lines := strings.SplitN(s, "\n", maxLines+1)
	cut := len(lines) > maxLines
	if cut {
		lines = lines[:maxLines]
	}
	s = strings.Join(dedented(lines), "\n")
	if len(s) > maxText {
		s, cut = strings.ToValidUTF8(s[:maxText], ""), true
	}
	if cut {
		s += " ..."
	}
	return s
}

// dedented takes off the indentation that the lines after the first have in common; the first
// has none, since it begins with a node.
func dedented(lines []string) []string {
	least := -1
	for _, l := range lines[1:] {
		if n := len(l) - len(strings.TrimLeft(l, " ")); strings.TrimSpace(l) != "" && (least < 0 || n < least) {
			least = n
		}
	}
	if least <= 0 {
		return lines
	}
	// What follows the first line of a statement with a body is indented by one level.
	least = max(0, least-4)
	for i, l := range lines[1:] {
		lines[i+1] = l[min(least, len(l)):]
	}
	return lines
}
