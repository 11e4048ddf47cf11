//! What the five source articles on CUDA memory show, workload by workload, and what the headers of the kernels say.

/// A workload of an article.
pub struct Source {
    /// Its number: the article's letter and a count, as [`super::Benchmark::sources`] names it.
    pub id: &'static str,
    /// What it does there.
    pub meaning: &'static str,
}

/// The articles by the letters that their workloads' numbers start with.
pub const ARTICLES: &[(char, &str)] = &[
    ('A', "reduction by shared memory"),
    ('B', "memory spaces"),
    ('C', "sum of cubes with synchronisation"),
    ('D', "coalescing and transpose"),
    ('E', "banks of shared memory"),
];

const fn source(id: &'static str, meaning: &'static str) -> Source {
    Source { id, meaning }
}

/// Every workload, in the articles' order.
pub const SOURCES: &[Source] = &[
    source("A1", "what the device tells of itself: memory, multiprocessors, limits of a block"),
    source("A2", "a shared array of fixed size against one whose size the host chooses at launch"),
    source("A3", "a block's sum by interleaved steps, in place in global memory"),
    source("A4", "the same steps on a copy in shared memory"),
    source("A5", "a sum from end to end: copy in, kernel, copy out, a serial sum of the block sums on the host"),
    source("B1", "bandwidth and dependent-load latency of each memory space"),
    source("B2", "static and dynamic shared arrays, and that none can be initialised where it is declared"),
    source("B3", "three arrays of different types carved by hand out of one block of shared memory"),
    source("B4", "rows of a matrix padded to the device's pitch against packed rows of an odd width"),
    source("B5", "the same in three dimensions, with a slice pitch"),
    source("B6", "copies of rows between linear memory and an array or texture"),
    source("B7", "copies between host and device, from pageable and from pinned memory"),
    source("B8", "a table in constant memory, filled by the program or by the host, against one in global memory"),
    source("B9", "a picture turned through a texture with linear filtering and wrapping"),
    source("B10", "setting device memory, which nobody initialises, by the API's call or by a kernel"),
    source("C1", "32 blocks of 256 threads, thread 0 of each adding its block's sums serially"),
    source("C2", "the same with a parallel tree in place of thread 0"),
    source("C3", "the ladder that leads there: one thread, one block in chunks, one block interleaved, many blocks"),
    source("C4", "a clock read inside the kernel: latest end minus earliest start"),
    source("C5", "the device's properties in full"),
    source("D1", "the degree of coalescing: bytes asked for over bytes in the sectors moved"),
    source("D2", "sums of arrays at an offset of 0 to 31 elements"),
    source("D3", "one element added to all: read from global memory, or from constant memory"),
    source("D4", "strided reads, 1 to 32 elements apart"),
    source("D5", "the naive transpose that coalesces its writes against the one that coalesces its reads"),
    source("D6", "the transpose through a shared tile, unpadded and padded by a column"),
    source("D7", "elements of 64 bits, and sizes that are no multiple of the tile"),
    source("D8", "the read-only path through the caches behind uncoalesced reads"),
    source("E1", "shared memory read at strides of 1 to 64 words, and the number of banks"),
    source("E2", "one word for all lanes, or one for each group of them"),
    source("E3", "bytes and halves, neighbours in one word or each in its own"),
    source("E4", "a dynamic block of shared memory carved into arrays"),
    source("E5", "the matrix product: naive, in shared tiles, in registers"),
    source("E6", "several threads of a warp writing one shared word, of which one value stands"),
];

/// The workload of this number.
#[must_use]
pub fn find(id: &str) -> Option<&'static Source> {
    SOURCES.iter().find(|source| source.id == id)
}

/// What stands at the top of a kernel's file, in its own words.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// What it does.
    pub what: String,
    /// The access pattern that it shows; empty where the file names none.
    pub pattern: String,
    /// Bytes and operations as a function of the size; empty likewise.
    pub work: String,
}

impl Header {
    /// Reads the comment that `source`, WGSL or CUDA C++, starts with.
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
    fn every_workload_is_answered_and_every_answer_is_one_of_them() {
        let named = FAMILIES.iter().flat_map(|family| family.benchmarks).flat_map(|benchmark| benchmark.sources);
        let mut named: BTreeSet<&str> = named.copied().collect();
        // `devices` shows these.
        named.extend(["A1", "C5"]);
        let known: BTreeSet<&str> = SOURCES.iter().map(|source| source.id).collect();
        assert_eq!(named, known);
        assert!(SOURCES.iter().all(|source| ARTICLES.iter().any(|(letter, _)| source.id.starts_with(*letter))));
    }

    #[test]
    fn a_header_is_read_in_its_three_parts() {
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
