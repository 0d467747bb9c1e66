package dumps

import (
	"bytes"
	"path"
	"regexp"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// GCC writes a file for each pass with -fdump-tree-all and -fdump-rtl-all: t.c.021t.ssa, the number of the pass and t, r or i (tree, rtl
// or ipa) before its name. A function in it begins with ";; Function sum (sum, funcdef_no=0, ...)", then what the pass has to say, and
// then its text. What the pass says is left out, since it is no IR.

var gccName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+)\.(\d{3})([tri])\.([\w.+-]+)$`)
})

func isGCC(name string) bool { return gccName().MatchString(path.Base(name)) }

func readGCC(t *timeline, files []File) error {
	t.info = event.Dump{Compiler: "GCC", Format: "a file for each pass (-fdump-tree-all, -fdump-rtl-all)"}
	t.strict = true
	unit := ""
	for _, f := range files {
		m := gccName().FindStringSubmatch(path.Base(f.Name))
		d := &dump{name: m[4], title: m[2] + m[3] + "." + m[4], kind: event.PassFunction}
		if m[3] == "i" {
			d.kind = event.PassModule
		}
		d.fresh = unit != "" && unit != m[1]
		unit = m[1]
		lang := event.LangGIMPLE
		if m[3] == "r" {
			lang = event.LangRTL
		}
		cutGCC(d, f.Data, lang)
		if len(d.texts) == 0 {
			d.effect, d.reason = hidden, "The file of the pass shows no function."
		}
		if err := t.add(d); err != nil {
			return err
		}
	}
	return nil
}

var gccFunction = []byte(";; Function ")

// cutGCC cuts a file into functions.
func cutGCC(d *dump, data []byte, lang string) {
	found := map[string]int{}
	for at := 0; at < len(data); {
		line, next := lineAt(data, at)
		at = next
		if !bytes.HasPrefix(line, gccFunction) {
			continue
		}
		name, _, _ := bytes.Cut(line[len(gccFunction):], []byte(" ("))
		end := len(data)
		if i := bytes.Index(data[at:], append([]byte("\n"), gccFunction...)); i >= 0 {
			end = at + i + 1
		}
		body := gccTree(data[at:end])
		if lang == event.LangRTL {
			body = gccRTL(data[at:end])
		}
		at = end
		if len(body) == 0 {
			continue
		}
		x := text{name: cleanName(name), kind: kindFunction, lang: lang, body: body}
		// A pass that runs twice on a function, or shows it before and after, shows it last as it left it.
		if i, ok := found[x.name]; ok {
			d.texts[i] = x
			continue
		}
		found[x.name] = len(d.texts)
		d.texts = append(d.texts, x)
	}
}

// gccTree returns the last body between braces, with the line of its declaration.
func gccTree(data []byte) []byte {
	end := bytes.LastIndex(data, []byte("\n}"))
	if end < 0 {
		return nil
	}
	from := bytes.LastIndex(data[:end], []byte("\n{"))
	if from < 0 {
		return nil
	}
	// The declaration is the line before the brace.
	if i := bytes.LastIndexByte(data[:from], '\n'); i >= 0 && i+1 < from && data[i+1] != ';' {
		from = i
	}
	_, next := lineAt(data, end+1)
	return squeeze(trim(data[from+1 : next]))
}

// gccFirst matches the first instruction of a function: kind, number, and 0 for the number of the one before it.
var gccFirst = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\([a-z_/]+ \d+ 0 `) })

var gccInsn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\((?:insn|note|jump_insn|jump_table_data|call_insn|code_label|barrier|debug_insn)\b`)
})

// gccRTL returns the instructions, each of which begins with a parenthesis. The rest of one is indented. Some passes show them before
// and after; the last of these lists counts.
func gccRTL(data []byte) []byte {
	var out []byte
	inside := false
	for at := 0; at < len(data); {
		line, next := lineAt(data, at)
		switch {
		case len(line) > 0 && line[0] == '(':
			if inside = gccInsn().Match(line); gccFirst().Match(line) {
				out = out[:0]
			}
		case len(line) == 0 || line[0] != ' ' && line[0] != ')':
			inside = false
		}
		if inside {
			out = append(out, data[at:next]...)
		}
		at = next
	}
	return trim(out)
}
