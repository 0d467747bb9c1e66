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
// before_optimizations, the last after_optimizations. With --xla_dump_to=- the same files go to standard output, each between two lines
// with its name; xlastdout.go reads those. The names and lines are those of xla/service/dump.cc.

var (
	xlaName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\d+\.)?(module_\d{4}(?:\..+?)?)\.(\d{4})\.(.+)\.after_(.+)\.before_(.+)\.txt$`)
	})
	xlaEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\d+\.)?(module_\d{4}(?:\..+?)?)\.(?:.*[._])?(before|after)_optimizations\.txt$`)
	})
)

func isXLA(name string) bool {
	return xlaName().MatchString(path.Base(name)) || xlaEnd().MatchString(path.Base(name))
}

func readXLA(t *timeline, files []File) error {
	t.info = event.Dump{Compiler: "XLA", Format: "a file between two passes (--xla_dump_to, --xla_dump_hlo_pass_re)"}
	t.strict = true
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
	for i, module := range modules {
		fresh := i > 0
		for _, list := range by[module] {
			for _, d := range list {
				d.fresh, fresh = fresh, false
				if err := t.add(d); err != nil {
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
	if d.name = "end of the optimizations"; m[2] == "before" {
		d.when = start
		return d, m[1], 0
	}
	return d, m[1], 2
}

// cutHLO cuts a module into computations: "%fused (p: f32[]) -> f32[] {" or "ENTRY %main ... {" to "}".
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
		end := endOf(data, next, "}\n")
		if end < 0 {
			if end = len(data); !bytes.HasSuffix(data, []byte("\n}")) {
				d.broken = "the file ends inside the computation " + cleanName([]byte(name))
				return
			}
		}
		add(text{name: cleanName([]byte(name)), kind: kindFunction, lang: event.LangHLO, body: trim(data[at:end])})
		at = end
	}
	add(text{name: moduleText, kind: kindModule, lang: event.LangHLO, body: squeeze(trim(rest))})
	d.whole = true
}
