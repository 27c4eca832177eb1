//! Modules and functions in MLIR's generic form, where they are ops like any other:
//! `"builtin.module"() <{…}> ({ "func.func"() <{function_type = (T) -> U, sym_name = "f"}> ({ ^bb0(%x: T): … }) : () -> () }) : () -> ()`.
use super::super::ast::{Attr, AttrKind, Func, Op, Type, Word};
use super::super::lexer::Tok;
use super::{Parsed, Parser, param_attrs};
use tfc_ir::{Code, Diagnostic};

impl<'a> Parser<'a> {
    pub(super) fn generic_module(&mut self) -> Parsed<()> {
        self.one_module()?;
        self.expect(b'(')?;
        self.expect(b')')?;
        let mut attrs = vec![];
        self.properties(&mut attrs)?;
        if let Some((key, Attr { kind: AttrKind::Str(text), .. })) = attrs.iter().find(|a| a.0.text == "sym_name") {
            self.file.name = Some(Word { text, span: key.span });
        }
        self.expect(b'(')?;
        self.expect(b'{')?;
        if let Tok::Caret(_) = self.tok {
            self.advance();
            self.expect(b':')?;
        }
        self.items(true);
        self.expect(b'}')?;
        self.expect(b')')?;
        self.properties(&mut vec![])?;
        self.expect(b':')?;
        self.type_list()?;
        if self.tok != Tok::Arrow {
            return Err(self.expected("`->`"));
        }
        self.advance();
        self.type_list()?;
        if self.is_word("loc") {
            self.loc()?;
        }
        Ok(())
    }
    /// `<{…}>` and `{…}`, or nothing.
    fn properties(&mut self, attrs: &mut Vec<(Word<'a>, Attr<'a>)>) -> Parsed<()> {
        if self.eat(b'<') {
            attrs.extend(self.dict()?);
            self.expect(b'>')?;
        }
        if self.is(b'{') {
            attrs.extend(self.dict()?);
        }
        Ok(())
    }

    pub(super) fn generic_func(&mut self) -> Parsed<Func<'a>> {
        let op = self.op()?;
        let text = |key: &str| match op.attrs.iter().find(|a| a.0.text == key) {
            Some((_, Attr { kind: AttrKind::Str(text), span, .. })) => Some(Word { text, span: *span }),
            _ => None,
        };
        let Some(name) = text("sym_name") else {
            let d = Diagnostic::error(Code::E0242, op.name.span, "a function without a name");
            return Err(self.report(d.help("its name is `sym_name = \"main\"`")));
        };
        let private = matches!(text("sym_visibility").map(|w| w.text), Some("private" | "nested"));
        let function = op.attrs.iter().find(|a| a.0.text == "function_type").map(|a| a.1.clone());
        let Some(Attr { kind: AttrKind::Function(ins, results), span, .. }) = function else {
            let d = Diagnostic::error(Code::E0242, op.name.span, "a function without its type");
            return Err(self.report(d.help("it is written `function_type = (tensor<f32>) -> tensor<f32>`")));
        };
        let Op { span: whole, regions, attrs, .. } = op;
        let mut regions = regions.into_iter();
        // One without statements is declared only.
        let body = regions.next().filter(|b| !b.ops.is_empty() || b.broken);
        let Some(mut body) = body else {
            return Ok(Func { span: whole, name, private, params: vec![], results, body: None });
        };
        let mut params = std::mem::take(&mut body.params);
        let same = |(t, p): (&Type, &Type)| t.is(p);
        if ins.len() != params.len()
            || !ins.iter().zip(params.iter().map(|p| &p.ty)).all(same)
            || regions.next().is_some()
        {
            let d =
                Diagnostic::error(Code::E0245, span, format!("@{} has other parameters than its type says", name.text));
            return Err(
                self.report(d.also(body.span, "these").help("each parameter has the type that `function_type` lists"))
            );
        }
        // `arg_attrs = [{jax.global_constant = "n"}, …]`
        if let Some((_, Attr { kind: AttrKind::List(list), .. })) = attrs.iter().find(|a| a.0.text == "arg_attrs") {
            for (p, a) in params.iter_mut().zip(list) {
                let AttrKind::Dict(dict) = &a.kind else { continue };
                (p.constant, p.donated) = param_attrs(dict);
            }
        }
        Ok(Func { span: whole, name, private, params, results, body: Some(body) })
    }
}
