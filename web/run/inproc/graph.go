package inproc

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/instruments/flow/fromir"
)

var (
	// effect is a call of a function of the module as a statement of its own. Calls whose
	// value is used say what they return; these return nothing.
	effect = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^ +(?:cls|\w+: R\.Tuple = cls)\.(\w+)\(`) })
	// constantKey is a constant in a text, constantDigest in the detail of a node.
	constantKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`metadata\["relax\.expr\.Constant"\]\["([0-9a-f]{12})"\]`)
	})
	constantDigest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`constant [0-9a-f]{12}`) })
)

// Graph implements run.Compiler. It reads the text back.
func (r *Runner) Graph(ctx context.Context, text string) (*flow.Graph, error) {
	whole, stubs := withCalled(text)
	m, found := parse.Module("function", whole, parse.Options{AllowMissingConstants: true})
	for _, d := range found {
		if d.Severity == ir.Error {
			return nil, fmt.Errorf("the text does not parse: %s", d.Format())
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for gv, fn := range m.Funcs() {
		if stubs[gv.Name] {
			continue
		}
		printed := script.Function(gv.Name, fn, script.Options{})
		if strings.Count(printed.Source, "\n") != strings.Count(text, "\n") {
			printed = nil // a text that was not printed here: its lines are not known
		}
		g := fromir.Of(gv.Name, fn, printed)
		nameConstants(g, text)
		return g, nil
	}
	return nil, errors.New("the text has no function")
}

// withCalled returns a function's text followed by stubs of what it calls for the effect, and
// the names of the stubs.
func withCalled(text string) (string, map[string]bool) {
	stubs := map[string]bool{}
	var b strings.Builder
	b.WriteString(text)
	for _, m := range effect().FindAllStringSubmatch(text, -1) {
		name := m[1]
		if stubs[name] || strings.Contains(text, "\ndef "+name+"(") {
			continue
		}
		stubs[name] = true
		// With a calling convention, calls need not fit the parameters.
		fmt.Fprintf(&b, "\n@T.prim_func\ndef %s():\n    T.func_attr({\"calling_conv\": 1})\n    T.evaluate(0)\n", name)
	}
	return b.String(), stubs
}

// nameConstants puts the names that constants have in the text into the details of nodes:
// their values are not part of the text, and what stands in for them has other names.
func nameConstants(g *flow.Graph, text string) {
	lines := strings.Split(text, "\n")
	rest := map[int][][]string{} // names that are left by line
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Line == 0 || n.Line > len(lines) || !strings.Contains(n.Detail, "constant ") {
			continue
		}
		keys, ok := rest[n.Line]
		if !ok {
			keys = constantKey().FindAllStringSubmatch(lines[n.Line-1], -1)
		}
		n.Detail = constantDigest().ReplaceAllStringFunc(n.Detail, func(old string) string {
			if len(keys) == 0 {
				return old
			}
			key := keys[0][1]
			keys = keys[1:]
			return "constant " + key
		})
		rest[n.Line] = keys
	}
}
