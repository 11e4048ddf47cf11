//! Machine code as returned by NVRTC: an ELF file with one section per kernel.

use object::{Object as _, ObjectSection as _};

/// Code size in bytes of the largest of these kernels; `None` for PTX, which the driver compiles.
pub(super) fn code_bytes(image: &[u8], kernels: &[String]) -> Option<u64> {
    let file = object::File::parse(image).ok()?;
    kernels.iter().filter_map(|name| Some(file.section_by_name(&format!(".text.{name}"))?.size())).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 64-bit little-endian ELF file with two kernels of 256 and 384 bytes.
    fn cubin() -> Vec<u8> {
        let names = b"\0.text.a\0.text.b\0.shstrtab\0";
        let mut file = vec![0; 64];
        file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
        put(0x10, &2_u16.to_le_bytes()); // executable
        put(0x12, &190_u16.to_le_bytes()); // for CUDA
        put(0x14, &1_u32.to_le_bytes());
        put(0x28, &(64 + 640 + names.len() as u64).to_le_bytes()); // where the headers of sections start
        for (at, number) in [(0x34, 64_u16), (0x3a, 64), (0x3c, 4), (0x3e, 3)] {
            put(at, &number.to_le_bytes()); // sizes of headers, sections, and which has the names
        }
        file.resize(64 + 640, 0);
        file.extend(names);
        // Name, kind, start and length.
        for (name, kind, start, length) in
            [(0, 0, 0, 0), (1, 1, 64, 256), (9, 1, 320, 384), (17, 3, 704, names.len() as u64)]
        {
            let mut header = [0; 64];
            header[..4].copy_from_slice(&u32::to_le_bytes(name));
            header[4..8].copy_from_slice(&u32::to_le_bytes(kind));
            header[0x18..0x20].copy_from_slice(&u64::to_le_bytes(start));
            header[0x20..0x28].copy_from_slice(&length.to_le_bytes());
            file.extend(header);
        }
        file
    }

    #[test]
    fn the_code_of_a_kernel_is_its_section() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(code_bytes(&cubin(), &names(&["a"])), Some(256));
        assert_eq!(code_bytes(&cubin(), &names(&["a", "b"])), Some(384), "of several kernels the most");
        assert_eq!(code_bytes(&cubin(), &names(&["c"])), None);
        assert_eq!(code_bytes(b".version 9.0\0", &names(&["a"])), None, "PTX");
    }
}
