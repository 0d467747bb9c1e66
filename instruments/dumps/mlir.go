package dumps

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// MLIR prints with --mlir-print-ir-after-all, -before-all and -after-change (without "mlir-" up to version 14), by mlir-opt and the
// tools built on it, such as Triton, IREE and torch-mlir:
//
//	// -----// IR Dump After Canonicalizer (canonicalize) //----- //
//	// -----// IR Dump Before Inliner ('builtin.module' operation) //----- //          (the whole module is printed)
//	// -----// IR Dump After CSE Failed (cse) //----- //
//	// -----// IR Dump After CanonicalizerPass: canonicalize{max-iterations=10} //----- //
//
// The formats are those of mlir/lib/Pass/IRPrinting.cpp. The banner does not say on what a pass ran where only that is printed.
type mlir struct{ bodies }

func newMLIR(t *timeline) reader {
	t.info = event.Dump{Compiler: "MLIR", Format: "IR around passes, with banners"}
	t.strict, t.threads.some = true, true
	m := &mlir{bodies{t: t}}
	m.cut = func(d *dump, body []byte) { t.notes.other += cutMLIR(d, body) }
	return m
}

var mlirBannerForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^// -----// IR Dump (Before|After) (.+?) //----- //$`)
})

var mlirSign = []byte("// -----// IR Dump ")

func knowsMLIR(line []byte) bool { return mlirBanner(line) != nil }

// mlirBanner reads a banner; nil for any other line.
func mlirBanner(line []byte) *dump {
	if !bytes.HasPrefix(line, mlirSign) {
		return nil
	}
	m := mlirBannerForm().FindSubmatch(line)
	if m == nil {
		return nil
	}
	d := &dump{when: after, title: cleanName(m[2])}
	if string(m[1]) == "Before" {
		d.when = before
	}
	said := m[2]
	if i := bytes.Index(said, []byte(" ('")); i >= 0 {
		op := said[i:]
		said = said[:i]
		if at := bytes.Index(op, []byte("operation: @")); at >= 0 {
			d.on = cleanName(bytes.TrimSuffix(op[at+len("operation: @"):], []byte(")")))
			d.group, d.kind = d.on, event.PassFunction
		} else {
			d.on, d.kind = "[module]", event.PassModule
		}
	}
	said, isFailed := cutWord(said, " Failed")
	if isFailed {
		d.effect, d.reason = failed, "The dump says that the pass failed; what it left is below."
	}
	d.name = mlirPass(said)
	return d
}

// cutWord takes a word out of a text.
func cutWord(s []byte, word string) ([]byte, bool) {
	i := bytes.Index(s, []byte(word))
	if i < 0 {
		return s, false
	}
	return append(bytes.Clone(s[:i]), s[i+len(word):]...), true
}

// mlirPass returns the name of a pass on the command line, where the banner has one: "Canonicalizer (canonicalize)" or
// "CanonicalizerPass: canonicalize{...}".
func mlirPass(said []byte) string {
	name := said
	if _, arg, ok := bytes.Cut(said, []byte(": ")); ok {
		name, _, _ = bytes.Cut(arg, []byte("{"))
	} else if i := bytes.LastIndex(said, []byte(" (")); i > 0 && bytes.HasSuffix(said, []byte(")")) {
		name = said[i+2 : len(said)-1]
	}
	return cleanName(name)
}

// line takes the next line.
func (m *mlir) line(line []byte, number int) error {
	if d := mlirBanner(line); d != nil {
		return m.banner(d, number)
	}
	if i := bytes.Index(line, mlirSign); i > 0 {
		if d := mlirBanner(line[i:]); d != nil {
			if m.now != nil {
				m.now.broken = "other output begins in the middle of a line of this dump, so its IR is not used"
			}
			return m.banner(d, number)
		}
	}
	return m.add(line, number)
}
