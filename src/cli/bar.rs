//! The progress of a run on a terminal: a bar, the percentage, the time left and the case.

use std::io::{self, IsTerminal, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike};

use super::interrupt::Interrupt;
use super::output::{can_redraw, is_quiet, say, stderr_width, wrapped};
use super::time_left::{TimeLeft, about};
use crate::engine::Expected;

/// Time between two updates of the line: the time left falls during a long case too.
const TICK: Duration = Duration::from_millis(500);

/// The progress of a run. It is hidden where stderr is no terminal.
pub(super) struct Bar {
    bar: ProgressBar,
    state: Arc<Mutex<State>>,
}

struct State {
    left: TimeLeft,
    /// Start of the first case.
    started: Option<Instant>,
    pass: usize,
    /// Number of cases that this pass has measured, and of those that it measures.
    cases: (usize, usize),
    interrupt: Interrupt,
}

impl State {
    fn now(&self) -> Duration {
        self.started.map_or(Duration::ZERO, |started| started.elapsed())
    }

    /// `43 %, about 35 s left; pass 2, case 120 of 402`.
    fn line(&mut self) -> String {
        let now = self.now();
        let percent = self.left.percent(now);
        if self.interrupt.is_requested() {
            return format!("{percent} %, stopping after this case (Ctrl-C: at once)");
        }
        if self.left.is_over(now) {
            return format!("{percent} %, time limit reached: ending after this case");
        }
        let left = self.left.left(now).map_or_else(String::new, |left| format!(", {}", about(left)));
        let (done, count) = self.cases;
        let case = if count == 0 { String::new() } else { format!(", case {} of {count}", (done + 1).min(count)) };
        format!("{percent} %{left}; pass {}{case}", self.pass)
    }
}

impl Bar {
    /// A bar for a run with this time limit.
    pub(super) fn new(limit: Option<Duration>, interrupt: Interrupt) -> Self {
        let is_shown = can_redraw() && !is_quiet() && std::io::stderr().is_terminal();
        let bar =
            ProgressBar::with_draw_target(Some(100), if is_shown { target() } else { ProgressDrawTarget::hidden() });
        if is_shown {
            interrupt.show_in_bar();
        }
        let state = State { left: TimeLeft::new(limit), started: None, pass: 1, cases: (0, 0), interrupt };
        let state = Arc::new(Mutex::new(state));
        let shown = Arc::clone(&state);
        let line = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = out.write_str(&lock(&shown).line());
        };
        // The case has a line of its own: beside the bar, 80 columns cut most names.
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {line}\n{msg}") {
            bar.set_style(style.with_key("line", line));
        }
        let shown = Self { bar, state };
        // A line without text would not be counted, and stay.
        shown.set_message("compiling");
        shown
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// What each case needs from now on.
    pub(super) fn plan(&self, cases: &[Expected]) {
        let mut state = lock(&self.state);
        state.left.plan(cases);
        if state.pass == 1 {
            state.cases.1 = state.left.new_cases();
        }
    }

    /// A pass over `count` cases starts.
    pub(super) fn pass(&self, number: usize, count: usize) {
        let mut state = lock(&self.state);
        (state.pass, state.cases) = (number, (0, count));
    }

    /// The case at `index` starts.
    pub(super) fn start(&self, index: usize, case: &str) {
        let (percent, is_first) = {
            let mut state = lock(&self.state);
            let is_first = state.started.is_none();
            state.started.get_or_insert_with(Instant::now);
            let now = state.now();
            if state.left.start(index, now) && !state.left.is_expected(index) {
                // A small size that runs in place of another.
                state.cases.1 += 1;
            }
            (state.left.percent(now), is_first)
        };
        // The bar draws the state: it must not be locked.
        if is_first {
            self.bar.enable_steady_tick(TICK);
        }
        self.bar.set_position(percent);
        self.set_message(case);
    }

    /// The case ends.
    pub(super) fn finish(&self) {
        let mut state = lock(&self.state);
        let now = state.now();
        state.cases.0 += usize::from(state.left.finish(now));
    }

    /// The case at `index` does not run.
    pub(super) fn leave_out(&self, index: usize) {
        let mut state = lock(&self.state);
        state.left.leave_out(index);
        state.cases.1 = state.cases.1.saturating_sub(1);
    }

    /// Shows what runs, in one line with a `^C` that the terminal may write behind it.
    pub(super) fn set_message(&self, message: &str) {
        let room = stderr_width().saturating_sub("^C".len() + 1);
        self.bar.set_message(message.chars().take(room).collect::<String>());
    }

    /// Prints a line above the bar.
    pub(super) fn say(&self, line: &str) {
        if self.bar.is_hidden() { say(line) } else { self.bar.println(wrapped(line)) }
    }

    /// Removes the bar.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the bar is drawn.
fn target() -> ProgressDrawTarget {
    /// Updates in a second, at most.
    const HERTZ: u8 = 20;
    if cfg!(unix) {
        ProgressDrawTarget::term_like_with_hz(Box::new(Stderr::default()), HERTZ)
    } else {
        ProgressDrawTarget::stderr()
    }
}

/// stderr as a terminal that keeps the cursor behind the text. indicatif fills every line with spaces; a `^C` that the
/// terminal writes behind the last one is then a line of its own, which is not counted when the bar is drawn again.
#[derive(Debug, Default)]
struct Stderr(Mutex<String>);

impl Stderr {
    fn add(&self, text: &str) -> io::Result<()> {
        lock(&self.0).push_str(text);
        Ok(())
    }

    fn move_cursor(&self, count: usize, direction: char) -> io::Result<()> {
        if count == 0 { Ok(()) } else { self.add(&format!("\x1b[{count}{direction}")) }
    }
}

impl TermLike for Stderr {
    fn width(&self) -> u16 {
        u16::try_from(stderr_width()).unwrap_or(u16::MAX)
    }

    fn move_cursor_up(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'A')
    }

    fn move_cursor_down(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'B')
    }

    fn move_cursor_right(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'C')
    }

    fn move_cursor_left(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.add(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.add(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.add("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        let text = std::mem::take(&mut *lock(&self.0));
        // A terminal that is gone must not end the run.
        let _ = io::stderr().lock().write_all(text.trim_end_matches(' ').as_bytes());
        Ok(())
    }
}
