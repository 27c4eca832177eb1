//! Programs: modules of the language, made from traced tensors or read from text, which is the same thing.
use super::dim::{IntoDims, Names};
use super::emit::{self, Shared};
use super::graph::{Kind, TracedTensor, called_at, fresh, placed};
use crate::kept::Kept;
use crate::plans::CacheStats;
use std::collections::HashSet;
use std::panic::Location;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tfc_frontend::data::{Declared, Format, Reading, Roots, declared_shape, load_declared};
use tfc_frontend::render::{self, Source};
use tfc_frontend::text::{self, Beside};
use tfc_ir::{Budget, Code, DType, DataDecl, Error, Finished, Func, FuncId, Module, OpSet, Result, Span, Tensor};

/// A program: a module with an entry point. It is what a `.tfir` file holds; one that was traced and one that was read differ in
/// nothing.
///
/// ```
/// use tfc_api::prelude::*;
/// let program = trace([f64s("x", ["n"])], |[x]| Ok([(x * x)?.sum()?.named("loss")]))?;
/// let again = GraphProgram::parse(&program.to_string())?;
/// assert_eq!(program.to_string(), again.to_string());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct GraphProgram {
    pub(crate) id: u64,
    pub(crate) module: Arc<Module>,
    pub(crate) entry: FuncId,
    /// By input that was traced: which tensor it was, and its value.
    pub(crate) inputs: Arc<[(Option<(u64, usize)>, Option<Tensor>)]>,
    /// What it was made of, for errors that come later.
    origin: Origin,
    /// Names and types of its inputs, once somebody has asked.
    said: Arc<OnceLock<Vec<(String, String)>>>,
}
/// What the spans of a program's statements lead to.
#[derive(Clone)]
pub(crate) enum Origin {
    /// Calls in a Rust program: a span begins at the entry of the module's table of places.
    Rust,
    /// A text, of one file or several.
    Text(Arc<Source>),
    /// Nothing is known.
    Unknown,
}
impl GraphProgram {
    pub(crate) fn of(
        module: Module,
        entry: FuncId,
        inputs: Vec<(Option<(u64, usize)>, Option<Tensor>)>,
        origin: Origin,
    ) -> GraphProgram {
        let said = Arc::default();
        GraphProgram { id: fresh(), module: Arc::new(module), entry, inputs: inputs.into(), origin, said }
    }
    pub(crate) fn origin(&self) -> Origin {
        self.origin.clone()
    }
    /// The text that it was read from.
    pub(crate) fn source(&self) -> Option<&Source> {
        match &self.origin {
            Origin::Text(text) => Some(text),
            Origin::Rust | Origin::Unknown => None,
        }
    }
    /// Where the statement at `span` stood before it was written into the file that this program was read from: a line of Python, if the
    /// file says so.
    fn written_at(&self, span: Span) -> Option<String> {
        let of = |f: &Func| f.ops.iter().find(|o| o.span == span).and_then(|o| o.loc);
        let loc = self.module.funcs().iter().find_map(|(_, f)| of(f))?;
        match self.module.locs.get(loc as usize)?.args.as_slice() {
            [file, line, column] => Some(format!("{}:{line}:{column}", file.trim_matches('"'))),
            _ => None,
        }
    }
    /// An error of a pass or a run, with the place of its statement in the program's source.
    pub(crate) fn place(&self, e: Error) -> Error {
        let Some(span) = e.data().span.filter(|&s| s != Span::default()) else { return e };
        match &self.origin {
            Origin::Rust => match self.module.locs.get(span.start as usize).map(|l| l.args.as_slice()) {
                Some([file, line, column]) => {
                    let file = file.trim_matches('"').replace("\\\\", "\\");
                    called_at(e, format_args!("{file}:{line}:{column}"))
                }
                _ => e,
            },
            Origin::Text(text) => {
                let (line, column) = text.line_column(span.start);
                let e = e.note(format!("at {}:{line}:{column}", text.name_at(span.start)));
                match self.written_at(span) {
                    Some(place) => e.note(format!("which {place} has written")),
                    None => e,
                }
            }
            Origin::Unknown => e,
        }
    }
    /// Of a module: its entry point is the function of that name, or `@main`, or the only exported function, or the only
    /// function.
    ///
    /// # Errors
    /// `E0907` where there is no such function, or it is not clear which is meant.
    pub fn from_module(module: Module, entry: Option<&str>) -> Result<GraphProgram> {
        GraphProgram::from_origin(module, entry, Origin::Unknown)
    }
    fn from_origin(module: Module, entry: Option<&str>, origin: Origin) -> Result<GraphProgram> {
        let entry = pick(&module, entry)?;
        let f = module.func(entry)?;
        let inputs = f.params().iter().map(|&p| Ok((None, f.whole_default_of(p)?))).collect::<Result<_>>()?;
        Ok(GraphProgram::of(module, entry, inputs, origin))
    }
    /// From text of the language.
    ///
    /// # Errors
    /// The first of everything that is wrong with the text; the message shows all, with their places.
    pub fn parse(text: &str) -> Result<GraphProgram> {
        GraphProgram::parse_with(text, &Arc::new(OpSet::core()))
    }
    /// As [`GraphProgram::parse`], of a text that may use these ops.
    ///
    /// # Errors
    /// As [`GraphProgram::parse`].
    pub fn parse_with(text: &str, ops: &Arc<OpSet>) -> Result<GraphProgram> {
        GraphProgram::parse_bytes(text.as_bytes(), false, ops)
    }
    /// From bytes of the language's text or, with `mlir`, of StableHLO as text or bytecode.
    ///
    /// # Errors
    /// As [`GraphProgram::parse`].
    pub fn parse_bytes(bytes: &[u8], mlir: bool, ops: &Arc<OpSet>) -> Result<GraphProgram> {
        let text = as_text("<text>", bytes.to_vec(), mlir)?;
        let (source, module) = read("<text>", &text, mlir, ops, Beside::NOTHING)?;
        GraphProgram::from_origin(module, None, Origin::Text(Arc::new(source)))
    }
    /// From a file: `.tfir`, or StableHLO: `.mlir` text, `.mlirbc` bytecode, `.bin` what `jax.export` has serialised. Data files that the program declares are read as well.
    ///
    /// # Errors
    /// `E0601` a file that cannot be read, `E0901` a name with another ending, otherwise as [`GraphProgram::parse`].
    pub fn load(path: impl AsRef<Path>) -> Result<GraphProgram> {
        GraphProgram::load_with(path, &Arc::new(OpSet::core()))
    }
    /// As [`GraphProgram::load`], of a program that may use these ops.
    ///
    /// # Errors
    /// As [`GraphProgram::load`].
    pub fn load_with(path: impl AsRef<Path>, ops: &Arc<OpSet>) -> Result<GraphProgram> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| Error::new(Code::E0601, format!("cannot read `{name}`: {e}")))?;
        let mlir = match path.extension().and_then(|e| e.to_str()) {
            Some("tfir") => false,
            Some("mlir" | "mlirbc" | "bin") => true,
            _ => {
                let e = Error::new(Code::E0901, format!("the format of `{name}` is not known"));
                return Err(e.help("programs end in .tfir, .mlir or .mlirbc"));
            }
        };
        let bytes = as_text(&name, bytes, mlir)?;
        let roots = Roots::of_program(path, vec![]);
        let shape = |d: &DataDecl| declared_shape(d, &roots);
        let file = |import: &str| {
            let file = path.parent().unwrap_or(Path::new("")).join(import);
            std::fs::read(file).map_err(|e| e.to_string())
        };
        let (source, mut module) = read(&name, &bytes, mlir, ops, Beside { file: &file, shape: &shape })?;
        let missing = load_data(&mut module, &roots, &Budget::default());
        if let Some(e) = missing.into_iter().next() {
            return Err(e);
        }
        GraphProgram::from_origin(module, None, Origin::Text(Arc::new(source)))
    }
    /// Writes its text into a file. The file is there whole or not at all.
    ///
    /// # Errors
    /// `E0610` where it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let text = self.to_string();
        tfc_frontend::data::write_atomically(path.as_ref(), |out| out.write_all(text.as_bytes()))
    }
    /// The module: types, ops and functions can be inspected, and passes run on a [`Module::fork`] of it.
    pub fn module(&self) -> &Module {
        &self.module
    }
    /// The entry point.
    ///
    /// # Errors
    /// None that a program could lead to.
    pub fn entry(&self) -> Result<Arc<Finished>> {
        self.module.func(self.entry)
    }
    /// Names and types of its inputs: `("x", "f64[n]")`.
    ///
    /// # Errors
    /// None that a program could lead to.
    pub fn inputs(&self) -> Result<&[(String, String)]> {
        if let Some(said) = self.said.get() {
            return Ok(said);
        }
        let f = self.entry()?;
        let names = tfc_ir::print::value_names(&self.module, &f);
        let one =
            |&p: &tfc_ir::ValueId| (names.get(p.ix()).cloned().unwrap_or_default(), tfc_ir::print::ty(&f, f.ty(p)));
        Ok(self.said.get_or_init(|| f.params().iter().map(one).collect()))
    }
    /// Names and types of its outputs.
    ///
    /// # Errors
    /// None that a program could lead to.
    pub fn outputs(&self) -> Result<Vec<(String, String)>> {
        let f = self.entry()?;
        Ok(f.result_types.iter().enumerate().map(|(i, t)| (f.result_name(i), tfc_ir::print::ty(&f, t))).collect())
    }
}
/// Prints the program's text.
impl std::fmt::Display for GraphProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&tfc_ir::print::module(&self.module))
    }
}
impl std::fmt::Debug for GraphProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "GraphProgram(@{})", self.module.func_name(self.entry))
    }
}

/// A module of a file and those that it imports; the first of everything that is wrong is an error whose message shows all.
fn read(name: &str, bytes: &[u8], mlir: bool, ops: &Arc<OpSet>, beside: Beside) -> Result<(Source, Module)> {
    let (source, made) = if mlir {
        (Source::new(name, bytes), tfc_stablehlo::parse_module(bytes, ops))
    } else {
        let (source, made) = text::parse_linked(name, bytes, (ops, &Budget::default()), beside);
        (source, made.map(|p| p.module))
    };
    match made {
        Ok(module) => Ok((source, module)),
        Err(all) => Err(shown(&source, &all)),
    }
}
/// An error that shows all diagnostics with their places.
fn shown(source: &Source, all: &[tfc_ir::Diagnostic]) -> Error {
    let text = render::render(all, source, render::Format::Human, false);
    let code = all.first().map_or(Code::E0101, |d| d.code);
    // An error says its code itself.
    let text = text.strip_prefix(&format!("error[{code}]: ")).unwrap_or(&text);
    Error::new(code, text)
}
/// Text, where the bytes are the bytecode of a program.
fn as_text(name: &str, bytes: Vec<u8>, mlir: bool) -> Result<Vec<u8>> {
    match tfc_stablehlo::as_text(&bytes) {
        Ok(std::borrow::Cow::Owned(text)) if mlir => Ok(text),
        Err(d) if mlir => Err(shown(&Source::new(name, &bytes), &[*d])),
        _ => Ok(bytes),
    }
}
/// Reads the files of the data declarations of a module. What is wrong with each (`E06xx`), at its place.
pub fn load_data<'a>(module: &mut Module, roots: &Roots, reading: impl Into<Reading<'a>>) -> Vec<Error> {
    let reading = reading.into();
    let mut wrong = vec![];
    for d in &mut module.data {
        let read = || {
            let format = Format::from_name(&d.format)
                .ok_or_else(|| Error::new(Code::E0602, format!("`{}` is no data format", d.format)))?;
            let shape = (d.ty.exact_shape())
                .ok_or_else(|| Error::new(Code::E0607, format!("the shape of data @{} is not exact", d.name)))?;
            let declared = Declared {
                path: &d.path,
                format,
                key: d.key.as_deref(),
                dtype: d.ty.dtype,
                shape: &shape,
                sha256: d.sha256.as_deref(),
                convert: d.convert,
            };
            load_declared(&declared, roots, reading)
        };
        match read() {
            Ok(t) => d.value = Some(t),
            Err(e) => wrong.push(e.or_span(d.span)),
        }
    }
    wrong
}

/// The entry point: the one named, else `@main`, else the only export, else the only function.
///
/// # Errors
/// `E0907` where there is no such function, or it is not clear which is meant.
pub fn pick(m: &Module, name: Option<&str>) -> Result<FuncId> {
    let funcs = m.funcs();
    let list = |which: &mut dyn Iterator<Item = &Func>| -> String {
        let names: Vec<String> = which.map(|f| format!("@{}", f.name)).collect();
        if names.is_empty() { "it has no function".into() } else { format!("it has {}", names.join(", ")) }
    };
    if let Some(name) = name {
        let plain = name.trim_start_matches('@');
        // A name of another language is spelled in the letters of this one.
        let spelled = m.find(&tfc_stablehlo::mangle(plain));
        return spelled.or_else(|| m.find(plain)).filter(|&f| m.try_func(f).is_some()).ok_or_else(|| {
            Error::new(Code::E0907, format!("there is no function @{}", plain.escape_debug()))
                .help(list(&mut funcs.iter().map(|(_, f)| &***f)))
        });
    }
    if let Some((id, _)) = funcs.iter().find(|(_, f)| &*f.name == "main") {
        return Ok(*id);
    }
    let exports: Vec<_> = funcs.iter().filter(|(_, f)| f.export).collect();
    match (exports.as_slice(), funcs.as_slice()) {
        ([(id, _)], _) | ([], [(id, _)]) => Ok(*id),
        (several, all) => {
            let candidates = if several.is_empty() { all.iter().collect::<Vec<_>>() } else { exports.clone() };
            Err(Error::new(Code::E0907, "which function is meant is not clear")
                .help(list(&mut candidates.iter().map(|(_, f)| &***f))))
        }
    }
}

/// Makes programs of traced tensors.
///
/// ```
/// use tfc_api::prelude::*;
/// let x = TracedTensor::from_vec_col_major([2], vec![1.0_f64, 2.0])?;
/// let (sum, product) = ((&x + &x)?, (&x * &x)?);
/// let program = GraphCompiler::new().compile_many(&[&sum, &product])?;
/// let out = GraphExecutor::new(CpuBackend::new()).run_many(&program)?;
/// assert_eq!(out[1].to_logical::<f64>(), Some(vec![1.0, 4.0]));
/// # Ok::<(), Error>(())
/// ```
///
/// What was compiled is kept: of the same tensors, asked for again, it gives the same program, for which an executor has what
/// it has compiled.
#[derive(Clone)]
pub struct GraphCompiler {
    ops: Arc<OpSet>,
    /// By outputs and, where they are given, inputs; with the number of names that people had given.
    kept: Arc<Kept<(Keys, Option<Keys>), (GraphProgram, usize)>>,
}
/// Traced tensors.
type Keys = Vec<(u64, usize)>;
/// Programs that a compiler keeps where nothing else is said.
const LIMIT: usize = 64;
impl Default for GraphCompiler {
    fn default() -> Self {
        GraphCompiler::new()
    }
}
impl GraphCompiler {
    /// A compiler of programs over the built-in ops.
    pub fn new() -> GraphCompiler {
        GraphCompiler { ops: Arc::new(OpSet::core()), kept: Arc::new(Kept::new(LIMIT)) }
    }
    /// Of programs that may use these ops as well.
    ///
    /// # Errors
    /// `E0298` where a name is taken.
    pub fn with_family(self, family: tfc_ir::Family) -> Result<GraphCompiler> {
        let kept = Arc::new(Kept::new(self.kept.stats().limit));
        Ok(GraphCompiler { ops: Arc::new((*self.ops).clone().with(family)?), kept })
    }
    /// Keeps at most so many programs (64 unless said).
    pub fn cache_limit(self, entries: usize) -> GraphCompiler {
        self.kept.set_limit(entries);
        self
    }
    /// How its cache is used.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let x = TracedTensor::from_vec_col_major([2], vec![1.0_f64, 2.0])?;
    /// let y = (&x * &x)?;
    /// let compiler = GraphCompiler::new();
    /// let executor = GraphExecutor::new(CpuBackend::new());
    /// for _ in 0..3 {
    ///     executor.run(&compiler.compile(&y)?)?;
    /// }
    /// let [made, run] = [compiler.cache_stats(), executor.cache_stats()];
    /// assert_eq!((made.misses, made.hits, run.misses, run.hits), (1, 2, 1, 2));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cache_stats(&self) -> CacheStats {
        self.kept.stats()
    }
    /// Forgets what it has made.
    pub fn clear_caches(&self) {
        self.kept.clear();
    }
    /// A program that computes one tensor. Its inputs are those that the tensor is made of, in the order in which they were
    /// made.
    ///
    /// # Errors
    /// `E1001` a tensor from inside of a closure, `E0415` an extent that no input has.
    #[track_caller]
    pub fn compile(&self, output: &TracedTensor) -> Result<GraphProgram> {
        self.build(None, std::slice::from_ref(output), Location::caller())
    }
    /// A program that computes several tensors.
    ///
    /// # Errors
    /// As [`GraphCompiler::compile`].
    #[track_caller]
    pub fn compile_many(&self, outputs: &[&TracedTensor]) -> Result<GraphProgram> {
        let outputs: Vec<TracedTensor> = outputs.iter().map(|&t| t.clone()).collect();
        self.build(None, &outputs, Location::caller())
    }
    /// A program with these inputs, in this order, whether or not they are used.
    ///
    /// # Errors
    /// `E1006` an input that is made of others, or one that is missing; as [`GraphCompiler::compile`].
    #[track_caller]
    pub fn compile_with_inputs(&self, outputs: &[&TracedTensor], inputs: &[&TracedTensor]) -> Result<GraphProgram> {
        let outputs: Vec<TracedTensor> = outputs.iter().map(|&t| t.clone()).collect();
        let inputs = inputs.iter().map(|&t| t.clone()).collect();
        self.build(Some(inputs), &outputs, Location::caller())
    }
    fn build(
        &self,
        inputs: Option<Vec<TracedTensor>>,
        outputs: &[TracedTensor],
        place: &'static Location<'static>,
    ) -> Result<GraphProgram> {
        let keys = |ts: &[TracedTensor]| ts.iter().map(TracedTensor::key).collect::<Keys>();
        let key = (keys(outputs), inputs.as_deref().map(keys));
        let names = names_given(outputs);
        if let Some((found, _)) = self.kept.get(&key, |k| k.1 == names) {
            return Ok(found);
        }
        let made = || {
            let used = inputs_of(outputs);
            let inputs = match inputs {
                None => used,
                Some(given) => {
                    let leaf = |t: &TracedTensor| matches!(t.node.kind, Kind::Input(_));
                    if let Some(i) = given.iter().position(|t| !leaf(t)) {
                        let e = Error::new(Code::E1006, format!("input {i} of the program is the result of an op"));
                        return Err(e.help("inputs are made by `TracedTensor::input`"));
                    }
                    if let Some(t) = used.iter().find(|t| given.iter().all(|g| !g.is(t))) {
                        let hint = t.node.hint(0).unwrap_or_default();
                        let text = format!("the program uses an input that is not among those given: `{hint}`, {t}");
                        return Err(placed(Error::new(Code::E1006, text), t.node.place));
                    }
                    given
                }
            };
            for t in &inputs {
                if t.node.hint(0).is_none() {
                    t.named("x");
                }
            }
            let mut module = Module::new(self.ops.clone());
            let names = emit::free_names(&inputs, outputs);
            check_symbols(&names)?;
            let shared = Shared::new(&module);
            let f = emit::function(&shared, "main", &inputs, outputs, &names, true, true)?;
            let locs = shared.locs();
            let entry = module.add(f);
            module.locs = locs;
            let inputs = inputs.iter().map(|t| {
                let value = if let Kind::Input(v) = &t.node.kind { v.clone() } else { None };
                (Some(t.key()), value)
            });
            let inputs = inputs.collect();
            Ok(GraphProgram::of(module, entry, inputs, Origin::Rust))
        };
        let made = made().map_err(|e| placed(e, place))?;
        // Inputs without a name have one now.
        self.kept.put(key, (made.clone(), names_given(outputs)));
        Ok(made)
    }
}
/// How many results, of all that tensors are made of, have a name: names are given once, so that an equal number is the same
/// names.
fn names_given(outputs: &[TracedTensor]) -> usize {
    let (mut seen, mut count) = (HashSet::new(), 0);
    let mut todo: Vec<&TracedTensor> = outputs.iter().collect();
    while let Some(t) = todo.pop() {
        if seen.insert(t.node.id) {
            count += t.node.hints.iter().filter(|h| h.get().is_some()).count();
            todo.extend(t.node.before());
            if let Some(a) = t.node.op() {
                todo.extend(a.regions.iter().flat_map(|b| b.params.iter().chain(&b.results)));
                todo.extend(a.callee.iter().flat_map(|f| f.params.iter().chain(&f.results)));
            }
        }
    }
    count
}
/// Symbols stand in texts: they are names of the language.
fn check_symbols(names: &Names) -> Result<()> {
    for n in names.list() {
        let text = n.text();
        let letters = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !letters || !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(Error::new(Code::E1007, format!("`{}` is no name of an extent", text.escape_debug())).help(
                "a name has letters, digits and `_`; for an expression use `Dim`: `Dim::from(\"n\").add(&1.into())?`",
            ));
        }
    }
    Ok(())
}
/// The inputs that tensors are made of, oldest first.
fn inputs_of(outputs: &[TracedTensor]) -> Vec<TracedTensor> {
    let (mut seen, mut found) = (HashSet::new(), vec![]);
    let mut todo: Vec<&TracedTensor> = outputs.iter().collect();
    while let Some(t) = todo.pop() {
        if seen.insert(t.node.id) {
            if matches!(t.node.kind, Kind::Input(_)) {
                found.push(t.clone());
            }
            todo.extend(t.node.before());
        }
    }
    found.sort_by_key(TracedTensor::key);
    found
}

/// An input of a program that is traced from a closure.
#[derive(Clone, Debug)]
pub struct InputSpec {
    name: String,
    dtype: DType,
    shape: Vec<super::dim::Dim>,
}
impl InputSpec {
    /// An input of that name and type.
    pub fn new(name: &str, dtype: DType, shape: impl IntoDims) -> InputSpec {
        InputSpec { name: name.into(), dtype, shape: shape.into_dims() }
    }
}
/// An input of dtype `f64`.
pub fn f64s(name: &str, shape: impl IntoDims) -> InputSpec {
    InputSpec::new(name, DType::F64, shape)
}
/// An input of dtype `f32`.
pub fn f32s(name: &str, shape: impl IntoDims) -> InputSpec {
    InputSpec::new(name, DType::F32, shape)
}

/// The program that a closure computes.
///
/// ```
/// use tfc_api::prelude::*;
/// let program = trace([f64s("a", ["m", "k"]), f64s("b", ["k", "n"])], |[a, b]| Ok([a.matmul(b)?]))?;
/// assert!(program.to_string().contains("export func @main<k, m, n>(%a: f64[m, k], %b: f64[k, n])"));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Those of the closure; as [`GraphCompiler::compile`].
#[track_caller]
pub fn trace<const N: usize, const R: usize>(
    inputs: [InputSpec; N],
    f: impl FnOnce(&[TracedTensor; N]) -> Result<[TracedTensor; R]>,
) -> Result<GraphProgram> {
    let place = Location::caller();
    let made: Vec<TracedTensor> =
        inputs.into_iter().map(|s| TracedTensor::input(&s.name, s.dtype, s.shape)).collect::<Result<_>>()?;
    let outputs = match <&[TracedTensor; N]>::try_from(&made[..]) {
        Ok(inputs) => f(inputs)?,
        // As many as there are specs.
        Err(_) => return Err(Error::new(Code::E1006, "inputs are missing")),
    };
    GraphCompiler::new().build(Some(made), &outputs, place)
}
