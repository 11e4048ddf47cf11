// Lists the cooperative matrices of every Vulkan device: shapes and types, with those that wgpu has no name for.
//   cc scripts/reference/matrices.c -o matrices -ldl && ./matrices
// The Vulkan headers are not needed: what is used of them is declared here (Vulkan 1.4, VK_KHR_cooperative_matrix).
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Handle;
typedef void (*Function)(void);
typedef struct {
  int32_t type;
  const void *next;
  const char *application;
  uint32_t application_version;
  const char *engine;
  uint32_t engine_version, api;
} Application;
typedef struct {
  int32_t type;
  const void *next;
  uint32_t flags;
  const Application *application;
  uint32_t layers;
  const char *const *layer_names;
  uint32_t extensions;
  const char *const *extension_names;
} InstanceInfo;
typedef struct {
  int32_t type;
  void *next;
  uint32_t m, n, k;
  int32_t a, b, c, result;
  uint32_t saturates;
  int32_t scope;
} Shape;

enum { INSTANCE_INFO = 1, APPLICATION = 0, SHAPE = 1000506001, SUBGROUP = 3 };

static const char *type(int32_t number) {
  static const char *const names[] = {"f16", "f32", "f64", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"};
  static char other[32];
  switch (number) {
  case 1000141000:
    return "bf16";
  case 1000491002:
    return "e4m3";
  case 1000491003:
    return "e5m2";
  }
  if (number >= 0 && number < 11)
    return names[number];
  snprintf(other, sizeof other, "type %d", number);
  return other;
}

int main(void) {
  void *library = dlopen("libvulkan.so.1", RTLD_NOW);
  if (!library)
    return fprintf(stderr, "no libvulkan.so.1\n"), 1;
  Function (*load)(Handle, const char *) = (Function(*)(Handle, const char *))dlsym(library, "vkGetInstanceProcAddr");
  int32_t (*create)(const InstanceInfo *, const void *, Handle *) =
      (int32_t(*)(const InstanceInfo *, const void *, Handle *))load(NULL, "vkCreateInstance");
  const Application application = {.type = APPLICATION, .api = 1u << 22 | 3u << 12};
  const InstanceInfo info = {.type = INSTANCE_INFO, .application = &application};
  Handle instance;
  if (!create || create(&info, NULL, &instance))
    return fprintf(stderr, "no instance\n"), 1;
  int32_t (*devices)(Handle, uint32_t *, Handle *) =
      (int32_t(*)(Handle, uint32_t *, Handle *))load(instance, "vkEnumeratePhysicalDevices");
  void (*properties)(Handle, void *) = (void (*)(Handle, void *))load(instance, "vkGetPhysicalDeviceProperties");
  int32_t (*shapes)(Handle, uint32_t *, Shape *) = (int32_t(*)(Handle, uint32_t *, Shape *))load(
      instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
  uint32_t count = 8;
  Handle all[8];
  devices(instance, &count, all);
  for (uint32_t i = 0; i < count; i++) {
    // The name follows five words; the structure has less than 4 KiB.
    static uint32_t words[1024];
    properties(all[i], words);
    printf("%s\n", (const char *)(words + 5));
    uint32_t length = 0;
    if (!shapes || shapes(all[i], &length, NULL) || length == 0) {
      printf("  no cooperative matrices\n");
      continue;
    }
    Shape *list = calloc(length, sizeof *list);
    for (uint32_t j = 0; j < length; j++)
      list[j].type = SHAPE;
    shapes(all[i], &length, list);
    for (uint32_t j = 0; j < length; j++) {
      const Shape *s = &list[j];
      printf("  %ux%ux%u", s->m, s->n, s->k);
      const int32_t types[] = {s->a, s->b, s->c, s->result};
      for (int t = 0; t < 4; t++)
        printf(" %s", type(types[t]));
      printf("%s%s\n", s->saturates ? " saturating" : "", s->scope == SUBGROUP ? "" : " of a workgroup");
    }
    free(list);
  }
  return 0;
}
