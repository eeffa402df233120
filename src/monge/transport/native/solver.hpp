// One transport problem from cost or points to result: chooses the solver and owns its memory, one per thread.
#pragma once

#include <vector>

#include "entropic.hpp"
#include "exact.hpp"
#include "kernels.hpp"
#include "outcome.hpp"
#include "relaxed.hpp"

namespace monge {

enum class CostKind { euclidean, squared_euclidean, cosine, position };

struct Setting {
    double rho_a, rho_b;
    Regularisation regularisation;
};

struct Cloud {
    const float* points;  // (size, dimension)
    const double* weights;
    int size;
};

struct Solution {
    double cost = 0, mass = 0;
    Outcome outcome;
};

class Solver {
  public:
    // `coupling` (n, m), contiguous and zeroed, receives the plan; it may be null.
    Solution solve(const double* cost, int n, int m, const double* a, const double* b, const Setting& setting,
                   double* coupling);
    Solution solve(const Cloud& left, const Cloud& right, int dimension, CostKind kind, const Setting& setting,
                   double* coupling);
    void cost_matrix(const float* a, int n, const float* b, int m, int dimension, CostKind kind, double* out);

  private:
    Solution solve_loaded(int n, int m, const double* a, const double* b, const Setting& setting, double* coupling);
    Solution solve_nearest(const Cloud& left, const Cloud& right, int dimension, CostKind kind, const Setting& setting,
                           double* coupling);
    void form(const float* a, int n, const float* b, int m, int dimension, CostKind kind);
    void keep_binding(const double* a, int n, const double* b, int m, const Setting& setting);
    double quantise(const double* a, int n, const double* b, int m, std::int64_t* noise);

    std::vector<double> cost_, compact_, scratch_, a_, b_, zeros_, best_, best_align_;
    std::vector<int> rows_, columns_, best_at_;
    std::vector<std::int64_t> supply_, demand_;
    TransportSimplex exact_;
    RelaxedSimplex relaxed_;
    EntropicNewton entropic_;
};

}  // namespace monge
