//! A network for handwritten digits, trained by Adam on batches of 96 images, with a checkpoint half-way from which the training goes on:
//! `cargo run --release -p tfc-training`.
use std::path::Path;
use tfc::prelude::*;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/digits/data");
const PARAMETERS: [(&str, [usize; 2]); 4] = [("w1", [64, 64]), ("b1", [1, 64]), ("w2", [64, 10]), ("b2", [1, 10])];
const EPOCHS: usize = 30;
const BATCH: usize = 96;

/// Ten scores an image, the highest of which is the answer.
fn scores(x: &TracedTensor, p: &[TracedTensor]) -> Result<TracedTensor> {
    let hidden = (x.matmul(&p[0])? + &p[1])?.tanh()?;
    hidden.matmul(&p[2])? + &p[3]
}
/// The mean negative log-likelihood of the labels.
fn loss(x: &TracedTensor, labels: &TracedTensor, p: &[TracedTensor]) -> Result<TracedTensor> {
    let z = scores(x, p)?;
    let label = labels.broadcast_in_dim(z.dims(), &[0])?;
    let hit = label.eq(&TracedTensor::iota(DType::I64, [10], 0)?)?;
    let chosen = hit.select(&z, &z.zeros_like()?)?.reduce_sum([1])?;
    (z.logsumexp([1])? - chosen)?.mean([0])
}
/// One step of Adam (Kingma and Ba 2015, algorithm 1) for any size of batches: parameters, first and second moments and the number of steps
/// become the next ones, with the loss behind them.
fn step(x: &TracedTensor, labels: &TracedTensor, state: &[TracedTensor]) -> Result<GraphProgram> {
    let (p, m, v, steps) = (&state[..4], &state[4..8], &state[8..12], (&state[12] + 1)?);
    let (loss, slopes) = AdContext::default().value_and_grad(&loss(x, labels, p)?, &p.iter().collect::<Vec<_>>())?;
    let mean = |decay: f64| 1.0 - TracedTensor::scalar(decay)?.pow(&steps)?;
    let (mut next, mut first, mut second) = (vec![], vec![], vec![]);
    for (i, g) in slopes.iter().enumerate() {
        first.push(((&m[i] * 0.9)? + g * 0.1)?);
        second.push(((&v[i] * 0.999)? + (g * g)? * 0.001)?);
        let size = ((&second[i] / &mean(0.999)?)?.sqrt()? + 1e-8)?;
        next.push((&p[i] - ((&first[i] / &mean(0.9)?)? * 0.003)? / &size)?);
    }
    next.extend(first.into_iter().chain(second).chain([steps, loss]));
    let inputs: Vec<&TracedTensor> = state.iter().chain([x, labels]).collect();
    GraphCompiler::new().compile_with_inputs(&next.iter().collect::<Vec<_>>(), &inputs)
}

fn main() -> Result<()> {
    let array = |name: &str| Tensor::load(Path::new(DATA).join(name));
    let (x_train, y_train, x_test, y_test) =
        (array("x_train.npy")?, array("y_train.npy")?, array("x_test.npy")?, array("y_test.npy")?);
    let names: Vec<String> = ["", "m_", "v_"]
        .iter()
        .flat_map(|k| PARAMETERS.map(|(p, _)| format!("{k}{p}")))
        .chain(["steps".into()])
        .collect();
    let mut state: Vec<Tensor> = vec![];
    for (i, (_, shape)) in PARAMETERS.iter().cycle().take(12).enumerate() {
        let random = i < 4 && shape[0] > 1;
        state.push(
            Tensor::randn(DType::F64, shape, i as u64)?
                .scale(if random { 0.125 } else { 0.0 }, &mut DirectContext::new())?,
        );
    }
    state.push(Tensor::scalar(0.0));

    let inputs = names
        .iter()
        .zip(&state)
        .map(|(n, t)| TracedTensor::input(n, DType::F64, t.shape()))
        .collect::<Result<Vec<_>>>()?;
    let (x, labels) =
        (TracedTensor::input("x", DType::F64, dims!["n", 64])?, TracedTensor::input("labels", DType::I64, ["n"])?);
    let right = scores(&x, &inputs[..4])?.argmax(1)?.eq(&labels)?.convert(DType::F64)?.mean([0])?;
    let executor = GraphExecutor::new(CpuBackend::new());
    let step = executor.prepare(&step(&x, &labels, &inputs)?)?;
    let checkpoint = std::env::temp_dir().join(format!("tfc-training-{}.safetensors", std::process::id()));
    for epoch in 0..EPOCHS {
        let mut last = None;
        for start in (0..x_train.shape()[0]).step_by(BATCH) {
            let end = (start + BATCH).min(x_train.shape()[0]);
            let batch = [x_train.slice_axis(0, start..end)?, y_train.slice_axis(0, start..end)?];
            state = step.run(&[&state[..], &batch].concat())?;
            last = state.pop();
        }
        println!("epoch {epoch}: loss {}", last.and_then(|t| t.item::<f64>()).unwrap_or(f64::NAN));
        if epoch == EPOCHS / 2 {
            save_all(&checkpoint, &names.iter().map(String::as_str).zip(&state).collect::<Vec<_>>())?;
            state = names.iter().map(|n| load_named(&checkpoint, n)).collect::<Result<_>>()?;
        }
    }
    let judge = GraphCompiler::new()
        .compile_with_inputs(&[&right], &inputs[..4].iter().chain([&x, &labels]).collect::<Vec<_>>())?;
    let right = executor.prepare(&judge)?.run(&[&state[..4], &[x_test, y_test]].concat())?;
    println!("accuracy {}", right[0].item::<f64>().unwrap_or(f64::NAN));
    Ok(())
}
