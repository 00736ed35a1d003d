# Functions of NumPy, SciPy and PyTorch, as the table calls them. A library that is absent is named by the function that needs it.
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gamma
import numpy as np

np.seterr(all="ignore")


def kernels(prefix, table):
    for name, f in table.items():
        f.__name__ = prefix + name
        gamma.kernel(f)


def here(name):
    def probe(x):
        __import__(name)
        return 0.0
    return probe


for prefix, name in ("np", "numpy"), ("sp", "scipy.special"), ("t", "torch"):
    kernels(prefix + "_", {"here": here(name)})


def halves(f):
    return lambda *a: f(*(x.view(np.float16) for x in a))


def bits(a):
    return np.asarray(a).view(np.uint16)


def columns(x):
    return np.repeat(x[:, None], 2, axis=1)


kernels("np_", {
    "sum": lambda x: np.sum(x),
    "sum16": halves(lambda x: bits(np.sum(x))),
    "sum_slow": lambda x: np.sum(columns(x), axis=0)[0],
    "sum_strided": lambda x: np.sum(columns(x)[:, 0]),
    "sum_as64": lambda x: np.float32(np.sum(x, dtype=np.float64)),
    "mean": lambda x: np.mean(x),
    "var": lambda x: np.var(x),
    "std": lambda x: np.std(x),
    "dot": lambda x, y: np.dot(x, y),
    "vdot": lambda x, y: np.vdot(x, y),
    "einsum_dot": lambda x, y: np.einsum("i,i->", x, y),
    "einsum_sum": lambda x: np.einsum("i->", x),
    "matmul": lambda a, b: a @ b,
    "einsum_matmul": lambda a, b: np.einsum("ik,kj->ij", a, b),
    "inner": lambda x, y: np.inner(x, y),
    "cumsum": lambda x: np.cumsum(x),
    "norm": lambda x: np.linalg.norm(x),
    "exp": lambda x: np.exp(x),
    "log": lambda x: np.log(x),
    "sin": lambda x: np.sin(x),
    "cos": lambda x: np.cos(x),
    "tanh": lambda x: np.tanh(x),
    "sqrt": lambda x: np.sqrt(x),
    "fft": lambda x, sign: np.fft.fft(x) if sign < 0 else np.fft.ifft(x),
})

try:
    import scipy.fft
    import scipy.special

    kernels("sp_", {
        "logsumexp": lambda x: scipy.special.logsumexp(x),
        "softmax": lambda x: scipy.special.softmax(x),
        "log_softmax": lambda x: scipy.special.log_softmax(x),
        "expit": lambda x: scipy.special.expit(x),
        "erf": lambda x: scipy.special.erf(x),
        "expm1": lambda x: scipy.special.expm1(x),
        "log1p": lambda x: scipy.special.log1p(x),
        "exp2": lambda x: scipy.special.exp2(x),
        "fft": lambda x, sign: scipy.fft.fft(x) if sign < 0 else scipy.fft.ifft(x),
    })
except ImportError:
    pass

try:
    import torch

    torch.set_num_threads(1)

    def tensor(a, t=None):
        return torch.from_numpy(np.array(a)) if t is None else torch.from_numpy(np.array(a).view(np.int16)).view(t)

    def on(f, t=None):
        def call(*a):
            r = f(*(tensor(x, t) if np.ndim(x) else x for x in a))
            return r.numpy() if t is None else r.view(torch.int16).numpy().view(np.uint16)
        return call

    F = torch.nn.functional
    one = {
        "sum": lambda x: x.sum(), "mean": lambda x: x.mean(),
        "softmax": lambda x: F.softmax(x, -1), "log_softmax": lambda x: F.log_softmax(x, -1), "logsumexp": lambda x: torch.logsumexp(x, -1),
        "layer_norm": lambda x, gamma, beta: F.layer_norm(x, x.shape[-1:], gamma, beta, 1e-5),
        "gelu": lambda x: F.gelu(x), "relu": lambda x: F.relu(x), "silu": lambda x: F.silu(x), "sigmoid": lambda x: torch.sigmoid(x),
        "tanh": lambda x: torch.tanh(x), "exp": lambda x: torch.exp(x), "cumsum": lambda x: torch.cumsum(x, -1), "matmul": lambda a, b: a @ b,
    }
    kernels("t_", {name: on(f) for name, f in one.items()})
    kernels("t16_", {name: on(f, torch.float16) for name, f in one.items()})
    def offered(name, f):
        def probe(x):
            f(*[torch.ones((1, 1) if name == "matmul" else 1, dtype=torch.float16)] * f.__code__.co_argcount)
            return 0.0
        return probe

    kernels("t16_has_", {name: offered(name, f) for name, f in one.items()})
    kernels("tb16_", {name: on(f, torch.bfloat16) for name, f in one.items()})
except ImportError:
    pass
