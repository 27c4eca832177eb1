"""One peer (JAX, PyTorch, IREE) in a process of its own, which answers requests: a line of JSON on standard input, a
line of JSON on standard output. `run` starts one for each column of its table and asks them in turn, so that all
columns see the same minutes of the machine.

    {"load": NAME}                    build and run once; saves results   -> {"first_ms": …, "results": [PATH, …]}
    {"time": SECONDS, "least": N}     repeat for so long                  -> {"min_ms": …, "median_ms": …, "runs": …}
    {"compare": [PATH, …], "reference": [PATH, …]}                        -> {"difference": …}
"""
import importlib.metadata, importlib.util, json, os, statistics, sys, time

sys.dont_write_bytecode = True

PEERS_PY, PEER, THREADS, FOLDER, CORE = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5])

# Libraries print what they like; only answers go to the real standard output.
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)
if THREADS == 1 and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {CORE})
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
for v in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(v, str(THREADS))

spec = importlib.util.spec_from_file_location("peers", PEERS_PY)
peers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peers)
import numpy as np

peer = peers.PEER[PEER](THREADS)
call = None


def load(name):
    global call
    call = None
    w = peers.W[name]
    args = [peer.put(a) for a in peers.make_inputs(w)]
    t = time.perf_counter()
    f = peer.build(w, args)
    out = peer.wait(f(*args))
    first = time.perf_counter() - t
    paths = []
    for i, a in enumerate(peer.numpy(out)):
        paths.append(os.path.join(FOLDER, f"{name}.{PEER}.{i}.npy"))
        np.save(paths[-1], a)
    del out
    call = lambda: peer.wait(f(*args))
    return dict(first_ms=first * 1e3, results=paths)


def measure(seconds, least):
    t = time.perf_counter()
    call()
    one = time.perf_counter() - t
    # Short calls are timed by the batch, so that the clock does not count.
    inner = max(1, int(2e-4 / max(one, 1e-7))) if one < 2e-4 else 1
    wall, start = [], time.perf_counter()
    while len(wall) < least or time.perf_counter() - start < seconds:
        t = time.perf_counter()
        for _ in range(inner):
            call()
        wall.append((time.perf_counter() - t) / inner)
        if time.perf_counter() - start > 10 * seconds:
            break
    return dict(min_ms=min(wall) * 1e3, median_ms=statistics.median(wall) * 1e3, runs=len(wall) * inner)


def compare(paths, references):
    """The largest difference of a result, over the largest element of the reference."""
    if len(paths) != len(references):
        raise ValueError(f"{len(paths)} results, {len(references)} expected")
    worst = 0.0
    for p, r in zip(paths, references):
        x, y = np.load(p), np.load(r)
        if x.shape != y.shape:
            raise ValueError(f"result {os.path.basename(p)} has shape {x.shape}, {y.shape} expected")
        if not y.size:
            continue
        wide = np.complex128 if np.iscomplexobj(y) else np.float64
        # NaN in either makes the difference NaN, which is within no tolerance.
        d = float(np.max(np.abs(x.astype(wide) - y)) / max(float(np.max(np.abs(y))), 1e-300))
        worst = d if not d <= worst else worst
    return dict(difference=worst)


def versions():
    out = {"numpy": np.__version__}
    for module, package in (("jax", "jax"), ("torch", "torch"), ("iree.compiler", "iree-base-compiler")):
        if module in sys.modules:
            out[module] = importlib.metadata.version(package)
    return out


print(json.dumps(dict(ready=True, versions=versions())), file=answers)
for line in sys.stdin:
    request = json.loads(line)
    try:
        if "load" in request:
            answer = load(request["load"])
        elif "compare" in request:
            answer = compare(request["compare"], request["reference"])
        else:
            answer = measure(request["time"], request["least"])
    except Exception as e:
        call = None
        answer = dict(error=f"{type(e).__name__}: {e}"[:300])
    print(json.dumps(answer), file=answers)
