package op

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

//go:embed relay_ops.txt
var relayTable string

// RelayPrefix begins the names of the operators of Relay that have no counterpart in Relax.
const RelayPrefix = "relay."

// relayOps are the rows of relay_ops.txt. They are read, verified and printed; there is no kernel for them.
func relayOps() []*Op {
	var out []*Op
	rules := relayRules()
	for line := range strings.Lines(relayTable) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		out = append(out, relayRow(line, rules))
	}
	return out
}

// relayRow reads a row of the table; it panics on one that is malformed.
func relayRow(line string, rules map[string]relayRule) *Op {
	cols := strings.Split(line, "|")
	if len(cols) != 5 {
		panic("op: a row of relay_ops.txt has not five columns: " + line)
	}
	for i := range cols {
		cols[i] = strings.TrimSpace(cols[i])
	}
	rule := rules[cols[3]]
	if rule.infer == nil {
		panic("op: relay_ops.txt names no rule: " + line)
	}
	o := &Op{Name: RelayPrefix + cols[0], Infer: rule.infer, complete: rule.complete, Pattern: Opaque, Doc: cols[4], Impure: cols[3] == "unit"} // what returns nothing has an effect
	for _, a := range strings.Fields(cols[1]) {
		o.Args = append(o.Args, relayArg(a))
	}
	for _, a := range strings.Fields(cols[2]) {
		o.Attrs = append(o.Attrs, relayAttr(a))
	}
	return o
}

func relayArg(s string) Arg {
	kind, name := Tensor, s
	switch s[0] {
	case '(':
		kind, name = Tensors, s[1:len(s)-1]
	case '[':
		kind, name = Tuple, s[1:len(s)-1]
	case '*':
		kind, name = AnyValue, s[1:]
	}
	return Arg{Name: name, Kind: kind, Doc: "The argument " + name + " of Relay's operator."}
}

var relayTypes = map[string]AttrType{
	"int": IntAttr, "float": FloatAttr, "bool": BoolAttr, "str": StringAttr, "ints": IntsAttr, "dtype": DTypeAttr, "floats?": FloatsAttr,
	"int?": OptIntAttr, "str?": OptStringAttr, "ints?": OptIntsAttr,
}

func relayAttr(s string) Attr {
	name, rest, _ := strings.Cut(s, ":")
	kind, def, given := strings.Cut(rest, "=")
	t, ok := relayTypes[kind]
	if !ok {
		panic("op: relay_ops.txt has an attribute of no type: " + s)
	}
	a := Attr{Name: name, Type: t, Required: !given, Doc: "The attribute " + name + " of Relay's operator."}
	if given {
		a.Default = relayDefault(t, def)
	}
	return a
}

func relayDefault(t AttrType, s string) ir.Value {
	var out ir.Value
	var err error
	switch {
	case t == FloatsAttr:
		return []ir.Value{}
	case s == "None":
	case t == IntAttr || t == OptIntAttr:
		out, err = strconv.ParseInt(s, 10, 64)
	case t == FloatAttr:
		out, err = strconv.ParseFloat(s, 64)
	case t == BoolAttr:
		out = s == "True"
	case t == DTypeAttr && s == `""`:
		out = dtype.Void
	case t == DTypeAttr:
		out, err = dtype.Parse(strings.Trim(s, `"`))
	case t == StringAttr:
		out = strings.Trim(s, `"`)
	case t == IntsAttr:
		var list []ir.Value
		for x := range strings.SplitSeq(strings.Trim(s, "[]"), ",") {
			var n int64
			n, err = strconv.ParseInt(x, 10, 64)
			list = append(list, n)
		}
		out = list
	default:
		err = fmt.Errorf("no default of this type can be written")
	}
	if err != nil {
		panic("op: relay_ops.txt: " + s + ": " + err.Error())
	}
	return out
}
