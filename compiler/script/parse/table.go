package parse

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/runtime/dtype"
)

// constructs returns all that a text can call, by name. Rows that are written by hand replace those
// that follow from the tables of operators and intrinsics. Operators stand in it by their full names
// as well ("relax.add").
var constructs = sync.OnceValue(func() map[string]*signature {
	kinds := argumentKinds()
	out := map[string]*signature{}
	for _, o := range append(op.All(), op.Relay()...) {
		s := operatorOf(o, kinds)
		out[s.name], out[o.Name] = s, s
	}
	out["R.stop_lift_params"] = out["R.builtin.stop_lift_params"]
	for _, s := range intrinsics(kinds) {
		out[s.name] = s
	}
	for _, name := range strings.Fields(elementTypes) {
		s := signaturesOf(row{"T." + name + "(expr: value = None, is_size_var: bool = False)", typed(dtype.MustParse(name))}, kinds)[0]
		out[s.name] = s
	}
	for _, group := range []struct {
		place place
		info  bool
		span  bool
		rows  []row
	}{
		{span: true, rows: binaryRows()},
		{span: true, rows: exprRows},
		{rows: typeRows},
		{rows: lambdaRows},
		{rows: []row{bufferRow, callRow, callIntrinRow, dp4aRow}},
		{place: inLoops, rows: scopeRows},
		{place: inLoops, rows: blockRows},
		{place: inLoops, rows: loopRows},
		{place: inLoops, rows: bufferRows},
		{place: nowhere, rows: refusedRows},
		{info: true, rows: infoRows},
		{rows: graphRows},
		{rows: distributedRows},
		{rows: packedRows},
		{place: inGraph, rows: []row{attrsRow}},
		{rows: moduleRows},
		{place: inClass, rows: classRows},
		{rows: hostRows},
		{rows: []row{rangeRow, functionRow}},
		{rows: methodRows},
	} {
		for _, r := range group.rows {
			for _, s := range signaturesOf(r, kinds) {
				s.place, s.info, s.span = group.place, group.info, group.span
				out[s.name] = s
			}
		}
	}
	return out
})

// constructsWith returns the constructs and operators of the program.
func constructsWith(own []*op.Op) map[string]*signature {
	if len(own) == 0 {
		return constructs()
	}
	out, kinds := maps.Clone(constructs()), argumentKinds()
	for _, o := range own {
		s := operatorOf(o, kinds)
		out[s.name], out[o.Name] = s, s
	}
	return out
}

// elementTypes are types whose names may be called. Others, and vectors, are known by their form.
const elementTypes = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bfloat16 bool"

// construct evaluates the call of a dotted name.
func (b *builder) construct(path string, n *syntax.Node) any {
	s := b.table[path]
	if s == nil {
		name, ok := strings.CutPrefix(path, "T.")
		d, typ := dtypeName(name)
		if !ok || !typ {
			b.unknown(path, n.Kids[0])
		}
		s = &signature{name: path, params: b.table["T.int32"].params, rest: -1, build: typed(d)}
	}
	switch {
	case s.place == inLoops && b.tf == nil:
		b.fail(n.Kids[0], "", "%s can only stand in a PrimFunc", path)
	case s.place == inGraph && b.rf == nil:
		b.fail(n.Kids[0], "", "%s can only stand in a Relax function", path)
	case s.place == inClass && (b.tf != nil || b.rf != nil):
		b.fail(n.Kids[0], "", "%s can only stand in a module", path)
	}
	return b.apply(s, n, nil)
}

// unknown reports a name that the table does not have.
func (b *builder) unknown(path string, n *syntax.Node) {
	dialect, name, dotted := strings.Cut(path, ".")
	switch {
	case !dotted:
		b.fail(n, "", "%s cannot be called like this in a script", path)
	case dialect == "R" && !b.dims:
		b.fail(n, b.nearest(path), "unknown operator %s", path)
	case dialect == "T" || dialect == "R" || dialect == "I":
		b.fail(n, b.nearest(path), "%s has no %q", dialect, name)
	}
	b.fail(n, "values of the host program are defined for the run (define NAME=VALUE)", "%s cannot be called from a script", path)
}

// nearest is the hint for a name that the table does not have: the one that it was meant to be.
func (b *builder) nearest(path string) string {
	dialect, name, _ := strings.Cut(path, ".")
	names := map[string][]string{"T": {"prim_func", "macro"}, "R": {"function", "macro"}, "I": {"ir_module"}}[dialect]
	for known, s := range b.table {
		if rest, ok := strings.CutPrefix(known, dialect+"."); ok && s.place != nowhere {
			names = append(names, rest)
		}
	}
	// One that begins with a letter of the same case is meant rather.
	alike := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s[0]&0x20 != name[0]&0x20 })
	best := nearest.Name(name, slices.Values(alike))
	if best == "" {
		best = nearest.Name(name, slices.Values(names))
	}
	if best == "" {
		return ""
	}
	return "did you mean " + dialect + "." + best + "?"
}

// near returns the candidate that s was meant to be, "" if there is none. Of names as short as
// those of loop variables, any is near to any other: only their case may differ.
func near(s string, candidates []string) string {
	if len(s) > 2 {
		return nearest.Name(s, slices.Values(candidates))
	}
	for _, c := range candidates {
		if c != s && strings.EqualFold(c, s) {
			return c
		}
	}
	return ""
}

// did returns the hint for a name that is none of the candidates, otherwise where none is near.
func did(s string, candidates []string, prefix, otherwise string) string {
	if best := near(s, candidates); best != "" {
		return "did you mean " + prefix + best + "?"
	}
	return otherwise
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	switch n {
	case 0:
		return "no " + many
	case 1:
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// sorted returns the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
