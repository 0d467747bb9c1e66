package main

import (
	"bytes"
	"os"
	"testing"
)

// TestFresh fails where the tables are not those of the operators as they are.
func TestFresh(t *testing.T) {
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../tables_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("tables_gen.go is stale: run go generate ./instruments/compact")
	}
}
