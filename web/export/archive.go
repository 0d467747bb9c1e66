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

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// Zip returns a bundle as an archive. The same bundle gives the same bytes.
func Zip(ctx context.Context, b *Bundle, program string) ([]byte, error) {
	a := archiver{manifest: manifest{Format: Format, Version: Version, Program: program, Files: []manifestFile{}}}
	a.zip = zip.NewWriter(&a.buf)
	s := sessionFile{Title: b.Session.Title, Source: b.Session.Source, Lesson: b.Session.Lesson, Created: b.Session.Created, Settings: b.Session.Settings, Runs: len(b.Runs), Notes: []store.Note{}}
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
	if err := b.tensors(ctx, about); err != nil {
		return nil, err
	}
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
	if err := a.zip.SetComment(sumComment + a.last); err != nil {
		return nil, fmt.Errorf("write archive: %w", err)
	}
	if err := a.zip.Close(); err != nil {
		return nil, fmt.Errorf("write archive: %w", err)
	}
	return a.buf.Bytes(), a.fits()
}

// tensors notes the tensors that the settings of the session and of its runs name, with what they are. Those that have gone are left out.
func (b *Bundle) tensors(ctx context.Context, about map[string][]string) error {
	var all []run.Settings
	if len(b.Session.Settings) > 0 {
		var s run.Settings
		if err := json.Unmarshal(b.Session.Settings, &s); err != nil {
			return fmt.Errorf("decode settings of session: %w", err)
		}
		all = append(all, s)
	}
	for _, r := range b.Runs {
		all = append(all, r.Request.Settings)
	}
	for _, s := range all {
		for _, t := range slices.Concat(s.Inputs, s.Expected) {
			if _, err := b.Blobs.Blob(ctx, t.Blob); err == nil && about[t.Blob] == nil {
				about[t.Blob] = []string{fmt.Sprintf("tensor %s, %s %v, from %s", t.Name, t.DType, t.Shape, t.File)}
			}
		}
	}
	return nil
}

// noteTexts notes the texts of a run with what they are, where they are code.
func noteTexts(about map[string][]string, n int, r *Run) {
	for _, e := range r.Events {
		for _, t := range event.TextRefs(e) {
			known := about[t.Hash] // most texts need no description
			if t.What != "" {
				known = append(known, fmt.Sprintf("run %d: %s", n, t.What))
			}
			about[t.Hash] = known
		}
	}
}

// archiver writes an archive.
type archiver struct {
	buf      bytes.Buffer
	zip      *zip.Writer
	manifest manifest
	last     string // the digest of the file that was added last
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
	if err := a.add(runName(n, "events.ndjson"), log.Bytes()); err != nil || r.Check == nil {
		return err
	}
	return a.add(runName(n, checkName), r.Check, fmt.Sprintf("run %d: check of every pass", n))
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
	sum := sha256.Sum256(data)
	a.last = hex.EncodeToString(sum[:])
	if name != manifestName {
		a.manifest.Files = append(a.manifest.Files, manifestFile{Name: name, Bytes: int64(len(data)), SHA256: a.last, About: about})
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
		return fmt.Errorf("the files have more than %d MiB: %w; export a single run", MaxBytes>>20, ErrTooLarge)
	case a.buf.Len() > MaxArchive:
		return fmt.Errorf("the archive has more than %d MiB: %w; export a single run", MaxArchive>>20, ErrTooLarge)
	case len(a.manifest.Files) >= MaxEntries:
		return fmt.Errorf("there are more than %d files: %w; export a single run", MaxEntries, ErrTooLarge)
	}
	return nil
}
