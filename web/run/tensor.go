package run

import "github.com/irscope/irscope/instruments/request"

// Tensor names a tensor that a visitor gave, see request.Tensor.
type Tensor = request.Tensor

// TensorFile is a file of tensors that a visitor gives for a module: inputs, or outputs that are expected of it.
type TensorFile struct {
	Expected bool
	// Name is that of the file, which tells its kind, and perhaps which input it is.
	Name string
	Data []byte
	// Taken are the names of inputs or outputs that other files were given for.
	Taken []string
}

// GivenTensor is a tensor of a file with its elements, whose hash is not set yet.
type GivenTensor struct {
	Tensor
	Data []byte
}
