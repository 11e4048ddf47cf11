//! Queries of the CUDA driver that need no context.

use std::ffi::{CStr, c_int};

use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute, CUresult};

use super::status::explain;
use record::error::{Error, Result};

/// Initialises the driver. Returns the newest CUDA version that it supports, as 1000 × major + 10 × minor.
pub(super) fn start() -> Result<c_int, CUresult> {
    let mut version = 0;
    // SAFETY: `version` is a valid place; this call needs no initialisation.
    let status = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    if status != CUresult::CUDA_SUCCESS {
        return Err(status);
    }
    // SAFETY: the only precondition is that the flags are zero.
    match unsafe { sys::cuInit(0) } {
        CUresult::CUDA_SUCCESS => Ok(version),
        status => Err(status),
    }
}

/// Number of devices; 0 on an error of the driver.
pub(super) fn count() -> c_int {
    let mut count = 0;
    // SAFETY: `count` is a valid place.
    let status = unsafe { sys::cuDeviceGetCount(&raw mut count) };
    if status == CUresult::CUDA_SUCCESS { count } else { 0 }
}

pub(super) fn device(ordinal: c_int) -> Result<sys::CUdevice> {
    let mut device = 0;
    // SAFETY: `device` is a valid place; the driver refuses a number without a device.
    match unsafe { sys::cuDeviceGet(&raw mut device, ordinal) } {
        CUresult::CUDA_SUCCESS => Ok(device),
        status => Err(Error::NoDevice(explain(&format!("finding CUDA device {ordinal}"), status))),
    }
}

pub(super) fn name(device: sys::CUdevice) -> Option<String> {
    let mut text = [0; 256];
    // SAFETY: `text` has the length that is passed; the driver refuses an invalid device.
    let status = unsafe { sys::cuDeviceGetName(text.as_mut_ptr(), text.len() as c_int, device) };
    text[text.len() - 1] = 0;
    // SAFETY: the last element of `text` is a zero.
    let text = unsafe { CStr::from_ptr(text.as_ptr()) };
    (status == CUresult::CUDA_SUCCESS).then(|| text.to_string_lossy().trim().to_owned())
}

pub(super) fn memory_bytes(device: sys::CUdevice) -> Option<u64> {
    let mut bytes = 0;
    // SAFETY: `bytes` is a valid place; the driver refuses an invalid device.
    let status = unsafe { sys::cuDeviceTotalMem_v2(&raw mut bytes, device) };
    (status == CUresult::CUDA_SUCCESS).then_some(bytes as u64)
}

pub(super) fn uuid(device: sys::CUdevice) -> Option<[u8; 16]> {
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    // SAFETY: `uuid` is a valid place; the driver refuses an invalid device.
    let status = unsafe { sys::cuDeviceGetUuid_v2(&raw mut uuid, device) };
    (status == CUresult::CUDA_SUCCESS).then(|| bytemuck::cast(uuid.bytes))
}

/// A property of a device; `None` if the driver does not support it.
pub(super) fn attribute(device: sys::CUdevice, attribute: sys::CUdevice_attribute) -> Option<c_int> {
    let mut value = 0;
    // SAFETY: `value` is a valid place; the driver refuses an invalid device and an attribute that it does not support.
    let status = unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, device) };
    (status == CUresult::CUDA_SUCCESS).then_some(value)
}

/// Peak DRAM bandwidth in GB/s: two transfers per cycle, as with HBM and GDDR. `None` if the GPU shares host memory,
/// whose factor is unknown, or if the driver reports no clock or bus width.
pub(super) fn dram_gb_per_s(handle: sys::CUdevice) -> Option<f64> {
    let number = |of| attribute(handle, of).filter(|value| *value > 0).map(f64::from);
    if number(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED).is_some() {
        return None;
    }
    let khz = number(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?;
    let bits = number(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?;
    Some(2.0 * khz * bits / 8.0 / 1e6)
}

pub(super) fn is_installed() -> bool {
    // SAFETY: loading the driver's library runs its initialisers, which have no preconditions.
    unsafe { sys::is_culib_present() }
}
