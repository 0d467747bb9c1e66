@T.prim_func
def f(B: T.Buffer((4,), "int32")):
    while B[0] < 2000000000:
        for i in range(65536):
            B[i - 65536] = -1
        B[0] = 1
