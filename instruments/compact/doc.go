// Package compact makes a short form of printed TVMScript for reading. A graph binding such as
//
//	conv1_Conv_conv2d: R.Tensor((1, 16, 32, 32), dtype="float32") = R.nn.conv2d(image, metadata["relax.expr.Constant"]["4e62e7a2f599"], data_layout="NCHW", dilation=[1, 1], groups=1, kernel_layout="OIHW", out_dtype="void", out_layout="NCHW", padding=[1, 1, 1, 1], strides=[1, 1])
//
// becomes a text and the type of what it binds:
//
//	conv1_conv2d = conv2d(image, c4e6, pad 1)                   f32[1,16,32,32]
//
// Only functions of the graph level are shortened; PrimFuncs stay as they are, but for their indentation. The compact text is
// a view of the exact one: line i shows line i, and each stretch of a line knows the columns that it stands for. What is copied,
// searched, linked and stored is the exact text, so nothing here needs to be read back.
//
// The package reads text, not IR: whoever has a printed module can show it so. It imports only the standard library.
package compact

//go:generate go run ./gen
