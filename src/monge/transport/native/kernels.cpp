#include "kernels.hpp"

#include <cmath>
#include <cstring>

#if defined(__GNUC__) && defined(__x86_64__)
#define MONGE_AVX2 1
#include <immintrin.h>
#endif

namespace monge {

namespace portable {
#if defined(__GNUC__)
#define LANES 2
typedef double vec __attribute__((vector_size(16)));
typedef long long whole __attribute__((vector_size(16)));
static inline vec load(const float* p) { return vec{p[0], p[1]}; }
static inline double total(vec v) { return v[0] + v[1]; }
static inline double least(vec v) { return v[0] < v[1] ? v[0] : v[1]; }
static inline bool any(whole mask) { return (mask[0] | mask[1]) != 0; }
static inline vec power_of_two(vec shifted) { return (vec)(((whole)shifted + 1023) << 52); }
#else
#define LANES 1
typedef double vec;
static inline vec load(const float* p) { return *p; }
static inline double total(vec v) { return v; }
static inline double least(vec v) { return v; }
static inline bool any(bool mask) { return mask; }
static inline vec power_of_two(vec shifted) {
    long long bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    std::memcpy(&shifted, &bits, sizeof bits);
    return shifted;
}
#endif
#define NAME "portable"
#include "kernels.inc"
#undef LANES
#undef NAME
}  // namespace portable

#if defined(MONGE_AVX2)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace avx2 {
#define LANES 4
typedef double vec __attribute__((vector_size(32)));
typedef long long whole __attribute__((vector_size(32)));
static inline vec load(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline double total(vec v) {
    const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}
static inline double least(vec v) {
    const __m128d pair = _mm_min_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_min_sd(pair, _mm_unpackhi_pd(pair, pair)));
}
static inline bool any(whole mask) { return _mm256_movemask_epi8((__m256i)mask) != 0; }
static inline vec power_of_two(vec shifted) { return (vec)(((whole)shifted + 1023) << 52); }
#define NAME "avx2"
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

static const Kernels& choose() {
#if defined(MONGE_AVX2)
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
