package dumps

import (
	"bytes"
	"path"
	"regexp"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// xlaStream reads what XLA prints with --xla_dump_to=-: each file between two lines with its name.
//
//	*** Begin module_0003.jit_f.0001.simplify.after_algsimp.before_dce.txt ***
//	HloModule jit_f
//	...
//	*** End module_0003.jit_f.0001.simplify.after_algsimp.before_dce.txt ***
type xlaStream struct {
	bodies
	name   string // the file that is open; empty where none is
	module string // the one of the last file
}

var (
	xlaBegin = []byte("*** Begin ")
	xlaFile  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\d+\.)?module_\d{4,}\.`) })
)

func newXLA(t *timeline) reader {
	t.info = event.Dump{Compiler: "XLA", Format: "HLO between passes (--xla_dump_to=-)"}
	t.strict, t.paired = true, true
	x := &xlaStream{bodies: bodies{t: t, give: (&xlaOrder{t: t}).add}}
	x.cut = func(d *dump, body []byte) { cutHLO(d, body) }
	return x
}

func knowsXLA(line []byte) bool { return xlaOpens(line) != "" }

// xlaOpens returns the name of the file that a line begins; empty for any other line.
func xlaOpens(line []byte) string {
	name, ok := bytes.CutPrefix(line, xlaBegin)
	if !ok {
		return ""
	}
	if name, ok = bytes.CutSuffix(name, []byte(" ***")); !ok || !xlaFile().Match(name) {
		return ""
	}
	return string(name)
}

// line takes the next line.
func (x *xlaStream) line(line []byte, number int) error {
	if name := xlaOpens(line); name != "" {
		return x.open(name, number)
	}
	if x.name != "" && string(line) == "*** End "+x.name+" ***" {
		x.name = ""
		return x.bodies.end()
	}
	if i := bytes.Index(line, xlaBegin); i > 0 && xlaOpens(line[i:]) != "" {
		if x.now != nil {
			x.now.broken = "other output begins in the middle of a line of this dump, so its IR is not used"
		}
		return x.open(xlaOpens(line[i:]), number)
	}
	if x.name == "" || x.now == nil { // between files, or in one that holds no HLO between passes
		if len(bytes.TrimSpace(line)) > 0 {
			x.t.notes.other++
		}
		return nil
	}
	return x.add(line, number)
}

// open begins a file. Where another one is open, its end is missing.
func (x *xlaStream) open(name string, number int) error {
	if err := x.end(); err != nil {
		return err
	}
	x.name = name
	base := path.Base(name)
	if !isXLA(base) {
		x.t.notes.files++
		return nil
	}
	d, module, _ := xlaDump(base)
	d.fresh = x.module != "" && x.module != module
	x.module = module
	return x.banner(d, number)
}

// end takes what is open as it is, and says that its end is missing.
func (x *xlaStream) end() error {
	if x.now != nil && x.now.broken == "" {
		x.now.broken = "the dump ends inside " + cleanName([]byte(x.name))
	}
	x.name = ""
	return x.bodies.end()
}
