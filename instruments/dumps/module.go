package dumps

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
)

// version is a text that a function has at some point. It is not written again.
type version struct {
	name, kind, lang string
	part             bool
	of               string
	text             string
	hash             string
	lines            int
}

func (v *version) function() event.Function {
	return event.Function{Name: v.name, Kind: v.kind, Text: v.hash, Lines: v.lines}
}

// module is the IR at one point: the last text of each function.
type module struct {
	sink  event.Sink
	now   map[string]*version
	parts map[string][]string // names of the parts of a function
	bytes int64
	// sum combines the names and hashes of the functions, whatever their order, so that a change costs what changed.
	sum      [20]byte
	replaced int // characters that no page can hold
}

func (m *module) init(sink event.Sink) {
	m.sink, m.now, m.parts = sink, map[string]*version{}, map[string][]string{}
}

// version keeps a text, and returns the version that the function has already where it is the same.
func (m *module) version(x text) (*version, error) {
	now := m.now[x.name]
	if now != nil && now.text == string(x.body) && now.lang == x.lang {
		return now, nil
	}
	s, replaced := clean(x.body)
	if now != nil && now.text == s && now.lang == x.lang {
		return now, nil
	}
	m.replaced += replaced
	hash, err := m.sink.Text(x.lang, s)
	if err != nil {
		return nil, err
	}
	return &version{name: x.name, kind: x.kind, lang: x.lang, part: x.part, of: x.of, text: s, hash: hash, lines: linediff.CountLines(s)}, nil
}

// put makes a version the one that its function has, and tells whether it had another.
func (m *module) put(v *version) bool {
	now := m.now[v.name]
	if now == v {
		return false
	}
	if now != nil {
		m.drop(now)
	} else if v.part {
		m.parts[v.of] = append(m.parts[v.of], v.name)
	}
	m.now[v.name] = v
	m.bytes += int64(len(v.text))
	m.mix(v)
	return true
}

// drop removes a function.
func (m *module) drop(v *version) {
	delete(m.now, v.name)
	m.bytes -= int64(len(v.text))
	m.mix(v)
}

// mix adds a function to the sum, or takes it out.
func (m *module) mix(v *version) {
	one := sha256.Sum256([]byte(v.name + " " + v.hash))
	for i := range m.sum {
		m.sum[i] ^= one[i]
	}
}

func (m *module) hash() string { return hexSum(m.sum) }

// full returns the error of a module that is too large.
func (m *module) full() error {
	if m.bytes <= MaxModule {
		return nil
	}
	return &event.Error{Kind: event.KindLimit, Limit: "module", Message: fmt.Sprintf("the functions of the dump take more than %d MiB at one point, which is more than can be compared here", MaxModule>>20)}
}

// see notes texts that no pass is known to have made.
func (t *timeline) see(texts []text, whole bool) error {
	t.partly = !whole && (t.partly || len(texts) > 0)
	return t.seeWith(texts, whole, texts)
}

// seeWith is see; besides, the parts of the functions that are shown go, for the whole of them is known.
func (t *timeline) seeWith(texts []text, whole bool, shown []text) error {
	var list []event.Function
	gone := func(name string) {
		if v := t.module.now[name]; v != nil {
			t.module.drop(v)
			list = append(list, event.Function{Name: name, Kind: v.kind})
		}
	}
	for _, x := range shown {
		if x.part {
			continue
		}
		for _, name := range t.module.parts[x.name] {
			gone(name)
		}
		delete(t.module.parts, x.name)
	}
	here := map[string]bool{}
	for _, x := range texts {
		here[x.name] = true
		v, err := t.module.version(x)
		if err != nil {
			return err
		}
		if t.module.put(v) {
			list = append(list, v.function())
		}
		if !x.part {
			delete(t.stale, x.name)
		}
	}
	if whole {
		t.whole = true
		for name := range t.module.now {
			if !here[name] {
				gone(name)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	sortFunctions(list)
	if err := t.module.full(); err != nil {
		return err
	}
	return t.emit("", "", &event.FunctionsSeen{Functions: list})
}

func sortFunctions(list []event.Function) {
	slices.SortFunc(list, func(a, b event.Function) int { return strings.Compare(a.Name, b.Name) })
}

// naming writes the names of some texts.
func naming(texts []text) string {
	if len(texts) == 1 {
		return texts[0].name
	}
	return fmt.Sprintf("%s and %d others", texts[0].name, len(texts)-1)
}

// trim returns a text without blank lines at its ends, and with a newline behind its last line.
func trim(body []byte) []byte {
	for len(body) > 0 && (body[0] == '\n') {
		body = body[1:]
	}
	n := len(bytes.TrimRight(body, " \t\n"))
	if n == 0 {
		return nil
	}
	if n < len(body) && body[n] == '\n' {
		return body[:n+1]
	}
	return append(body[:n:n], '\n')
}
