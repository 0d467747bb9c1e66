package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagTests names, for each flag, the test that shows what it does: a script of e2e/cli or, of
// the folder e2e, a file of Go tests. An entry "command flag" is for a command whose test is
// another one than that of the other commands with the flag. The program without a command
// has the flags of serve.
var flagTests = map[string]string{
	"host":                     "cli/nginx_test.go",
	"log":                      "cli/serveflags_test.go",
	"embed-origin":             "usage.txtar",
	"lessons":                  "lessons.txtar",
	"origin":                   "usage.txtar",
	"classes":                  "usage.txtar",
	"queue":                    "usage.txtar",
	"queue-per-visitor":        "usage.txtar",
	"run-memory-mib":           "usage.txtar",
	"run-time":                 "usage.txtar",
	"runs-per-minute":          "cli/serveflags_test.go",
	"runs-per-visitor":         "usage.txtar",
	"trusted-proxy":            "cli/nginx_test.go",
	"secure-cookies":           "cli/nginx_test.go",
	"addr":                     "cli/serve_test.go",
	"annotate":                 "flags.txtar",
	"opt annotate":             "opt.txtar",
	"atol":                     "data.txtar",
	"exec atol":                "flags.txtar",
	"replay atol":              "replay.txtar",
	"check-every-pass":         "check.txtar",
	"color":                    "diff.txtar",
	"config":                   "flags.txtar",
	"opt config":               "opt.txtar",
	"run config":               "compileflags.txtar",
	"script config":            "script_run.txtar",
	"compact":                  "flags.txtar",
	"diff compact":             "diff.txtar",
	"opt compact":              "opt.txtar",
	"context":                  "diff.txtar",
	"data":                     "replay.txtar",
	"import all":               "import.txtar",
	"import json":              "import.txtar",
	"import name":              "import.txtar",
	"import output":            "import.txtar",
	"import to":                "cli/import_test.go",
	"check data":               "cli/admin_test.go",
	"serve data":               "usage.txtar",
	"data-mib":                 "usage.txtar",
	"define":                   "flags.txtar",
	"equal define":             "equal.txtar",
	"opt define":               "opt.txtar",
	"run define":               "script.txtar",
	"func":                     "execfunc.txtar",
	"schedule define":          "schedule.txtar",
	"schedule max-steps":       "schedule.txtar",
	"schedule no-verify":       "schedule.txtar",
	"schedule output":          "schedule.txtar",
	"schedule seed":            "schedule.txtar",
	"schedule shape":           "schedule.txtar",
	"schedule show-meta":       "schedule.txtar",
	"schedule zero-constants":  "schedule.txtar",
	"steps":                    "schedule.txtar",
	"trace":                    "schedule.txtar",
	"disable-pass":             "watch.txtar",
	"diff disable-pass":        "diff.txtar",
	"opt disable-pass":         "opt.txtar",
	"script disable-pass":      "script_run.txtar",
	"dump-ir":                  "flags.txtar",
	"compile dump-ir":          "watch.txtar",
	"opt dump-ir":              "opt.txtar",
	"run dump-ir":              "watch.txtar",
	"emit":                     "opt.txtar",
	"script emit":              "script_errors.txtar",
	"expect":                   "opt.txtar",
	"from":                     "diff.txtar",
	"input":                    "opt.txtar",
	"json":                     "jsonoutput.txtar",
	"replay json":              "replay.txtar",
	"line-numbers":             "flags.txtar",
	"opt line-numbers":         "opt.txtar",
	"map-free-vars":            "equal.txtar",
	"max-steps":                "script_errors.txtar",
	"no-verify":                "flags.txtar",
	"equal no-verify":          "equal.txtar",
	"opt no-verify":            "opt.txtar",
	"only-changed":             "flags.txtar",
	"opt only-changed":         "opt.txtar",
	"run only-changed":         "watch.txtar",
	"opt-level":                "artifact.txtar",
	"diff opt-level":           "diff.txtar",
	"opt opt-level":            "opt.txtar",
	"run opt-level":            "compileflags.txtar",
	"script opt-level":         "script_run.txtar",
	"output":                   "opt.txtar",
	"script output":            "script_errors.txtar",
	"pass":                     "script_errors.txtar",
	"passes":                   "passlist.txtar",
	"diff passes":              "diff.txtar",
	"opt passes":               "opt.txtar",
	"patch":                    "patch.txtar",
	"schedule":                 "scheduleflag.txtar",
	"bisect schedule":          "bisect.txtar",
	"reduce schedule":          "bisect.txtar",
	"pipeline":                 "compileflags.txtar",
	"compile pipeline":         "watch.txtar",
	"diff pipeline":            "diff.txtar",
	"opt pipeline":             "opt.txtar",
	"passes pipeline":          "jsonoutput.txtar",
	"script pipeline":          "script_errors.txtar",
	"passes target":            "passes.txtar",
	"print-ir-after":           "flags.txtar",
	"opt print-ir-after":       "opt.txtar",
	"run print-ir-after":       "compileflags.txtar",
	"print-ir-before":          "flags.txtar",
	"opt print-ir-before":      "opt.txtar",
	"run print-ir-before":      "compileflags.txtar",
	"print-option":             "flags.txtar",
	"opt print-option":         "opt.txtar",
	"quiet":                    "equal.txtar",
	"reproducer":               "reproducer.txtar",
	"repeat":                   "artifact.txtar",
	"run repeat":               "jsonoutput.txtar",
	"require-pass":             "flags.txtar",
	"opt require-pass":         "opt.txtar",
	"run require-pass":         "compileflags.txtar",
	"reuse-mib":                "usage.txtar",
	"rtol":                     "data.txtar",
	"exec rtol":                "flags.txtar",
	"replay rtol":              "replay.txtar",
	"script":                   "flags.txtar",
	"run script":               "passlist.txtar",
	"seed":                     "artifact.txtar",
	"threads":                  "x86.txtar",
	"run seed":                 "data.txtar",
	"shape":                    "flags.txtar",
	"equal shape":              "equal.txtar",
	"opt shape":                "opt.txtar",
	"run shape":                "compileflags.txtar",
	"show-all-struct-info":     "flags.txtar",
	"opt show-all-struct-info": "opt.txtar",
	"show-meta":                "flags.txtar",
	"opt show-meta":            "opt.txtar",
	"specialize":               "specialize.txtar",
	"profile":                  "profile.txtar",
	"memory-plan":              "profile.txtar",
	"split":                    "opt.txtar",
	"decisions":                "rewrites.txtar",
	"rewrites":                 "rewrites.txtar",
	"rewrites-json":            "rewrites.txtar",
	"rewrites-limit":           "rewrites.txtar",
	"syntax-sugar":             "flags.txtar",
	"opt syntax-sugar":         "opt.txtar",
	"target":                   "flags.txtar",
	"opt target":               "opt.txtar",
	"run target":               "compileflags.txtar",
	"timing":                   "diff.txtar",
	"compile timing":           "flags.txtar",
	"opt timing":               "opt.txtar",
	"run timing":               "jsonoutput.txtar",
	"script timing":            "script_run.txtar",
	"to":                       "diff.txtar",
	"underline":                "flags.txtar",
	"opt underline":            "opt.txtar",
	"verify-each":              "flags.txtar",
	"opt verify-each":          "opt.txtar",
	"run verify-each":          "compileflags.txtar",
	"verify-roundtrip":         "flags.txtar",
	"opt verify-roundtrip":     "opt.txtar",
	"run verify-roundtrip":     "script.txtar",
	"why target":               "why.txtar",
	"why opt-level":            "why.txtar",
	"why passes":               "why.txtar",
	"why pipeline":             "why.txtar",
	"why disable-pass":         "why.txtar",
	"why require-pass":         "why.txtar",
	"why config":               "why.txtar",
	"why print-ir-before":      "why.txtar",
	"why print-ir-after":       "why.txtar",
	"why compact":              "why.txtar",
	"why only-changed":         "why.txtar",
	"why dump-ir":              "why.txtar",
	"why timing":               "why.txtar",
	"why verify-each":          "why.txtar",
	"why verify-roundtrip":     "why.txtar",
	"why shape":                "why.txtar",
	"why define":               "why.txtar",
	"why zero-constants":       "why.txtar",
	"why no-verify":            "why.txtar",
	"why json":                 "why.txtar",
	"why pass":                 "why.txtar",
	"bisect target":            "bisect.txtar",
	"bisect opt-level":         "bisect.txtar",
	"bisect pipeline":          "bisect.txtar",
	"bisect disable-pass":      "bisect.txtar",
	"bisect require-pass":      "bisect.txtar",
	"bisect config":            "bisect.txtar",
	"bisect passes":            "bisect.txtar",
	"bisect script":            "bisect.txtar",
	"bisect shape":             "bisect.txtar",
	"bisect define":            "bisect.txtar",
	"bisect zero-constants":    "bisect.txtar",
	"bisect no-verify":         "bisect.txtar",
	"bisect input":             "bisect.txtar",
	"bisect seed":              "bisect.txtar",
	"bisect predicate":         "bisect.txtar",
	"bisect tests":             "bisect.txtar",
	"bisect time":              "bisect.txtar",
	"bisect output":            "bisect.txtar",
	"bisect json":              "bisect.txtar",
	"reduce target":            "reduce.txtar",
	"reduce opt-level":         "reduce.txtar",
	"reduce pipeline":          "reduce.txtar",
	"reduce disable-pass":      "reduce.txtar",
	"reduce require-pass":      "reduce.txtar",
	"reduce config":            "reduce.txtar",
	"reduce passes":            "reduce.txtar",
	"reduce script":            "reduce.txtar",
	"reduce shape":             "reduce.txtar",
	"reduce define":            "reduce.txtar",
	"reduce zero-constants":    "reduce.txtar",
	"reduce no-verify":         "reduce.txtar",
	"reduce input":             "reduce.txtar",
	"reduce seed":              "reduce.txtar",
	"reduce predicate":         "reduce.txtar",
	"reduce tests":             "reduce.txtar",
	"reduce time":              "reduce.txtar",
	"reduce output":            "reduce.txtar",
	"whatif target":            "whatif.txtar",
	"whatif opt-level":         "whatif.txtar",
	"whatif pipeline":          "whatif.txtar",
	"whatif disable-pass":      "whatif.txtar",
	"whatif require-pass":      "whatif.txtar",
	"whatif config":            "whatif.txtar",
	"whatif passes":            "whatif.txtar",
	"whatif script":            "whatif.txtar",
	"whatif shape":             "whatif.txtar",
	"whatif define":            "whatif.txtar",
	"whatif zero-constants":    "whatif.txtar",
	"whatif no-verify":         "whatif.txtar",
	"whatif input":             "whatif.txtar",
	"whatif seed":              "whatif.txtar",
	"whatif repeat":            "whatif.txtar",
	"whatif sort":              "whatif.txtar",
	"whatif keep":              "whatif.txtar",
	"whatif json":              "whatif.txtar",
	"value":                    "why.txtar",
	"function":                 "why.txtar",
	"workers":                  "cli/serve_test.go",
	"assume":                   "simplify.txtar",
	"simplify dtype":           "simplify.txtar",
	"explain":                  "simplify.txtar",
	"range":                    "simplify.txtar",
	"rules":                    "simplify.txtar",
	"zero-constants":           "flags.txtar",
	"equal zero-constants":     "equal.txtar",
	"opt zero-constants":       "opt.txtar",
	"run zero-constants":       "script.txtar",
}

// TestFlagsHaveTests looks for each flag of each command in its test: on a line that runs the
// command. A flag without an entry fails, and so does an entry without a flag.
func TestFlagsHaveTests(t *testing.T) {
	e2e := filepath.Join("..", "..", "e2e")
	used := map[string]bool{}
	texts := map[string][]string{}
	lines := func(file string) []string {
		if texts[file] == nil {
			path := filepath.Join(e2e, file)
			if strings.HasSuffix(file, ".txtar") {
				path = filepath.Join(e2e, "cli", "testdata", "script", file)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = strings.Split(string(data), "\n")
		}
		return texts[file]
	}
	serve := serveCommand()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Name() == "completion" {
			return // of cobra
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if c == c.Root() && serve.Flags().Lookup(f.Name) != nil || c.Root().PersistentFlags().Lookup(f.Name) != nil {
				return
			}
			key := c.Name() + " " + f.Name
			file, ok := flagTests[key]
			if !ok {
				key = f.Name
				file, ok = flagTests[key]
			}
			used[key] = true
			if !ok {
				t.Errorf("%s --%s has no test that shows what it does: name one in flagTests", c.CommandPath(), f.Name)
				return
			}
			spelled := "--" + f.Name + `\b`
			if f.Shorthand != "" {
				spelled += "|-" + f.Shorthand + `\b`
			}
			// In scripts a command is a line, in Go tests a list of strings.
			re := regexp.MustCompile(fmt.Sprintf(`(?:^exits \d |^! |")%s\b.*[ "](?:%s)`, c.Name(), spelled))
			if !slices.ContainsFunc(lines(file), re.MatchString) {
				t.Errorf("%s: no line of it runs %s --%s", file, c.CommandPath(), f.Name)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	root := rootCommand()
	visit(root)
	// What every command has is tested with one of them.
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		used[f.Name] = true
		if re := regexp.MustCompile(`(?m)^exits \d .* --` + f.Name + `\b`); flagTests[f.Name] == "" || !slices.ContainsFunc(lines(flagTests[f.Name]), re.MatchString) {
			t.Errorf("--%s has no test that shows what it does: name one in flagTests", f.Name)
		}
	})
	for key := range flagTests {
		if !used[key] {
			t.Errorf("%s: there is no such flag", key)
		}
	}
}
