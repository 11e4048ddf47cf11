//! A card of a run: its devices, its current worker, and how its run ended.

use std::time::Duration;

use super::running::Running;
use crate::backend::Device;
use crate::cli::worker::{Order, Worker};
use crate::engine::LeftOut;
use crate::error::Error;
use crate::suite::DeviceType;

/// A card, as listed by the first worker, and the state of its current worker.
pub(super) struct Card {
    /// Its indices in the list of devices, one for each API.
    pub(super) indices: Vec<usize>,
    /// The same devices.
    pub(super) listed: Vec<Device>,
    pub(super) state: State,
    pub(super) worker: Option<Worker>,
    /// Number of workers so far.
    pub(super) workers: usize,
    /// Since when the worker is silent: time in system sleep does not count.
    pub(super) silent: Duration,
    /// How long it has gone on after the run's time limit, likewise.
    pub(super) late: Duration,
    pub(super) compiles_ahead: bool,
    /// Workers that died since the last row.
    pub(super) starts_without_a_row: usize,
    /// Whether a worker has died that had measured.
    pub(super) has_restarted: bool,
    pub(super) is_stopped: bool,
    pub(super) running: Option<Running>,
    pub(super) end: Option<End>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Listing,
    Opening,
    Running,
}

/// How a card ended.
#[derive(Debug)]
pub(super) enum End {
    /// As the worker said, or with the error that no device is left.
    Done { left_out: LeftOut, is_interrupted: bool, measuring: Duration },
    /// The card cannot be used, or its rows cannot be kept.
    Error(Error),
}

impl Card {
    pub(super) fn new(indices: Vec<usize>, devices: &[Device]) -> Self {
        let listed: Vec<Device> = indices.iter().map(|index| devices[*index].clone()).collect();
        // Without other threads a death is always the fault of the case in progress.
        let compiles_ahead = listed.iter().any(|device| device.kind != DeviceType::Software);
        Self {
            indices,
            listed,
            state: State::Listing,
            worker: None,
            workers: 0,
            silent: Duration::ZERO,
            late: Duration::ZERO,
            compiles_ahead,
            starts_without_a_row: 0,
            has_restarted: false,
            is_stopped: false,
            running: None,
            end: None,
        }
    }

    /// The card among devices that another worker listed; `None` if one of its devices is gone.
    pub(super) fn found(&self, devices: &[Device]) -> Option<Vec<usize>> {
        let is_it = |a: &Device, b: &Device| {
            (a.api, &a.name, &a.pci_address, &a.uuid) == (b.api, &b.name, &b.pci_address, &b.uuid)
        };
        let at = |index: &usize, listed: &Device| {
            let is_same_place = devices.get(*index).is_some_and(|device| is_it(device, listed));
            if is_same_place { Some(*index) } else { devices.iter().position(|device| is_it(device, listed)) }
        };
        self.indices.iter().zip(&self.listed).map(|(index, listed)| at(index, listed)).collect()
    }

    pub(super) fn order(&mut self, order: &Order) {
        if let Some(worker) = &mut self.worker {
            worker.order(order);
        }
    }

    pub(super) fn end(&mut self, end: End) {
        self.worker = None;
        self.end.get_or_insert(end);
    }
}
