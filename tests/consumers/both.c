/* Uses two libraries that are written in Rust. */
#define main refund
#include "refund.c"
#undef main

int other_words(void);

int main(int argc, char **argv)
{
    if (other_words() != 2) {
        return 4;
    }
    return refund(argc, argv) + (other_words() != 2);
}
