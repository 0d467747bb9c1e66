package irjson

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

func (l *loader) readSources() error {
	return l.array("the list of sources", func(int) error {
		src := &ir.Source{}
		l.sources = append(l.sources, src)
		return l.object("a source", func(key string) (err error) {
			switch key {
			case "name":
				src.Name, err = l.string("the name of a source")
			case "text":
				src.Text, err = l.string("the text of a source")
			default:
				err = l.fail("unknown key %q of a source, expected name or text", key)
			}
			return err
		})
	})
}

func (l *loader) readData() error {
	err := l.array("the list of constant data", func(i int) error {
		if l.hasRaw {
			n, err := l.number("the size of raw data", 0, math.MaxInt64)
			if err == nil && (i >= len(l.raw) || n != int64(len(l.raw[i]))) {
				err = l.fail("raw data %d should have %d bytes, which the file does not have there", i, n)
			}
			if err == nil {
				l.data = append(l.data, l.raw[i])
			}
			return err
		}
		var b []byte
		if err := l.dec.Decode(&b); err != nil {
			return l.wrap(err)
		}
		if int64(len(b)) > l.blobBytes {
			return l.fail("%v", l.tooManyBlobBytes())
		}
		l.blobBytes -= int64(len(b))
		l.data = append(l.data, b)
		return nil
	})
	if err == nil && len(l.data) < len(l.raw) {
		err = l.fail("the file holds %d pieces of raw data, %d are listed", len(l.raw), len(l.data))
	}
	return err
}

func (l *loader) readBlobs() error {
	return l.array("the list of constants", func(int) error {
		var dt dtype.DType
		var shape []int64
		splat, datum := false, int64(-1)
		err := l.object("a constant", func(key string) (err error) {
			switch key {
			case "dtype":
				dt, err = l.dtype("the type of a constant")
			case "shape":
				shape, err = l.ints("the shape of a constant", 0, math.MaxInt64)
			case "splat":
				splat, err = l.bool("splat")
			case "data":
				datum, err = l.number("the data of a constant", 0, int64(len(l.data))-1)
			default:
				err = l.fail("unknown key %q of a constant, expected dtype, shape, splat or data", key)
			}
			return err
		})
		if err != nil {
			return err
		}
		if datum < 0 {
			return l.fail("a constant has no data")
		}
		build := ir.NewBlob
		if splat {
			build = ir.NewSplat
		}
		b, err := build(dt, shape, l.data[datum])
		if err != nil {
			return l.fail("%v", err)
		}
		l.blobs = append(l.blobs, b)
		return nil
	})
}

func (l *loader) readOrigins() error {
	l.origins = ir.NewOrigins()
	return l.array("the list of origins", func(i int) error {
		if i >= l.lim.Nodes {
			return l.fail("more than %d origins (Limits.Nodes)", l.lim.Nodes)
		}
		var o ir.Origin
		err := l.object("an origin", func(key string) (err error) {
			switch key {
			case "pass":
				o.Pass, err = l.string("the pass of an origin")
			case "name":
				o.Name, err = l.string("the name of an origin")
			case "op":
				o.Op, err = l.string("the operator of an origin")
			case "parents":
				var ids []int64
				ids, err = l.ints("the parents of an origin", 0, int64(i))
				for _, id := range ids {
					o.Parents = append(o.Parents, ir.OriginID(id))
				}
			case "span":
				o.Span, err = l.span()
			default:
				err = l.fail("unknown key %q of an origin, expected pass, name, op, parents or span", key)
			}
			return err
		})
		l.origins.Add(o)
		return err
	})
}

func (l *loader) span() (*ir.Span, error) {
	s := &ir.Span{}
	into := []*int32{&s.Line, &s.Col, &s.EndLine, &s.EndCol}
	n := 0
	err := l.array("a span", func(i int) error {
		n++
		if i == 0 {
			tok, err := l.token()
			if err != nil || tok == nil {
				return err
			}
			src, err := l.toInt(tok, "the source of a span", 0, int64(len(l.sources))-1)
			if err == nil {
				s.Source = l.sources[src]
			}
			return err
		}
		x, err := l.number("a place in a span", math.MinInt32, math.MaxInt32)
		if i <= len(into) {
			*into[i-1] = int32(x)
		}
		return err
	})
	if err == nil && n != len(into)+1 {
		err = l.fail("expected a source and four numbers in a span, found %d entries", n)
	}
	return s, err
}
