#include "kernels.hpp"

#include <atomic>
#include <cmath>
#include <cstring>

#if defined(__GNUC__) && defined(__x86_64__)
#define MONGE_AVX2 1
#include <immintrin.h>
#endif

namespace monge {

static inline int lowest_bit(std::uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int at = 0;
    while (!(bits >> at & 1)) ++at;
    return at;
#endif
}

namespace portable {
#if defined(__GNUC__)
#define LANES 2
typedef double vec __attribute__((vector_size(16)));
typedef long long whole __attribute__((vector_size(16)));
typedef float fvec __attribute__((vector_size(16)));
static inline vec load(const float* p) { return vec{p[0], p[1]}; }
static inline fvec load_single(const float* p) { return fvec{p[0], p[1], p[2], p[3]}; }
static inline double total_single(fvec v) { return double(v[0] + v[1]) + double(v[2] + v[3]); }
static inline void three_totals(fvec a, fvec b, fvec c, double* out) {
    out[0] = total_single(a), out[1] = total_single(b), out[2] = total_single(c);
}
static inline vec root(vec v) { return vec{std::sqrt(v[0]), std::sqrt(v[1])}; }
static inline double total(vec v) { return v[0] + v[1]; }
static inline double least(vec v) { return v[0] < v[1] ? v[0] : v[1]; }
static inline int true_lanes(whole mask) { return int(mask[0] & 1) | int(mask[1] & 2); }
static inline vec power_of_two(vec shifted) { return (vec)(((whole)shifted + 1023) << 52); }
#else
#define LANES 1
typedef double vec;
struct fvec {
    float x, y;
};
static inline fvec operator*(fvec a, fvec b) { return {a.x * b.x, a.y * b.y}; }
static inline fvec& operator+=(fvec& a, fvec b) { return a.x += b.x, a.y += b.y, a; }
static inline vec load(const float* p) { return *p; }
static inline fvec load_single(const float* p) { return {p[0], p[1]}; }
static inline double total_single(fvec v) { return double(v.x) + double(v.y); }
static inline void three_totals(fvec a, fvec b, fvec c, double* out) {
    out[0] = total_single(a), out[1] = total_single(b), out[2] = total_single(c);
}
static inline vec root(vec v) { return std::sqrt(v); }
static inline double total(vec v) { return v; }
static inline double least(vec v) { return v; }
static inline int true_lanes(bool mask) { return mask; }
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
typedef float fvec __attribute__((vector_size(32)));
static inline vec load(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline fvec load_single(const float* p) { return _mm256_loadu_ps(p); }
static inline double total_single(fvec v) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
static inline void three_totals(fvec a, fvec b, fvec c, double* out) {
    const __m256 halves = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, c));
    const __m128 three = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1));
    _mm_storeu_pd(out, _mm_cvtps_pd(three));
    _mm_store_sd(out + 2, _mm_cvtps_pd(_mm_movehl_ps(three, three)));
}
static inline vec root(vec v) { return _mm256_sqrt_pd(v); }
static inline double total(vec v) {
    const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}
static inline double least(vec v) {
    const __m128d pair = _mm_min_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_min_sd(pair, _mm_unpackhi_pd(pair, pair)));
}
static inline int true_lanes(whole mask) { return _mm256_movemask_pd((vec)mask); }
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

static const Kernels* choose() {
#if defined(MONGE_AVX2)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2::table;
#endif
    return &portable::table;
}

static std::atomic<const Kernels*>& chosen() {
    static std::atomic<const Kernels*> table{choose()};
    return table;
}

const Kernels& kernels() { return *chosen().load(std::memory_order_relaxed); }

void use_portable_kernels() { chosen() = &portable::table; }

}  // namespace monge
