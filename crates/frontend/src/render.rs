//! Diagnostics as text: for people (rustc's look), one line each, or one JSON object a line.
//!
//! Lines and columns are 1-based and count characters, not bytes. Output depends on nothing but the arguments.
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use tfc_ir::{Diagnostic, Severity, Span};

/// How diagnostics are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Several lines with the source and underlines.
    #[default]
    Human,
    /// `file:line:column: error[E0203]: message`.
    Short,
    /// One JSON object a line: `code severity message file labels notes help`.
    Json,
}

/// A source file for people to look at.
#[derive(Clone, Debug)]
pub struct Source {
    /// Names of its files, each with the byte at which it begins; of most there is one.
    files: Vec<(usize, String)>,
    text: String,
    /// Byte offset of each line's start.
    lines: Vec<u32>,
}

impl Source {
    /// A file of that name. Bytes that are not UTF-8 are shown as replacement characters.
    pub fn new(name: impl Into<String>, bytes: impl AsRef<[u8]>) -> Source {
        // Replacement characters are longer than the bytes they stand for; a `?` for each keeps the spans right.
        let mut text = String::with_capacity(bytes.as_ref().len());
        for chunk in bytes.as_ref().utf8_chunks() {
            text.push_str(chunk.valid());
            chunk.invalid().iter().for_each(|_| text.push('?'));
        }
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        Source { files: vec![(0, name.into())], text, lines }
    }

    /// Several files, one behind the other: a name for each, with the byte at which it begins.
    pub fn of_files(text: &str, files: Vec<(usize, String)>) -> Source {
        Source { files, ..Source::new("", text) }
    }

    /// The name of a file at that path from the folder of a file of that name.
    pub fn beside(name: &str, path: &str) -> String {
        let folder = name.rfind('/').map_or("", |i| &name[..=i]);
        if path.starts_with("tfc/") { format!("<{path}>") } else { format!("{folder}{path}") }
    }

    /// Name of the source, as given; of several files, of the first.
    pub fn name(&self) -> &str {
        self.files.first().map_or("", |f| &f.1)
    }

    /// The name of the file that the byte `at` is in.
    pub fn name_at(&self, at: u32) -> &str {
        self.files.get(self.file_of(at as usize)).map_or("", |f| &f.1)
    }

    fn file_of(&self, at: usize) -> usize {
        self.files.partition_point(|f| f.0 <= at).saturating_sub(1)
    }

    /// The first line of the file that line `line` is in.
    fn first_line(&self, line: usize) -> usize {
        let file = self.file_of(self.line_start(line));
        self.files.get(file).map_or(0, |f| self.line_of(f.0))
    }

    /// The text of `span`; empty where it is out of range.
    pub fn slice(&self, span: Span) -> &str {
        let r = self.clamp(span);
        self.text.get(r).unwrap_or_default()
    }

    /// Line and column of the byte `at` in its file, both from 1, in characters.
    pub fn line_column(&self, at: u32) -> (usize, usize) {
        let at = self.floor(at as usize);
        let line = self.line_of(at);
        let start = self.line_start(line);
        let column = self.text.get(start..at).map_or(0, |s| s.chars().count());
        (line - self.first_line(line) + 1, column + 1)
    }

    fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|&l| l as usize <= at).saturating_sub(1)
    }

    fn line_start(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |&l| l as usize)
    }

    /// The last character boundary that is not after `at`.
    fn floor(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at.min(self.text.len()))
    }

    fn clamp(&self, span: Span) -> std::ops::Range<usize> {
        let start = self.floor(span.start as usize);
        let end = (span.end as usize).min(self.text.len());
        start..self.text.ceil_char_boundary(end).max(start)
    }
}

/// The diagnostics, one after the other, each ending in a line end.
pub fn render(diagnostics: &[Diagnostic], source: &Source, format: Format, color: bool) -> String {
    let mut out = String::new();
    for d in diagnostics {
        match format {
            Format::Human => out.push_str(&human(d, Some(source), color)),
            Format::Short => out.push_str(&short(d, source)),
            Format::Json => out.push_str(&json(d, Some(source))),
        }
        out.push('\n');
        if format == Format::Human {
            out.push('\n');
        }
    }
    out
}

/// Diagnostics that belong to no file (command line, run time).
pub fn render_without_source(diagnostics: &[Diagnostic], format: Format, color: bool) -> String {
    let mut out = String::new();
    for d in diagnostics {
        match format {
            Format::Human => out.push_str(&human(d, None, color)),
            Format::Short => out.push_str(&format!("{}[{}]: {}", severity(d), d.code, one_line(&d.message))),
            Format::Json => out.push_str(&json(d, None)),
        }
        out.push('\n');
    }
    out
}

fn severity(d: &Diagnostic) -> &'static str {
    match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn short(d: &Diagnostic, source: &Source) -> String {
    let (line, column) = source.line_column(d.span().start);
    format!("{}:{line}:{column}: {}[{}]: {}", source.name_at(d.span().start), severity(d), d.code, one_line(&d.message))
}

/// Labels that say something: the primary one, and others whose place is known.
fn labels(d: &Diagnostic) -> impl Iterator<Item = (usize, &(Span, String))> {
    d.labels.iter().enumerate().filter(|(i, l)| *i == 0 || l.0 != Span::default())
}

fn json(d: &Diagnostic, source: Option<&Source>) -> String {
    let places: Vec<_> = match source {
        None => vec![],
        Some(source) => labels(d)
            .map(|(i, (span, text))| {
                let (start, end) = (source.line_column(span.start), source.line_column(span.end.max(span.start)));
                serde_json::json!({
                    "primary": i == 0, "text": text, "line_start": start.0, "column_start": start.1,
                    "line_end": end.0, "column_end": end.1,
                })
            })
            .collect(),
    };
    serde_json::json!({
        "code": d.code.name(), "severity": severity(d), "message": d.message, "file": source.map(|s| s.name_at(d.span().start)),
        "labels": places, "notes": d.notes, "help": d.help,
    })
    .to_string()
}

fn human(d: &Diagnostic, source: Option<&Source>, color: bool) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(d.message.as_str()).id(d.code.name()));
    if let Some(source) = source.filter(|_| !d.labels.is_empty()) {
        for one in snippets(d, source) {
            group = group.element(one);
        }
    }
    for n in &d.notes {
        group = group.element(Level::NOTE.message(n.as_str()));
    }
    if let Some(h) = &d.help {
        group = group.element(Level::HELP.message(h.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    tighten(&renderer.decor_style(DecorStyle::Ascii).render(&[group]))
}

/// Notes and help follow the snippet at once: the renderer's empty margin line before them goes.
fn tighten(text: &str) -> String {
    let plain = |line: &str| {
        let mut out = String::new();
        let mut rest = line;
        while let Some((before, after)) = rest.split_once('\x1b') {
            out.push_str(before);
            rest = after.split_once('m').map_or("", |(_, r)| r);
        }
        out.push_str(rest);
        out.trim().to_string()
    };
    let lines: Vec<&str> = text.lines().collect();
    let margin = |(i, line): (usize, &&str)| {
        let before_footer = lines.get(i + 1).is_some_and(|next| plain(next).starts_with("= "));
        !(before_footer && plain(line) == "|")
    };
    let kept: Vec<&str> = lines.iter().enumerate().filter(|&l| margin(l)).map(|(_, l)| *l).collect();
    kept.join("\n")
}

/// One for each file that labels are in, that of the primary label first.
fn snippets<'a>(d: &'a Diagnostic, source: &'a Source) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mut files: Vec<usize> = vec![];
    for (_, (span, _)) in labels(d) {
        let file = source.file_of(span.start as usize);
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files.into_iter().map(|file| snippet(d, source, file)).collect()
}

/// Only the lines that labels touch are handed over: mapping a large file anew for each diagnostic would be slow.
fn snippet<'a>(d: &'a Diagnostic, source: &'a Source, file: usize) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let inside = labels(d).filter(|(_, (span, _))| source.file_of(span.start as usize) == file);
    let ranges: Vec<_> = inside.map(|(i, (span, text))| (i, source.clamp(*span), text)).collect();
    let first = ranges.iter().map(|r| source.line_of(r.1.start)).min().unwrap_or(0);
    let last = ranges.iter().map(|r| source.line_of(r.1.end)).max().unwrap_or(0);
    let from = source.line_start(first);
    let text = source.text.get(from..source.line_start(last + 1)).unwrap_or_default();
    let annotations = ranges.into_iter().map(move |(i, range, text)| {
        let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let label = (!text.is_empty()).then_some(text.as_str());
        kind.span(range.start - from..range.end - from).label(label)
    });
    let name = source.files.get(file).map_or("", |f| &f.1);
    Snippet::source(text).line_start(first - source.first_line(first) + 1).path(name).annotations(annotations)
}
