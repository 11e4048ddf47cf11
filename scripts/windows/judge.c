// Compiles HLSL files with Microsoft's FXC or DXC, as wgpu calls them, and prints one line per file:
// `ok|rejected|slow NAME MILLISECONDS` (of CPU time), then the compiler's message.
// judge.exe D3DCOMPILER.DLL|DXCOMPILER.DLL PROFILE SECONDS LISTFILE
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METHOD(result, name, ...) result(__stdcall *name)(void *, ##__VA_ARGS__)
typedef struct {
    struct {
        METHOD(HRESULT, query, const GUID *, void **);
        METHOD(ULONG, add_ref);
        METHOD(ULONG, release);
        METHOD(void *, pointer);
        METHOD(SIZE_T, size);
    } *calls;
} Blob;
typedef struct {
    struct {
        METHOD(HRESULT, query, const GUID *, void **);
        METHOD(ULONG, add_ref);
        METHOD(ULONG, release);
        METHOD(HRESULT, status, HRESULT *);
        METHOD(HRESULT, result, Blob **);
        METHOD(HRESULT, errors, Blob **);
    } *calls;
} DxcResult;
typedef struct {
    const void *text;
    SIZE_T size;
    UINT encoding;
} DxcBuffer;
typedef struct {
    struct {
        METHOD(HRESULT, query, const GUID *, void **);
        METHOD(ULONG, add_ref);
        METHOD(ULONG, release);
        METHOD(HRESULT, compile, const DxcBuffer *, const WCHAR **, UINT, void *, const GUID *, void **);
    } *calls;
} DxcCompiler;
typedef HRESULT(__stdcall *Fxc)(const void *, SIZE_T, const char *, void *, void *, const char *, const char *, UINT,
                                UINT, Blob **, Blob **);
typedef HRESULT(__stdcall *CreateDxc)(const GUID *, const GUID *, void **);

static const GUID COMPILER_CLASS = {0x73e22d93, 0xe6ce, 0x47f3, {0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0}};
static const GUID COMPILER = {0x228b4687, 0x5a6a, 0x4730, {0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54}};
static const GUID RESULT = {0x58346cda, 0xdde7, 0x4497, {0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59}};
enum { STRICTNESS = 1 << 11, UTF8 = 65001, LARGEST = 1 << 22 };

static Fxc fxc;
static DxcCompiler *dxc;
static const char *profile;
static char current[1024];
static volatile LONG deadline; // In milliseconds of CPU time; 0: nothing compiles.

// Milliseconds of CPU time of this process: what else runs on the machine does not count.
static LONG used(void) {
    FILETIME created, ended, kernel, user;
    GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user);
    ULONGLONG ticks = ((ULONGLONG)kernel.dwHighDateTime << 32) + kernel.dwLowDateTime +
                      ((ULONGLONG)user.dwHighDateTime << 32) + user.dwLowDateTime;
    return (LONG)(ticks / 10000);
}

static __attribute__((noreturn)) DWORD WINAPI watch(void *unused) {
    (void)unused;
    for (;;) {
        Sleep(200);
        LONG now = deadline; // The other thread may set it to 0 at any time.
        if (now && used() > now) {
            printf("slow %s 0\n", current);
            fflush(stdout);
            TerminateProcess(GetCurrentProcess(), 3);
        }
    }
}

static HRESULT compile(const char *text, size_t size, Blob **code, Blob **error) {
    if (fxc) return fxc(text, size, NULL, NULL, NULL, "main", profile, STRICTNESS, 0, code, error);
    WCHAR wide[16];
    MultiByteToWideChar(CP_UTF8, 0, profile, -1, wide, 16);
    const WCHAR *arguments[] = {L"-E", L"main", L"-T", wide, L"-HV", L"2018", L"-no-warnings", L"-Ges",
                                L"-enable-16bit-types"};
    // wgpu passes the last one where the device has 16-bit floats, which need 6.2.
    UINT count = strcmp(profile, "cs_6_2") < 0 ? 8 : 9;
    DxcBuffer buffer = {text, size, UTF8};
    DxcResult *result = NULL;
    HRESULT status = dxc->calls->compile(dxc, &buffer, arguments, count, NULL, &RESULT, (void **)&result);
    if (FAILED(status)) return status;
    result->calls->status(result, &status);
    result->calls->errors(result, error);
    result->calls->result(result, code);
    result->calls->release(result);
    return status;
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    HMODULE library = LoadLibraryA(arguments[1]);
    if (!library) {
        printf("cannot load %s: error %lu\n", arguments[1], GetLastError());
        return 2;
    }
    fxc = (Fxc)(void *)GetProcAddress(library, "D3DCompile");
    CreateDxc create = (CreateDxc)(void *)GetProcAddress(library, "DxcCreateInstance");
    if (!fxc && (!create || FAILED(create(&COMPILER_CLASS, &COMPILER, (void **)&dxc)))) return 2;
    profile = arguments[2];
    LONG limit = 1000 * atoi(arguments[3]);
    FILE *list = fopen(arguments[4], "r");
    char *text = malloc(LARGEST);
    if (!list || !text) return 2;
    CreateThread(NULL, 0, watch, NULL, 0, NULL);
    while (fgets(current, sizeof current, list)) {
        current[strcspn(current, "\r\n")] = 0;
        FILE *file = fopen(current, "rb");
        if (!file) return 2;
        size_t size = fread(text, 1, LARGEST, file);
        fclose(file);
        Blob *code = NULL, *error = NULL;
        LONG start = used();
        deadline = start + limit;
        HRESULT status = compile(text, size, &code, &error);
        deadline = 0;
        BOOL good = SUCCEEDED(status) && code && code->calls->size(code) > 0;
        printf("%s %s %ld\n", good ? "ok" : "rejected", current, used() - start);
        if (!good) printf("  %#lx %.*s\n", status, error ? (int)error->calls->size(error) : 0,
                          error ? (char *)error->calls->pointer(error) : "");
        fflush(stdout);
        if (code) code->calls->release(code);
        if (error) error->calls->release(error);
    }
    return 0;
}
