"""JAX's own tests on the platform `tfc`: a seeded sample of each file, or all.

    python3 crates/pjrt/python/tests/jax_suite.py FOLDER [--sample 40] [--seed 0] [--only lax_test,nn_test] [--json OUT]

FOLDER is the repository jax-ml/jax at the tag of the JAX that is installed. The plugin is found as docs/jax.md says. A test that takes the
process down is named, and the rest of its file goes on. Prints a row a file and why tests fail, by the first line of what they say.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

#: Tests of other things than a backend: kernels of GPUs and TPUs, several processes, JAX's own surface.
LEFT_OUT = re.compile(
    r"pallas|mosaic|multiprocess|gpu|tpu|cudnn|fused_attention|distributed|documentation_coverage|magma|rocm|roofline|"
    r"local_wheel|package_structure|version_test|pytorch|string_array|scaled_matmul|hypothesis_test"
)
RECORDER = '''
import json, os, pytest
OUT, NOW, CHOSEN = (os.environ[f"SUITE_{n}"] for n in ("OUT", "NOW", "CHOSEN"))
def pytest_collection_modifyitems(config, items):
    if not os.path.exists(CHOSEN):
        put(CHOSEN, "w", json.dumps([i.nodeid for i in items]))
    with open(CHOSEN) as f:
        chosen = set(json.load(f))
    items[:] = [i for i in items if i.nodeid in chosen]
def put(path, mode, text):
    with open(path, mode) as f:
        f.write(text)
def pytest_runtest_logstart(nodeid, location):
    put(NOW, "w", nodeid)
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when == "call" or report.outcome != "passed":
        said = ""
        if report.outcome == "failed":
            said = str(call.excinfo.value) or type(call.excinfo.value).__name__
            said = type(call.excinfo.value).__name__ + ": " + said
        put(OUT, "a", json.dumps([item.nodeid, report.outcome, said[:2000]]) + "\\n")
'''


def run(folder, path, args, environment):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args],
        cwd=folder, env=environment, capture_output=True, text=True,
    )


def of_file(folder, path, given):
    """Outcome and words of each test that was run, by name."""
    environment = {
        **os.environ, "JAX_PLATFORMS": "tfc,cpu", "JAX_NUM_GENERATED_CASES": str(given.cases), "JAX_SKIP_SLOW_TESTS": "true",
        "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONFAULTHANDLER": "1",
    }
    done = {}
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        (place / "suite_recorder.py").write_text(RECORDER)
        environment |= {
            "SUITE_OUT": str(place / "out"), "SUITE_NOW": str(place / "now"), "SUITE_CHOSEN": str(place / "chosen"),
            "PYTHONPATH": os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")]),
        }
        run(folder, path, ["-p", "suite_recorder", "--collect-only", str(path)], environment)
        names = json.loads((place / "chosen").read_text()) if (place / "chosen").exists() else []
        left = names
        if given.sample and len(names) > given.sample:
            left = random.Random(f"{given.seed} {path}").sample(names, given.sample)
        while left:
            (place / "out").write_text("")
            (place / "now").write_text("")
            (place / "chosen").write_text(json.dumps(left))
            r = run(folder, path, ["-p", "suite_recorder", "--timeout", str(given.timeout), str(path)], environment)
            for line in (place / "out").read_text().splitlines():
                name, outcome, said = json.loads(line)
                if done.get(name, ("",))[0] != "failed":
                    done[name] = (outcome, said)
            now = (place / "now").read_text()
            before, left = left, [n for n in left if n not in done]
            if left and r.returncode not in (0, 1):
                # The test that ran took the process down, or its time was over.
                end = (r.stderr + r.stdout).strip().splitlines()
                lost = now if now in left else left[0]
                done[lost] = ("crashed", " | ".join(end[-3:]))
                left.remove(lost)
            elif len(left) == len(before):
                done |= {n: ("crashed", "it was not run") for n in left}
                break
    return len(names), done


def reason(said):
    """The first line that says something, without numbers and names that differ from test to test."""
    lines = [l.strip() for l in said.splitlines() if l.strip()]
    text = next((l for l in lines if "error[E" in l), lines[0] if lines else "")
    return re.sub(r"0x[0-9a-f]+|\d+\.\d+|\b\d+\b", "N", text)[:150]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--sample", type=int, default=40, help="tests of a file, 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=3, help="JAX_NUM_GENERATED_CASES")
    parser.add_argument("--timeout", type=int, default=120, help="seconds of a test")
    parser.add_argument("--only", default="", help="files, separated by commas, without .py")
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    files = sorted(given.folder.glob("tests/*_test.py"))
    files = [f for f in files if not LEFT_OUT.search(f.name)]
    if given.only:
        files = [f for f in files if f.stem in given.only.split(",")]
    total, why, kept = collections.Counter(), collections.defaultdict(list), {}
    print("| file | tests | run | passed | skipped | failed |\n|---|---|---|---|---|---|")
    for f in files:
        count, done = of_file(given.folder, f.relative_to(given.folder), given)
        outcomes = collections.Counter(o for o, _ in done.values())
        failed = outcomes["failed"] + outcomes["crashed"]
        total += collections.Counter(run=len(done), passed=outcomes["passed"], skipped=outcomes["skipped"], failed=failed)
        print(f"| {f.stem} | {count} | {len(done)} | {outcomes['passed']} | {outcomes['skipped']} | {failed} |", flush=True)
        for name, (outcome, said) in done.items():
            if outcome in ("failed", "crashed"):
                why[("CRASH " if outcome == "crashed" else "") + reason(said)].append(name)
        kept |= {n: [o, s] for n, (o, s) in done.items() if o != "passed"}
    ran = total["run"] - total["skipped"]
    print(f"\n{total['passed']} of {ran} that do not skip themselves pass ({100 * total['passed'] / max(ran, 1):.1f} %)\n")
    for text, names in sorted(why.items(), key=lambda x: -len(x[1])):
        print(f"{len(names):4} {text}\n     {names[0]}")
    if given.json:
        given.json.write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    main()
