//! Sixty slips of people who come from NumPy, PyTorch, JAX, MLIR, C, Fortran or a blackboard, and what they are told. `beginners.txt`
//! has the lines that stand in a function of a vector `%x`; a change of a message shows in the snapshot, where its help is to be read as
//! by somebody who knows nothing of this language.
use crate::common::{command, folder};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

const BEFORE: &str = "tfir 1.1
func @twice<n>(%x: f64[n]) -> f64[n] {
  return mul(2, %x)
}
func @square<n>(%x: f64[n]) -> f64[] {
  return reduce_sum(mul(%x, %x))
}
export func @main<n>(%x: f64[n]) -> f64[] {
";

#[test]
fn beginners_are_helped() {
    let dir = folder("beginners", BEFORE);
    let (mut told, mut count) = (String::new(), 0);
    let all = include_str!("beginners.txt");
    for one in format!("\n{all}").split("\n== ").skip(1) {
        let (title, lines) = one.split_once('\n').unwrap();
        let mut c = command(&dir, &["check", "-"]);
        let mut child = c.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let program = format!("{BEFORE}{}\n}}\n", lines.trim_end());
        child.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
        let said = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
        assert!(said.contains("error[E"), "nothing is wrong with `{title}`:\n{said}");
        // The first message is what people read; how many follow it is said.
        let all: Vec<&str> = said.split("\nerror[").collect();
        let _ = writeln!(told, "== {title}\n{}", all[0].trim());
        if all.len() > 1 {
            let _ = writeln!(told, "… and {} more", all.len() - 1);
        }
        told.push('\n');
        count += 1;
    }
    assert!(count >= 50);
    insta::assert_snapshot!("beginners", told);
}
