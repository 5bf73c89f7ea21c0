// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
//
// Functions of glibc that GCC's static libraries call and that glibc 2.28 does not have yet. Programs that are linked
// against 2.28 (cmake/portable.cmake) bring them along and show them to nobody else.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/// Since 2.32: libstdc++ leaves out atomic instructions where it is 1, which is never here.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

/// Since 2.36: for std::random_device, which nothing of ours uses.
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t value;
  if (getentropy(&value, sizeof value) != 0) abort();
  return value;
}

#ifdef DLFO_EH_SEGMENT_TYPE  // headers of 2.35 and later

struct Search {
  uintptr_t address;
  struct dl_find_object* found;
};

static int look(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  struct Search* search = data;
  const ElfW(Phdr)* frames = NULL;
  int is_it = 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && search->address - start < part->p_memsz) {
      is_it = 1;
      search->found->dlfo_map_start = (void*)start;
      search->found->dlfo_map_end = (void*)(start + part->p_memsz);
    } else if (part->p_type == DLFO_EH_SEGMENT_TYPE) {
      frames = part;
    }
  }
  if (!is_it || frames == NULL) return 0;
  search->found->dlfo_flags = 0;
  search->found->dlfo_link_map = NULL;
  search->found->dlfo_eh_frame = (void*)(object->dlpi_addr + frames->p_vaddr);
  return 1;
}

/// Since 2.35: the object that holds an address, which GCC's unwinder asks for at every throw.
__attribute__((visibility("hidden"))) int _dl_find_object(void* address, struct dl_find_object* found) {
  struct Search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}

#endif
