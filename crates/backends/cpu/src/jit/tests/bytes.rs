//! The encoder against an assembler.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::super::asm::{Asm, Gpr, Insn, Len, Mem, RCX, RDI, RSP, Rm};

/// Bytes as the GNU assembler gives them.
fn encodings() {
    let add = Insn::fp(false, 0x58);
    let one = |f: &dyn Fn(&mut Asm)| {
        let mut a = Asm::default();
        f(&mut a);
        a.code
    };
    let far = Mem { base: Gpr(13), scale: Some(2), disp: 0 };
    let vex = |f: &dyn Fn(&mut Asm)| {
        let mut a = Asm::new(true);
        f(&mut a);
        a.code
    };
    let cases: [(Vec<u8>, &[u8]); 16] = [
        // vaddps zmm1, zmm2, zmm3
        (one(&|a| a.evex(add, Len::Z, 1, 2, Rm::Reg(3), 0, false)), &[0x62, 0xf1, 0x6c, 0x48, 0x58, 0xcb]),
        // vaddps zmm17, zmm18, zmm29
        (one(&|a| a.evex(add, Len::Z, 17, 18, Rm::Reg(29), 0, false)), &[0x62, 0x81, 0x6c, 0x40, 0x58, 0xcd]),
        // vaddpd ymm9, ymm8, [rsp + 0x40]
        (
            one(&|a| a.evex(Insn::fp(true, 0x58), Len::Y, 9, 8, Rm::Mem(Mem::at(RSP, 64), 32), 0, false)),
            &[0x62, 0x71, 0xbd, 0x28, 0x58, 0x4c, 0x24, 0x02],
        ),
        // vaddps zmm0, zmm1, [rcx + 4]{1to16}
        (
            one(&|a| a.evex(add, Len::Z, 0, 1, Rm::Bc(Mem::at(RCX, 4)), 0, false)),
            &[0x62, 0xf1, 0x74, 0x58, 0x58, 0x41, 0x01],
        ),
        // vmovups zmm5{k1}{z}, [r13 + rax * 4]
        (
            one(&|a| a.evex(Insn::fp(false, 0x10), Len::Z, 5, 0, Rm::Mem(far, 64), 1, true)),
            &[0x62, 0xd1, 0x7c, 0xc9, 0x10, 0x6c, 0x85, 0x00],
        ),
        // vcmppd k3, zmm4, zmm20, 1
        (
            one(&|a| a.evex(Insn::fp(true, 0xc2).imm(1), Len::Z, 3, 4, Rm::Reg(20), 0, false)),
            &[0x62, 0xb1, 0xdd, 0x48, 0xc2, 0xdc, 0x01],
        ),
        // vpslld zmm7, zmm8, 5
        (
            one(&|a| a.evex(Insn::wide(1, false, 0x72).imm(5), Len::Z, 6, 7, Rm::Reg(8), 0, false)),
            &[0x62, 0xd1, 0x45, 0x48, 0x72, 0xf0, 0x05],
        ),
        // kandw k3, k4, k5
        (one(&|a| a.kop(0x41, true, 3, 4, 5)), &[0xc5, 0xdc, 0x41, 0xdd]),
        // kmovw k2, [rsp + 8]
        (one(&|a| a.kmov_mem(0x90, 2, Mem::at(RSP, 8))), &[0xc5, 0xf8, 0x90, 0x54, 0x24, 0x08]),
        // {vex3} vaddps ymm1, ymm2, ymm13
        (vex(&|a| a.evex(add, Len::Y, 1, 2, Rm::Reg(13), 0, false)), &[0xc4, 0xc1, 0x6c, 0x58, 0xcd]),
        // vfmadd231pd ymm9, ymm8, [rsp + 0x40]
        (
            vex(&|a| a.evex(Insn::wide(2, true, 0xb8), Len::Y, 9, 8, Rm::Mem(Mem::at(RSP, 64), 32), 0, false)),
            &[0xc4, 0x62, 0xbd, 0xb8, 0x4c, 0x24, 0x40],
        ),
        // vandpd ymm1, ymm2, ymm3, and vpaddq of the same: without W, which says nothing there
        (vex(&|a| a.evex(Insn::fp(true, 0x54), Len::Y, 1, 2, Rm::Reg(3), 0, false)), &[0xc4, 0xe1, 0x6d, 0x54, 0xcb]),
        (
            vex(&|a| a.evex(Insn::wide(1, true, 0xd4), Len::Y, 1, 2, Rm::Reg(3), 0, false)),
            &[0xc4, 0xe1, 0x6d, 0xd4, 0xcb],
        ),
        // vblendvps ymm1, ymm2, ymm3, ymm12
        (
            vex(&|a| a.evex(Insn::wide(3, false, 0x4a).imm(0xc0), Len::Y, 1, 2, Rm::Reg(3), 0, false)),
            &[0xc4, 0xe3, 0x6d, 0x4a, 0xcb, 0xc0],
        ),
        // vmaskmovps [r13 + rax * 4], ymm15, ymm7
        (
            vex(&|a| a.evex(Insn::wide(2, false, 0x2e), Len::Y, 7, 15, Rm::Mem(far, 1), 0, false)),
            &[0xc4, 0xc2, 0x05, 0x2e, 0x7c, 0x85, 0x00],
        ),
        // mov rcx, [rdi + 0x100]
        (one(&|a| a.load(RCX, Mem::at(RDI, 256))), &[0x48, 0x8b, 0x8f, 0x00, 0x01, 0x00, 0x00]),
    ];
    for (i, (got, want)) in cases.iter().enumerate() {
        assert_eq!(got, want, "case {i}");
    }
}
/// All of them.
pub const ALL: &[fn()] = &[encodings];
