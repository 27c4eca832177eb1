//! Syntax tree to module. Everything about ops comes from their rows; nothing here names one.
//!
//! Functions are lowered callees first, whatever their order in the file, and keep the file's order in the module.
//! Each function is independent: what is wrong in one is reported and hides nothing in the others.
mod attr;
mod extent;
mod func;
mod literal;
mod operand;
mod order;
mod pick;
pub(crate) mod scope;
mod stmt;
mod symbols;

use super::ast::{File, Item};
use super::parser::Lost;
use std::sync::Arc;
use tfc_ir::{Budget, Diagnostic, Module, OpSet};

/// The module that `file` says; diagnostics are added to `errors`.
pub(super) fn lower<'a>(
    src: &'a str,
    (file, minor): (&File<'a>, u64),
    lost: &[Lost<'a>],
    (ops, budget): (&Arc<OpSet>, &Budget),
    errors: &mut Vec<Diagnostic>,
) -> Module {
    let mut m = Module::new(ops.clone());
    m.budget = budget.clone();
    let (names, ids) = symbols::declare(src, file, lost, &mut m, errors);
    let symbols = symbols::Symbols::new(&m, &names, lost, minor);
    let order = order::callees_first(file, ops, errors);
    let function = |i: usize| match file.items.get(i) {
        Some(Item::Func(f)) => f.head.as_ref().map(|h| (h, f)),
        _ => None,
    };
    // Functions on a circle know each other by their headers; the circle itself has been reported.
    for &i in &order.circular {
        if let (Some((head, f)), Some(&id)) = (function(i), ids.get(&i))
            && let Some(stub) = func::lower(&symbols, head, f, true).stub
        {
            m.define(id, stub);
        }
    }
    for i in order.funcs {
        let Some((head, f)) = function(i) else { continue };
        let lowered = func::lower(&symbols, head, f, false);
        let over = lowered.errors.iter().position(|e| e.code.is_limit());
        // What follows a limit that was reached says nothing of the program.
        errors.extend(lowered.errors.into_iter().take(over.map_or(usize::MAX, |i| i + 1)));
        if over.is_some() {
            break;
        }
        let Some(&id) = ids.get(&i) else { continue };
        match lowered.func.or(lowered.stub) {
            Some(f) => m.define(id, f),
            None => drop(symbols.unknown.borrow_mut().insert(id)),
        }
    }
    drop(symbols);
    m
}
