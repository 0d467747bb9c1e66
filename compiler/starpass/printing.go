package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
)

// maxScript bounds the nodes of a module that is printed.
const maxScript = 1 << 20

// script is mod.script(show_meta=..., ...): the module as TVMScript, under the options of
// TVM's printer.
func (v *Module) script(r *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, errors.New("script: options are given by name: script(show_meta=True)")
	}
	o, err := printOptions(kwargs)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	count := 0
	for _, f := range v.m.Funcs() {
		ir.Walk(f, func(ir.Node) bool { count++; return count <= maxScript })
	}
	if count > maxScript {
		return nil, &LimitError{fmt.Sprintf("script: the module has more than %d nodes", maxScript)}
	}
	if err := r.work(count); err != nil {
		return nil, err
	}
	text, err := printModule(v.m, o)
	if err != nil {
		return nil, err
	}
	return r.result(starlark.String(text))
}

// printOptions returns the options of the printer by TVM's names. Nodes to underline or
// annotate are given as such.
func printOptions(kwargs []starlark.Tuple) (script.Options, error) {
	var o script.Options
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		switch name {
		case "obj_to_underline":
			err := eachOf(kv[1], func(x starlark.Value) error {
				n, err := asNode[ir.Node](x, "a node")
				o.Underline = append(o.Underline, n)
				return err
			})
			if err != nil {
				return o, fmt.Errorf("%s: %w", name, err)
			}
		case "obj_to_annotate":
			d, ok := kv[1].(*starlark.Dict)
			if !ok {
				return o, fmt.Errorf("%s: expected a dict of nodes and texts, got %s", name, describe(kv[1]))
			}
			o.Annotate = map[ir.Node]string{}
			for k, x := range d.Entries() {
				n, err := asNode[ir.Node](k, "a node")
				text, ok := starlark.AsString(x)
				if err == nil && !ok {
					err = fmt.Errorf("expected a text, got %s", describe(x))
				}
				if err != nil {
					return o, fmt.Errorf("%s: %w", name, err)
				}
				o.Annotate[n] = text
			}
		default:
			x, err := attrValue(kv[1], 0)
			if err == nil {
				err = o.Set(name, x)
			}
			if err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

func printModule(m *ir.Module, o script.Options) (text string, err error) {
	defer func() { // functions that a script built may lack what the printer looks at
		if p := recover(); p != nil {
			err = fmt.Errorf("the module cannot be printed: %v", p)
		}
	}()
	return script.Module(m, o).Source, nil
}
