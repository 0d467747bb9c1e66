package parse

import "slices"

// join makes the functions and devices of Options.Within known to functions that are read
// without a class.
func (b *builder) join(m *moduleState) {
	base := b.opts.Within
	for gv, fn := range base.Funcs() {
		m.vars[gv.Name], m.funcs[gv.Name] = gv, fn
	}
	for kind, infos := range base.GlobalInfos() {
		m.infos[kind] = slices.Clone(infos)
	}
}

// within tells whether functions without a class are a part of a module that is known.
func (b *builder) within() bool { return b.mod.lone && b.opts.Within != nil }
