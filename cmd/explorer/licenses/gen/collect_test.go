package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestFresh compares the committed text with what the generator makes. Modules that only other systems need may have to be fetched.
func TestFresh(t *testing.T) {
	for _, system := range systems {
		if _, err := linked("../../../..", system); err != nil {
			if os.Getenv("E2E_REQUIRED") != "" {
				t.Fatal(err)
			}
			t.Skipf("not every module can be fetched here: %v", err)
		}
	}
	want, err := collect("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../licenses.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("licenses.txt is not what the dependencies ask for: run go generate ./cmd/explorer/licenses")
	}
}

// TestEveryModuleIsNamed checks the text against the list of modules that the linker would write into a binary.
func TestEveryModuleIsNamed(t *testing.T) {
	text, err := os.ReadFile("../licenses.txt")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/explorer")
	cmd.Dir = "../../../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(modules) < 10 {
		t.Fatalf("go list names only %d packages of modules", len(modules))
	}
	for _, module := range modules {
		if module != "" && !strings.Contains(string(text), "\n"+module) {
			t.Errorf("no licence of %s", module)
		}
	}
}

func TestMerge(t *testing.T) {
	list := merge(nil, "a 1", "Some  terms\n")
	list = merge(list, "b 1", "Other terms\n")
	list = merge(list, "c 1", "Some terms")
	if len(list) != 2 || strings.Join(list[0].titles, ", ") != "a 1, c 1" {
		t.Errorf("merge gives %v", list)
	}
	text := render(list)
	if strings.Count(text, "terms") != 2 || !strings.Contains(text, "a 1\nc 1\n") {
		t.Errorf("render gives\n%s", text)
	}
}
