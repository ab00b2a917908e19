// A test in C++ ends at the first thing that is not so. Without exceptions, too.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <cstdlib>
#include <iostream>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            std::cerr << __FILE__ << ':' << __LINE__ << ": " << #what << '\n'; \
            std::abort(); \
        } \
    } while (0)

#endif // CHECK_HPP
