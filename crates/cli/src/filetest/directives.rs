//! The directives of a test file: `//! test: …`, `//! run: …`, `//~ CODE text`.
use std::fmt;

/// What a test file asks for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Directives {
    /// The command under test, as words; its output is the snapshot.
    pub command: Option<Vec<String>>,
    /// Calls and what they must give.
    pub runs: Vec<RunLine>,
    /// Diagnostics that must appear.
    pub expected: Vec<Expected>,
}

/// `//! run: @f(x = [[1, 2]]) ~= [11.0] tol = 1e-12`.
#[derive(Clone, PartialEq, Debug)]
pub struct RunLine {
    /// Its line, from 1.
    pub line: usize,
    /// The function.
    pub entry: String,
    /// Extents fixed by `<n = 3>`.
    pub bind: Vec<String>,
    /// Arguments: name or position, and the spec.
    pub args: Vec<(String, String)>,
    /// What must come.
    pub outcome: Outcome,
}
/// What a run must give.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// These results, `~=` within a tolerance, `==` to the bit.
    Values {
        /// One literal a result, in order.
        values: Vec<String>,
        /// `==`.
        exact: bool,
        /// `tol = …`; `None` is the default of the dtype.
        tolerance: Option<f64>,
    },
    /// An error of this code, whose message holds this text.
    Fails {
        /// The code.
        code: String,
        /// Part of the message.
        text: String,
    },
}

/// `//~ E0203 text`: a diagnostic on its own line; `//~^` on the line above, one line a caret.
#[derive(Clone, PartialEq, Debug)]
pub struct Expected {
    /// The line of the diagnostic, from 1.
    pub line: usize,
    /// Its code.
    pub code: String,
    /// Part of its message or of a label.
    pub text: String,
}
impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {} {}", self.line, self.code, self.text)
    }
}

impl Directives {
    /// Those of a source text; a malformed one is an error that names its line.
    pub fn parse(text: &str) -> Result<Directives, String> {
        let mut d = Directives::default();
        for (i, line) in text.lines().enumerate() {
            let number = i + 1;
            let at = |e: String| format!("line {number}: {e}");
            if let Some(body) = line.trim_start().strip_prefix("//!") {
                let (key, rest) =
                    body.split_once(':').ok_or_else(|| at("a directive is `//! test:` or `//! run:`".into()))?;
                match key.trim() {
                    "test" if d.command.is_some() => return Err(at("a file tests one command".into())),
                    "test" => d.command = Some(words(rest).map_err(at)?),
                    "run" => d.runs.push(run_line(number, rest).map_err(at)?),
                    k => return Err(at(format!("`{k}` is no directive"))),
                }
            } else if let Some((_, note)) = line.split_once("//~") {
                let up = note.chars().take_while(|&c| c == '^').count();
                let note = note.trim_start_matches('^').trim();
                let (code, text) = note.split_once(' ').unwrap_or((note, ""));
                if !is_code(code) || up >= number {
                    return Err(at(format!("`{note}` does not begin with a code, or points above the file")));
                }
                d.expected.push(Expected { line: number - up, code: code.into(), text: text.trim().into() });
            }
        }
        Ok(d)
    }

    /// Whether the file asks for nothing.
    pub fn is_empty(&self) -> bool {
        *self == Directives::default()
    }
}

fn is_code(s: &str) -> bool {
    s.len() == 5 && s.starts_with('E') && s.bytes().skip(1).all(|b| b.is_ascii_digit())
}

/// Splits at spaces; `"…"` and `'…'` hold spaces.
pub(crate) fn words(text: &str) -> Result<Vec<String>, String> {
    let (mut out, mut word, mut quote, mut any) = (vec![], String::new(), None, false);
    for c in text.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => word.push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                any = true;
            }
            None if c.is_whitespace() => {
                if any || !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
                any = false;
            }
            None => word.push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".into());
    }
    if any || !word.is_empty() {
        out.push(word);
    }
    Ok(out)
}

/// Splits at commas outside of brackets and quotes.
fn split_top(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut start, mut out) = (0i32, false, 0, vec![]);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '(' if !quoted => depth += 1,
            ']' | ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                out.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    out.push(text[start..].trim());
    out.retain(|s| !s.is_empty());
    out
}

/// Position of the parenthesis that closes the one at the start of `text`.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quoted) = (0, false);
    text.char_indices().find_map(|(i, c)| {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(i)
    })
}

fn run_line(line: usize, text: &str) -> Result<RunLine, String> {
    let text = text.trim();
    let open = text.find('(').ok_or("`@function(arguments)` is expected")?;
    let head = text[..open].trim();
    let (name, bind) = match head.split_once('<') {
        Some((n, b)) => (n, split_top(b.trim_end_matches('>'))),
        None => (head, vec![]),
    };
    let entry = name.trim().strip_prefix('@').ok_or("a function begins with `@`")?.to_owned();
    let bind = bind.into_iter().map(|b| b.replace(' ', "")).collect();
    let close = open + closing(&text[open..]).ok_or("the arguments are not closed")?;
    let args = split_top(&text[open + 1..close]).into_iter().enumerate();
    let args = args
        .map(|(i, a)| match a.split_once('=') {
            Some((k, v)) => (k.trim().trim_start_matches('%').to_owned(), v.trim().to_owned()),
            None => (i.to_string(), a.to_owned()),
        })
        .collect();
    let rest = text[close + 1..].trim();
    let outcome = if let Some(r) = rest.strip_prefix("fails") {
        let r = r.trim();
        let (code, text) = r.split_once(' ').unwrap_or((r, ""));
        if !is_code(code) {
            return Err("`fails` needs a code".into());
        }
        Outcome::Fails { code: code.into(), text: text.trim().trim_matches('"').into() }
    } else {
        let (exact, values) = match (rest.strip_prefix("=="), rest.strip_prefix("~=")) {
            (Some(v), _) => (true, v),
            (_, Some(v)) => (false, v),
            _ => return Err("`~=`, `==` or `fails` is expected after the call".into()),
        };
        let (values, tolerance) = match values.rsplit_once("tol") {
            Some((v, t)) => {
                let t = t.trim().trim_start_matches('=').trim();
                (v, Some(t.parse().map_err(|_| format!("`{t}` is no tolerance"))?))
            }
            None => (values, None),
        };
        let values = split_top(values).into_iter().map(str::to_owned).collect();
        Outcome::Values { values, exact, tolerance }
    };
    Ok(RunLine { line, entry, bind, args, outcome })
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn directives_are_read() {
        let d = Directives::parse(
            "//! test: opt -p \"cse, dce\"\n//! run: @loss(x = [[1, 2]], 2.5) ~= [11.0], (1.0, 2.0) tol = 1e-12\n\
             //! run: @g<n = 3>(zeros) == [0, 0]\n//! run: @h() fails E0701 more than\n\
             x //~ E0203 operand shapes\n//~^^ E0101 two up\n",
        )
        .unwrap();
        assert_eq!(d.command.unwrap(), ["opt", "-p", "cse, dce"]);
        let r = &d.runs[0];
        assert_eq!((r.line, r.entry.as_str()), (2, "loss"));
        assert_eq!(r.args, [("x".to_owned(), "[[1, 2]]".to_owned()), ("1".into(), "2.5".into())]);
        let values = vec!["[11.0]".to_owned(), "(1.0, 2.0)".into()];
        assert_eq!(r.outcome, Outcome::Values { values, exact: false, tolerance: Some(1e-12) });
        assert_eq!(d.runs[1].bind, ["n=3"]);
        assert_eq!(d.runs[2].outcome, Outcome::Fails { code: "E0701".into(), text: "more than".into() });
        assert_eq!(d.expected[0], Expected { line: 5, code: "E0203".into(), text: "operand shapes".into() });
        assert_eq!((d.expected[1].line, d.expected[1].code.as_str()), (4, "E0101"));
    }

    fn malformed_directives_are_errors() {
        for bad in [
            "//! opt",
            "//! tset: x",
            "//! test: a \"b",
            "//! run: f() ~= 1",
            "//! run: @f(",
            "//! run: @f() 1",
            "//! run: @f() ~= 1 tol = x",
            "//~ error",
            "//~^ E0101 nothing above",
            "//! test: a\n//! test: b",
            "//! run: @f() fails",
        ] {
            assert!(Directives::parse(bad).is_err(), "{bad}");
        }
        assert!(Directives::parse("// a comment\nfunc").unwrap().is_empty());
    }
    /// All of them.
    pub const ALL: &[fn()] = &[directives_are_read, malformed_directives_are_errors];
}
