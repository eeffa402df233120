#include "kernels.hpp"

#include <cmath>
#include <cstring>

#if defined(__GNUC__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define MONGE_SHUFFLE 1
#endif
#endif

namespace monge {

#if defined(__GNUC__)

#define MONGE_VECTOR(lanes)                                                              \
    typedef double vec __attribute__((vector_size(8 * lanes)));                          \
    typedef long long whole __attribute__((vector_size(8 * lanes)));                     \
    static inline vec power_of_two(vec shifted) {                                        \
        whole bits = (whole)shifted;                                                     \
        return (vec)((bits + 1023) << 52);                                               \
    }

namespace portable {
#define LANES 2
#define NAME "portable"
MONGE_VECTOR(2)
#include "kernels.inc"
#undef LANES
#undef NAME
}  // namespace portable

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace avx2 {
#define LANES 4
#define NAME "avx2"
MONGE_VECTOR(4)
#include "kernels.inc"
#undef LANES
#undef NAME
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#else  // a compiler without vector types

namespace portable {
#define LANES 1
#define NAME "portable"
typedef double vec;
static inline vec power_of_two(vec shifted) {
    long long bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    std::memcpy(&shifted, &bits, sizeof bits);
    return shifted;
}
#include "kernels.inc"
#undef LANES
#undef NAME
}  // namespace portable

#endif

static const Kernels& choose() {
#if defined(__GNUC__) && defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::table;
#endif
    return portable::table;
}

const Kernels& kernels() {
    static const Kernels& chosen = choose();
    return chosen;
}

}  // namespace monge
