//! The formulas as programs: an implementation of `V` whose operations are written down instead of done, so that the code
//! generator compiles the very formulas that the kernels run.
//!
//! Operations go to a program of this thread that is there while a formula is being recorded.
use super::asm::Insn;
use super::ssa::{Id, Ssa, Ty};
use std::cell::RefCell;
use tfc_ir::{ScalarFunction, ScalarOp};
use tfc_kernels::outside::formula;
use tfc_kernels::vmath::v::{Bin, Lut, Un, V};
use tfc_kernels::vmath::{Isa, Recorded, Visit, patch, visit};

thread_local! {
    static PROGRAM: RefCell<Ssa> = RefCell::default();
}

/// Writes `op` of the vectors `args` (f64, or f32) to the end of `ssa`; `None` where there is no formula.
pub(crate) fn record(ssa: &mut Ssa, op: ScalarOp, dbl: bool, args: &[Id]) -> Option<Id> {
    let avx2 = ssa.avx2.is_some();
    PROGRAM.replace(std::mem::take(ssa));
    let v = visit(op, Record { dbl, avx2, args });
    *ssa = PROGRAM.take();
    v.flatten().filter(|_| !std::mem::take(&mut ssa.failed))
}
/// Writes the formula of `op` on pairs of vectors of f64 to the end of `ssa`, for AVX-512: its parts, and lanes that are not 0 where
/// the patches have to put them right. `None` where there is no formula.
pub(crate) fn record_pairs(
    ssa: &mut Ssa,
    op: ScalarOp,
    a: [Id; 2],
    b: [Id; 2],
) -> Option<([Id; 3], tfc_kernels::vmath::PairPatches)> {
    PROGRAM.replace(std::mem::take(ssa));
    let made = tfc_kernels::vmath::pair_formula(op, a.map(R64), b.map(R64));
    *ssa = PROGRAM.take();
    let (v, patches) = made.filter(|_| !std::mem::take(&mut ssa.failed))?;
    Some((v.map(|x| x.0), patches))
}
struct Record<'a> {
    dbl: bool,
    avx2: bool,
    args: &'a [Id],
}
impl Visit for Record<'_> {
    type Out = Option<Id>;
    fn un<F: Un>(self) -> Option<Id> {
        let &[x] = self.args else { return None };
        Some(match (self.avx2, self.dbl) {
            (false, false) => F::f(R32(x)).0,
            (false, true) => F::f(R64(x)).0,
            (true, false) => F::f(R32Avx2(x)).0,
            (true, true) => F::f(R64Avx2(x)).0,
        })
    }
    fn bin<F: Bin>(self) -> Option<Id> {
        let &[x, y] = self.args else { return None };
        Some(match (self.avx2, self.dbl) {
            (false, false) => F::f(R32(x), R32(y)).0,
            (false, true) => F::f(R64(x), R64(y)).0,
            (true, false) => F::f(R32Avx2(x), R32Avx2(y)).0,
            (true, true) => F::f(R64Avx2(x), R64Avx2(y)).0,
        })
    }
    fn outside(self, f: &'static ScalarFunction) -> Option<Id> {
        /// The operations of the formula, run on these vectors.
        fn on<T: V>(formula: &Recorded, args: &[Id], vector: fn(Id) -> T) -> Option<T> {
            let x: Vec<T> = args.iter().map(|&a| vector(a)).collect();
            formula.of(&x)
        }
        let formula = formula(f, self.dbl)?;
        Some(match (self.avx2, self.dbl) {
            (false, false) => on(&formula, self.args, R32)?.0,
            (false, true) => on(&formula, self.args, R64)?.0,
            (true, false) => on(&formula, self.args, R32Avx2)?.0,
            (true, true) => on(&formula, self.args, R64Avx2)?.0,
        })
    }
}

fn on(f: impl FnOnce(&mut Ssa) -> Id) -> Id {
    PROGRAM.with_borrow_mut(f)
}

macro_rules! recorder {
    ($R:ident $E:ident $T:ident $N:literal $dbl:literal $table:ident $isa:ident { $($more:item)* }) => {
        /// A vector of a recorded program.
        #[derive(Clone, Copy)]
        struct $R(Id);
        impl $R {
            fn fp(self, op: u8, o: Self) -> Self {
                $R(on(|s| s.bin(Insn::fp($dbl, op), self.0, o.0)))
            }
            fn comm(self, op: u8, o: Self) -> Self {
                $R(on(|s| s.bin(Insn::fp($dbl, op).comm(), self.0, o.0)))
            }
        }
        impl V for $R {
            type E = $E;
            type Mask = Id;
            const N: usize = $N;
            const DBL: bool = $dbl;
            fn bits(x: u64) -> Self {
                $R(on(|s| s.constant(if $dbl { x } else { x & 0xffff_ffff }, Ty::$T)))
            }
            unsafe fn load(_: *const $E) -> Self {
                Self::bits(0)
            }
            unsafe fn load_part(_: *const $E, _: usize) -> Self {
                Self::bits(0)
            }
            unsafe fn splat(_: *const $E) -> Self {
                Self::bits(0)
            }
            unsafe fn store(self, _: *mut $E) {}
            unsafe fn store_part(self, _: *mut $E, _: usize) {}
            fn add(self, o: Self) -> Self {
                self.comm(0x58, o)
            }
            fn sub(self, o: Self) -> Self {
                self.fp(0x5c, o)
            }
            fn mul(self, o: Self) -> Self {
                self.comm(0x59, o)
            }
            fn div(self, o: Self) -> Self {
                self.fp(0x5e, o)
            }
            fn sqrt(self) -> Self {
                $R(on(|s| s.un(Insn::fp($dbl, 0x51), self.0, Ty::$T)))
            }
            fn min(self, o: Self) -> Self {
                self.fp(0x5d, o)
            }
            fn max(self, o: Self) -> Self {
                self.fp(0x5f, o)
            }
            fn fma(self, b: Self, c: Self) -> Self {
                $R(on(|s| s.fma(false, self.0, b.0, c.0)))
            }
            fn fnma(self, b: Self, c: Self) -> Self {
                $R(on(|s| s.fma(true, self.0, b.0, c.0)))
            }
            fn and(self, o: Self) -> Self {
                self.comm(0x54, o)
            }
            fn or(self, o: Self) -> Self {
                self.comm(0x56, o)
            }
            fn xor(self, o: Self) -> Self {
                self.comm(0x57, o)
            }
            fn iadd(self, o: Self) -> Self {
                $R(on(|s| s.bin(Insn::wide(1, $dbl, if $dbl { 0xd4 } else { 0xfe }).comm(), self.0, o.0)))
            }
            fn isub(self, o: Self) -> Self {
                $R(on(|s| s.bin(Insn::wide(1, $dbl, if $dbl { 0xfb } else { 0xfa }), self.0, o.0)))
            }
            fn shl(self, k: u32) -> Self {
                $R(on(|s| s.shift(false, k as u8, self.0)))
            }
            fn shr(self, k: u32) -> Self {
                $R(on(|s| s.shift(true, k as u8, self.0)))
            }
            fn lt(a: Self, b: Self) -> Id {
                on(|s| s.cmp(Insn::fp($dbl, 0xc2).imm(1), a.0, b.0))
            }
            fn eq(a: Self, b: Self) -> Id {
                on(|s| s.cmp(Insn::fp($dbl, 0xc2).imm(0), a.0, b.0))
            }
            fn odd(self) -> Id {
                on(|s| s.odd(self.0))
            }
            fn sel(m: Id, a: Self, b: Self) -> Self {
                $R(on(|s| s.blend(m, a.0, b.0)))
            }
            fn any(_: Id) -> bool {
                // Both ways are recorded.
                true
            }
            fn lookup(self, t: &'static Lut) -> Self {
                $R(on(|s| s.lookup(self.0, t.$table.map(|x| u64::from(x.to_bits())))))
            }
            fn unless(self, m: Id, x: Self) -> Self {
                $R(on(|s| s.guess(m, self.0, x.0)))
            }
            fn rare<F: Un>(self, m: Id, x: Self) -> Self {
                $R(on(|s| match patch::<F>(Isa::$isa, $dbl) {
                    Some(f) => s.patch(m, x.0, self.0, f),
                    None => {
                        s.failed = true;
                        self.0
                    }
                }))
            }
            $($more)*
        }
    };
}
/// What AVX-512 has instructions for.
macro_rules! recorder512 {
    ($R:ident $E:ident $T:ident $N:literal $dbl:literal $table:ident $isa:ident) => {
        recorder! { $R $E $T $N $dbl $table $isa {
            fn scalef(self, n: Self) -> Self {
                $R(on(|s| s.bin(Insn::wide(2, $dbl, 0x2c), self.0, n.0)))
            }
            fn log_parts(self) -> (Self, Self) {
                let exponent = |x: Self| $R(on(|s| s.un(Insn::wide(2, $dbl, 0x42), x.0, Ty::$T)));
                // Interval [0.75, 1.5), sign dropped.
                let m = $R(on(|s| s.un(Insn::wide(3, $dbl, 0x26).imm(7), self.0, Ty::$T)));
                (exponent(self).sub(exponent(m)), m)
            }
        } }
    };
}
recorder512! { R32 f32 W32 16 false s Avx512 }
recorder512! { R64 f64 W64 8 true d Avx512 }
recorder! { R32Avx2 f32 W32 8 false s Avx2 {} }
recorder! { R64Avx2 f64 W64 4 true d Avx2 {} }
