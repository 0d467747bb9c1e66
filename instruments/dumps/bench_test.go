package dumps_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/instruments/dumps"
	"github.com/irscope/irscope/instruments/event"
)

// printer is the output of a compiler that prints a module of many functions after each pass, of which every fifth changes a function.
// It makes the text while it is read.
type printer struct {
	left      int64
	pass      int
	functions [][]byte
	rest      []byte
	buf       bytes.Buffer
}

func newPrinter(size int64) *printer {
	p := &printer{left: size}
	for i := range 60 {
		var f bytes.Buffer
		fmt.Fprintf(&f, "define i32 @f%d(i32* %%a, i32 %%n) #0 {\nentry:\n", i)
		for j := range 40 {
			fmt.Fprintf(&f, "  %%v%d = getelementptr inbounds i32, i32* %%a, i64 %d, !tbaa !%d\n", j, j, i)
		}
		f.WriteString("  ret i32 0\n}\n\n")
		p.functions = append(p.functions, f.Bytes())
	}
	return p
}

func (p *printer) Read(out []byte) (int, error) {
	if len(p.rest) == 0 {
		if p.left <= 0 {
			return 0, io.EOF
		}
		if p.pass++; p.pass%5 == 0 {
			i := p.pass % len(p.functions)
			p.functions[i] = bytes.Replace(p.functions[i], []byte("  ret"), fmt.Appendf(nil, "  %%p%d = add i32 %%n, 1\n  ret", p.pass), 1)
		}
		p.buf.Reset()
		fmt.Fprintf(&p.buf, "*** IR Dump After Pass%d on [module] ***\n; ModuleID = 'big.c'\ntarget triple = \"x86_64\"\n\n", p.pass)
		for _, f := range p.functions {
			p.buf.Write(f)
		}
		p.rest = p.buf.Bytes()
		p.left -= int64(len(p.rest))
	}
	n := copy(out, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// counter is a sink that keeps nothing; it notes when the first pass came and the most memory that was in use.
type counter struct {
	began  time.Time
	first  time.Duration
	passes int
	peak   uint64
}

func (c *counter) Emit(e event.Event) error {
	if e.Type == event.TypePassFinished {
		if c.passes++; c.passes == 1 {
			c.first = time.Since(c.began)
		}
		if c.passes%64 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			c.peak = max(c.peak, m.HeapAlloc)
		}
	}
	return nil
}

func (c *counter) Text(_, text string) (string, error) { return event.HashText(text), nil }

// TestMemoryOfALongDump reads 500 MB, 64 MB with -short: what is held does not grow with them, and the first pass is there at once.
func TestMemoryOfALongDump(t *testing.T) {
	size := int64(500 << 20)
	if testing.Short() {
		size = 64 << 20
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := &counter{began: time.Now()}
	if err := dumps.Read(context.Background(), newPrinter(size), "big", c); err != nil {
		t.Fatal(err)
	}
	if used := int64(c.peak) - int64(before.HeapAlloc); used > 128<<20 || c.passes < 100 {
		t.Errorf("%d MB with %d passes take %d MiB", size>>20, c.passes, used>>20)
	}
	goal.Time(t, "the first pass", c.first, time.Second)
	goal.Time(t, fmt.Sprintf("%d passes, %d MiB at most", c.passes, c.peak>>20), time.Since(c.began), time.Duration(size/(50<<20))*time.Second)
}

// BenchmarkRead reads 32 MB of modules that LLVM prints after each pass.
func BenchmarkRead(b *testing.B) {
	const size = 32 << 20
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if err := dumps.Read(context.Background(), newPrinter(size), "big", &counter{}); err != nil {
			b.Fatal(err)
		}
	}
}
