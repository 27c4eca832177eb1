//! Inference of the shape, reduction, contraction and extent rows, case by case; and of a fused region.
use crate::rows::check;
use std::sync::Arc;
use tfc_ir::{Builder, DType, Module, NewOp, OpSet, Type};

#[test]
fn reshape_transpose_broadcast() {
    check(
        "reshape(f64[2, 3]) : f64[6] => f64[6]
        reshape(f64[2, 3]) {order = first} : f64[3, 2] => f64[3, 2]
        reshape(f64[]) : f64[1, 1] => f64[1, 1]
        reshape(f64[0, 3]) : f64[7, 0] => f64[7, 0]
        reshape(f64[m, n]) : f64[m*n] => f64[m*n]
        reshape(f64[m, 4]) : f64[2*m, 2] => f64[2*m, 2]
        reshape(f64[m, n]) : f64[k] => f64[k] if m*n == k
        reshape(f64[2, ?r]) : f64[2*?r] => f64[2*?r]
        reshape(f64[?r]) : f64[?q] => E0404 result 0
        reshape(f64[2, 3]) : f64[5] => E0204 result 0
        reshape(f64[n]) : f64[n + 1] => E0204 result 0
        reshape(f64[2, 3]) : f32[6] => E0202 result 0
        reshape(f64[2, 3]) : f64[?u] => E0401 result 0
        reshape(f64[2, 3]) => E0207
        reshape(f64[2, 3]) {order = middle} : f64[6] => E0223 order
        reshape(f64[6]) : f64[9223372036854775807, 2] => E0405 result 0
        reshape() : f64[] => E0210
        transpose(f64[m, n, 2]) {perm = [2, 0, 1]} => f64[2, m, n]
        transpose(bool[]) {perm = []} => bool[]
        transpose(f64[m, n]) {perm = [1]} => E0228 perm
        transpose(f64[m, n]) {perm = [1, 1]} => E0213 perm
        transpose(f64[m, n]) {perm = [0, 2]} => E0212 perm
        transpose(f64[m, n]) {perm = [0, -1]} => E0212 perm
        transpose(f64[m, n]) => E0222
        transpose(f64[m, 2]) {perm = [1, 0]} : f64[2, n] => f64[2, n] if n == m
        transpose(f64[2, 3]) {perm = [1, 0]} : f64[2, 3] => E0206 result 0
        broadcast_in_dim(f64[]) {dims = []} : f64[m, n] => f64[m, n]
        broadcast_in_dim(f64[n]) {dims = [1]} : f64[m, n] => f64[m, n]
        broadcast_in_dim(f64[1, n]) {dims = [0, 1]} : f64[m, n] => f64[m, n]
        broadcast_in_dim(f64[m, n]) {dims = [1, 0]} : f64[n, m] => f64[n, m]
        broadcast_in_dim(f64[m]) {dims = [0]} : f64[n] => f64[n] if m == n
        broadcast_in_dim(f64[2]) {dims = [0]} : f64[4] => E0204 result 0
        broadcast_in_dim(f64[?r]) {dims = [0]} : f64[?q] => E0404 result 0
        broadcast_in_dim(f64[1]) {dims = [0]} : f64[?q] => f64[?q]
        broadcast_in_dim(f64[]) {dims = []} : f64[?u] => E0401 result 0
        broadcast_in_dim(f64[n]) {dims = []} : f64[m, n] => E0228 dims
        broadcast_in_dim(f64[n, n]) {dims = [1, 1]} : f64[m, n] => E0213 dims
        broadcast_in_dim(f64[n]) {dims = [2]} : f64[m, n] => E0212 dims
        broadcast_in_dim(f64[n]) {dims = [0]} : i64[n] => E0202 result 0
        broadcast_in_dim(f64[n]) {dims = [0]} => E0207",
    );
}

#[test]
fn windows() {
    check(
        "slice(f64[7, n]) {start = [1, 0]; limit = [7, n]; stride = [2, 1]} => f64[3, n]
        slice(f64[n]) {start = [0]; limit = [n]} => f64[n]
        slice(f64[n + 2]) {start = [1]; limit = [n + 1]} => f64[n]
        slice(f64[n]) {start = [0]; limit = [m]} => f64[m] if m <= n
        slice(f64[n]) {start = [k]; limit = [n]} => f64[n - k] if k <= n
        slice(f64[n]) {start = [0]; limit = [n]; stride = [2]} => f64[ceildiv(n, 2)]
        slice(f64[4]) {start = [0]; limit = [5]} => E0403 limit
        slice(f64[4]) {start = [-1]; limit = [4]} => E0403 start
        slice(f64[4]) {start = [3]; limit = [2]} => E0403 limit
        slice(f64[4]) {start = [0]; limit = [4]; stride = [0]} => E0227 stride
        slice(f64[4]) {start = [0]; limit = [4]; stride = [-1]} => E0227 stride
        slice(f64[4]) {start = [0]; limit = [4]; stride = [1, 1]} => E0228 stride
        slice(f64[4]) {start = [0, 0]; limit = [4]} => E0228 start
        slice(f64[4]) {start = [0]; limit = []} => E0228 limit
        slice(f64[4]) {start = [0]} => E0222
        pad(f64[3], f64[]) {low = [1]; high = [2]} => f64[6]
        pad(f64[3], f64[]) {low = [0]; high = [0]; interior = [2]} => f64[7]
        pad(f64[0], f64[]) {low = [1]; high = [0]; interior = [2]} => f64[1]
        pad(f64[n], f64[]) {low = [k]; high = [1]} => f64[n + k + 1]
        pad(f64[4], f64[]) {low = [-1]; high = [-2]} => f64[1]
        pad(f64[n], f64[]) {low = [-1]; high = [0]} => f64[n - 1] if 0 <= n - 1
        pad(f64[3], f64[]) {low = [-2]; high = [-2]} => E0403 high
        pad(f64[3], f32[]) {low = [0]; high = [0]} => E0203 operand 1
        pad(f64[3], f64[1]) {low = [0]; high = [0]} => E0203 operand 1
        pad(f64[3], f64[]) {low = [0]; high = [0]; interior = [-1]} => E0227 interior
        pad(f64[3], f64[]) {low = [0, 0]; high = [0]} => E0228 low
        concat(f64[m, 2], f64[n, 2], f64[3, 2]) {axis = 0} => f64[m + n + 3, 2]
        concat(f64[m]) {axis = 0} => f64[m]
        concat(f64[2, m], f64[2, n]) {axis = 0} => f64[4, m] if m == n
        concat(f64[2, 3], f64[2, 4]) {axis = 0} => E0204 operand 1
        concat(f64[?r], f64[?q]) {axis = 0} => f64[?r + ?q]
        concat(f64[2, ?r], f64[2, ?q]) {axis = 0} => E0404 operand 1
        concat(f64[2], f32[2]) {axis = 0} => E0202 operand 1
        concat(f64[2], f64[2, 1]) {axis = 0} => E0205 operand 1
        concat(f64[2]) {axis = 1} => E0212 axis
        concat(f64[], f64[]) {axis = 0} => E0212 axis
        concat() {axis = 0} => E0210
        reverse(f64[m, n]) {axes = [1]} => f64[m, n]
        reverse(f64[m, n]) {axes = [1, 1]} => E0213 axes
        take_prefix(f64[2, n]) {axis = 1} : f64[2, 3] => f64[2, 3] if 3 <= n
        take_prefix(f64[5]) {axis = 0} : f64[?r] => f64[?r] if ?r <= 5
        take_prefix(f64[?r]) {axis = 0} : f64[?q] => f64[?q] if ?q <= ?r
        take_prefix(f64[5]) {axis = 0} : f64[6] => E0403 result 0
        take_prefix(f64[5, 2]) {axis = 0} : f64[4, 1] => E0204 result 0
        take_prefix(f64[5]) {axis = 0} : f64[?u] => E0401 result 0
        take_prefix(f64[5]) {axis = 0} : f64[5, 1] => E0205 result 0
        pad_suffix(f64[?r]) {axis = 0} : f64[n] => f64[n] if n >= ?r
        pad_suffix(f64[3]) {axis = 0} : f64[5] => f64[5]
        pad_suffix(f64[3]) {axis = 0} : f64[2] => E0403 result 0",
    );
}

#[test]
fn dynamic_and_diagonal() {
    check(
        "dynamic_slice(f64[m, n], i64[], i32[]) {sizes = [1, 2]} => f64[1, 2] if 1 <= m and 2 <= n
        dynamic_slice(f64[4], u64[]) {sizes = [4]} => f64[4]
        dynamic_slice(f64[]) {sizes = []} => f64[]
        dynamic_slice(f64[4], i64[]) {sizes = [5]} => E0403 sizes
        dynamic_slice(f64[4], i64[]) {sizes = [-1]} => E0403 sizes
        dynamic_slice(f64[4], i64[]) {sizes = [1, 1]} => E0228 sizes
        dynamic_slice(f64[4], f64[]) {sizes = [1]} => E0203 operand 1
        dynamic_slice(f64[4], i64[1]) {sizes = [1]} => E0203 operand 1
        dynamic_slice(f64[4, 4], i64[]) {sizes = [1, 1]} => E0210
        dynamic_update_slice(f64[m, 4], f64[m, 2], i64[], i64[]) => f64[m, 4]
        dynamic_update_slice(f64[m], f64[n], i64[]) => f64[m] if n <= m
        dynamic_update_slice(f64[2], f64[3], i64[]) => E0403 operand 1
        dynamic_update_slice(f64[2], f32[1], i64[]) => E0202 operand 1
        dynamic_update_slice(f64[2], f64[], i64[]) => E0205 operand 1
        dynamic_update_slice(f64[2], f64[1]) => E0210
        tril(f64[m, n]) => f64[m, n]
        triu(bool[m, n, 2]) {k = -1} => bool[m, n, 2]
        triu(f64[m]) => E0205 operand 0
        extract_diag(f64[m, n, 2]) => f64[min(m, n), 2]
        extract_diag(f64[n, n]) => f64[n]
        extract_diag(f64[3]) => E0205 operand 0
        embed_diag(f64[n, 2]) => f64[n, n, 2]
        embed_diag(f64[]) => E0205 operand 0",
    );
}

#[test]
fn reductions() {
    check(
        "reduce_sum(f64[m, n, 2]) {axes = [2, 0]} => f64[n]
        reduce_sum(c32[m]) {axes = [0]} => c32[]
        reduce_sum(u32[m]) {axes = []} => u32[m]
        reduce_sum(bool[m]) {axes = [0]} => E0203 operand 0
        reduce_sum(f64[m]) {axes = [1]} => E0212 axes
        reduce_sum(f64[m]) {axes = [0, 0]} => E0213 axes
        reduce_sum(f64[m]) {axes = [-1]} => E0212 axes
        reduce_sum(f64[m]) => f64[]
        reduce_prod(i64[m]) {axes = [0]} => i64[]
        reduce_prod(bool[m]) {axes = [0]} => E0203 operand 0
        reduce_max(f32[m, n]) {axes = [0]} => f32[n]
        reduce_max(c64[m]) {axes = [0]} => E0203 operand 0
        reduce_min(bool[m]) {axes = [0]} => E0203 operand 0
        reduce_and(bool[m, n]) {axes = [1]} => bool[m]
        reduce_or(i32[m]) {axes = [0]} => i32[]
        reduce_xor(f64[m]) {axes = [0]} => E0203 operand 0
        argmax(f64[3, n]) {axis = 0} => i64[n]
        argmax(f64[3, n]) {axis = 1} => i64[3] if 1 <= n
        argmin(f64[0]) {axis = 0} => E0403 operand 0
        argmin(c64[2]) {axis = 0} => E0203 operand 0
        argmin(f64[]) {axis = 0} => E0212 axis
        mean(f64[m, n]) {axes = [0]} => f64[n]
        mean(i64[m]) {axes = [0]} => E0203 operand 0
        logsumexp(f32[m, n]) {axes = [0, 1]} => f32[]
        logsumexp(c64[m]) {axes = [0]} => E0203 operand 0
        softmax(f64[m, n]) {axis = 1} => f64[m, n]
        log_softmax(f64[m]) {axis = 1} => E0212 axis
        one_hot(i64[m]) : f64[m, 10] => f64[m, 10]
        one_hot(i32[m]) {axis = 0} : bool[10, m] => bool[10, m]
        one_hot(f64[m]) : f64[m, 10] => E0203 operand 0
        one_hot(i64[m]) : f64[10] => E0205 result 0
        one_hot(i64[2]) : f64[3, 10] => E0204 result 0
        one_hot(i64[2]) => E0207",
    );
}

#[test]
fn contractions() {
    check(
        "dot_general(f64[m, k], f64[k, n]) {contract = [[1], [0]]} => f64[m, n]
        dot_general(f64[], f64[]) {contract = [[], []]} => f64[]
        dot_general(f64[m], f64[n]) {contract = [[], []]; out = [1, 0]} => f64[n, m]
        dot_general(f64[2, m, k], f64[k, n, 2]) {contract = [[2], [0]]; batch = [[0], [2]]} => f64[m, n, 2]
        dot_general(f64[2, m, k], f64[k, n, 2]) {contract = [[2], [0]]; batch = [[0], [2]]; out = [2, 0, 1]} => f64[2, m, n]
        dot_general(u64[3], u64[3]) {contract = [[0], [0]]} => u64[]
        dot_general(c64[3], c64[3]) {contract = [[0], [0]]; conj_lhs = true} => c64[]
        dot_general(f64[m], f64[n]) {contract = [[0], [0]]} => f64[] if m == n
        dot_general(f64[2], f64[3]) {contract = [[0], [0]]} => E0204 operand 1
        dot_general(f64[?r], f64[?q]) {contract = [[0], [0]]} => E0404 operand 1
        dot_general(bool[2], bool[2]) {contract = [[0], [0]]} => E0203 operand 0
        dot_general(f64[2], f32[2]) {contract = [[0], [0]]} => E0202 operand 1
        dot_general(f64[2], f64[2]) {contract = [[0], []]} => E0228 contract
        dot_general(f64[2], f64[2]) {contract = [[0]]} => E0223 contract
        dot_general(f64[2], f64[2]) {contract = [[1], [0]]} => E0212 contract
        dot_general(f64[2], f64[2]) {contract = [[-1], [0]]} => E0212 contract
        dot_general(f64[2, 2], f64[2, 2]) {contract = [[0, 0], [0, 1]]} => E0213 contract
        dot_general(f64[2, 2], f64[2, 2]) {contract = [[0], [0]]; batch = [[0], [1]]} => E0213 batch
        dot_general(f64[2, 2], f64[2, 2]) {contract = [[], []]; batch = [[0, 1], [0]]} => E0228 batch
        dot_general(f64[m], f64[n]) {contract = [[], []]; out = [0]} => E0228 out
        dot_general(f64[m], f64[n]) {contract = [[], []]; out = [0, 2]} => E0212 out
        dot_general(f64[m], f64[n]) {contract = [[], []]; out = [0, 0]} => E0213 out
        dot_general(f64[2], f64[2]) => E0222",
    );
}

#[test]
fn extents_and_checks() {
    check(
        "dim_value() {extent = [2*n]} => i64[]
        dim_value() {extent = [n - m]} => i64[] if 0 <= n - m
        dim_value() {extent = [-1]} => E0403 extent
        dim_value() {extent = [?u]} => E0401 extent
        dim_value() {extent = [m, n]} => E0228 extent
        dim_value() => E0222
        extent(i64[]) {extent = [?u]} where ?u <= n => ()
        extent(i64[]) {extent = [?u]} => ()
        extent(i64[]) {extent = [?u]} where ?u <= -1 => E0403
        extent(i64[]) {extent = [?r]} => E0413 extent
        extent(i64[]) {extent = [n]} => E0413 extent
        extent(i64[]) {extent = [?u + 1]} => E0413 extent
        extent(i32[]) {extent = [?u]} => E0203 operand 0
        extent(i64[1]) {extent = [?u]} => E0203 operand 0
        guard() where ?r == ?q => ()
        guard() where m >= 1 and n <= 4 => ()
        guard() where n + 1 <= n => E0403
        guard() => E0222
        check(bool[m]) {message = finite} => ()
        check(f64[]) {message = finite} => E0203 operand 0
        check(bool[]) => E0222
        check_equal(i64[m], i64[n]) => () if m == n
        check_equal(i64[2], i64[3]) => E0204 operand 1
        check_equal(i64[2], i32[2]) => E0202 operand 1
        check_close(f64[m], f64[m]) {rtol = 1e-6} => ()
        check_close(f64[m], f64[m]) {atol = -1} => E0227 atol
        check_close(f64[m], f64[m]) {ulp = -1} => E0227 ulp
        check_close(i64[m], i64[m]) => E0203 operand 0
        print(f64[m]) {label = x} => ()
        print(f64[m]) => E0222",
    );
}

#[test]
fn fused_checks_its_region() {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    let (x, y) = (Type::exact(DType::F64, &[2]), Type::exact(DType::F64, &[3]));
    let p = b.param(x.clone(), "x");
    let mut build = |params: &[(Type, &str)]| {
        let body = b.region("body", params, |_, p| Ok(p.to_vec()))?;
        b.emit(NewOp::new(&tfc_ir::ops::fused::FUSED, &[p]).regions(vec![body])).map(|r| r.len())
    };
    assert_eq!(build(&[(x.clone(), "a")]).expect("right"), 1);
    assert_eq!(build(&[]).expect_err("too few").data().code.name(), "E0215");
    assert_eq!(build(&[(y, "a")]).expect_err("another extent").data().code.name(), "E0204");
}
