package dumps

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// LLVM prints with -print-after-all, -print-before-all, -print-changed and their forms for single passes, by opt, llc, clang, rustc,
// swiftc and others. A dump is a banner and the IR below it, up to the next banner:
//
//	*** IR Dump After SROAPass on sum ***                              new pass manager: module, function, SCC or loop
//	; *** IR Dump After LICMPass on loop %body in function sum ***     newer versions
//	*** IR Dump After SROA (sroa) ***                                  old pass manager, which does not say on what
//	# *** IR Dump After Finalize ISel (finalize-isel) ***:             machine code
//	*** IR Dump After InlinerPass on (sum) omitted because no change ***
//	*** IR Pass PassManager<llvm::Function> on one ignored ***
//
// The formats are those of lib/Passes/StandardInstrumentations.cpp, lib/IR/IRPrintingPasses.cpp and MachineFunctionPrinterPass.cpp.
type llvm struct {
	t    *timeline
	now  *dump  // whose body is being read
	body []byte // its lines
	// mixed tells that other output broke into a line of the body.
	mixed bool
	last  string // the function that was printed last, to which a loop belongs
	unit  string // the module, as it names itself
}

var (
	bannerSign = []byte("*** IR ")
	bisectSign = []byte("BISECT: ")
)

func newLLVM(t *timeline) reader {
	t.info = event.Dump{Compiler: "LLVM", Format: "IR after passes, with banners"}
	return &llvm{t: t}
}

// knowsLLVM tells whether a line begins a dump of LLVM.
func knowsLLVM(line []byte) bool {
	_, ok := llvmBanner(line)
	return ok
}

// line takes the next line.
func (l *llvm) line(line []byte, number int) error {
	if i := bytes.Index(line, bannerSign); i >= 0 {
		if d, ok := llvmBanner(line); ok {
			return l.banner(d, number)
		}
		// Another process that writes to the same place begins its dump in the middle of a line.
		if d, ok := llvmBanner(line[i:]); ok && bytes.Count(line[:i], []byte{'"'})%2 == 0 {
			l.body = append(append(l.body, line[:i]...), '\n')
			l.mixed = true
			return l.banner(d, number)
		}
	}
	if len(line) > 10 && line[0] == 'B' && bytes.HasPrefix(line, bisectSign) {
		return l.bisect(line, number)
	}
	if l.now == nil {
		l.t.notes.before++
		return nil
	}
	if len(l.body)+len(line) > maxBody {
		return tooLong(number)
	}
	l.body = append(append(l.body, line...), '\n')
	return nil
}

// banner ends the dump before it and begins the next one.
func (l *llvm) banner(d *llvmHead, number int) error {
	if d.sub != "" { // part of the body of a difference
		if l.now != nil {
			l.body = append(append(append(l.body, subSign...), d.sub...), '\n')
		}
		return nil
	}
	if err := l.flush(); err != nil {
		return err
	}
	if d.ignored {
		l.t.notes.left++
		return nil
	}
	l.now = &d.dump
	l.now.line = number
	if d.kind == event.PassFunction {
		l.last = d.on
	}
	l.body = append(l.body, d.rest...)
	if len(d.rest) > 0 {
		l.body = append(l.body, '\n')
	}
	return nil
}

// bisect reads what -opt-bisect-limit says: passes that did not run print nothing else.
func (l *llvm) bisect(line []byte, number int) error {
	m := bisected().FindSubmatch(line)
	if m == nil {
		return nil
	}
	if err := l.flush(); err != nil {
		return err
	}
	d := &dump{effect: notRun, reason: "-opt-bisect-limit", line: number, name: cleanName(m[1])}
	d.on, d.kind, d.group = onUnit(m[2])
	return l.t.add(d)
}

var bisected = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^BISECT: NOT running pass \(\d+\) (.+) on (.+)$`)
})

// flush hands over the dump whose body has been read.
func (l *llvm) flush() error {
	d := l.now
	if d == nil {
		return nil
	}
	l.now = nil
	err := l.take(d)
	l.body, l.mixed = l.body[:0], false
	return err
}

func (l *llvm) end() error { return l.flush() }

// take cuts a body into functions.
func (l *llvm) take(d *dump) error {
	switch {
	case d.effect != shown:
		if len(trim(l.body)) > 0 {
			l.t.notes.other += bytes.Count(l.body, []byte{'\n'})
		}
	case isDifference(l.body):
		l.differences(d)
	default:
		l.split(d)
	}
	if l.mixed {
		d.broken = "other output begins in the middle of a line of this dump, so its IR is not used"
	}
	if d.effect == shown && d.broken == "" && len(d.texts) == 0 {
		if d.when == before {
			return nil // what it says is in the dump after the pass
		}
		d.effect, d.reason = hidden, "The dump prints nothing for this pass."
	}
	// The old pass manager does not say on what a pass ran: the text does.
	if d.on == "" && d.group == "" && !d.whole && len(d.texts) == 1 {
		x := d.texts[0]
		if d.group = x.name; x.part {
			d.group = x.of
		}
		d.on = x.name
	}
	switch {
	case d.kind != "":
	case d.whole:
		d.kind = event.PassModule
	case len(d.texts) > 0 && d.texts[0].part:
		d.kind = event.PassLoop
	case len(d.texts) > 0 && d.texts[0].kind == kindMachine:
		d.kind = event.PassMachine
	default:
		d.kind = event.PassFunction
	}
	if d.kind == event.PassLoop && d.group == "" {
		d.group = l.last
	}
	return l.t.add(d)
}
