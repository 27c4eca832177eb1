//! The JSON mirror of a module: the same names and texts as the printed form, as a tree that tools can read without a
//! parser. Types, extents, constraints and attributes are their canonical texts.
use crate::attr::Attr;
use crate::func::*;
use crate::module::Module;
use crate::print;
use serde_json::{Value as Json, json};

/// A whole module.
pub fn module(m: &Module) -> Json {
    let mut out = json!({
        "tfir": print::version(m),
        "module": m.name.as_deref(),
        "meta": m.meta.iter().map(|(k, v)| json!([&**k, &**v])).collect::<Vec<_>>(),
        "data": m.data.iter().map(|d| json!({
            "name": &*d.name, "type": d.ty.display(&NoNames).to_string(), "format": &*d.format, "path": &*d.path,
            "key": d.key.as_deref(), "sha256": d.sha256.as_deref(), "convert": d.convert,
        })).collect::<Vec<_>>(),
        "functions": m.funcs().iter().map(|(_, f)| func(m, f)).collect::<Vec<_>>(),
    });
    if let Some(mesh) = &m.mesh {
        let axes: Vec<Json> = mesh.axes.iter().map(|(n, k)| json!([&**n, k])).collect();
        out["mesh"] = json!({ "name": &*mesh.name, "axes": axes });
    }
    out
}
struct NoNames;
impl crate::ExtentNames for NoNames {
    fn sym(&self, _: crate::SymId) -> &str {
        "?"
    }
    fn exist(&self, _: crate::ExistId) -> &str {
        "?"
    }
}
fn func(m: &Module, f: &Func) -> Json {
    let p = print::Printer::new(m, f);
    json!({
        "name": &*f.name,
        "export": f.export,
        "extents": f.syms.iter().map(|s| &*s.name).collect::<Vec<_>>(),
        "results": f.result_types.iter().enumerate().map(|(i, t)| json!({
            "name": f.result_names.get(i).and_then(|n| n.as_deref()), "type": t.display(&p).to_string(),
        })).collect::<Vec<_>>(),
        "where": f.wheres.iter().map(|c| c.display(&p).to_string()).collect::<Vec<_>>(),
        "body": region(&p, f, BODY),
    })
}
fn typed(p: &print::Printer, f: &Func, vs: &[ValueId]) -> Vec<Json> {
    let one = |&v: &ValueId| {
        let mut out = json!({ "name": p.name(v), "type": f.ty(v).display(p).to_string() });
        if let Some(s) = f.sharding(v) {
            out["sharding"] = Json::String(s.to_string());
        }
        if let Some(t) = f.default_of(v) {
            out["default"] = Json::String(p.attr(&Attr::Tensor(t.clone()), None));
        }
        out
    };
    vs.iter().map(one).collect()
}
fn region(p: &print::Printer, f: &Func, r: RegionId) -> Json {
    let g = f.region(r);
    json!({
        "label": &*g.label,
        "params": typed(p, f, &g.params),
        "where": g.wheres.iter().map(|c| c.display(p).to_string()).collect::<Vec<_>>(),
        "ops": g.ops.iter().map(|&o| op(p, f, o)).collect::<Vec<_>>(),
        "guards": g.guards.iter().map(|g| g.display(p).to_string()).collect::<Vec<_>>(),
        "yields": g.yields.iter().map(|&v| p.name(v)).collect::<Vec<_>>(),
    })
}
fn op(p: &print::Printer, f: &Func, o: OpId) -> Json {
    let op = f.op(o);
    let attrs: serde_json::Map<String, Json> =
        op.attrs.iter().map(|(k, a)| (k.to_string(), Json::String(p.attr(a, op.def.slot(k))))).collect();
    json!({
        "op": op.def.name,
        "operands": op.operands.iter().map(|&v| p.name(v)).collect::<Vec<_>>(),
        "attributes": attrs,
        "results": typed(p, f, &op.results),
        "regions": op.regions.iter().map(|&r| region(p, f, r)).collect::<Vec<_>>(),
        "where": op.said().map(|c| c.display(p).to_string()).collect::<Vec<_>>(),
        "guards": op.guards.iter().map(|g| g.display(p).to_string()).collect::<Vec<_>>(),
        "loc": op.loc,
    })
}
