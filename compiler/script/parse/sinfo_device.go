package parse

import (
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
)

// vdevice finds a virtual device of the module by "target:index:scope".
func (b *builder) vdevice(text string, n *syntax.Node) *relax.VDevice {
	parts := strings.Split(text, ":")
	if k := strings.LastIndexByte(text, '}'); k >= 0 { // the target is a dictionary
		parts = append([]string{text[:k+1]}, strings.Split(text[k+1:], ":")[1:]...)
	}
	want := &relax.VDevice{Base: b.span(n), Target: parts[0], Scope: "global"}
	if len(parts) > 1 {
		id, err := strconv.Atoi(parts[1])
		if err != nil {
			b.fail(n, `devices are written as "llvm:0" or "llvm:0:global"`, "%q names no device", text)
		}
		want.ID = id
	}
	if len(parts) > 2 {
		want.Scope = parts[2]
	}
	k := 0
	var found *relax.VDevice
	for i, x := range b.mod.infos["vdevice"] {
		d, ok := x.(*relax.VDevice)
		if ok && want.Target == "vdevice" && i == want.ID { // by number
			return d
		}
		kind, _, _ := strings.Cut(d.Target, " ")
		if !ok || d.Target != want.Target && kind != want.Target && !strings.Contains(d.Target, strconv.Quote(want.Target)) {
			continue
		}
		if d.ID == want.ID && (d.Scope == want.Scope || len(parts) < 3) {
			return d
		}
		if k == want.ID && found == nil {
			found = d
		}
		k++
	}
	if found != nil {
		return found
	}
	if b.mod.lone {
		b.mod.infos["vdevice"] = append(b.mod.infos["vdevice"], want)
		b.mod.mod = b.mod.mod.WithGlobalInfos("vdevice", b.mod.infos["vdevice"])
		return want
	}
	b.fail(n, "list it in I.module_global_infos", "the module has no device %q", text)
	return nil
}
