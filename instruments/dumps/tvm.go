package dumps

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// TVM prints modules as TVMScript: PrintBeforeAll, PrintAfterAll and PassPrintingInstrument with a line before each, DumpIR into files
// 000_LegalizeOps.py (which the numbered folder reads). TileLang's trace has 00_BindTarget_before.tir and _after.tir for each pass, in a
// folder for each phase. The lines are those of python/tvm/ir/instrument.py and of PassInfo in src/ir/transform.cc; the second ends with a
// newline of its own, and goes over two lines where the pass requires others.
type tvm struct {
	bodies
	// heading tells that the banner goes on in the next line.
	heading bool
}

var tvmBannerForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(Before|After) Running Pass: (.*)|Print IR (before|after)[: ]+(.+))$`)
})

func newTVM(t *timeline) reader {
	t.info = event.Dump{Compiler: "TVM", Format: "modules around passes (PrintBeforeAll, PrintAfterAll, PassPrintingInstrument)"}
	t.strict = true
	r := &tvm{bodies: bodies{t: t}}
	r.cut = func(d *dump, body []byte) { cutScript(d, body) }
	return r
}

func knowsTVM(line []byte) bool { return tvmBanner(line) != nil }

var (
	tvmRunning = []byte(" Running Pass: ")
	tvmPrint   = []byte("Print IR ")
	// The pass as its PassInfo prints itself: "The meta data of the pass - pass name: FuseOps, opt_level: 0, required passes: []", or
	// "PassInfo(name=FuseOps, ...)".
	tvmInfo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:pass name: ?|name=["']?)([\w.$-]+)`) })
	// tvmRequired is the end of the line where the names of required passes come in the next one.
	tvmRequired = []byte("required passes: [")
)

// tvmBanner reads the line before a module; nil for any other line.
func tvmBanner(line []byte) *dump {
	if !bytes.HasPrefix(line, tvmPrint) && !bytes.Contains(line[:min(len(line), 24)], tvmRunning) {
		return nil
	}
	m := tvmBannerForm().FindSubmatch(line)
	if m == nil {
		return nil
	}
	d := &dump{when: after, on: "[module]", kind: event.PassModule}
	if said := string(m[1]) + string(m[3]); said == "Before" || said == "before" {
		d.when = before
	}
	if len(m[4]) > 0 {
		d.name = cleanName(bytes.Trim(m[4], `'": `))
		return d
	}
	d.title = cleanName(bytes.TrimSuffix(m[2], tvmRequired))
	d.name = d.title
	if n := tvmInfo().FindSubmatch(m[2]); n != nil {
		d.name = cleanName(n[1])
	}
	return d
}

// line takes the next line.
func (r *tvm) line(line []byte, number int) error {
	if d := tvmBanner(line); d != nil {
		r.heading = bytes.HasSuffix(line, tvmRequired)
		return r.banner(d, number)
	}
	if r.heading {
		r.heading = false
		if bytes.HasSuffix(line, []byte(", ]")) {
			return nil
		}
	}
	return r.add(line, number)
}

var (
	scriptDecorator = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^( *)@(T\.prim_func|R\.function|I\.pyfunc)`) })
	scriptDef       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ *def (\w+)`) })
)

// cutScript cuts a module of TVMScript into its functions: from a decorator to the next line that is indented no deeper.
func cutScript(d *dump, body []byte) {
	add := d.adding()
	var rest []byte
	for at := 0; at < len(body); {
		line, next := lineAt(body, at)
		m := scriptDecorator().FindSubmatch(line)
		if m == nil {
			rest = append(rest, body[at:next]...)
			at = next
			continue
		}
		n, end, name := len(m[1]), next, ""
		for end < len(body) {
			l, after := lineAt(body, end)
			if f := scriptDef().FindSubmatch(l); f != nil && name == "" {
				name = cleanName(f[1])
			} else if name != "" && len(bytes.TrimSpace(l)) > 0 && indent(l) <= n && l[indent(l)] != ')' {
				break
			}
			end = after
		}
		kind := "prim_func"
		if strings.HasPrefix(string(m[2]), "R.") {
			kind = "relax"
		}
		if name == "" {
			d.broken = "the dump ends inside a function"
			return
		}
		add(text{name: name, kind: kind, lang: event.LangTVMScript, body: trim(dedent(body[at:end], n))})
		at = end
	}
	if rest = trim(rest); len(rest) > 0 {
		add(text{name: moduleText, kind: kindModule, lang: event.LangTVMScript, body: squeeze(rest)})
	}
	d.whole = len(d.texts) > 0
}

var tileName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d+)_(.+)_(before|after)\.(tir|py|cpp|cu|c)$`)
})

func isTileLang(name string) bool { return tileName().MatchString(path.Base(name)) }

// readTileLang reads a trace: the number of a pass orders it, before comes before after.
func readTileLang(t *timeline, files []File) error {
	t.info = event.Dump{Compiler: "TileLang", Format: "a file before and after each pass"}
	t.strict, t.paired = true, true
	slices.SortStableFunc(files, func(a, b File) int { return natural(path.Base(a.Name), path.Base(b.Name)) })
	byNumber := map[string]File{}
	var order []string
	for _, f := range files {
		m := tileName().FindStringSubmatch(path.Base(f.Name))
		key := path.Dir(f.Name) + "/" + m[1] + "_" + m[2]
		if _, ok := byNumber[key+"_before"]; !ok {
			if _, ok := byNumber[key+"_after"]; !ok {
				order = append(order, key)
			}
		}
		byNumber[key+"_"+m[3]] = f
	}
	for _, key := range order {
		for _, end := range []string{"before", "after"} {
			f, ok := byNumber[key+"_"+end]
			if !ok {
				continue
			}
			m := tileName().FindStringSubmatch(path.Base(f.Name))
			d := &dump{when: after, name: cleanName([]byte(m[2])), on: "[module]", kind: event.PassModule}
			if dir := path.Base(path.Dir(f.Name)); dir != "." {
				d.group = cleanName([]byte(dir))
			}
			if end == "before" {
				d.when = before
			}
			cutByName(d, f)
			if err := t.add(d); err != nil {
				return err
			}
		}
	}
	return nil
}
