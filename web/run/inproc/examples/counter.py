# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((1, 64), dtype="float32"),
        w1: R.Tensor((64, 32), dtype="float32"),
        b1: R.Tensor((32,), dtype="float32"),
        w2: R.Tensor((32, 10), dtype="float32"),
    ) -> R.Tensor((1, 10), dtype="float32"):
        with R.dataflow():
            lv = R.matmul(x, w1)
            lv1 = R.add(lv, b1)
            lv2 = R.nn.relu(lv1)
            lv3 = R.matmul(lv2, w2)
            gv = R.nn.softmax(lv3, axis=-1)
            R.output(gv)
        return gv
