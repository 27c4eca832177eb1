"""Calls from programs back into Python: `jax.debug.print`, `jax.pure_callback`, `jax.experimental.io_callback` and what is built on them.

A call is a `custom_call @jax.callback` with a number; the plugin gives the number, and where arguments and results lie, to the one function that
is registered here.
"""
import ctypes
import itertools
import secrets
import traceback
import weakref

import numpy as np

#: What is to be called, by its number. Numbers of other processes are not among them: a stored program of theirs calls nothing here.
_called = weakref.WeakValueDictionary()
_numbers = itertools.count(secrets.randbits(61))
_SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int64, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, ctypes.c_size_t,
)


class _Entry:
    """A function with the types of what goes in and out; it can be called as long as this lives."""

    def __init__(self, callback, ins, outs):
        self.number = next(_numbers)
        self.callback = callback
        self.ins = [(a.shape, np.dtype(a.dtype)) for a in ins]
        self.outs = [(a.shape, np.dtype(a.dtype)) for a in outs]
        _called[self.number] = self


def _array(address, shape, dtype):
    """The memory at an address, as an array; no copy."""
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if size == 0:
        return np.zeros(shape, dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)


def _call(number, n, arguments, m, results, message, room):
    try:
        entry = _called.get(number)
        if entry is None:
            raise RuntimeError(f"function {number} is not known in this process")
        # Arguments are gone when the call ends.
        given = [_array(arguments[i], *entry.ins[i]).copy() for i in range(n)]
        made = entry.callback(*given)
        if len(made) != len(entry.outs):
            raise RuntimeError(f"Mismatched number of outputs from callback. Expected: {len(entry.outs)}, Actual: {len(made)}")
        for i, (value, (shape, dtype)) in enumerate(zip(made, entry.outs)):
            value = np.asarray(value)
            if value.dtype != dtype and value.dtype.kind == dtype.kind and value.ndim == 0:
                value = value.astype(dtype)
            if value.shape != tuple(shape):
                raise RuntimeError(
                    f"Incorrect output shape for return value #{i}: Expected: {tuple(shape)}, Actual: {value.shape}"
                )
            if value.dtype != dtype:
                from jax._src import dtypes

                value = np.asarray(dtypes.canonicalize_value(value))
            if value.dtype != dtype:
                raise RuntimeError(f"Incorrect output dtype for return value #{i}: Expected: {dtype}, Actual: {value.dtype}")
            _array(results[i], shape, dtype)[...] = value
        return 0
    except BaseException:
        text = traceback.format_exc().encode()[-(room - 1):] + b"\0"
        ctypes.memmove(message, text, len(text))
        return 1


# It must live as long as the library may call it.
_function = _SIGNATURE(_call)


def register(path: str, platform: str) -> None:
    """Tells the library whom to call, and JAX how its programs say so.

    JAX has no public name for the latter: where it has moved, callbacks stay what JAX refuses on this platform.
    """
    library = ctypes.CDLL(path)
    library.tfc_pjrt_on_callback.restype = None
    library.tfc_pjrt_on_callback.argtypes = [_SIGNATURE]
    library.tfc_pjrt_on_callback(_function)
    from jax._src import callback as jax_callback
    from jax._src.interpreters import mlir

    theirs = getattr(jax_callback, "emit_python_callback", None)
    if not callable(theirs) or not hasattr(mlir, "custom_call") or hasattr(theirs, "_tfc"):
        return

    def emit(ctx, callback, token, operands, operand_avals, result_avals, **rest):
        if tuple(ctx.module_context.platforms) != (platform,):
            return theirs(ctx, callback, token, operands, operand_avals, result_avals, **rest)
        entry = _Entry(callback, operand_avals, result_avals)
        ctx.module_context.add_keepalive(entry)
        call = mlir.custom_call(
            "jax.callback",
            result_types=[mlir.aval_to_ir_type(ctx.module_context, a) for a in result_avals],
            operands=list(operands),
            has_side_effect=True,
            api_version=4,
            backend_config={"id": mlir.ir.IntegerAttr.get(mlir.ir.IntegerType.get_signless(64), entry.number)},
        )
        # Calls are made in the order of the program: the token says nothing more.
        return list(call.results), token, entry

    emit._tfc = True
    jax_callback.emit_python_callback = emit
