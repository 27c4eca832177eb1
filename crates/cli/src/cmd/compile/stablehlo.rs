//! `--emit stablehlo`: one entry as a StableHLO module.
use crate::args::{ChecksAs, Compile, DynAs};
use crate::entry::keep_only;
use crate::program::Program;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use tfc_ir::{Code, Error, FuncId};
use tfc_stablehlo::{Checks, Dynamic, Options, Shardings, export, export_polymorphic, export_sharded, prepare};

/// The text, by passes of its own: what follows is for other targets.
pub(super) fn text(session: &Session, program: &Program, roots: &[FuncId], args: &Compile) -> Done<String> {
    let &[root] = roots else {
        let list: Vec<String> = roots.iter().map(|&r| program.module.func_name(r).to_string()).collect();
        let e = Error::new(Code::E1106, format!("a StableHLO module has one entry, and here are {}", roots.len()))
            .help(format!("choose by `--entry NAME`: {}", list.join(", ")));
        return Err(Stop::with(Exit::Usage, e));
    };
    let given = session.shardings()?;
    let shardings = Shardings::of(&program.module, root, given.as_ref()).or_usage()?;
    if args.polymorphic && shardings.is_some() {
        let e = Error::new(Code::E0811, "a module for every size has no mesh");
        return Err(Stop::with(
            Exit::Usage,
            e.help("what is cut has to divide: leave `--polymorphic` or the mesh out"),
        ));
    }
    let mut copy = program.fork();
    keep_only(&mut copy.module, &[root]);
    copy.load_data(session)?;
    let at_level = prepare(&mut copy.module, args.level.level, &session.spellings);
    at_level.map_err(|e| Stop::at(Exit::Program, vec![e.into_diagnostic()], program.source.clone()))?;
    let checks = match args.checks {
        ChecksAs::Refuse => Checks::Refuse,
        ChecksAs::Results => Checks::Results,
    };
    let dynamic = match args.dynamic {
        DynAs::Refuse => Dynamic::Refuse,
        DynAs::Mask => Dynamic::Mask,
        DynAs::Bounds => Dynamic::Bounds,
    };
    let (m, table, options) = (&copy.module, &session.spellings, Options { checks, dynamic });
    let text = match &shardings {
        Some(s) => export_sharded(m, root, table, &options, s),
        None if args.polymorphic => export_polymorphic(m, root, table, &options),
        None => export(m, root, table, &options),
    };
    text.or_at(Exit::Program, &program.source)
}
