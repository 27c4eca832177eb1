"""What tfc does for a JAX program besides running it, and for programs of its own.

    import tfc_jax
    print(tfc_jax.reveal(jax.grad(loss), w, x))    # the program, or its plan, as text
    tfc_jax.save("loss.tfir", loss, w, x)          # then: tfc run loss.tfir -i …
    print(tfc_jax.explain(jax.grad(loss), w, x))   # where a NaN comes from
    f = tfc_jax.jit(model, shapes=(None, "b, 784"))  # one compilation for all sizes
    y = tfc_jax.call("unique.tfir", x)             # a program of tfc, whose results may have any size

The functions need the plugin's library and no platform: they work where JAX runs on another one as well.
"""
import ctypes
import os

from ._programs import Program, call, explain, jit, lib, load, parse

__all__ = ["READABLE", "Program", "call", "explain", "jit", "load", "parse", "reveal", "save"]

#: What makes an imported program short to read and changes nothing else: calls are written out, repetitions and what nobody needs are gone.
READABLE = "inline,fold,simplify,cse,dce"


def reveal(f, *args, passes: str = READABLE, emit: str = "tfir", **kwargs) -> str:
    """The program of a function for arguments of these shapes and dtypes, as text.

    Args:
        f: a function of JAX, jitted or not. For a gradient: `jax.grad(f)`.
        args, kwargs: arrays, or what else has `shape` and `dtype` (`jax.ShapeDtypeStruct`); nothing is computed.
        passes: passes of tfc that run before, by name, as `tfc opt -p` takes them: `""` for none, `"O1"` or `"O2"` for those of a level.
        emit: `"tfir"`, or `"plan"` for what the engine on this machine's processor runs.

    Raises:
        ValueError: `emit` is something else, a pass is not known, or the program has something that tfc does not read; the message says what.
    """
    import jax

    if emit not in ("tfir", "plan"):
        raise ValueError(f"emit is {emit!r}; it is 'tfir' or 'plan'")
    code = (f if hasattr(f, "lower") else jax.jit(f)).lower(*args, **kwargs).as_text(debug_info=True).encode()
    out = ctypes.c_void_p()
    failed = lib().tfc_jax_reveal(code, len(code), passes.encode(), emit == "plan", ctypes.byref(out))
    try:
        text = ctypes.string_at(out).decode()
    finally:
        lib().tfc_free_text(out)
    if failed:
        raise ValueError(text)
    return text


def save(path: str | os.PathLike, f, *args, passes: str = READABLE, **kwargs) -> None:
    """Writes what `reveal` says into a file, which `tfc run`, `tfc grad` and tfc's interfaces in other languages take.

    Raises:
        As `reveal`, and OSError.
    """
    text = reveal(f, *args, passes=passes, **kwargs)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
