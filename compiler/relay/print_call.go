package relay

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// call prints the call of an operator or a function.
func (p *printer) call(c *relax.Call) {
	o, ok := c.Op.(*ir.Op)
	if !ok {
		p.leaf(c.Op)
		p.arguments(c.Args, nil)
		return
	}
	if p.special(o.Name, c) {
		return
	}
	r := byOp()[o.Name]
	if r == nil {
		p.fail("%s has no counterpart in Relay", o.Name)
	}
	p.str(r.name)
	p.arguments(c.Args, p.attributes(r, c))
}

func (p *printer) arguments(args []relax.Expr, attrs []string) {
	p.str("(")
	for i, a := range args {
		if i > 0 {
			p.str(", ")
		}
		p.leaf(a)
	}
	if len(args) > 0 && len(attrs) > 0 {
		p.str(", ")
	}
	p.str(strings.Join(attrs, ", ") + ")")
}

// attributes are those of a call that are not what Relay takes where they are left out.
func (p *printer) attributes(r *row, c *relax.Call) []string {
	var out []string
	said := map[string]bool{}
	for _, a := range r.attrs {
		said[a.to] = true
		v, ok := c.Attrs.Get(a.to)
		switch {
		case a.to == "":
			if v := windowAttr(a.name, r.op.Name, c); v != nil {
				out = append(out, a.name+"="+p.attrText(a.name, v))
			}
		case !ok || !a.required && sameValue(v, r.normal(a, a.def)):
		case a.name == "out_layout" && (v == "" || v == c.Attrs.Str("layout", "") || v == c.Attrs.Str("data_layout", "")):
		default:
			out = append(out, a.name+"="+p.attrText(a.name, v))
		}
	}
	for i := range c.Attrs.Len() {
		name, v := c.Attrs.At(i)
		if said[name] {
			continue
		}
		want := any(nil)
		if a := r.op.Attr(name); a != nil {
			want = a.Default
		}
		if x, ok := always[r.op.Name][name]; ok {
			want = x
		}
		if !sameValue(v, want) && !unused(r.op.Name, name) {
			p.fail("%s of %s has no counterpart in Relay", name, r.op.Name)
		}
	}
	return out
}

// unused reports whether an attribute means nothing for a call that Relay can say: the momentum of a batch_norm that does not train.
func unused(op, attr string) bool {
	return op == "relax.nn.batch_norm" && attr == "momentum" || attr == "count_include_pad" && strings.Contains(op, "max_pool")
}

func sameValue(a, b ir.Value) bool { return reflect.DeepEqual(ir.Normalize(a), ir.Normalize(b)) }

// windowAttr is an attribute of a convolution that follows from the weights: their output channels, and the extents of the window. It is nil where these are
// not known.
func windowAttr(name, opName string, c *relax.Call) ir.Value {
	t, ok := relax.SInfoOf(c.Args[1]).(*relax.TensorStructInfo)
	if !ok {
		return nil
	}
	dims, ok := t.StaticDims()
	layout := c.Attrs.Str("kernel_layout", "")
	if !ok || len(dims) != len(layout) {
		return nil
	}
	if name == "channels" {
		n := dims[strings.IndexByte(layout, 'O')]
		if strings.HasSuffix(opName, "_transpose") {
			n *= c.Attrs.Int("groups", 1)
		}
		return n
	}
	size := []ir.Value{}
	for i, n := range dims {
		if strings.IndexByte("DHW", layout[i]) >= 0 {
			size = append(size, n)
		}
	}
	return size
}

// special prints calls of operators that Relay has in another form, and reports whether it did.
func (p *printer) special(name string, c *relax.Call) bool {
	switch name {
	case "relax.clip":
		lo, hi := p.number(c, 1), p.number(c, 2)
		p.str("clip")
		p.arguments(c.Args[:1], []string{"a_min=" + lo, "a_max=" + hi})
	case "relax.reshape":
		s, ok := c.Args[1].(*relax.ShapeExpr)
		if !ok || !plainDims(s.Values) {
			p.fail("a reshape to %s has no counterpart in Relay", relax.FormatSInfo(relax.SInfoOf(c.Args[1])))
		}
		dims := make([]string, len(s.Values))
		for i, d := range s.Values {
			dims[i] = "-1"
			if n, ok := tir.AsInt(d); ok {
				dims[i] = strconv.FormatInt(n, 10)
			}
		}
		p.str("reshape")
		p.arguments(c.Args[:1], []string{"newshape=[" + strings.Join(dims, ", ") + "]"})
	case "relax.expand_dims":
		axes := c.Attrs.Ints("axis")
		for i, a := range axes {
			if a != axes[0]+int64(i) || a < 0 && len(axes) > 1 {
				p.fail("an expand_dims of axes that are not one behind the other has no counterpart in Relay")
			}
		}
		attrs := []string{"axis=0"}
		if len(axes) > 0 {
			attrs[0] = "axis=" + strconv.FormatInt(axes[0], 10)
		}
		if len(axes) != 1 {
			attrs = append(attrs, "num_newaxis="+strconv.Itoa(len(axes)))
		}
		p.str("expand_dims")
		p.arguments(c.Args, attrs)
	case "relax.where", op.RelayPrefix + "where":
		p.str("where")
		p.arguments(c.Args, nil)
	case "relax.matmul":
		x, ok := relax.SInfoOf(c.Args[0]).(*relax.TensorStructInfo)
		y, ok2 := relax.SInfoOf(c.Args[1]).(*relax.TensorStructInfo)
		if !ok || !ok2 || x.NDim != y.NDim || matmulOf(x.NDim) == "" {
			p.fail("a matmul of tensors that are not both of two or both of three dimensions has no counterpart in Relay")
		}
		var attrs []string
		if v, _ := c.Attrs.Get("out_dtype"); v != any(dtype.Void) && v != nil {
			attrs = append(attrs, "out_dtype="+p.attrText("", v))
		}
		p.str(matmulOf(x.NDim))
		p.arguments(c.Args, attrs)
	case op.RelayPrefix + "constant":
		p.str(metaText(c.Attrs.Str("table", ""), int(c.Attrs.Int("index", 0))))
	default:
		return false
	}
	return true
}

// number is a scalar argument as a number.
func (p *printer) number(c *relax.Call, i int) string {
	v, ok := bound(c, i)
	if !ok {
		p.fail("a bound of clip that is not a number has no counterpart in Relay")
	}
	return p.attrText("", v)
}

func bound(c *relax.Call, i int) (float64, bool) {
	if v, ok := c.Args[i].(*relax.PrimValue); ok {
		switch x := v.Value.(type) {
		case *tir.FloatImm:
			return x.Value, true
		case *tir.IntImm:
			return float64(x.Value), true
		}
	}
	return 0, false
}
