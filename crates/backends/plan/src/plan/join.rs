//! Elementwise regions (bias, activation, scaling, residual) become part of the step whose result they read, where the kernel
//! of that step takes them: it may then apply the region to parts of its result while they are in cache, and what the region
//! computes may lie where the result does.
//!
//! A pass over the steps of each block, once it has been lowered and before memory is assigned. What it joins it also says to
//! the assignment of memory: the kernel's step now runs where the region did, and reads and writes what both of them do.
use super::build::Lower;
use super::*;

impl Lower<'_> {
    /// Joins what can be joined in a block that has been lowered.
    pub(crate) fn join_regions(&mut self, block: &mut Vec<Step>) {
        let mut i = 0;
        while i < block.len() {
            match self.joined(block, i) {
                Some(at) => {
                    let kernel = block.remove(at).what;
                    let Step { what, at, .. } = &mut block[i - 1];
                    let region = std::mem::replace(what, kernel);
                    if let (Do::Kernel(k), Do::Run(r)) = (what, region) {
                        self.read_together(k, &r, *at);
                        k.then = Some(r);
                    }
                }
                None => i += 1,
            }
        }
    }
    /// The step before step `i`, a region, that takes it. Only views of other slots and conditions may stand between them.
    fn joined(&self, block: &[Step], i: usize) -> Option<usize> {
        let Do::Run(r) = &block[i].what else { return None };
        let between = |s: &Step| matches!(s.what, Do::View(_) | Do::Guard { .. });
        let at = block[..i].iter().rposition(|s| !between(s))?;
        let Do::Kernel(k) = &block[at].what else { return None };
        let (&out, others) = k.dsts.split_first()?;
        let reads_it = |s: &Step| {
            let mut reads = false;
            s.what.uses(&mut |s, u| reads |= u == Use::Read && k.dsts.contains(&s));
            reads
        };
        let apart = k.then.is_none() && !r.reduces && !block[at + 1..i].iter().any(reads_it);
        let fits = apart && self.walks(r, out) && !r.operands.iter().any(|s| others.contains(s));
        (fits && self.target.joins(&self.f, k)).then_some(at)
    }
    /// Whether the region reads a slot element by element: axis `l` along loop `l`, for each of them.
    fn walks(&self, r: &Run, s: Slot) -> bool {
        let n = r.loops.len();
        self.slots[s as usize].dims.len() == n
            && (r.operands.iter().enumerate()).any(|(k, &x)| x == s && (0..n).all(|l| r.maps[k * n + l] as usize == l))
    }
    /// The step with kernel `k` and region `r` runs at a position where the region alone did.
    fn read_together(&mut self, k: &KernelStep, r: &Run, at: u32) {
        for &s in k.args.iter().chain(&k.dsts) {
            for &root in &self.roots[s as usize] {
                let live = &mut self.stores[root as usize].live;
                live.1 = live.1.max(at);
            }
        }
        let Some(&out) = k.dsts.first() else { return };
        let first = self.over.partition_point(|o| o.0 < at);
        for (_, _, candidates, reads) in self.over[first..].iter_mut().take_while(|o| o.0 == at) {
            // The kernel's result is made in memory of the region's, if it can be.
            candidates.sort_by_key(|&s| s != out);
            reads.extend_from_slice(&k.args);
        }
        for &s in &r.outs {
            let like = &mut self.slots[s as usize].like;
            if *like != NONE {
                *like = out;
            }
        }
    }
}
