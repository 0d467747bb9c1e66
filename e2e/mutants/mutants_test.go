//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sampleSurvivors are the mutants of testdata/sample that its test cannot notice.
var sampleSurvivors = []string{
	"survived: delete Log.Append: l.mu.Lock()", // it takes a second goroutine
}

// TestSample judges every mutant of a package that has one place for each kind, under a test that notices all but some.
func TestSample(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const pkg = "e2e/mutants/testdata/sample"
	files, err := load(root, []string{"./" + pkg})
	if err != nil {
		t.Fatal(err)
	}
	drawn := draw(files, 1000, 1)
	before := len(drawn)
	b := &builder{root: root, work: t.TempDir()}
	binaries, drawn, err := b.buildAll(files, drawn, []string{pkg})
	if err != nil {
		t.Fatal(err)
	}
	if len(drawn) != before {
		t.Errorf("%d of %d mutants do not compile", before-len(drawn), before)
	}
	j := &judge{root: root, binaries: binaries, limit: time.Minute}
	tests, err := j.survey(pkg, len(drawn), t.Errorf)
	if err != nil {
		t.Fatal(err)
	}
	if len(tests) != 1 {
		t.Fatalf("the tests are %v, want one", tests)
	}
	kinds := map[kind]int{}
	var living []string
	for _, s := range drawn {
		kinds[s.kind]++
		v := j.try(s, []string{pkg}, tests)
		if v != killed {
			living = append(living, fmt.Sprintf("%s: %s %s: %s", v, s.kind, s.fn, s.text))
		}
	}
	for _, k := range []kind{negate, boundary, dropLeft, dropRight, operator, next, flip, remove, zero, swap} {
		if kinds[k] == 0 {
			t.Errorf("no mutant of kind %q", k)
		}
	}
	slices.Sort(living)
	if got := strings.Join(living, "\n"); got != strings.Join(sampleSurvivors, "\n") {
		t.Errorf("of %d mutants these live:\n%s\nwant\n%s", len(drawn), got, strings.Join(sampleSurvivors, "\n"))
	}
}

// TestReasons reads the committed list of survivors; each must name a place that exists.
func TestReasons(t *testing.T) {
	reasons, err := readReasons("survivors.txt")
	if err != nil {
		t.Fatal(err)
	}
	for key := range reasons {
		file := strings.Split(key, "\t")[1]
		if _, err := os.Stat(filepath.Join("../..", file)); err != nil {
			t.Errorf("survivor in a file that is gone: %s", key)
		}
	}
}
