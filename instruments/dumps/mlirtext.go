package dumps

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// The body of a dump of MLIR is one operation: a module, a function, or another one. What else stands there is left out: diagnostics, and
// what another thread has left of a dump of its own. Aliases (#map, !type) and resources belong to the operation.

var mlirFunction = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^( *)(?:[a-z_]+\.)*(?:func|kernel)(?: +[a-z_]+)* +@("[^"]+"|[\w.$-]+)`)
})

// Locations differ where nothing else does, so they are left out: those at the end of a line, and the lines that define them.
var mlirLocation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^#loc\d* = loc\(.*\)\n|[ ]loc\((?:#loc\d*|unknown|"[^"\n]*"(?::\d+:\d+)?|[^()\n]*\([^()\n]*\))\)$`)
})

// cutMLIR cuts a body into functions, and returns how many lines belong to none. In a module functions are indented; as the dump of a
// function they are not.
func cutMLIR(d *dump, body []byte) (left int) {
	if bytes.Contains(body, []byte("loc(")) {
		body = mlirLocation().ReplaceAll(body, nil)
	}
	body, left = withoutDiagnostics(body)
	head := mlirHead(body)
	switch {
	case len(head) == 0:
		return left
	case head[0] == '"' && !bytes.HasPrefix(head, []byte(`"builtin.module"`)):
		wholeMLIR(d, body, genericName(body), kindFunction)
	case bytes.HasPrefix(head, []byte("module")) || bytes.HasPrefix(head, []byte(`"builtin.module"`)):
		return left + d.mlirModule(body)
	case !mlirFunction().Match(head):
		wholeMLIR(d, body, symbolName(head), kindModule)
	default:
		return left + d.mlirFunctions(body)
	}
	return left
}

// mlirHead returns the first line that is no alias.
func mlirHead(body []byte) []byte {
	for at := 0; at < len(body); {
		line, next := lineAt(body, at)
		if len(line) > 0 && !isAlias(line) {
			return line
		}
		at = next
	}
	return nil
}

// isAlias tells whether a line is one that may stand around an operation.
func isAlias(line []byte) bool { return line[0] == '#' || line[0] == '!' }

// wholeMLIR takes a body as one text.
func wholeMLIR(d *dump, body []byte, name, kind string) {
	d.texts = []text{{name: name, kind: kind, lang: event.LangMLIR, body: trim(body)}}
	if d.on == "" {
		d.on, d.group, d.kind = name, name, event.PassFunction
	}
}

// mlirModule cuts a module into functions and the rest of it.
func (d *dump) mlirModule(body []byte) (left int) {
	seen := map[string]int{}
	var rest []byte
	closed, resources := false, false
	for at := 0; at < len(body); {
		line, next := lineAt(body, at)
		if name, text, end := mlirFunctionAt(body, at); end != 0 && !closed {
			if end < 0 {
				d.broken = "the dump ends inside " + name
				return left
			}
			// Modules within the module may have functions of the same name.
			if seen[name]++; seen[name] > 1 {
				text.name = fmt.Sprintf("%s (%d)", name, seen[name])
			}
			d.texts = append(d.texts, text)
			at = end
			continue
		}
		switch {
		case bytes.HasPrefix(line, []byte("{-#")) || bytes.HasPrefix(line, []byte("#-}")):
			resources = line[0] == '{'
		case closed && !resources && len(line) > 0 && !isAlias(line):
			left++
			at = next
			continue
		}
		closed = closed || len(line) > 0 && line[0] == '}'
		rest = append(rest, body[at:next]...)
		at = next
	}
	if !closed && !oneLine(rest) {
		d.broken = "the dump ends inside the module"
		return left
	}
	d.whole = true
	d.texts = append(d.texts, text{name: moduleText, kind: kindModule, lang: event.LangMLIR, body: squeeze(trim(rest))})
	if d.kind == "" {
		d.on, d.kind = "[module]", event.PassModule
	}
	return left
}

// oneLine tells whether a module ends in the line that begins it.
func oneLine(rest []byte) bool { return bytes.HasSuffix(bytes.TrimSpace(mlirHead(rest)), []byte("}")) }

// mlirFunctions takes the functions of a body that is no module. Aliases that they use are printed around them.
func (d *dump) mlirFunctions(body []byte) (left int) {
	add := d.adding()
	var aliases []byte
	for at := 0; at < len(body); {
		line, next := lineAt(body, at)
		name, x, end := mlirFunctionAt(body, at)
		switch {
		case end < 0:
			d.broken = "the dump ends inside " + name
			return left
		case end > 0:
			add(x)
			next = end
		case len(line) > 0 && isAlias(line):
			aliases = append(aliases, body[at:next]...)
		case len(line) > 0:
			left++
		}
		at = next
	}
	if len(aliases) > 0 && len(d.texts) > 0 {
		d.texts[0].body = append(append(aliases, '\n'), d.texts[0].body...)
	}
	if d.on == "" && len(d.texts) == 1 {
		d.on, d.group, d.kind = d.texts[0].name, d.texts[0].name, event.PassFunction
	}
	return left
}

// mlirFunctionAt returns the function that begins at an offset and where it ends: 0 where none begins, -1 where its end is missing.
func mlirFunctionAt(body []byte, at int) (name string, x text, end int) {
	line, next := lineAt(body, at)
	m := mlirFunction().FindSubmatch(line)
	if m == nil {
		return "", text{}, 0
	}
	name = cleanName(bytes.Trim(m[2], `"`))
	switch {
	case bytes.HasSuffix(line, []byte("{")):
		end = endOf(body, next, string(m[1])+"}\n")
	case len(m[1]) == 0: // a declaration as the dump of a function
		end = next
	default:
		return "", text{}, 0 // one in a module is part of it
	}
	if end < 0 {
		return name, text{}, end
	}
	return name, text{name: name, kind: kindFunction, lang: event.LangMLIR, body: dedent(body[at:end], len(m[1]))}, end
}

var (
	mlirSymName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bsym_name = "([^"]+)"`) })
	mlirSymbol  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@("[^"]+"|[\w.$-]+)`) })
)

// genericName returns the name of an operation in the generic form: an attribute in its first line, or in the last one in older versions.
func genericName(body []byte) string {
	first := mlirHead(body)
	last := bytes.TrimRight(body, "\n")
	last = last[bytes.LastIndexByte(last, '\n')+1:]
	for _, line := range [][]byte{first, last} {
		if m := mlirSymName().FindSubmatch(line); m != nil {
			return cleanName(m[1])
		}
	}
	return "operation"
}

// symbolName returns the name of an operation by its first line.
func symbolName(head []byte) string {
	if m := mlirSymbol().FindSubmatch(head); m != nil {
		return cleanName(bytes.Trim(m[1], `"`))
	}
	return "operation"
}

// mlirDiagnostic matches what a compiler says of a place: a file with line and column, or a location.
var mlirDiagnostic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[^\s"%#^!][^"]*:\d+(?::\d+)?|loc\(.*\)): (?:error|warning|remark|note): `)
})

var mlirCaret = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*\^[~ ]*$`) })

// withoutDiagnostics takes diagnostics out of a body, with the line of the source and the caret below it that may follow, and with the
// operation that a note shows. It returns how many lines went.
func withoutDiagnostics(body []byte) (out []byte, left int) {
	found := false
	for _, kind := range []string{": error: ", ": warning: ", ": remark: ", ": note: "} {
		found = found || bytes.Contains(body, []byte(kind))
	}
	if !found {
		return body, 0
	}
	for at := 0; at < len(body); {
		line, next := lineAt(body, at)
		if !mlirDiagnostic().Match(line) {
			out = append(out, body[at:next]...)
			at = next
			continue
		}
		from := at
		source, below := lineAt(body, next)
		caret, behind := lineAt(body, below)
		switch {
		case len(source) > 0 && mlirCaret().Match(caret):
			next = behind
		case bytes.HasSuffix(line, []byte("{")):
			for next < len(body) {
				l, after := lineAt(body, next)
				next = after
				if len(l) > 0 && l[0] == '}' {
					break
				}
			}
		}
		left += bytes.Count(body[from:next], []byte{'\n'})
		at = next
	}
	return out, left
}
