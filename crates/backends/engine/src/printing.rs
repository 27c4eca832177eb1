//! Where a run's `print` goes.
use crate::Print;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tfc_ir::{Attrs, Result, Tensor};

/// Where one run prints, and how often each label has come in it.
#[derive(Clone)]
pub struct Printing {
    out: Print,
    seen: Arc<Mutex<BTreeMap<Arc<str>, u64>>>,
}
impl std::fmt::Debug for Printing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Printing")
    }
}
impl From<Print> for Printing {
    fn from(out: Print) -> Printing {
        Printing { out, seen: Arc::default() }
    }
}
impl Printing {
    /// Prints a value that an op `print` has, if it is one of those that the op asks for.
    ///
    /// # Errors
    /// Those of `value`, which runs only where it is printed.
    pub fn print(&self, what: &Printed, value: impl FnOnce() -> Result<Tensor>) -> Result<()> {
        if what.every > 1 {
            let mut seen = self.seen.lock().unwrap_or_else(|e| e.into_inner());
            let n = seen.entry(what.label.clone()).or_default();
            let due = n.is_multiple_of(what.every);
            *n += 1;
            if !due {
                return Ok(());
            }
        }
        (self.out)(&what.label, &value()?);
        Ok(())
    }
}
/// What an op `print` says about its values.
#[derive(Clone, Debug)]
pub struct Printed {
    label: Arc<str>,
    every: u64,
}
impl From<&Attrs> for Printed {
    fn from(attrs: &Attrs) -> Printed {
        let every = u64::try_from(attrs.int("every")).unwrap_or(1).max(1);
        Printed { label: attrs.str("label").unwrap_or_default().into(), every }
    }
}
