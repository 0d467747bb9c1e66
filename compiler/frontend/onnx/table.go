package onnx

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// The domains of operators beside the default one, whose name is empty.
const (
	domainML        = "ai.onnx.ml"
	domainPreview   = "ai.onnx.preview" // what ONNX has not settled on yet
	domainTraining  = "ai.onnx.preview.training"
	domainMicrosoft = "com.microsoft" // what ONNX Runtime makes of models
)

// operator is one row of the importer's tables.
type operator struct {
	name         string
	minIn, maxIn int      // operands that must be there and that may be; maxIn is -1 for any number
	attrs        []string // attributes of any version
	convert      func(*node)
	// fold computes the result from known elements; it returns nil where it cannot. An
	// operand that is left out is nil.
	fold func(n *node, in []*known) *known
}

func (o *operator) arity() string {
	switch {
	case o.maxIn < 0:
		return fmt.Sprintf("%d or more", o.minIn)
	case o.minIn == o.maxIn:
		return fmt.Sprint(o.minIn)
	}
	return fmt.Sprintf("%d to %d", o.minIn, o.maxIn)
}

// tables returns the operators of each domain by their names.
var tables = sync.OnceValue(func() map[string]map[string]*operator {
	return map[string]map[string]*operator{
		"": index(slices.Concat(
			unaryRows(),
			textRows(),
			binaryRows(),
			activationRows(),
			reduceRows(),
			signalRows(),
			shapeRows(),
			indexRows(),
			scatterRows(),
			sortRows(),
			createRows(),
			linearRows(),
			attentionRows(),
			convRows(),
			poolRows(),
			lossRows(),
			lpRows(),
			normRows(),
			recurrentRows(),
			resizeRows(),
			visionRows(),
			quantizeRows(),
			integerRows(),
			controlRows(),
			dynamicRows(),
			sequenceRows(),
			randomRows(),
			experimentalRows(),
		)),
		domainML:        index(mlRows()),
		domainMicrosoft: index(microsoftRows()),
		domainPreview:   index(previewRows()),
		domainTraining:  index(trainingRows()),
	}
})

// reasons say more of operators that the tables lack, by their labels.
var reasons = map[string]string{
	domainML + ".CastMap":        "maps are not supported",
	domainML + ".CategoryMapper": "strings are not supported",
	domainML + ".DictVectorizer": "maps are not supported",
	domainML + ".ZipMap":         "its result is a sequence of maps, which are not supported; export the model without it, as skl2onnx does with the option zipmap=False",
	"EfficientNMS_TRT":           plugins,
	"BatchedNMS_TRT":             plugins,
	domainTraining + ".Gradient": "gradients of graphs are not supported; export the model with its gradients written out",
}

const plugins = "it is a plugin of TensorRT; export the model with NonMaxSuppression, or without the selection of boxes"

// domainReasons say more of operators of domains that no table is for.
var domainReasons = map[string]string{
	"com.microsoft.nchwc":  "ONNX Runtime has put the weights in the order of one processor; save the model with the graph optimization level extended, or use the original",
	"com.ms.internal.nhwc": "ONNX Runtime has changed the model for one device; save it without that device, or use the original",
	"org.pytorch.aten":     "the exporter left an operator of PyTorch as it is; export the model with dynamo=True, or with a newer operator set",
	"ai.onnx.contrib":      "it is an operator of onnxruntime-extensions; export the model without what comes before and behind it, as tokenizers and decoders of images",
	"TRT":                  plugins,
	"trt.plugins":          plugins,
}

func index(rows []operator) map[string]*operator {
	out := make(map[string]*operator, len(rows))
	for i := range rows {
		if out[rows[i].name] != nil {
			panic("onnx: operator " + rows[i].name + " is in the table twice")
		}
		out[rows[i].name] = &rows[i]
	}
	return out
}

// The versions of the default operator set that the importer knows.
const (
	MinOpset = 1
	MaxOpset = 28
)

// Domains returns the names of the supported operators of each domain, sorted. The default domain's name is empty.
func Domains() map[string][]string {
	out := map[string][]string{}
	for domain, table := range tables() {
		out[domain] = slices.Sorted(maps.Keys(table))
	}
	return out
}

// Operators returns the names of the supported operators of the default domain, sorted.
func Operators() []string { return Domains()[""] }
