package rewrites_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/rewrites"
)

const printed = `@T.prim_func(private=True)
def mean(A: T.Buffer((T.int64(4), 2), "float32"), n: T.int32):
    T.func_attr({"op_pattern": 3})
    temp = T.alloc_buffer((4,))
    for i, j in T.grid(4, 2):
        with T.block("T_mean"):
            v_i, v_j = T.axis.remap("SR", [i, j])
            if v_i == 0:
                temp[v_i] = T.float32(0.0)
            else:
                temp[v_i] = temp[v_i] + A[v_i, v_j]
    with T.LetStmt(n + 1) as m:
        T.evaluate(m)
    lv: R.Tensor((4,), dtype="float32") = R.call_tir(
        cls.mean,
        (x,),
    )
    return lv
`

func TestDefinitions(t *testing.T) {
	if got, want := rewrites.Names(printed), []string{"A", "n", "temp", "i", "j", "T_mean", "v_i", "v_j", "m", "lv"}; !slices.Equal(got, want) {
		t.Errorf("the names are %q, want %q", got, want)
	}
	for name, want := range map[string]rewrites.Lines{
		"n": {"mean", 2, 2}, "temp": {"mean", 4, 4}, "j": {"mean", 5, 5}, "T_mean": {"mean", 6, 6}, "v_j": {"mean", 7, 7}, "m": {"mean", 12, 12}, "lv": {"mean", 14, 17},
	} {
		if got := rewrites.Definitions("mean", printed, name); !slices.Equal(got, []rewrites.Lines{want}) {
			t.Errorf("%s is defined at %v, want %v", name, got, want)
		}
	}
	if got := rewrites.Definitions("mean", printed, "else"); got != nil {
		t.Errorf("else is defined at %v", got)
	}
}

func TestAbout(t *testing.T) {
	at := func(fn string, line int) event.Place { return event.Place{Func: fn, Line: line} }
	six, nine := at("main", 6), at("main", 9)
	r := &event.Rewrites{
		Rewrites: []event.Rewrite{
			{Name: "fuse", Func: "main", Before: []event.Place{at("main", 5), six}, After: []event.Place{at("main", 3)}},
			{Name: "drop", Func: "main", Before: []event.Place{nine}},
			{Name: "add a kernel", Func: "main", After: []event.Place{at("kernel", 6)}},
		},
		Decisions: []event.Decision{
			{Rule: "fuse", Func: "main", Place: &six, Reason: "one"},
			{Rule: "fuse", Func: "main", Place: &nine, Reason: "two"},
			{Rule: "plan", Func: "main", Reason: "of the whole function"},
			{Rule: "plan", Func: "other", Place: &event.Place{Func: "other", Line: 6}, Reason: "elsewhere"},
		},
	}
	for _, c := range []struct {
		name                string
		before, after       []rewrites.Lines
		rewrites, decisions []string
	}{
		{"a line before", []rewrites.Lines{{"main", 6, 6}}, nil, []string{"fuse"}, []string{"one"}},
		{"lines before", []rewrites.Lines{{"main", 4, 9}}, nil, []string{"fuse", "drop"}, []string{"one", "two"}},
		{"a line after", nil, []rewrites.Lines{{"main", 3, 3}}, []string{"fuse"}, nil},
		{"another function after", nil, []rewrites.Lines{{"kernel", 6, 7}}, []string{"add a kernel"}, nil},
		{"a function", []rewrites.Lines{{Func: "main"}}, nil, []string{"fuse", "drop", "add a kernel"}, []string{"one", "two", "of the whole function"}},
		{"nothing there", []rewrites.Lines{{"main", 7, 8}}, []rewrites.Lines{{"main", 6, 6}}, nil, nil},
	} {
		took, said := rewrites.About(r, c.before, c.after)
		var names, reasons []string
		for _, x := range took {
			names = append(names, x.Name)
		}
		for _, x := range said {
			reasons = append(reasons, x.Reason)
		}
		if !slices.Equal(names, c.rewrites) || !slices.Equal(reasons, c.decisions) {
			t.Errorf("%s: rewrites %q, decisions %q, want %q and %q", c.name, names, reasons, c.rewrites, c.decisions)
		}
	}
}
