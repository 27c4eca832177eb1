//! Walks of regions that reduce nothing.
use tfc_ir::Result;
use tfc_plan::region::body::Role;
use tfc_plan::region::phases::Part;

use super::Walk;
use super::write::Writer;

/// Elements of a tile that a thread has.
const TILE: usize = 4;

impl Writer<'_, '_> {
    pub(super) fn elements(&mut self) -> Result<()> {
        let site = self.site;
        for p in &site.cutting.parts {
            match self.form.walk {
                Walk::Packs => self.packs(p)?,
                Walk::Tiles => self.tiles(p)?,
                _ => {
                    self.open("for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {");
                    self.line("const auto x = at.index(i);");
                    self.body(p)?;
                    self.close();
                }
            }
        }
        Ok(())
    }
    fn packs(&mut self, p: &Part) -> Result<()> {
        let n = self.site.pack();
        self.still(p)?;
        self.open(&format!("for (auto i = chunks_of_grid<{n}>(at.count()); i.more(); i.next()) {{"));
        self.line("const auto x = at.index(i.at);");
        self.block(p, n)
    }
    fn tiles(&mut self, p: &Part) -> Result<()> {
        self.still(p)?;
        self.open("for (i64 t = blockIdx.x; t < tiles(at); t += gridDim.x) {");
        self.line("const auto i = tile(at, t);");
        self.block(p, TILE)
    }
    /// Reads what a thread has at a time, computes it, writes it.
    fn block(&mut self, p: &Part, n: usize) -> Result<()> {
        let (ins, outs) = (self.touched(p, Role::In), self.touched(p, Role::Out));
        self.arrays(&ins, n)?;
        self.arrays(&outs, n)?;
        ins.iter().try_for_each(|&k| self.moved("read", k))?;
        self.each(n, |w| w.body(p))?;
        outs.iter().try_for_each(|&k| self.moved("write", k))?;
        self.close();
        Ok(())
    }
}
