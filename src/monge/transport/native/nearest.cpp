// Problems with one free side: every point of the other side goes to its cheapest partner.
#include <algorithm>
#include <cmath>

#include "order.hpp"
#include "solver.hpp"

namespace monge {

namespace {

constexpr int kPanel = 64;  // rows of costs that are formed at once

// Adds up the plan (n, width) as points find their partners.
struct Sender {
    const Setting& setting;
    int width;
    double* coupling;
    Solution solution{};

    bool by_row() const { return setting.rho_b == 0.0; }

    // Partners are found on plain costs, which are in the same order as their powers.
    void send(int i, int j, double distance, double weight) {
        const double cost = raise(distance, setting.order), rho = by_row() ? setting.rho_a : setting.rho_b;
        const double mass = std::isinf(rho) ? weight : (weight > 0.0 ? weight * std::exp(-cost / rho) : 0.0);
        solution.cost += cost <= kLargestCost ? cost * mass : NAN;
        solution.mass += mass;
        if (coupling != nullptr) coupling[std::int64_t(i) * width + j] = mass;
    }

    Solution finish() {
        solution.outcome.converged = std::isfinite(solution.cost);
        return solution;
    }
};

}  // namespace

// Costs (n, m) are in cost_.
Solution Solver::solve_nearest(int n, int m, const double* a, const double* b, const Setting& setting,
                               double* coupling) {
    const int stride = padded(m);
    Sender sender{setting, m, coupling};
    zeros_.assign(stride, 0.0);
    for (int i = 0, j = 0; sender.by_row() && i < n; ++i) {
        const double cost = kernels().row_minimum(cost_.data() + std::int64_t(i) * stride, zeros_.data(), stride, &j);
        sender.send(i, j, cost, a[i]);
    }
    for (int j = 0; !sender.by_row() && j < m; ++j) {
        int best = 0;
        for (int i = 1; i < n; ++i)
            if (cost_[std::int64_t(i) * stride + j] < cost_[std::int64_t(best) * stride + j]) best = i;
        sender.send(best, j, cost_[std::int64_t(best) * stride + j], b[j]);
    }
    return sender.finish();
}

// Costs are formed one panel after another and looked at once, so memory stays small for long texts.
Solution Solver::solve_nearest(const Cloud& left, const Cloud& right, int dimension, CostKind kind,
                               const Setting& setting, double* coupling) {
    if (kind == CostKind::position) {  // depends on all points
        form(left, right, dimension, kind, 1.0);
        return solve_nearest(left.size, right.size, left.weights, right.weights, setting, coupling);
    }
    Sender sender{setting, right.size, coupling};
    // These costs are symmetric: the side that is served provides the rows.
    const Cloud& served = sender.by_row() ? left : right;
    const Cloud& partners = sender.by_row() ? right : left;
    const int stride = padded(partners.size);
    zeros_.assign(stride, 0.0);
    for (int start = 0; start < served.size; start += kPanel) {
        const int rows = std::min(kPanel, served.size - start);
        const float* points = served.points + std::int64_t(start) * dimension;
        const bool lazy = bound(points, rows, partners.points, partners.size, dimension, kind, 1.0);
        if (!lazy) form(points, rows, partners.points, partners.size, dimension, kind, 1.0);
        for (int i = 0, j = 0; i < rows; ++i) {
            double cost;
            do cost = kernels().row_minimum(cost_.data() + std::int64_t(i) * stride, zeros_.data(), stride, &j);
            while (lazy && lazy_.refine(i, j));
            sender.send(sender.by_row() ? start + i : j, sender.by_row() ? j : start + i, cost, served.weights[start + i]);
        }
    }
    return sender.finish();
}

}  // namespace monge
