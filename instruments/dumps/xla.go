package dumps

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// XLA writes a file between two passes with --xla_dump_to=DIR --xla_dump_hlo_pass_re=.*:
//
//	module_0806.pjit_train_step.0009.spmd-simplify.after_algsimp.before_simplify-sorts.txt
//
// the number of the module and its name, the number of the file, the pipeline, and the passes around it. The first file of a module is
// before_optimizations, the last after_optimizations. A pass may print while it works, module_0001.jit_f.0004.PASS.STEP.txt. With --xla_dump_to=- the same files go to standard output, each between two lines
// with its name; xlastdout.go reads those. The names and lines are those of xla/service/dump.cc.

var (
	xlaName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\d+\.)?(module_\d{4,}(?:\..+?)?)\.(\d{4,})\.(.+)\.after_(.+)\.before_(.+)\.txt$`)
	})
	xlaWithin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\d+\.)?(module_\d{4,}(?:\..+?)?)\.(\d{4,})\.([^.]+)\.(.+)\.txt$`)
	})
	xlaEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\d+\.)?(module_\d{4,}(?:\..+?)?)\.(?:.*[._])?(before|after)_optimizations\.txt$`)
	})
)

func isXLA(name string) bool {
	base := path.Base(name)
	return xlaName().MatchString(base) || xlaEnd().MatchString(base) || xlaWithin().MatchString(base)
}

func readXLA(t *timeline, files []File) error {
	t.info = event.Dump{Compiler: "XLA", Format: "a file between two passes (--xla_dump_to, --xla_dump_hlo_pass_re)"}
	t.strict, t.paired = true, true
	var modules []string
	by := map[string][3][]*dump{} // before, between, after
	for _, f := range files {
		d, module, part := xlaDump(path.Base(f.Name))
		cutHLO(d, f.Data)
		list, known := by[module]
		if !known {
			modules = append(modules, module)
		}
		list[part] = append(list[part], d)
		by[module] = list
	}
	order := &xlaOrder{t: t}
	for i, module := range modules {
		fresh := i > 0
		for _, list := range by[module] {
			for _, d := range list {
				d.fresh, fresh = fresh, false
				if err := order.add(d); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// xlaDump returns what the name of a file says: the passes around it, its module, and whether it comes before all passes (0), between
// two of them (1), or behind all (2). isXLA holds for the name.
func xlaDump(base string) (d *dump, module string, part int) {
	d = &dump{when: after, on: "[module]", kind: event.PassModule}
	if m := xlaName().FindStringSubmatch(base); m != nil {
		d.name, d.group, d.title = cleanName([]byte(m[4])), cleanName([]byte(m[3])), cleanName([]byte(base))
		if m[4] == "pipeline-start" {
			d.when = start
		}
		return d, m[1], 1
	}
	m := xlaEnd().FindStringSubmatch(base)
	if m == nil {
		m = xlaWithin().FindStringSubmatch(base)
		d.within, d.name, d.title = cleanName([]byte(m[3])), cleanName([]byte(m[4])), cleanName([]byte(base))
		return d, m[1], 1
	}
	if d.name = "end of the optimizations"; m[2] == "before" {
		d.when = start
		return d, m[1], 0
	}
	return d, m[1], 2
}

// xlaOrder hands dumps to a timeline in the order in which XLA made them.
type xlaOrder struct {
	t        *timeline
	pipeline string // the one of the last dump between passes
}

// add adds a dump. One that a pass made while it worked is a step within that pass, which begins there.
func (o *xlaOrder) add(d *dump) error {
	if d.outer = d.within == ""; d.outer {
		o.pipeline = d.group
		return o.t.add(d)
	}
	d.group = o.pipeline
	if !o.inPass(d.within) && !d.fresh && o.t.started {
		if err := o.t.add(&dump{when: before, name: d.within, on: d.on, kind: d.kind, group: d.group, same: true}); err != nil {
			return err
		}
	}
	return o.t.add(d)
}

// inPass tells whether the pass that is open has a name.
func (o *xlaOrder) inPass(name string) bool {
	return len(o.t.open) > 0 && o.t.open[len(o.t.open)-1].name == name
}

// cutHLO cuts a module into computations: "%fused (p: f32[]) -> f32[] {", "fused {" or "ENTRY %main ... {" to a line that begins with "}",
// behind which the thread of the computation may stand. Lines in between are indented.
func cutHLO(d *dump, data []byte) {
	add := d.adding()
	var rest []byte
	for at := 0; at < len(data); {
		line, next := lineAt(data, at)
		if len(line) == 0 || line[0] == ' ' || !bytes.HasSuffix(line, []byte("{")) || bytes.HasPrefix(line, []byte("HloModule")) {
			rest = append(rest, data[at:next]...)
			at = next
			continue
		}
		head := strings.TrimPrefix(string(line), "ENTRY ")
		name, _, _ := strings.Cut(strings.TrimPrefix(head, "%"), " ")
		end := hloEnd(data, next)
		if end < 0 {
			d.broken = "the file ends inside the computation " + cleanName([]byte(name))
			return
		}
		add(text{name: cleanName([]byte(name)), kind: kindFunction, lang: event.LangHLO, body: trim(data[at:end])})
		at = end
	}
	add(text{name: moduleText, kind: kindModule, lang: event.LangHLO, body: squeeze(trim(rest))})
	d.whole = true
}

// hloEnd returns where the computation ends whose lines begin at an index; -1 where its end is missing.
func hloEnd(data []byte, at int) int {
	for at < len(data) {
		line, next := lineAt(data, at)
		if len(line) > 0 && line[0] == '}' {
			return next
		}
		at = next
	}
	return -1
}
