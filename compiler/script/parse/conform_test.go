package parse_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// source is a script of TVM's own tests, one line of the file that IRSCOPE_TVM_SCRIPTS names.
type source struct {
	File      string   `json:"file"`
	Name      string   `json:"name"`
	Decorator string   `json:"decorator"`
	Free      []string `json:"free"`
	Host      []string `json:"host_python"`
	Source    string   `json:"source"`
}

func tvmSources(t testing.TB) []source {
	t.Helper()
	file := os.Getenv("IRSCOPE_TVM_SCRIPTS")
	if file == "" {
		t.Skip("no scripts of TVM: set IRSCOPE_TVM_SCRIPTS to a file of JSON lines with file, name, source, free and host_python")
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []source
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var s source
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if len(s.Free) == 0 && len(s.Host) == 0 {
			out = append(out, s)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// wantedShare is the share of TVM's self-contained scripts that must go through.
const wantedShare = 0.97

// TestTVMScripts reads, verifies, prints and reads again the scripts of TVM's own tests that
// refer to nothing outside of them, and lists the causes of failures.
func TestTVMScripts(t *testing.T) {
	sources := tvmSources(t)
	causes := map[string][]string{}
	failed := 0
	for _, s := range sources {
		stage, detail := conform(s)
		if stage == "" {
			continue
		}
		failed++
		cause := stage + ": " + general(detail)
		if wantsError(s) {
			cause = "TVM expects an error too"
		}
		causes[cause] = append(causes[cause], path.Base(s.File)+" "+s.Name+"\n"+detail)
	}
	names := make([]string, 0, len(causes))
	for c := range causes {
		names = append(names, c)
	}
	sort.Slice(names, func(i, j int) bool {
		if a, b := len(causes[names[i]]), len(causes[names[j]]); a != b {
			return a > b
		}
		return names[i] < names[j]
	})
	var report strings.Builder
	for _, c := range names {
		fmt.Fprintf(&report, "%4d  %s\n", len(causes[c]), c)
		for _, x := range causes[c][:min(shown(), len(causes[c]))] {
			report.WriteString("      " + strings.ReplaceAll(strings.TrimSpace(x), "\n", "\n      ") + "\n")
		}
	}
	share := 1 - float64(failed)/float64(len(sources))
	t.Logf("%d of %d scripts (%.2f %%) parse, verify, print and read back\n%s", len(sources)-failed, len(sources), 100*share, report.String())
	if share < wantedShare {
		t.Errorf("%.2f %% is under %.0f %%", 100*share, 100*wantedShare)
	}
}

// conform returns the stage at which a script fails, empty where it does not.
func conform(s source) (stage, detail string) {
	defer func() {
		if r := recover(); r != nil {
			stage, detail = "panic", fmt.Sprint(r)
		}
	}()
	o := parse.Options{AllowMissingConstants: true}
	mods, diags := parse.File(s.Name, s.Source, o)
	if len(diags) > 0 {
		return "parse", diags[0].Format()
	}
	if len(mods) == 0 {
		return "parse", "no module"
	}
	for _, m := range mods {
		if !strings.Contains(strings.ReplaceAll(s.Source, " ", ""), "check_well_formed=False") {
			if found := wellFormed(m.Module); len(found) > 0 {
				return "verify", found[0].Format()
			}
		}
		if err := sameAgain(m.Module, ir.EqualOpts{MapFreeVars: true}); err != nil {
			return "round trip", err.Error()
		}
	}
	return "", ""
}

// wellFormed runs the verifiers of both levels.
func wellFormed(m *ir.Module) []ir.Diagnostic {
	out := relax.WellFormed(m, relax.VerifyOpts{Ops: op.Table()})
	for gv, f := range m.Funcs() {
		if f, ok := f.(*tir.PrimFunc); ok {
			out = append(out, tir.Verify(gv.Name, f)...)
		}
	}
	return out
}

// sameAgain reports where printing and reading m does not give m back.
func sameAgain(m *ir.Module, o ir.EqualOpts) error {
	text := script.Module(m, script.Options{}).Source
	got, diags := parse.Module("printed", text, parse.Options{Constants: blobsOf(m)})
	if len(diags) > 0 {
		return fmt.Errorf("%s", diags[0].Format())
	}
	if again := script.Module(got, script.Options{}).Source; again != text {
		a, b := strings.Split(text, "\n"), strings.Split(again, "\n")
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				return fmt.Errorf("line %d prints as\n%s\nafter reading\n%s", i+1, strings.Join(b[i:min(i+1, len(b))], ""), a[i])
			}
		}
		return fmt.Errorf("the text grew from %d to %d lines", len(a), len(b))
	}
	if d := ir.FirstModuleMismatch(m, got, o); d != nil {
		return fmt.Errorf("reads back as a different module: %s", d)
	}
	return nil
}

// blobsOf returns the constants of a module by the keys under which they are printed.
func blobsOf(m *ir.Module) map[string]*ir.Blob {
	const keyLen = 12
	out := map[string]*ir.Blob{}
	for _, f := range m.Funcs() {
		ir.Walk(f, func(n ir.Node) bool {
			switch n := n.(type) {
			case *relax.Constant:
				out[n.Data.Digest()[:keyLen]] = n.Data
			case *tir.AllocateConst:
				out[n.Data.Digest()[:keyLen]] = n.Data
			}
			return true
		})
	}
	return out
}

var errorComment = regexp.MustCompile(`(?i)#\s*(error|check_error)|(^|[._])(invalid|illegal|malformed|ill_formed)`)

// wantsError says whether the test that holds a script expects TVM to reject it.
func wantsError(s source) bool {
	return strings.Contains(s.File, "error_report") || errorComment.MatchString(s.Source) || errorComment.MatchString(s.Name) ||
		strings.Contains(s.Name, "error") || strings.Contains(s.Name, "fail")
}

var (
	prefixed = regexp.MustCompile(`^(block|binding of) [^:]*: `)
	quoted   = regexp.MustCompile(`"[^"]*"`)
	numbers  = regexp.MustCompile(`\d+`)
)

// general takes out of a message what is of the one script only.
func general(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	if _, rest, ok := strings.Cut(line, "error: "); ok {
		line = rest
		if fn, msg, ok := strings.Cut(rest, ": "); ok && !strings.Contains(fn, " ") {
			line = msg
		}
	}
	line = prefixed.ReplaceAllString(line, "")
	return numbers.ReplaceAllString(quoted.ReplaceAllString(line, `"..."`), "N")
}

// shown is the number of examples that are listed for a cause: two, or all with
// IRSCOPE_TVM_SCRIPTS_ALL set.
func shown() int {
	if os.Getenv("IRSCOPE_TVM_SCRIPTS_ALL") != "" {
		return 1 << 20
	}
	return 2
}
