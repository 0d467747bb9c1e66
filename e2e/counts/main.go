// Command counts writes what the documents say of how much there is: the table between the marks in README.md, and
// docs/operators.md. `go generate ./e2e/counts` runs it; a test of this package compares.
//
// Numbers are those of the tables that the program itself reads. Not counted is what has no table, and what changes with most
// commits, such as tests: two changes at a time would contradict each other for nothing.
package main

//go:generate go run .

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// top is the root of the repository, from the folder of this package.
const top = "../.."

// documents are the files that hold counts, from the root, each with what makes its text anew of the text that it has.
var documents = map[string]func(old string) (string, error){
	"README.md":         readme,
	"docs/operators.md": func(string) (string, error) { return operators(onnx.Domains()) + onnxNotes, nil },
}

func main() {
	for name := range documents {
		path := filepath.Join(top, filepath.FromSlash(name))
		_, fresh, err := both(path, name)
		if err == nil {
			err = os.WriteFile(path, []byte(fresh), 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "counts:", err)
			os.Exit(1)
		}
	}
}

// both returns the text of a document as it is and as it should be.
func both(path, name string) (old, fresh string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	fresh, err = documents[name](string(data))
	return string(data), fresh, err
}

// The marks in README.md, each on a line of its own.
const (
	begin = "<!-- counts:begin -->\n"
	end   = "<!-- counts:end -->\n"
)

// readme puts the table between the marks.
func readme(old string) (string, error) {
	head, rest, ok := strings.Cut(old, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("README.md has no lines %q and %q, in this order", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return head + begin + table() + end + tail, nil
}

// table lists what there is and how much of it.
func table() string {
	builtins := 0 // those of TVM; docs/builtins.md lists them
	for _, name := range vm.Builtins() {
		if strings.HasPrefix(name, "vm.builtin.") {
			builtins++
		}
	}
	var b strings.Builder
	b.WriteString("| what | number |\n|---|---|\n")
	for _, row := range []struct {
		what   string
		number int
	}{
		{fmt.Sprintf("[ONNX operators](docs/operators.md), in operator sets %d to %d", onnx.MinOpset, onnx.MaxOpset), len(onnx.Operators())},
		{"operators of Relax", len(op.All())},
		{"intrinsics of TensorIR", len(tir.Builtins())},
		{"passes, listed by `irscope passes`", len(pipeline.All())},
		{"TVM's [builtins of the virtual machine](docs/builtins.md)", builtins},
		{"kinds of target", len(target.Kinds())},
		{"built-in models", len(gallery.Models())},
	} {
		fmt.Fprintf(&b, "| %s | %d |\n", row.what, row.number)
	}
	return b.String()
}

// onnxNotes says what a list of names does not.
const onnxNotes = `
## Functions of the model

A node that calls a function of the model stands for its body: attributes of the body that refer to those of the function get what the call gives or
the default, and inputs that the call leaves out are left out. Functions may call others, but not themselves. The bodies that a model
comes to may have 200,000 nodes.

## Branches and loops

An If whose condition is known during the import is the branch that it selects, any other a conditional. Extents of results that differ between the
branches become symbolic ones.

A Loop or Scan with a known number of turns is written out if its body times the turns has at most 256 nodes, since the time that a program takes to compile
grows with them; iteration numbers are known then, so that extents may differ from turn to turn. Any other becomes a private function that calls
itself in the place of returning, which the virtual machine runs as a loop: in one frame, stopped with the run, and at most ten million turns long. What such a
loop carries keeps its element type and number of dimensions; extents that a turn changes become symbolic. What it collects must have the same
extents in each turn; room for it doubles as it fills, so that the time grows as the number of turns. Scan is supported as it is since operator set 9.
LinearAttention is a loop over the tokens.

## Results whose size is data

NonZero, Unique, NonMaxSuppression, Compress by a condition that is data, Slice by bounds that are data, Range from or to data, ConstantOfShape, Expand, Reshape, and Tile with
extents that are data, Split by sizes and Resize by scales that are data, which must leave nothing over, TopK with a k and OneHot with a depth that is data, and Pad by pads that are
data, which must not be negative, give tensors with symbolic extents, which show at run time. What does not fit, as a shape of other numbers of elements, is an error of the run. How many dimensions a result has must be known during the import. A NaN is equal to nothing in Unique. NonZero takes no scalar.

## Sequences and optional values

The importer keeps sequences as lists of tensors where it knows their lengths and the positions in them. One whose length shows at run time has elements of one
shape and is a tensor of them along a new first axis: so are those that are inputs or outputs of a model, where each position in them may be data too. A loop that is not written out may
carry a sequence to which each turn appends one element and which the body does not read; it is collected. Sequences that are results of conditionals have as many elements in both branches. An optional value that
is an input is there.

## Trees and other classical models

The operators of ai.onnx.ml are supported in the versions 1 to 5 of the domain. TreeEnsemble, TreeEnsembleRegressor, and TreeEnsembleClassifier become one kernel that takes a row through
eight trees at once, whatever the trees compare with, and a sum of what the leaves that it reaches vote for. How many features a row has must be known during the import; how many rows
there are need not. Where the text leaves something open, results are those of ONNX Runtime: transforms other than PROBIT are not applied to a single target.

A classifier whose labels are strings can be imported if the labels are not used, and likewise any model from which ZipMap is left out:

    from skl2onnx import to_onnx
    model = to_onnx(forest, rows[:1], options={"zipmap": False})

LabelEncoder and OneHotEncoder map numbers.

## Operators of ONNX Runtime

MoE and QMoE take each token through all experts, of which its scores then choose. DynamicQuantizeLSTM and MatMulNBits do not quantize their inputs, whatever accuracy level they ask for.
GroupQueryAttention has as many keys as total_sequence_length says, or as the past has room for; the new keys of a sequence follow those of the past that seqlens_k says are used. What is behind
the keys of a sequence is not defined.

## Operator sets before 7

What such a model says of broadcasting by attributes, and operands that were attributes then, are read as operator set 7 has them. A BatchNormalization is one of
inference.

## What is refused

- strings, complex numbers, and sparse tensors, and what works on them: ImageDecoder, RegexFullMatch, StringConcat, StringNormalizer, StringSplit, TfIdfVectorizer of strings
- of ai.onnx.ml what works on maps, which CastMap, DictVectorizer, and ZipMap do, and on strings, as CategoryMapper does; of ai.onnx.preview.training Gradient
- of com.microsoft, what only ONNX Runtime's devices have, and weights in the order of a device; GroupQueryAttention with keys of bytes or a cache of a window
- Resize with tf_crop_and_resize of a part of the batch or of the channels, and Scan before operator set 9 with lengths of sequences
- axes and steps that are data, and extents of windows, transforms, and Col2Im that are

## Random numbers

A program computes the same each time that it runs. Element i of RandomUniform is low + (high - low) * (m(m(i) + key) >> 8) / 2^24, where all numbers are of 32 bits and m
is lowbias32: x ^= x >> 16, x *= 0x7feb352d, x ^= x >> 15, x *= 0x846ca68b, x ^= x >> 16. The key is the bits of the attribute seed, or
without one the FNV-1a hash of the name of the result. RandomNormal is the transform of Box and Muller of two such numbers, the second with 0x9e3779b9 added to the
key; Bernoulli compares one with the probability, Dropout in training with the ratio, and Multinomial with the sums of the probabilities. In a loop each turn has the same
numbers: for others, make them an input of the model.
`

// operators is docs/operators.md for the operators of each domain, whose names are sorted.
func operators(domains map[string][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# ONNX operators that the importer supports

%d operators of the default domain, in operator sets %d to %d, with their attributes and broadcasting forms. The importer
reports an error for anything it does not support. Written by `+"`go generate ./e2e/counts`"+`.
`, len(domains[""]), onnx.MinOpset, onnx.MaxOpset)
	list(&b, domains[""])
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		if domain != "" {
			fmt.Fprintf(&b, "\n## Operators of %s\n", domain)
			list(&b, domains[domain])
		}
	}
	return b.String()
}

// list writes names, those with one initial on a line.
func list(b *strings.Builder, names []string) {
	last := byte(0)
	for _, n := range names {
		sep := ", "
		if n[0] != last {
			sep = "\n- "
			last = n[0]
		}
		b.WriteString(sep + n)
	}
	b.WriteString("\n")
}
