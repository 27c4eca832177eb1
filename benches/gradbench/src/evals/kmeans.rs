//! The sum over points of the squared distance to the nearest centroid, by `|c|² − 2 c·p + |p|²`; and Newton's step for the centroids, the
//! gradient divided by the Hessian's diagonal. The Hessian has no other elements: its diagonal is its product with ones.
use super::{array, flat, input, one, rows};
use crate::Job;
use serde_json::Value;
use tfc::prelude::*;

pub(super) fn job(step: bool, given: &Value) -> Result<Job> {
    let points = input("points", array(given, "points")?)?;
    let centroids = input("centroids", array(given, "centroids")?)?;
    let (p, c) = (&points.0, &centroids.0);
    let squares = |v: &TracedTensor| -> Result<TracedTensor> { (v * v)?.reduce_sum([0]) };
    let products = c.dot_general(p, &[&[0], &[0]])?;
    let of_centroids = squares(c)?.broadcast_in_dim(products.dims(), &[0])?;
    let nearest = (of_centroids - (products * 2.0)?)?.reduce_min([0])?;
    let cost = (nearest + squares(p)?)?.sum()?;
    let d = centroids.1.shape().first().copied().unwrap_or(0);
    if step {
        let (g, h) = AdContext::default().hvp(&cost, c, &c.ones_like()?)?;
        return Job::new(&[&(g / h)?], vec![points, centroids], move |r| Ok(rows(&flat(r, 0)?, d)));
    }
    Job::new(&[&cost], vec![points, centroids], |r| one(r, 0))
}
