package inproc

import (
	"context"
	"embed"
	"fmt"

	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/run"
)

//go:embed examples/*.py
var exampleModules embed.FS

// examples say, for each script that comes with the program, what it is good for watching;
// the module of the same name has what its passes look for.
var examples = [...]struct{ script, title, doc string }{
	{
		"counter", "Call counter",
		"An instrument: it inspects the module before and after every pass and prints which calls appeared and disappeared. Select a pass to read its output.",
	},
	{
		"collapse_if", "If collapser",
		"A mutator: if the condition is known or both branches are equal, one branch replaces the if. One of the three in its module has to stay.",
	},
	{
		"fold_constant", "Constant folding",
		"A visitor and a mutator: sums and products of constants are computed once, before the program runs. Three bindings in its module become numbers.",
	},
}

// describeScripts describes the scripts that come with the program.
func describeScripts(ctx context.Context) ([]catalog.ScriptExample, error) {
	sources := map[string]string{}
	for _, e := range starpass.Examples() {
		sources[e.Name] = e.Source
	}
	var out []catalog.ScriptExample
	for _, l := range examples {
		module, err := exampleModules.ReadFile("examples/" + l.script + ".py")
		if err != nil {
			return nil, fmt.Errorf("the module of script %s: %w", l.script, err)
		}
		e := catalog.ScriptExample{
			Name: l.script, Title: l.title, Doc: l.doc,
			Script: run.Script{Name: l.script + ".star", Source: sources[l.script]}, ModuleName: l.script + ".py", Module: string(module),
		}
		s, err := driver.CheckScript(ctx, e.Script)
		if err != nil {
			return nil, fmt.Errorf("script %s: %w", l.script, err)
		}
		e.Passes = []string{}
		for _, p := range s.Passes {
			e.Passes = append(e.Passes, p.Name)
		}
		out = append(out, e)
	}
	return out, nil
}
