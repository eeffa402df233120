#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace monge {

namespace {

bool all_equal(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; });
}

// Whole masses that add up to 2^60 and are at least 1; what rounding leaves over goes to the largest.
void round_masses(const std::vector<double>& weights, std::vector<std::int64_t>& out) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    out.resize(weights.size());
    std::int64_t rest = std::int64_t(1) << 60;
    for (std::size_t i = 0; i < out.size(); ++i)
        rest -= out[i] = std::max<std::int64_t>(1, std::llround(std::ldexp(weights[i] / total, 60)));
    *std::max_element(out.begin(), out.end()) += rest;
}

// Distances of WE_WPI (Echizen'ya et al. 2019, eqs. 7, 8 and 12) in place of cosine costs.
void position_costs(double* cost, int n, int m, int stride, std::vector<double>& best_of_column) {
    auto apart = [&](int i, int j) { return std::fabs(double(i + 1) / n - double(j + 1) / m); };
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
bool Solver::bound(const float* a, int n, const float* b, int m, int dimension, CostKind kind) {
    if (kind == CostKind::position || dimension < 16) return false;
    cost_.resize(std::size_t(n) * padded(m));
    return lazy_.bound(plain(kind), a, n, b, m, dimension, cost_.data(), padded(m));
}

void Solver::form(const float* a, int n, const float* b, int m, int dimension, CostKind kind) {
    const int stride = padded(m);
    cost_.assign(std::size_t(n) * stride, kPadding);
    scratch_.resize(cost_scratch(n, m, dimension));
    kernels().form_costs(plain(kind), a, n, b, m, dimension, cost_.data(), stride, scratch_.data());
    if (kind == CostKind::position) position_costs(cost_.data(), n, m, stride, scratch_);
}

void Solver::cost_matrix(const float* a, int n, const float* b, int m, int dimension, CostKind kind, double* out) {
    form(a, n, b, m, dimension, kind);
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
    const bool regular = setting.regularisation.epsilon > 0.0;
    if (!regular && (setting.rho_a == 0.0) != (setting.rho_b == 0.0))
        return solve_nearest(left, right, dimension, kind, setting, coupling);
    if (kind == CostKind::position) {  // depends on all points, those without mass too
        form(left.points, left.size, right.points, right.size, dimension, kind);
        return solve_loaded(left.size, right.size, left.weights, right.weights, setting, coupling);
    }
    keep_binding(left.weights, left.size, right.weights, right.size, setting);
    const int rows = int(rows_.size()), columns = int(columns_.size());
    if (rows == 0 || columns == 0) return {};
    const float* a = gather(left, rows_, dimension, points_a_);
    const float* b = gather(right, columns_, dimension, points_b_);
    const bool balanced = !regular && std::isinf(setting.rho_a) && std::isinf(setting.rho_b);
    if (balanced && bound(a, rows, b, columns, dimension, kind)) return solve_kept(setting, &lazy_, coupling, right.size);
    form(a, rows, b, columns, dimension, kind);
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

// Fills supply_ and demand_; returns the mass of one unit. Flows of at most `noise` units come from rounding.
double Solver::quantise(std::int64_t* noise) {
    const int n = int(a_.size()), m = int(b_.size());
    const double total = std::accumulate(a_.begin(), a_.end(), 0.0);
    if (all_equal(a_) && all_equal(b_)) {
        const int common = std::gcd(n, m);
        supply_.assign(n, m / common);
        demand_.assign(m, n / common);
        *noise = 0;
        return total / (double(n) * (m / common));
    }
    round_masses(a_, supply_);
    round_masses(b_, demand_);
    *noise = n + m;
    return std::ldexp(total, -60);
}

// Costs of all points are in cost_.
Solution Solver::solve_loaded(int n, int m, const double* a, const double* b, const Setting& setting,
                              double* coupling) {
    if (setting.regularisation.epsilon == 0.0 && (setting.rho_a == 0.0) != (setting.rho_b == 0.0))
        return solve_nearest({nullptr, a, n}, {nullptr, b, m}, 0, CostKind::position, setting, coupling);
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
    const bool balanced = std::isinf(setting.rho_a) && std::isinf(setting.rho_b);
    const int rows = int(rows_.size()), columns = int(columns_.size()), stride = padded(columns);
    Solution solution;
    lowered_ = 0.0;
    if (rows == 0 || columns == 0 || (!regular && setting.rho_a == 0.0 && setting.rho_b == 0.0)) return solution;
    auto receive = [&](int i, int j, double mass) {
        solution.cost += mass * (cost_[std::int64_t(i) * stride + j] + lowered_);
        solution.mass += mass;
        if (coupling != nullptr) coupling[std::int64_t(rows_[i]) * width + columns_[j]] = mass;
    };
    if (balanced && !regular) {
        std::int64_t noise = 0;
        const double unit = quantise(&noise);
        solution.outcome = exact_.solve(cost_.data(), rows, columns, stride, supply_.data(), demand_.data(), lazy);
        exact_.each_flow([&](int i, int j, std::int64_t flow) {
            if (flow > noise) receive(i, j, unit * double(flow));
        });
        return solution;
    }
    if (balanced) {
        const double total = std::accumulate(a_.begin(), a_.end(), 0.0);
        const double other = std::accumulate(b_.begin(), b_.end(), 0.0);
        for (double& mass : b_) mass *= total / other;
    }
    const double shrink = lift(setting);
    auto receive_shrunk = [&](int i, int j, double mass) { receive(i, j, shrink * mass); };
    const Problem problem{cost_.data(), rows, columns, stride, a_.data(), b_.data(), setting.rho_a, setting.rho_b};
    if (regular) {
        solution.outcome = entropic_.solve(problem, setting.regularisation);
        entropic_.each_flow(receive_shrunk);
    } else {
        solution.outcome = relaxed_.solve(problem, setting.regularisation.limit);
        relaxed_.each_flow(receive_shrunk);
    }
    solution.outcome.converged = solution.outcome.converged && std::isfinite(solution.cost);
    return solution;
}

// When even the cheapest cell is dear beside the penalties, next to nothing moves and the plan is too small to be
// solved for. But C - t (rho_a + rho_b + epsilon) has the plan of C times e^t, whatever t: t is chosen so that the
// cheapest cell costs nothing. Returns e^-t; lowered_ is what every cost was lowered by.
double Solver::lift(const Setting& setting) {
    const double yielding = setting.rho_a + setting.rho_b + setting.regularisation.epsilon;
    const int columns = int(columns_.size()), stride = padded(columns);
    double least = INFINITY;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        least = std::min(least, *std::min_element(&cost_[i * stride], &cost_[i * stride] + columns));
    if (!(std::fabs(least) > yielding)) return 1.0;
    for (double& cost : cost_) cost -= least;
    lowered_ = least;
    return std::exp(-least / yielding);
}

}  // namespace monge
