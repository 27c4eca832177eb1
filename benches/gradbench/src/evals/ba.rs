//! Bundle adjustment: how far points, seen by cameras, lie from where they were observed, and the sparse Jacobian of that. Observation `i` is
//! of camera `i mod n` and point `i mod m`; its two errors depend on 11 numbers of its camera, 3 of its point and its weight, so two cotangents, one
//! for each error of all observations at once, give every element.
use super::{count, flat, input, number, wrong};
use crate::Job;
use serde_json::{Value, json};
use tfc::prelude::*;

const CAMERA: usize = 11;
/// Elements of the Jacobian for one error.
const ROW: usize = CAMERA + 3 + 1;

pub(super) fn job(jacobian: bool, given: &Value) -> Result<Job> {
    let (n, m, p) = (count(given, "n")?, count(given, "m")?, count(given, "p")?);
    let repeated = |name: &str, times: usize| -> Result<Tensor> {
        let one = super::array(given, name)?;
        let values: Vec<f64> = one.to_column_major().unwrap_or_default();
        Tensor::from_column_major(&[values.len(), times], values.repeat(times))
    };
    let observed = |of: usize| -> Result<Tensor> {
        let of = i32::try_from(of).map_err(|_| wrong("too many cameras or points"))?;
        Tensor::from_column_major(&[p], (0..i32::try_from(p).unwrap_or(0)).map(|i| i % of.max(1)).collect())
    };
    let inputs = vec![
        input("cams", repeated("cam", n)?)?,
        input("points", repeated("x", m)?)?,
        input("w", Tensor::from_column_major(&[p], vec![number(given, "w")?; p])?)?,
        input("feats", repeated("feat", p)?)?,
        input("camera", observed(n)?)?,
        input("point", observed(m)?)?,
    ];
    let by: Vec<&TracedTensor> = inputs.iter().map(|i| &i.0).collect();
    let &[cams, points, w, feats, camera, point] = &by[..] else { return Err(wrong("ba takes six arrays")) };
    let (cam, pt) = (cams.take(camera, 1)?, points.take(point, 1)?);
    let errors = reprojection(&cam, &pt, w, feats, p)?;
    let of_weights = (TracedTensor::ones(DType::F64, [p])? - (w * w)?)?;
    if !jacobian {
        let both = errors[0].reshape([1, p])?.concat(&[&errors[1].reshape([1, p])?], 0)?;
        return Job::new(&[&both, &of_weights], inputs.clone(), move |r| {
            let (errors, weights) = (flat(r, 0)?, flat(r, 1)?);
            Ok(json!({
                "reproj_error": { "elements": errors[..2], "repeated": p },
                "w_err": { "element": weights[0], "repeated": p },
            }))
        });
    }
    let ad = AdContext::default();
    let ones = of_weights.ones_like()?;
    let mut parts = vec![];
    for e in &errors {
        let [c, x, v] = &ad.vjp_many(e, &[&cam, &pt, w], &ones)?[..] else { return Err(wrong("three cotangents")) };
        parts.push(c.concat(&[x, &v.reshape([1, p])?], 0)?.reshape([ROW, 1, p])?);
    }
    let values = parts[0].concat(&[&parts[1]], 1)?.reshape([2 * ROW * p])?;
    let values = values.concat(&[&ad.vjp(&of_weights, w, &ones)?], 0)?;
    // Where the elements stand: those of a camera, of a point, of a weight, in this order.
    let iota = |shape: &[usize], axis| TracedTensor::iota(DType::I32, shape.to_vec(), axis);
    let whole = [CAMERA, p];
    let of_camera = ((camera * 11)?.broadcast_in_dim(whole, &[1])? + iota(&whole, 0)?)?;
    let first_point = i32::try_from(CAMERA * n).map_err(|_| wrong("too many cameras"))?;
    let first_weight = i32::try_from(CAMERA * n + 3 * m).map_err(|_| wrong("too many points"))?;
    let of_point = (((point * 3)?.broadcast_in_dim([3, p], &[1])? + iota(&[3, p], 0)?)? + first_point)?;
    let of_weight = (iota(&[p], 0)? + first_weight)?;
    let row = of_camera.concat(&[&of_point, &of_weight.reshape([1, p])?], 0)?;
    let columns = row.broadcast_in_dim([ROW, 2, p], &[0, 2])?.reshape([2 * ROW * p])?.concat(&[&of_weight], 0)?;
    let starts = (iota(&[2 * p + 1], 0)? * 15)?;
    let after = i32::try_from(2 * ROW * p + 1).map_err(|_| wrong("too many observations"))?;
    let starts = starts.concat(&[&(iota(&[p], 0)? + after)?], 0)?;
    Job::new(&[&values, &columns, &starts], inputs.clone(), |r| {
        // As the eval asks: the first 30 of each, and the last.
        let some = |v: Vec<Value>| -> Vec<Value> { v.iter().take(2 * ROW).chain(v.last()).cloned().collect() };
        let ints = |i: usize| -> Vec<Value> {
            r[i].to_column_major::<i32>().unwrap_or_default().into_iter().map(Value::from).collect()
        };
        let values = flat(r, 0)?.into_iter().map(Value::from).collect();
        Ok(json!({ "rows": some(ints(2)), "cols": some(ints(1)), "vals": some(values) }))
    })
}
/// `w (project(camera, point) − observed)`, two errors: the camera's rotation by the vector of an angle and an axis (Rodrigues), the projection, a
/// radial distortion of two terms, focal length and principal point.
fn reprojection(
    cam: &TracedTensor,
    pt: &TracedTensor,
    w: &TracedTensor,
    feats: &TracedTensor,
    p: usize,
) -> Result<[TracedTensor; 2]> {
    let of = |t: &TracedTensor, i: usize| -> Result<TracedTensor> { t.slice_range([i, 0], [i + 1, p])?.reshape([p]) };
    let rows = |t: &TracedTensor, from: usize| -> Result<[TracedTensor; 3]> {
        Ok([of(t, from)?, of(t, from + 1)?, of(t, from + 2)?])
    };
    let dot = |a: &[TracedTensor; 3], b: &[TracedTensor; 3]| -> Result<TracedTensor> {
        ((&a[0] * &b[0])? + (&a[1] * &b[1])?)? + (&a[2] * &b[2])?
    };
    let (r, centre, x) = (rows(cam, 0)?, rows(cam, 3)?, rows(pt, 0)?);
    let from = [(&x[0] - &centre[0])?, (&x[1] - &centre[1])?, (&x[2] - &centre[2])?];
    let cross = |a: &[TracedTensor; 3], i: usize| -> Result<TracedTensor> {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        (&a[j] * &from[k])? - (&a[k] * &from[j])?
    };
    let squared = dot(&r, &r)?;
    let turns = squared.ne(&squared.zeros_like()?)?;
    let theta = squared.sqrt()?;
    let (cos, sin) = (theta.cos()?, theta.sin()?);
    let axis = [(&r[0] / &theta)?, (&r[1] / &theta)?, (&r[2] / &theta)?];
    let along = (dot(&axis, &from)? * (cos.ones_like()? - &cos)?)?;
    let mut seen = vec![];
    for i in 0..3 {
        let turned = (((&from[i] * &cos)? + (cross(&axis, i)? * &sin)?)? + (&axis[i] * &along)?)?;
        seen.push(turns.select(&turned, &(&from[i] + cross(&r, i)?)?)?);
    }
    let (u, v) = ((&seen[0] / &seen[2])?, (&seen[1] / &seen[2])?);
    let square = ((&u * &u)? + (&v * &v)?)?;
    let distorted = (((of(cam, 9)? * &square)? + ((of(cam, 10)? * &square)? * &square)?)? + 1.0)?;
    let focal = (distorted * of(cam, 6)?)?;
    let error = |u: TracedTensor, i: usize| -> Result<TracedTensor> {
        w * ((((u * &focal)? + of(cam, 7 + i)?)?) - of(feats, i)?)?
    };
    Ok([error(u, 0)?, error(v, 1)?])
}
