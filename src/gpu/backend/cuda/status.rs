//! The driver's status codes as errors.

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::CUresult;

use record::error::Error;

/// The failed operation and the driver's description of the status.
pub(super) fn explain(operation: &str, status: CUresult) -> String {
    let error = DriverError(status);
    let text = error.error_string().map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned());
    format!("{operation}: {text} ({status:?})")
}

pub(super) fn error(operation: &str, status: CUresult) -> Error {
    let text = explain(operation, status);
    match status {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => Error::OutOfMemory(text),
        // After these, every call in the context fails.
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_LAUNCH_FAILED
        | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
        | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUresult::CUDA_ERROR_INVALID_PC
        | CUresult::CUDA_ERROR_ASSERT
        | CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
        | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
        | CUresult::CUDA_ERROR_CONTAINED
        | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
        | CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE
        | CUresult::CUDA_ERROR_EXTERNAL_DEVICE
        | CUresult::CUDA_ERROR_TENSOR_MEMORY_LEAK
        | CUresult::CUDA_ERROR_DEINITIALIZED
        | CUresult::CUDA_ERROR_UNKNOWN => Error::Lost(text),
        _ => Error::Validation(text),
    }
}
