//! Workers: processes of this program that open devices and measure, so that no driver can end the program that writes
//! the report.
//!
//! A worker reads orders on stdin and sends events on stdout, one JSON object a line ([`protocol`]). If it dies or is
//! silent for too long, the program starts another one ([`process`]). The program itself calls no driver.

mod link;
mod list;
mod process;
mod protocol;

pub(super) use link::{Link, WORD, serve};
pub(super) use list::{Listed, list, list_of};
pub(super) use process::{Death, Message, Messages, Start, Worker, silence};
pub(super) use protocol::{Done, Event, Order, Run, Sent, check_version};
