// Masses and costs of any size, made such that the solvers' doubles suffice for them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver.hpp"

namespace monge {

namespace {

constexpr double kNothingMoves = 1500.0;  // a cost of so many times what yields moves e^-1500: nothing

bool all_equal(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; });
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// Whole masses that add up to 2^60 and are at least 1; what rounding leaves over goes to the largest.
void round_masses(const std::vector<double>& weights, std::vector<std::int64_t>& out) {
    const double total = sum(weights);
    out.resize(weights.size());
    std::int64_t rest = std::int64_t(1) << 60;
    for (std::size_t i = 0; i < out.size(); ++i)
        rest -= out[i] = std::max<std::int64_t>(1, std::llround(std::ldexp(weights[i] / total, 60)));
    *std::max_element(out.begin(), out.end()) += rest;
}

// Binary exponent of the total, 0 where masses need no scaling.
int exponent_of(const std::vector<double>& masses) {
    const double total = sum(masses);
    return total > 0.0 && (total < 1e-100 || total > 1e100) ? std::ilogb(total) : 0;
}

void scale_by(std::vector<double>& masses, int exponent) {
    for (double& mass : masses) mass = std::ldexp(mass, exponent);
}

}  // namespace

// Fills supply_ and demand_; returns the mass of one unit. Flows of at most `noise` units come from rounding.
double Solver::quantise(std::int64_t* noise) {
    const int n = int(a_.size()), m = int(b_.size());
    if (all_equal(a_) && all_equal(b_)) {
        const int common = std::gcd(n, m);
        supply_.assign(n, m / common);
        demand_.assign(m, n / common);
        *noise = 0;
        return sum(a_) / (double(n) * (m / common));
    }
    round_masses(a_, supply_);
    round_masses(b_, demand_);
    *noise = n + m;
    return std::ldexp(sum(a_), -60);
}

// Masses are known to 2^-50 of their total: the rounding of sums that should agree must not be paid for at the price of
// a cell that nobody would use. Returns the cost from which that is so: 1e9 times what other cells of the plan cost.
double Solver::dearest(std::int64_t noise) const {
    double largest = 0.0;
    if (noise == 0) return INFINITY;
    exact_.each_flow([&](int i, int j, std::int64_t flow) {
        const double cost = std::fabs(cost_[std::int64_t(i) * padded(int(columns_.size())) + j]);
        if (flow > kMassRounding) largest = std::max(largest, cost);
    });
    return largest > 0.0 ? 1e9 * largest : INFINITY;
}

// Scales totals far from 1 to between 1 and 2. With a = s a' and b = t b' the optimal plan is k P', where
// (rho_a + rho_b + epsilon) log k = rho_a log s + rho_b log t (and + epsilon log st when relative).
Scale Solver::normalise(const Setting& setting) {
    const Regularisation& regular = setting.regularisation;
    const double relative = regular.relative ? regular.epsilon : 0.0;
    int rows = setting.rho_a + relative > 0.0 ? exponent_of(a_) : 0;
    int columns = setting.rho_b + relative > 0.0 ? exponent_of(b_) : 0;
    if (std::isinf(setting.rho_a) && std::isinf(setting.rho_b)) columns = rows;
    if (rows == 0 && columns == 0) return {};
    scale_by(a_, -rows);
    scale_by(b_, -columns);
    if (std::isinf(setting.rho_a)) return {1.0, rows};
    if (std::isinf(setting.rho_b)) return {1.0, columns};
    const double exponent = ((setting.rho_a + relative) * rows + (setting.rho_b + relative) * columns) /
                            (setting.rho_a + setting.rho_b + regular.epsilon);
    const double whole = std::nearbyint(exponent);
    return {std::exp2(exponent - whole), int(whole)};
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

// Costs so large beside what yields that the digits of the others would be lost: tamed_ gets the costs less what
// changes no plan that keeps its marginals, cut off where a cell carries nothing a double can hold. That is so because
// a flow x in a cell obeys (rho_a + rho_b + epsilon) log x <= rho_a log a + rho_b log b - c. Returns where costs were
// cut off, infinity when they serve as they are.
double Solver::tame(const Setting& setting) {
    const bool hold_rows = std::isinf(setting.rho_a), hold_columns = std::isinf(setting.rho_b);
    const double epsilon = setting.regularisation.epsilon;
    const double yielding = (hold_rows ? 0.0 : setting.rho_a) + (hold_columns ? 0.0 : setting.rho_b) + epsilon;
    const int columns = int(columns_.size()), stride = padded(columns);
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const auto [least, most] = std::minmax_element(&cost_[i * stride], &cost_[i * stride] + columns);
        low = std::min(low, *least);
        high = std::max(high, *most);
    }
    if (std::max(std::fabs(low), std::fabs(high)) <= (epsilon > 0.0 ? 1e7 * epsilon : 1e4 * yielding)) return INFINITY;
    tamed_ = cost_;
    double ceiling = kNothingMoves * yielding;
    if (hold_rows && hold_columns) {
        level_both();
        ceiling = 1e5 * epsilon;
    } else if (hold_rows) {
        level_rows();
    } else if (hold_columns) {
        level_columns();
    } else {
        ceiling += std::max(low, 0.0);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i)
        for (int j = 0; j < columns; ++j) tamed_[i * stride + j] = std::min(tamed_[i * stride + j], ceiling);
    return ceiling;
}

void Solver::level_rows() {
    const int columns = int(columns_.size()), stride = padded(columns);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        double* row = &tamed_[i * stride];
        const double least = *std::min_element(row, row + columns);
        for (int j = 0; j < columns; ++j) row[j] -= least;
    }
}

void Solver::level_columns() {
    const int columns = int(columns_.size()), stride = padded(columns);
    for (int j = 0; j < columns; ++j) {
        double least = INFINITY;
        for (std::size_t i = 0; i < rows_.size(); ++i) least = std::min(least, tamed_[i * stride + j]);
        for (std::size_t i = 0; i < rows_.size(); ++i) tamed_[i * stride + j] -= least;
    }
}

// Takes the potentials of the exact plan from the costs, so that its cells cost next to nothing.
void Solver::level_both() {
    const int rows = int(rows_.size()), columns = int(columns_.size()), stride = padded(columns);
    std::int64_t noise = 0, pivots = 0;
    quantise(&noise);
    exact_.solve(cost_.data(), rows, columns, stride, supply_.data(), demand_.data(), nullptr);
    exact_.sharpen(noise, &pivots);
    exact_.reduce(tamed_.data(), stride);
}

}  // namespace monge
