package dumps

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// TileLang's lower trace (TL_LOWER_TRACE=1) writes what it saw of each pass below .run_records/run_TIME_PID_ID, in a folder for each
// phase: 00_BindTarget_before.tir and 00_BindTarget_after.tir, or 42_codegen_after.cpp for the code. The number counts all passes of a run
// when they begin, so one that runs within another has the higher number. The file from after a pass that failed is empty. The names are
// those of tilelang/tools/lower_trace/core.py.

var tileName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d+)_(.+)_(before|after)\.(tir|py|cpp|cu|c)$`)
})

func isTileLang(name string) bool { return tileName().MatchString(path.Base(name)) }

// traced is a pass of a trace; a file that is missing is nil.
type traced struct {
	run, phase, number, name string
	before, after            *File
	// reached is the text that the pass has come to: that of the last pass within it.
	reached []byte
}

// traces collects the passes of the files, those of a run in the order in which they began.
func traces(files []File) []*traced {
	by := map[string]*traced{}
	var list []*traced
	for i := range files {
		f := &files[i]
		dir, base := path.Split(f.Name)
		m := tileName().FindStringSubmatch(base)
		key := dir + m[1] + "_" + m[2]
		p := by[key]
		if p == nil {
			dir = path.Clean(dir)
			p = &traced{run: path.Dir(dir), phase: path.Base(dir), number: m[1], name: m[2]}
			by[key] = p
			list = append(list, p)
		}
		if m[3] == "before" {
			p.before = f
		} else {
			p.after = f
		}
	}
	slices.SortStableFunc(list, func(a, b *traced) int { return cmp.Or(natural(a.run, b.run), natural(a.number, b.number)) })
	return list
}

// readTileLang reads the traces of a folder, one run after the other.
func readTileLang(t *timeline, files []File) error {
	t.info = event.Dump{Compiler: "TileLang", Format: "a file before and after each pass"}
	t.strict, t.paired = true, true
	run := ""
	give := func(p *traced, d *dump) error {
		d.name, d.on, d.group, d.kind = cleanName([]byte(p.name)), "[module]", p.group(), event.PassModule
		d.fresh = run != "" && run != p.run
		run = p.run
		return t.add(d)
	}
	var open []*traced
	end := func() error {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if p.after != nil && len(open) > 0 {
			open[len(open)-1].reached = p.after.Data
		}
		return give(p, p.last())
	}
	for _, p := range traces(files) {
		for len(open) > 0 && !open[len(open)-1].holds(p) {
			if err := end(); err != nil {
				return err
			}
		}
		if p.before != nil && len(p.before.Data) > 0 {
			d := &dump{when: before}
			cutByName(d, *p.before)
			if err := give(p, d); err != nil {
				return err
			}
			p.reached = p.before.Data
		}
		open = append(open, p)
	}
	for len(open) > 0 {
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}

// group returns the phase as the name of a sequence; files that lie in no folder have none.
func (p *traced) group() string {
	if p.phase == "." {
		return ""
	}
	return cleanName([]byte(p.phase))
}

// holds tells whether a pass that began later ran within this one: what it was given is what this one has come to, and not what it left.
func (p *traced) holds(q *traced) bool {
	return p.run == q.run && p.reached != nil && q.before != nil && bytes.Equal(p.reached, q.before.Data) &&
		(p.after == nil || !bytes.Equal(p.reached, p.after.Data))
}

// last returns the dump from after the pass.
func (p *traced) last() *dump {
	d := &dump{when: after}
	switch {
	case p.after == nil:
		d.effect, d.reason = hidden, "The trace has nothing from after this pass."
	case len(p.after.Data) == 0:
		d.effect, d.reason = failed, "The pass failed: the trace shows nothing from after it."
	default:
		cutByName(d, *p.after)
	}
	return d
}
