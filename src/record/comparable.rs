use super::row::Record;
use crate::suite::Api;

/// Why two rows are not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlike {
    /// Another benchmark, type, size or set of parameters.
    Case,
    /// Another source of the kernel, or only one of the rows states its source.
    Source,
    /// A kernel and its CUDA twin from different versions of the suite.
    Version,
}

/// Whether a ratio of the times of two rows compares devices, drivers or APIs at the same work; else why not. Rows of
/// one language must have the same source hash; rows without a hash are copies and vendor libraries, since every
/// released version writes the hash of a kernel. A WGSL kernel and its CUDA twin must be from one version of the suite,
/// which includes a hash of its sources.
pub fn comparable(a: &Record, b: &Record) -> Result<(), Unlike> {
    let case = |row: &Record| (row.dtype, row.n);
    if (&a.family, &a.benchmark, &a.params) != (&b.family, &b.benchmark, &b.params) || case(a) != case(b) {
        return Err(Unlike::Case);
    }
    let is_cuda = |row: &Record| row.backend == Some(Api::Cuda);
    if is_cuda(a) == is_cuda(b) {
        if a.shader_hash == b.shader_hash { Ok(()) } else { Err(Unlike::Source) }
    } else if a.tool_version == b.tool_version {
        Ok(())
    } else {
        Err(Unlike::Version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Extent;

    fn row(api: Api, hash: &str, version: &str) -> Record {
        Record {
            family: "gemv".to_owned(),
            benchmark: "packed".to_owned(),
            n: Some(Extent::Linear(1024)),
            backend: Some(api),
            shader_hash: hash.to_owned(),
            tool_version: version.to_owned(),
            ..Record::default()
        }
    }

    #[test]
    fn rows_of_one_language_need_one_source() {
        let compared = |a: (Api, &str), b: (Api, &str)| comparable(&row(a.0, a.1, "1"), &row(b.0, b.1, "2"));
        assert_eq!(compared((Api::Vulkan, "1f"), (Api::Vulkan, "1f")), Ok(()));
        assert_eq!(compared((Api::Vulkan, "1f"), (Api::Metal, "1f")), Ok(()), "both run WGSL");
        assert_eq!(compared((Api::Vulkan, "1f"), (Api::Metal, "2e")), Err(Unlike::Source));
        assert_eq!(compared((Api::Cuda, "1f"), (Api::Cuda, "2e")), Err(Unlike::Source));
        assert_eq!(compared((Api::Cuda, ""), (Api::Cuda, "")), Ok(()), "a library has no source");
        assert_eq!(compared((Api::Cuda, ""), (Api::Cuda, "2e")), Err(Unlike::Source), "unknown on one side");
    }

    #[test]
    fn twins_need_one_version() {
        let vulkan = row(Api::Vulkan, "1f", "0.1.0+b5481d9");
        assert_eq!(comparable(&vulkan, &row(Api::Cuda, "2e", "0.1.0+b5481d9")), Ok(()));
        assert_eq!(comparable(&row(Api::Cuda, "2e", "0.1.0"), &vulkan), Err(Unlike::Version));
    }

    #[test]
    fn another_case_is_no_pair() {
        let first = row(Api::Vulkan, "1f", "1");
        for other in [
            Record { benchmark: "plain".to_owned(), ..first.clone() },
            Record { n: Some(Extent::Linear(2048)), ..first.clone() },
            Record { params: [("BITS".to_owned(), 4.0)].into(), ..first.clone() },
        ] {
            assert_eq!(comparable(&first, &other), Err(Unlike::Case));
        }
    }
}
