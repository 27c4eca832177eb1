#!/usr/bin/env python3
"""JAX's own tests of `vmap`, by `tfc vmap`: each function of one index is exported, run at many by tfc, and compared with `jax.vmap`.

    benches/vmap/jax_suite.py FOLDER [--tfc BIN] [--cases N]

FOLDER holds JAX's `tests`, with `lax_vmap_op_test.py` and `lax_vmap_test.py`, of about the installed version. `--cases`: of each test so
many samples (JAX_NUM_GENERATED_CASES). Functions that JAX itself refuses are left out. Prints what differs, and last how many agree."""
import argparse
import os
import subprocess
import sys
import tempfile
import unittest

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--tfc", default="target/release/tfc")
parser.add_argument("--cases", type=int, default=4)
options = parser.parse_args()
os.environ.update(JAX_PLATFORMS="cpu", JAX_NUM_GENERATED_CASES=str(options.cases), JAX_ENABLE_X64="1", JAX_SKIP_SLOW_TESTS="1")
tfc = os.path.abspath(options.tfc)
sys.path.insert(0, os.path.abspath(options.folder))
sys.argv = sys.argv[:1]

import jax
import numpy as np
from absl import flags
from jax._src import test_util as jtu

flags.FLAGS.mark_as_parsed()
import lax_vmap_op_test
import lax_vmap_test

agree, differ, refused = 0, [], {}


def check(self, op, bdim_size, bdims, shapes, dtypes, rng, rtol=None, atol=None, multiple_results=False):
    global agree
    wide = [s if b is None else (*s[:b], bdim_size, *s[b:]) for s, b in zip(shapes, bdims)]
    args = [np.asarray(rng(s, d)) for s, d in zip(wide, dtypes)]
    want = [np.asarray(x) for x in jax.tree.leaves(jax.vmap(op, bdims)(*args))]
    one = [jax.ShapeDtypeStruct(tuple(s), d) for s, d in zip(shapes, dtypes)]
    text = jax.jit(op, keep_unused=True).lower(*one).as_text()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/one.mlir"
        with open(path, "w") as file:
            file.write(text)
        words = ",".join("none" if b is None else str(b) for b in bdims)
        line = [tfc, "vmap", path, f"--in={words}", "--run", "-q"]
        for i, a in enumerate(args):
            np.save(f"{folder}/in{i}.npy", a)
            line += ["-i", f"{i}=@{folder}/in{i}.npy"]
        for i in range(len(want)):
            line += ["-o", f"{i}={folder}/out{i}.npy"]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode:
            differ.append((self.id(), done.stderr))
            return
        for i, w in enumerate(want):
            got = np.load(f"{folder}/out{i}.npy")
            if got.dtype.kind == "V":
                got = got.view(w.dtype)
            try:
                self.assertAllClose(got, w, rtol=rtol, atol=atol)
            except AssertionError as e:
                differ.append((self.id(), str(e)))
                return
    agree += 1


suite = unittest.TestSuite()
for module in (lax_vmap_op_test, lax_vmap_test):
    for name in dir(module):
        case = getattr(module, name)
        if isinstance(case, type) and issubclass(case, jtu.JaxTestCase) and hasattr(case, "_CheckBatching"):
            case._CheckBatching = check
            suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
result = unittest.TextTestRunner(stream=open(os.devnull, "w")).run(suite)
for test, trace in result.errors + result.failures:
    differ.append((test.id(), trace[-600:]))
for name, fault in differ:
    print(f"{name}: {fault}")
print(f"{agree} functions agree, {len(differ)} do not; {result.testsRun} tests, {len(result.skipped)} skip themselves")
sys.exit(bool(differ))
