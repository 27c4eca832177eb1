"""JAX on tfc: the platform `tfc`, whose programs are compiled and run by tfc's engine.

    JAX_PLATFORMS=tfc python3 program.py

JAX finds this module by itself where the wheel `tfc-jax` is installed. Without the variable the platform is there beside the others
(`jax.devices("tfc")`), and is not the default one.

| variable | means | |
|---|---|---|
| `TFC_PJRT_LIBRARY` | the plugin's library | else the one beside this file |
| `TFC_NUM_DEVICES` | how many devices there are | 1 |
| `TFC_THREADS` | threads of a program, 0 for all of the machine | 0 |
| `TFC_FAST_MATH` | 1: speed before exactness, as tfc's page on numbers says | 0 |
"""
import os
import pathlib

from . import _callbacks

#: The platform's name.
PLATFORM = "tfc"
#: Behind the processor (0) and before nothing: it is the default only where it is asked for.
PRIORITY = -500
#: Modules of JAX whose rules for the processor hold here.
_LIKE_CPU = {f"jax._src.{name}" for name in ("lax.linalg", "debugging", "callback", "checkify")}
#: JAX before this version hands over programs in a way that the plugin does not know.
OLDEST = (0, 6)


def library() -> pathlib.Path:
    """The plugin's library.

    Raises:
        RuntimeError: there is none where it should be.
    """
    named = os.environ.get("TFC_PJRT_LIBRARY")
    here = pathlib.Path(__file__).parent
    for path in [pathlib.Path(named)] if named else [here / f"libpjrt_tfc.{end}" for end in ("so", "dylib")]:
        if path.is_file():
            return path
    where = f"TFC_PJRT_LIBRARY names {named}, which is no file" if named else f"there is none in {here}"
    raise RuntimeError(f"tfc's plugin is not there: {where}; `pip install tfc-jax` brings it")


def _options() -> dict:
    """What the client is told; a variable that is no number is an error by its name."""
    out = {}
    for variable, option in [("NUM_DEVICES", "num_devices"), ("THREADS", "threads"), ("FAST_MATH", "fast_math")]:
        text = os.environ.get(f"TFC_{variable}")
        if text:
            if not text.isdigit():
                raise RuntimeError(f"TFC_{variable} is `{text}`; a number is expected")
            out[option] = int(text)
    return out


def _rules() -> None:
    """Tells JAX what this platform does as the processor does: factorisations are LAPACK's calls, memory may be donated, programs stored.

    JAX has no public names for these. Where one of these has moved, its generic rules are left, or it says what it lacks.
    """
    from jax._src.interpreters import mlir

    rules = getattr(mlir, "_platform_specific_lowerings", None)
    if isinstance(rules, dict):
        ours = rules[PLATFORM]
        for primitive, entry in list(rules.get("cpu", {}).items()):
            rule = getattr(entry, "rule", entry)
            module = getattr(getattr(rule, "func", rule), "__module__", "") or ""
            if module in _LIKE_CPU:
                ours.setdefault(primitive, entry)
    donating = getattr(mlir, "_platforms_with_donation", None)
    if isinstance(donating, list) and PLATFORM not in donating:
        donating.append(PLATFORM)
    try:
        from jax._src import compilation_cache
    except ImportError:
        return
    theirs, enabled = (getattr(compilation_cache, name, None) for name in ("is_cache_used", "_is_cache_enabled"))
    if callable(theirs) and callable(enabled):
        compilation_cache.is_cache_used = lambda backend: enabled() if backend.platform == PLATFORM else theirs(backend)


def initialize() -> None:
    """Registers the platform; JAX calls this when it looks for plugins.

    Raises:
        RuntimeError: JAX is too old, or the library is not there.
    """
    import jax
    from jax._src import xla_bridge

    version = tuple(int(n) for n in jax.__version_info__[:2])
    if version < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        raise RuntimeError(f"tfc-jax needs JAX {wanted} or later; this is {jax.__version__}")
    path = str(library())
    _rules()
    _callbacks.register(path, PLATFORM)
    xla_bridge.register_plugin(PLATFORM, priority=PRIORITY, library_path=path, options=_options)
