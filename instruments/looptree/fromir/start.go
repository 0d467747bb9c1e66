package fromir

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/looptree"
)

// Start returns a script to start a schedule of a PrimFunc from: it looks up the blocks and their loops, under the names that they have.
func Start(name string, f *tir.PrimFunc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# sch is the schedule of %s.\n# Each call that changes it is a step of the run.\n", name)
	used := map[string]bool{"sch": true}
	fresh := func(name string) string {
		name = identifier(name)
		for i, n := 1, name; ; i++ {
			if !used[n] {
				used[n] = true
				return n
			}
			n = fmt.Sprintf("%s_%d", name, i)
		}
	}
	var loops []looptree.Row
	count := map[string]int{}
	for _, row := range Of(name, f, nil).Rows {
		loops = loops[:min(len(loops), max(row.Depth-1, 0))]
		switch {
		case row.Kind == looptree.Loop:
			for len(loops) < row.Depth-1 { // below what is no loop
				loops = append(loops, looptree.Row{})
			}
			loops = append(loops, row)
		case row.Kind == looptree.Block && count[row.Name] == 0:
			count[row.Name]++
			v := fresh("b_" + row.Name)
			fmt.Fprintf(&b, "%s = sch.get_block(%q)\n", v, row.Name)
			first := len(loops)
			for first > 0 && loops[first-1].Name != "" { // loops of an outer block are not its own
				first--
			}
			var names []string
			for _, l := range loops[first:] {
				names = append(names, fresh(l.Name))
			}
			if len(names) > 0 {
				comma := ""
				if len(names) == 1 {
					comma = ","
				}
				fmt.Fprintf(&b, "%s%s = sch.get_loops(%s)\n", strings.Join(names, ", "), comma, v)
			}
		}
	}
	return b.String()
}

// identifier returns a name as Python takes it.
func identifier(name string) string {
	out := []byte(name)
	for i, c := range out {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			out[i] = '_'
		}
	}
	if len(out) == 0 || out[0] >= '0' && out[0] <= '9' {
		return "v" + string(out)
	}
	return string(out)
}
