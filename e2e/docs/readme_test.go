package docs

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/published"
)

// opening matches what the first lines of the README claim, once their line breaks are blanks: the text that is printed for two models, and
// the lines of a function that a pass changed.
var opening = regexp.MustCompile("gives you ([0-9.]+) MB of text for a ResNet-50, ([0-9.]+) MB for a network of (\\w+) kernels\\. .*? the (\\d+) lines of `main` that FuseOps changed")

// TestOpening measures what the first lines of the README claim.
func TestOpening(t *testing.T) {
	claim := opening.FindStringSubmatch(tidy(read(t, "README.md")))
	if claim == nil {
		t.Fatal("the README does not begin with the numbers that this test knows")
	}
	if got := printed(t, "gallery:cnn"); got != claim[2] {
		t.Errorf("the network prints %s MB, the README says %s", got, claim[2])
	}
	var report struct {
		Events []struct {
			Type string
			Body struct {
				Name      string
				Functions []struct {
					Name           string
					Added, Removed int
				}
				Kernels []struct{}
			}
		}
	}
	if err := json.Unmarshal([]byte(ask(t, "run", "gallery:cnn", "--json", "--target", "wasm")), &report); err != nil {
		t.Fatal(err)
	}
	lines, kernels := "", 0
	for _, e := range report.Events {
		if e.Type == "code_generated" {
			kernels = len(e.Body.Kernels)
		}
		for _, f := range e.Body.Functions {
			if e.Type == "pass_finished" && e.Body.Name == "FuseOps" && f.Name == "main" {
				lines = fmt.Sprint(f.Added + f.Removed)
			}
		}
	}
	words := []string{7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven"}
	if kernels >= len(words) || words[kernels] != claim[3] || lines != claim[4] {
		t.Errorf("the network has %d kernels, and FuseOps changes %s lines of main; the README says %s and %s", kernels, lines, claim[3], claim[4])
	}
	resnet := filepath.Join(published.ONNX(t), "light", "light_resnet50.onnx")
	if got := printed(t, resnet); got != claim[1] {
		t.Errorf("ResNet-50 prints %s MB, the README says %s", got, claim[1])
	}
}

// printed returns the megabytes of text of the modules after all passes.
func printed(t *testing.T, model string) string {
	t.Helper()
	return fmt.Sprintf("%.1f", float64(len(ask(t, "run", model, "--target", "wasm", "--print-ir-after", "all", "--repeat", "1")))/1e6)
}

// TestInstall compares what the README and the Dockerfile say of installing with the module and the program.
func TestInstall(t *testing.T) {
	readme, mod, dockerfile := read(t, "README.md"), read(t, "go.mod"), read(t, "Dockerfile")
	module := strings.Fields(mod)[1]
	if !strings.Contains(readme, "go install "+module+"/cmd/explorer@latest`") {
		t.Errorf("the README does not install %s/cmd/explorer", module)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(mod)[1]
	if !strings.Contains(dockerfile, "FROM golang:"+version+" ") || !strings.Contains(readme, "Go "+version) {
		t.Errorf("the Dockerfile or the README asks for another Go than %s", version)
	}
	// The README runs what the head of the Dockerfile says.
	for line := range strings.Lines(dockerfile) {
		head, run, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "# irscope in a container: "), " && ")
		if ok && strings.HasPrefix(line, "# ") && (!strings.Contains(readme, "`"+head+"`") || !strings.Contains(readme, "`"+run+"`")) {
			t.Errorf("the README does not say %q and %q", head, run)
		}
	}
	var args []string
	cmd := regexp.MustCompile(`(?m)^CMD (\[.*\])$`).FindStringSubmatch(dockerfile)
	if cmd == nil {
		t.Fatal("the Dockerfile has no CMD")
	}
	if err := json.Unmarshal([]byte(cmd[1]), &args); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, append(args, "--help")...).CombinedOutput(); err != nil {
		t.Errorf("the container runs %q: %v\n%s", args, err, out)
	}
	for _, target := range []string{"make build", "make release", "make test"} {
		if name := strings.TrimPrefix(target, "make "); !strings.Contains(readme, target) || !regexp.MustCompile(`(?m)^`+name+`:`).MatchString(read(t, "Makefile")) {
			t.Errorf("the README and the Makefile do not agree on %s", target)
		}
	}
}
