#!/usr/bin/env python3
"""Prints the program of the workloads compile_N and compile_N_grad: N operations that mix small products, reductions,
broadcasts and maps, a load for compilers.

    compile.py 1000 > compile_1000.tfir
    compile.py 1000 --grad > compile_1000_grad.tfir        value and gradient with respect to the first matrix
"""
import sys


def program(n, grad):
    main = "func @f" if grad else "export func @main"
    lines = ["tfir 1.0", f"{main}(%a0: f64[16, 16], %b0: f64[16, 16]) -> (y: f64[]) {{",
             "  %tenth: f64[16, 16] = const(splat = 0.1)"]
    for i in range(n // 8):
        a, b, j = f"%a{i}", f"%b{i}", i + 1
        lines += [
            f"  %p{i} = dot_general({a}, {b}, contract = [[1], [0]])",
            f"  %t{i} = tanh(%p{i})",
            f"  %s{i} = mul(%tenth, {a})",
            f"  %u{i} = add(%t{i}, %s{i})",
            f"  %m{i} = mean(%u{i}, axes = [0])",
            f"  %mb{i}: f64[16, 16] = broadcast_in_dim(%m{i}, dims = [1])",
            f"  %a{j} = sub(%u{i}, %mb{i})",
            f"  %at{i} = transpose(%a{j}, perm = [1, 0])",
            f"  %k{i}: f64[16, 16] = const(splat = {0.01 / (i + 1)!r})",
            f"  %d{i} = mul(%k{i}, %at{i})",
            f"  %b{j} = add({b}, %d{i})",
        ]
    lines += [f"  %sa = reduce_sum(%a{n // 8}, axes = [0, 1])", f"  %sb = reduce_sum(%b{n // 8}, axes = [0, 1])",
              "  %y = add(%sa, %sb)", "  return %y", "}"]
    if grad:
        lines += ["export func @main(%a: f64[16, 16], %b: f64[16, 16]) -> (y: f64[], g: f64[16, 16]) {",
                  "  %y, %g = value_and_grad(@f, %a, %b, wrt = [0])", "  return %y, %g", "}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(program(int(sys.argv[1]), "--grad" in sys.argv[2:]), end="")
