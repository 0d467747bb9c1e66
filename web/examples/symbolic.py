# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 16), dtype="float32"),
        w: R.Tensor((16, 4), dtype="float32"),
    ) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv = R.matmul(x, w)
            lv1 = R.nn.gelu(lv)
            gv = R.multiply(lv1, lv1)
            R.output(gv)
        return gv
