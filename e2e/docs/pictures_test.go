package docs

import (
	"bytes"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`(!?)\[([^\]]*)\]\(([^)\s]+)\)`)

// TestPictures looks at the pictures of the documents: each document names pictures that are there, with words for those who do not see
// them; no picture lies there unnamed; each is one that a browser test has made, of the size that this makes and not too heavy.
func TestPictures(t *testing.T) {
	named := map[string]bool{}
	for _, file := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			if m[1] == "" || strings.Contains(m[3], "://") {
				continue
			}
			named[filepath.ToSlash(filepath.Join(filepath.Dir(file), m[3]))] = true
			if len(m[2]) < 15 {
				t.Errorf("%s: the picture %s is described as %q", file, m[3], m[2])
			}
		}
	}
	made := ""
	for _, file := range glob(t, "e2e/browser/*_test.go") {
		made += read(t, file)
	}
	there := append(glob(t, "docs/*.png"), glob(t, "docs/*.gif")...)
	for _, file := range there {
		data := []byte(read(t, file))
		if !named[file] {
			t.Errorf("%s is in no document", file)
		}
		if !strings.Contains(made, `"`+filepath.Base(file)+`"`) {
			t.Errorf("no browser test makes %s", file)
		}
		if filepath.Ext(file) == ".gif" {
			film(t, file, data)
			continue
		}
		img, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if sizes := [][2]int{{1440, 900}, {1200, 750}}; !slices.Contains(sizes, [2]int{img.Width, img.Height}) || len(data) > 400<<10 {
			t.Errorf("%s is %d by %d, %d KB; want one of %v and at most 400 KB", file, img.Width, img.Height, len(data)>>10, sizes)
		}
	}
	for file := range named {
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Errorf("a document shows %s: %v", file, err)
		}
	}
	if len(there) < 5 {
		t.Errorf("only the pictures %q are there", there)
	}
}

// film checks a moving picture: it moves, for as long as one looks at it, and is light enough for the head of a page.
func film(t *testing.T, file string, data []byte) {
	t.Helper()
	g, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	total := 0
	for _, d := range g.Delay {
		total += d
	}
	if len(g.Image) < 20 || total < 800 || total > 3000 || len(data) > 3<<19 {
		t.Errorf("%s has %d frames, takes %.1f s, and is %d KB; want at least 20 frames, 8 to 30 s, and at most 1536 KB", file, len(g.Image), float64(total)/100, len(data)>>10)
	}
}

// TestLinks follows the links from document to document, to headings too.
func TestLinks(t *testing.T) {
	for _, file := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(quoted.ReplaceAllString(read(t, file), ""), -1) {
			to, heading, _ := strings.Cut(m[3], "#")
			if strings.Contains(to, "://") || m[1] != "" {
				continue
			}
			target := file
			if to != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(file), to))
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links %s, which is not there", file, m[3])
			} else if heading != "" && strings.HasSuffix(target, ".md") && !slices.Contains(anchors(read(t, target)), heading) {
				t.Errorf("%s links %s, and there is no such heading", file, m[3])
			}
		}
	}
}

// anchors returns the names that the headings of a document have in links.
func anchors(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				return r
			}
			return -1
		}, strings.ToLower(strings.TrimSpace(title)))
		out = append(out, name)
	}
	return out
}

// documents returns the documents for readers, from the root.
func documents(t *testing.T) []string {
	t.Helper()
	return append(glob(t, "*.md"), glob(t, "docs/*.md")...)
}

// glob returns the files of the repository that match, from the root.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	if err != nil || len(found) == 0 {
		t.Fatalf("no file matches %s (%v)", pattern, err)
	}
	for i, file := range found {
		found[i] = strings.TrimPrefix(filepath.ToSlash(file), root+"/")
	}
	return found
}
