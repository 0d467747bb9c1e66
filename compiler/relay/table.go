package relay

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/runtime/dtype"
)

//go:embed operators.txt
var operatorTable string

// row is an operator of Relay and what it is in the IR.
type row struct {
	name  string // Relay's
	op    *op.Op
	attrs []rowAttr
	// own is the operator that takes what Relax's does not: blocked layouts, and elements of other types.
	own *row
}

// rowAttr is an attribute of an operator of Relay. Where to is "" it is left out in the IR.
type rowAttr struct {
	name, to string
	def      ir.Value
	required bool
	kind     op.AttrType
}

// rows are the operators by Relay's names, and byOp by those of the IR.
var rows = sync.OnceValue(func() map[string]*row {
	out := map[string]*row{}
	for line := range strings.Lines(operatorTable) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			r := readRow(line)
			out[r.name] = r
		}
	}
	for _, o := range op.Relay() {
		name, own := strings.CutPrefix(o.Name, op.RelayPrefix)
		if !own {
			continue
		}
		r := &row{name: name, op: o}
		for i := range o.Attrs {
			a := &o.Attrs[i]
			r.attrs = append(r.attrs, rowAttr{a.Name, a.Name, a.Default, a.Required, a.Type})
		}
		if first := out[name]; first != nil {
			first.own = r
		} else {
			out[name] = r
		}
	}
	return out
})

var byOp = sync.OnceValue(func() map[string]*row {
	out := map[string]*row{}
	for _, r := range rows() {
		for ; r != nil; r = r.own {
			if out[r.op.Name] != nil {
				panic("relay: " + r.op.Name + " is in the table twice")
			}
			out[r.op.Name] = r
		}
	}
	return out
})

// readRow reads a row of operators.txt; it panics on one that is malformed.
func readRow(line string) *row {
	words := strings.Fields(line)
	r := &row{name: words[0], op: op.Lookup("relax." + words[1])}
	if r.op == nil {
		panic("relay: there is no operator relax." + words[1])
	}
	for _, w := range words[2:] {
		if name, dropped := strings.CutSuffix(w, "~"); dropped {
			r.attrs = append(r.attrs, rowAttr{name: name})
			continue
		}
		names, def, ok := strings.Cut(w, "=")
		name, to, renamed := strings.Cut(names, ">")
		if !renamed {
			to = name
		}
		a := r.op.Attr(to)
		if !ok || a == nil {
			panic("relay: a row of operators.txt is wrong at " + w)
		}
		x := rowAttr{name: name, to: to, required: def == "", kind: a.Type}
		if def != "" {
			x.def = defaultOf(def, a.Type)
		}
		r.attrs = append(r.attrs, x)
	}
	return r
}

// defaultOf reads a default with the reader of attributes.
func defaultOf(text string, kind op.AttrType) ir.Value {
	p := newParser("operators.txt", text)
	p.advance()
	v, ok := convert(p.attrValue(), kind)
	if !ok {
		panic("relay: operators.txt: " + text + " is no default")
	}
	return v
}

// convert returns a value as one of an attribute of a type. A number is a list of one, lists of pairs are flat.
func convert(v ir.Value, kind op.AttrType) (ir.Value, bool) {
	switch kind {
	case op.FloatAttr, op.OptFloatAttr:
		if n, ok := v.(int64); ok {
			return float64(n), true
		}
	case op.BoolAttr:
		if n, ok := v.(int64); ok {
			return n != 0, true
		}
	case op.DTypeAttr:
		switch s := v.(type) {
		case nil:
			return dtype.Void, true
		case string:
			if s == "" || s == "void" {
				return dtype.Void, true
			}
			d, err := dtype.Parse(s)
			return d, err == nil
		}
	case op.IntsAttr, op.OptIntsAttr, op.IntOrIntsAttr:
		if n, ok := v.(int64); ok && kind != op.IntOrIntsAttr {
			return []ir.Value{n}, true
		}
		if list, ok := v.([]ir.Value); ok {
			return flatten(nil, list), true
		}
	case op.FloatsAttr:
		if list, ok := v.([]ir.Value); ok {
			out := make([]ir.Value, len(list))
			for i, x := range list {
				if n, isInt := x.(int64); isInt {
					x = float64(n)
				}
				out[i] = x
			}
			return out, true
		}
		return []ir.Value{}, v == nil
	}
	return v, true
}

func flatten(out, list []ir.Value) []ir.Value {
	if out == nil {
		out = []ir.Value{}
	}
	for _, x := range list {
		if sub, ok := x.([]ir.Value); ok {
			out = flatten(out, sub)
		} else {
			out = append(out, x)
		}
	}
	return out
}
