"""The client of the process protocol of gamma/props/process, in NumPy alone. A kernel gets its arrays in order, which it must not write to,
and returns an array, a number, or a tuple of these. `python3 -m gamma kernels.py` serves the kernels of a file."""
import os, runpy, struct, sys, traceback
import numpy as np

VERSION, HELLO, RESULTS, FAILED, REFUSED = 1, 0, 2, 3, 4
kernels, types = {}, {}


def kernel(f):
    kernels[f.__name__] = f
    return f


def parse(b):
    """Returns the function's name and the arrays of a call, which lie in b, from its body at 16 on."""
    size, count = struct.unpack_from("<HH", b, 16)
    name, at, args = b[24:24 + size].decode(), 24 + (size + 7 & ~7), []
    for _ in range(count):
        code, dims = b[at:at + 4], b[at + 4]
        t = types.get(code) or types.setdefault(code, np.dtype("<" + code.rstrip(b"\0").decode()))
        shape = struct.unpack_from("<%dQ" % dims, b, at + 8)
        at, n = at + 8 + 8 * dims + (b[at + 5] + 7 & ~7), int(np.prod(shape)) if dims > 1 else shape[0] if dims else 1
        a = np.frombuffer(b, t, n, at)
        args.append(a if dims == 1 else a.reshape(shape) if dims else a[0])
        at += n * t.itemsize + 7 & ~7
    return name, args


def array(v):
    a = np.asarray(v)
    a = a.astype(a.dtype.newbyteorder("<"), "C", copy=False)
    return struct.pack("<4sBBH%dQ" % a.ndim, a.dtype.str[1:].encode(), a.ndim, 0, 0, *a.shape) + a.tobytes() + bytes(-a.nbytes % 8)


def run(name, args):
    """Calls a kernel, and returns the kind of frame to send and its body."""
    if name not in kernels:
        return REFUSED, ("no @gamma.kernel is called %s; there are: %s; write @gamma.kernel above its def" % (name, ", ".join(kernels) or "none")).encode()
    try:
        v = kernels[name](*args)
        v = v if isinstance(v, tuple) else (v,)
        return RESULTS, struct.pack("<HHI", 0, len(v), 0) + b"".join(map(array, v))
    except Exception:
        return FAILED, traceback.format_exc().strip().splitlines()[-1].encode()


if __name__ == "__main__":
    import gamma  # the kernels register there, and not in this module, which is called __main__
    into, out = os.fdopen(os.dup(0), "rb", 1 << 20), os.fdopen(os.dup(1), "wb", 0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what a kernel prints goes to standard error
    runpy.run_path(sys.argv[1])
    kind, call, body = HELLO, 0, b""
    while out.write(struct.pack("<4sHHII", b"GMMA", VERSION, kind, call, len(body)) + body) and (head := into.read(16)):
        magic, version, _, call, size = struct.unpack("<4sHHII", head)
        if (magic, version) != (b"GMMA", VERSION):
            sys.exit("gamma.py speaks version %d of the protocol, and was called in another" % VERSION)
        kind, body = gamma.run(*gamma.parse(head + into.read(size)))
