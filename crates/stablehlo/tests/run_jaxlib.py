#!/usr/bin/env python3
"""Runs exported cases on jaxlib's CPU client and compares results: a judge that this project did not write.

usage: run_jaxlib.py FOLDER [WORD…]

FOLDER holds `NAME.mlir`, `NAME.in0.npy …`, `NAME.out0.npy …`; the tests write it with TFC_EXPORT_TO=FOLDER:
    TFC_EXPORT_TO=cases cargo test -p tfc-testkit --test it exported
    TFC_EXPORT_TO=cases cargo test -p tfc-lang --test it exported
WORDs choose the cases whose names hold one of them. Needs `pip install jax==0.10.2 scipy numpy`; without them it says so and
exits with 3. With TFC_PJRT_PLUGIN=PATH the programs run on that PJRT plugin, xla-cpu-pjrt for one. Tolerance: 1e-6 beside 1 and the size of the expected number, 1e-4 for f32 and complex of f32."""
import glob, os, re, subprocess, sys
PLUGIN = os.environ.get("TFC_PJRT_PLUGIN")
PLATFORM = "tfc_judge" if PLUGIN else "cpu"
os.environ["JAX_PLATFORMS"] = PLATFORM
os.environ["JAX_ENABLE_X64"] = "1"
try:
    import numpy as np, jax, jaxlib.mlir.ir as ir
    from jax._src import compiler, xla_bridge
    from jax._src.interpreters import mlir as jmlir
    from jax._src.lib import _jax
except ImportError as e:
    print(f"jaxlib is absent ({e}): nothing was judged", file=sys.stderr)
    sys.exit(3)


# What differs for a reason that is not the text's: by how a finding begins.
KNOWN = [
    (r"run elementary_f(32|64) \d+: check", "elementary functions of XLA are further off than this language allows"),
    (r"run linalg 12:|run linalg_qr_eigh 2[01]:", "near the ends of the range: on CPUs XLA takes denormal numbers for 0"),
    (r"run linalg_square 3:", "the inverse of a singular matrix is left open"),
]


def run(text, inputs):
    if PLUGIN and PLATFORM not in xla_bridge._backend_factories:
        xla_bridge.register_plugin(PLATFORM, library_path=PLUGIN)
    backend = xla_bridge.get_backend(PLATFORM)
    device = backend.local_devices()[0]
    with jmlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        options = compiler.get_compile_options(1, 1)
        exe = backend.compile_and_load(module, _jax.DeviceList((device,)), options, [])
    outs = exe.execute_sharded([jax.device_put(x, device) for x in inputs])
    return [np.asarray(o[0]) for o in outs.disassemble_into_single_device_arrays()]


def numbered(base, kind):
    out = []
    while os.path.exists(p := f"{base}.{kind}{len(out)}.npy"):
        out.append(np.load(p))
    return out


def counted(w, g, ty):
    """What counts of a result whose extents values decide, or what is wrong with the rest."""
    if len(w.shape) != len(g.shape) or any(a > b for a, b in zip(w.shape, g.shape)):
        return g, None
    if "#stablehlo.bounds" in ty:
        # jaxlib shows a buffer as long as it can get; what counts is packed at its beginning.
        return g.reshape(-1)[: w.size].reshape(w.shape), None
    inside = tuple(slice(0, n) for n in w.shape)
    rest = g.copy()
    rest[inside] = 0
    return g[inside], None if not rest.any() else "what does not count is not zero"


def differs(want, got, text, name=""):
    found = re.findall(r'(tensor<[^{}]*>) \{jax.result_info = "((?:[^"\\]|\\.)*)"\}', text)
    tys, infos = [f[0] for f in found], [f[1] for f in found]
    lengths = {n for w in want for n in w.shape}
    for i, g in enumerate(got):
        if infos[i].startswith("extent: ") and i >= len(want) and int(g) not in lengths:
            return f"{infos[i]} is {g}, and no axis is so long"
    if len(got) < len(want):
        return f"{len(got)} results, not {len(want)}"
    for i, (w, g) in enumerate(zip(want, got)):
        g, wrong = counted(w, g, tys[i])
        if wrong:
            return f"result {i}: {wrong}"
        if w.shape != g.shape or w.dtype != g.dtype:
            return f"result {i} is {g.dtype}{g.shape}, not {w.dtype}{w.shape}"
        if "linalg.schur c" in name and i < 2:
            # A phase of each vector, which rounding decides.
            w, g = abs(w), abs(g)
        if w.dtype.kind not in "fc":
            if not np.array_equal(w, g):
                return f"result {i}: {g.tolist()}, not {w.tolist()}"
            continue
        tol = 1e-4 if w.dtype in (np.float32, np.complex64) else 1e-6
        w, g = w.astype(np.complex128), g.astype(np.complex128)
        with np.errstate(all="ignore"):
            same = (w == g) | (np.isnan(w) & np.isnan(g)) | (abs(w - g) <= tol * (1 + abs(w)))
        if not same.all():
            return f"result {i}: {g[~same].tolist()[:4]}, not {w[~same].tolist()[:4]}"
    for i, g in enumerate(got):
        if i >= len(want) and infos[i].startswith("check: ") and not g.all():
            return f"check {i} fails"
    return None


def worker():
    """Answers each path on standard input by one line: the compiler may end the process that it runs in."""
    for line in sys.stdin:
        path = line.rstrip("\n")
        base = path[: -len(".mlir")]
        try:
            text = open(path).read()
            why = differs(numbered(base, "out"), run(text, numbered(base, "in")), text, base)
        except Exception as e:  # what the compiler says is the finding
            why = f"{type(e).__name__}: {e}"
        print(re.sub(r"\s+", " ", why or "ok")[:400], flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, words = sys.argv[1], sys.argv[2:]
    cases = sorted(glob.glob(os.path.join(glob.escape(folder), "*.mlir")))
    cases = [c for c in cases if not words or any(w in os.path.basename(c) for w in words)]
    if not cases:
        sys.exit(f"no case in {folder}")
    bad, known, worker = 0, 0, None
    for path in cases:
        if worker is None:
            command = [sys.executable, os.path.abspath(__file__), "--worker"]
            worker = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        worker.stdin.write(path + "\n")
        worker.stdin.flush()
        why = worker.stdout.readline().rstrip("\n")
        if why == "":
            why, worker = "the compiler breaks down", None
        if why != "ok":
            finding = f"{os.path.basename(path)[: -len('.mlir')]}: {why}"
            reason = next((r for pattern, r in KNOWN if re.match(pattern, finding)), None)
            bad += reason is None
            known += reason is not None
            print(finding + (f" ({reason})" if reason else ""), flush=True)
    print(f"{len(cases) - bad - known} of {len(cases)} cases agree, {known} differ for a known reason, {bad} for none")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    worker() if sys.argv[1:] == ["--worker"] else main()
