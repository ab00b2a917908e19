/* For libraries preloaded into a program: finds by the return address whether libpaysvc allocates. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

/* The library is linked to this, so that it is there before the program starts. */
extern int paysvc_abi(void);

static uintptr_t code_start, code_end, library_end;

static int find(struct dl_phdr_info *info, size_t size, void *inside)
{
    int i;
    uintptr_t last = 0;
    (void)size;
    for (i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD) {
            continue;
        }
        last = end > last ? end : last;
        if ((uintptr_t)inside >= start && (uintptr_t)inside < end) {
            code_start = start;
            code_end = end;
        }
    }
    library_end = last;
    return code_end != 0;
}

static void find_library(void)
{
    dl_iterate_phdr(find, dlsym(RTLD_DEFAULT, "paysvc_abi"));
    if (code_end == 0) {
        _exit(99);
    }
}

static int is_library(void *caller)
{
    return (uintptr_t)caller >= code_start && (uintptr_t)caller < code_end;
}

/* So that the linker keeps the library. */
int preloaded_abi(void)
{
    return paysvc_abi();
}
