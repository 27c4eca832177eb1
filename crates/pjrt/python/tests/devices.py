"""What JAX asks of a platform besides values: devices, memory, donation, errors, callbacks, threads, stored programs.

    JAX_PLATFORMS=tfc,cpu TFC_PJRT_LIBRARY=target/release/libpjrt_tfc.so PYTHONPATH=crates/pjrt/python python3 crates/pjrt/python/tests/devices.py
"""
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import warnings

os.environ["TFC_NUM_DEVICES"] = "3"
import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np
from jax.experimental import serialize_executable
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def several():
    all_of_them = jax.devices()
    assert [d.id for d in all_of_them] == [0, 1, 2] and jax.default_backend() == "tfc", all_of_them
    assert [repr(d) for d in all_of_them] == [f"TfcDevice(id={i})" for i in range(3)], all_of_them
    x = jax.device_put(np.arange(4.0, dtype=np.float32), all_of_them[2])
    y = jax.jit(lambda x: x * 2 + 1)(x)
    assert y.devices() == {all_of_them[2]} and y.tolist() == [1, 3, 5, 7]
    assert jax.device_put(y, all_of_them[1]).devices() == {all_of_them[1]}
    assert [m.kind for m in all_of_them[0].addressable_memories()] == ["device"]
    before = all_of_them[1].memory_stats()["bytes_in_use"]
    z = jax.device_put(np.zeros((100, 10)), all_of_them[1])
    assert all_of_them[1].memory_stats()["bytes_in_use"] - before == z.nbytes
    del z
    assert all_of_them[1].memory_stats()["bytes_in_use"] == before
    mesh = Mesh(np.array(all_of_them[:1]), ("i",))
    w = jax.device_put(np.ones((2, 2)), NamedSharding(mesh, PartitionSpec("i")))
    total = jax.jit(jax.shard_map(lambda w: jax.lax.psum(w, "i"), mesh=mesh, in_specs=PartitionSpec("i"), out_specs=PartitionSpec()))
    assert total(w).tolist() == [[1, 1], [1, 1]]


def memory():
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    y = jnp.asarray(x.T) + 0
    assert np.array_equal(y, x.T)
    view = np.asarray(y)
    assert view.ctypes.data == np.asarray(y).ctypes.data
    # An array that goes backwards, one that repeats, none at all, and other types.
    for t in (x[::-1], np.broadcast_to(x, (4, 2, 3)), np.zeros((0, 3)), np.array(3), np.array([True, False]), x.astype(np.complex64)):
        assert np.array_equal(jax.device_put(t), t), t
    for dtype in (jnp.bfloat16, jnp.float16, jnp.int8, jnp.uint8, jnp.int16, jnp.uint16, jnp.uint32):
        t = np.asarray([0, 1, 3], dtype)
        assert np.array_equal(np.asarray(jax.device_put(t) + t), t + t)
    # Of at most eight bits: every pattern comes back, and is the number that NumPy takes it for.
    for name in "float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float4_e2m1fn int4 uint4 int2 uint2".split():
        dtype = np.dtype(getattr(jnp, name))
        count = 2 ** int(name.lstrip("uintfloa").split("_")[0])
        t = np.arange(count, dtype=np.uint8).view(dtype)
        there = jax.device_put(t)
        assert np.array_equal(np.asarray(there).view(np.uint8), t.view(np.uint8)) or name.startswith("float"), name
        assert np.array_equal(np.asarray(there.astype(np.float32)), t.astype(np.float32), equal_nan=True), name
        assert np.array_equal(np.asarray(there.astype(np.float32).astype(dtype)).astype(np.float32), t.astype(np.float32), equal_nan=True), name
    y.delete()
    try:
        y + 1
    except RuntimeError as e:
        assert "deleted" in str(e)
    else:
        raise AssertionError("a deleted array was used")


def donation():
    f = jax.jit(lambda x: x * 2, donate_argnums=0)
    x = jnp.arange(5.0) + 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = f(x)
    assert x.is_deleted() and y.tolist() == [0, 2, 4, 6, 8]
    x = jnp.arange(5.0) + 0
    view = np.asarray(x)
    y = f(x)
    assert view.tolist() == [0, 1, 2, 3, 4] and y.tolist() == [0, 2, 4, 6, 8]


def errors():
    try:
        jax.jit(lambda: jax.lax.rng_uniform(0.0, 1.0, (3,)))()
    except jax.errors.JaxRuntimeError as e:
        text = str(e)
        assert "stablehlo.rng" in text and "E0240" in text, text
    else:
        raise AssertionError("rng has values that nothing tells")
    def fails(x):
        raise ValueError("no such row")

    try:
        jax.jit(lambda x: jax.pure_callback(fails, x, x))(jnp.float32(1)).block_until_ready()
    except jax.errors.JaxRuntimeError as e:
        assert "no such row" in str(e), e
    else:
        raise AssertionError("a call has failed, and nobody heard of it")
    # What has failed leaves everything as it was.
    assert jax.jit(lambda x: x + 1)(1.0) == 2


def callbacks():
    """Programs call back into Python, in their order."""
    seen = []

    def note(x):
        seen.append(np.asarray(x).tolist())

    @jax.jit
    def f(x):
        y = jax.pure_callback(lambda t: np.linalg.norm(t).astype(t.dtype), jax.ShapeDtypeStruct((), x.dtype), x)
        jax.debug.callback(note, x[0])
        z = jax.lax.fori_loop(0, 3, lambda i, c: c + jax.pure_callback(lambda i: np.float32(2 * i), jax.ShapeDtypeStruct((), np.float32), i), 0.0)
        jax.debug.callback(note, y)
        a, b = jax.pure_callback(lambda t: (t.T.copy(), np.array(t.shape, np.int32)), (x2(x), jax.ShapeDtypeStruct((2,), np.int32)), x[None])
        return y, z, a, b

    x2 = lambda x: jax.ShapeDtypeStruct((x.shape[0], 1), x.dtype)
    y, z, a, b = f(jnp.array([3.0, 4.0]))
    jax.effects_barrier()
    assert (float(y), float(z), a.tolist(), b.tolist()) == (5, 6, [[3], [4]], [1, 2]), (y, z, a, b)
    assert seen == [3, 5], seen
    # By JAX's own vmap and grad, which see the rules that a function has.
    assert jax.vmap(lambda t: jax.pure_callback(np.sin, t, t, vmap_method="sequential"))(jnp.arange(3.0)).tolist() == np.sin(np.arange(3, dtype=np.float32)).tolist()
    # In order, and from loops and branches.
    seen.clear()

    @jax.jit
    def g(x):
        jax.experimental.io_callback(note, None, x, ordered=True)
        jax.lax.fori_loop(0, 3, lambda i, c: (jax.experimental.io_callback(note, None, i, ordered=True), c)[1], x)
        jax.lax.cond(x > 0, lambda: jax.experimental.io_callback(note, None, x * 2, ordered=True), lambda: None)
        return jax.experimental.io_callback(lambda x: np.asarray(x) + 1, jax.ShapeDtypeStruct((), x.dtype), x, ordered=True)

    assert float(g(jnp.float32(7))) == 8
    jax.effects_barrier()
    assert seen == [7, 0, 1, 2, 14], seen


def threads():
    f = jax.jit(lambda x: jnp.sin(x) @ x.T)
    wrong = []

    def work(k):
        x = np.full((20, 30), k, np.float32)
        want = np.sin(x) @ x.T
        for _ in range(50):
            if not np.allclose(f(x), want, rtol=1e-5):
                wrong.append(k)

    all_of_them = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [t.start() for t in all_of_them]
    [t.join() for t in all_of_them]
    assert not wrong, wrong


def stored():
    f = jax.jit(lambda x: jnp.cumsum(x * 3))
    compiled = f.lower(jnp.arange(4.0)).compile()
    assert compiled(jnp.arange(4.0)).tolist() == [0, 3, 9, 18]
    assert compiled.memory_analysis().output_size_in_bytes == 16
    again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled), execution_devices=jax.devices()[:1])
    assert again(jnp.arange(4.0)).tolist() == [0, 3, 9, 18]
    with tempfile.TemporaryDirectory() as folder:
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
        g = lambda x: x * 5 + 2
        assert jax.jit(g)(jnp.arange(3.0)).tolist() == [2, 7, 12]
        assert any(os.scandir(folder)), "nothing was stored"
        jax.clear_caches()
        assert jax.jit(g)(jnp.arange(3.0)).tolist() == [2, 7, 12]
        jax.config.update("jax_enable_compilation_cache", False)


def missing():
    """One sentence where the library is not there."""
    program = "import jax; jax.devices()"
    given = {**os.environ, "TFC_PJRT_LIBRARY": "/nowhere/libpjrt_tfc.so", "JAX_PLATFORMS": "tfc"}
    r = subprocess.run([sys.executable, "-c", program], env=given, capture_output=True, text=True)
    assert r.returncode != 0 and "tfc's plugin is not there: TFC_PJRT_LIBRARY names /nowhere" in r.stderr, r.stderr
    r = subprocess.run([sys.executable, "-c", program], env={**os.environ, "TFC_THREADS": "many"}, capture_output=True, text=True)
    assert r.returncode != 0 and "TFC_THREADS is `many`" in r.stderr, r.stderr


def shown():
    """Functions and gradients as text of tfc's language, whatever platform runs them; what is wrong is said."""
    import tfc_jax

    loss = lambda w, x: jnp.sum(jnp.tanh(x @ w) ** 2)
    w, x = jax.ShapeDtypeStruct((3, 2), jnp.float32), jnp.ones((4, 3))
    text = tfc_jax.reveal(jax.grad(loss), w, x)
    assert "export func @main(%arg0: f32[3, 2], %arg1: f32[4, 3]) -> f32[3, 2]" in text and text.count("dot_general(") == 2, text
    assert "call(" in tfc_jax.reveal(loss, w, x, passes="") or "func private" not in text, text
    fused = tfc_jax.reveal(jax.jit(loss), w, x, passes="O2")
    assert "fused(" in fused and "tanh(" in fused, fused
    plan = tfc_jax.reveal(loss, w, x, emit="plan")
    assert plan.startswith("plan @main") and "dot_general(" in plan, plan
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loss.tfir")
        tfc_jax.save(path, loss, w, x)
        with open(path) as file:
            assert file.read() == tfc_jax.reveal(loss, w, x)
    for given, word in [(dict(passes="nonsense"), "nonsense"), (dict(emit="c"), "emit is 'c'")]:
        try:
            tfc_jax.reveal(loss, w, x, **given)
        except ValueError as e:
            assert word in str(e), e
        else:
            raise AssertionError(f"{given} passed")
    try:
        tfc_jax.reveal(lambda x: jax.lax.rng_uniform(0.0, 1.0, x.shape), x)
    except ValueError as e:
        assert "rng" in str(e), e
    else:
        raise AssertionError("a program that nothing defines passed")


def programs():
    """Programs of tfc called with arrays: from a file, differentiated, with results of any size; one compilation for all sizes; NaN explained."""
    import tfc_jax

    def refused(kind, f, *words):
        try:
            f()
        except kind as e:
            assert all(w in str(e) for w in words), e
        else:
            raise AssertionError(f"that passed, {words}")

    positive = """tfir 1.0
export func @main<n>(%x: f32[n]) -> (squares: f32[?r]) {
  %zero: f32[n] = const(splat = 0.0)
  %m = gt(%x, %zero)
  %kept: f32[?r] = compress(%x, %m)
  %squares = mul(%kept, %kept)
  return %squares
}
"""
    x = jnp.asarray([1.0, -2.0, 3.0])
    assert tfc_jax.call(tfc_jax.parse(positive), x).tolist() == [1, 9]
    assert tfc_jax.call(tfc_jax.parse(positive), -jnp.ones(5)).shape == (0,)
    assert jax.grad(lambda x: tfc_jax.call(tfc_jax.parse(positive), x).sum())(x).tolist() == [2, 0, 6]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "squares.tfir")
        with open(path, "w") as file:
            file.write("tfir 1.1\nexport func @main<n>(%x: f32[n], %k: i32[]) -> (total: f32[], all: f32[n]) {\n"
                       "  %all = mul(%x, %x)\n  return reduce_sum(%all, axes = [0]), %all\n}\n")
        program = tfc_jax.load(path)
        total, each = program(np.arange(4, dtype=np.float32), np.int32(0))
        assert total == 14 and total.shape == () and list(each) == [0, 1, 4, 9] and not each.flags.writeable, (total, each)
        named = program(x=jnp.arange(3.0)[::-1], k=np.int32(1))
        assert list(named[1]) == [4, 1, 0], named
        assert list(program.grad()(jnp.ones(3), np.int32(0))) == list(program.grad("x")(jnp.ones(3), np.int32(0))) == [2, 2, 2] and "mul(" in program.text
        assert program.vmap((0, None), (0, 0))(jnp.ones((2, 3)), np.int32(0))[0].tolist() == [3, 3]
        # What is a program's stays readable after the program is gone.
        del program
        assert list(each) == [0, 1, 4, 9]
        assert list(jax.grad(lambda x: tfc_jax.call(path, x, np.int32(5))[1][2])(jnp.arange(3.0))) == [0, 0, 4]
        refused(TypeError, lambda: jax.jit(lambda x: tfc_jax.call(path, x, np.int32(5)))(jnp.arange(3.0)), "inside of jax.jit")
        refused(ValueError, lambda: tfc_jax.load(path)(np.arange(4.0, dtype=np.float64), np.int32(0)), "E070", "f32")
        refused(ValueError, lambda: tfc_jax.load(path)(np.zeros(3, np.float32)), "E0701")
        refused(ValueError, lambda: tfc_jax.load(path)(y=np.zeros(3, np.float32)), "there is no input `y`")
        refused(ValueError, lambda: tfc_jax.load(os.path.join(folder, "nothing.tfir")), "E0601")
        refused(ValueError, lambda: tfc_jax.parse("tfir 1.0\nexport func @f() -> f32[] {\n  return %y\n}\n"), "%y")
    for dtype in ("bfloat16", "float8_e5m2", "int4", "bool", "complex64"):
        x = jnp.asarray([[1, 0, 1]]).astype(dtype)
        spelled = {"bfloat16": "bf16", "float8_e5m2": "f8e5m2", "int4": "i4", "bool": "bool", "complex64": "c32"}[dtype]
        flip = tfc_jax.parse(f"tfir 1.1\nexport func @f<m, n>(%x: {spelled}[m, n]) -> {spelled}[n, m] {{\n  return transpose(%x, perm = [1, 0])\n}}\n")
        y = flip(x)
        assert y.dtype == x.dtype and y.shape == (3, 1) and y.astype(complex).ravel().tolist() == [1, 0, 1], (dtype, y)
        assert flip(x[:, :0]).shape == (0, 1)

    def model(w, x):
        h = jnp.tanh(x @ w["a"])
        return {"y": h @ w["b"], "mean": h.mean(0), "n": jnp.float32(x.shape[0])}

    w = {"a": jnp.ones((3, 4)) / 8, "b": jnp.ones((4, 2))}
    f = tfc_jax.jit(model, shapes=(None, "b, 3"))
    for b in (1, 7, 1000):
        x = jnp.sin(jnp.arange(3.0 * b)).reshape(b, 3)
        for key, want in model(w, x).items():
            np.testing.assert_allclose(f(w, x)[key], want, rtol=1e-5, atol=1e-6)
    assert len(f.programs()) == 1 and isinstance(f(w, x)["y"], jax.Array)
    g = tfc_jax.jit(jax.grad(lambda w, x: jnp.sum(model(w, x)["y"] ** 2)), shapes=(None, "b, 3"))
    for b in (2, 5):
        x = jnp.cos(jnp.arange(3.0 * b)).reshape(b, 3)
        np.testing.assert_allclose(g(w, x)["a"], jax.grad(lambda w, x: jnp.sum(model(w, x)["y"] ** 2))(w, x)["a"], rtol=1e-4)
    assert len(g.programs()) == 1
    refused(ValueError, lambda: f(w), "2 arguments and 1")
    refused(TypeError, lambda: jax.grad(lambda w: f(w, x)["n"])(w), "transformations")
    pairs = tfc_jax.jit(lambda x: x.reshape(-1, 2).sum(1)[2], shapes=("2*n",), constraints=["n >= 3"])
    assert pairs(jnp.arange(6.0)) == 9 and pairs(np.arange(8)) == 9
    refused(ValueError, lambda: pairs(jnp.arange(5.0)), "2*n")
    refused(ValueError, lambda: pairs(jnp.arange(4.0)), "n >= 3")

    loss = lambda w, x: jnp.sum(jnp.sqrt(w * x - 1))
    said = tfc_jax.explain(loss, jnp.ones(2), jnp.zeros(2))
    assert "`sqrt` makes" in said and "devices.py" in said, said
    assert tfc_jax.explain(loss, jnp.ones(2), 2 * jnp.ones(2)) == ""
    said = tfc_jax.explain(jax.grad(lambda x, y: jnp.sqrt(x * x)), 0.0, 1.0)
    assert "nan" in said and "makes" in said, said
    assert tfc_jax.explain(lambda x: 1 / x, 0.0) == "" and "inf" in tfc_jax.explain(lambda x: 1 / x, 0.0, inf=True)


def growth():
    """Memory does not grow by what is run again and again; what a call takes is printed."""
    f = jax.jit(lambda x: (x + 1, x.sum()))
    x = jnp.arange(1000.0)
    size = lambda: int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() if os.path.exists("/proc/self/statm") else 0
    for _ in range(2000):
        f(x)
    before, start = size(), time.perf_counter()
    for _ in range(20000):
        y = f(x)[0]
    y.block_until_ready()
    each = (time.perf_counter() - start) / 20000
    assert size() - before < 4 << 20, f"{size() - before} bytes more after 20 000 calls"
    print(f"a call of x + 1 and a sum over 1000 numbers takes {each * 1e6:.1f} us")


for test in (several, memory, donation, errors, callbacks, threads, stored, missing, shown, programs, growth):
    test()
    print(f"{test.__name__}: ok")
