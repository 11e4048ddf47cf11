//! Leaks values of user declarations: families and benchmarks are constants, so those made from a user's files must
//! live as long. Only these functions leak memory, and the files that one command line names bound it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A value that lives until the program ends.
pub fn kept<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Items that live until the program ends.
pub fn kept_items<T>(items: Vec<T>) -> &'static [T] {
    items.leak()
}

/// A text that lives until the program ends, stored once however often it is requested.
pub fn kept_name(text: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = known.get(text) {
        return name;
    }
    let name = kept_text(text.to_owned());
    known.insert(name);
    name
}

/// A text that lives until the program ends.
pub fn kept_text(text: String) -> &'static str {
    text.leak()
}
