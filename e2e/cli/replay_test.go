package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store/sqlite"
	"github.com/rogpeppe/go-internal/testscript"
)

// writeSession makes a session with two runs in a data folder, sets SESSION to its id, and
// exports it. In the second run the functions of a file take the place of those behind
// LegalizeOps, where one is named.
func writeSession(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args[:min(len(args), 3)], 3, "session MODEL.py DATA-FOLDER FILE.zip [EDITED.py]")
	var patches []run.Patch
	for _, file := range args[3:] {
		patches = append(patches, run.Patch{After: "LegalizeOps", Text: ts.ReadFile(file)})
	}
	ctx := context.Background()
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: ts.MkAbs(args[1])})
	ts.Check(err)
	defer func() { ts.Check(st.Close()) }()
	engine := compiler.NewEngine()
	defer engine.Close()
	m := run.NewManager(run.Config{
		Runner: inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: engine}), Store: st,
		Admission: run.DefaultAdmission(1), Limits: run.DefaultLimits(), Log: slog.New(slog.DiscardHandler),
	})
	sess, err := session.FromScript(ctx, st, args[0], ts.ReadFile(args[0]), "", session.NewToken())
	ts.Check(err)
	for _, s := range []run.Settings{{OptLevel: 2}, {OptLevel: 2, Disabled: []string{"FuseOps"}, Seed: 3, Patches: patches}} {
		info, err := m.Start(ctx, "test", sess.ID, run.Request{Source: sess.Source, Settings: s})
		ts.Check(err)
		ts.Check(st.AddRun(ctx, sess.ID, info.ID))
		log, err := m.Log(ctx, info.ID)
		ts.Check(err)
		for seq, sealed := 0, false; !sealed; {
			var lines [][]byte
			lines, sealed, err = log.Next(ctx, seq)
			ts.Check(err)
			seq += len(lines)
		}
	}
	m.Drain(ctx)
	sess, err = st.Session(ctx, sess.ID)
	ts.Check(err)
	b, err := export.Collect(ctx, st, sess)
	ts.Check(err)
	data, err := export.Zip(ctx, b, "test")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), data, 0o600))
	ts.Setenv("SESSION", sess.ID)
}

// repack replaces a string in a file of an archive, which must have it, and writes the
// archive with a manifest that fits.
func repack(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 5, "repack FROM.zip ENTRY OLD NEW TO.zip")
	data := ts.ReadFile(args[0])
	z, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
	ts.Check(err)
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	was, is := "", ""
	for _, f := range z.File {
		r, err := f.Open()
		ts.Check(err)
		text, err := io.ReadAll(r)
		ts.Check(err)
		if f.Name == args[1] {
			if !bytes.Contains(text, []byte(args[2])) {
				ts.Fatalf("%s has no %q:\n%s", args[1], args[2], text)
			}
			was = sum(text)
			text = bytes.Replace(text, []byte(args[2]), []byte(args[3]), 1)
			is = sum(text)
		}
		if f.Name == "manifest.json" {
			var m map[string]any
			ts.Check(json.Unmarshal(text, &m))
			for _, x := range m["files"].([]any) {
				if file := x.(map[string]any); file["name"] == args[1] {
					file["bytes"] = file["bytes"].(float64) + float64(len(args[3])-len(args[2]))
				}
			}
			text, err = json.Marshal(m)
			ts.Check(err)
			text = bytes.Replace(text, []byte(was), []byte(is), 1)
		}
		out, err := w.Create(f.Name)
		ts.Check(err)
		_, err = out.Write(text)
		ts.Check(err)
	}
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[4]), buf.Bytes(), 0o600))
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
