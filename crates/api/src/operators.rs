//! `+ - * / %` between tensors, owned or not, and between a tensor and a number. Each gives a `Result`; a chain takes the result of what
//! stands before an operator, so that it needs one `?` at its end: `&a * &b + &c`. A result beside a
//! result or a number needs its own (`(&a * &b)? + &c * &d`): Rust lets no crate add a `Result` to what is not its own.

/// The operators of a type with methods `add sub mul div rem neg` and `beside`, which makes a tensor of a number.
macro_rules! operators {
    ($T:ident) => {
        $crate::operators::operators!(@each $T, Add add, Sub sub, Mul mul, Div div, Rem rem);
        impl std::ops::Neg for &$T {
            type Output = tfc_ir::Result<$T>;
            #[track_caller]
            fn neg(self) -> tfc_ir::Result<$T> {
                $T::neg(self)
            }
        }
        impl std::ops::Neg for $T {
            type Output = tfc_ir::Result<$T>;
            #[track_caller]
            fn neg(self) -> tfc_ir::Result<$T> {
                $T::neg(&self)
            }
        }
    };
    (@each $T:ident, $($trait:ident $f:ident),*) => { $(
        $crate::operators::operators!(@two $T $trait $f, $T, $T, |a, b| (&a, &b));
        $crate::operators::operators!(@two $T $trait $f, $T, &$T, |a, b| (&a, b));
        $crate::operators::operators!(@two $T $trait $f, &$T, $T, |a, b| (a, &b));
        $crate::operators::operators!(@two $T $trait $f, &$T, &$T, |a, b| (a, b));
        $crate::operators::operators!(@two $T $trait $f, tfc_ir::Result<$T>, &$T, |a, b| (&a?, b));
        $crate::operators::operators!(@two $T $trait $f, tfc_ir::Result<$T>, $T, |a, b| (&a?, &b));
        $crate::operators::operators!(@two $T $trait $f, &$T, tfc_ir::Result<$T>, |a, b| (a, &b?));
        $crate::operators::operators!(@two $T $trait $f, $T, tfc_ir::Result<$T>, |a, b| (&a, &b?));
        $crate::operators::operators!(@number $T $trait $f, f64);
        $crate::operators::operators!(@number $T $trait $f, i32);
        $crate::operators::operators!(@number $T $trait $f, tfc_ir::C64);
    )* };
    (@two $T:ident $trait:ident $f:ident, $a:ty, $b:ty, |$x:ident, $y:ident| ($p:expr, $q:expr)) => {
        impl std::ops::$trait<$b> for $a {
            type Output = tfc_ir::Result<$T>;
            #[track_caller]
            fn $f(self, other: $b) -> tfc_ir::Result<$T> {
                let ($x, $y) = (self, other);
                $T::$f($p, $q)
            }
        }
    };
    (@number $T:ident $trait:ident $f:ident, $n:ty) => {
        $crate::operators::operators!(@two $T $trait $f, $T, $n, |a, n| (&a, &a.beside(n.into())?));
        $crate::operators::operators!(@two $T $trait $f, &$T, $n, |a, n| (a, &a.beside(n.into())?));
        $crate::operators::operators!(@two $T $trait $f, $n, $T, |n, a| (&a.beside(n.into())?, &a));
        $crate::operators::operators!(@two $T $trait $f, $n, &$T, |n, a| (&a.beside(n.into())?, a));
    };
}
pub(crate) use operators;
