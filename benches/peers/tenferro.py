"""tfc beside the published tenferro crates: their own benchmark program measures cases that it names, and the same cases
are programs here. `run --tenferro BINARY` uses it. The binary prints no results, so these are not compared."""
import os, re, subprocess, tempfile


def main(params, result, *lines, before=""):
    body = "".join(f"  {l}\n" for l in lines)
    return f"tfir 1.0\n{before}export func @main({params}) -> ({result}) {{\n{body}  return %y\n}}\n"


def product(x, y, z, *more):
    return main(f"%a: f64[{x}], %b: f64[{y}]", f"y: f64[{z}]", f"%y = dot_general(%a, %b, {', '.join(more)})")


def square(n):
    return product(*[f"{n}, {n}"] * 3, "contract = [[1], [0]]")


def cases():
    out = {}
    for n in (1_000, 100_000, 1_000_000):
        t = f"f64[{n}]"
        out[f"traced tanh(exp(-(ab)^2)+a) n={n}"] = main(
            f"%a: {t}, %b: {t}", f"y: {t}", "%p = mul(%a, %b)", "%q = mul(%p, %p)", "%m = neg(%q)", "%e = exp(%m)",
            "%s = add(%e, %a)", "%y = tanh(%s)")
        out[f"traced (a+b)*a n={n}"] = main(f"%a: {t}, %b: {t}", f"y: {t}", "%s = add(%a, %b)", "%y = mul(%s, %a)")
    for n in (2, 64, 256, 512):
        out[f"direct matmul f64 {n}x{n}"] = square(n)
    out["traced matmul f64 256x256"] = square(256)
    m = "f64[256, 256]"
    out["traced grad sum(a@b) 256x256"] = main(
        f"%a: {m}, %b: {m}", f"y: {m}", "%y = grad(@f, %a, %b, wrt = [0])",
        before=f"func @f(%a: {m}, %b: {m}) -> (s: f64[]) {{\n  %p = dot_general(%a, %b, contract = [[1], [0]])\n"
               "  %s = reduce_sum(%p, axes = [0, 1])\n  return %s\n}\n")
    out["direct einsum ikb,kjb->ijb 64 b32"] = product(*["64, 64, 32"] * 3, "contract = [[1], [0]]", "batch = [[2], [2]]")
    out["direct einsum bik,bkj->bij 64 b32"] = product(
        *["32, 64, 64"] * 3, "contract = [[2], [1]]", "batch = [[0], [0]]", "out = [2, 0, 1]")
    m = "f64[64, 64]"
    out["traced einsum ab,bc,cd,de->ae 64"] = main(
        f"%a: {m}, %b: {m}, %c: {m}, %d: {m}", f"y: {m}", "%p = dot_general(%a, %b, contract = [[1], [0]])",
        "%q = dot_general(%p, %c, contract = [[1], [0]])", "%y = dot_general(%q, %d, contract = [[1], [0]])")
    for n in (8, 64, 128):
        out[f"direct svd f64 {n}x{n}"] = main(f"%a: f64[{n}, {n}]", f"y: f64[{n}]", "%u, %y, %v = linalg.svd(%a)").replace(
            f"(y: f64[{n}])", f"(u: f64[{n}, {n}], y: f64[{n}], v: f64[{n}, {n}])").replace("return %y", "return %u, %y, %v")
    out["traced grad sum(svdvals) 64x64"] = main(
        f"%a: {m}", f"y: {m}", "%y = grad(@f, %a, wrt = [0])",
        before=f"func @f(%a: {m}) -> (s: f64[]) {{\n  %u, %w, %v = linalg.svd(%a)\n  %s = reduce_sum(%w, axes = [0])\n"
               "  return %s\n}\n")
    out["direct Tensor add f64[8]"] = main("%a: f64[8], %b: f64[8]", "y: f64[8]", "%y = add(%a, %b)")
    return out


def measure(binary, threads, rounds, time_program):
    """Rows of least times in ms, `{case: (theirs, ours)}`. `time_program(file, inputs)` times a program of ours."""
    theirs, ours = {}, {}
    with tempfile.TemporaryDirectory(prefix="tfc-tenferro-") as folder:
        for _ in range(rounds):
            q = subprocess.run([binary, str(threads), "150"], stdout=subprocess.PIPE, text=True, check=True)
            for l in q.stdout.splitlines():
                found = re.match(r"(.*?)\s+median .* min\s+([\d.]+) us", l)
                if found:
                    name, ms = found.group(1), float(found.group(2)) / 1e3
                    theirs[name] = min(ms, theirs.get(name, ms))
            for i, (name, text) in enumerate(cases().items()):
                if name not in theirs:
                    continue
                file = os.path.join(folder, f"{i}.tfir")
                with open(file, "w") as f:
                    f.write(text)
                inputs = sorted(set(re.findall(r"%([a-d]): ", text.split("@main")[1].split("->")[0])))
                ms = time_program(file, [x for k, v in enumerate(inputs) for x in ("-i", f"{v}=uniform:{k + 1}")])
                if ms is not None:
                    ours[name] = min(ms, ours.get(name, ms))
    return {n: (theirs[n], ours.get(n)) for n in cases() if n in theirs}
