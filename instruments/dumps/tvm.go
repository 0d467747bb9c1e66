package dumps

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// TVM prints modules as TVMScript: PrintBeforeAll, PrintAfterAll and PassPrintingInstrument with a line before each, DumpIR into files
// 000_LegalizeOps.py (which the numbered folder reads). The lines are those of python/tvm/ir/instrument.py and of PassInfo in
// src/ir/transform.cc; the second ends with a newline of its own, and goes over two lines where the pass requires others.
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
	// The pass as its PassInfo prints itself: "The meta data of the pass - pass name: FuseOps, opt_level: 0, required passes: []", or by its
	// fields in newer versions, "transform.PassInfo(opt_level=0, name='FuseOps', ...)". A name is what a user has given, with any characters.
	tvmInfo = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`pass name: ?(.+?)(?:, opt_level: |$)|\bname="([^"]+)"|\bname='([^']+)'|\bname=([\w.$-]+)`)
	})
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
		d.name = cleanName(slices.Concat(n[1:]...))
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
