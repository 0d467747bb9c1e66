package cpu_test

import (
	"context"
	gort "runtime"
	"testing"
)

// quickest compiles a kernel, runs it until b has enough, and returns what was compiled and the
// time of its quickest run in seconds.
func quickest(b *testing.B, k kernel) (*compiled, float64) {
	b.Helper()
	c := compile(b, create(b, k))
	vals, _ := c.upload(b, k.arguments(b))
	gort.LockOSThread()
	defer gort.UnlockOSThread()
	best := 0.0
	for b.Loop() {
		start := threadTime()
		if _, err := c.kernel.Run(context.Background(), vals...); err != nil {
			b.Fatal(err)
		}
		if d := threadTime() - start; best == 0 || d < best {
			best = d
		}
	}
	b.ReportMetric(0, "ns/op")
	return c, best
}

// reportTime reports the time of the quickest run of a kernel and, under the given name, its ratio
// to the time in base, which is that of an earlier kernel or, where isBase is set, of this one.
func reportTime(b *testing.B, k kernel, isBase bool, base *float64, name string) {
	b.Helper()
	_, best := quickest(b, k)
	if isBase {
		*base = best
	}
	b.ReportMetric(best*1e3, "ms")
	if *base > 0 {
		b.ReportMetric(best / *base, name)
	}
}
