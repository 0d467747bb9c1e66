@T.prim_func
def f(A: T.Buffer((4,), "int64")):
    A[0] = T.int64(1) << T.int64(60)
    for i in range(A[0]):
        A[1] = A[1] + i
