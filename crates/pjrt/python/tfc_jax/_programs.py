"""Programs of tfc called from Python: what a file holds, or what JAX has written for all sizes at once.

The functions behind them are those of the library for C, which the plugin's library brings along.
"""
import ctypes
import functools
import os

import numpy as np

from jax_plugins.tfc import library

#: In the order of `tfc_dtype` of tfc.h.
DTYPES = (
    "bool int32 int64 uint32 uint64 float32 float64 complex64 complex128 int8 int16 uint8 uint16 bfloat16 float16 int2 int4 uint2 uint4 "
    "float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
    "float8_e5m2fnuz"
).split()
#: In the order of `tfc_derivative`.
DERIVATIVES = "grad value_and_grad vjp jvp hvp".split()
#: `TFC_NO_AXIS`.
NO_AXIS = -(1 << 63)


class Buffer(ctypes.Structure):
    """`tfc_buffer`."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
    ]


@functools.cache
def lib():
    """The library, whose functions have their types."""
    lib = ctypes.CDLL(str(library()))
    pointer, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    integers, buffers = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(Buffer)
    for name, result, arguments in [
        ("tfc_error", text, []),
        ("tfc_load", pointer, [text]),
        ("tfc_parse", pointer, [text, size, ctypes.c_int]),
        ("tfc_differentiate", pointer, [pointer, ctypes.c_int, ctypes.POINTER(size), size]),
        ("tfc_vmap", pointer, [pointer, integers, size, integers, size]),
        ("tfc_text", pointer, [pointer]),
        ("tfc_input_count", size, [pointer]),
        ("tfc_output_count", size, [pointer]),
        ("tfc_input_position", ctypes.c_int64, [pointer, text]),
        ("tfc_compile", pointer, [pointer, ctypes.c_uint32]),
        ("tfc_call", ctypes.c_int, [pointer, buffers, size, ctypes.POINTER(pointer), size]),
        ("tfc_explain", pointer, [pointer, buffers, size, ctypes.c_int]),
        ("tfc_view", ctypes.c_int, [pointer, buffers]),
        ("tfc_jax_reveal", ctypes.c_int, [text, size, text, ctypes.c_int, ctypes.POINTER(pointer)]),
        ("tfc_free_program", None, [pointer]),
        ("tfc_free_compiled", None, [pointer]),
        ("tfc_free_tensor", None, [pointer]),
        ("tfc_free_text", None, [pointer]),
    ]:
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def _wrong():
    return ValueError(lib().tfc_error().decode())


def _given(pointer):
    if not pointer:
        raise _wrong()
    return pointer


def _text(pointer) -> str:
    try:
        return ctypes.string_at(_given(pointer)).decode()
    finally:
        lib().tfc_free_text(pointer)


class _Owned:
    """A tensor of tfc's as an array of NumPy's, which keeps it for as long as somebody looks at it."""

    def __init__(self, pointer):
        self._pointer = pointer
        view = Buffer()
        if lib().tfc_view(pointer, ctypes.byref(view)):
            raise _wrong()
        self.dtype = np.dtype(_named(DTYPES[view.dtype]))
        numbers = lambda address: (ctypes.c_int64 * view.rank).from_address(address) if view.rank else ()
        shape = tuple(numbers(view.shape))
        # An array without elements may have no memory, which NumPy wants an address of; small dtypes are bytes to it.
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": self.dtype.str if self.dtype.isbuiltin == 1 else f"|V{self.dtype.itemsize}",
            "data": (view.data or 1, True),
            "strides": tuple(s * self.dtype.itemsize for s in numbers(view.strides)),
        }

    def __del__(self):
        lib().tfc_free_tensor(self._pointer)

    def array(self):
        if 0 in self.__array_interface__["shape"]:
            return np.zeros(self.__array_interface__["shape"], self.dtype)
        seen = np.asarray(self)
        return seen if seen.dtype == self.dtype else seen.view(self.dtype)


def _named(name):
    if hasattr(np, name) or name == "bool":
        return name
    import ml_dtypes

    return getattr(ml_dtypes, name)


@functools.cache
def _number(dtype) -> int:
    """Of `tfc_dtype`."""
    if dtype.name not in DTYPES:
        raise ValueError(f"tfc has no dtype {dtype.name}; it has {', '.join(DTYPES)}")
    return DTYPES.index(dtype.name)


def _buffers(arrays):
    """Descriptions of arrays, which live as long as the second result does."""
    kept, out = [], (Buffer * max(len(arrays), 1))()
    for b, x in zip(out, arrays):
        size, strides = x.itemsize, x.strides
        if not x.dtype.isnative or any([s % size for s in strides]):
            x = np.ascontiguousarray(x, x.dtype.newbyteorder("="))
            strides = x.strides
        rank = x.ndim
        numbers = (ctypes.c_int64 * (2 * rank + 1))(*x.shape, *[s // size for s in strides])
        b.data, b.dtype, b.rank = x.__array_interface__["data"][0], _number(x.dtype), rank
        b.shape = ctypes.addressof(numbers)
        b.strides = b.shape + 8 * rank
        kept.append((x, numbers))
    return out, kept


class Program:
    """A program of tfc: its text, its derivatives, and a function of arrays.

    It is compiled when it is first called, once for all sizes that its types allow. Arrays are read where they lie; results are NumPy arrays
    (read only) in memory of the engine's. Extents of results may depend on values: `tfc_jax.load("unique.tfir")(x)` has as many elements as there are.
    """

    def __init__(self, pointer):
        self._pointer, self._compiled = _given(pointer), None
        self._inputs, self._outputs = lib().tfc_input_count(pointer), lib().tfc_output_count(pointer)

    def __del__(self):
        # Where a constructor has failed there is nothing to free.
        if getattr(self, "_compiled", None):
            lib().tfc_free_compiled(self._compiled)
        if getattr(self, "_pointer", None):
            lib().tfc_free_program(self._pointer)

    @property
    def text(self) -> str:
        """The program's text."""
        return _text(lib().tfc_text(self._pointer))

    def __repr__(self):
        return f"<tfc program of {self._inputs} inputs and {self._outputs} outputs>"

    def _arrays(self, args, named):
        args = list(args)
        if named:
            args += [None] * (self._inputs - len(args))
            for name, x in named.items():
                args[self._position(name)] = x
        if any(x is None for x in args):
            raise ValueError(f"the program has {self._inputs} inputs; {sum(x is None for x in args)} of them have no value")
        return [_host(x) for x in args]

    def _position(self, name) -> int:
        if isinstance(name, int):
            return name
        at = lib().tfc_input_position(self._pointer, name.encode())
        if at < 0:
            raise _wrong()
        return at

    def __call__(self, *args, threads: int = 0, **named):
        """Runs it: one array for each input, in order or by name. One array, or a tuple of those where there is not one output.

        `threads` counts at the first call: 0 is as many as the machine has.

        Raises:
            ValueError: arguments that do not fit, or what the run reports; the message has tfc's code and advice.
        """
        arrays = self._arrays(args, named)
        if not self._compiled:
            self._compiled = _given(lib().tfc_compile(self._pointer, threads))
        given, kept = _buffers(arrays)
        out = (ctypes.c_void_p * max(self._outputs, 1))()
        if lib().tfc_call(self._compiled, given, len(arrays), out, self._outputs):
            raise _wrong()
        del kept
        results = tuple([_Owned(p) for p in out[: self._outputs]])
        results = tuple(r.array() for r in results)
        return results[0] if len(results) == 1 else results

    def _derivative(self, kind, by):
        by = [self._position(b) for b in by] or [0]
        return Program(lib().tfc_differentiate(self._pointer, DERIVATIVES.index(kind), (ctypes.c_size_t * max(len(by), 1))(*by), len(by)))

    def grad(self, *by):
        """The program of the gradient of its first result, a real scalar, by these inputs, names or positions; none are named: the first."""
        return self._derivative("grad", by)

    def value_and_grad(self, *by):
        """The same, with the results before the gradients."""
        return self._derivative("value_and_grad", by)

    def vjp(self, *by):
        """The inputs and a cotangent of each floating or complex result → the results, cotangents of the inputs `by`."""
        return self._derivative("vjp", by)

    def jvp(self, *by):
        """The inputs and a tangent of each of `by` → the results, a tangent of each floating or complex result."""
        return self._derivative("jvp", by)

    def hvp(self, *by):
        """The inputs and a vector like each of `by` → the results, gradients, products of the Hessian with the vectors."""
        return self._derivative("hvp", by)

    def vmap(self, in_axes=(), out_axes=()):
        """The program at many indices at once: an axis, or None, for each input and each output; none are given: axis 0 everywhere."""
        axes = lambda l: (ctypes.c_int64 * max(len(l), 1))(*(NO_AXIS if a is None else a for a in l))
        return Program(lib().tfc_vmap(self._pointer, axes(in_axes), len(in_axes), axes(out_axes), len(out_axes)))

    def explain(self, *args, inf: bool = False, **named) -> str:
        """Where a NaN of the results on these inputs comes from (with `inf`: or an infinity): the op that makes it of operands without,
        with its place, or the input that it came in by. An empty text where no result has one.
        """
        arrays = self._arrays(args, named)
        given, kept = _buffers(arrays)
        said = _text(lib().tfc_explain(self._pointer, given, len(arrays), inf))
        del kept
        return said


def _host(x):
    """What JAX or Python have as an array of NumPy's."""
    import jax

    if isinstance(x, jax.core.Tracer):
        raise TypeError(
            "a program of tfc is called with values, and inside of jax.jit there are none yet: call it outside, or write what it does in "
            "JAX; jax.grad without jit is possible by tfc_jax.call"
        )
    return np.asarray(x)


def _taken(x, traced):
    """The same of an argument of a function of JAX: numbers of Python and of 64 bits become what JAX makes of them."""
    import jax

    if isinstance(x, jax.core.Tracer):
        raise TypeError(traced)
    if isinstance(x, jax.Array):
        return np.asarray(x)
    return np.asarray(x, jax.dtypes.canonicalize_dtype(jax.numpy.result_type(x)))


def load(path: str | os.PathLike) -> Program:
    """A program from a file: `.tfir`, or StableHLO as `.mlir`, `.mlirbc` or what `jax.export` has serialised, `.bin`.

    Raises:
        ValueError: the file cannot be read, or something is wrong with the program; the message shows all of it, with places.
    """
    return Program(lib().tfc_load(os.fsencode(path)))


def parse(text: str | bytes) -> Program:
    """A program from text of tfc's language, whose first word is `tfir`, or StableHLO as text or bytecode.

    Raises:
        As `load`.
    """
    data = text.encode() if isinstance(text, str) else text
    lines = (line.strip() for line in data.split(b"\n"))
    ours = next((line for line in lines if line and not line.startswith(b"//")), b"").startswith(b"tfir")
    return Program(lib().tfc_parse(data, len(data), not ours))


@functools.lru_cache(64)
def _loaded(path, changed):
    return load(path)


def call(program, *args):
    """Calls a program of tfc with arrays of JAX; the results are arrays of JAX, of extents that only the run tells.

    `program` is a `Program` or the path of a file, which is read again where it has changed. Gradients are tfc's: `jax.grad`, `jax.vjp` and what is built on reverse
    mode differentiate through the call, outside of `jax.jit`, by the inputs that are floating or complex.

    Raises:
        ValueError: as `load` and `Program.__call__`.
        TypeError: inside of `jax.jit`, where there are no values.
    """
    import jax
    import jax.numpy as jnp

    if not isinstance(program, Program):
        path = os.fspath(program)
        program = _loaded(path, os.stat(path).st_mtime_ns if os.path.exists(path) else 0)
    real = lambda x: jnp.issubdtype(jnp.result_type(x), jnp.inexact)
    result = lambda y: tuple(map(jnp.asarray, y)) if isinstance(y, tuple) else jnp.asarray(y)

    @jax.custom_vjp
    def run(*args):
        return result(program(*args))

    def forward(*args):
        return run(*args), args

    def backward(args, cotangents):
        by = [i for i, x in enumerate(args) if real(x)]
        given = [c for c in (cotangents if isinstance(cotangents, tuple) else (cotangents,)) if c.dtype != jax.dtypes.float0]
        made = program.vjp(*by)(*args, *given) if by else ()
        made = made if isinstance(made, tuple) else (made,)
        slopes = iter(made[len(made) - len(by) :])
        return tuple(
            jnp.asarray(next(slopes)) if real(x) else np.zeros(jnp.shape(x), jax.dtypes.float0) for x in args
        )

    run.defvjp(forward, backward)
    return run(*args)


def jit(f, shapes, constraints=()):
    """A function of JAX, compiled by tfc once for all sizes.

        predict = tfc_jax.jit(model, shapes=(None, "b, 784"))
        predict(weights, x)                            # compiles
        predict(weights, x[:5])                        # does not

    Args:
        f: the function, jitted or not; for a gradient, `jax.grad(f)`.
        shapes: for each argument the extents that are names, as `jax.export.symbolic_shape` writes them (`"b, 784"`, `"n, n"`, `"..., d"`);
            None is an argument whose sizes are those of its values. An entry may be a tree like its argument, or one for all of its arrays.
        constraints: what holds of the names, as `jax.export.symbolic_shape` takes it: `["b >= 2", "mod(b, 4) == 0"]`.

    Returns:
        A function of arrays or of trees of arrays, whose results are arrays of JAX. It is compiled again for other dtypes, trees, or sizes that are
        not names. JAX's transformations do not go through it: they are applied to `f`.

    Raises:
        ValueError: what JAX cannot write for all sizes, or tfc does not read; the messages say what.
    """
    import jax
    import jax.numpy as jnp
    from jax import export

    inner = f if hasattr(f, "lower") else jax.jit(f)
    programs, known = {}, {}

    def made(args):
        specs = export.symbolic_args_specs(args, tuple(shapes), constraints=constraints)
        leaves, tree = jax.tree.flatten(specs)
        key = (tree, tuple((str(s.shape), str(s.dtype)) for s in leaves))
        if key not in programs:
            written = export.export(inner, platforms=["cpu"])(*specs)
            used = written.module_kept_var_idx
            programs[key] = (parse(written.mlir_module_serialized), used, written.out_tree)
        return programs[key]

    @functools.wraps(f)
    def run(*args):
        if len(args) != len(shapes):
            raise ValueError(f"there are shapes of {len(shapes)} arguments and {len(args)} arguments")
        leaves, tree = jax.tree.flatten(args)
        leaves = [_taken(x, "JAX's transformations do not go through what tfc_jax.jit gives: apply them to the function before") for x in leaves]
        key = (tree, tuple([(x.shape, x.dtype) for x in leaves]))
        found = known.get(key)
        if found is None:
            if len(known) >= 4096:
                known.clear()
            found = known[key] = made(jax.tree.unflatten(tree, leaves))
        program, used, out_tree = found
        out = program(*(leaves[i] for i in used))
        out = out if isinstance(out, tuple) else (out,)
        return jax.tree.unflatten(out_tree, list(map(jnp.asarray, out)))

    run.programs = lambda: [p[0] for p in programs.values()]
    return run


def explain(f, *args, inf: bool = False, **kwargs) -> str:
    """Where a NaN of a function's results on these arguments comes from (with `inf`: or an infinity).

        print(tfc_jax.explain(jax.grad(loss), w, x))

    The text says the op that makes it of operands without, and the line of Python that has written that op; it is empty where no result has one.

    Raises:
        ValueError: as `reveal`.
    """
    import jax

    whole = jax.jit(lambda *args, **kwargs: f(*args, **kwargs), keep_unused=True)
    code = whole.lower(*args, **kwargs).as_text(debug_info=True)
    leaves = [_taken(x, "a NaN is explained outside of JAX's transformations") for x in jax.tree.leaves((args, kwargs))]
    return parse(code).explain(*leaves, inf=inf)
