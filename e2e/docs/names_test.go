package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
)

var (
	quoted     = regexp.MustCompile("`([^`]+)`")
	bold       = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	subcommand = regexp.MustCompile(`(?m)^  ([a-z]+)  +[A-Z]`)
	flag       = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z][a-z-]*)`)
	flagIn     = regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)
	shortcut   = regexp.MustCompile(`(?:\n  \[|key: \{ key: )"((?:[^"\\]|\\.)+)", (?:doc: )?"`)
)

// known is what the program calls things: commands, flags, passes, pipelines, config options, and the keys and words of the page.
type known struct {
	commands, flags, names, keys []string
	page                         string
}

// ask runs the program.
func ask(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		t.Fatalf("irscope %v: %v", args, err)
	}
	return string(out)
}

func learn(t *testing.T) known {
	t.Helper()
	k := known{flags: []string{"version", "help"}}
	for _, m := range subcommand.FindAllStringSubmatch(ask(t, "--help"), -1) {
		if k.commands = append(k.commands, m[1]); m[1] == "help" {
			continue
		}
		for _, f := range flag.FindAllStringSubmatch(ask(t, m[1], "--help"), -1) {
			k.flags = append(k.flags, f[1])
		}
	}
	var passes []struct {
		Name   string
		Config []struct{ Key string }
	}
	if err := json.Unmarshal([]byte(ask(t, "passes", "--json")), &passes); err != nil {
		t.Fatal(err)
	}
	for _, p := range passes {
		k.names = append(k.names, p.Name)
		for _, c := range p.Config {
			k.names = append(k.names, c.Key)
		}
	}
	// The words of the page are those of its templates and scripts, and the names of the models.
	for _, m := range gallery.Models() {
		k.page += m.Title + "\n"
	}
	for _, dir := range []string{"ui/templates", "static/src"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ os.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || ext != ".templ" && ext != ".ts" || strings.HasSuffix(path, ".test.ts") {
				return err
			}
			data, err := os.ReadFile(path)
			k.page += string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range shortcut.FindAllStringSubmatch(k.page, -1) {
		k.keys = append(k.keys, strings.ReplaceAll(m[1], `\\`, `\`))
	}
	if len(k.commands) < 12 || len(k.flags) < 60 || len(k.names) < 50 || len(k.keys) < 30 {
		t.Fatalf("found only %d commands, %d flags, %d names, %d keys", len(k.commands), len(k.flags), len(k.names), len(k.keys))
	}
	return k
}

// wrong says what is not so about a name; "" where nothing is.
func (k known) wrong(name string) string {
	rest, isCommand := strings.CutPrefix(name, "irscope")
	for _, f := range flagIn.FindAllStringSubmatch(name, -1) {
		if !slices.Contains(k.flags, f[1]) {
			return "no command has the flag --" + f[1]
		}
	}
	switch {
	case isCommand && (rest == "" || strings.HasPrefix(rest, " ")):
		if word := strings.Fields(rest); len(word) > 0 && !strings.HasPrefix(word[0], "-") && !slices.Contains(k.commands, word[0]) {
			return "there is no command " + word[0]
		}
		return ""
	case strings.HasPrefix(name, "--"), slices.Contains(k.names, name), slices.Contains(k.keys, name):
		return ""
	}
	return "it is neither a command, a flag, a pass, a config option, nor a key of the page"
}

// other are names in the documents that no list has, each with where it is from.
var other = map[string]string{
	"default": "pipeline", "zero": "pipeline", "dataflow_lower": "pipeline", "finalize": "pipeline", "tir": "pipeline",
	"main": "function of a model", "bin/irscope": "file", "make build": "target of the Makefile", "tir.": "prefix of passes on loops", "op_pattern": "attribute", "gone:nn.conv2d": "query", "Ctrl+K": "key of the palette",
	"-print-after-all": "flag of LLVM",
}

// TestNames checks each command, flag, pass, key and label in what the documents say of this program. The first column of a table holds
// names of others.
func TestNames(t *testing.T) {
	k := learn(t)
	for _, name := range []string{"docs/from-tvm.md", "docs/from-compiler-explorer.md", "docs/tutorial.md"} {
		seen := 0
		for line := range strings.Lines(read(t, name)) {
			if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "#") {
				continue // commands are run
			}
			if cells := strings.SplitN(line, " |", 2); strings.HasPrefix(line, "| ") && len(cells) == 2 {
				line = cells[1]
			}
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				if seen++; other[m[1]] != "" {
					continue
				}
				if problem := k.wrong(m[1]); problem != "" {
					t.Errorf("%s: `%s`: %s", name, m[1], problem)
				}
			}
			for _, m := range bold.FindAllStringSubmatch(line, -1) {
				if seen++; !strings.Contains(k.page, m[1]) {
					t.Errorf("%s: **%s** is not a word of the page", name, m[1])
				}
			}
		}
		if seen < 10 {
			t.Errorf("%s: only %d names were found", name, seen)
		}
	}
}

// TestFlags checks the flags that all documents, lessons and pages of passes name in their sentences.
func TestFlags(t *testing.T) {
	k := learn(t)
	ofOthers := regexp.MustCompile(`^--(reverse|mlir-[a-z-]+|xla_[a-z_]+)`) // git, MLIR, XLA
	files, seen := []string{"README.md"}, 0
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ os.DirEntry, err error) error {
		if name, relErr := filepath.Rel(root, path); err == nil && relErr == nil && filepath.Ext(path) == ".md" {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		for line := range strings.Lines(read(t, name)) {
			if strings.HasPrefix(line, "    ") {
				continue // commands are run
			}
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				if !strings.HasPrefix(m[1], "--") && !strings.HasPrefix(m[1], "irscope ") || ofOthers.MatchString(m[1]) {
					continue
				}
				seen++
				for _, f := range flagIn.FindAllStringSubmatch(m[1], -1) {
					if !slices.Contains(k.flags, f[1]) {
						t.Errorf("%s: `%s`: no command has the flag --%s", name, m[1], f[1])
					}
				}
			}
		}
	}
	if len(files) < 100 || seen < 150 {
		t.Errorf("only %d documents with %d flags and commands were found", len(files), seen)
	}
}
