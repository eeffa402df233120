// Inner loops that profit from wide registers, chosen once for the machine at hand.
#pragma once

#include <cstdint>

namespace monge {

// Rows of every matrix here are `stride` doubles apart; a stride is a multiple of kLanes so that loops need no tail.
constexpr int kLanes = 8;
inline int padded(int count) { return (count + kLanes - 1) / kLanes * kLanes; }

constexpr double kPadding = 1e300;       // cost of the cells that only fill a register
constexpr double kLargestCost = 1e150;  // of other cells

inline std::int64_t cost_scratch(int n, int m, int d) { return n + m + 4 * std::int64_t(padded(d)) + kLanes; }

// First address at or after p where a cache line begins.
inline double* aligned(double* p) {
    return reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(p) + 63) / 64 * 64);
}

enum class Cost { euclidean, squared_euclidean, cosine };

struct Kernels {
    const char* name;

    // out[i][j] = cost of a_i (n, d) and b_j (m, d); products and sums in double.
    // scratch has cost_scratch(n, m, d) doubles.
    void (*form_costs)(Cost cost, const float* a, int n, const float* b, int m, int d, double* out, int stride,
                       double* scratch);

    // Lower bounds of the same costs from single-precision products, at half the price: below the cost by about 1e-6
    // of the vectors' size. Pads the rows. Leaves squared norms in left (n) and in the first m of right (2 padded(m)).
    // False when single precision may overflow.
    bool (*bound_costs)(Cost cost, const float* a, int n, const float* b, int m, int d, double* out, int stride,
                        double* left, double* right);

    // The cost of one pair of vectors with these squared norms, as form_costs has it but for rounding.
    double (*pair_cost)(Cost cost, const float* a, const float* b, int d, double norm_a, double norm_b);

    // Least value of cost[i][j] - u[i] - v[j] over rows first..last-1 and all columns; *row is where it is.
    double (*price_rows)(const double* cost, int stride, int width, const double* u, const double* v, int first,
                         int last, int* row);

    // Least cost[j] - v[j] over j < width; *column is the first where it is.
    double (*row_minimum)(const double* cost, const double* v, int width, int* column);

    // Means of rows and columns (padded) of cost (n, m).
    void (*means)(const double* cost, int n, int m, int stride, double* rows, double* columns);

    // e[i][j] = exp(x[i] - k[i][j] - top[j]) with top[j] = max_i x[i] - k[i][j], and sum[j] = sum_i e[i][j].
    void (*exponentials)(const double* x, const double* k, int n, int stride, double* e, double* top, double* sum);

    // out[i] = sum_j e[i][j] z[j].
    void (*row_products)(const double* e, int n, int stride, const double* z, double* out);

    // out[j] = sum_i e[i][j] x[i].
    void (*column_products)(const double* e, int n, int stride, const double* x, double* out);

    // Lower triangle of out[i][k] = sum_j e[i][j] z[j] e[k][j]; scratch has the shape of e.
    void (*gram)(const double* e, int n, int stride, const double* z, double* scratch, double* out, int out_stride);

    // Solves (lower triangle of) matrix * x = x in place by Cholesky; false when the matrix is not positive definite.
    bool (*cholesky_solve)(double* matrix, int n, int stride, double* x);
};

const Kernels& kernels();

// From now on kernels() are those for any processor: so that tests reach them on a machine that has better ones.
void use_portable_kernels();

}  // namespace monge
