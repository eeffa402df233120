// One transport problem from cost or points to result: chooses the solver and owns its memory, one per thread.
#pragma once

#include <cmath>
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
    double order;  // costs of clouds are raised to this power before they are moved; given costs are taken as they are
    Regularisation regularisation;
};

struct Cloud {
    const float* points;  // (size, dimension)
    const double* weights;
    int size;
    const double* positions;  // where in its text each point is, from 0 to 1; null: point i of n is at (i + 1) / n
};

struct Solution {
    double cost = 0, mass = 0;  // cost is NaN when a cost to the power of the order is beyond kLargestCost
    Outcome outcome;
};

// What turns a flow of the problem that was solved into one of the problem that was given.
struct Scale {
    double factor = 1.0;
    int exponent = 0;

    double operator()(double mass) const {
        return exponent == 0 ? factor * mass : std::ldexp(factor * mass, exponent);
    }
};

class Solver {
  public:
    // `coupling` (n, m), contiguous and zeroed, receives the plan; it may be null.
    Solution solve(const double* cost, int n, int m, const double* a, const double* b, const Setting& setting,
                   double* coupling);
    Solution solve(const Cloud& left, const Cloud& right, int dimension, CostKind kind, const Setting& setting,
                   double* coupling);
    void cost_matrix(const Cloud& left, const Cloud& right, int dimension, CostKind kind, double* out);

  private:
    // solver.cpp
    Solution solve_clouds(const Cloud& left, const Cloud& right, int dimension, CostKind kind, const Setting& setting,
                          double* coupling);
    Solution solve_loaded(int n, int m, const double* a, const double* b, const Setting& setting, double* coupling);
    Solution solve_kept(const Setting& setting, LazyCosts* lazy, double* coupling, int width);
    Solution solve_exactly(const Setting& setting, LazyCosts* lazy, double* coupling, int width);
    Solution solve_softly(const Setting& setting, double* coupling, int width);
    bool bound(const float* a, int n, const float* b, int m, int dimension, CostKind kind, double order);
    bool form(const float* a, int n, const float* b, int m, int dimension, CostKind kind, double order);
    bool form(const Cloud& left, const Cloud& right, int dimension, CostKind kind, double order);
    bool raise_costs(int n, int m, double order);
    void keep_binding(const double* a, int n, const double* b, int m, const Setting& setting);
    void pay(int i, int j, double mass, Solution* solution, double* coupling, int width) const;

    // nearest.cpp
    Solution solve_nearest(int n, int m, const double* a, const double* b, const Setting& setting, double* coupling);
    Solution solve_nearest(const Cloud& left, const Cloud& right, int dimension, CostKind kind, const Setting& setting,
                           double* coupling);

    // extremes.cpp
    double quantise(std::int64_t* noise);
    double dearest(std::int64_t noise) const;
    Scale normalise(const Setting& setting);
    double lift(const Setting& setting);
    double tame(const Setting& setting);
    void level_rows();
    void level_columns();
    void level_both();

    std::vector<double> cost_, compact_, scratch_;  // cost_ is padded, stride padded(columns)
    std::vector<double> tamed_;                     // cost_ without what is too large to be solved with
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
