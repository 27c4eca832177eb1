//! The language server, driven as an editor drives it: messages in, messages out.
use crate::common::{command, folder};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};

const PROGRAM: &str = "tfir 1.1
import \"parts/area.tfir\" as area

// Of n points.
export func @loss<n>(%x: f64[n], %slope: f64[]) -> (loss: f64[]) where n <= 9 {
  %miss = sub(mul(%slope, %x), 0.5)
  %k: i64[] = const(3)
  %end: i64[], %sum = while(%k, %slope) {
    cond(%i: i64[], %s: f64[]) {
      yield lt(%i, 5)
    }
    body(%i: i64[], %s: f64[]) {
      yield add(%i, 1), call(@area.circle, %s)
    }
  }
  return add(%sum, reduce_sum(mul(%miss, %miss)))
}
";
const PART: &str = "tfir 1.1\nfunc @circle(%r: f64[]) -> f64[] {\n  return mul(3, mul(%r, %r))\n}\n";

struct Editor {
    server: Child,
    from: BufReader<ChildStdout>,
    dir: PathBuf,
    asked: u64,
}
impl Editor {
    fn in_folder(name: &str) -> Editor {
        let dir = folder(name, PROGRAM);
        std::fs::create_dir(dir.join("parts")).unwrap();
        std::fs::write(dir.join("parts/area.tfir"), PART).unwrap();
        let mut c = command(&dir, &["lsp", "--stdio"]);
        let mut server = c.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let from = BufReader::new(server.stdout.take().unwrap());
        let mut editor = Editor { server, from, dir, asked: 0 };
        let can = editor.ask("initialize", json!({ "capabilities": {} })).unwrap();
        assert_eq!(can["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }
    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let to = self.server.stdin.as_mut().unwrap();
        write!(to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        to.flush().unwrap();
    }
    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
    fn next(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server has ended");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(n) => length = n.parse().unwrap(),
                None if line == "\r\n" => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }
    /// The answer to a request, or why it is refused.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        match answer.get("error") {
            Some(e) => Err(e["message"].as_str().unwrap().to_owned()),
            None => Ok(answer["result"].take()),
        }
    }
    fn uri(&self, file: &str) -> String {
        format!("file://{}", self.dir.join(file).display())
    }
    /// The diagnostics of a document as it is opened or changed: `LINE:COLUMN severity code`, from 0.
    fn open(&mut self, file: &str, text: &str, method: &str) -> Vec<String> {
        let uri = self.uri(file);
        let params = match method {
            "didOpen" => json!({ "textDocument": { "uri": uri, "languageId": "tfir", "version": 1, "text": text } }),
            _ => json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": text }] }),
        };
        self.tell(&format!("textDocument/{method}"), params);
        let published = self.next();
        assert_eq!(published["method"], "textDocument/publishDiagnostics");
        assert_eq!(published["params"]["uri"], uri);
        let shown = |d: &Value| {
            let at = &d["range"]["start"];
            format!("{}:{} {} {}", at["line"], at["character"], d["severity"], d["code"].as_str().unwrap())
        };
        published["params"]["diagnostics"].as_array().unwrap().iter().map(shown).collect()
    }
    /// A request at the byte of `text` behind the first `before`.
    fn at(&mut self, method: &str, text: &str, before: &str, more: Value) -> Result<Value, String> {
        let byte = text.find(before).unwrap_or_else(|| panic!("`{before}` is not there")) + before.len();
        let line = text[..byte].matches('\n').count();
        let start = text[..byte].rfind('\n').map_or(0, |i| i + 1);
        let character = text[start..byte].encode_utf16().count();
        let mut params = more;
        params["textDocument"] = json!({ "uri": self.uri("p.tfir") });
        params["position"] = json!({ "line": line, "character": character });
        self.ask(&format!("textDocument/{method}"), params)
    }
    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Ok(Value::Null));
        self.tell("exit", Value::Null);
        assert!(self.server.wait().unwrap().success());
    }
}
/// Places of an answer, each `LINE:COLUMN`, from 0.
fn places(list: &Value) -> Vec<String> {
    let start = |p: &Value| format!("{}:{}", p["range"]["start"]["line"], p["range"]["start"]["character"]);
    list.as_array().unwrap().iter().map(start).collect()
}

#[test]
fn diagnostics_follow_the_text() {
    let mut e = Editor::in_folder("lsp-diagnostics");
    assert_eq!(e.open("p.tfir", PROGRAM, "didOpen"), [""; 0]);
    // Columns are in units of UTF-16: the sign in the text takes two.
    let wide = PROGRAM.replace("  %miss = sub(mul(%slope, %x)", "  check(eq(1, 1), \"𝑥\") %miss = sub(%nothing");
    assert_eq!(e.open("p.tfir", &wide, "didChange"), ["5:36 1 E0301"]);
    let undefined = PROGRAM.replace("mul(%slope, %x)", "%nothing");
    assert_eq!(e.open("p.tfir", &undefined, "didChange"), ["5:14 1 E0301"]);
    let unused = PROGRAM
        .replace("  %k: i64", "  %idle = exp(%x)\n  %k: i64")
        .replace("add(%sum, reduce_sum(mul(%miss, %miss)))", "%sum");
    assert_eq!(e.open("p.tfir", &unused, "didChange"), ["5:2 2 E0315", "6:2 2 E0315"]);
    // What is wrong in a file that it imports is shown where it is imported.
    let other = PROGRAM.replace("parts/area.tfir", "parts/volume.tfir");
    assert_eq!(e.open("p.tfir", &other, "didChange")[0], "1:7 1 E0111");
    std::fs::write(e.dir.join("parts/volume.tfir"), PART.replace("%r, %r", "%r, %q")).unwrap();
    assert_eq!(e.open("p.tfir", &other, "didChange"), ["1:7 1 E0301"]);
    e.end();
}

#[test]
fn names_are_known() {
    let mut e = Editor::in_folder("lsp-names");
    assert_eq!(e.open("p.tfir", PROGRAM, "didOpen"), [""; 0]);
    let shown = |v: Value| v["contents"]["value"].as_str().unwrap_or_default().to_owned();
    let hover = shown(e.at("hover", PROGRAM, "mul(%slope, %", json!({})).unwrap());
    assert!(
        hover.contains("%x: f64[n]") && hover.contains("parameter of `@loss`") && hover.contains("0 <= n <= 9"),
        "{hover}"
    );
    let hover = shown(e.at("hover", PROGRAM, "  %mi", json!({})).unwrap());
    assert!(hover.contains("%miss: f64[n]") && hover.contains("a result of `sub`"), "{hover}");
    let hover = shown(e.at("hover", PROGRAM, "reduce_s", json!({})).unwrap());
    assert!(hover.contains("## `reduce_sum`") && hover.contains("```tfir"), "{hover}");
    let hover = shown(e.at("hover", PROGRAM, "call(@area.c", json!({})).unwrap());
    assert!(hover.contains("func @circle(%r: f64[]) -> f64[]"), "{hover}");
    let hover = shown(e.at("hover", PROGRAM, "f64[n", json!({})).unwrap());
    assert!(hover.contains("an extent of `@loss`") && hover.contains("0 <= n <= 9"), "{hover}");

    // The `%i` of the body and not that of the condition.
    let found = e.at("definition", PROGRAM, "yield add(%", json!({})).unwrap();
    assert_eq!(places(&json!([found])), ["11:9"]);
    let found = e.at("definition", PROGRAM, "call(@area.", json!({})).unwrap();
    assert!(found["uri"].as_str().unwrap().ends_with("/parts/area.tfir"), "{found}");
    assert_eq!(places(&json!([found])), ["1:5"]);
    assert_eq!(places(&e.at("references", PROGRAM, "yield lt(%", json!({})).unwrap()), ["8:9", "9:15"]);
    assert_eq!(places(&e.at("documentHighlight", PROGRAM, "%slope, %", json!({})).unwrap()), ["4:21", "5:26"]);

    let renamed = e.at("rename", PROGRAM, "  %mi", json!({ "newName": "gap" })).unwrap();
    let edits = &renamed["changes"][e.uri("p.tfir")];
    assert_eq!(places(edits), ["5:2", "15:34", "15:41"]);
    assert_eq!(edits[0]["newText"], "%gap");
    let refused = e.at("rename", PROGRAM, "  %mi", json!({ "newName": "slope" })).unwrap_err();
    assert_eq!(refused, "`%slope` stands for something else there");
    let refused = e.at("rename", PROGRAM, "  %mi", json!({ "newName": "a b" })).unwrap_err();
    assert!(refused.contains("is no name"), "{refused}");
    let refused = e.at("prepareRename", PROGRAM, "call(@area.c", json!({})).unwrap_err();
    assert!(refused.contains("another file"), "{refused}");
    assert_eq!(e.at("prepareRename", PROGRAM, "  %mi", json!({})).unwrap()["start"]["character"], 2);

    let types = e.at("inlayHint", PROGRAM, "tfir", json!({})).unwrap();
    let labels: Vec<&str> = types.as_array().unwrap().iter().map(|t| t["label"].as_str().unwrap()).collect();
    assert_eq!(labels, [": f64[n]", ": f64[]"]);
    let lines = |from: u32, to: u32| json!({ "range": { "start": { "line": from, "character": 0 }, "end": { "line": to, "character": 0 } } });
    assert_eq!(e.at("inlayHint", PROGRAM, "tfir", lines(5, 6)).unwrap().as_array().unwrap().len(), 1);
    let outline = e.at("documentSymbol", PROGRAM, "tfir", json!({})).unwrap();
    assert_eq!(outline[0]["name"], "@loss");
    assert!(e.ask("textDocument/nonsense", json!({})).unwrap_err().contains("no request"));
    e.end();
}

#[test]
fn text_is_completed_and_laid_out() {
    let mut e = Editor::in_folder("lsp-completion");
    assert_eq!(e.open("p.tfir", PROGRAM, "didOpen"), [""; 0]);
    let labels = |v: &Value| -> Vec<String> {
        v.as_array().unwrap().iter().map(|i| i["label"].as_str().unwrap().to_owned()).collect()
    };
    // What is seen there, with its type as it was when the program was right; not what is defined later, or in a region that is closed.
    let typing = PROGRAM.replace("return add(%sum, reduce_sum(mul(%miss, %miss)))", "return add(%");
    assert!(!e.open("p.tfir", &typing, "didChange").is_empty());
    let mut seen = e.at("completion", &typing, "return add(%", json!({})).unwrap();
    let list = seen.as_array_mut().unwrap();
    list.sort_by_key(|i| i["label"].as_str().unwrap().to_owned());
    assert_eq!(labels(&seen), ["%end", "%k", "%miss", "%slope", "%sum", "%x"]);
    assert_eq!(seen[2]["detail"], "f64[n]");
    assert_eq!(seen[2]["textEdit"]["range"]["start"]["character"], 13);
    let calls = labels(&e.at("completion", &typing, "call(@ar", json!({})).unwrap());
    assert_eq!(calls, ["@loss", "@area.circle"]);
    let ops = e.at("completion", &typing, "yield l", json!({})).unwrap();
    let known = labels(&ops);
    assert!(["linalg.svd", "sigmoid", "return", "f64"].iter().all(|w| known.iter().any(|k| k == w)), "{known:?}");
    let sigmoid = ops.as_array().unwrap().iter().find(|i| i["label"] == "sigmoid").unwrap();
    assert_eq!(sigmoid["textEdit"]["newText"], "logistic");

    let untidy = PROGRAM.replace("  %miss = sub(", "%miss=sub( ");
    assert_eq!(e.open("p.tfir", &untidy, "didChange"), [""; 0]);
    let edits = e.at("formatting", &untidy, "tfir", json!({ "options": {} })).unwrap();
    assert_eq!(edits[0]["newText"], PROGRAM);
    e.end();
}

#[test]
fn a_lens_leads_to_the_gradient() {
    let mut e = Editor::in_folder("lsp-gradient");
    assert_eq!(e.open("p.tfir", PROGRAM, "didOpen"), [""; 0]);
    let lenses = e.at("codeLens", PROGRAM, "tfir", json!({})).unwrap();
    assert_eq!(lenses[0]["command"]["title"], "gradient");
    let asked = json!({ "command": lenses[0]["command"]["command"], "arguments": lenses[0]["command"]["arguments"] });
    let gradient = e.ask("workspace/executeCommand", asked).unwrap();
    let text = gradient.as_str().unwrap();
    assert!(text.starts_with("tfir 1.1\n") && text.contains("-> (g_x: f64[n])"), "{text}");
    let wrong = json!({ "command": "tfc.gradient", "arguments": [e.uri("p.tfir"), "@nothing"] });
    assert!(e.ask("workspace/executeCommand", wrong).unwrap_err().contains("nothing"));
    e.end();
}

#[test]
fn a_stream_that_ends_ends_it() {
    let dir = folder("lsp-end", PROGRAM);
    let run = |input: &str| {
        let mut child = command(&dir, &["lsp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let out = child.wait_with_output().unwrap();
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    assert_eq!(run("").0, Some(0));
    let exit = "{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}";
    // Without `shutdown` before it.
    assert_eq!(run(&format!("Content-Length: {}\r\n\r\n{exit}", exit.len())).0, Some(1));
    let (code, said) = run("Content-Length: 3\r\n\r\n{]}");
    assert!(code == Some(3) && said.contains("E0601"), "{said}");
}

/// The words that the grammar of editors knows are those of the language.
#[test]
fn editors_know_the_words() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode/syntaxes/tfir.tmLanguage.json");
    let grammar: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let words = |name: &str| -> Vec<String> {
        let pattern = grammar["repository"][name]["match"].as_str().unwrap();
        let list = pattern.split_once('(').unwrap().1.split_once(')').unwrap().0;
        list.trim_start_matches("?:").split('|').map(str::to_owned).collect()
    };
    let kinds = |kind, words: &[String]| {
        for w in words {
            let all = tfc_frontend::text::tokens(w);
            assert!(matches!(all.as_slice(), [t] if t.kind == kind), "`{w}` is {all:?}");
        }
    };
    use tfc_frontend::text::TokenKind;
    kinds(TokenKind::Keyword, &words("keyword"));
    kinds(TokenKind::Number, &words("constant"));
    kinds(TokenKind::Dtype, &words("dtype"));
    let dtypes = words("dtype");
    for d in tfc_ir::DType::ALL {
        assert!(dtypes.contains(&d.to_string()), "{d} is missing");
    }
}
