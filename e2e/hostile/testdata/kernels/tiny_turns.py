@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    for i in range(T.int64(1000000000000000000)):
        A[0] = A[0] + T.float32(1)
