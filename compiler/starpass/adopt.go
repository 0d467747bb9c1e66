package starpass

import "github.com/irscope/irscope/compiler/pass"

// Adopt returns passes of a script under names of their own: prefix stands before each, also
// where they require each other, so that none can be taken for a pass of the compiler. Passes
// of the compiler inside of a sequence stay as they are. A wrap that is not nil stands around
// the body of each.
func Adopt(passes []*pass.Pass, prefix string, wrap func(pass.RunFunc) pass.RunFunc) []*pass.Pass {
	own := map[string]bool{}
	for _, p := range passes {
		own[p.Name] = true
	}
	var adopt func(p *pass.Pass) *pass.Pass
	adopt = func(p *pass.Pass) *pass.Pass {
		if _, users := p.Args.Get("source"); !users {
			return p
		}
		out := *p
		out.Name = prefix + p.Name
		out.Required, out.Children = nil, nil
		for _, name := range p.Required {
			if own[name] {
				name = prefix + name
			}
			out.Required = append(out.Required, name)
		}
		for _, c := range p.Children {
			out.Children = append(out.Children, adopt(c))
		}
		if p.Run != nil && wrap != nil {
			out.Run = wrap(p.Run)
		}
		return &out
	}
	out := make([]*pass.Pass, len(passes))
	for i, p := range passes {
		out[i] = adopt(p)
	}
	return out
}
