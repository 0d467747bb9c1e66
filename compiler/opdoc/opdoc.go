// Package opdoc says of each operator of Relax what there is to know: arguments, attributes, the shapes that come out of shapes that are static,
// symbolic and unknown, the kernel that LegalizeOps makes of an example, and what passes know of it. All but the example calls, which are data of this
// package, is computed from the table of operators. It is what the pages of operators and `explorer ops` show.
package opdoc

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/transform"
)

//go:embed examples.txt
var examplesText string

//go:embed modules.txtar
var modulesText []byte

// Inference is what comes out of arguments, as struct info.
type Inference struct {
	// Form says how much of the shapes is known: "static", "symbolic" or "unknown".
	Form   string
	Args   []string
	Result string
}

// Example is a call of an operator with what it leads to.
type Example struct {
	// Module is the text around the call, with static shapes where it can have such.
	Module string
	// Shapes has a row for each form that the call can have.
	Shapes []Inference
	// Lowered is the module behind LegalizeOps; empty where that leaves the call as it is.
	Lowered string
}

// parameters are the names that example calls give their arguments.
var parameters = []string{"x", "y", "z", "u", "v", "w"}

// call is a line of examples.txt.
type call struct {
	text string
	args []string
}

var examples = sync.OnceValue(func() map[string]call {
	out := map[string]call{}
	for line := range strings.Lines(examplesText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, "|")
		c := call{text: strings.TrimSpace(parts[0])}
		for _, a := range parts[1:] {
			if a = strings.TrimSpace(a); a != "" {
				c.args = append(c.args, a)
			}
		}
		name, _, _ := strings.Cut(c.text, "(")
		out["relax."+strings.TrimPrefix(name, "R.")] = c
	}
	return out
})

var modules = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, f := range txtar.Parse(modulesText).Files {
		out[f.Name] = string(f.Data)
	}
	return out
})

// exampleOf returns the call of an operator. Those that work element by element need none of their own.
func exampleOf(o *op.Op) (call, bool) {
	if c, ok := examples()[o.Name]; ok {
		return c, true
	}
	if o.Pattern > op.Broadcast || len(o.Args) == 0 || len(o.Args) > 2 {
		return call{}, false
	}
	c := call{args: []string{"n 4", "4"}[:len(o.Args)]}
	c.text = "R." + strings.TrimPrefix(o.Name, "relax.") + "(" + strings.Join(parameters[:len(o.Args)], ", ") + ")"
	return c, true
}

// ExampleOf computes the example of an operator; the context ends the work.
func ExampleOf(ctx context.Context, o *op.Op) (*Example, error) {
	if text, ok := modules()[o.Name]; ok {
		out := &Example{}
		return out, out.add(ctx, "static", text, o)
	}
	c, ok := exampleOf(o)
	if !ok {
		return nil, fmt.Errorf("opdoc: there is no example of %s", o.Name)
	}
	out := &Example{}
	if err := out.add(ctx, "static", c.module("static"), o); err != nil {
		return nil, err
	}
	if symbol.MatchString(strings.Join(c.args, " ")) {
		if err := out.add(ctx, "symbolic", c.module("symbolic"), o); err != nil {
			return nil, err
		}
	}
	if len(c.args) > 0 && !strings.Contains(strings.Join(c.args, " "), "R.") {
		if err := out.add(ctx, "unknown", c.module("unknown"), o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// symbol is a symbolic extent.
var symbol = regexp.MustCompile(`\b[nm]\b`)

// values are the symbols of an example that is static.
var values = map[string]string{"n": "2", "m": "3"}

// module returns the text of a module with the call. Its arguments are static, symbolic, or tensors of which only the rank is known.
func (c call) module(form string) string {
	var params []string
	for i, a := range c.args {
		params = append(params, parameters[i]+": "+annotation(a, form))
	}
	return "@I.ir_module\nclass Module:\n    @R.function(pure=False)\n    def main(" + strings.Join(params, ", ") + "):\n        out = " + c.text + "\n        return out\n"
}

func annotation(arg, form string) string {
	if strings.HasPrefix(arg, "R.") {
		return arg
	}
	dims, typ := strings.Fields(arg), "float32"
	if n := len(dims); n > 0 && !symbol.MatchString(dims[n-1]) && (dims[n-1][0] < '0' || dims[n-1][0] > '9') {
		dims, typ = dims[:n-1], dims[n-1]
	}
	if form == "unknown" {
		return fmt.Sprintf("R.Tensor(dtype=%q, ndim=%d)", typ, len(dims))
	}
	for i, d := range dims {
		switch {
		case !symbol.MatchString(d):
		case form == "static":
			dims[i] = values[d]
		default:
			dims[i] = fmt.Sprintf("%q", d)
		}
	}
	shape := strings.Join(dims, ", ")
	if len(dims) == 1 {
		shape += ","
	}
	return fmt.Sprintf("R.Tensor((%s), %q)", shape, typ)
}

// add infers the call in a module, and lowers it where it is the first.
func (e *Example) add(ctx context.Context, form, text string, o *op.Op) error {
	m, found := parse.Module(o.Name, text, parse.Options{})
	if m == nil {
		return fmt.Errorf("opdoc: the example of %s: %v", o.Name, found)
	}
	row := Inference{Form: form}
	relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if c, ok := b.BoundValue().(*relax.Call); ok && b.Bound().Name == "out" && op.Of(c) == o {
			row.Result = relax.FormatSInfo(b.Bound().SInfo)
			for i, a := range c.Args {
				if info := relax.SInfoOf(a); info != nil {
					row.Args = append(row.Args, argName(o, i)+": "+relax.FormatSInfo(info))
				}
			}
		}
	})
	if row.Result == "" {
		return fmt.Errorf("opdoc: the example of %s binds no call of it to out", o.Name)
	}
	e.Shapes = append(e.Shapes, row)
	if len(e.Shapes) > 1 {
		return nil
	}
	e.Module = printed(m)
	c, err := pass.NewContext(ctx)
	if err != nil {
		return err
	}
	lowered, err := c.Run(transform.LegalizeOps, m)
	if err != nil {
		return fmt.Errorf("opdoc: the example of %s: %w", o.Name, err)
	}
	if lowered != m {
		e.Lowered = printed(lowered)
	}
	return nil
}

// printed is the text of a module without the imports before it.
func printed(m *ir.Module) string {
	text := script.Module(m, script.Options{}).Source
	return text[max(strings.Index(text, "@I.ir_module"), 0):]
}

func argName(o *op.Op, i int) string {
	if n := len(o.Args); i >= n {
		i = n - 1
	}
	return o.Args[i].Name
}
