// Rust's random numbers on Windows. Wine has had this library since 9.0.
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(void *, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T size) { return SystemFunction036(data, size); }
