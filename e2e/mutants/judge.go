//go:build unix

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/irscope/irscope/e2e/mutants/mutant"
)

// test is a test function of a package, what it reaches and how long it takes.
type test struct {
	pkg     string
	name    string
	took    time.Duration
	reached []byte // one byte for each mutant
}

// judge runs tests.
type judge struct {
	root     string
	binaries map[string]string
	flags    map[string][]string // of each package's binary
	short    bool
	limit    time.Duration // of the tests for one mutant together
}

// run runs tests of one package in one process, and tells whether they passed within the time.
func (j *judge) run(pkg string, names []string, limit time.Duration, env ...string) bool {
	for i, n := range names {
		names[i] = regexp.QuoteMeta(n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	args := []string{"-test.failfast", "-test.timeout=0", "-test.run", "^(" + strings.Join(names, "|") + ")$"}
	args = append(args, j.flags[pkg]...)
	if j.short {
		args = append(args, "-test.short")
	}
	cmd := exec.CommandContext(ctx, j.binaries[pkg], args...)
	cmd.Dir = filepath.Join(j.root, pkg)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd.Run() == nil
}

// list returns the names of a package's tests.
func (j *judge) list(pkg string) ([]string, error) {
	cmd := exec.Command(j.binaries[pkg], "-test.list", "^(Test|Example|Fuzz)")
	cmd.Dir = filepath.Join(j.root, pkg)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests of %s: %w", pkg, err)
	}
	return strings.Fields(string(out)), nil
}

// survey runs each test alone, without a mutant, and records what it reaches. Tests that fail judge nothing.
func (j *judge) survey(pkg string, mutants int, log func(string, ...any)) ([]*test, error) {
	names, err := j.list(pkg)
	if err != nil {
		return nil, err
	}
	var tests []*test
	for _, name := range names {
		marks, err := os.CreateTemp("", "marks")
		if err != nil {
			return nil, err
		}
		if err := marks.Truncate(int64(max(1, mutants))); err != nil {
			return nil, err
		}
		marks.Close()
		began := time.Now()
		ok := j.run(pkg, []string{name}, 10*time.Minute, mutant.EnvTrace+"="+marks.Name())
		took := time.Since(began)
		reached, err := os.ReadFile(marks.Name())
		os.Remove(marks.Name())
		if err != nil {
			return nil, err
		}
		if !ok {
			log("%s %s fails without a mutant: not used", pkg, name)
			continue
		}
		tests = append(tests, &test{pkg, name, took, reached})
	}
	return tests, nil
}

// surveyAll surveys the packages and prints what their tests cost.
func (j *judge) surveyAll(pkgs []string, drawn []*site) ([]*test, error) {
	highest := 0
	for _, s := range drawn {
		highest = max(highest, s.id)
	}
	var tests []*test
	for _, pkg := range pkgs {
		if j.binaries[pkg] == "" {
			continue
		}
		list, err := j.survey(pkg, highest+1, func(format string, args ...any) { fmt.Printf(format+"\n", args...) })
		if err != nil {
			return nil, err
		}
		var sum time.Duration
		for _, t := range list {
			sum += t.took
		}
		fmt.Printf("%s: %d tests, %.1f s\n", pkg, len(list), sum.Seconds())
		tests = append(tests, list...)
	}
	return tests, nil
}

// verdict is what became of a mutant.
type verdict string

const (
	killed   verdict = "killed"
	survived verdict = "survived"
	unmet    verdict = "not reached"
	cut      verdict = "survived, tests cut" // not all of the tests that reach it ran within the limit
)

// try runs the tests that reach a mutant, the quickest first and more and more of them at a time, until some fail.
func (j *judge) try(s *site, judges []string, tests []*test) verdict {
	var reach []*test
	for _, t := range tests {
		if slices.Contains(judges, t.pkg) && t.reached[s.id] != 0 {
			reach = append(reach, t)
		}
	}
	if len(reach) == 0 {
		return unmet
	}
	// The package's own tests come first, then those of others.
	slices.SortStableFunc(reach, func(a, b *test) int {
		return cmp.Or(cmp.Compare(slices.Index(judges, a.pkg), slices.Index(judges, b.pkg)), cmp.Compare(a.took, b.took))
	})
	began := time.Now()
	batch := time.Second
	for len(reach) > 0 {
		if time.Since(began) > j.limit {
			return cut
		}
		n, sum := 1, reach[0].took
		for n < len(reach) && reach[n].pkg == reach[0].pkg && sum+reach[n].took < batch {
			sum += reach[n].took
			n++
		}
		names := make([]string, n)
		for i, t := range reach[:n] {
			names[i] = t.name
		}
		if !j.run(reach[0].pkg, names, 5*sum+5*time.Second, fmt.Sprintf("%s=%d", mutant.EnvActive, s.id)) {
			return killed
		}
		reach = reach[n:]
		batch *= 2
	}
	return survived
}
