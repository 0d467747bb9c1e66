# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 8), dtype="float32"), large: R.Tensor((), dtype="bool")) -> R.Tensor((2, 8), dtype="float32"):
        # The condition is known: only one of the branches can run.
        if R.const(True, "bool"):
            a = R.nn.relu(x)
            b = R.add(a, a)
        else:
            a = R.negative(x)
            b = R.multiply(a, a)
        # Both branches compute the same: the condition does not matter.
        if large:
            c = R.exp(b)
        else:
            c = R.exp(b)
        # This one has to stay.
        if large:
            d = R.add(c, x)
        else:
            d = R.multiply(c, x)
        return d
