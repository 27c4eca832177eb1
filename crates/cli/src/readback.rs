//! `--verify-roundtrip`: after each pass, what would be printed reads back as the same program.
use crate::session::{Done, Exit, Session, Stop};
use std::sync::Arc;
use tfc_ir::{Code, Error, Module, OpSet};
use tfc_passes::Report;

/// Reads back the text of a module as it goes through a pipeline, until one is another program.
pub(crate) struct ReadBack {
    /// `None` where nobody asks.
    ops: Option<Arc<OpSet>>,
    wrong: Option<Error>,
}
impl ReadBack {
    /// Begins with the program before the first pass, where that is asked for.
    pub(crate) fn of(session: &Session, asked: bool, m: &Module) -> ReadBack {
        let mut reader = ReadBack { ops: asked.then(|| session.ops.clone()), wrong: None };
        reader.look("reading", m);
        reader
    }
    /// Looks at what a pass has left.
    pub(crate) fn see(&mut self, r: &Report) {
        if r.changed {
            self.look(&format!("pass `{}`", r.pass.name), r.module);
        }
    }
    /// Looks at what is there after some step.
    pub(crate) fn look(&mut self, after: &str, m: &Module) {
        if let (None, Some(ops)) = (&self.wrong, &self.ops)
            && let Err(why) = reads_back(m, ops)
        {
            self.wrong = Some(Error::bug(Code::E0399, format!("this is a bug in tfc: after {after}, {why}")));
        }
    }
    /// What was found.
    pub(crate) fn done(self) -> Done {
        self.wrong.map_or(Ok(()), |e| Err(Stop::with(Exit::Bug, e)))
    }
}

/// What is printed must read back as the same program; says what does not.
fn reads_back(m: &Module, ops: &Arc<OpSet>) -> Result<(), String> {
    let text = tfc_ir::print::module(m);
    let again = tfc_frontend::text::parse_module(text.as_bytes(), ops).map_err(|d| {
        let Some(d) = d.first() else { return "what is printed does not read back".to_owned() };
        let line = text.as_bytes().iter().take(d.span().start as usize).filter(|b| **b == b'\n').count();
        format!("what is printed does not read back: {d}\n    {}", text.lines().nth(line).unwrap_or_default().trim())
    })?;
    let second = tfc_ir::print::module(&again.module);
    if second == text {
        return Ok(());
    }
    let difference = crate::filetest::snap::first_difference(&text, &second);
    Err(format!("what is printed reads back as another program; {difference}"))
}
