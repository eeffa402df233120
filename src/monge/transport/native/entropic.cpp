#include "entropic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "kernels.hpp"

namespace monge {

namespace {
constexpr int kDirect = 192;       // systems larger than this are solved by conjugate gradients
constexpr double kNothing = 1e-290;
constexpr double kLargestExponent = 5e8;  // rounding makes it uncertain by 1e-7, and the flow likewise
constexpr double kFar = 1e30;      // K of columns that only fill a register: exp(-kFar) is 0
}  // namespace

Outcome EntropicNewton::solve(const Problem& problem, const Regularisation& regularisation) {
    load(problem);
    const double epsilon = regularisation.epsilon;
    Outcome outcome;
    state_.x.assign(n_, 0.0);
    if (rho_x_ == 0.0) {
        set_epsilon(epsilon, regularisation.relative);
        evaluate(state_);
        outcome.iterations = 1;
        outcome.converged = is_precise();
        return outcome;
    }
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j < m_; ++j) {
            const double value = cost_[std::int64_t(i) * stride_ + j];
            low = std::min(low, value);
            high = std::max(high, value);
        }
    const std::int64_t limit = regularisation.limit > 0 ? regularisation.limit : 1000;
    double current = std::max(epsilon, (high - low) / 16.0);
    while (true) {
        set_epsilon(current, regularisation.relative);
        const bool last = current == epsilon;
        outcome.iterations += climb(last ? regularisation.tolerance : 1e-2, limit - outcome.iterations);
        if (last || outcome.iterations >= limit) break;
        const double lower = std::max(epsilon, current / 4.0);
        for (double& x : state_.x) x *= current / lower;
        current = lower;
    }
    outcome.converged = current == epsilon && state_.error <= regularisation.tolerance && is_precise();
    return outcome;
}

// A flow is as precise as the difference of potentials and cost in its exponent.
bool EntropicNewton::is_precise() const {
    const double total = std::accumulate(state_.q.begin(), state_.q.begin() + m_, 0.0);
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j < m_; ++j) {
            const std::int64_t at = std::int64_t(i) * stride_ + j;
            const double flow = state_.e[at] * state_.z[j];
            if (flow > 1e-12 * total && std::fabs(state_.x[i]) + std::fabs(k_[at]) > kLargestExponent) return false;
        }
    return true;
}

// The system to solve has one unknown per row, so the smaller side becomes the rows; a free side is eliminated last.
void EntropicNewton::load(const Problem& problem) {
    swapped_ = problem.rho_b == 0.0 ? problem.rho_a != 0.0 : problem.rho_a != 0.0 && problem.n > problem.m;
    n_ = swapped_ ? problem.m : problem.n;
    m_ = swapped_ ? problem.n : problem.m;
    rho_x_ = swapped_ ? problem.rho_b : problem.rho_a;
    rho_y_ = swapped_ ? problem.rho_a : problem.rho_b;
    stride_ = padded(m_);
    square_ = padded(n_);
    const double* a = swapped_ ? problem.b : problem.a;
    const double* b = swapped_ ? problem.a : problem.b;
    a_.assign(a, a + n_);
    b_.assign(b, b + m_);
    log_a_.resize(n_);
    log_b_.resize(m_);
    for (int i = 0; i < n_; ++i) log_a_[i] = std::log(a_[i]);
    for (int j = 0; j < m_; ++j) log_b_[j] = std::log(b_[j]);
    cost_.resize(std::size_t(n_) * stride_);
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j < m_; ++j)
            cost_[std::int64_t(i) * stride_ + j] =
                swapped_ ? problem.cost[std::int64_t(j) * problem.stride + i] : problem.cost[std::int64_t(i) * problem.stride + j];
    k_.assign(std::size_t(n_) * stride_, kFar);
    for (State* state : {&state_, &trial_}) {
        state->x.resize(n_);
        state->e.resize(std::size_t(n_) * stride_);
        state->top.resize(stride_);
        state->sum.resize(stride_);
        state->z.assign(stride_, 0.0);
        state->q.assign(stride_, 0.0);
        state->wanted.resize(n_);
        state->got.resize(n_);
    }
    step_.resize(n_);
    weight_.assign(stride_, 0.0);
}

void EntropicNewton::set_epsilon(double epsilon, bool relative) {
    epsilon_ = epsilon;
    kappa_ = std::isinf(rho_y_) ? 1.0 : rho_y_ / (rho_y_ + epsilon);
    const double inverse = 1.0 / epsilon;
    for (int i = 0; i < n_; ++i) {
        const double* cost = cost_.data() + std::int64_t(i) * stride_;
        double* k = k_.data() + std::int64_t(i) * stride_;
        for (int j = 0; j < m_; ++j) k[j] = cost[j] * inverse;
        if (relative)
            for (int j = 0; j < m_; ++j) k[j] -= log_a_[i] + log_b_[j];
    }
    evaluate(state_);
}

// Everything that depends on x: the plan e·z, its row sums `got`, the row sums `wanted`, the dual value and the error.
void EntropicNewton::evaluate(State& s) {
    const Kernels& kernel = kernels();
    kernel.exponentials(s.x.data(), k_.data(), n_, stride_, s.e.data(), s.top.data(), s.sum.data());
    double value = 0.0, total = 0.0, asked = 0.0, error = 0.0;
    for (int j = 0; j < m_; ++j) {
        const double log_sum = s.top[j] + std::log(s.sum[j]);
        const double y = rho_y_ == 0.0 ? 0.0 : kappa_ * (log_b_[j] - log_sum);
        s.q[j] = std::exp(y + log_sum);
        s.z[j] = s.q[j] / s.sum[j];
        total += s.q[j];
        value += std::isinf(rho_y_) ? b_[j] * y : -(rho_y_ / epsilon_ + 1.0) * s.q[j];
    }
    kernel.row_products(s.e.data(), n_, stride_, s.z.data(), s.got.data());
    for (int i = 0; i < n_ && rho_x_ > 0.0; ++i) {
        const double factor = std::isinf(rho_x_) ? 1.0 : std::exp(-epsilon_ * s.x[i] / rho_x_);
        s.wanted[i] = a_[i] * factor;
        value += std::isinf(rho_x_) ? a_[i] * s.x[i] : -(rho_x_ / epsilon_) * s.wanted[i];
        asked += s.wanted[i];
        error += std::fabs(s.wanted[i] - s.got[i]);
    }
    s.value = value;
    // A plan whose mass is below anything a double can share out is empty, and right. NaN stays NaN.
    s.error = error < kNothing ? 0.0 : error / std::max(total, asked);
}

// Newton steps until the row sums are met within `tolerance` of the total mass; returns how many were made.
std::int64_t EntropicNewton::climb(double tolerance, std::int64_t budget) {
    std::int64_t steps = 0;
    while (state_.error > tolerance && steps < budget) {
        ++steps;
        if (!newton_step()) break;
    }
    return steps;
}

double EntropicNewton::slope(const State& s) const {
    double sum = 0.0;
    for (int i = 0; i < n_; ++i) sum += (s.wanted[i] - s.got[i]) * step_[i];
    return sum;
}

// One step with line search; false when rounding stops all progress.
bool EntropicNewton::newton_step() {
    if (n_ <= kDirect) {
        // The ridge keeps rounding errors from shifting parts of the plan that exchange (almost) nothing.
        double ridge = 1e-14;
        while (!solve_directly(ridge))
            if ((ridge *= 100.0) > 1e10) return false;
    } else {
        solve_by_gradients();
    }
    const double initial = slope(state_);
    double low = 0.0, high = INFINITY, length = 1.0;
    for (int attempt = 0; attempt < 60; ++attempt) {
        for (int i = 0; i < n_; ++i) trial_.x[i] = state_.x[i] + length * step_[i];
        evaluate(trial_);
        // The function is concave along the step: a slope that is still up means higher, whatever rounding says.
        const double now = slope(trial_);
        const bool flat = std::fabs(trial_.value - state_.value) <= 1e-13 * std::fabs(state_.value);
        if (now >= 0.0 || trial_.value > state_.value || (flat && -now <= 0.5 * initial)) {
            std::swap(state_, trial_);
            return state_.error < trial_.error || state_.value > trial_.value;
        }
        high = length;
        const double secant = std::isfinite(now) ? length * initial / (initial - now) : 0.0;
        length = std::max(low + 0.1 * (high - low), std::min(secant, 0.5 * high));
    }
    return false;
}

// Diagonal of the Newton matrix without cancellation: what is left of a row sum after exchange with other rows.
bool EntropicNewton::solve_directly(double ridge) {
    const Kernels& kernel = kernels();
    matrix_.resize(std::size_t(n_) * square_);
    scratch_.resize(std::size_t(n_) * stride_);
    diagonal_.assign(n_, 0.0);
    for (int j = 0; j < m_; ++j) weight_[j] = kappa_ * state_.z[j] / state_.sum[j];
    kernel.gram(state_.e.data(), n_, stride_, weight_.data(), scratch_.data(), matrix_.data(), square_);
    for (int i = 0; i < n_; ++i) {
        double* row = matrix_.data() + std::int64_t(i) * square_;
        for (int k = 0; k < i; ++k) {
            diagonal_[i] += row[k];
            diagonal_[k] += row[k];
            row[k] = -row[k];
        }
    }
    double largest = 0.0;
    for (int i = 0; i < n_; ++i) {
        diagonal_[i] += (1.0 - kappa_) * state_.got[i];
        if (!std::isinf(rho_x_)) diagonal_[i] += epsilon_ * state_.wanted[i] / rho_x_;
        largest = std::max(largest, diagonal_[i]);
    }
    if (!(largest > 0.0)) largest = 1.0;
    for (int i = 0; i < n_; ++i)
        matrix_[std::int64_t(i) * square_ + i] =
            diagonal_[i] + ridge * std::max(state_.got[i], state_.wanted[i]);
    // With both marginals fixed a constant can be added to all x: hold the first.
    if (kappa_ == 1.0 && std::isinf(rho_x_)) matrix_[0] += largest;
    for (int i = 0; i < n_; ++i) step_[i] = state_.wanted[i] - state_.got[i];
    return kernel.cholesky_solve(matrix_.data(), n_, square_, step_.data());
}

// The same system by conjugate gradients with the diagonal as preconditioner, as exact as the present error deserves.
void EntropicNewton::solve_by_gradients() {
    const Kernels& kernel = kernels();
    diagonal_.resize(n_);
    residual_.resize(n_);
    direction_.assign(n_, 0.0);
    image_.resize(n_);
    column_.resize(stride_);
    for (int j = 0; j < m_; ++j) weight_[j] = kappa_ * state_.z[j] / state_.sum[j];
    for (int i = 0; i < n_; ++i) {
        diagonal_[i] = state_.got[i] + (std::isinf(rho_x_) ? 0.0 : epsilon_ * state_.wanted[i] / rho_x_);
        residual_[i] = state_.wanted[i] - state_.got[i];
        step_[i] = 0.0;
    }
    const double goal = std::min(0.1, std::sqrt(state_.error));
    double energy = 0.0, first = 0.0;
    for (int round = 0; round < 2 * n_ + 50; ++round) {
        double fresh = 0.0;
        for (int i = 0; i < n_; ++i) fresh += residual_[i] * residual_[i] / diagonal_[i];
        if (round == 0) first = fresh;
        if (!(fresh > goal * goal * first)) return;
        const double keep = round == 0 ? 0.0 : fresh / energy;
        energy = fresh;
        for (int i = 0; i < n_; ++i) direction_[i] = residual_[i] / diagonal_[i] + keep * direction_[i];
        kernel.column_products(state_.e.data(), n_, stride_, direction_.data(), column_.data());
        for (int j = 0; j < stride_; ++j) column_[j] *= weight_[j];
        kernel.row_products(state_.e.data(), n_, stride_, column_.data(), image_.data());
        double curvature = 0.0;
        for (int i = 0; i < n_; ++i) {
            image_[i] = diagonal_[i] * direction_[i] - image_[i];
            curvature += image_[i] * direction_[i];
        }
        if (!(curvature > 0.0)) return;
        const double length = energy / curvature;
        for (int i = 0; i < n_; ++i) {
            step_[i] += length * direction_[i];
            residual_[i] -= length * image_[i];
        }
    }
}

}  // namespace monge
