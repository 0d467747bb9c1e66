package event_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
)

// TestDecodeBriefOfAnyText decodes events whose texts hold what ends and begins lists in JSON: exactly the hunks are gone.
func TestDecodeBriefOfAnyText(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{`"`, `\`, `\\`, `\"`, `]`, `[`, `,"hunks":[`, `"hunks":[]`, `,\"hunks\":[`, `]}`, `,"body":{`, `"type":"x"`, "\u2028", "\xff"}))
		b := &event.PassFinished{Name: text.Draw(t, "name"), Functions: []event.FunctionChange{}}
		for range rapid.IntRange(0, 3).Draw(t, "functions") {
			f := event.FunctionChange{Name: text.Draw(t, "function"), Change: event.FunctionChanged}
			for range rapid.IntRange(0, 2).Draw(t, "hunks") {
				f.Hunks = append(f.Hunks, event.Hunk{Before: 1, Lines: rapid.SliceOfN(text, 1, 4).Draw(t, "lines"), Marks: text.Draw(t, "marks")})
			}
			b.Functions = append(b.Functions, f)
		}
		e := event.New(text.Draw(t, "step"), "", b, nil)
		enc, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		full, err := event.Decode(enc.Line)
		if err != nil {
			t.Fatal(err)
		}
		// The general form, of any writer, gives the same.
		var plain event.Event
		var indented bytes.Buffer
		if err := json.Indent(&indented, enc.Line, "", " "); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(enc.Line, &plain); err != nil || !reflect.DeepEqual(plain, full) {
			t.Fatalf("Decode gives %+v, encoding/json %+v (%v)", full, plain, err)
		}
		if other, err := event.Decode(indented.Bytes()); err != nil || !reflect.DeepEqual(other, full) {
			t.Fatalf("with blanks it is %+v, want %+v (%v)", other, full, err)
		}
		brief, err := event.DecodeBrief(enc.Line)
		if want := full.Brief(); err != nil || !reflect.DeepEqual(brief, want) {
			t.Fatalf("%s is read as\n%+v\nwant\n%+v (%v)", enc.Line, brief.Body, want.Body, err)
		}
	})
}

// TestDecodeOfCutLines cuts an event anywhere: that is an error and no panic.
func TestDecodeOfCutLines(t *testing.T) {
	enc, err := event.Encode(event.New("1/A", "", &event.PassFinished{Functions: []event.FunctionChange{{Hunks: []event.Hunk{{Lines: []string{`-a\"`, "+]"}}}}}}, nil))
	if err != nil {
		t.Fatal(err)
	}
	for n := range enc.Line {
		if _, err := event.DecodeBrief(enc.Line[:n]); err == nil {
			t.Errorf("%s is an event", enc.Line[:n])
		}
	}
}

// BenchmarkFollow decodes and folds a log of 200 steps that each change 50 functions.
func BenchmarkFollow(b *testing.B) {
	var lines [][]byte
	hunk := event.Hunk{Before: 1, After: 1, Lines: []string{" a = 1", "-b = \"2\"", "+b = \"3\"", " c = 4"}}
	for range 200 {
		done := &event.PassFinished{Name: "P", Changed: true}
		for f := range 50 {
			done.Functions = append(done.Functions, event.FunctionChange{Name: string(rune('a' + f)), After: event.HashText("t"), Hunks: []event.Hunk{hunk, hunk}})
		}
		enc, err := event.Encode(event.New("1/P", "", done, nil))
		if err != nil {
			b.Fatal(err)
		}
		lines = append(lines, enc.Line)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := event.NewRun()
		for _, line := range lines {
			e, err := event.DecodeBrief(line)
			if err != nil {
				b.Fatal(err)
			}
			r.Apply(e)
		}
	}
}
