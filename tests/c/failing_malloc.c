/* Loaded before a program: the n-th allocation of more than 1,000 bytes that libpaysvc makes fails; either this one alone,
 * or the memory is full from then on: an allocation of that size succeeds only where as much was freed.
 */
#include "preloaded.h"

#include <malloc.h>

enum { LEAST = 1000 };

static long counted, failing, in_use, most;
static int fills;

__attribute__((constructor)) static void begin(void)
{
    find_library();
}

/* Counts from here; n is 0 for no failure. */
void malloc_fails(long n, int full)
{
    __atomic_store_n(&counted, 0, __ATOMIC_SEQ_CST);
    fills = full;
    __atomic_store_n(&failing, n, __ATOMIC_SEQ_CST);
}

/* Returns the number of allocations; no more fail. */
long malloc_counted(void)
{
    long count = __atomic_load_n(&counted, __ATOMIC_SEQ_CST);
    __atomic_store_n(&failing, 0, __ATOMIC_SEQ_CST);
    return count;
}

static int fails(void *caller, size_t size)
{
    long n, at;
    if (size <= LEAST || !is_library(caller)) {
        return 0;
    }
    n = __atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST);
    at = __atomic_load_n(&failing, __ATOMIC_SEQ_CST);
    if (n == at) {
        most = __atomic_load_n(&in_use, __ATOMIC_SEQ_CST);
    } else if (at == 0 || n < at || !fills || __atomic_load_n(&in_use, __ATOMIC_SEQ_CST) + (long)size <= most) {
        return 0;
    }
    errno = ENOMEM;
    return 1;
}

/* All blocks are counted, no matter who has them, so that freed ones are subtracted as well. */
static void *taken(void *block)
{
    if (block != NULL) {
        __atomic_add_fetch(&in_use, (long)malloc_usable_size(block), __ATOMIC_SEQ_CST);
    }
    return block;
}

static void given(void *block)
{
    if (block != NULL) {
        __atomic_sub_fetch(&in_use, (long)malloc_usable_size(block), __ATOMIC_SEQ_CST);
    }
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0), size) ? NULL : taken(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0), count * size) ? NULL : taken(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    void *moved;
    if (fails(__builtin_return_address(0), size)) {
        return NULL;
    }
    given(block);
    moved = __libc_realloc(block, size);
    return taken(moved != NULL || size == 0 ? moved : block) == block && moved == NULL ? NULL : moved;
}

void free(void *block)
{
    given(block);
    __libc_free(block);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *made = fails(__builtin_return_address(0), size) ? NULL : taken(__libc_memalign(alignment, size));
    if (made == NULL) {
        return ENOMEM;
    }
    *block = made;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0), size) ? NULL : taken(__libc_memalign(alignment, size));
}
