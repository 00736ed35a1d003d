import os
import sys
import time

import gamma
import numpy as np


@gamma.kernel
def total(x):
    return x.sum()


@gamma.kernel
def total_without_last(x):
    return x[:-1].sum()


@gamma.kernel
def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@gamma.kernel
def softmax_of_no_maximum(x):
    e = np.exp(x)
    return e / e.sum(axis=1, keepdims=True)


@gamma.kernel
def total_strided(n, x, incx):
    return x[: n * incx : incx].sum()


@gamma.kernel
def dot(x, y):
    return (x * y).sum()  # np.dot is a BLAS's, some of which add in binary64 in places


@gamma.kernel
def fft(src, sign):
    return np.fft.fft(src) if sign < 0 else np.fft.ifft(src)


@gamma.kernel
def two_sum(src):
    a, b = src[:, 0], src[:, 1]
    s = a + b
    z = s - a
    return np.stack([s, (a - (s - z)) + (b - z)], axis=1)


@gamma.kernel
def mulmod(q, src):
    return np.array([[int(a) * int(b) % int(q)] for a, b in src], "<u8").reshape(-1, 1)


@gamma.kernel
def chatty(x):
    print("adding", len(x), "numbers")
    sys.stderr.write("noise\n" * 10)
    return x.sum()


@gamma.kernel
def crashing(x):
    if len(x) > 4:
        os.abort()
    return x.sum()


@gamma.kernel
def slow(x):
    if len(x) > 4:
        time.sleep(3600)
    return x.sum()


@gamma.kernel
def raising(x):
    return x[len(x)]


@gamma.kernel
def writing(x):
    x[0] = 0
    return x.sum()


@gamma.kernel
def wide(x):
    return x.sum(dtype=np.float64)


@gamma.kernel
def many(x):
    return x


@gamma.kernel
def echo(*a):
    return a
