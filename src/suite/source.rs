//! The workloads of the five source articles on CUDA memory, and the header comments of the kernels.

/// A workload of an article.
pub struct Source {
    /// Its number, as in [`super::Benchmark::sources`]: the article's letter and a count.
    pub id: &'static str,
    /// What it does in the article.
    pub meaning: &'static str,
}

/// The articles by the letter of their workloads' numbers.
pub const ARTICLES: &[(char, &str)] = &[
    ('A', "reduction in shared memory (article 000)"),
    ('B', "memory spaces (article 001)"),
    ('C', "sum of cubes with synchronisation (article 002)"),
    ('D', "coalescing and transpose (article 003)"),
    ('E', "shared-memory banks (article 004)"),
];

const fn source(id: &'static str, meaning: &'static str) -> Source {
    Source { id, meaning }
}

/// Every workload, in the order of the articles.
pub const SOURCES: &[Source] = &[
    source("A1", "device properties: memory, multiprocessors, limits of a block"),
    source("A2", "a shared array of fixed size, and one whose size the host sets at launch"),
    source("A3", "the sum of a block by interleaved steps, in place in global memory"),
    source("A4", "the same steps on a copy in shared memory"),
    source("A5", "a sum end to end: copy in, kernel, copy out, a serial sum of the block sums on the host"),
    source("B1", "bandwidth and dependent-load latency of each memory space"),
    source("B2", "static and dynamic shared arrays, neither of which can be initialised at its declaration"),
    source("B3", "three arrays of different types in one block of shared memory"),
    source("B4", "rows of a matrix padded to the device's pitch, and packed rows of odd width"),
    source("B5", "the same in three dimensions, with a slice pitch"),
    source("B6", "copies of rows between linear memory and an array or texture"),
    source("B7", "copies between host and device, from pageable and from pinned memory"),
    source("B8", "a table in constant memory, filled by the program or by the host, and one in global memory"),
    source("B9", "a picture rotated through a texture with linear filtering and wrapping"),
    source("B10", "setting uninitialised device memory by the API's call or by a kernel"),
    source("C1", "32 blocks of 256 threads, thread 0 of each adding its block's sums serially"),
    source("C2", "the same with a parallel tree instead of thread 0"),
    source("C3", "the steps before: one thread, one block in chunks, one block interleaved, many blocks"),
    source("C4", "a clock read inside the kernel: latest end minus earliest start"),
    source("C5", "all properties of the device"),
    source("D1", "the degree of coalescing: bytes requested over bytes in the sectors moved"),
    source("D2", "sums of arrays at an offset of 0 to 31 elements"),
    source("D3", "one element added to all, read from global or from constant memory"),
    source("D4", "strided reads, 1 to 32 elements apart"),
    source("D5", "the naive transpose with coalesced writes, and the one with coalesced reads"),
    source("D6", "the transpose through a shared tile, unpadded and padded by a column"),
    source("D7", "elements of 64 bits, and sizes that are no multiple of the tile"),
    source("D8", "the read-only cache path for uncoalesced reads"),
    source("E1", "shared memory read at strides of 1 to 64 words, and the number of banks"),
    source("E2", "one word for all lanes, or one for each group of them"),
    source("E3", "bytes and halves, neighbours in one word or each in a word of its own"),
    source("E4", "a dynamic block of shared memory divided into arrays"),
    source("E5", "the matrix product: naive, in shared tiles, in registers"),
    source("E6", "several threads of a warp writing to one shared word, of which one value remains"),
];

/// The workload of this number.
#[must_use]
pub fn find(id: &str) -> Option<&'static Source> {
    SOURCES.iter().find(|source| source.id == id)
}

/// The header comment of a kernel's file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// What the kernel does.
    pub what: String,
    /// Its access pattern; empty where the header has none.
    pub pattern: String,
    /// Its bytes and operations as a function of the size; empty where the header has none.
    pub work: String,
}

impl Header {
    /// Parses the comment at the start of `source`, WGSL or CUDA C++.
    #[must_use]
    pub fn of(source: &str) -> Self {
        let mut header = Self::default();
        let mut part = &mut header.what;
        for line in source.lines().map_while(|line| line.strip_prefix("//")).map(str::trim) {
            let mut text = line;
            if let Some(rest) = line.strip_prefix("Pattern: ") {
                (part, text) = (&mut header.pattern, rest);
            } else if let Some(rest) = line.strip_prefix("Work: ") {
                (part, text) = (&mut header.work, rest);
            }
            if !part.is_empty() {
                part.push(' ');
            }
            part.push_str(text);
        }
        header
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::families::FAMILIES;

    #[test]
    fn every_workload_has_a_benchmark_and_every_source_exists() {
        let named = FAMILIES.iter().flat_map(|family| family.benchmarks).flat_map(|benchmark| benchmark.sources);
        let mut named: BTreeSet<&str> = named.copied().collect();
        // `devices` answers these.
        named.extend(["A1", "C5"]);
        let known: BTreeSet<&str> = SOURCES.iter().map(|source| source.id).collect();
        assert_eq!(named, known);
        assert!(SOURCES.iter().all(|source| ARTICLES.iter().any(|(letter, _)| source.id.starts_with(*letter))));
    }

    #[test]
    fn a_header_has_three_parts() {
        let source =
            "// Adds.\n// Twice.\n// Pattern: neighbours\n// touch.\n// Work: n.\nalias T = f32;\n// Pattern: no";
        let header = Header::of(source);
        assert_eq!(
            (header.what.as_str(), header.pattern.as_str(), header.work.as_str()),
            ("Adds. Twice.", "neighbours touch.", "n.")
        );
        assert_eq!(Header::of("fn main() {}"), Header::default());
    }
}
