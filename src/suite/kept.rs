//! What the declarations of kernels that are not the suite's own refer to.
//!
//! Families and benchmarks are constants. Those made of a user's files must live as long: these functions, and no others,
//! never free memory. What they keep is bounded by the files that one command line names.

/// A value that lives until the program ends.
pub fn kept<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Items that live until the program ends.
pub fn kept_items<T>(items: Vec<T>) -> &'static [T] {
    items.leak()
}

/// A text that lives until the program ends.
pub fn kept_text(text: String) -> &'static str {
    text.leak()
}
