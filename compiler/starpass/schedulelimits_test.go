package starpass_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/starpass"
)

const productText = `
@I.ir_module
class Module:
    @T.prim_func
    def product(x: T.Buffer((64, 64)), w: T.Buffer((64, 64)), y: T.Buffer((64, 64))):
        for i, j, k in T.grid(64, 64, 64):
            with T.block("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    y[vi, vj] = T.float32(0)
                y[vi, vj] = y[vi, vj] + x[vi, vk] * w[vk, vj]
`

// TestHostileSchedules runs schedules whose calls would take all time: each is refused with an error that names a limit or what is wrong.
func TestHostileSchedules(t *testing.T) {
	for source, want := range map[string]string{
		"sch.split(i, [1] * 100000 + [None])":                            "split: factors: a list of 100001 values, more than the limit of 1000",
		"sch.split(loop=i, factors=range(1 << 40))":                      "more than the limit of 1000",
		"sch.fuse(*([i] * 5000))":                                        "more than the limit of 1000",
		"sch.reorder(*([i] * 100000))":                                   "more than the limit of 10000",
		"sch.loop_partition(i, [1] * 5000)":                              "more than the limit of 1000",
		"sch.pad_einsum(b, [1] * 5000)":                                  "more than the limit of 1000",
		"sch.sample_categorical([1] * 5000, [0.1] * 5000)":               "more than the limit of 1000",
		"sch.sample_perfect_tile(i, n=1000000)":                          "expected 1 to 64",
		"def f():\n    while True: sch.get_loops(b)\nf()":                "the limit of 10000000 steps",
		"def f():\n    while True: sch.sample_perfect_tile(i, n=4)\nf()": "the limit of 10000000 steps",
		"sch.annotate(i, 'key', 'x' * 100000000)":                        "beyond the limit",
		"sch.split(i, [1 << 80, None])":                                  "more than 64 bits",
		"sch.split(i, [1 << 62, 1 << 62])":                               "required to be positive",
		"sch.get_block('x' * 1000)":                                      "Cannot find a block with the name: x",
		"sch.work_on('nobody')":                                          "nobody",
		"sch = 3":                                                        "expected a schedule",
	} {
		s, err := starpass.Parse("s.py", "b = sch.get_block('product')\ni, j, k = sch.get_loops(b)\n"+source, starpass.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Schedule(t.Context(), module(t, productText), 0, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %.400v, want one with %q", source, err, want)
		}
	}
}

// TestSchedulesAreInterrupted: a schedule that nests loops without end ends with its context.
func TestSchedulesAreInterrupted(t *testing.T) {
	s, err := starpass.Parse("s.py", "b = sch.get_block('product')\ndef f(l):\n    while True: l = sch.split(l, [1] * 999 + [None])[-1]\nf(sch.get_loops(b)[0])", starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Schedule(ctx, module(t, productText), 0, nil); err == nil || !strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		t.Errorf("it ends with %v", err)
	}
}

// TestErrorsInTheFirstCall: an error is at its place although nothing stands before the call.
func TestErrorsInTheFirstCall(t *testing.T) {
	for source, want := range map[string]string{
		"sch.get_block('gone')":            "s.py:1:14: ",
		"\n\nsch.work_on('gone')":          "s.py:3:12: ",
		"sch.get_block('gone').x\nsch = 3": "s.py:1:14: ",
	} {
		s, err := starpass.Parse("s.py", source, starpass.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Schedule(t.Context(), module(t, productText), 0, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: the error is %.60v, want one at %s", source, err, want)
		}
	}
}
