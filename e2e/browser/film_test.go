package browser

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A film is a moving picture of a tab: pictures of its window, taken one after the other while the test goes on, each shown for the time
// until the next one that differs. The pointer, which the browser leaves out, is drawn where the test has moved it.
type film struct {
	p       *page
	mu      sync.Mutex
	at      image.Point // the pointer
	shots   []shot
	stop    chan struct{}
	stopped chan struct{}
}

// shot is the window at a time.
type shot struct {
	png     []byte
	pointer image.Point
	at      time.Time
}

// longest is for how long a picture is shown at most.
const longest = 3 * time.Second

// record begins a film of a tab.
func record(p *page) *film {
	f := &film{p: p, at: image.Pt(-100, -100), stop: make(chan struct{}), stopped: make(chan struct{})}
	p.pointed = func(x, y float64) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.at = image.Pt(int(x), int(y))
	}
	go func() {
		defer close(f.stopped)
		for {
			select {
			case <-f.stop:
				return
			default:
			}
			f.take()
		}
	}()
	return f
}

// take adds the window as it is now. Between two pages there is none, and the browser may not answer.
func (f *film) take() {
	ctx, cancel := context.WithTimeout(f.p.ctx, time.Second)
	defer cancel()
	at := time.Now()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if last := len(f.shots) - 1; last >= 0 && bytes.Equal(f.shots[last].png, data) && f.shots[last].pointer == f.at {
		return
	}
	f.shots = append(f.shots, shot{data, f.at, at})
}

// end ends the film.
func (f *film) end(t *testing.T) *gif.GIF {
	t.Helper()
	until := time.Now()
	close(f.stop)
	<-f.stopped
	f.p.pointed = nil
	var frames []*image.RGBA
	var delays []int
	for i, s := range f.shots {
		img, err := png.Decode(bytes.NewReader(s.png))
		if err != nil {
			t.Fatal(err)
		}
		frame := image.NewRGBA(img.Bounds())
		draw.Draw(frame, frame.Bounds(), img, image.Point{}, draw.Src)
		drawPointer(frame, s.pointer)
		end := until
		if i+1 < len(f.shots) {
			end = f.shots[i+1].at
		}
		frames = append(frames, frame)
		// A busy machine must not bore the viewer.
		delays = append(delays, int(max(0, min(end.Sub(s.at), longest)).Round(10*time.Millisecond)/(10*time.Millisecond)))
	}
	return animate(frames, delays)
}

// drawPointer draws an arrow whose tip is at a point.
func drawPointer(img *image.RGBA, tip image.Point) {
	const arrow = `
#
##
#.#
#..#
#...#
#....#
#.....#
#......#
#.......#
#........#
#.........#
#..........#
#......#####
#...#..#
#..##..#
#.#  #..#
##   #..#
#     #..#
      #..#
       ##`
	for y, line := range bytes.Split([]byte(arrow[1:]), []byte("\n")) {
		for x, c := range line {
			switch c {
			case '#':
				img.Set(tip.X+x, tip.Y+y, color.White)
			case '.':
				img.Set(tip.X+x, tip.Y+y, color.Black)
			}
		}
	}
}

// animate makes a GIF of frames of one size, each shown for so many hundredths of a second. All frames share one palette: the colors that
// most pixels have, since a page has few beside the shades at the edges of letters. A frame holds the rectangle that differs from the one
// before it, and in that only what does.
func animate(frames []*image.RGBA, delays []int) *gif.GIF {
	pal, index := palette(frames)
	const same = 255 // the color that lets the frame before shine through
	out := &gif.GIF{}
	var last *image.Paletted
	for i, f := range frames {
		b := f.Bounds()
		now := image.NewPaletted(b, pal)
		for k := range now.Pix {
			now.Pix[k] = index(f.Pix[4*k], f.Pix[4*k+1], f.Pix[4*k+2])
		}
		part := now
		if last != nil {
			r := differs(last, now)
			if r.Empty() {
				out.Delay[len(out.Delay)-1] += delays[i]
				continue
			}
			part = image.NewPaletted(r, pal)
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					c := now.ColorIndexAt(x, y)
					if c == last.ColorIndexAt(x, y) {
						c = same
					}
					part.SetColorIndex(x, y, c)
				}
			}
		}
		out.Image = append(out.Image, part)
		out.Delay = append(out.Delay, max(delays[i], 2)) // shorter ones are slowed down by browsers
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		last = now
	}
	return out
}

// differs returns the smallest rectangle that holds all differences of two pictures.
func differs(a, b *image.Paletted) image.Rectangle {
	var out image.Rectangle
	for y := range a.Rect.Dy() {
		ra, rb := a.Pix[y*a.Stride:y*a.Stride+a.Rect.Dx()], b.Pix[y*b.Stride:y*b.Stride+b.Rect.Dx()]
		if bytes.Equal(ra, rb) {
			continue
		}
		first, last := -1, 0
		for x := range ra {
			if ra[x] != rb[x] {
				if first < 0 {
					first = x
				}
				last = x
			}
		}
		out = out.Union(image.Rect(first, y, last+1, y+1))
	}
	return out.Add(a.Rect.Min)
}

// palette returns the 255 colors that most pixels have, a transparent one, and what finds the nearest of the former to a color.
func palette(frames []*image.RGBA) (color.Palette, func(r, g, b uint8) uint8) {
	count := map[[3]uint8]int{}
	for _, f := range frames {
		for i := 0; i < len(f.Pix); i += 4 {
			count[[3]uint8(f.Pix[i:i+3])]++
		}
	}
	colors := make([][3]uint8, 0, len(count))
	for c := range count {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b [3]uint8) int {
		if d := count[b] - count[a]; d != 0 {
			return d
		}
		return slices.Compare(a[:], b[:])
	})
	colors = colors[:min(len(colors), 255)]
	pal := make(color.Palette, 256)
	for i := range pal {
		pal[i] = color.RGBA{}
		if i < len(colors) {
			pal[i] = color.RGBA{colors[i][0], colors[i][1], colors[i][2], 255}
		}
	}
	nearest := map[[3]uint8]uint8{}
	return pal, func(r, g, b uint8) uint8 {
		c := [3]uint8{r, g, b}
		if i, ok := nearest[c]; ok {
			return i
		}
		best, at := 1<<30, 0
		for i, x := range colors {
			dr, dg, db := int(r)-int(x[0]), int(g)-int(x[1]), int(b)-int(x[2])
			if d := dr*dr + dg*dg + db*db; d < best {
				best, at = d, i
			}
		}
		nearest[c] = uint8(at)
		return uint8(at)
	}
}
