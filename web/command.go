package web

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// sourceArg returns how the command line calls a source.
func sourceArg(src store.Source) string {
	if src.Kind == store.SourceGallery {
		return "gallery:" + src.Name
	}
	return src.Name
}

// command returns the command line that does the same as a run. Passes of users are run by
// the command line without a pipeline around them: there is one command for each script.
func command(i run.Info) string {
	s := i.Settings
	if len(s.Scripts) == 0 {
		return flagged([]string{"explorer", "run", sourceArg(i.Source)}, s)
	}
	var all []string
	for _, script := range s.Scripts {
		all = append(all, flagged([]string{"explorer", "script", script.Name, sourceArg(i.Source)}, run.Settings{Target: s.Target, OptLevel: s.OptLevel, Config: s.Config}))
	}
	return strings.Join(all, " && ")
}

// flagged adds the flags that say the same as settings.
func flagged(words []string, s run.Settings) string {
	words = append(words, "--target", orDefault(s.Target, "wasm"), "--opt-level", strconv.Itoa(s.OptLevel))
	if s.Pipeline != "" && s.Pipeline != "default" {
		words = append(words, "--pipeline", s.Pipeline)
	}
	if len(s.Disabled) > 0 {
		words = append(words, "--disable-pass", strings.Join(s.Disabled, ","))
	}
	for _, name := range s.Required {
		words = append(words, "--require-pass", name)
	}
	for _, key := range slices.Sorted(maps.Keys(s.Config)) {
		words = append(words, "--config", fmt.Sprintf("%s=%v", key, s.Config[key]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Shapes)) {
		dims := make([]string, len(s.Shapes[name]))
		for k, d := range s.Shapes[name] {
			dims[k] = strconv.FormatInt(d, 10)
		}
		words = append(words, "--shape", name+"="+strings.Join(dims, "x"))
	}
	for k, w := range words {
		words[k] = quote(w)
	}
	return strings.Join(words, " ")
}

// plainWord matches words that a POSIX shell takes as they are.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quote protects a word from a POSIX shell.
func quote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// orDefault returns s, or a default for "".
func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}
