// Problems with one free side: every point of the other side goes to its cheapest partner.
#include <algorithm>
#include <cmath>

#include "solver.hpp"

namespace monge {

// Clouds without points mean that cost_ already holds the costs. Otherwise these are formed a panel at a time and
// looked at once, so memory stays small for long texts.
Solution Solver::solve_nearest(const Cloud& left, const Cloud& right, int dimension, CostKind kind,
                               const Setting& setting, double* coupling) {
    const Kernels& kernel = kernels();
    const int n = left.size, m = right.size;
    const bool by_row = setting.rho_b == 0.0;
    const double rho = by_row ? setting.rho_a : setting.rho_b;
    Solution solution;
    auto send = [&](int i, int j, double cost, double weight) {
        const double mass = std::isinf(rho) ? weight : (weight > 0.0 ? weight * std::exp(-cost / rho) : 0.0);
        solution.cost += cost * mass;
        solution.mass += mass;
        if (coupling != nullptr) coupling[std::int64_t(i) * m + j] = mass;
    };
    zeros_.assign(padded(std::max(n, m)), 0.0);
    if (kind == CostKind::position) {
        if (left.points != nullptr) form(left.points, n, right.points, m, dimension, kind);
        const int stride = padded(m);
        for (int i = 0, j = 0; by_row && i < n; ++i) {
            const double cost = kernel.row_minimum(cost_.data() + std::int64_t(i) * stride, zeros_.data(), stride, &j);
            send(i, j, cost, left.weights[i]);
        }
        for (int j = 0; !by_row && j < m; ++j) {
            int best = 0;
            for (int i = 1; i < n; ++i)
                if (cost_[std::int64_t(i) * stride + j] < cost_[std::int64_t(best) * stride + j]) best = i;
            send(best, j, cost_[std::int64_t(best) * stride + j], right.weights[j]);
        }
        return solution;
    }
    // These costs are symmetric: the side that is served provides the rows.
    const Cloud& served = by_row ? left : right;
    const Cloud& partners = by_row ? right : left;
    const int panel = 64, stride = padded(partners.size);
    for (int start = 0; start < served.size; start += panel) {
        const int rows = std::min(panel, served.size - start);
        const float* points = served.points + std::int64_t(start) * dimension;
        const bool lazy = bound(points, rows, partners.points, partners.size, dimension, kind);
        if (!lazy) form(points, rows, partners.points, partners.size, dimension, kind);
        for (int i = 0; i < rows; ++i) {
            int j = 0;
            double cost;
            do cost = kernel.row_minimum(cost_.data() + std::int64_t(i) * stride, zeros_.data(), stride, &j);
            while (lazy && lazy_.refine(i, j));
            send(by_row ? start + i : j, by_row ? j : start + i, cost, served.weights[start + i]);
        }
    }
    return solution;
}

}  // namespace monge
