// Problems with one free side: every point of the other side goes to its cheapest partner.
#include <algorithm>
#include <cmath>

#include "solver.hpp"

namespace monge {

// Costs are formed a panel of rows at a time and looked at once, so memory stays small for long texts.
Solution Solver::solve_nearest(const Cloud& left, const Cloud& right, int dimension, CostKind kind,
                               const Setting& setting, double* coupling) {
    const Kernels& kernel = kernels();
    const int n = left.size, m = right.size;
    const bool by_row = setting.rho_b == 0.0;
    const double rho = by_row ? setting.rho_a : setting.rho_b;
    const int panel = left.points == nullptr || kind == CostKind::position ? n : 64;
    const int stride = padded(m);
    Solution solution;
    auto send = [&](int i, int j, double cost, double weight) {
        const double mass = std::isinf(rho) ? weight : (weight > 0.0 ? weight * std::exp(-cost / rho) : 0.0);
        solution.cost += cost * mass;
        solution.mass += mass;
        if (coupling != nullptr) coupling[std::int64_t(i) * m + j] = mass;
    };
    zeros_.assign(stride, 0.0);
    best_.assign(m, INFINITY);
    best_at_.assign(m, 0);
    for (int start = 0; start < n; start += panel) {
        const int rows = std::min(panel, n - start);
        if (left.points != nullptr)
            form(left.points + std::int64_t(start) * dimension, rows, right.points, m, dimension, kind);
        for (int i = 0; i < rows; ++i) {
            const double* cost = cost_.data() + std::int64_t(i) * stride;
            if (by_row) {
                int j = 0;
                const double least = kernel.row_minimum(cost, zeros_.data(), stride, &j);
                send(start + i, j, least, left.weights[start + i]);
            } else {
                for (int j = 0; j < m; ++j)
                    if (cost[j] < best_[j]) {
                        best_[j] = cost[j];
                        best_at_[j] = start + i;
                    }
            }
        }
    }
    for (int j = 0; j < m && !by_row; ++j) send(best_at_[j], j, best_[j], right.weights[j]);
    return solution;
}

}  // namespace monge
