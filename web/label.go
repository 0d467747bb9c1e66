package web

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// maxNamed is how many passes a label names before it counts them.
const maxNamed = 2

// targetWord is a target in a few words: what machine code is for is said in a dozen of attributes, most of them by its features.
func targetWord(text string) string {
	if kind, rest, ok := strings.Cut(text, " "); ok && kind == "x86" {
		if strings.Contains(rest, "avx512f") {
			return kind + " AVX-512"
		}
		return kind + " AVX2"
	}
	return text
}

// label says the settings of a run in a few words, such as "O2 −FuseOps".
func label(s run.Settings) string {
	words := []string{"O" + strconv.Itoa(s.OptLevel)}
	if s.Target != "" && s.Target != "wasm" {
		words = append(words, targetWord(s.Target))
	}
	switch {
	case s.Steps != nil:
		words = append(words, "own pipeline")
	case s.Pipeline != "" && s.Pipeline != "default":
		words = append(words, s.Pipeline)
	}
	var off []string
	for _, name := range s.Disabled {
		if !ofUser(name) {
			off = append(off, name)
		}
	}
	words = append(words, named("−", off)...)
	words = append(words, named("+", s.Required)...)
	if n := len(s.Patches); n > 0 {
		words = append(words, count(n, "edit"))
	}
	if n := len(s.Schedules); n > 0 {
		words = append(words, count(n, "schedule"))
	}
	if n := len(s.Scripts); n > 0 {
		words = append(words, count(n, "script"))
	}
	return strings.Join(words, " ")
}

// labelOf is the label of a run of a source: what another compiler printed has no settings.
func labelOf(src store.Source, s run.Settings) string {
	if src.Kind == store.SourceDump {
		return "dump"
	}
	return label(s)
}

// named lists a few names behind a sign, or says how many they are.
func named(sign string, names []string) []string {
	if len(names) > maxNamed {
		return []string{sign + count(len(names), "pass")}
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = sign + name
	}
	return out
}

// count writes a number of things: 1 edit, 2 passes.
func count(n int, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "s"):
		thing += "es"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
