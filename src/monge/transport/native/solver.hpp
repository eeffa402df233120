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
    Solution solve_kept(const Setting& setting, LazyCosts* lazy, double* coupling, int width);
    Solution solve_nearest(const Cloud& left, const Cloud& right, int dimension, CostKind kind, const Setting& setting,
                           double* coupling);
    bool bound(const float* a, int n, const float* b, int m, int dimension, CostKind kind);
    void form(const float* a, int n, const float* b, int m, int dimension, CostKind kind);
    void keep_binding(const double* a, int n, const double* b, int m, const Setting& setting);
    double quantise(std::int64_t* noise);
    double lift(const Setting& setting);

    std::vector<double> cost_, compact_, scratch_;  // cost_ is padded, stride padded(columns)
    double lowered_ = 0.0;                          // what lift took from every cost
    std::vector<double> a_, b_, zeros_;             // masses of the points that take part: rows_ and columns_
    std::vector<int> rows_, columns_;
    std::vector<float> points_a_, points_b_;
    std::vector<std::int64_t> supply_, demand_;
    LazyCosts lazy_;
    TransportSimplex exact_;
    RelaxedSimplex relaxed_;
    EntropicNewton entropic_;
};

}  // namespace monge
