//! Error codes: one table of every code, its class and its title.
//!
//! A code is `E` and four digits. Each has one meaning and one page (`docs/errors/EXXXX.md`), whose heading is the title here; a test
//! compares them. Code that asks *what kind* of error it got compares variants of [`Code`] or asks for the [`ErrorClass`]; no code looks at
//! the digits. A family from outside brings codes of its own as [`Code::Outside`].
use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $class:ident { $($code:ident $title:literal,)* })*) => {
        /// The code of an error. Variants are named by their code; their documentation is the title of their page.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $title] $code,)*)*
            /// A code of an op family from outside, as that family writes it.
            Outside(&'static str),
        }
        /// What an error is about.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum ErrorClass {
            $($(#[$doc])* $class,)*
            /// An op family from outside.
            Outside,
        }
        impl Code {
            /// All codes of the toolchain, ordered by class, then by number.
            pub const ALL: &'static [Code] = &[$($(Code::$code,)*)*];
            /// The code as it is printed: `E0204`.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Code::$code => stringify!($code),)*)*
                    Code::Outside(name) => name,
                }
            }
            /// The title of the code's page: what is wrong, in a few words. Empty for a code from outside.
            pub const fn title(self) -> &'static str {
                match self {
                    $($(Code::$code => $title,)*)*
                    Code::Outside(_) => "",
                }
            }
            /// What the error is about.
            pub const fn class(self) -> ErrorClass {
                match self {
                    $($(Code::$code => ErrorClass::$class,)*)*
                    Code::Outside(_) => ErrorClass::Outside,
                }
            }
        }
    };
}
codes! {
    /// Bytes and tokens of a text, and its syntax.
    Text {
        E0001 "the file is not UTF-8",
        E0002 "byte order mark",
        E0003 "control character",
        E0004 "bidirectional control character",
        E0005 "unterminated string",
        E0006 "unknown escape",
        E0007 "not a number",
        E0008 "unknown character",
        E0009 "brackets nested too deep",
        E0010 "regions nested too deep",
        E0011 "number does not fit",
        E0012 "the file is too large",
        E0101 "the `tfir` header is missing",
        E0102 "the file needs a newer version",
        E0103 "something else is expected here",
        E0104 "a block has no last statement",
        E0105 "`yield` in a function, or `return` in a region",
        E0106 "statement after the end of a block",
        E0107 "operand after attribute",
        E0108 "the file is empty",
        E0109 "the header names no version",
        E0110 "unclosed block",
        E0111 "a file cannot be imported",
        E0112 "second `module` line",
        E0114 "MLIR bytecode that cannot be read",
        E0115 "second `mesh` line",
        E0116 "a word of a newer version",
        E0117 "this is no mesh",
    }
    /// Dtypes, ranks, attributes, regions: an op or a statement does not fit its row.
    Type {
        E0201 "reserved dtype",
        E0202 "dtypes differ",
        E0203 "the op does not take this dtype",
        E0204 "extents differ",
        E0205 "ranks differ",
        E0206 "result type does not match",
        E0207 "the result type must be written",
        E0208 "`return` does not give what the header promises",
        E0210 "wrong number of operands",
        E0211 "wrong number of results",
        E0212 "axis out of range",
        E0213 "axis is named twice",
        E0214 "wrong regions",
        E0215 "parameters or yields of a region do not fit",
        E0216 "loop attributes do not fit",
        E0217 "unknown op",
        E0220 "unknown attribute",
        E0221 "attribute is given twice",
        E0222 "attribute is missing",
        E0223 "attribute of the wrong kind",
        E0224 "not base64",
        E0225 "`bytes` has the wrong length or contents",
        E0226 "ragged literal",
        E0227 "number out of the attribute's range",
        E0228 "attribute list of the wrong length",
        E0229 "argument without place",
        E0231 "a sharding has another number of axes",
        E0240 "an op is not read",
        E0241 "a type is not read",
        E0242 "an attribute of an imported op is missing or wrong",
        E0243 "a constant does not fit its type",
        E0244 "a region of an imported op does not fit",
        E0245 "a type of an imported op is not what it has",
    }
    /// A row of an op family is incomplete or clashes with another.
    Row {
        E0298 "two ops of one name",
        E0299 "a row is incomplete",
    }
    /// Names and scopes.
    Name {
        E0301 "value is not defined",
        E0302 "function or data is not defined",
        E0303 "value is out of scope",
        E0304 "name is defined twice",
        E0305 "recursion",
        E0306 "function or data is defined twice",
        E0307 "extent is not declared",
        E0308 "extent is declared twice",
        E0310 "unknown function of extents",
        E0311 "location is not declared",
        E0312 "location is declared twice",
        E0313 "mesh axis is not declared",
        E0314 "a mesh axis cuts a value twice",
        E0315 "a value is not used",
        E0316 "a parameter is not used",
    }
    /// Something that the toolchain promises does not hold.
    Bug {
        E0399 "a bug in tfc: a value got lost",
        E0408 "a bug in tfc: extent without value",
        E0417 "a bug in tfc: a check is left out",
        E0599 "a bug in tfc: derivative",
        E0718 "a bug in tfc: run time",
        E1109 "the spelling of an op is wrong",
    }
    /// Extents, constraints and the guards that check them.
    Extent {
        E0401 "value-dependent extent is not bound",
        E0402 "extent is negative",
        E0403 "a condition on extents cannot hold",
        E0404 "value-dependent extents are not known to be equal",
        E0405 "extent arithmetic overflows",
        E0406 "the tensor is too large",
        E0407 "extent is divided by zero",
        E0409 "`where` of the results is not known to hold",
        E0410 "extents of data are exact",
        E0411 "wrong number of extent arguments",
        E0412 "extent does not follow from the operands",
        E0413 "`extent` binds one new name",
        E0414 "`where` can never hold",
        E0415 "extent does not follow from the arguments",
        E0416 "the op does not give this fact",
        E0419 "extent expression is too large",
        E0420 "a condition failed at run time",
        E0421 "`where` does not hold",
        E0422 "extent would be negative",
        E0430 "checked only at run time",
    }
    /// Derivatives and batching.
    Derivative {
        E0501 "the function does not give a scalar",
        E0502 "no derivative by this parameter",
        E0503 "the op has no derivative",
        E0504 "the op cannot be transposed",
        E0505 "the loop mixes linear and other carries",
        E0506 "`wrt` is wrong",
        E0507 "an extent that only the forward loop knows",
        E0508 "the op cannot be run for all indices at once",
        E0509 "a rule does not fit its function",
        E0510 "a function has no rule for forward mode",
        E0511 "the Jacobian is not one that can be written",
    }
    /// Data files and literals.
    Data {
        E0601 "a file cannot be read",
        E0602 "not a readable data file",
        E0603 "the data file is truncated",
        E0604 "no array of this name",
        E0605 "elements of this kind are not read",
        E0606 "the file holds another dtype",
        E0607 "the data has another shape",
        E0608 "another checksum than declared",
        E0609 "data path leaves the program's folder",
        E0610 "output cannot be written",
        E0611 "not a literal",
        E0612 "the dtype cannot hold this number",
        E0613 "no memory for data",
    }
    /// Arguments of a call do not fit the function.
    Argument {
        E0701 "wrong number of arguments",
        E0702 "argument of another dtype",
        E0703 "argument of another rank",
        E0704 "the arguments' extents do not fit",
    }
    /// A limit was reached: the same work may succeed under a higher limit.
    Limit {
        E0713 "out of fuel",
        E0714 "out of time",
        E0715 "over the memory limit",
        E0719 "calls nest too deep",
        E0720 "too many ops",
    }
    /// What a running program meets.
    Run {
        E0705 "out of memory",
        E0710 "`check` failed",
        E0711 "`check_equal` or `check_close` failed",
        E0712 "too many trips",
        E0717 "data has not been loaded",
        E0721 "a kernel or a rule panicked",
        E0731 "result differs from the expected one",
        E0732 "result holds nan or inf",
        E0733 "nothing to compare at nan",
        E0740 "a factorisation failed",
    }
    /// Backends and what a build holds.
    Backend {
        E0801 "the backend has no kernel for an op",
        E0802 "a kernel broke its promise",
        E0803 "`TFC_CPU` names no engine",
        E0811 "the backend is not in this build",
        E0812 "this build does not emit that",
    }
    /// The command line.
    CommandLine {
        E0901 "the command line does not fit together",
        E0902 "unknown pass",
        E0903 "nothing is known about that",
        E0904 "unknown name on the command line",
        E0905 "input is not given",
        E0906 "output is an input",
        E0907 "which function?",
        E0908 "input cannot be made",
    }
    /// The APIs of Rust and C.
    Api {
        E1001 "a tensor is used outside of its closure",
        E1003 "an extent is known only when the program runs",
        E1006 "inputs do not fit the program",
        E1007 "no name of an extent",
        E1008 "an input has no value, or there is no such input",
        E1009 "the program has several outputs",
        E1011 "the rules of a family are not in the context",
        E1012 "a tensor of another backend",
        E1020 "the number of elements does not fit",
        E1021 "nested lists differ in length",
        E1022 "no such axis",
        E1023 "outside the axis",
        E1024 "the elements do not lie one after the other",
        E1025 "the tensor has another dtype",
        E1026 "shapes do not go together",
        E1027 "no such range",
        E1028 "no matrix product of these shapes",
        E1029 "the dtype has no such number",
        E1030 "not a real scalar",
        E1031 "tensors of different runtimes",
        E1032 "no derivative flows there",
        E1033 "a tangent or cotangent of another type",
        E1034 "a view leaves its storage",
        E1036 "a variable without derivative",
        E1040 "a pointer is NULL",
        E1041 "a text is not UTF-8",
        E1042 "a buffer is not what the header says",
        E1043 "outputs do not fit",
        E1044 "a DLPack tensor that cannot be taken",
    }
    /// StableHLO and the plugins that run it.
    StableHlo {
        E1101 "an extent is not known for StableHLO",
        E1102 "an extent is decided by values",
        E1103 "an op is not exported",
        E1104 "a condition on extents does not hold",
        E1105 "StableHLO cannot fail or print",
        E1106 "a StableHLO module has one entry",
        E1110 "the plugin cannot be loaded",
        E1111 "no PJRT plugin for this build",
        E1112 "the plugin does not start, or does not compile",
        E1113 "a run fails in the plugin",
        E1114 "the mesh has more devices than the plugin",
        E1120 "an extent has no bound",
        E1121 "an op needs a whole axis",
        E1122 "a mesh or a sharding cannot be read",
        E1123 "a sharding's mesh axis is unknown or used twice",
        E1124 "a sharding of nothing",
        E1125 "a sharding does not fit its value",
    }
    /// One op, or one family of ops.
    Op {
        E1200 "the text of an einsum cannot be read",
        E1201 "not one term an operand",
        E1202 "a term does not label the axes of its operand",
        E1203 "a label of the result is in no operand",
        E1204 "`...` is missing, or there twice",
        E1205 "`path` is no order of the operands",
        E1206 "`path` beside parentheses",
        E1220 "a matrix has no principal root or logarithm",
        E1221 "a derivative depends on a choice",
        E1222 "an attribute of another method",
        E1223 "no such norm",
        E1224 "not a key",
        E1225 "a rule leaves out what its function uses",
        E1226 "no shape says how large an extent is",
        E1227 "an op is not written for every size",
    }
    /// The backend `cuda`.
    Cuda {
        E1301 "no compiler for kernels",
        E1302 "kernels do not compile",
        E1303 "a kernel fails",
        E1304 "no kernel for an op on the backend cuda or gpu",
        E1305 "no device",
        E1306 "no CUDA library",
    }
}
impl Code {
    /// The toolchain's code of that name; `None` where there is none.
    pub fn find(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|c| c.name() == name)
    }
    /// True if the error says that the toolchain itself is wrong, and not the program.
    pub const fn is_bug(self) -> bool {
        matches!(self.class(), ErrorClass::Bug)
    }
    /// True if a limit was reached, and nothing is wrong: the same work may succeed under a higher limit.
    pub const fn is_limit(self) -> bool {
        matches!(self.class(), ErrorClass::Limit)
    }
}
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name())
    }
}
impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}
