package dumps

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/irscope/irscope/instruments/event"
)

// The kinds of texts.
const (
	kindFunction = "function"
	kindModule   = "module"
	kindLoop     = "loop"
	kindMachine  = "machine"
	kindFile     = "file"
)

// moduleText is the name of what a module has besides functions.
const moduleText = "(module)"

// split cuts IR or machine code into functions: what stands between "define" and "}", and between the lines that LLVM puts around
// machine code. The rest of a module is a text of its own.
func (l *llvm) split(d *dump) {
	d.whole = d.on == "[module]"
	var rest []byte
	add := d.adding()
	lead := -1 // where a comment begins that belongs to the function below it
	for at := 0; at < len(l.body); {
		line, next := lineAt(l.body, at)
		switch {
		case bytes.HasPrefix(line, []byte("define ")):
			from := at
			if lead >= 0 {
				from = lead
			}
			end := endOf(l.body, next, "}\n")
			if end < 0 {
				d.broken = fmt.Sprintf("the dump ends inside %s", llvmName(line))
				return
			}
			add(text{name: llvmName(line), kind: kindFunction, lang: event.LangLLVM, body: l.body[from:end]})
			next, lead = end, -1
		case bytes.HasPrefix(line, []byte("# Machine code for function ")):
			name := machineName(line)
			end := endOf(l.body, next, "# End machine code for function "+name+".\n")
			if end < 0 {
				d.broken = fmt.Sprintf("the dump ends inside the machine code of %s", name)
				return
			}
			add(text{name: cleanName([]byte(name)), kind: kindMachine, lang: event.LangMIR, body: l.body[at:end]})
			next, lead = end, -1
		case bytes.HasPrefix(line, []byte("; Function Attrs:")):
			lead = at
		case bytes.HasPrefix(line, []byte("; Preheader:")) || bytes.HasPrefix(line, []byte("; Loop:")):
			if body := trim(l.body[at:]); !d.whole && len(d.texts) == 0 {
				l.loop(d, body)
				return
			}
			fallthrough
		default:
			if !d.whole && isModule(line) {
				d.whole = true
			}
			if lead >= 0 { // it belongs to a declaration
				rest = append(rest, l.body[lead:at]...)
				lead = -1
			}
			rest = append(rest, l.body[at:next]...)
		}
		at = next
	}
	switch body := trim(rest); {
	case d.whole:
		d.fresh = l.newModule(rest)
		add(text{name: moduleText, kind: kindModule, lang: event.LangLLVM, body: squeeze(body)})
	case len(body) > 0 && d.kind == event.PassLoop:
		l.loop(d, body)
		return
	case len(body) > 0:
		l.t.notes.other += bytes.Count(body, []byte{'\n'})
	}
	if n := len(d.texts); n > 0 && d.texts[0].name != moduleText {
		l.last = d.texts[0].name
	}
}

// loop takes the body of a loop, all that LLVM prints at passes that work on loops.
func (l *llvm) loop(d *dump, body []byte) {
	d.texts = []text{l.partOf(d, body)}
}

// partOf returns the text of the loop that a pass ran on, named after its header. It belongs to the function that was printed last,
// where the banner does not name one.
func (l *llvm) partOf(d *dump, body []byte) text {
	header := ""
	if at := strings.Index(d.on, "<header>"); at >= 0 {
		header = d.on[strings.LastIndexAny(d.on[:at], " ,")+1 : at]
	} else if name, ok := strings.CutPrefix(d.on, "loop "); ok {
		header, _, _ = strings.Cut(name, " ")
	} else if i := bytes.Index(body, []byte("; Loop:\n")); i >= 0 {
		line, _ := lineAt(body, i+len("; Loop:\n"))
		if label, _, ok := bytes.Cut(line, []byte{':'}); ok {
			header = "%" + cleanName(label)
		}
	}
	if d.group == "" {
		d.group = l.last
	}
	return text{name: strings.TrimSpace(d.group + ": loop " + header), kind: kindLoop, lang: event.LangLLVM, body: body, part: true, of: d.group}
}

// newModule tells whether another module than the last one begins, by the name that it gives itself.
func (l *llvm) newModule(rest []byte) bool {
	line, _ := lineAt(rest, 0)
	if !bytes.HasPrefix(line, []byte("; ModuleID = ")) {
		return false
	}
	was := l.unit
	l.unit = string(line)
	return was != "" && was != l.unit
}

// isModule tells whether a line is one that only a whole module has.
func isModule(line []byte) bool {
	return bytes.HasPrefix(line, []byte("; ModuleID = ")) || bytes.HasPrefix(line, []byte("source_filename = ")) || bytes.HasPrefix(line, []byte("target datalayout = "))
}

// lineAt returns the line at an offset and where the next one begins.
func lineAt(body []byte, at int) (line []byte, next int) {
	if i := bytes.IndexByte(body[at:], '\n'); i >= 0 {
		return body[at : at+i], at + i + 1
	}
	return body[at:], len(body)
}

// endOf returns the offset behind the first line from an offset on that is end; -1 where there is none.
func endOf(body []byte, at int, end string) int {
	if bytes.HasPrefix(body[at:], []byte(end)) {
		return at + len(end)
	}
	i := bytes.Index(body[at:], []byte("\n"+end))
	if i < 0 {
		return -1
	}
	return at + i + 1 + len(end)
}

// llvmName returns the name of the function that a line defines, without its sign and quotes.
func llvmName(line []byte) string {
	i := bytes.IndexByte(line, '@')
	if i < 0 {
		return "unnamed"
	}
	name := line[i+1:]
	if len(name) > 0 && name[0] == '"' {
		if j := bytes.IndexByte(name[1:], '"'); j >= 0 {
			return cleanName(name[1 : 1+j])
		}
	}
	if j := bytes.IndexByte(name, '('); j >= 0 {
		name = name[:j]
	}
	return cleanName(name)
}

// machineName returns the name in "# Machine code for function one: IsSSA, TracksLiveness".
func machineName(line []byte) string {
	name := string(line[len("# Machine code for function "):])
	if i := strings.LastIndex(name, ": "); i >= 0 {
		return name[:i]
	}
	return strings.TrimSuffix(name, ":")
}

// squeeze leaves one blank line where functions were taken out.
func squeeze(body []byte) []byte {
	out := body[:0:0]
	blank := false
	for at := 0; at < len(body); {
		line, next := lineAt(body, at)
		if empty := len(line) == 0; !empty || !blank {
			out = append(out, body[at:next]...)
			blank = empty
		}
		at = next
	}
	return out
}
