//! MLIR bytecode of a StableHLO program, as JAX hands it to plugins and as `jax.export` stores it: the portable artefacts of StableHLO, in
//! the versioned dialect VHLO. It becomes text, which is then read like any other, so that errors have a place that can be looked at;
//! statements keep the places that they came from.
mod container;
mod entry;
mod print;
mod properties;
mod spell;
mod vhlo;

use container::{File, MAGIC};
use tfc_ir::{Code, Diagnostic, Span};

/// Characters of text that a byte may become, and how many there may be in any case.
const MOST_TEXT: (usize, usize) = (1024, 1 << 20);

/// The version of StableHLO whose programs are read: later ones are written in it on demand.
pub const STABLEHLO: [i64; 3] = [1, 17, 0];

/// The bytecode in a file: the whole file, or the module of what `jax.export` has serialised.
pub fn find(bytes: &[u8]) -> Option<&[u8]> {
    if bytes.starts_with(MAGIC) {
        return Some(bytes);
    }
    // Text has no such bytes: `\xef` begins a character that `R` does not go on with.
    if std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    // There it is a vector, before which its length stands.
    let begins = |at: usize| {
        let length = bytes.get(at.checked_sub(4)?..at)?;
        let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
        bytes.get(at..at.checked_add(length)?).filter(|b| b.starts_with(MAGIC))
    };
    let at = bytes.windows(MAGIC.len()).position(|w| w == MAGIC)?;
    begins(at)
}
/// The text of a program in bytecode.
///
/// # Errors
/// `E0114` where the bytes are no bytecode that is read here.
pub fn text(bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
    let most = bytes.len().saturating_mul(MOST_TEXT.0).saturating_add(MOST_TEXT.1);
    File::read(bytes).and_then(|f| print::text(&f, most)).map_err(|why| {
        let span = Span::new(0, MAGIC.len().min(bytes.len()));
        let d = Diagnostic::error(Code::E0114, span, format!("the MLIR bytecode cannot be read: {}", why.0));
        Box::new(d.help("portable artefacts of StableHLO 0.17 and later are read; print others as text"))
    })
}
