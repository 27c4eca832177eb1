//! Fused regions as kernels.
//!
//! Without a reduction, the elements are shared out among all threads (`elements`): one at a time, packs of neighbours at a
//! time, or by tiles that are turned in shared memory where an operand's neighbours lie along another axis. With one, a region
//! is cut into phases (as for every engine) that a kernel runs one after the other for each kept index, by a *team* of threads
//! of a block (`teams`): a whole block, a part of a warp, a thread, or threads that are 32 apart where kept indices lie side by
//! side in memory. Teams walk a row once a phase; or once for all, with the row in registers; or several teams a part of the
//! row each, whose folds a second kernel folds.
//!
//! What is kept from phase to phase for a kept index is a variable, that every thread of the team computes; a row that is kept
//! is a row of a buffer, one for each block, or stays in registers. A thread reads from such a row, and from an output that it
//! wrote earlier, only what it has written itself.
//!
//! Sizes and strides, and how a team is made up, are arguments: which form a call takes is decided where it is launched.
mod elements;
mod teams;
mod write;

use tfc_device::region::{Form, SCARCE, Site, Walk};
use tfc_ir::Result;
use tfc_plan::region::body::Role;

use super::scalar::{Functions, ctype};
use super::{Kernel, Param};
use write::Writer;

/// The kernel of a region in that form, under that name.
///
/// # Errors
/// `E1304` where a scalar function has no text.
pub fn kernel(site: &Site, form: Form, name: String, functions: &mut Functions) -> Result<Kernel> {
    let operands = site.cutting.roles.len();
    let mut params = vec![];
    for k in 0..operands {
        let written = site.cutting.roles[k] != Role::In;
        let ty = format!("{}<{}>", if written { "Out" } else { "In" }, ctype(site.dtypes[k]));
        params.push(Param { ty, name: site.names[k].clone() });
    }
    let mut param = |ty: String, name: &str| params.push(Param { ty, name: name.into() });
    if form.walk == Walk::Teams {
        for (i, d) in site.rows()?.into_iter().enumerate() {
            param(format!("Out<{}>", ctype(d)), &format!("row{i}"));
        }
    }
    if let Walk::Parts | Walk::Fold = form.walk {
        let to = if form.walk == Walk::Parts { "Out" } else { "In" };
        for (i, d) in site.folds().into_iter().enumerate() {
            param(format!("{to}<{}>", ctype(d)), &format!("part{i}"));
        }
    }
    match form.walk {
        Walk::Elements | Walk::Packs | Walk::Tiles => param(format!("Loops<{}, {operands}>", form.kept), "at"),
        walk => {
            param(format!("Loops<{}, {operands}>", form.kept), "kept");
            if walk != Walk::Fold {
                param(format!("Loops<{}, {operands}>", form.reduced), "row");
            }
            param(format!("Team<{}>", walk.most_threads()), "team");
        }
    }
    match form.walk {
        Walk::Parts => param("i64".into(), "section"),
        Walk::Fold => param("i64".into(), "parts"),
        _ => {}
    }
    let mut w = Writer::new(site, form, functions);
    match form.walk {
        Walk::Elements | Walk::Packs | Walk::Tiles => w.elements()?,
        _ => w.teams()?,
    }
    Ok(Kernel { name, params, body: w.out })
}
