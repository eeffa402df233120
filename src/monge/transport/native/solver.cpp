#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "order.hpp"

namespace monge {

namespace {

double position(const Cloud& cloud, int i) {
    return cloud.positions == nullptr ? double(i + 1) / cloud.size : cloud.positions[i];
}

// Distances of WE_WPI (Echizen'ya et al. 2019, eqs. 7, 8 and 12) in place of cosine costs.
void position_costs(const Cloud& left, const Cloud& right, double* cost, int stride,
                    std::vector<double>& best_of_column) {
    const int n = left.size, m = right.size;
    auto apart = [&](int i, int j) { return std::fabs(position(left, i) - position(right, j)); };
    auto align = [&](int i, int j) { return (1.0 - cost[std::int64_t(i) * stride + j]) * (1.0 - apart(i, j)); };
    best_of_column.assign(m, -INFINITY);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) best_of_column[j] = std::max(best_of_column[j], align(i, j));
    for (int i = 0; i < n; ++i) {
        int best = 0;
        for (int j = 1; j < m; ++j)
            if (align(i, j) > align(i, best)) best = j;
        double* row = cost + std::int64_t(i) * stride;
        const bool corresponds = align(i, best) >= best_of_column[best];
        const double distance = 1.0 - (1.0 - row[best]) * std::exp(-apart(i, best));
        std::fill(row, row + m, 1.0);
        if (corresponds) row[best] = std::max(distance, 0.0);
    }
}

Cost plain(CostKind kind) {
    if (kind == CostKind::euclidean) return Cost::euclidean;
    return kind == CostKind::squared_euclidean ? Cost::squared_euclidean : Cost::cosine;
}

// The kept points, side by side: the cloud itself when all are kept.
const float* gather(const Cloud& cloud, const std::vector<int>& kept, int dimension, std::vector<float>& out) {
    if (int(kept.size()) == cloud.size) return cloud.points;
    out.resize(kept.size() * dimension);
    for (std::size_t i = 0; i < kept.size(); ++i)
        std::copy_n(cloud.points + std::int64_t(kept[i]) * dimension, dimension, out.data() + i * dimension);
    return out.data();
}

}  // namespace

// Lower bounds of costs in cost_, which lazy_ refines; false where that does not pay or cannot be done.
bool Solver::bound(const float* a, int n, const float* b, int m, int dimension, CostKind kind, double order) {
    if (kind == CostKind::position || dimension < 16) return false;
    const double largest = kind == CostKind::cosine ? 2.1 : kind == CostKind::euclidean ? 1e19 : 1e38;  // see bound_costs
    if (order != 1.0 && !(raise(largest, order) <= kLargestCost)) return false;
    cost_.resize(std::size_t(n) * padded(m));
    return lazy_.bound(plain(kind), order, a, n, b, m, dimension, cost_.data(), padded(m));
}

// Costs to the power `order` in cost_; false when one is too large.
bool Solver::form(const float* a, int n, const float* b, int m, int dimension, CostKind kind, double order) {
    const int stride = padded(m);
    cost_.assign(std::size_t(n) * stride, kPadding);
    scratch_.resize(cost_scratch(n, m, dimension));
    kernels().form_costs(plain(kind), a, n, b, m, dimension, cost_.data(), stride, scratch_.data());
    return raise_costs(n, m, order);
}

// The same for whole clouds, which alone have positions.
bool Solver::form(const Cloud& left, const Cloud& right, int dimension, CostKind kind, double order) {
    const bool positional = kind == CostKind::position;
    const double first = positional ? 1.0 : order;
    if (!form(left.points, left.size, right.points, right.size, dimension, kind, first)) return false;
    if (!positional) return true;
    position_costs(left, right, cost_.data(), padded(right.size), scratch_);
    return raise_costs(left.size, right.size, order);
}

bool Solver::raise_costs(int n, int m, double order) {
    if (order == 1.0) return true;  // points are single precision
    const int stride = padded(m);
    raise_all(cost_.data(), n, m, stride, order);
    for (int i = 0; i < n; ++i) {
        const double* row = cost_.data() + std::int64_t(i) * stride;
        if (!(*std::max_element(row, row + m) <= kLargestCost)) return false;
    }
    return true;
}

void Solver::cost_matrix(const Cloud& left, const Cloud& right, int dimension, CostKind kind, double* out) {
    const int n = left.size, m = right.size;
    form(left, right, dimension, kind, 1.0);
    for (int i = 0; i < n; ++i) std::copy_n(cost_.data() + std::int64_t(i) * padded(m), m, out + std::int64_t(i) * m);
}

Solution Solver::solve(const double* cost, int n, int m, const double* a, const double* b, const Setting& setting,
                       double* coupling) {
    const int stride = padded(m);
    cost_.assign(std::size_t(n) * stride, kPadding);
    for (int i = 0; i < n; ++i) std::copy_n(cost + std::int64_t(i) * m, m, cost_.data() + std::int64_t(i) * stride);
    return solve_loaded(n, m, a, b, setting, coupling);
}

Solution Solver::solve(const Cloud& left, const Cloud& right, int dimension, CostKind kind, const Setting& setting,
                       double* coupling) {
    Solution solution = solve_clouds(left, right, dimension, kind, setting, coupling);
    if (setting.order != 1.0) solution.cost = std::pow(solution.cost, 1.0 / setting.order);
    return solution;
}

Solution Solver::solve_clouds(const Cloud& left, const Cloud& right, int dimension, CostKind kind,
                              const Setting& setting, double* coupling) {
    const bool regular = setting.regularisation.epsilon > 0.0;
    const Solution too_large{NAN, 0.0, {0, false}};
    if (!regular && (setting.rho_a == 0.0) != (setting.rho_b == 0.0))
        return solve_nearest(left, right, dimension, kind, setting, coupling);
    if (kind == CostKind::position) {  // depends on all points, those without mass too
        if (!form(left, right, dimension, kind, setting.order)) return too_large;
        return solve_loaded(left.size, right.size, left.weights, right.weights, setting, coupling);
    }
    keep_binding(left.weights, left.size, right.weights, right.size, setting);
    const int rows = int(rows_.size()), columns = int(columns_.size());
    if (rows == 0 || columns == 0) return {};
    const float* a = gather(left, rows_, dimension, points_a_);
    const float* b = gather(right, columns_, dimension, points_b_);
    const bool balanced = !regular && std::isinf(setting.rho_a) && std::isinf(setting.rho_b);
    if (balanced && bound(a, rows, b, columns, dimension, kind, setting.order))
        return solve_kept(setting, &lazy_, coupling, right.size);
    if (!form(a, rows, b, columns, dimension, kind, setting.order)) return too_large;
    return solve_kept(setting, nullptr, coupling, right.size);
}

// A point without mass takes part only where its side is free.
void Solver::keep_binding(const double* a, int n, const double* b, int m, const Setting& setting) {
    const bool relative = setting.regularisation.epsilon > 0.0 && setting.regularisation.relative;
    rows_.clear();
    columns_.clear();
    a_.clear();
    b_.clear();
    for (int i = 0; i < n; ++i)
        if (a[i] > 0.0 || (setting.rho_a == 0.0 && !relative)) rows_.push_back(i), a_.push_back(a[i]);
    for (int j = 0; j < m; ++j)
        if (b[j] > 0.0 || (setting.rho_b == 0.0 && !relative)) columns_.push_back(j), b_.push_back(b[j]);
}

// Costs of all points are in cost_.
Solution Solver::solve_loaded(int n, int m, const double* a, const double* b, const Setting& setting,
                              double* coupling) {
    if (setting.regularisation.epsilon == 0.0 && (setting.rho_a == 0.0) != (setting.rho_b == 0.0))
        return solve_nearest(n, m, a, b, setting, coupling);
    keep_binding(a, n, b, m, setting);
    const int rows = int(rows_.size()), columns = int(columns_.size());
    if (rows < n || columns < m) {
        const int stride = padded(m), kept = padded(columns);
        compact_.assign(std::size_t(rows) * kept, kPadding);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                compact_[std::int64_t(i) * kept + j] = cost_[std::int64_t(rows_[i]) * stride + columns_[j]];
        cost_.swap(compact_);
    }
    return solve_kept(setting, nullptr, coupling, m);
}

// Costs of the points that take part are in cost_; `coupling` has `width` columns.
Solution Solver::solve_kept(const Setting& setting, LazyCosts* lazy, double* coupling, int width) {
    const bool regular = setting.regularisation.epsilon > 0.0;
    lowered_ = 0.0;
    if (rows_.empty() || columns_.empty() || (!regular && setting.rho_a == 0.0 && setting.rho_b == 0.0)) return {};
    if (!regular && std::isinf(setting.rho_a) && std::isinf(setting.rho_b))
        return solve_exactly(setting, lazy, coupling, width);
    return solve_softly(setting, coupling, width);
}

// Adds `mass` from row i to column j, of those that take part, to the result.
void Solver::pay(int i, int j, double mass, Solution* solution, double* coupling, int width) const {
    solution->cost += mass * (cost_[std::int64_t(i) * padded(int(columns_.size())) + j] + lowered_);
    solution->mass += mass;
    if (coupling != nullptr) coupling[std::int64_t(rows_[i]) * width + columns_[j]] = mass;
}

// Both marginals hold and nothing is regularised.
Solution Solver::solve_exactly(const Setting& setting, LazyCosts* lazy, double* coupling, int width) {
    const int rows = int(rows_.size()), columns = int(columns_.size()), stride = padded(columns);
    const Scale scale = normalise(setting);
    std::int64_t noise = 0;
    const double unit = quantise(&noise);
    Solution solution;
    Outcome& outcome = solution.outcome;
    outcome = exact_.solve(cost_.data(), rows, columns, stride, supply_.data(), demand_.data(), lazy);
    outcome.converged = outcome.converged && exact_.sharpen(noise, &outcome.iterations);
    const double limit = dearest(noise);
    exact_.each_flow([&](int i, int j, std::int64_t flow) {
        const bool rounding = flow <= kMassRounding && std::fabs(cost_[std::int64_t(i) * stride + j]) > limit;
        if (flow > noise && !rounding) pay(i, j, scale(unit * double(flow)), &solution, coupling, width);
    });
    return solution;
}

// A marginal gives way, or the plan is regularised.
Solution Solver::solve_softly(const Setting& setting, double* coupling, int width) {
    const int rows = int(rows_.size()), columns = int(columns_.size()), stride = padded(columns);
    if (std::isinf(setting.rho_a) && std::isinf(setting.rho_b)) {
        const double total = std::accumulate(a_.begin(), a_.end(), 0.0);
        const double other = std::accumulate(b_.begin(), b_.end(), 0.0);
        for (double& mass : b_) mass *= total / other;
    }
    Scale scale = normalise(setting);
    scale.factor *= lift(setting);
    const double ceiling = tame(setting);
    const bool mixed = !std::isinf(ceiling);
    const double* cost = mixed ? tamed_.data() : cost_.data();
    const Problem problem{cost,      rows,      columns, stride, a_.data(), b_.data(), setting.rho_a, setting.rho_b,
                          mixed};
    Solution solution;
    double moved = 0.0, lost = 0.0;
    auto receive = [&](int i, int j, double mass) {
        moved += mass;
        if (mixed && cost[std::int64_t(i) * stride + j] >= ceiling)
            lost += mass;
        else
            pay(i, j, scale(mass), &solution, coupling, width);
    };
    if (setting.regularisation.epsilon > 0.0) {
        solution.outcome = entropic_.solve(problem, setting.regularisation);
        entropic_.each_flow(receive);
    } else {
        solution.outcome = relaxed_.solve(problem, setting.regularisation.limit);
        relaxed_.each_flow(receive);
    }
    const bool sound = std::isfinite(solution.cost) && lost <= 1e-12 * moved + 1e-290;
    solution.outcome.converged = solution.outcome.converged && sound;
    return solution;
}

}  // namespace monge
