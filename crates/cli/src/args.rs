//! What can be written on the command line: types only, no behaviour. The text of the comments is the help text.
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The compiler toolchain for differentiable tensor programs (.tfir).
#[derive(Parser, Debug)]
#[command(name = "tfc", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Args, Clone, Debug)]
pub(crate) struct Global {
    /// How diagnostics are written
    #[arg(long, global = true, value_enum, default_value_t = ErrorFormat::Human, value_name = "FORMAT", help_heading = "Global options")]
    pub(crate) error_format: ErrorFormat,
    /// Colours on standard error (`NO_COLOR` turns `auto` off)
    #[arg(long, global = true, value_enum, default_value_t = When::Auto, value_name = "WHEN", help_heading = "Global options")]
    pub(crate) color: When,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Global options")]
    pub(crate) quiet: bool,
    /// Say more on standard error
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) verbose: bool,
    /// Change a limit: `errors` (how many diagnostics are shown), `ops` (how many ops a program may grow to)
    #[arg(long, global = true, value_name = "KEY=VALUE", help_heading = "Global options")]
    pub(crate) limit: Vec<String>,
    /// Fail rather than use more memory (bytes, or with K, M, G)
    #[arg(long, global = true, value_name = "SIZE", value_parser = crate::limits::size, help_heading = "Global options")]
    pub(crate) max_memory: Option<u64>,
    /// Fail rather than take longer, reading and printing included
    #[arg(long, global = true, value_name = "SECONDS", value_parser = crate::limits::seconds, help_heading = "Global options")]
    pub(crate) timeout: Option<std::time::Duration>,
    /// A further folder that data declarations may read from
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) data_root: Vec<PathBuf>,
    /// Map large arrays of .npy and .safetensors files into memory instead of reading them; nobody may change the files meanwhile
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) map: bool,
    /// Trade exactness for speed on cpu: denormals are zeros, a product and a sum are rounded once
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) fast_math: bool,
    /// The PJRT plugin of `--backend xla` [default: what TFC_PJRT_PLUGIN says]
    #[arg(long, global = true, value_name = "PATH", hide = !cfg!(feature = "xla"), help_heading = "Global options")]
    pub(crate) plugin: Option<PathBuf>,
    /// Devices over which an export or a run is cut, by named axes: `data=2,model=2`
    #[arg(long, global = true, value_name = "AXES", help_heading = "Global options")]
    pub(crate) mesh: Option<String>,
    /// How a parameter or a result is cut along the axes of the mesh, `_` where it is not: `x=data,_`
    #[arg(long, global = true, value_name = "NAME=AXES", requires = "mesh", help_heading = "Global options")]
    pub(crate) shard: Vec<String>,
}

impl Default for Global {
    fn default() -> Self {
        Global {
            error_format: ErrorFormat::Human,
            color: When::Never,
            quiet: false,
            verbose: false,
            limit: vec![],
            max_memory: None,
            timeout: None,
            data_root: vec![],
            map: false,
            fast_math: false,
            plugin: None,
            mesh: None,
            shard: vec![],
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ErrorFormat {
    /// With the source line and underlines
    Human,
    /// `FILE:LINE:COLUMN: error[CODE]: message`
    Short,
    /// One object a line
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Compile and run an entry point
    Run(Run),
    /// Differentiate a function
    Grad(Grad),
    /// Run a function at many indices at once
    Vmap(Vmap),
    /// Lower a program and print what it became
    Compile(Compile),
    /// Run passes and print the program
    Opt(Opt),
    /// Parse and verify
    Check(Check),
    /// Read a program of another language and print it in this one
    Import(Import),
    /// Write programs in their one layout, comments kept
    Fmt(Fmt),
    /// List the ops, or describe one
    Ops(Ops),
    /// Explain an error code or an op
    Explain(Explain),
    /// Run file tests
    Test(Test),
    /// Print a shell's completion script
    Completions(Completions),
    /// Begin a new program in a folder of its own
    New(New),
    /// Run another command, and again whenever a file that it reads changes
    Watch(Watch),
    /// Serve an editor: diagnostics, types, definitions, completion, gradients, by the Language Server Protocol
    Lsp(Lsp),
    /// Say what this machine and this build can do
    Doctor,
}

impl Command {
    /// Steps that a run of it may take.
    pub(crate) fn fuel(&self) -> Option<u64> {
        match self {
            Command::Run(a) => a.run.fuel,
            Command::Grad(a) => a.run.fuel,
            Command::Vmap(a) => a.run.fuel,
            _ => None,
        }
    }
}

/// What programs are written in.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileFormat {
    /// The text format of this toolchain
    Tfir,
    /// StableHLO text
    Mlir,
}

/// One program.
#[derive(Args, Clone, Debug)]
pub(crate) struct Input {
    /// The program: a .tfir or .mlir file, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The program's format, where the file's name does not tell [default for standard input: tfir]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<FileFormat>,
}

/// A backend that this build lacks is hidden, not unknown: asking for it is answered by `E0811`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BackendName {
    /// The compiled engine
    Cpu,
    /// The oracle: slow and obvious
    Interp,
    /// Kernels in CUDA C
    #[value(hide = !cfg!(feature = "cuda"))]
    Cuda,
    /// Kernels in WGSL, on Vulkan, Metal or Direct3D 12
    #[value(hide = !cfg!(feature = "gpu"))]
    Gpu,
    /// XLA, by a PJRT plugin
    #[value(hide = !cfg!(feature = "xla"))]
    Xla,
}

impl BackendName {
    /// As it is written.
    pub(crate) fn text(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Print {
    /// Nothing
    None,
    /// Scalars and small arrays whole, large ones in part
    #[default]
    Summary,
    /// Everything
    Full,
    /// Everything, as one JSON object
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimeFormat {
    /// Lines
    Text,
    /// One object
    Json,
    /// Lines, and where the time goes: the steps of the plan that take most of it
    Steps,
}

/// How a program is run; shared by `run` and `grad --run`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunOptions {
    /// An input: @x.npy, @d.npz:key, @w.safetensors:name, @t.csv, @- for .npy on standard input, a literal, zeros, ones, randn:SEED, uniform:SEED, linspace:A:B[:N]
    #[arg(short, long = "input", value_name = "NAME=SPEC", allow_hyphen_values = true)]
    pub(crate) input: Vec<String>,
    /// Inputs that -i does not give: the arrays of a .npz or .safetensors file that have their names
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Write every result to DIR/NAME.npy
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// What runs it; never another than the one named
    #[arg(long, value_enum, default_value_t = BackendName::Cpu)]
    pub(crate) backend: BackendName,
    /// Threads to use; results do not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) threads: Option<u32>,
    /// Compare a result with a file; exit 4 when it differs
    #[arg(long, value_name = "NAME=PATH")]
    pub(crate) expect: Vec<String>,
    /// Relative tolerance of --expect
    #[arg(long, value_name = "X", default_value_t = 1e-5)]
    pub(crate) rtol: f64,
    /// Absolute tolerance of --expect
    #[arg(long, value_name = "X", default_value_t = 1e-8)]
    pub(crate) atol: f64,
    /// Run N times
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
    /// Say how long each part took
    #[arg(long, value_enum, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) time: Option<TimeFormat>,
    /// Say while it runs how far its outermost loop is; `auto`: on a terminal
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "auto", default_value = "never")]
    pub(crate) progress: When,
    /// Write a Chrome trace of the run
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Draw a result into an SVG file, F.svg or NAME.svg: lines, image, heat or hist [default kind: what its shape suggests]
    #[arg(long, value_name = "NAME[:KIND][=F.svg]")]
    pub(crate) plot: Vec<String>,
    /// Fail where a result is nan or inf
    #[arg(long, value_enum, value_delimiter = ',', value_name = "nan,inf")]
    pub(crate) trap: Vec<Trap>,
    /// Fail rather than run more steps: ops on interp, trips of loops on cpu
    #[arg(long, value_name = "STEPS")]
    pub(crate) fuel: Option<u64>,
    /// What is printed of the results
    #[arg(long, value_enum, default_value_t = Print::Summary)]
    pub(crate) print: Print,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trap {
    Nan,
    Inf,
}
impl Trap {
    pub(crate) fn of(self) -> tfc_api::trap::Trap {
        match self {
            Trap::Nan => tfc_api::trap::Trap::Nan,
            Trap::Inf => tfc_api::trap::Trap::Inf,
        }
    }
}

/// Which function, for what sizes.
#[derive(Args, Clone, Debug)]
pub(crate) struct Entry {
    /// The function [default: @main, else the only export, else the only function]
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Fix a symbolic extent
    #[arg(long, value_name = "n=128")]
    pub(crate) bind: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// Write a result to a .npy, .npz, .safetensors or .csv file; a .npz or .safetensors file alone takes all results
    #[arg(short, long = "output", value_name = "[NAME=]PATH")]
    pub(crate) output: Vec<String>,
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Grad,
    ValueAndGrad,
    Vjp,
    Jvp,
    Hvp,
    Jacobian,
    Hessian,
    Linearize,
    Transpose,
}

#[derive(Args, Debug)]
pub(crate) struct Grad {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// Parameters to differentiate by, as names or positions [default: the first floating or complex one]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) wrt: Vec<String>,
    /// What is made
    #[arg(long, value_enum, default_value_t = Mode::Grad)]
    pub(crate) mode: Mode,
    /// Where the program goes; with --run NAME=PATH, where a result goes
    #[arg(short, long = "output", value_name = "F.tfir")]
    pub(crate) output: Vec<String>,
    /// Compare the derivative with differences, and forward with reverse
    #[arg(long, conflicts_with = "exec")]
    pub(crate) check: bool,
    /// Print what is used once where it is used, and literals beside their partners, as tfir 1.1 may have it
    #[arg(long)]
    pub(crate) nest: bool,
    /// Check that what is printed reads back as the same program, after each pass
    #[arg(long)]
    pub(crate) verify_roundtrip: bool,
    /// Execute instead of printing
    #[arg(long = "run", id = "exec")]
    pub(crate) exec: bool,
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

#[derive(Args, Debug)]
pub(crate) struct Vmap {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// The new axis of each parameter, along which the index runs; `none` where it does not [default: 0 of all]
    #[arg(long = "in", value_name = "AXIS,…", value_delimiter = ',', value_parser = axis, allow_hyphen_values = true)]
    pub(crate) ins: Vec<Axis>,
    /// The axis of the index in each result; `none` where it must not depend on it [default: 0 of all]
    #[arg(long = "out", value_name = "AXIS,…", value_delimiter = ',', value_parser = axis, allow_hyphen_values = true)]
    pub(crate) outs: Vec<Axis>,
    /// Where the program goes; with --run NAME=PATH, where a result goes
    #[arg(short, long = "output", value_name = "F.tfir")]
    pub(crate) output: Vec<String>,
    /// Print what is used once where it is used, and literals beside their partners, as tfir 1.1 may have it
    #[arg(long)]
    pub(crate) nest: bool,
    /// Check that what is printed reads back as the same program, after each pass
    #[arg(long)]
    pub(crate) verify_roundtrip: bool,
    /// Execute instead of printing
    #[arg(long = "run", id = "exec")]
    pub(crate) exec: bool,
    #[command(flatten)]
    pub(crate) run: RunOptions,
}
/// An axis, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis(pub(crate) Option<i64>);
fn axis(text: &str) -> Result<Axis, String> {
    match text {
        "none" => Ok(Axis(None)),
        _ => text.parse().map(|a| Axis(Some(a))).map_err(|_| "an axis is a number, or `none`".to_owned()),
    }
}

/// How hard the optimiser tries.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Level {
    /// 0 only lowers, 1 raises loops, folds, cleans up, hoists and fuses, 2 simplifies and orders products too
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) level: u8,
}

#[derive(Args, Debug)]
pub(crate) struct Compile {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// What to print: tfir, json, plan, stablehlo, dot, svg, html (a page of all passes); with =PATH to a file
    #[arg(long, value_name = "KIND[=PATH]", value_delimiter = ',')]
    pub(crate) emit: Vec<String>,
    #[command(flatten)]
    pub(crate) level: Level,
    /// Print the program as it is after this pass
    #[arg(long, value_name = "PASS")]
    pub(crate) after: Option<String>,
    /// Check that what is printed reads back as the same program, after each pass
    #[arg(long)]
    pub(crate) verify_roundtrip: bool,
    /// Where the output goes; its extension picks what it is
    #[arg(short, long = "output", value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// What it is compiled for
    #[arg(long, value_enum, default_value_t = BackendName::Cpu)]
    pub(crate) backend: BackendName,
    /// What becomes of checks and prints in StableHLO
    #[arg(long, value_enum, default_value_t = ChecksAs::Refuse)]
    pub(crate) checks: ChecksAs,
    /// What becomes of extents that values decide in StableHLO
    #[arg(long = "dyn", value_enum, default_value_t = DynAs::Refuse)]
    pub(crate) dynamic: DynAs,
    /// Writes StableHLO for every size: extents that the shapes of arguments decide stay open
    #[arg(long, conflicts_with = "dynamic")]
    pub(crate) polymorphic: bool,
}

/// What becomes of extents that values decide where shapes are known in advance.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DynAs {
    /// A program that has them is refused
    Refuse,
    /// Axes are as long as they can get, each extent is one more result
    Mask,
    /// Results say themselves how large they are
    Bounds,
}

/// What becomes of checks and prints in a language that has none.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChecksAs {
    /// A program that has them is refused
    Refuse,
    /// Each is one more result
    Results,
}

#[derive(Args, Debug)]
pub(crate) struct Opt {
    /// The program: a .tfir or .mlir file, or - for standard input
    #[arg(value_name = "FILE", required_unless_present = "list_passes")]
    pub(crate) file: Option<PathBuf>,
    /// The program's format, where the file's name does not tell [default for standard input: tfir]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<FileFormat>,
    /// The pipeline, as in "cse,fold,dce"
    #[arg(short, long = "passes", value_name = "PIPELINE")]
    pub(crate) passes: Option<String>,
    /// Print the program to standard error after each pass
    #[arg(long)]
    pub(crate) print_after_all: bool,
    /// Print it only after passes that changed something
    #[arg(long)]
    pub(crate) print_changed: bool,
    /// Say how long each pass took
    #[arg(long)]
    pub(crate) time_passes: bool,
    /// Say of each statement that a pass replaced or dropped what it is now
    #[arg(long)]
    pub(crate) explain: bool,
    /// List the passes and what they do
    #[arg(long)]
    pub(crate) list_passes: bool,
    /// Print what is used once where it is used, and literals beside their partners, as tfir 1.1 may have it
    #[arg(long)]
    pub(crate) nest: bool,
    /// Check that what is printed reads back as the same program, after each pass
    #[arg(long)]
    pub(crate) verify_roundtrip: bool,
    /// Where the program goes [default: standard output]
    #[arg(short, long = "output", value_name = "F.tfir")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The programs, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The programs' format, where their names do not tell [default for standard input: tfir]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<FileFormat>,
    /// List what is checked only at run time
    #[arg(long)]
    pub(crate) guards: bool,
    /// Refuse what would be checked only at run time
    #[arg(long)]
    pub(crate) strict_shapes: bool,
    /// Accept quoted ops that no family has
    #[arg(long)]
    pub(crate) allow_unregistered: bool,
    /// List every op that a backend lacks, or that is not read
    #[arg(long)]
    pub(crate) unsupported: bool,
    /// The backend of --unsupported
    #[arg(long, value_enum, default_value_t = BackendName::Cpu)]
    pub(crate) backend: BackendName,
}

#[derive(Args, Debug)]
pub(crate) struct Import {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Where the program goes [default: standard output]
    #[arg(short, long = "output", value_name = "F.tfir")]
    pub(crate) output: Option<PathBuf>,
    /// Print what is used once where it is used, and literals beside their partners, as tfir 1.1 may have it
    #[arg(long)]
    pub(crate) nest: bool,
    /// Every statement as it was read: nothing is written out, cleaned up or made a scan
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Fmt {
    /// The programs, or - for standard input, which goes to standard output
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing; exit 1 if a file is laid out otherwise
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Ops {
    /// An op, or the beginning of some ops' names
    pub(crate) name: Option<String>,
    /// As Markdown, for the language reference
    #[arg(long)]
    pub(crate) markdown: bool,
    /// What was tested of each op: dtypes, derivatives, extents of 0, engines, export; where something is missing, why
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) table: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// An error code such as E0203, or an op
    #[arg(value_name = "CODE|OP")]
    pub(crate) what: String,
}

#[derive(Args, Debug)]
pub(crate) struct Test {
    /// Folders of file tests, or single files
    #[arg(value_name = "DIR", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Rewrite the snapshots that differ
    #[arg(long)]
    pub(crate) accept: bool,
    /// Only the calls of `run:` lines, on this backend; those that it refuses are counted by code
    #[arg(long, value_enum, conflicts_with = "accept")]
    pub(crate) backend: Option<BackendName>,
}

#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct Lsp {
    /// Speak by standard input and output, which is the only way: editors say it
    #[arg(long)]
    pub(crate) stdio: bool,
}

#[derive(Args, Debug)]
pub(crate) struct New {
    /// The folder, which must not exist or be empty
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct Watch {
    /// A command of this program with its options: `run p.tfir -i x=1`
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}
