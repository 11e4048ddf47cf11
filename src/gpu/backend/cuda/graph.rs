//! CUDA graphs: one call submits all launches of a sample. The host needs 2 to 4 µs per submission, so without graphs
//! it would limit the rate of shorter launches.

use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;
use web_time::Instant;

use super::context::Context;
use super::event::Event;
use crate::backend::Sample;
use record::error::Result;

/// Most launches of a graph, which are the most of a measured sample.
const MAX_LAUNCHES: u32 = 1000;

/// Most nodes of a graph: instantiating a node takes a microsecond or more.
const MAX_NODES: usize = 4000;

/// Most graphs that a job keeps: the slope alternates between three launch counts.
const MAX_KEPT: usize = 4;

/// Whether a sample of `launches` launches of `steps` steps is submitted as a graph. The host never limits a single
/// one.
pub(super) fn is_worthwhile(launches: u32, steps: usize) -> bool {
    (2..=MAX_LAUNCHES).contains(&launches) && launches as usize * steps <= MAX_NODES
}

#[derive(Default)]
pub(super) struct Graphs {
    /// By number of launches, the last used one at the end.
    kept: Vec<(u32, Graph)>,
    is_refused: bool,
}

impl Graphs {
    /// Runs a sample's launches as one graph; `None` if the driver refuses the graph. If there is no graph yet for this
    /// number of launches, `operations` is called to add them to the stream of `context`, which must be current.
    ///
    /// # Safety
    /// The memory, textures and modules that the operations use exist as long as `self`.
    ///
    /// # Errors
    /// Errors after which the device is unusable.
    pub(super) unsafe fn sample(
        &mut self,
        context: &Rc<Context>,
        launches: u32,
        operations: impl FnOnce() -> Result<()>,
    ) -> Result<Option<Sample>> {
        if self.is_refused {
            return Ok(None);
        }
        let known = self.kept.iter().position(|(of, _)| *of == launches);
        let graph = match known {
            Some(index) => Ok(self.kept.remove(index).1),
            // SAFETY: by the caller's guarantee; `self` then owns the graph and never lends it.
            None => unsafe { Graph::capture(context, operations) },
        };
        match graph.and_then(|graph| Ok((graph.sample()?, graph))) {
            Ok((sample, graph)) => {
                if self.kept.len() >= MAX_KEPT {
                    self.kept.remove(0);
                }
                self.kept.push((launches, graph));
                Ok(Some(sample))
            }
            Err(error) if error.ends_device() => Err(error),
            Err(_) => {
                self.is_refused = true;
                self.kept.clear();
                Ok(None)
            }
        }
    }
}

/// An instantiated graph, with a timestamp before and after its operations.
struct Graph {
    context: Rc<Context>,
    raw: sys::CUgraphExec,
    start: Event,
    end: Event,
}

impl Graph {
    /// Captures what `operations` add to the stream of `context`, which must be current.
    ///
    /// # Safety
    /// The memory, textures and modules that the operations use exist as long as the graph.
    unsafe fn capture(context: &Rc<Context>, operations: impl FnOnce() -> Result<()>) -> Result<Self> {
        // As nodes of the graph, the events exclude the host's call.
        let (start, end) = (Event::new(context)?, Event::new(context)?);
        let recorded = || {
            start.record_in_graph()?;
            operations()?;
            end.record_in_graph()
        };
        // SAFETY: by the caller's guarantee. The template is dropped when this function ends, while both events exist.
        let template = Template { context: Rc::clone(context), raw: unsafe { context.capture(recorded)? } };
        let mut graph = Self { context: Rc::clone(context), raw: ptr::null_mut(), start, end };
        // SAFETY: `graph.raw` is a valid place for the handle, and the template exists. Zero is no flag.
        let status = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut graph.raw, template.raw, 0) };
        context.check("preparing a graph", status)?;
        // Otherwise the first launch uploads the graph, within the measured time.
        // SAFETY: the driver has just returned the graph, and `drop` destroys it.
        context.issue("uploading a graph", |stream| unsafe { sys::cuGraphUpload(graph.raw, stream) })?;
        context.wait()?;
        Ok(graph)
    }

    fn sample(&self) -> Result<Sample> {
        let begin = Instant::now();
        // SAFETY: `capture` made the graph in this context, and `drop` destroys it. The caller of `capture` guarantees
        // that what its nodes use outlives `self`; the next line waits for them.
        self.context.issue("launching a graph", |stream| unsafe { sys::cuGraphLaunch(self.raw, stream) })?;
        self.context.wait()?;
        let wall_ns = begin.elapsed().as_nanos() as f64;
        Ok(Sample { device_ns: Some(self.start.ns_until(&self.end)?), wall_ns })
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: the graph was made in this context, and is destroyed only here, before its events.
            self.context.free(|| unsafe { sys::cuGraphExecDestroy(self.raw) });
        }
    }
}

/// A captured graph, from which executable graphs are instantiated.
struct Template {
    context: Rc<Context>,
    raw: sys::CUgraph,
}

impl Drop for Template {
    fn drop(&mut self) {
        // SAFETY: the graph came from `Context::capture`, whose caller owns it, and no other code destroys it.
        self.context.free(|| unsafe { sys::cuGraphDestroy(self.raw) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_launches_are_a_graph_unless_it_would_be_large() {
        assert!(is_worthwhile(2, 1) && is_worthwhile(1000, 1) && is_worthwhile(1000, 4));
        assert!(!is_worthwhile(0, 1) && !is_worthwhile(1, 1) && !is_worthwhile(1001, 1) && !is_worthwhile(1000, 5));
        assert!(!is_worthwhile(2, 2001));
    }
}
