package driver_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/instruments/whatif"
)

// flat returns the names of passes in order, and where each stands: the names of the sequences around it.
func flat(steps []request.Step, in string) (names, where []string) {
	for _, s := range steps {
		if len(s.Steps) == 0 {
			names, where = append(names, s.Name), append(where, in)
			continue
		}
		n, w := flat(s.Steps, in+"/"+s.Name)
		names, where = append(names, n...), append(where, w...)
	}
	return names, where
}

// TestVariantsSwapAcrossSequences swaps each two passes that run one after the other, also where a sequence ends between them or a pass that does not run
// stands there: each goes to the place of the other, and all others stay. What a constraint forbids is left out.
func TestVariantsSwapAcrossSequences(t *testing.T) {
	seq := func(name string, steps ...request.Step) request.Step { return request.Step{Name: name, Steps: steps} }
	one := func(name string) request.Step { return request.Step{Name: name} }
	j, problems, err := driver.Resolve(t.Context(), driver.Request{
		Source: driver.Source{Name: "in.py", Data: []byte(faulty)},
		Settings: request.Settings{OptLevel: 3, Disabled: []string{"FoldConstant"}, Steps: []request.Step{
			seq("first", one("CanonicalizeBindings"), seq("inner", one("EliminateCommonSubexpr"))),
			one("DeadCodeElimination"), one("FoldConstant"),
			seq("second", one("LegalizeOps"), one("AnnotateTIROpPattern"), one("FuseOps")),
		}},
	})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	list, err := j.Variants()
	if err != nil {
		t.Fatal(err)
	}
	baseNames, baseWhere := flat(list[0].Settings.Steps, "")
	known := len(pipeline.CheckOrder(baseNames))
	got := map[string]bool{}
	for _, v := range list {
		if v.Kind != whatif.Swapped {
			continue
		}
		names, where := flat(v.Settings.Steps, "")
		var moved []int
		for i := range names {
			if names[i] != baseNames[i] {
				moved = append(moved, i)
			}
		}
		if !slices.Equal(where, baseWhere) || len(moved) != 2 || names[moved[0]] != baseNames[moved[1]] || names[moved[1]] != baseNames[moved[0]] ||
			v.Name != names[moved[0]]+" before "+names[moved[1]] {
			t.Errorf("%s is %v in %v", v.Name, names, where)
		}
		if w := pipeline.CheckOrder(names); len(w) > known {
			t.Errorf("%s breaks a constraint: %v", v.Name, w)
		}
		got[v.Name] = true
	}
	want := map[string]bool{}
	for i := 1; i < len(baseNames); i++ {
		names, before := slices.Clone(baseNames), i-1
		if names[i] == "FoldConstant" { // does not run
			continue
		}
		if names[before] == "FoldConstant" {
			before--
		}
		names[before], names[i] = names[i], names[before]
		if len(pipeline.CheckOrder(names)) <= known {
			want[names[before]+" before "+names[i]] = true
		}
	}
	if !maps.Equal(got, want) || !want["DeadCodeElimination before EliminateCommonSubexpr"] || !want["LegalizeOps before DeadCodeElimination"] {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, forbidden := range []string{"AnnotateTIROpPattern before LegalizeOps", "FuseOps before AnnotateTIROpPattern", "FoldConstant before DeadCodeElimination"} {
		if got[forbidden] {
			t.Errorf("there is %s", forbidden)
		}
	}
}

// TestWhatIfWarmsUp makes the job once more than there are rows, before the first: its own row would have the time of what is done once.
func TestWhatIfWarmsUp(t *testing.T) {
	var prints strings.Builder
	j, problems, err := driver.Resolve(t.Context(), driver.Request{
		Source: driver.Source{Name: "in.py", Data: []byte(faulty)}, Print: &prints,
		Settings: request.Settings{
			Scripts: []request.Script{{Name: "own.star", Source: "print('read')"}},
			Steps:   []request.Step{{Name: "CanonicalizeBindings"}, {Name: "DeadCodeElimination"}},
		},
	})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	prints.Reset()
	rows, before := 0, 0
	err = driver.WhatIf(t.Context(), j, driver.Hooks{}, driver.WhatIfOptions{Each: func(whatif.Row, bool, int) error {
		if rows++; rows == 1 {
			before = strings.Count(prints.String(), "read")
		}
		return nil
	}})
	if err != nil || rows < 3 || before != 2 {
		t.Errorf("the job was made %d times before the first of %d rows, want twice (%v)", before, rows, err)
	}
}
