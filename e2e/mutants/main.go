//go:build unix

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// judges names for each package that is mutated the packages whose tests judge it, the quickest to find something first.
var judges = []struct {
	pkg  string
	also []string
}{
	{"compiler/arith", []string{"compiler/tirpass", "compiler/sch/cpu"}},
	{"compiler/sch", []string{"compiler/sch/cpu"}},
	{"compiler/sch/cpu", []string{"target/wasm", "compiler/transform"}},
	{"compiler/tirpass", []string{"target/wasm"}},
	{"compiler/topi", []string{"compiler/transform", "compiler/frontend/onnx", "e2e/models"}},
	{"compiler/transform", []string{"compiler/pipeline", "compiler", "e2e/models"}},
	{"instruments/driver", []string{"web/run/inproc", "cmd/explorer"}},
	{"runtime/native/asm", []string{"runtime/native"}},
	{"runtime/vm", []string{"compiler/transform", "compiler", "e2e/models"}},
	{"web/run", []string{"web/run/inproc", "web"}},
	{"web/run/inproc", []string{"instruments/driver", "web/run", "web"}},
	{"web/stream", []string{"web"}},
}

// options are the flags.
type options struct {
	n          int
	seed       uint64
	only, part string
	jobs       int
	short, own bool
	limit      time.Duration
	known      string
	list       bool
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 3000, "mutants to draw")
	flag.Uint64Var(&o.seed, "seed", 1, "what is drawn")
	flag.StringVar(&o.only, "only", "", "packages to mutate, by commas; all unless given")
	flag.StringVar(&o.part, "part", "", "of the drawn mutants, judge those in these packages, by commas: a run in parts")
	flag.IntVar(&o.jobs, "j", 2, "processes at a time")
	flag.BoolVar(&o.short, "short", false, "run the tests with -short")
	flag.BoolVar(&o.own, "own", false, "judge each package by its own tests only")
	flag.DurationVar(&o.limit, "limit", 2*time.Minute, "time after which no more tests are begun for one mutant")
	flag.StringVar(&o.known, "known", "e2e/mutants/survivors.txt", "survivors that are known, each with a reason")
	flag.BoolVar(&o.list, "list", false, "list what would be drawn, and end")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return fmt.Errorf("no go.mod in %s: run it from the root of the module", root)
	}
	reasons, err := readReasons(o.known)
	if err != nil {
		return err
	}
	by, all := o.judges()
	if len(by) == 0 {
		return fmt.Errorf("no such package among those that can be judged: %s", o.only)
	}
	var patterns []string
	for pkg := range by {
		patterns = append(patterns, "./"+pkg)
	}
	files, err := load(root, patterns)
	if err != nil {
		return err
	}
	drawn := draw(files, o.n, o.seed)
	drawn, all = o.parts(drawn, by, all)
	total := 0
	for _, f := range files {
		total += len(f.sites)
	}
	fmt.Printf("%d mutants drawn of %d in %d files, seed %d\n", len(drawn), total, len(files), o.seed)
	if o.list {
		for _, s := range drawn {
			fmt.Printf("%d %s:%d %s\n", s.id, s.file, s.line, s.key())
		}
		return nil
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := &builder{root: root, work: work}
	binaries, drawn, err := b.buildAll(files, drawn, all)
	if err != nil {
		return err
	}
	j := &judge{root: root, binaries: binaries, flags: map[string][]string{}, short: o.short, limit: o.limit}
	for _, pkg := range all {
		if j.flags[pkg], err = b.flags(pkg); err != nil {
			return err
		}
	}
	tests, err := j.surveyAll(all, drawn)
	if err != nil {
		return err
	}
	r := &report{reasons: reasons}
	var wait sync.WaitGroup
	next := make(chan *site)
	for range o.jobs {
		wait.Go(func() {
			for s := range next {
				r.add(s, j.try(s, by[strings.TrimPrefix(s.pkg, modulePath)], tests))
			}
		})
	}
	for _, s := range drawn {
		next <- s
	}
	close(next)
	wait.Wait()
	r.print(os.Stdout)
	if share := r.share(); share < floor {
		return fmt.Errorf("%.1f%% of the mutants were killed, expected %.0f%%", 100*share, 100*floor)
	}
	return nil
}

// parts leaves of the drawn mutants those in the packages of -part, and of all judges theirs.
func (o options) parts(drawn []*site, by map[string][]string, all []string) ([]*site, []string) {
	if o.part == "" {
		return drawn, all
	}
	parts := strings.Split(o.part, ",")
	drawn = slices.DeleteFunc(drawn, func(s *site) bool { return !slices.Contains(parts, strings.TrimPrefix(s.pkg, modulePath)) })
	all = slices.DeleteFunc(all, func(pkg string) bool {
		return !slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(by[p], pkg) })
	})
	return drawn, all
}

// judges returns for each package to mutate those whose tests judge it, and all of the latter in order.
func (o options) judges() (by map[string][]string, all []string) {
	by = map[string][]string{}
	for _, j := range judges {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), j.pkg) {
			continue
		}
		list := []string{j.pkg}
		if !o.own {
			list = append(list, j.also...)
		}
		by[j.pkg] = list
		for _, p := range list {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return by, all
}
