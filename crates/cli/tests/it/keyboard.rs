//! What makes short work at the keyboard: inputs and results in bulk, tables, numbers as JSON, programs printed nested, names of other
//! libraries, programs of several files.
use crate::common::{folder, ran};
use std::fs;

const TWO: &str = "tfir 1.1

export func @main<m, n>(%x: f64[m, n], %s: f64[]) -> (y: f64[m, n], total: f64[]) {
  %y = mul(%x, %s)
  return %y, reduce_sum(%y)
}
";

#[test]
fn inputs_and_results_in_bulk() {
    let dir = folder("keyboard-bulk", TWO);
    let line = "run p.tfir -i x=[[1,2],[3,4]] -i s=2";
    ran(&dir, &format!("{line} -o all.npz --print none")).gives("");
    // A result that stands where an input stood has the name of the next input.
    fs::write(dir.join("next.tfir"), TWO.replace("(y: f64[m, n], total", "(x: f64[m, n], s")).unwrap();
    ran(&dir, "run next.tfir -i x=@all.npz:y -i s=1 -o state.npz --print none").gives("");
    ran(&dir, "run next.tfir --inputs state.npz -o state.npz --print json")
        .gives("{\n  \"x\": [[40.0, 80.0], [120.0, 160.0]],\n  \"s\": 400.0\n}\n");
    ran(&dir, "run next.tfir --inputs state.npz -i s=0.5 --print json").shows(&["\"s\": 200.0"]);
    ran(&dir, "run p.tfir --inputs state.npz --expect y=all.npz").fails(4, &["E0731", "all.npz"]);
    ran(&dir, &format!("{line} --expect y=all.npz --expect total=all.npz --print none")).gives("");
    ran(&dir, "run p.tfir --inputs none.npz").fails(2, &["E0908", "none.npz"]);
    ran(&dir, "run p.tfir --inputs p.tfir").fails(2, &["E0602"]);
    ran(&dir, "run p.tfir --inputs all.npz").fails(2, &["E0905", "-i x=@x.npy"]);
    ran(&dir, "run p.tfir -i x=[[1]]").fails(2, &["E0905", "-i s=1.0"]);
    ran(&dir, &format!("{line} -o y.npy")).fails(2, &["E0901", "NAME=VALUE"]);
}
#[test]
fn tables_and_ranges() {
    let dir = folder("keyboard-tables", TWO);
    fs::write(dir.join("t.csv"), "# made by hand\na;b\n1;2.5\n\n-3;4e1\n").unwrap();
    ran(&dir, "run p.tfir -i x=@t.csv -i s=1 -o y=y.csv --print json")
        .gives("{\n  \"y\": [[1.0, 2.5], [-3.0, 40.0]],\n  \"total\": 40.5\n}\n");
    assert_eq!(fs::read_to_string(dir.join("y.csv")).unwrap(), "1.0,2.5\n-3.0,40.0\n");
    ran(&dir, "run p.tfir -i x=@y.csv -i s=1 --print none").gives("");
    fs::write(dir.join("column.csv"), "1\n2\n3\n").unwrap();
    ran(&dir, "run p.tfir -i x=@column.csv -i s=1").shows(&["y: f64[3, 1]", "total = 6.0"]);
    fs::write(dir.join("ragged.csv"), "1,2\n3\n").unwrap();
    ran(&dir, "run p.tfir -i x=@ragged.csv -i s=1")
        .fails(3, &["E0602", "line 2 has 1 entries, those before it have 2"]);
    fs::write(
        dir.join("v.tfir"),
        "tfir 1.1\nexport func @f<n>(%x: f64[n], %k: i32[n]) -> (f64[n], i32[n]) {\n  return %x, %k\n}\n",
    )
    .unwrap();
    ran(&dir, "run v.tfir -i x=linspace:0:1:3 -i k=[1,2,3] --print json").shows(&["[0.0, 0.5, 1.0]"]);
    ran(&dir, "run v.tfir -i x=linspace:-1:1 -i k=[1,2] --print json").shows(&["[-1.0, 1.0]"]);
    ran(&dir, "run v.tfir -i x=linspace:0 -i k=[1]").fails(2, &["E0908", "linspace:0:1:5"]);
    ran(&dir, "run v.tfir -i k=linspace:0:1:2 -i x=[1,2]").fails(3, &["E0908", "floating numbers"]);
    ran(&dir, "run v.tfir -i x=[nan,-inf] -i k=[1,2] --print json").shows(&["[\"nan\", \"-inf\"]", "[1, 2]"]);
    // Integers that a file has come into floats, and back where they are integers; halves do not.
    ran(&dir, "run v.tfir -i x=[1,2] -i k=[7,8] -o out0=x.npy -o out1=k.npy --print none").gives("");
    ran(&dir, "run v.tfir -i x=@k.npy -i k=@k.npy --print json").shows(&["[7.0, 8.0]"]);
    ran(&dir, "run v.tfir -i x=@x.npy -i k=@x.npy").fails(3, &["E0606"]);
}
#[test]
fn programs_print_as_people_write_them() {
    let dir = folder(
        "keyboard-nest",
        "tfir 1.0
export func @main<n>(%x: f64[n], %slope: f64[]) -> (loss: f64[]) {
  %k: f64[n] = broadcast_in_dim(%slope, dims = [])
  %half: f64[n] = const(splat = 0.5)
  %line: f64[n] = mul(%k, %x)
  %miss: f64[n] = sub(%line, %half)
  %sq: f64[n] = mul(%miss, %miss)
  %sum: f64[] = reduce_sum(%sq, axes = [0])
  return %sum
}
",
    );
    let nested = "tfir 1.1

export func @main<n>(%x: f64[n], %slope: f64[]) -> (loss: f64[]) {
  %miss: f64[n] = sub(mul(%slope, %x), 0.5)
  return reduce_sum(mul(%miss, %miss))
}
";
    ran(&dir, "opt p.tfir -p verify --nest").gives(nested);
    ran(&dir, "grad p.tfir --wrt slope --nest").shows(&["return reduce_sum(mul(%x, add("]);
    ran(&dir, "opt p.tfir -p verify --nest -o q.tfir").gives("");
    let run = "-i x=[1,2] -i slope=2 --print full";
    assert_eq!(ran(&dir, &format!("run q.tfir {run}")).ok(), ran(&dir, &format!("run p.tfir {run}")).ok());
}
#[test]
fn names_of_other_libraries_lead_somewhere() {
    let dir = folder("keyboard-words", TWO);
    ran(&dir, "ops sigmoid").shows(&["`sigmoid` is `logistic` here.", "logistic(%x)"]);
    ran(&dir, "explain jnp.linalg.svd").shows(&["`linalg.svd`"]);
    ran(&dir, "explain zeros").shows(&["as a literal with its type"]);
    ran(&dir, "ops choleski").fails(2, &["E0903", "did you mean `linalg.cholesky`?"]);
    ran(&dir, "explain tfc/roots.tfir").shows(&["func @newton<n, k>"]);
    ran(&dir, "test nowhere").fails(3, &["E0601", "no such file or directory"]);
    ran(&dir, "run p.tfir --nonsense --error-format json").fails(2, &["\"code\":\"E0901\"", "unexpected argument"]);
    let timed = ran(&dir, "run p.tfir -q -i x=[[1]] -i s=1 --time");
    assert!(timed.err.contains("time: run:"), "{}", timed.err);
}
#[test]
fn programs_of_several_files() {
    let dir = folder(
        "keyboard-import",
        "tfir 1.1
import \"parts/area.tfir\" as area

export func @main(%x: f64[]) -> (y: f64[]) {
  return call(@area.circle, %x)
}
",
    );
    fs::create_dir(dir.join("parts")).unwrap();
    let part = "tfir 1.1\nfunc @circle(%r: f64[]) -> f64[] {\n  check(ge(%r, 0), \"radius\")\n  return mul(3, mul(%r, %r))\n}\n";
    fs::write(dir.join("parts/area.tfir"), part).unwrap();
    ran(&dir, "run p.tfir -i x=2").gives("y = 12.0\n");
    // Places are those of the file that they are in.
    ran(&dir, "run p.tfir -i x=-2").fails(4, &["E0710", "parts/area.tfir:3:3"]);
    ran(&dir, "opt p.tfir -p verify").shows(&["func @area.circle(%r: f64[])"]);
    fs::write(dir.join("parts/area.tfir"), part.replace("ge(%r, 0)", "ge(%q, 0)")).unwrap();
    assert_eq!(ran(&dir, "check p.tfir --error-format short").places(), ["3:12 E0301"]);
    ran(&dir, "check p.tfir").fails(1, &["parts/area.tfir:3:12"]);
    fs::write(dir.join("parts/area.tfir"), "tfir 1.1\nimport \"../p.tfir\" as p\n").unwrap();
    ran(&dir, "check p.tfir").fails(1, &["E0111", "without `..`"]);
}
