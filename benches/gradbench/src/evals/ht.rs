//! Hand tracking: how far measured points lie from a skinned hand whose pose 26 numbers give, and the dense Jacobian by these. With `us`, each
//! measured point also has two barycentric coordinates of its own, whose part of the Jacobian is two columns.
use super::{array, constant, flat, indices, input, integers, rows, wrong};
use crate::Job;
use serde_json::Value;
use tfc::prelude::*;

pub(super) fn job(jacobian: bool, given: &Value) -> Result<Job> {
    let (data, model) = (&given["data"], &given["data"]["model"]);
    let parents = integers(model, "parents")?;
    let points = integers(data, "correspondences")?.len();
    let free = given["us"].as_array().is_some_and(|us| !us.is_empty());
    // Arrays of 4 by 4 matrices come with their columns first: axes column, row, bone.
    let mut inputs = vec![
        input("theta", array(given, "theta")?)?,
        input("relatives", array(model, "base_relatives")?)?,
        input("inverses", array(model, "inverse_base_absolutes")?)?,
        input("positions", array(model, "base_positions")?)?,
        input("weights", array(model, "weights")?)?,
        input("points", array(data, "points")?)?,
    ];
    if free {
        inputs.push(input("us", array(given, "us")?)?);
    }
    let by: Vec<&TracedTensor> = inputs.iter().map(|i| &i.0).collect();
    let theta = by[0];
    let mut hand = vertices(&by, &parents)?;
    if model["is_mirrored"].as_bool().unwrap_or(false) {
        hand = (hand * constant(&[3, 1], vec![-1.0, 1.0, 1.0])?)?;
    }
    let placed = globally(theta, &hand)?;
    let found = integers(data, "correspondences")?;
    let at = if free {
        let triangles = array(model, "triangles")?.to_column_major::<f64>().unwrap_or_default();
        let us = by[6];
        let corner = |i: usize| -> Result<TracedTensor> {
            let of = |&t: &i64| usize::try_from(t).ok().and_then(|t| triangles.get(3 * t + i)).map(|&v| v as i64);
            let places: Option<Vec<i64>> = found.iter().map(of).collect();
            placed.take(&indices(places.ok_or_else(|| wrong("a triangle is missing"))?)?, 1)
        };
        let u = us.slice_range([0, 0], [1, points])?;
        let v = us.slice_range([1, 0], [2, points])?;
        let rest = ((u.ones_like()? - &u)? - &v)?;
        (((corner(0)? * &u)? + (corner(1)? * &v)?)? + (corner(2)? * &rest)?)?
    } else {
        placed.take(&indices(found)?, 1)?
    };
    let errors = (by[5] - at)?;
    if !jacobian {
        return Job::new(&[&errors], inputs, |r| Ok(flat(r, 0)?.into()));
    }
    let ad = AdContext::default();
    // Axes: coordinate, point, parameter; written as a row of parameters for each error.
    let by_theta = ad.jacobian(&errors, theta, Sparsity::Dense)?.transpose([2, 0, 1])?;
    if !free {
        return Job::new(&[&by_theta], inputs.clone(), |r| Ok(rows(&flat(r, 0)?, 26)));
    }
    // The errors of a point depend on its own coordinates alone: a tangent for the first ones of all points, one for the second ones.
    let mut columns = vec![];
    for i in 0..2 {
        let ones = TracedTensor::ones(DType::F64, [1, points])?;
        let zeros = ones.zeros_like()?;
        let tangent = if i == 0 { ones.concat(&[&zeros], 0)? } else { zeros.concat(&[&ones], 0)? };
        columns.push(ad.jvp(&errors, by[6], &tangent)?.reshape([1, 3, points])?);
    }
    let all = columns[0].concat(&[&columns[1], &by_theta], 0)?;
    Job::new(&[&all], inputs.clone(), |r| Ok(rows(&flat(r, 0)?, 28)))
}
/// Where the vertices of the posed hand are, before it is turned and moved as a whole: axes coordinate, vertex.
fn vertices(by: &[&TracedTensor], parents: &[i64]) -> Result<TracedTensor> {
    let &[theta, relatives, inverses, positions, weights, ..] = by else { return Err(wrong("ht takes six arrays")) };
    let bones = parents.len();
    // Angles about x, z and y of each bone, as places of `theta` with a 0 behind it. The wrist is bone 0 and does not turn; a finger has four
    // bones: the first does not turn, the second turns about two axes, the others about one.
    let zero = TracedTensor::zeros(DType::F64, [1])?;
    let padded = theta.concat(&[&zero], 0)?;
    let mut places = vec![[26_i64; 3]; bones];
    let mut next = 6;
    for finger in 0..5 {
        for joint in 0..3 {
            let bone = 2 + 4 * finger + joint;
            let Some(place) = places.get_mut(bone) else { return Err(wrong("a hand has 22 bones")) };
            place[0] = next;
            next += 1;
            if joint == 0 {
                place[1] = next;
                next += 1;
            }
        }
    }
    let angles =
        |axis: usize| -> Result<TracedTensor> { padded.take(&indices(places.iter().map(|p| p[axis]).collect())?, 0) };
    let (x, z, y) = (angles(0)?, angles(1)?, angles(2)?);
    let (sx, cx, sy, cy, sz, cz) = (x.sin()?, x.cos()?, y.sin()?, y.cos()?, z.sin()?, z.cos()?);
    let (o, i) = (x.zeros_like()?, x.ones_like()?);
    // Rz Ry Rx, each row a line here.
    let entries = [
        [(&cz * &cy)?, (((&cz * &sy)? * &sx)? - (&sz * &cx)?)?, (((&cz * &sy)? * &cx)? + (&sz * &sx)?)?, o.clone()],
        [(&sz * &cy)?, (((&sz * &sy)? * &sx)? + (&cz * &cx)?)?, (((&sz * &sy)? * &cx)? - (&cz * &sx)?)?, o.clone()],
        [sy.neg()?, (&cy * &sx)?, (&cy * &cx)?, o.clone()],
        [o.clone(), o.clone(), o.clone(), i],
    ];
    let mut flat = vec![];
    for row in &entries {
        for entry in row {
            flat.push(entry.reshape([1, bones])?);
        }
    }
    // Axes: column, row, bone, as the matrices of the model come.
    let turns = flat[0].concat(&flat[1..].iter().collect::<Vec<_>>(), 0)?.reshape([4, 4, bones])?;
    let posed = relatives.einsum(&[&turns], "jib,kjb->kib")?;
    // A bone's place is its parent's times its own, from the root outwards, all bones of one depth at once.
    let mut depth = vec![0_usize; bones];
    for (b, &parent) in parents.iter().enumerate() {
        if let Ok(parent) = usize::try_from(parent) {
            depth[b] = depth.get(parent).ok_or_else(|| wrong("a bone's parent is missing"))? + 1;
        }
    }
    let mut order: Vec<usize> = vec![];
    let mut whole: Option<TracedTensor> = None;
    for level in 0..=depth.iter().copied().max().unwrap_or(0) {
        let here: Vec<usize> = (0..bones).filter(|&b| depth[b] == level).collect();
        let own = posed.take(&indices(here.iter().map(|&b| b as i64).collect())?, 2)?;
        let placed = match &whole {
            None => own,
            Some(done) => {
                let above =
                    here.iter().map(|&b| order.iter().position(|&o| o as i64 == parents[b]).unwrap_or(0) as i64);
                done.take(&indices(above.collect())?, 2)?.einsum(&[&own], "jib,kjb->kib")?
            }
        };
        whole = Some(match whole {
            None => placed,
            Some(done) => done.concat(&[&placed], 2)?,
        });
        order.extend(here);
    }
    let whole = whole.ok_or_else(|| wrong("a hand without bones"))?;
    let back: Vec<i64> = (0..bones).map(|b| order.iter().position(|&o| o == b).unwrap_or(0) as i64).collect();
    let absolute = whole.take(&indices(back)?, 2)?;
    let transforms = absolute.einsum(&[inverses], "jib,kjb->kib")?.slice_range([0, 0, 0], [4, 3, bones])?;
    // Each vertex is moved by its bones as they weigh: axes of `positions` are coordinate, vertex, of `weights` bone, vertex.
    let weighed = positions.einsum(&[weights], "kv,bv->kbv")?;
    transforms.einsum(&[&weighed], "kib,kbv->iv")
}
/// The hand turned about an axis by an angle (`theta[0..3]`) and moved (`theta[3..6]`).
fn globally(theta: &TracedTensor, hand: &TracedTensor) -> Result<TracedTensor> {
    let turn = theta.slice_range([0], [3])?;
    let angle = (&turn * &turn)?.sum()?.sqrt()?;
    let axis = (&turn / &angle)?;
    let of = |i: usize| -> Result<TracedTensor> { axis.slice_range([i], [i + 1])?.reshape([1, 1]) };
    let n = [of(0)?, of(1)?, of(2)?];
    let (s, c) = (angle.sin()?.reshape([1, 1])?, angle.cos()?.reshape([1, 1])?);
    let rest = (c.ones_like()? - &c)?;
    let mut columns = vec![];
    for j in 0..3 {
        let mut column = vec![];
        for i in 0..3 {
            let both = ((&n[i] * &n[j])? * &rest)?;
            column.push(match (3 + j - i) % 3 {
                0 => (both + &c)?,
                1 => (both - (&n[3 - i - j] * &s)?)?,
                _ => (both + (&n[3 - i - j] * &s)?)?,
            });
        }
        columns.push(column[0].concat(&[&column[1], &column[2]], 0)?);
    }
    let matrix = columns[0].concat(&[&columns[1], &columns[2]], 1)?;
    let close = angle.lt(&TracedTensor::scalar(1e-4)?)?;
    let same = constant(&[3, 3], vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])?;
    let matrix = close.broadcast_in_dim([3, 3], &[])?.select(&same, &matrix)?;
    let moved = theta.slice_range([3], [6])?.reshape([3, 1])?;
    matrix.matmul(hand)? + moved
}
