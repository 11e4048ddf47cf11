// A Vulkan layer that ends or blocks the process, as faulty drivers do. CRASH says where and how: `pipeline:3:segv` at the
// third pipeline, `submit:10:hang` at the tenth submission, `query:1:exit` at the first query of a device's properties. If
// CRASH_ONCE names a file that exists, nothing happens; else the layer creates it before it acts. With CRASH_DRIVER it only acts
// where VK_DRIVER_FILES contains this text.
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*Function)(void);
typedef Function (*GetProc)(void *, const char *);

// The structures of the Vulkan loader's interface to layers.
typedef struct Link { struct Link *next; GetProc instance_proc; GetProc device_proc; } Link;
typedef struct ChainInfo { int type; const struct ChainInfo *next; int function; Link *link; } ChainInfo;
typedef struct Negotiation { int type; void *next; uint32_t version; GetProc instance; GetProc device; GetProc physical; } Negotiation;

static GetProc next_instance_proc, next_device_proc;
static void *last_instance;
// Found at once: later the loader returns the layer's own functions.
static void (*next_properties)(void *, void *);
static int (*next_pipelines)(void *, uint64_t, uint32_t, const void *, const void *, uint64_t *);
static int (*next_submit)(void *, uint32_t, const void *, uint64_t);

static void maybe(const char *place) {
    static int counts[2];
    const char *plan = getenv("CRASH"), *once = getenv("CRASH_ONCE"), *driver = getenv("CRASH_DRIVER");
    size_t length = strlen(place);
    if (!plan || strncmp(plan, place, length) || plan[length] != ':') return;
    if (driver && (!getenv("VK_DRIVER_FILES") || !strstr(getenv("VK_DRIVER_FILES"), driver))) return;
    char *how;
    long at = strtol(plan + length + 1, &how, 10);
    if (__atomic_add_fetch(&counts[place[0] == 's'], 1, __ATOMIC_SEQ_CST) < at) return;
    if (once && open(once, O_CREAT | O_EXCL, 0600) < 0) return;
    how += *how == ':';
    if (!strcmp(how, "segv")) { signal(SIGSEGV, SIG_DFL); raise(SIGSEGV); }
    if (!strcmp(how, "kill")) raise(SIGKILL);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "exit")) _exit(3);
    for (;;) pause();
}

static ChainInfo *chain(const void *create_info, int type) {
    const ChainInfo *info = ((const ChainInfo *)create_info)->next;
    while (info && !(info->type == type && info->function == 0)) info = info->next;
    return (ChainInfo *)info;
}

static int create_instance(const void *info, const void *allocator, void **instance) {
    ChainInfo *found = chain(info, 47);
    if (!found) return -3;
    next_instance_proc = found->link->instance_proc;
    found->link = found->link->next;
    int (*create)(const void *, const void *, void **) = (void *)next_instance_proc(NULL, "vkCreateInstance");
    int result = create(info, allocator, instance);
    if (result) return result;
    last_instance = *instance;
    next_properties = (void *)next_instance_proc(last_instance, "vkGetPhysicalDeviceProperties");
    return result;
}

static int create_device(void *physical, const void *info, const void *allocator, void **device) {
    ChainInfo *found = chain(info, 48);
    if (!found) return -3;
    next_device_proc = found->link->device_proc;
    GetProc instance_proc = found->link->instance_proc;
    found->link = found->link->next;
    int (*create)(void *, const void *, const void *, void **) = (void *)instance_proc(last_instance, "vkCreateDevice");
    int result = create(physical, info, allocator, device);
    if (result) return result;
    next_pipelines = (void *)next_device_proc(*device, "vkCreateComputePipelines");
    next_submit = (void *)next_device_proc(*device, "vkQueueSubmit");
    return result;
}

static int create_pipelines(void *device, uint64_t cache, uint32_t count, const void *infos, const void *allocator, uint64_t *pipelines) {
    maybe("pipeline");
    return next_pipelines(device, cache, count, infos, allocator, pipelines);
}

static int submit(void *queue, uint32_t count, const void *submits, uint64_t fence) {
    maybe("submit");
    return next_submit(queue, count, submits, fence);
}

static void properties(void *physical, void *out) {
    maybe("query");
    next_properties(physical, out);
}

static Function own(const char *name) {
    if (!strcmp(name, "vkCreateInstance")) return (Function)create_instance;
    if (!strcmp(name, "vkCreateDevice")) return (Function)create_device;
    if (!strcmp(name, "vkCreateComputePipelines")) return (Function)create_pipelines;
    if (!strcmp(name, "vkQueueSubmit")) return (Function)submit;
    if (!strcmp(name, "vkGetPhysicalDeviceProperties")) return (Function)properties;
    return NULL;
}

static Function device_proc(void *device, const char *name) {
    Function found = own(name);
    return found ? found : next_device_proc(device, name);
}

static Function instance_proc(void *instance, const char *name) {
    if (!strcmp(name, "vkGetInstanceProcAddr")) return (Function)instance_proc;
    if (!strcmp(name, "vkGetDeviceProcAddr")) return (Function)device_proc;
    Function found = own(name);
    return found ? found : next_instance_proc(instance, name);
}

int vkNegotiateLoaderLayerInterfaceVersion(Negotiation *negotiation) {
    negotiation->version = 2;
    negotiation->instance = instance_proc;
    negotiation->device = device_proc;
    negotiation->physical = NULL;
    return 0;
}
