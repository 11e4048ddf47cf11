//! The suite in a browser tab.
