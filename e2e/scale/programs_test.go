package scale

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
)

// program is a text of any number of bindings: groups of lines between a head and an end. In a group $i is its number, $p the value of the
// group before it and $q that of an earlier one; v$i is its own. In the end $p is the last value. In the head and the end $1 and $2 are lists of
// what items says of each group.
type program struct {
	name             string
	head, group, end string
	items            []string
	first            string // $p of the first group
	value            string // of a group, "v%d" where empty
	per              int    // bindings of a group
	most             int    // bindings at most, 0 for any number
}

// text returns the program with about n bindings.
func (p program) text(n int) string {
	if p.most > 0 {
		n = min(n, p.most)
	}
	value := p.value
	if value == "" {
		value = "v%d"
	}
	groups := max(n/p.per, 1)
	name := func(i int) string {
		if i < 0 {
			return p.first
		}
		return fmt.Sprintf(value, i)
	}
	var body strings.Builder
	lists := make([]strings.Builder, 2)
	for i := range groups {
		of := strings.NewReplacer("$i", fmt.Sprint(i), "$p", name(i-1), "$q", name(i-1-i%7))
		_, _ = of.WriteString(&body, p.group)
		for j, item := range p.items {
			_, _ = of.WriteString(&lists[j], item)
		}
	}
	frame := strings.NewReplacer("$p", name(groups-1), "$1", lists[0].String(), "$2", lists[1].String())
	return frame.Replace(p.head) + body.String() + frame.Replace(p.end)
}

// module returns the program as a module.
func (p program) module(tb testing.TB, n int) *ir.Module {
	tb.Helper()
	sources, found, err := frontend.Load(context.Background(), p.name, []byte(p.text(n)), frontend.Options{Form: frontend.Script})
	if err != nil || len(sources) == 0 {
		tb.Fatal(p.name, err, found)
	}
	return sources[0].Module
}

const (
	matrix  = `R.Tensor((8, 8), "float32")`
	image   = `R.Tensor((1, 4, 6, 6), "float32")`
	channel = `R.Tensor((4,), "float32")`
)

// dataflow is the frame of a function main with one dataflow block.
func dataflow(params, attrs string) (head, end string) {
	if attrs != "" {
		attrs = "        R.func_attr({" + attrs + "})\n"
	}
	return "@I.ir_module\nclass Module:\n    @R.function\n    def main(" + params + "):\n" + attrs + "        with R.dataflow():\n",
		"            out = R.nn.relu($p)\n            R.output(out)\n        return out\n"
}

// inFlow is a program of a dataflow block whose groups have the lines that are given.
func inFlow(name, params, attrs string, lines ...string) program {
	head, end := dataflow(params, attrs)
	return program{name: name, head: head, group: indented(12, lines), end: end, first: "x", per: len(lines)}
}

// wide is inFlow with all values of the groups in one tuple as its result.
func wide(name, params, attrs string, lines ...string) program {
	p := inFlow(name, params, attrs, lines...)
	p.items = []string{"v$i, "}
	p.end = "            out = ($1)\n            R.output(out)\n        return out\n"
	return p
}

func indented(n int, lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.Repeat(" ", n) + l + "\n")
	}
	return b.String()
}
