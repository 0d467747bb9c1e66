package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFresh records the run again: all but its times is what the page plays.
func TestFresh(t *testing.T) {
	data, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	var there recording
	if err := json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimPrefix(string(data), before), after)), &there); err != nil {
		t.Fatal(err)
	}
	now, err := record(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(now.Passes) != len(there.Passes) || there.Took <= 0 || there.Latency <= 0 {
		t.Fatalf("%s has %d passes in %d ns, the run has %d: go generate ./e2e/recorded", file, len(there.Passes), there.Took, len(now.Passes))
	}
	last, lines := int64(0), 0
	for i, p := range there.Passes {
		if p.At < last || p.At > there.Took {
			t.Errorf("%s ended after %d ns, the one before after %d, the run after %d", p.Path, p.At, last, there.Took)
		}
		last = p.At
		lines += len(p.Lines)
		p.At, now.Passes[i].At = 0, 0
		a, _ := json.Marshal(p)
		b, _ := json.Marshal(now.Passes[i])
		if string(a) != string(b) {
			t.Errorf("go generate ./e2e/recorded: pass %d is\n%s\nnow it is\n%s", i, a, b)
		}
	}
	if lines < 100 {
		t.Errorf("only %d lines are kept", lines)
	}
}
