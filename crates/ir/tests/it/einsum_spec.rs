//! Texts of `einsum`.
use tfc_ir::Part;
use tfc_ir::ops::contract::einsum::Spec;

fn read(text: &str, ranks: &[usize]) -> String {
    match Spec::parse(text, ranks) {
        Ok(s) => {
            let canonical = s.to_string();
            assert_eq!(Spec::canonical(&canonical).unwrap(), s, "{canonical}");
            canonical
        }
        Err(e) => match e.data().part {
            Part::Text(_, a, b) => format!("{} {a}..{b}", e.data().code.name()),
            _ => e.data().code.name().to_owned(),
        },
    }
}

#[test]
fn texts_are_read() {
    let cases: &[(&str, &[usize], &str)] = &[
        ("ij,jk->ik", &[2, 2], "ij,jk->ik"),
        (" i j , j k -> k i ", &[2, 2], "ij,jk->ki"),
        ("ij,jk", &[2, 2], "ij,jk->ik"),
        ("ba", &[2], "ba->ab"),
        ("Zb3 12a", &[5], "Zb3 12a->3 12Zab"),
        ("ii", &[2], "ii->"),
        ("", &[0], "->"),
        (",", &[0, 0], ",->"),
        ("i,->i", &[1, 0], "i,->i"),
        ("...ij,...jk->...ik", &[4, 3], "abij,bjk->abik"),
        ("...,...", &[1, 2], "b,ab->ab"),
        ("a...b", &[4], "acdb->cdab"),
        ("...i->...i", &[1], "i->i"),
        ("i->ii", &[1], "i->ii"),
        ("(ij,jk),kl->il", &[2, 2, 2], "(ij,jk),kl->il"),
        ("((ij,(jk)),kl)->il", &[2, 2, 2], "(ij,jk),kl->il"),
        ("0 1,1 2->0 2", &[2, 2], "0 1,1 2->0 2"),
        ("ij->", &[2], "ij->"),
    ];
    for (text, ranks, want) in cases {
        assert_eq!(read(text, ranks), *want, "{text}");
    }
    assert_eq!(read(&"i,".repeat(60), &[vec![1; 60], vec![0]].concat()), format!("{}->", "i,".repeat(60)));
}
#[test]
fn wrong_texts_are_refused_where_they_are_wrong() {
    let deep = "(".repeat(70);
    let cases: &[(&str, &[usize], &str)] = &[
        ("ij;jk->ik", &[2, 2], "E1200 2..3"),
        ("iä", &[2], "E1200 1..3"),
        ("ij->i->j", &[2], "E1200 5..6"),
        ("ij->(i)", &[2], "E1200 4..5"),
        ("ij->i,j", &[2], "E1200 5..6"),
        ("i..j", &[2], "E1200 1..2"),
        ("i-j", &[2], "E1200 1..2"),
        ("(ij,jk->ik", &[2, 2], "E1200 0..1"),
        ("(ij,jk", &[2, 2], "E1200 0..1"),
        ("ij)", &[2], "E1200 2..3"),
        ("(ij)k,k", &[2, 1], "E1200 4..5"),
        ("i(jk)", &[3], "E1200 1..2"),
        ("(i)(j)", &[1, 1], "E1200 3..4"),
        ("99999999999", &[1], "E1200 0..11"),
        (&deep, &[1], "E1200 64..65"),
        ("ij,jk->ik", &[2], "E1201"),
        ("ij,jk->ik", &[2, 3], "E1202 3..5"),
        ("ij,jk->ik", &[2, 1], "E1202 3..5"),
        ("i...j", &[1], "E1202 0..5"),
        ("ij,jk->il", &[2, 2], "E1203 8..9"),
        ("...i->i", &[2], "E1204 4..6"),
        ("...i...", &[2], "E1204 4..7"),
        ("...i->...i...", &[2], "E1204 10..13"),
    ];
    for (text, ranks, want) in cases {
        assert_eq!(read(text, ranks), *want, "{text}");
    }
}
