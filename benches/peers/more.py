#!/usr/bin/env python3
"""Times tfc beside JAX (and PyTorch, where asked) on what `run` leaves out: convolutions, Fourier transforms, factorisations, batches of small matrices.

    benches/peers/more.py                          all workloads, all cores
    benches/peers/more.py --threads 1 batch8_qr_f64 conv2d_f32
    benches/peers/more.py --tfc target/release/tfc --json out.json
    benches/peers/more.py --torch svd_512_f64 eigh_512_f64 eig_512_f64

JAX_PY names the interpreter that has JAX (default: this one). Each side has its own natural layout: JAX gets batches first and
rows last, tfc batches last and columns first, so that matrices are dense in memory for both; results are compared element by
element. JAX runs under jit in a process that stays up, with an allocator that keeps its memory, and the two take turns: a figure
is the least of all repeats of all rounds. tfc's programs are programs/NAME.tfir.
"""
import argparse, json, os, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KEEPS_MEMORY = "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=17179869184:glibc.malloc.hugetlb=1"
B = 10_000


def inputs(name):
    """Operands by name, as JAX has them."""
    import numpy as np

    rng = np.random.default_rng(20240607)
    normal = lambda *shape: rng.standard_normal(shape)
    if name.startswith("conv2d"):
        return dict(x=normal(32, 3, 64, 64).astype("float32"), k=normal(16, 3, 3, 3).astype("float32"))
    if name.startswith("rfft"):
        return dict(x=normal(1 << 20).astype("float32"))
    if name.startswith("fft"):
        shape = (16, 1 << 16) if "dense" in name else (1 << 16, 16)
        return dict(x=(normal(*shape) + 1j * normal(*shape)).astype("complex64"))
    shape = (B, 8, 8) if name.startswith("batch8") else (512, 512)
    a = normal(*shape)
    if "cholesky" in name:
        a = a @ a.swapaxes(-1, -2) / shape[-1] + 0.5 * np.eye(shape[-1])
    if "eigh" in name:
        a = a + a.swapaxes(-1, -2)
    if "solve" in name:
        return dict(a=a, b=normal(*shape[:-1], 1 if len(shape) == 3 else shape[-1]))
    return dict(a=a)


def functions():
    """What JAX computes, by workload or by what its name holds."""
    import jax, jax.numpy as jnp

    conv = lambda x, k: jax.lax.conv_general_dilated(x, k, (1, 1), "VALID")

    def loss(x, k):
        y, (dx, dk) = jax.value_and_grad(lambda x, k: 0.5 * jnp.sum(conv(x, k) ** 2), (0, 1))(x, k)
        return y, dx, dk

    return {
        "conv2d_f32": conv, "conv2d_grad_f32": loss, "rfft_1m_f32": jnp.fft.rfft, "fft_dense_64kx16_c32": jnp.fft.fft,
        "fft_strided_64kx16_c32": lambda x: jnp.fft.fft(x, axis=0),
        "cholesky": jnp.linalg.cholesky, "solve": jnp.linalg.solve, "qr": jnp.linalg.qr,
        "eigh": lambda a: tuple(jnp.linalg.eigh(a)), "svd": lambda a: jnp.linalg.svd(a, full_matrices=False),
        "eig": lambda a: tuple(jnp.linalg.eig(a)),
    }


def torch_functions():
    """What PyTorch computes, of the factorisations of one matrix alone."""
    import torch

    return {
        "cholesky": torch.linalg.cholesky, "solve": torch.linalg.solve, "qr": torch.linalg.qr, "eigh": torch.linalg.eigh,
        "eig": torch.linalg.eig, "svd": lambda a: torch.linalg.svd(a, full_matrices=False),
    }


NAMES = ["conv2d_f32", "conv2d_grad_f32", "rfft_1m_f32", "fft_dense_64kx16_c32", "fft_strided_64kx16_c32", "cholesky_512_f64", "solve_512_f64", "qr_512_f64", "svd_512_f64", "eigh_512_f64", "eig_512_f64"]
NAMES += [f"batch8_{op}_f64" for op in ("cholesky", "solve", "qr", "eigh", "svd")]
RESULTS = {"cholesky": ["l"], "solve": ["x"], "qr": ["q", "r"], "eigh": ["w", "v"], "svd": ["u", "s", "vt"], "eig": ["w", "v"], "conv2d_grad": ["y", "dx", "dk"]}
# What is aimed at: so many times as fast as JAX.
AIMS = {name: 5 if name.startswith("batch8") else 1 for name in NAMES}


def op(name):
    return next(w for w in ("conv2d_grad", "conv2d", "rfft", "fft", "cholesky", "solve", "qr", "eigh", "eig", "svd") if w in name)


def last(x):
    """The batch axis in the last place."""
    import numpy as np

    return np.moveaxis(x, 0, -1)


def layout(name, x):
    """An array of JAX's as tfc has it: another order of axes in a batch, first axis fastest."""
    import numpy as np

    return np.asfortranarray(last(x) if name.startswith(("batch8", "fft")) else x)


def products(name, results):
    """What is compared: results, or the matrix that factors with free signs are factors of and what has no sign."""
    import numpy as np

    kind, r = op(name), [np.asarray(x) for x in results]
    if kind == "qr":
        return [r[0] @ r[1], abs(r[1])]
    if kind == "eigh":
        return [(r[1] * r[0][..., None, :]) @ r[1].swapaxes(-1, -2), r[0]]
    if kind == "eig":
        # In the order of real, then imaginary parts: each tool has another.
        at = np.lexsort((r[0].imag.round(6), r[0].real.round(6)))
        return [(r[1] * r[0]) @ np.linalg.inv(r[1]), r[0][at]]
    if kind == "svd":
        return [(r[0] * r[1][..., None, :]) @ r[2], r[1]]
    return r


def torch_worker(threads):
    """PyTorch, which answers a line with a line; no figure for what it is not asked for."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    import torch

    torch.set_num_threads(threads)
    call, table = None, torch_functions()
    for line in sys.stdin:
        request = json.loads(line)
        if "load" in request:
            name = request["load"]
            f = table.get(op(name)) if "512" in name else None
            args = [torch.from_numpy(x) for x in inputs(name).values()] if f else []
            call = (lambda: f(*args)) if f else None
            print(json.dumps(dict(version=torch.__version__)), file=answers)
        else:
            best, start, runs = float("inf"), time.perf_counter(), 0
            while call and (runs < 3 or time.perf_counter() - start < request["time"]):
                t = time.perf_counter()
                call()
                best, runs = min(best, time.perf_counter() - t), runs + 1
            print(json.dumps(dict(min_ms=best * 1e3, runs=runs)), file=answers)


def worker(threads):
    """JAX, which answers a line with a line."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    if threads == 1:
        os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    import jax

    jax.config.update("jax_enable_x64", True)
    import numpy as np

    call, table = None, functions()
    for line in sys.stdin:
        request = json.loads(line)
        if "load" in request:
            name = request["load"]
            f = jax.jit(table.get(name) or table[op(name)])
            args = [jax.numpy.asarray(x) for x in inputs(name).values()]
            call = lambda: jax.block_until_ready(f(*args))
            out = jax.tree_util.tree_leaves(call())
            np.savez(request["to"], *[np.asarray(x) for x in out])
            print(json.dumps(dict(version=jax.__version__)), file=answers)
        else:
            best, start, runs = float("inf"), time.perf_counter(), 0
            while runs < 3 or time.perf_counter() - start < request["time"]:
                t = time.perf_counter()
                call()
                best, runs = min(best, time.perf_counter() - t), runs + 1
            print(json.dumps(dict(min_ms=best * 1e3, runs=runs)), file=answers)


def main():
    import numpy as np

    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("names", nargs="*", metavar="NAME", help="workloads (default: all)")
    p.add_argument("--tfc", default=os.path.join(ROOT, "target", "release", "tfc"))
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--budget", type=float, default=1.0, help="seconds of repeats in a round")
    p.add_argument("--json", help="a file for the figures")
    p.add_argument("--torch", action="store_true", help="PyTorch as well, for factorisations of one matrix (TORCH_PY names its interpreter, default: JAX_PY)")
    p.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.worker:
        return (torch_worker if a.torch else worker)(a.worker)
    if unknown := [n for n in a.names if n not in NAMES]:
        sys.exit(f"unknown: {', '.join(unknown)}; there are {', '.join(NAMES)}")
    pin = (lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})) if a.threads == 1 else None
    env = dict(os.environ, GLIBC_TUNABLES=KEEPS_MEMORY, OMP_NUM_THREADS=str(a.threads), OPENBLAS_NUM_THREADS=str(a.threads))
    command = [os.environ.get("JAX_PY", sys.executable), os.path.abspath(__file__), "--worker", str(a.threads)]
    start = lambda c: subprocess.Popen(c, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env, preexec_fn=pin)
    jax = start(command)
    torch = start([os.environ.get("TORCH_PY", command[0]), *command[1:], "--torch"]) if a.torch else None

    def ask(peer=jax, **request):
        peer.stdin.write(json.dumps(request) + "\n")
        peer.stdin.flush()
        line = peer.stdout.readline()
        return json.loads(line) if line else sys.exit("JAX ended; does JAX_PY have it?" if peer is jax else "PyTorch ended; does TORCH_PY have it?")

    rows, worst = [], 0.0
    print("| workload | tfc | JAX tuned | PyTorch | best / tfc | aim | difference |\n|---|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name in a.names or NAMES:
            files, out = [], os.path.join(folder, name)
            os.makedirs(out)
            for k, x in inputs(name).items():
                np.save(os.path.join(folder, k + ".npy"), layout(name, x))
                files += ["-i", f"{k}=@{os.path.join(folder, k)}.npy"]
            run = [a.tfc, "run", os.path.join(HERE, "programs", name + ".tfir"), *files, "--print", "none", "--time=json", "--threads", str(a.threads)]

            def tfc(repeat, *more):
                r = subprocess.run([*run, "--repeat", str(repeat), *more], stderr=subprocess.PIPE, text=True, preexec_fn=pin)
                line = next((l for l in r.stderr.splitlines() if l.startswith("{")), None)
                return json.loads(line) if r.returncode == 0 and line else sys.exit(f"{name}: {r.stderr.strip()[:2000]}")

            first, theirs = tfc(3, "--out-dir", out), os.path.join(folder, "jax.npz")
            ask(load=name, to=theirs)
            if torch:
                ask(torch, load=name)
            with np.load(theirs) as z:
                reference = [z[k] for k in z.files]
            mine = [np.load(os.path.join(out, r + ".npy")) for r in RESULTS.get(op(name), ["y"])]
            if name.startswith(("batch8", "fft")):
                mine = [np.moveaxis(x, -1, 0) for x in mine]
            scaled = lambda x, y: float(np.max(np.abs(x.astype(complex) - y)) / np.max(np.abs(y)))
            difference = max(map(scaled, products(name, mine), products(name, reference)))
            repeat = max(3, int(a.budget * 1e3 / first["min_ms"]))
            times = dict(tfc=float("inf"), jax=float("inf"), torch=float("inf"))
            for _ in range(a.rounds):
                times["tfc"] = min(times["tfc"], tfc(repeat)["min_ms"])
                times["jax"] = min(times["jax"], ask(time=a.budget)["min_ms"])
                if torch:
                    times["torch"] = min(times["torch"], ask(torch, time=a.budget)["min_ms"])
            tolerance = 1e-10 if name.endswith("f64") else 2e-5
            best = min(times["jax"], times["torch"])
            beside = f"{times['torch']:.3g}" if times["torch"] < float("inf") else "–"
            rows.append(dict(name=name, **{k: v for k, v in times.items() if v < float("inf")}, difference=difference, aim=AIMS[name]))
            print(f"| `{name}` | {times['tfc']:.3g} | {times['jax']:.3g} | {beside} | {best / times['tfc']:.2f}× | {AIMS[name]}× | {difference:.0e} |", flush=True)
            if not difference <= tolerance:
                worst = max(worst, difference)
                print(f"{name}: results differ by {difference:.1e}", file=sys.stderr)
    for peer in filter(None, (jax, torch)):
        peer.stdin.close()
        peer.wait()
    if a.json:
        with open(a.json, "w") as f:
            json.dump(dict(threads=a.threads, rows=rows), f, indent=1)
    sys.exit(1 if worst else 0)


if __name__ == "__main__":
    main()
