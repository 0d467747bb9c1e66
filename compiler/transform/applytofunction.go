package transform

import (
	"fmt"
	"regexp"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ApplyPassToFunction returns a module pass that runs p on the functions whose names the regular expression matches as a whole, TVM's pass of that
// name. The others are external functions while p runs, so that p sees what they take and return, but neither changes nor removes them. A private
// function that matches is public for that time, since who calls it may not be seen. With must it is an error if no name matches.
func ApplyPassToFunction(p *pass.Pass, regex string, must bool) (*pass.Pass, error) {
	names, err := regexp.Compile("^(?:" + regex + ")$")
	if err != nil {
		return nil, fmt.Errorf("ApplyPassToFunction: func_name_regex: %w", err)
	}
	return &pass.Pass{
		Name: "ApplyPassToFunction", Kind: pass.Module, Foreign: true, Level: p.Level, Required: p.Required,
		Doc: "Runs " + p.Name + " on the functions whose names match " + regex + ".",
		Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return applyToFunctions(c, m, p, names, must) },
	}, nil
}

func applyToFunctions(c *pass.Context, m *ir.Module, p *pass.Pass, names *regexp.Regexp, must bool) (*ir.Module, error) {
	others, private := map[string]ir.Function{}, map[string]bool{}
	e := m.Edit()
	matched := 0
	for gv, fn := range m.Funcs() {
		name := gv.Name
		switch {
		case !names.MatchString(name):
			others[name] = fn
			e.Set(name, &relax.ExternFunc{Symbol: name, SInfo: relax.SInfoOfFunc(fn)})
		case ir.GlobalSymbol(fn) == "":
			matched++
			private[name] = true
			e.Set(name, fn.WithFuncAttrs(fn.FuncAttrs().With(ir.AttrGlobalSymbol, name)))
		default:
			matched++
		}
	}
	if matched == 0 {
		if must {
			return nil, fmt.Errorf("no name of a function matches %s", names)
		}
		return m, nil
	}
	part := e.Done()
	out, err := c.Run(p, part)
	if err != nil || out == part {
		return m, err
	}
	e = out.Edit()
	for gv, fn := range out.Funcs() {
		if old, other := others[gv.Name]; other {
			e.Set(gv.Name, old)
		} else if private[gv.Name] {
			e.Set(gv.Name, fn.WithFuncAttrs(fn.FuncAttrs().Without(ir.AttrGlobalSymbol)))
		}
	}
	for name, fn := range others { // what p dropped, since nobody that it saw calls it
		e.Set(name, fn)
	}
	return e.Done(), nil
}
