package export

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// What an archive may hold. An archive that Zip writes keeps to it, so it can be read back.
const (
	// MaxArchive is the size of an archive, MaxBytes that of all its files, and MaxLogs that
	// of the events of all runs.
	MaxArchive = 64 << 20
	MaxBytes   = 192 << 20
	MaxLogs    = 64 << 20
	// MaxEntries is the number of files.
	MaxEntries = 20_000
	// MaxRatio is how many times smaller a file of more than smallFile bytes may be in the
	// archive.
	MaxRatio  = 200
	smallFile = 64 << 10
)

// The form of archives.
const (
	Format  = "irscope-session"
	Version = 1

	manifestName = "manifest.json"
	sessionName  = "session.json"
	// The source has one of two names, whatever the visitor called it.
	modelName  = "source/model.onnx"
	scriptName = "source/module.py"
)

// manifest lists the files of an archive. It stands in it as the last file.
type manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Program is the version of the program that wrote the archive.
	Program string         `json:"program"`
	Files   []manifestFile `json:"files"`
}

// manifestFile describes one file.
type manifestFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// About says what the text is, for people: "run 1: kernel fused_add".
	About []string `json:"about,omitempty"`
}

// sessionFile is session.json. The runs of notes are numbers of runs, from 1.
type sessionFile struct {
	Title    string          `json:"title"`
	Source   store.Source    `json:"source"`
	Created  time.Time       `json:"created"`
	Settings json.RawMessage `json:"settings,omitempty"`
	Runs     int             `json:"runs"`
	Notes    []store.Note    `json:"notes"`
}

// runFile is runs/N/run.json.
type runFile struct {
	Request run.Request  `json:"request"`
	Created time.Time    `json:"created"`
	Status  event.Status `json:"status"`
	// Hash is that of the log, Events the number of its events.
	Hash   string `json:"hash"`
	Events int    `json:"events"`
}

// runName returns the name of a file of the run with a number.
func runName(n int, file string) string { return "runs/" + strconv.Itoa(n) + "/" + file }

// sourceName returns the name of the file of a source.
func sourceName(src store.Source) string {
	if src.Kind == store.SourceScript {
		return scriptName
	}
	return modelName
}

// extensions are the ends of the names of texts, by language.
var extensions = map[string]string{event.LangTVMScript: "py", event.LangWAT: "wat", event.LangVM: "vm", event.LangPlain: "txt"}

// textName returns the name of the file of a text.
func textName(hash, language string) string {
	ext, ok := extensions[language]
	if !ok {
		ext = extensions[event.LangPlain]
	}
	return "texts/" + hash + "." + ext
}

// Zip returns a bundle as an archive. The same bundle gives the same bytes.
func Zip(ctx context.Context, b *Bundle, program string) ([]byte, error) {
	a := archiver{manifest: manifest{Format: Format, Version: Version, Program: program, Files: []manifestFile{}}}
	a.zip = zip.NewWriter(&a.buf)
	s := sessionFile{Title: b.Session.Title, Source: b.Session.Source, Created: b.Session.Created, Settings: b.Session.Settings, Runs: len(b.Runs), Notes: []store.Note{}}
	for i, n := range b.Session.Notes {
		n.ID = strconv.Itoa(i + 1)
		if n.Run != "" {
			if n.Run = b.number(n.Run); n.Run == "" {
				continue // a note on a run that is not here
			}
		}
		s.Notes = append(s.Notes, n)
	}
	if err := a.json(sessionName, s); err != nil {
		return nil, err
	}
	if blob := s.Source.Blob; blob != "" {
		src, err := b.Blobs.Blob(ctx, blob)
		if err != nil {
			return nil, fmt.Errorf("source: %w", err)
		}
		if err := a.add(sourceName(s.Source), src.Data, s.Source.Name); err != nil {
			return nil, err
		}
	}
	about := map[string][]string{}
	for i, r := range b.Runs {
		if err := a.run(i+1, &r); err != nil {
			return nil, err
		}
		noteTexts(about, i+1, &r)
	}
	hashes := make([]string, 0, len(about))
	for h := range about {
		hashes = append(hashes, h)
	}
	slices.Sort(hashes)
	for _, h := range hashes {
		t, err := b.Blobs.Blob(ctx, h)
		if err != nil {
			return nil, fmt.Errorf("text %s: %w", h, err)
		}
		if err := a.add(textName(h, t.Language), t.Data, about[h]...); err != nil {
			return nil, err
		}
	}
	if err := a.json(manifestName, a.manifest); err != nil {
		return nil, err
	}
	if err := a.zip.Close(); err != nil {
		return nil, fmt.Errorf("write archive: %w", err)
	}
	return a.buf.Bytes(), a.fits()
}

// noteTexts notes the texts of a run with what they are, where they are code.
func noteTexts(about map[string][]string, n int, r *Run) {
	for _, e := range r.Events {
		for _, h := range event.Texts(e) {
			if _, ok := about[h]; !ok {
				about[h] = nil // most texts need no description
			}
		}
		if c, ok := e.Body.(*event.CodeGenerated); ok {
			for _, k := range c.Kernels {
				about[k.Text] = append(about[k.Text], fmt.Sprintf("run %d: kernel %s", n, k.Name))
			}
			if c.VM != "" {
				about[c.VM] = append(about[c.VM], fmt.Sprintf("run %d: bytecode", n))
			}
		}
	}
}

// archiver writes an archive.
type archiver struct {
	buf      bytes.Buffer
	zip      *zip.Writer
	manifest manifest
	bytes    int64
}

// run adds the files of a run.
func (a *archiver) run(n int, r *Run) error {
	var log bytes.Buffer
	for _, e := range r.Events {
		enc, err := event.Encode(e)
		if err != nil {
			return err
		}
		log.Write(enc.Line)
		log.WriteByte('\n')
	}
	file := runFile{Request: r.Request, Created: r.Created, Status: r.Status, Hash: r.Hash, Events: len(r.Events)}
	if err := a.json(runName(n, "run.json"), file); err != nil {
		return err
	}
	return a.add(runName(n, "events.ndjson"), log.Bytes())
}

// json adds a value as JSON for people.
func (a *archiver) json(name string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return a.add(name, append(data, '\n'))
}

// add adds a file. Where it would be suspiciously small in the archive it is not compressed.
func (a *archiver) add(name string, data []byte, about ...string) error {
	if name != manifestName {
		sum := sha256.Sum256(data)
		a.manifest.Files = append(a.manifest.Files, manifestFile{Name: name, Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:]), About: about})
	}
	a.bytes += int64(len(data))
	if err := a.fits(); err != nil {
		return err
	}
	// One time and no attributes: the same content gives the same bytes.
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(data), UncompressedSize64: uint64(len(data))}
	//lint:ignore SA1019 CreateRaw takes a time in this form only
	h.ModifiedDate = 1<<5 | 1 // the first day of 1980, the least that the format has
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("compress %s: %w", name, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("compress %s: %w", name, err)
	}
	out := packed.Bytes()
	if len(out) >= len(data) || len(data)/MaxRatio >= len(out) {
		h.Method, out = zip.Store, data
	}
	h.CompressedSize64 = uint64(len(out))
	f, err := a.zip.CreateRaw(h)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err := f.Write(out); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// fits tells whether the archive keeps to its limits so far.
func (a *archiver) fits() error {
	switch {
	case a.bytes > MaxBytes:
		return fmt.Errorf("the files have more than %d MiB: %w; export one run alone", MaxBytes>>20, ErrTooLarge)
	case a.buf.Len() > MaxArchive:
		return fmt.Errorf("the archive has more than %d MiB: %w; export one run alone", MaxArchive>>20, ErrTooLarge)
	case len(a.manifest.Files) >= MaxEntries:
		return fmt.Errorf("there are more than %d files: %w; export one run alone", MaxEntries, ErrTooLarge)
	}
	return nil
}
