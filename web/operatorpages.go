package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/static"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/highlight"
)

// operatorPage shows what there is to know of an operator, or the list of all.
func (s *Server) operatorPage(w http.ResponseWriter, r *http.Request) error {
	if s.cfg.Operators == nil {
		return &httpError{status: http.StatusNotFound, message: "this server does not compile, and has no pages of operators"}
	}
	v := templates.OperatorView{Assets: assets("docspage"), Name: chi.URLParam(r, "name")}
	v.Assets.OwnCSS = static.URL("docs.css")
	var found *catalog.Operator
	list := s.cfg.Operators.Operators()
	for i := range list {
		o := &list[i]
		title := family(o.Name)
		v.Families = addFamily(v.Families, title)
		f := familyOf(v.Families, title)
		f.Links = append(f.Links, templates.PassLink{Name: o.Name, Doc: o.Doc})
		if o.Name == v.Name {
			found = o
		}
	}
	for _, f := range v.Families {
		slices.SortFunc(f.Links, func(a, b templates.PassLink) int { return strings.Compare(a.Name, b.Name) })
	}
	switch {
	case found != nil:
		e, err := s.cfg.Operators.Example(r.Context(), found.Name)
		if err != nil {
			return fmt.Errorf("the example of %s: %w", found.Name, err)
		}
		if err := fillOperator(&v, found, e); err != nil {
			return err
		}
	case v.Name != "":
		return &httpError{status: http.StatusNotFound, message: "there is no operator of this name; /operators lists all"}
	}
	return s.page(w, r, http.StatusOK, templates.Operator(v))
}

// families are the titles of operators by the first part of their names.
var families = map[string]string{
	"": "Tensors", "nn": "Neural networks", "image": "Images", "vision": "Boxes", "grad": "Gradients", "builtin": "Memory", "memory": "Memory",
	"vm": "Virtual machine", "inspect": "Headers of tensors", "ccl": "Workers", "dist": "Workers",
}

func family(name string) string {
	first, _, ok := strings.Cut(name, ".")
	switch {
	case ok:
		return families[first]
	case strings.HasPrefix(name, "call_"), strings.HasPrefix(name, "invoke_"), name == "make_closure":
		return "Calls"
	}
	return families[""]
}

func addFamily(list []templates.OperatorFamily, title string) []templates.OperatorFamily {
	if familyOf(list, title) == nil {
		list = append(list, templates.OperatorFamily{Title: title})
	}
	return list
}

func familyOf(list []templates.OperatorFamily, title string) *templates.OperatorFamily {
	for i := range list {
		if list[i].Title == title {
			return &list[i]
		}
	}
	return nil
}

// fillOperator fills a page with what the catalog says of an operator.
func fillOperator(v *templates.OperatorView, o *catalog.Operator, e *catalog.OperatorExample) error {
	v.Doc, v.Facts = o.Doc, operatorFacts(o)
	var names []string
	for _, a := range o.Args {
		kind := a.Kind
		switch {
		case a.Variadic:
			kind += ", any number"
		case a.Optional:
			kind += ", or nothing"
		}
		names = append(names, a.Name)
		v.Args = append(v.Args, templates.OperatorArg{Name: a.Name, Type: kind, Doc: a.Doc})
	}
	for _, a := range o.Attrs {
		kind := a.Type
		if len(a.Choices) > 0 {
			kind = "one of " + strings.Join(quoted(a.Choices), ", ")
		}
		text := a.Name
		if !a.Required {
			text += "=" + a.Default
		}
		names = append(names, text)
		v.Args = append(v.Args, templates.OperatorArg{Name: a.Name, Type: kind, Default: a.Default, Doc: a.Doc})
	}
	v.Call = "R." + o.Name + "(" + strings.Join(names, ", ") + ")"
	for _, row := range e.Shapes {
		v.Shapes = append(v.Shapes, templates.OperatorShapes(row))
	}
	before := highlight.NewDocument(event.LangTVMScript, e.Module)
	if e.Lowered == "" {
		v.Module = templates.CodeBlock{Lines: before.Len(), Digits: len(strconv.Itoa(before.Len()))}
		for i := range before.Len() {
			spans, _ := highlight.Line(before.Language(), before.Line(i))
			v.Module.Rows = append(v.Module.Rows, templates.CodeRow{Kind: "same", After: i + 1, Spans: plainSpans(spans)})
		}
		return nil
	}
	l := highlight.NewDiff(before, highlight.NewDocument(event.LangTVMScript, e.Lowered)).Layout(highlight.Unified, highlight.All)
	var err error
	v.Lowering, err = diffBlock("", l, l.Rows)
	return err
}

func quoted(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strconv.Quote(s)
	}
	return out
}

// operatorFacts are what passes know of an operator.
func operatorFacts(o *catalog.Operator) []string {
	out := []string{o.Pattern}
	if !o.Pure {
		out = append(out, "has effects")
	}
	switch o.Layout {
	case "takes":
		out = append(out, "takes the layouts that ConvertLayout is asked for")
	case "follows":
		out = append(out, "follows layouts")
	}
	switch o.Precision {
	case "always":
		out = append(out, "float16 wherever it is asked for")
	case "follow":
		out = append(out, "float16 where its operands are")
	}
	if o.Gradient {
		out = append(out, "has a gradient")
	}
	return out
}
