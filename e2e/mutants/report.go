//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// floor is the share of mutants that the tests must kill.
const floor = 0.85

// report collects verdicts.
type report struct {
	mu          sync.Mutex
	reasons     map[string]string
	count       map[string]map[verdict]int // by package
	unexplained int
}

// add notes a verdict and prints it if it is a survivor.
func (r *report) add(s *site, v verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil {
		r.count = map[string]map[verdict]int{}
	}
	pkg := strings.TrimPrefix(s.pkg, modulePath)
	if r.count[pkg] == nil {
		r.count[pkg] = map[verdict]int{}
	}
	r.count[pkg][v]++
	if v == killed {
		return
	}
	reason := r.reasons[s.key()]
	if reason == "" {
		r.unexplained++
	}
	line := fmt.Sprintf("%s:%d: %s: %s in %s: %s", s.file, s.line, v, s.kind, s.fn, s.text)
	if reason != "" {
		line += " (" + reason + ")"
	}
	fmt.Println(line)
}

// share returns the killed part of all mutants.
func (r *report) share() float64 {
	dead, all := 0, 0
	for _, c := range r.count {
		for v, n := range c {
			all += n
			if v == killed {
				dead += n
			}
		}
	}
	return float64(dead) / float64(max(1, all))
}

// print writes a table by package.
func (r *report) print(w io.Writer) {
	var names []string
	for p := range r.count {
		names = append(names, p)
	}
	slices.Sort(names)
	fmt.Fprintf(w, "\n%-24s %7s %9s %12s %6s %6s\n", "package", "killed", "survived", "not reached", "cut", "share")
	sum := map[verdict]int{}
	line := func(name string, c map[verdict]int) {
		all := c[killed] + c[survived] + c[unmet] + c[cut]
		fmt.Fprintf(w, "%-24s %7d %9d %12d %6d %5.1f%%\n", name, c[killed], c[survived], c[unmet], c[cut], 100*float64(c[killed])/float64(max(1, all)))
	}
	for _, p := range names {
		line(p, r.count[p])
		for v, n := range r.count[p] {
			sum[v] += n
		}
	}
	line("all", sum)
	fmt.Fprintf(w, "%d survivors without a reason\n", r.unexplained)
}

// readReasons reads the known survivors: lines of a key (kind, file, function and text, separated by tabs) and, after one more tab, why
// it may live. Empty lines and those that begin with # say nothing.
func readReasons(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	reasons := map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if text == "" || text[0] == '#' {
			continue
		}
		at := strings.LastIndexByte(text, '\t')
		if strings.Count(text, "\t") != 4 || at == len(text)-1 {
			return nil, fmt.Errorf("%s:%d: expected kind, file, function, text and reason, separated by tabs", path, n)
		}
		reasons[text[:at]] = text[at+1:]
	}
	return reasons, lines.Err()
}
