/* Loaded before a program: whatever libpaysvc allocates lies in memory of its own that is never used again, so that
 * what the library owned can be told from what its host owns, and all that it left behind can be found.
 *
 * Who allocates is told by the return address. The memory shows in /proc/PID/maps as memfd:paysvc-arena; its first word
 * is the number of bytes in use, its second the end of the library's variables: the kernel may join those that start as
 * zero with the memory behind them, which is the host's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE_BITS = 33, BEFORE = 32 };

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static uintptr_t code_start, code_end;
static char *arena;
static size_t *used;

/* The library is linked to this file, so that it is there before the program starts. */
extern int paysvc_abi(void);

static int find(struct dl_phdr_info *info, size_t size, void *inside)
{
    int i, is_library = 0;
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
            is_library = 1;
        }
    }
    if (is_library) {
        used[1] = last;
    }
    return is_library;
}

__attribute__((constructor)) static void begin(void)
{
    int file = memfd_create("paysvc-arena", 0);
    void *there = dlsym(RTLD_DEFAULT, "paysvc_abi");
    if (file < 0 || there == NULL || ftruncate(file, (off_t)1 << SIZE_BITS) != 0) {
        _exit(99);
    }
    arena = mmap(NULL, (size_t)1 << SIZE_BITS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    close(file);
    if (arena == MAP_FAILED) {
        _exit(99);
    }
    used = (size_t *)arena;
    *used = 4096;
    dl_iterate_phdr(find, there);
}

static int is_library(void *caller)
{
    return (uintptr_t)caller >= code_start && (uintptr_t)caller < code_end;
}

static int is_ours(void *block)
{
    return arena != NULL && (char *)block >= arena && (char *)block < arena + ((size_t)1 << SIZE_BITS);
}

/* The size stands before the block. */
static void *take(size_t alignment, size_t size)
{
    size_t whole = size + alignment + BEFORE;
    char *start = arena + __atomic_fetch_add(used, whole, __ATOMIC_SEQ_CST) + BEFORE;
    if (start + whole > arena + ((size_t)1 << SIZE_BITS)) {
        _exit(98);
    }
    start += (alignment - (uintptr_t)start % alignment) % alignment;
    ((size_t *)start)[-1] = size;
    return start;
}

void *malloc(size_t size)
{
    return is_library(__builtin_return_address(0)) ? take(16, size) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    /* Never used before, so it is zero. */
    return is_library(__builtin_return_address(0)) ? take(16, count * size) : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    void *moved;
    size_t old;
    if (!is_library(__builtin_return_address(0)) && !is_ours(block)) {
        return __libc_realloc(block, size);
    }
    moved = take(16, size);
    if (block != NULL) {
        old = ((size_t *)block)[-1];
        memcpy(moved, block, old < size ? old : size);
    }
    return moved;
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = is_library(__builtin_return_address(0)) ? take(alignment, size) : __libc_memalign(alignment, size);
    return *block == NULL ? ENOMEM : 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return is_library(__builtin_return_address(0)) ? take(alignment, size) : __libc_memalign(alignment, size);
}

void free(void *block)
{
    if (!is_ours(block)) {
        __libc_free(block);
    }
}

/* So that the linker keeps the library. */
int arena_abi(void)
{
    return paysvc_abi();
}
