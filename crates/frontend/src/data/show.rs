//! Tensors as text: see [`tfc_ir::show`], which this names again beside the other ways out.
pub use tfc_ir::show::*;

/// What is tested from inside.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::data::parse_literal;
    use tfc_ir::{C64, DType, Tensor};

    fn scalars_read_back() {
        for x in [0.1, 1e300, -0.0, f64::INFINITY, f64::MIN_POSITIVE, 1e16, 123456789.125] {
            let text = show("x", &Tensor::scalar(x), Detail::Summary);
            let literal = text.strip_prefix("x = ").unwrap().trim_end();
            let back = parse_literal(literal, DType::F64, None).unwrap().item::<f64>().unwrap();
            assert_eq!(back.to_bits(), x.to_bits(), "{text}");
        }
        for bits in [f64::NAN.to_bits(), 0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001] {
            assert_eq!(show("n", &Tensor::scalar(f64::from_bits(bits)), Detail::Full), "n = nan\n");
        }
        assert_eq!(show("z", &Tensor::scalar(C64::new(1.0, -2.5)), Detail::Full), "z = (1.0, -2.5)\n");
        assert_eq!(show("z", &Tensor::scalar(1.0), Detail::None), "");
    }

    fn small_arrays_print_whole() {
        let t = Tensor::from_logical(&[2, 2], vec![1.0, 2.0, 3.0, -40.5]).unwrap();
        assert_eq!(show("w", &t, Detail::Summary), "w: f64[2, 2] =\n  [[  1.0,   2.0],\n   [  3.0, -40.5]]\n");
        let v = Tensor::from_logical(&[3], vec![1, 2, 3]).unwrap();
        assert_eq!(show("v", &v, Detail::Summary), "v: i32[3] = [1, 2, 3]\n");
        assert_eq!(
            show("e", &Tensor::from_logical::<bool>(&[0, 2], vec![]).unwrap(), Detail::Full),
            "e: bool[0, 2] = []\n"
        );
        assert_eq!(literal(&t), "[[  1.0,   2.0], [  3.0, -40.5]]");
        assert!(parse_literal(&literal(&t), DType::F64, None).unwrap().same(&t));
    }

    fn large_arrays_print_in_part() {
        let t = Tensor::from_logical(&[100], (0..100).map(|i| i as f64 / 3.0).collect()).unwrap();
        let text = show("v", &t, Detail::Summary);
        assert_eq!(
            text,
            "v: f64[100], min 0.0, max 33.0 = [0.0, 0.33333333, 0.66666667, ..., 32.333333, 32.666667, 33.0]\n"
        );
        assert_eq!(show("v", &t, Detail::Full).matches(',').count(), 99);
    }

    fn many_axes_print_in_part_too() {
        let t = Tensor::full(&[3; 12], 1i64).unwrap();
        let text = show("t", &t, Detail::Summary);
        assert!(text.len() < 200_000, "{}", text.len());
        assert!(text.starts_with("t: i64[3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3], min 1, max 1 =\n"));
        // As before where the axes are few.
        let t = Tensor::full(&[8; 4], 1i64).unwrap();
        assert_eq!(show("t", &t, Detail::Summary).matches('1').count(), 6 * 6 * 6 * 6 + 2);
    }

    fn long_texts_come_in_pieces() {
        let t = Tensor::from_logical(&[100, 50], (0..5000).map(f64::from).collect()).unwrap();
        let text = show("t", &t, Detail::Full);
        assert_eq!(text, format!("t: f64[100, 50] =\n  {}\n", nested(&t, true).replace('\n', "\n  ")));
    }
    /// All of them.
    pub const ALL: &[fn()] = &[
        scalars_read_back,
        small_arrays_print_whole,
        large_arrays_print_in_part,
        many_axes_print_in_part_too,
        long_texts_come_in_pieces,
    ];
}
