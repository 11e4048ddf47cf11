//! The progress of a run on a terminal: a bar over the epochs of its cases, the time left, and the current case.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::interrupt::Interrupt;
use super::output::{is_dumb, is_quiet, say, wrapped};
use gpu::engine::Expected;

/// Time between two updates: the time left falls during a long case too.
const TICK: Duration = Duration::from_millis(500);

/// Hidden if stderr is not a terminal.
pub(super) struct Bar {
    bar: ProgressBar,
    left: Vec<u64>,
    running: Option<usize>,
}

impl Bar {
    pub(super) fn new(interrupt: Interrupt) -> Self {
        let is_shown = !is_dumb() && !is_quiet() && std::io::stderr().is_terminal();
        let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target).with_message("compiling").with_prefix("1");
        if is_shown {
            interrupt.show_in_bar();
        }
        let stopping = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            if interrupt.is_requested() {
                let _ = out.write_str(", stopping after this case (Ctrl-C again to stop now)");
            }
        };
        // The case has its own line: beside the bar, 80 columns would cut most names.
        if let Ok(style) =
            ProgressStyle::with_template("{bar:24} {percent} %, {eta} left; pass {prefix}{stopping}\n{wide_msg}")
        {
            bar.set_style(style.with_key("stopping", stopping));
        }
        Self { bar, left: Vec::new(), running: None }
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// Sets the epochs that each case still needs.
    pub(super) fn plan(&mut self, cases: &[Expected]) {
        self.left = cases.iter().map(|case| case.epochs as u64).collect();
        self.bar.set_length(self.bar.position() + self.left.iter().sum::<u64>());
    }

    pub(super) fn pass(&self, number: usize) {
        self.bar.set_prefix(number.to_string());
    }

    /// Starts the case at `index`, once for each API.
    pub(super) fn start(&mut self, index: usize, case: &str) {
        self.running = Some(index);
        self.bar.enable_steady_tick(TICK);
        self.bar.set_message(case.to_owned());
    }

    /// Ends an epoch of the current case.
    pub(super) fn finish(&mut self) {
        let Some(left) = self.running.take().and_then(|index| self.left.get_mut(index)) else { return };
        if *left == 0 {
            // A smaller size ran in place of a planned case.
            self.bar.inc_length(1);
        }
        *left = left.saturating_sub(1);
        self.bar.inc(1);
    }

    /// Removes the case at `index`, which does not run.
    pub(super) fn leave_out(&mut self, index: usize) {
        self.running = None;
        if let Some(left) = self.left.get_mut(index) {
            self.bar.dec_length(std::mem::take(left));
        }
    }

    /// Prints a line above the bar.
    pub(super) fn say(&self, line: &str) {
        if self.bar.is_hidden() { say(line) } else { self.bar.println(wrapped(line)) }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
