#!/usr/bin/env python3
"""einsum beside numpy.einsum and opt_einsum, which this needs (`pip install numpy opt_einsum`).

    benches/peers/einsum.py [--tfc PATH] [--texts N] [--graphs N] [--seed S]

Runs N random texts by `tfc run` and compares the results with numpy.einsum; plans N random networks of each size by
`tfc compile --emit plan` and compares the number of operations with opt_einsum's `optimal` (up to 8 operands) and `auto`
(above). Says how they compare, and fails where a result differs by more than rounding, where an order takes more than 1.05
times the operations of the optimal one, or more than that of `auto`.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import opt_einsum as oe


def run(*args):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, args))}\n{done.stderr}")
    return done.stdout


def tfir(terms_shapes, text, dtype, attrs=""):
    """A module of one function."""
    params = ", ".join(f"%x{i}: {dtype}[{', '.join(map(str, s))}]" for i, s in enumerate(terms_shapes))
    xs = ", ".join(f"%x{i}" for i in range(len(terms_shapes)))
    return f'tfir 1.0\nexport func @main({params}) -> (y: {{out}}) {{{{\n  %y = einsum("{text}", {xs}{attrs})\n  return %y\n}}}}\n'


def random_text(rng):
    """A text that NumPy takes as well, and the shapes of its operands."""
    n = rng.choice([1, 2, 2, 3, 3, 4, 5])
    labels = "ijkLMn"[: rng.randint(1, 6)]
    extent = {c: rng.choice([0, 1, 2, 3, 3, 4]) if rng.random() < 0.1 else rng.randint(1, 4) for c in labels}
    dots = [rng.randint(1, 3) for _ in range(rng.randint(1, 2))] if rng.random() < 0.25 else []
    terms, shapes = [], []
    for _ in range(n):
        t = [rng.choice(labels) for _ in range(rng.randint(0, 3))]
        s = [extent[c] for c in t]
        if dots and rng.random() < 0.7:
            at, k = rng.randint(0, len(t)), rng.randint(0, len(dots))
            t.insert(at, "...")
            s[at:at] = dots[len(dots) - k :]
        terms.append("".join(t))
        shapes.append(tuple(s))
    text = ",".join(terms)
    if rng.random() < 0.75:
        used = sorted(set(text) - set(",."))
        out = rng.sample(used, rng.randint(0, min(4, len(used))))
        if "..." in text:
            out.insert(rng.randint(0, len(out)), "...")
        text += "->" + "".join(out)
    return text, shapes


def texts(tfc, n, rng):
    worst, done, folder = 0.0, 0, tempfile.mkdtemp()
    while done < n:
        text, shapes = random_text(rng)
        dtype, np_type = rng.choice([("f64", np.float64), ("c64", np.complex128), ("f32", np.float32), ("i64", np.int64)])
        gen = np.random.default_rng(rng.randint(0, 2**31))
        xs = [gen.integers(-4, 5, s) if dtype == "i64" else gen.standard_normal(s) for s in shapes]
        if dtype == "c64":
            xs = [x + 1j * gen.standard_normal(x.shape) for x in xs]
        xs = [np.asarray(x, np_type) for x in xs]
        try:
            want = np.einsum(text, *xs)
        except ValueError:
            # NumPy needs more axes for `...` in the result than some of these have.
            continue
        module = tfir(shapes, text, dtype).format(out=f"{dtype}[{', '.join(map(str, want.shape))}]")
        path = os.path.join(folder, "e.tfir")
        open(path, "w").write(module)
        inputs = []
        for i, x in enumerate(xs):
            np.save(os.path.join(folder, f"x{i}.npy"), x)
            inputs += ["-i", f"x{i}=@{folder}/x{i}.npy"]
        run(tfc, "run", "-q", path, *inputs, "--print", "none", "--out-dir", folder)
        got = np.load(os.path.join(folder, "y.npy"))
        if got.shape != want.shape:
            sys.exit(f"{text} of {shapes}: shape {got.shape}, not {want.shape}")
        if want.size:
            scale = max(1.0, float(np.abs(want).max()))
            error = float(np.abs(got - want).max()) / scale
            limit = 0 if dtype == "i64" else 1e-4 if dtype == "f32" else 1e-12
            if not error <= limit:
                sys.exit(f"{text} of {shapes}, {dtype}: off by {error}\n{module}")
            worst = max(worst, error / limit if limit else 0.0)
        done += 1
    print(f"numpy.einsum: {n} texts, largest error {worst:.2g} of what is allowed")


def graph(rng, n):
    """A random network: a tree first, then further labels, some of them of three operands."""
    terms, sizes, out = [[] for _ in range(n)], {}, []
    most = rng.choice([3, 6, 12])
    for e in range(max(n * rng.choice([2, 3]) // 2, n - 1)):
        c = oe.get_symbol(len(sizes))
        ends = {e + 1, rng.randrange(e + 1)} if e < n - 1 else {rng.randrange(n), rng.randrange(n)}
        if rng.random() < 0.1:
            ends.add(rng.randrange(n))
        for i in ends:
            terms[i].append(c)
        sizes[c] = rng.randint(2, most)
        if len(ends) == 1:
            out.append(c)
    for _ in range(rng.randint(0, 2)):
        c = oe.get_symbol(len(sizes))
        terms[rng.randrange(n)].append(c)
        sizes[c] = rng.randint(2, most)
        out.append(c)
    return terms, out, sizes


def graphs(tfc, sizes_of, n, rng, method, allowed):
    worst, fewer, folder = 0.0, 0, tempfile.mkdtemp()
    for _ in range(n):
        terms, out, sizes = graph(rng, rng.choice(sizes_of))
        shapes = [tuple(sizes[c] for c in t) for t in terms]
        ids = {c: i for i, c in enumerate(sizes)}
        words = [" ".join(str(ids[c]) for c in t) for t in terms]
        text = ",".join(words) + "->" + " ".join(str(ids[c]) for c in out)
        path = os.path.join(folder, "g.tfir")
        open(path, "w").write(
            tfir(shapes, text, "f64").format(out=f"f64[{', '.join(str(sizes[c]) for c in out)}]")
        )
        ours = float(re.search(r"flops ([0-9.e+]+), largest", run(tfc, "compile", path, "--emit", "plan")).group(1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eq = ",".join("".join(t) for t in terms) + "->" + "".join(out)
            theirs = float(oe.contract_path(eq, *shapes, shapes=True, optimize=method)[1].opt_cost)
        worst, fewer = max(worst, ours / theirs), fewer + (ours < theirs * (1 - 1e-9))
    print(f"opt_einsum {method}, {sizes_of[0]} to {sizes_of[-1]} operands: {n} networks, at most {worst:.4f} times its operations, fewer in {fewer}")
    if worst > allowed:
        sys.exit(f"more than {allowed} times")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tfc", default="target/debug/tfc")
    p.add_argument("--texts", type=int, default=2000)
    p.add_argument("--graphs", type=int, default=200)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    rng = random.Random(a.seed)
    texts(a.tfc, a.texts, rng)
    graphs(a.tfc, range(3, 9), a.graphs, rng, "optimal", 1.05)
    graphs(a.tfc, range(9, 15), a.graphs, rng, "auto", 1.0)
    graphs(a.tfc, range(15, 40), a.graphs, rng, "auto", 1.0)


main()
