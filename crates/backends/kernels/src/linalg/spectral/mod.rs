//! Forms of square matrices by unitary transformations: Hessenberg, Schur, and from it eigenvalues and eigenvectors. All is
//! worked out in double precision, whatever the elements are, on matrices whose squares are numbers; an element counts as 0 beside
//! others by the precision of what is asked for.
//!
//! Signs and the order of eigenvalues are those of LAPACK's `gehrd` and `lahqr`, where rounding does not decide.
mod balance;
mod complex;
mod functions;
mod hessenberg;
mod large;
mod real;
#[cfg(debug_assertions)]
pub mod tests;
mod vectors;

pub(super) use functions::{Logm, Sqrtm};

use faer::dyn_stack::{DynArray, MemStack, StackReq};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{MatMut, MatRef};
use tfc_ir::{Attrs, C64, OpDef, ops};

use super::columns::Columns;
use super::factorisation::Factorisation;
use super::matrix::{In, Out};
use super::parts::{finite, phase, power, turn_column};
use super::{Failed, Field};

/// Sweeps for each row, of ten at least, until it is given up: as many as LAPACK takes.
const SWEEPS: usize = 30;

/// `linalg.hessenberg`.
#[derive(Debug)]
pub(super) struct Hessenberg;
impl Factorisation for Hessenberg {
    const ROW: &'static OpDef = &ops::linalg::HESSENBERG;
    fn of(_: &Attrs) -> Hessenberg {
        Hessenberg
    }
    fn scratch<T: Field>(_: usize, n: usize) -> StackReq {
        // The larger of both kinds of elements.
        Columns::<C64>::scratch(n, n).and(StackReq::new::<C64>(n)).and(StackReq::new::<C64>(n))
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [h, tau]) = (ins, outs) else { return Err(Failed) };
        let (a, h, tau) = (a.typed::<T>()?, h.typed()?, tau.typed()?);
        if T::IS_REAL { packed::<T, f64>(a, h, tau, stack) } else { packed::<T, C64>(a, h, tau, stack) }
    }
}
fn packed<T: Field, W: Field>(
    a: MatRef<T>,
    mut h: MatMut<T>,
    mut tau: MatMut<T>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let n = a.nrows();
    if !finite(a) {
        return Err(Failed);
    }
    if n == 0 {
        return Ok(());
    }
    let (mut c, stack) = Columns::<W>::zeros(n, n, stack);
    let (mut factors, stack) = stack.make_with(n, |_| W::zero_impl());
    let (mut line, _) = stack.make_with(n, |_| W::zero_impl());
    c.load(a);
    let undo = power(&mut c);
    hessenberg::reduce(&mut c, n, &mut factors, &mut line);
    for j in 0..n {
        for i in 0..n {
            let (re, im) = c[(i, j)].scaled(if i <= j + 1 { undo } else { 1.0 }).parts();
            h[(i, j)] = T::of_parts(re, im);
        }
    }
    for (i, t) in factors.iter().enumerate().take(n - 1) {
        let (re, im) = t.parts();
        tau[(i, 0)] = T::of_parts(re, im);
    }
    Ok(())
}

/// A Schur form `t`, its `z`, the eigenvalues `w`, and what undoes the scaling of the first and the last.
struct Form<'a, W> {
    t: Columns<'a, W>,
    z: Columns<'a, W>,
    w: DynArray<'a, C64>,
    undo: f64,
}
/// Elements that a Schur form is worked out in.
trait Work: large::Library {
    /// Makes the Hessenberg matrix `t` a Schur form, `z` times what did it, and gives its eigenvalues; `ulp`: what counts as 0 beside 1.
    fn schur(t: &mut Columns<Self>, z: &mut Columns<Self>, w: &mut [C64], ulp: f64) -> Result<(), Failed>;
}
impl Work for f64 {
    fn schur(t: &mut Columns<f64>, z: &mut Columns<f64>, w: &mut [C64], ulp: f64) -> Result<(), Failed> {
        real::schur(t, z, w, ulp)
    }
}
impl Work for C64 {
    fn schur(t: &mut Columns<C64>, z: &mut Columns<C64>, w: &mut [C64], ulp: f64) -> Result<(), Failed> {
        complex::schur(t, z, w, ulp)
    }
}
fn form_scratch(n: usize) -> StackReq {
    let line = StackReq::new::<C64>(n);
    StackReq::all_of(&[Columns::<C64>::scratch(n, n), Columns::<C64>::scratch(n, n), line, line, line])
}
/// Of a matrix of at least one row, or of what balancing makes of it, which writes its factors.
fn form<'a, T: Field, W: Work>(
    a: MatRef<T>,
    balanced: Option<&mut [f64]>,
    stack: &'a mut MemStack,
) -> Result<(Form<'a, W>, &'a mut MemStack), Failed> {
    let n = a.nrows();
    let (mut t, stack) = Columns::<W>::zeros(n, n, stack);
    let (mut z, stack) = Columns::<W>::zeros(n, n, stack);
    let (mut w, stack) = stack.make_with(n, |_| C64::new(0.0, 0.0));
    let (mut factors, stack) = stack.make_with(n, |_| W::zero_impl());
    let (mut line, stack) = stack.make_with(n, |_| W::zero_impl());
    t.load(a);
    let undo = power(&mut t);
    if let Some(scale) = balanced {
        balance::balance(&mut t, scale);
    }
    hessenberg::reduce(&mut t, n, &mut factors, &mut line);
    hessenberg::form(&t, n, &factors, &mut z);
    for j in 0..n {
        for i in j + 2..n {
            t[(i, j)] = W::zero_impl();
        }
    }
    W::schur(&mut t, &mut z, &mut w, T::ULP)?;
    Ok((Form { t, z, w, undo }, stack))
}

/// `linalg.schur`.
#[derive(Debug)]
pub(super) struct Schur;
impl Factorisation for Schur {
    const ROW: &'static OpDef = &ops::linalg::SCHUR;
    fn of(_: &Attrs) -> Schur {
        Schur
    }
    fn scratch<T: Field>(_: usize, n: usize) -> StackReq {
        form_scratch(n)
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [t, z, w]) = (ins, outs) else { return Err(Failed) };
        let (a, t, z, w) = (a.typed::<T>()?, t.typed()?, z.typed()?, w.typed()?);
        if T::IS_REAL { decomposed::<T, f64>(a, t, z, w, stack) } else { decomposed::<T, C64>(a, t, z, w, stack) }
    }
}
fn decomposed<T: Field, W: Work>(
    a: MatRef<T>,
    t: MatMut<T>,
    z: MatMut<T>,
    w: MatMut<T::Whole>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    if !finite(a) {
        return Err(Failed);
    }
    if a.nrows() == 0 {
        return Ok(());
    }
    let (f, _) = form::<T, W>(a, None, stack)?;
    f.t.store(t, f.undo);
    f.z.store(z, 1.0);
    values::<T>(&f.w, f.undo, w);
    Ok(())
}
fn values<T: Field>(from: &[C64], by: f64, mut to: MatMut<T::Whole>) {
    for (i, w) in from.iter().enumerate() {
        to[(i, 0)] = T::Whole::of_parts(w.re * by, w.im * by);
    }
}

/// `linalg.eig`.
#[derive(Debug)]
pub(super) struct Eig;
impl Factorisation for Eig {
    const ROW: &'static OpDef = &ops::linalg::EIG;
    fn of(_: &Attrs) -> Eig {
        Eig
    }
    fn scratch<T: Field>(_: usize, n: usize) -> StackReq {
        let rest = match n < large::FROM {
            true => form_scratch(n).and(vectors::scratch(n)),
            false if T::IS_REAL => large_scratch::<f64>(n),
            false => large_scratch::<C64>(n),
        };
        StackReq::new::<f64>(n).and(rest)
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [w, v, u]) = (ins, outs) else { return Err(Failed) };
        let (a, w, v, u) = (a.typed::<T>()?, w.typed()?, v.typed()?, u.typed()?);
        let large = a.nrows() >= large::FROM;
        if T::IS_REAL { eigen::<T, f64>(a, w, v, u, large, stack) } else { eigen::<T, C64>(a, w, v, u, large, stack) }
    }
    fn sure_scratch(_: usize, n: usize) -> StackReq {
        StackReq::new::<f64>(n).and(form_scratch(n)).and(vectors::scratch(n))
    }
    fn sure<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [w, v, u]) = (ins, outs) else { return Err(Failed) };
        let (a, w, v, u) = (a.typed::<T>()?, w.typed()?, v.typed()?, u.typed()?);
        if a.nrows() < large::FROM {
            // It has failed already.
            return Err(Failed);
        }
        if T::IS_REAL { eigen::<T, f64>(a, w, v, u, false, stack) } else { eigen::<T, C64>(a, w, v, u, false, stack) }
    }
}
fn large_scratch<W: Work>(n: usize) -> StackReq {
    StackReq::all_of(&[
        Columns::<W>::scratch(n, n),
        StackReq::new::<C64>(n),
        large::scratch::<W>(n),
        StackReq::new::<C64>(n),
    ])
}
fn eigen<T: Field, W: Work>(
    a: MatRef<T>,
    w: MatMut<T::Whole>,
    mut v: MatMut<T::Whole>,
    mut u: MatMut<T::Whole>,
    large: bool,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    if !finite(a) {
        return Err(Failed);
    }
    let n = a.nrows();
    if n == 0 {
        return Ok(());
    }
    let (mut scale, stack) = stack.make_with(n, |_| 1.0f64);
    if large {
        let (mut c, stack) = Columns::<W>::zeros(n, n, stack);
        let (mut of_c, stack) = stack.make_with(n, |_| C64::new(0.0, 0.0));
        c.load(a);
        let undo = power(&mut c);
        balance::balance(&mut c, &mut scale);
        let ([left, right], stack) = large::eigen(&c, &mut of_c, stack)?;
        values::<T>(&of_c, undo, w);
        let (mut y, _) = stack.make_with(n, |_| C64::new(0.0, 0.0));
        for (from, mut to) in [(right, v.rb_mut()), (left, u.rb_mut())] {
            for j in 0..n {
                y.iter_mut().enumerate().for_each(|(i, y)| *y = W::element(&from, &of_c, i, j).scaled(scale[i]));
                vectors::unit(&y, to.rb_mut(), j);
            }
            // The balance of the adjoint is the inverse.
            scale.iter_mut().for_each(|d| *d = 1.0 / *d);
        }
    } else {
        let (mut f, stack) = form::<T, W>(a, Some(&mut scale), stack)?;
        values::<T>(&f.w, f.undo, w);
        vectors::write(&f.t, &f.z, &f.w, (false, &scale), v.rb_mut(), stack);
        // The adjoint's eigenvalues are the conjugates, and its balance the inverse.
        f.w.iter_mut().for_each(|w| *w = w.conj());
        scale.iter_mut().for_each(|d| *d = 1.0 / *d);
        vectors::write(&f.t, &f.z, &f.w, (true, &scale), u.rb_mut(), stack);
    }
    for mut x in [v, u] {
        for j in 0..n {
            if let Some(p) = phase(x.rb(), j) {
                turn_column(x.rb_mut(), j, p);
            }
        }
    }
    Ok(())
}
