package scale

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
)

// bindings is how many bindings the larger modules have: IRSCOPE_SCALE, or 100,000.
func bindings(b *testing.B) int {
	text := os.Getenv("IRSCOPE_SCALE")
	if text == "" {
		return 100_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 10_000 {
		b.Fatalf("IRSCOPE_SCALE=%s: expected a number of bindings, 10000 or more", text)
	}
	return n
}

// BenchmarkPasses runs each registered pass on 1,000 bindings and on as many as IRSCOPE_SCALE says of the forms that it works on, once the
// passes before it have run. `make scale` makes the table of docs/scale.md of what it prints.
func BenchmarkPasses(b *testing.B) {
	for _, r := range rows {
		for _, p := range r.on {
			list, from := r.list(b)
			for _, n := range []int{1_000, bindings(b)} {
				var m *ir.Module
				for i, q := range list {
					if m == nil {
						m = p.module(b, n)
					}
					if i < from {
						m = run(b, q, m)
						continue
					}
					var out *ir.Module
					name := fmt.Sprintf("%s/%s/%d", q.Name, strings.ReplaceAll(p.name, " ", "_"), n)
					b.Run(name, func(b *testing.B) {
						b.ReportAllocs()
						start := processTime()
						for b.Loop() {
							out = run(b, q, m)
						}
						b.ReportMetric((processTime()-start).Seconds()*1000/float64(b.N), "cpu-ms")
					})
					if out == nil { // not asked for
						out = run(b, q, m)
					}
					m = out
				}
			}
		}
	}
}
