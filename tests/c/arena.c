/* Loaded before a program: whatever libpaysvc allocates lies in memory of its own that is never used again, so that
 * what the library owned can be told from what its host owns, and all that it left behind can be found.
 *
 * The memory shows in /proc/PID/maps as memfd:paysvc-arena; its first word is the number of bytes in use, its second the
 * end of the library's variables: the kernel may join those that start as zero with the memory behind them, which is the
 * host's.
 */
#include "preloaded.h"

#include <string.h>
#include <sys/mman.h>

enum { SIZE_BITS = 33, BEFORE = 32 };

static char *arena;
static size_t *used;

__attribute__((constructor)) static void begin(void)
{
    int file = memfd_create("paysvc-arena", 0);
    if (file < 0 || ftruncate(file, (off_t)1 << SIZE_BITS) != 0) {
        _exit(99);
    }
    arena = mmap(NULL, (size_t)1 << SIZE_BITS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    close(file);
    if (arena == MAP_FAILED) {
        _exit(99);
    }
    used = (size_t *)arena;
    *used = 4096;
    find_library();
    used[1] = library_end;
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
