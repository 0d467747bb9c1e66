package export_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

func TestAnArchiveComesBackAsItWas(t *testing.T) {
	data := archive(t, evil)
	if !bytes.Equal(data, archive(t, evil)) {
		t.Error("the same session gives two archives")
	}
	for _, secret := range []string{"first", "second", "note0", "key "} {
		for name, text := range unpack(t, data) {
			if strings.Contains(text, secret) && !strings.Contains(text, "\"first\":[") {
				t.Errorf("%s holds the id %q", name, secret)
			}
		}
	}
	b, err := export.Read(data)
	check(t, err)
	ctx, st := t.Context(), store.NewMemory(64<<20)
	sess, err := export.Restore(ctx, st, b, session.NewToken())
	check(t, err)
	if sess.Title != "T "+evil || len(sess.Runs) != 2 || len(sess.Notes) != 3 || sess.Notes[0].Run != sess.Runs[0] || sess.Notes[1].Run != sess.Runs[1] || sess.Notes[2].Run != "" || len(sess.ID) != 22 {
		t.Fatalf("the session is %+v", sess)
	}
	first, old := fill(t, evil)
	for i, id := range sess.Runs {
		was, err := first.Run(ctx, old.Runs[i])
		check(t, err)
		is, err := st.Run(ctx, id)
		check(t, err)
		if is.Hash != was.Hash || is.Status != was.Status || is.Events != was.Events || !is.Created.Equal(was.Created) {
			t.Errorf("run %d is %+v, was %+v", i, is, was)
		}
		a, err := first.Events(ctx, old.Runs[i], 0)
		check(t, err)
		c, err := st.Events(ctx, id, 0)
		check(t, err)
		if string(bytes.Join(a, []byte("\n"))) != string(bytes.Join(c, []byte("\n"))) {
			t.Errorf("the log of run %d differs", i)
		}
		if _, err := st.RunByKey(ctx, is.Key); err == nil {
			t.Errorf("imported run %d is shared with requests of others", i)
		}
		for _, line := range c {
			e, err := event.Decode(line)
			check(t, err)
			for _, h := range event.Texts(e) {
				x, err := first.Blob(ctx, h)
				check(t, err)
				y, err := st.Blob(ctx, h)
				check(t, err)
				if x.Language != y.Language || !bytes.Equal(x.Data, y.Data) {
					t.Errorf("text %s differs", h)
				}
			}
		}
	}
	if src, err := st.Blob(ctx, sess.Source.Blob); err != nil || src.Language != store.LangBinary {
		t.Errorf("the model is %v, %v", src, err)
	}
	// And what is exported of it again is the same.
	again, err := export.Collect(ctx, st, sess)
	check(t, err)
	again.Session.Created = old.Created
	twice, err := export.Zip(ctx, again, "v1")
	check(t, err)
	a, c := unpack(t, data), unpack(t, twice)
	for name, text := range a {
		if name != "session.json" && name != "manifest.json" && c[name] != text {
			t.Errorf("%s differs the second time", name)
		}
	}
}

// TestChecksComeBack exports and imports a session with the report of a check of one of its runs.
func TestChecksComeBack(t *testing.T) {
	ctx := t.Context()
	st, sess := fill(t, "x")
	report := `{"step":{"path":"","status":"same","changed":true}}` + "\n" + `{"report":{"steps":[],"inputs":[],"tolerances":[],"stopped":""}}` + "\n"
	check(t, st.PutReport(ctx, "second", []byte(report)))
	b, err := export.Collect(ctx, st, sess)
	check(t, err)
	data, err := export.Zip(ctx, b, "v1")
	check(t, err)
	files := unpack(t, data)
	if files["runs/2/check.ndjson"] != report || files["runs/1/check.ndjson"] != "" {
		t.Errorf("the reports are %q and %q", files["runs/1/check.ndjson"], files["runs/2/check.ndjson"])
	}
	read, err := export.Read(data)
	check(t, err)
	other := store.NewMemory(64 << 20)
	back, err := export.Restore(ctx, other, read, session.NewToken())
	check(t, err)
	got, err := other.Report(ctx, back.Runs[1])
	if err != nil || string(got) != report {
		t.Errorf("the report came back as %q (%v)", got, err)
	}
	if got, err := other.Report(ctx, back.Runs[0]); err == nil {
		t.Errorf("the other run has the report %q", got)
	}
	for bad, want := range map[string]string{
		"x\n":                         "check.ndjson:1: invalid character",
		"{}\n":                        "check.ndjson:1: it is neither a step nor a report",
		`{"odd":1}` + "\n":            `check.ndjson:1: json: unknown field "odd"`,
		report + `{"step":{}}` + "\n": "check.ndjson:3: it comes after the report",
		`{"step":{}}` + "\n":          "check.ndjson does not end with a report",
		"":                            "check.ndjson does not end with a report",
		strings.Repeat(" ", 5<<20):    "at most 4194304 are kept",
	} {
		files := without(unpack(t, data), "manifest.json")
		files["runs/2/check.ndjson"] = bad
		if strings.HasPrefix(bad, " ") { // too regular for an archive otherwise
			random := rand.New(rand.NewPCG(1, 2))
			noise := []byte(bad)
			for i := range noise {
				noise[i] = byte(random.Uint32())
			}
			files["runs/2/check.ndjson"] = string(noise)
		}
		if _, err := export.Read(pack(t, files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", bad, err, want)
		}
	}
}

func TestARunThatIsTooLargeIsRefused(t *testing.T) {
	st, sess := fill(t, "x")
	b, err := export.Collect(t.Context(), st, sess)
	check(t, err)
	b.Blobs = huge{b.Blobs}
	if _, err := export.Zip(t.Context(), b, ""); err == nil || !strings.Contains(err.Error(), "MiB: too large") {
		t.Errorf("an export of 400 MiB gives %v", err)
	}
}

// huge returns 100 MiB for each text.
type huge struct{ export.Blobs }

func (h huge) Blob(ctx context.Context, hash string) (store.Blob, error) {
	b, err := h.Blobs.Blob(ctx, hash)
	b.Data = make([]byte, 100<<20)
	return b, err
}

// unpack returns the files of an archive.
func unpack(t testing.TB, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	check(t, err)
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		check(t, err)
		text, err := io.ReadAll(r)
		check(t, err)
		out[f.Name] = string(text)
	}
	return out
}

// pack makes an archive of files with a manifest that fits them, unless they hold one.
func pack(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	type entry struct {
		Name   string `json:"name"`
		Bytes  int    `json:"bytes"`
		SHA256 string `json:"sha256"`
	}
	m := struct {
		Format  string  `json:"format"`
		Version int     `json:"version"`
		Files   []entry `json:"files"`
	}{export.Format, export.Version, nil}
	put := func(name, text string) {
		f, err := w.Create(name)
		check(t, err)
		_, err = io.WriteString(f, text)
		check(t, err)
	}
	for name, text := range files {
		put(name, text)
		sum := sha256.Sum256([]byte(text))
		m.Files = append(m.Files, entry{name, len(text), hex.EncodeToString(sum[:])})
	}
	if _, ok := files["manifest.json"]; !ok {
		text, err := json.Marshal(m)
		check(t, err)
		put("manifest.json", string(text))
	}
	check(t, w.Close())
	return buf.Bytes()
}

// TestManifestHasASum changes the manifest, and nothing else, under the comment that has its digest.
func TestManifestHasASum(t *testing.T) {
	good := archive(t, "x")
	z, err := zip.NewReader(bytes.NewReader(good), int64(len(good)))
	check(t, err)
	if !strings.HasPrefix(z.Comment, "manifest.json sha256:") {
		t.Fatalf("the comment is %q", z.Comment)
	}
	for comment, want := range map[string]string{z.Comment: "manifest.json is not as it was written", "": "", "of somebody": ""} {
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		check(t, w.SetComment(comment))
		for name, text := range unpack(t, good) {
			f, err := w.Create(name)
			check(t, err)
			if name == "manifest.json" {
				text = strings.Replace(text, `"program": "`, `"program": "other `, 1)
			}
			_, err = io.WriteString(f, text)
			check(t, err)
		}
		check(t, w.Close())
		if _, err := export.Read(buf.Bytes()); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("with the comment %q reading gives %v, want %q", comment, err, want)
		}
	}
}

func TestWhatIsNoArchiveIsRefused(t *testing.T) {
	good := archive(t, "x")
	if _, err := export.Read(pack(t, without(unpack(t, good), "manifest.json"))); err != nil {
		t.Fatalf("an archive that was packed again cannot be read: %v", err)
	}
	log := "runs/1/events.ndjson"
	edit := func(name, old, replacement string) func(map[string]string) {
		return func(f map[string]string) {
			if !strings.Contains(f[name], old) {
				t.Fatalf("%s lacks %q:\n%s", name, old, f[name])
			}
			f[name] = strings.Replace(f[name], old, replacement, 1)
		}
	}
	var text string
	for name := range unpack(t, good) {
		if strings.HasSuffix(name, ".wat") {
			text = name
		}
	}
	for name, c := range map[string]struct {
		change func(map[string]string)
		want   string
	}{
		"another file":     {func(f map[string]string) { f["extra.txt"] = "x" }, `"extra.txt", which does not belong in an exported session`},
		"path":             {func(f map[string]string) { f["../../etc/passwd"] = "x" }, `"../../etc/passwd"`},
		"absolute path":    {func(f map[string]string) { f["/texts/x"] = "x" }, "does not belong in an exported session"},
		"backslashes":      {func(f map[string]string) { f[`runs\1\run.json`] = "x" }, "does not belong in an exported session"},
		"more runs":        {func(f map[string]string) { f["runs/3/run.json"] = "{}" }, "files for 2 runs"},
		"ratio":            {func(f map[string]string) { f["source/module.py"] = strings.Repeat("x", 8<<20) }, "compressed more than 200 times"},
		"missing text":     {func(f map[string]string) { delete(f, text) }, "which is missing"},
		"missing session":  {func(f map[string]string) { delete(f, "session.json") }, "session.json is missing"},
		"wrong text":       {edit(text, "func", "cnuf"), "a text with another hash"},
		"wrong model":      {edit("source/model.onnx", "w", "W"), "another hash than the source"},
		"other model":      {edit("session.json", `"name": "m.onnx"`, `"name": "n.onnx"`), "does not match the session"},
		"path as a name":   {edit("session.json", `"name": "m.onnx"`, `"name": "../m.onnx"`), "not a file name"},
		"kind":             {edit("session.json", `"kind": "upload"`, `"kind": "other"`), "of kind \"other\""},
		"unknown field":    {edit("session.json", `"title"`, `"titel"`), "unknown field"},
		"run of a note":    {edit("session.json", `"run": "1"`, `"run": "9"`), "is on run \"9\""},
		"settings":         {edit("session.json", `"opt_level": 2`, `"opt_level": 9`), "opt_level is 9"},
		"many runs":        {edit("session.json", `"runs": 2`, `"runs": 100000`), "at most 200"},
		"events":           {edit(log, `"changed":true`, `"changed":false`), "not the log that run.json describes"},
		"number":           {edit(log, `"seq":3`, `"seq":4`), "events.ndjson:4: the event has number 4, want 3"},
		"type":             {edit(log, `"type":"diagnostic"`, `"type":"nonsense"`), "events.ndjson:2: decode event 1: unknown type"},
		"no JSON":          {func(f map[string]string) { f[log] += "x\n" }, "events.ndjson:10"},
		"end":              {edit("runs/1/run.json", `"status": "ok"`, `"status": "failed"`), "does not end with"},
		"own manifest":     {func(f map[string]string) { f["manifest.json"] = "{}" }, `the format is "", want "irscope-session"`},
		"version":          {func(f map[string]string) { f["manifest.json"] = `{"format":"irscope-session","version":2}` }, "the version is 2, this program reads 1"},
		"manifest is less": {func(f map[string]string) { f["manifest.json"] = `{"format":"irscope-session","version":1}` }, "lists 0 files"},
	} {
		files := without(unpack(t, good), "manifest.json")
		c.change(files)
		if _, err := export.Read(pack(t, files)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func without(files map[string]string, name string) map[string]string {
	delete(files, name)
	return files
}

func TestDamagedArchivesAreRefused(t *testing.T) {
	good := archive(t, "x")
	for name, data := range map[string][]byte{
		"empty": nil, "half": good[:len(good)/2], "no zip": []byte("PK\x03\x04 and more"),
		"large": append(append([]byte{}, good...), make([]byte, export.MaxArchive)...),
		"many":  append(bytes.Repeat([]byte("PK\x01\x02"), 3*export.MaxEntries), good...),
	} {
		if _, err := export.Read(data); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	// Any one byte: refused, or the same session.
	for i := 0; i < len(good); i += 7 {
		bad := bytes.Clone(good)
		bad[i] ^= 0x41
		if b, err := export.Read(bad); err == nil && (len(b.Runs) != 2 || b.Runs[0].Hash == "") {
			t.Errorf("with byte %d changed something else is read", i)
		}
	}
	// Twice the same name, and a directory that says less than there is.
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for range 2 {
		_, err := w.Create("session.json")
		check(t, err)
	}
	check(t, w.Close())
	if _, err := export.Read(buf.Bytes()); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a name that stands twice gives %v", err)
	}
}

func FuzzRead(f *testing.F) {
	good := archive(f, "x")
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(pack(f, map[string]string{"session.json": "{}"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := export.Read(data)
		if err != nil {
			return
		}
		// Whatever is read can be stored and shown.
		ctx := t.Context()
		st := store.NewMemory(256 << 20)
		sess, err := export.Restore(ctx, st, b, session.NewToken())
		check(t, err)
		again, err := export.Collect(ctx, st, sess)
		check(t, err)
		_, err = export.Zip(ctx, again, "")
		check(t, err)
		for i := range again.Runs {
			_, err = export.HTML(ctx, again, &again.Runs[i], export.Page{})
			check(t, err)
			_, err = export.Markdown(ctx, again, &again.Runs[i], export.Report{})
			check(t, err)
		}
	})
}
