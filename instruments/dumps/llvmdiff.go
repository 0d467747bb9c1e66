package dumps

import (
	"bytes"
	"fmt"

	"github.com/irscope/irscope/instruments/event"
)

// -print-changed=diff prints the lines of each function with a blank, a minus or a plus before them: both texts, without the line of
// the definition. Where a pass changed a module, a line in between names the function; LLVM 14 names the module there instead.

// subSign stands before the name of a function within the body of a difference.
const subSign = "\x00function "

// isDifference tells whether a body has that form: IR has lines that begin otherwise.
func isDifference(body []byte) bool {
	marked := false
	for at := 0; at < len(body); {
		line, next := lineAt(body, at)
		at = next
		if len(line) == 0 || bytes.HasPrefix(line, []byte(subSign)) {
			continue
		}
		switch line[0] {
		case '+', '-':
			marked = true
		case ' ':
		default:
			return false
		}
	}
	return marked
}

// differences cuts the body of a difference into functions, before and after.
func (l *llvm) differences(d *dump) {
	name, was, is := d.on, []byte(nil), []byte(nil)
	flush := func() {
		w, i := trim(was), trim(is)
		if len(w)+len(i) == 0 {
			return
		}
		x := text{name: name, kind: kindFunction, lang: event.LangLLVM}
		if x.name == "[module]" || x.name == "" || x.name[0] == '(' {
			x.name = l.nameOf(w, d)
		}
		if d.kind == event.PassLoop {
			x = l.partOf(d, w)
		}
		y := x
		x.body, y.body = w, i
		d.own, d.texts = append(d.own, x), append(d.texts, y)
		was, is = nil, nil
	}
	for at := 0; at < len(l.body); {
		line, next := lineAt(l.body, at)
		rest := l.body[min(at+1, next):next]
		at = next
		switch {
		case bytes.HasPrefix(line, []byte(subSign)):
			flush()
			name = string(line[len(subSign):])
		case len(line) == 0:
		case line[0] == '-':
			was = append(was, rest...)
		case line[0] == '+':
			is = append(is, rest...)
		default:
			was, is = append(was, rest...), append(is, rest...)
		}
	}
	flush()
	l.t.info.Format = "differences of IR after passes (-print-changed=diff)"
}

// nameOf finds the function whose text has these lines in its body, one that the dump has not shown yet. One that is not known gets a
// number of its own.
func (l *llvm) nameOf(body []byte, d *dump) string {
	used := map[string]bool{}
	for _, x := range d.texts {
		used[x.name] = true
	}
	for _, name := range l.t.module.names() {
		if v := l.t.module.now[name]; v.kind == kindFunction && !used[name] && string(inside(v.text)) == string(body) {
			return name
		}
	}
	for n := len(d.texts) + 1; ; n++ {
		if name := fmt.Sprintf("function %d", n); !used[name] && l.t.module.now[name] == nil {
			return name
		}
	}
}

// inside returns the lines between the definition of a function and its end, as a difference has them.
func inside(text string) []byte {
	body := []byte(text)
	if i := bytes.Index(body, []byte("{\n")); i >= 0 && bytes.Contains(body[:i], []byte("define ")) {
		body = bytes.TrimSuffix(body[i+2:], []byte("}\n"))
	}
	return trim(body)
}
