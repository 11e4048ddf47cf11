use std::fmt;

/// A vendor's library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Library {
    /// Linear algebra.
    CuBlas,
    /// Matrix products of more types than cuBLAS supports.
    CuBlasLt,
    /// Fourier transforms.
    CuFft,
    /// Sparse matrices.
    CuSparse,
    /// Sums, scans, sorts and histograms.
    Cub,
    /// Neural networks.
    CuDnn,
}

impl Library {
    /// Its name, as its vendor writes it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::CuBlas => "cuBLAS",
            Self::CuBlasLt => "cuBLASLt",
            Self::CuFft => "cuFFT",
            Self::CuSparse => "cuSPARSE",
            Self::Cub => "CUB",
            Self::CuDnn => "cuDNN",
        }
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// An operation of a library. Matrices are stored row by row; the first buffers are read, the last ones written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routine {
    /// C = A·B with sums in f32: buffers A of m×k elements, B of k×n, and C of m×n f32.
    Multiply {
        /// Rows of A and C.
        m: u64,
        /// Columns of B and C.
        n: u64,
        /// Columns of A, rows of B.
        k: u64,
        /// Precision of factors and sums.
        precision: Precision,
    },
    /// [`Self::Multiply`] with B by columns, factors of 8 or 16 bits (32-bit sums for integers), sides multiples of 16.
    MultiplyByColumns {
        /// Rows of A and C.
        m: u64,
        /// Columns of B and C.
        n: u64,
        /// Columns of A, rows of B.
        k: u64,
    },
    /// y = W·x with sums in f32: buffers W of rows×columns elements, x, and y of f32.
    MultiplyVector {
        /// Rows of W, elements of y.
        rows: u64,
        /// Columns of W, elements of x.
        columns: u64,
    },
    /// The transpose of a matrix.
    Transpose {
        /// Rows of the input.
        rows: u64,
        /// Columns of the input.
        columns: u64,
    },
    /// Fourier transforms of complex f32, from one buffer to another.
    Transform {
        /// Transforms.
        count: u64,
        /// Points of each.
        points: u64,
    },
    /// y = A·x with A in CSR, square: buffers of row starts, of columns, of values, x and y.
    MultiplySparse {
        /// Rows of A.
        rows: u64,
        /// Elements that are stored.
        nonzeros: u64,
    },
    /// The sum of n elements: buffers of the elements and of the sum.
    Sum {
        /// Elements.
        n: u64,
    },
    /// Inclusive prefix sums of n elements, from one buffer to another.
    Scan {
        /// Elements.
        n: u64,
    },
    /// n keys of u32 in ascending order, stable, from one buffer to another; values follow the keys in both.
    Sort {
        /// Keys.
        n: u64,
        /// Whether each has a value.
        has_values: bool,
    },
    /// How often each of 256 values occurs among n bytes: buffers of the bytes and of the counts.
    CountBytes {
        /// Bytes.
        n: u64,
    },
    /// softmax(q kᵀ / √width) v for each head: buffers q, k, v and the output, all f16, heads × length × width.
    Attention {
        /// Heads.
        heads: u64,
        /// Queries of a head, and keys.
        length: u64,
        /// Elements of a query.
        width: u64,
        /// Whether a query attends to no key after its own position.
        is_causal: bool,
    },
}

/// How a product rounds its factors and sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Factors as they are, sums in f32.
    Own,
    /// f32 factors to tf32, which has 11 significant bits, for tensor cores; sums in f32.
    Tf32,
    /// f16 factors as they are, sums and results in f16.
    Half,
}
