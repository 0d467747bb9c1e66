package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// command returns the command line that does the same as a run. It reads scripts and edits
// of the IR from files of their names.
func command(i run.Info) string {
	if i.Source.Kind == store.SourceDump {
		return "irscope import " + quote(i.Source.Name)
	}
	s := i.Settings
	words := []string{"irscope", "run", sourceArg(i.Source)}
	if s.Target != "" {
		words = append(words, "--target", s.Target)
	}
	words = append(words, "--opt-level", strconv.Itoa(s.OptLevel))
	for _, script := range s.Scripts {
		words = append(words, "--script", script.Name)
	}
	if s.Steps != nil {
		words = append(words, "--passes", listPasses(s.Steps))
	} else if s.Pipeline != "" && s.Pipeline != "default" {
		words = append(words, "--pipeline", s.Pipeline)
	}
	words = append(append(words, patchFlags(s)...), scheduleFlags(s)...)
	disabled := slices.DeleteFunc(slices.Clone(s.Disabled), ofUser)
	if len(disabled) > 0 {
		words = append(words, "--disable-pass", strings.Join(disabled, ","))
	}
	for _, name := range s.Required {
		words = append(words, "--require-pass", name)
	}
	for _, key := range slices.Sorted(maps.Keys(s.Config)) {
		if fields, ok := s.Config[key].(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				words = append(words, "--config", fmt.Sprintf("%s.%s=%s", key, name, plainValue(fields[name])))
			}
			continue
		}
		words = append(words, "--config", fmt.Sprintf("%s=%s", key, plainValue(s.Config[key])))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Shapes)) {
		dims := make([]string, len(s.Shapes[name]))
		for k, d := range s.Shapes[name] {
			dims[k] = strconv.FormatInt(d, 10)
		}
		words = append(words, "--shape", name+"="+strings.Join(dims, "x"))
	}
	words = append(append(words, tensorFlags("--input", s.Inputs)...), tensorFlags("--expect", s.Expected)...)
	if s.Profile > 0 {
		words = append(words, fmt.Sprintf("--profile=%d", s.Profile))
	}
	for k, w := range words {
		words[k] = quote(w)
	}
	return strings.Join(words, " ")
}

// tensorFlags are the flags for tensors of files. A file of several is named once.
func tensorFlags(flag string, list []run.Tensor) (words []string) {
	archives := map[string]bool{}
	for _, t := range list {
		value := t.Name + "=" + t.File
		if strings.HasSuffix(strings.ToLower(t.File), ".npz") {
			if archives[t.File] {
				continue
			}
			archives[t.File], value = true, t.File
		}
		words = append(words, flag, value)
	}
	return words
}

// plainValue writes a value as a flag takes it.
func plainValue(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// listPasses writes steps as the command line takes them: names separated by commas, with
// their options as JSON, and the steps of a sequence in brackets.
func listPasses(steps []run.Step) string {
	parts := make([]string, len(steps))
	for i, s := range steps {
		parts[i] = s.Name
		if len(s.Steps) > 0 {
			parts[i] += "[" + listPasses(s.Steps) + "]"
		} else if len(s.Options) > 0 {
			options, err := json.Marshal(s.Options)
			if err != nil {
				panic(fmt.Sprintf("options of %s, which came from JSON: %v", s.Name, err))
			}
			parts[i] += string(options)
		}
	}
	return strings.Join(parts, ",")
}

// plainWord matches words that a POSIX shell takes as they are.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`) })

// quote protects a word from a POSIX shell.
func quote(word string) string {
	if plainWord().MatchString(word) {
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
