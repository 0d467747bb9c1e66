// Command table makes the table of docs/scale.md of what the benchmark of package scale prints: a row for each pass, in the form on which
// 100,000 bindings take it longest. `make scale` runs it.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// head takes the number of bindings of the larger modules, twice, and how many times that of the smaller ones it is.
const head = `# Times of passes

What each registered pass takes on generated modules of 1,000 and %[1]s bindings: processor time, collection of garbage included, and the objects
that it allocates. A pass is measured on the forms that it works on (chains that use earlier values again, mixes of operators, many users of one
value, what it looks for), once, after the passes that it needs; the row is the form on which %[1]s bindings take it longest. The last column is the
time of a binding among %[1]s relative to that among 1,000: caches, the collector and what else the machine does make it 1 to 5, a quadratic
pass would make it %[2]d. ` + "`make scale`" + ` writes this table, with 100,000 bindings unless IRSCOPE_SCALE says another number; ` + "`TestGrowth`" + ` in
` + "`e2e/scale`" + ` fails for a pass that allocates more than in proportion.

| pass | form | 1,000 | objects | %[1]s | objects | growth |
|---|---|---|---|---|---|---|
`

// line is what the benchmark prints of a pass, a form and a number of bindings.
var line = regexp.MustCompile(`^BenchmarkPasses/([^/\s]+)/([^/\s]+)/(\d+?)(?:#\d+)?(?:-\d+)?\s+\d+\s.*?([\d.]+) cpu-ms.*?(\d+) allocs/op`)

// sample is a pass on few and many bindings of a form.
type sample struct {
	pass, form  string
	ms, objects [2]float64
}

func main() {
	found := map[string]*sample{}
	seen := map[string]int{}
	few, many := 1000, 0 // bindings
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		f := line.FindStringSubmatch(in.Text())
		if f == nil {
			continue
		}
		seen[f[1]+f[2]+f[3]]++ // a pass may stand twice in a pipeline
		key := fmt.Sprint(f[1], "/", f[2], "/", seen[f[1]+f[2]+f[3]])
		if found[key] == nil {
			found[key] = &sample{pass: f[1], form: strings.ReplaceAll(f[2], "_", " ")}
		}
		size := 0
		if n, _ := strconv.Atoi(f[3]); n != few {
			size, many = 1, n
		}
		found[key].ms[size], _ = strconv.ParseFloat(f[4], 64)
		found[key].objects[size], _ = strconv.ParseFloat(f[5], 64)
	}
	worst := map[string]*sample{}
	for _, s := range found {
		if w := worst[s.pass]; w == nil || s.ms[1] > w.ms[1] || s.ms[1] == w.ms[1] && s.form < w.form {
			worst[s.pass] = s
		}
	}
	var list []*sample
	for _, s := range worst {
		list = append(list, s)
	}
	if len(list) == 0 {
		fmt.Fprintln(os.Stderr, "table: no results of BenchmarkPasses on the standard input")
		os.Exit(1)
	}
	slices.SortFunc(list, func(a, b *sample) int {
		return cmp.Or(cmp.Compare(level(a.pass), level(b.pass)), cmp.Compare(a.pass, b.pass))
	})
	fmt.Printf(head, grouped(many), many/few)
	for _, s := range list {
		growth := "-"
		if s.ms[0] > 0.05 {
			growth = fmt.Sprintf("%.1f", s.ms[1]/s.ms[0]/float64(many/few))
		}
		fmt.Printf("| %s | %s | %.2f ms | %.0f | %.0f ms | %.0f | %s |\n", s.pass, s.form, s.ms[0], s.objects[0], s.ms[1], s.objects[1], growth)
	}
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// level orders the passes of Relax, of Relay and of loops.
func level(pass string) int {
	return slices.Index([]string{"", "relay", "tir"}, strings.TrimSuffix(pass[:strings.Index(pass, ".")+1], "."))
}
