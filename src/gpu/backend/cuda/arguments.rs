//! The arguments of a kernel launch.

use std::collections::HashMap;
use std::ffi::c_void;
use std::rc::Rc;

use super::array::Array;
use super::memory::Memory;
use crate::job::{Dispatch, Job, JobBuffer, Kernel};
use crate::shader::twin;
use record::error::{Error, Result};
use record::suite::Access;

pub(super) struct Arguments {
    /// Values in eight-byte words: addresses, and the contents of uniform buffers.
    values: Vec<Box<[u64]>>,
    pointers: Vec<*mut c_void>,
}

impl Arguments {
    /// The arguments of a dispatch with these buffers, one per binding. Constant memory is not an argument: its name
    /// and buffer go to `constants`.
    pub(super) fn bind<'a>(
        job: &'a Job,
        own: &Dispatch<usize>,
        (buffers, arrays): (&[Rc<Memory>], &HashMap<usize, Array>),
        constants: &mut HashMap<&'a str, usize>,
    ) -> Result<Self> {
        let mut values: Vec<Box<[u64]>> = Vec::new();
        let interface = &job.kernel.interface;
        let places = interface.entries.get(own.entry).map_or(&[][..], |entry| &entry.bindings);
        for (binding, index) in places.iter().map(|place| (&interface.bindings[*place], own.buffers[*place])) {
            let spec = &job.buffers[index];
            match binding.access {
                Access::Read | Access::ReadWrite => values.push(Box::new([buffers[index].address()])),
                Access::StorageTexture => {
                    return Err(Error::Unsupported("CUDA ports cannot bind storage textures".to_owned()));
                }
                Access::Texture => values.extend(arrays.get(&index).map(|array| Box::from([array.object()]))),
                Access::Uniform => {
                    let name = binding.name.as_str();
                    if spec.is_written {
                        return Err(Error::Shader(format!(
                            "'{name}' is a uniform buffer, which a kernel cannot write"
                        )));
                    }
                    if !twin::is_constant(&job.kernel.cuda, name) {
                        values.push(bytemuck::pod_collect_to_vec(&initial_bytes(spec)).into_boxed_slice());
                    } else if *constants.entry(name).or_insert(index) != index {
                        return Err(Error::Shader(format!(
                            "'{name}' is constant memory in the CUDA port: every dispatch of a launch must bind \
                             the same buffer to it"
                        )));
                    }
                }
            }
        }
        if !own.immediates.is_empty() {
            let words = own
                .immediates
                .chunks(2)
                .map(|pair| pair.iter().rev().fold(0, |all, word| all << 32 | u64::from(*word)));
            values.push(words.collect());
        }
        Ok(Self::new(values))
    }

    fn new(values: Vec<Box<[u64]>>) -> Self {
        let pointers = values.iter().map(|value| value.as_ptr().cast_mut().cast()).collect();
        Self { values, pointers }
    }

    /// Pointers to the arguments, valid as long as `self`: the values are boxed and never change.
    pub(super) fn pointers(&self) -> &[*mut c_void] {
        &self.pointers
    }

    /// Checks that there is one argument per parameter of the kernel, at least as large: the driver reads as many bytes
    /// as the parameter has. Fails with [`Error::Shader`] and the sizes of both.
    pub(super) fn check(&self, sizes: &[usize], kernel: &Kernel) -> Result<()> {
        let bytes: Vec<usize> = self.values.iter().map(|value| 8 * value.len()).collect();
        let is_fitting = |(has, needs): (&usize, &usize)| *needs > 0 && needs <= has;
        if bytes.len() == sizes.len() && bytes.iter().zip(sizes).all(is_fitting) {
            return Ok(());
        }
        let names: Vec<_> = kernel.interface.bindings.iter().map(|binding| binding.name.as_str()).collect();
        Err(Error::Shader(format!(
            "the CUDA port has parameters of {sizes:?} bytes, but the bindings ({}) have {bytes:?}",
            names.join(", ")
        )))
    }
}

pub(super) fn initial_bytes(spec: &JobBuffer) -> Vec<u8> {
    let mut bytes = vec![0; spec.bytes as usize];
    spec.fill(0, &mut bytes);
    bytes
}
