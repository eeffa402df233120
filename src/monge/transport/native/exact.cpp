#include "exact.hpp"

#include <algorithm>
#include <cmath>

namespace monge {

namespace {
constexpr double kNever = 1e300;  // price of a column that is used up
}

Outcome TransportSimplex::solve(const double* cost, int n, int m, int stride, const std::int64_t* supply,
                                const std::int64_t* demand) {
    cost_ = cost;
    n_ = n;
    m_ = m;
    stride_ = stride;
    width_ = padded(m);
    block_ = std::max(1, std::min(n, 256 / width_));
    cursor_ = 0;
    clock_ = 0;
    tree_.reset(n + m);
    flow_.assign(n + m, 0);
    stamp_.assign(n + m, 0);
    potential_.assign(n + width_, 0.0);
    start_greedily(supply, demand);
    join_components();
    refresh_potentials();

    Outcome outcome;
    const std::int64_t limit = 100000 + 2000 * std::int64_t(n + m);
    int row = 0, column = 0;
    while (true) {
        if (!find_entering(&row, &column)) {
            // Rounding gathers in potentials that are shifted many times: judge optimality on fresh ones.
            refresh_potentials();
            if (!find_entering(&row, &column)) return outcome;
        }
        if (outcome.iterations == limit) {
            outcome.converged = false;
            return outcome;
        }
        pivot(row, column);
        ++outcome.iterations;
    }
}

// Serves the cheapest open pair of row and column again and again. Each step uses up a row or a column, which then
// hangs below its partner; when both are used up the row becomes the root of a finished component.
void TransportSimplex::start_greedily(const std::int64_t* supply, const std::int64_t* demand) {
    const Kernels& kernel = kernels();
    left_.assign(supply, supply + n_);
    right_.assign(demand, demand + m_);
    const int rows = padded(n_);
    least_.assign(rows, kNever);
    least_at_.assign(n_, 0);
    mask_.assign(std::max(width_, rows), 0.0);
    order_.clear();
    for (int i = 0; i < n_; ++i)
        least_[i] = kernel.row_minimum(cost_ + std::int64_t(i) * stride_, mask_.data(), width_, &least_at_[i]);
    std::vector<double>& zeros = potential_;  // still all zero here
    zeros.resize(std::max<std::size_t>(zeros.size(), rows));
    while (true) {
        int row = 0;
        if (kernel.row_minimum(least_.data(), zeros.data(), rows, &row) >= kNever) return;
        const int column = least_at_[row];
        if (right_[column] == 0) {
            // Columns only vanish, so an old minimum is a lower bound: look again when it is the best on offer.
            least_[row] = kernel.row_minimum(cost_ + std::int64_t(row) * stride_, mask_.data(), width_, &least_at_[row]);
            continue;
        }
        const std::int64_t amount = std::min(left_[row], right_[column]);
        left_[row] -= amount;
        right_[column] -= amount;
        if (right_[column] == 0) {
            mask_[column] = -kNever;
            tree_.link(n_ + column, row);
            flow_[n_ + column] = amount;
            if (left_[row] == 0) {
                least_[row] = kNever;
                order_.push_back(row);
            }
        } else {
            least_[row] = kNever;
            tree_.link(row, n_ + column);
            flow_[row] = amount;
        }
    }
}

// Hangs every finished component below the rest by an empty edge from its root row to the column that makes its
// reduced costs towards the rest non-negative. Empty edges point to the root: the tree is strongly feasible.
void TransportSimplex::join_components() {
    const Kernels& kernel = kernels();
    std::fill(mask_.begin(), mask_.end(), -kNever);
    root_ = order_.back();
    for (int at = static_cast<int>(order_.size()) - 1; at >= 0; --at) {
        const int row = order_[at];
        potential_[row] = 0.0;
        if (row != root_) {
            int column = 0;
            potential_[row] = kernel.row_minimum(cost_ + std::int64_t(row) * stride_, mask_.data(), width_, &column);
            tree_.link(row, n_ + column);
        }
        set_potentials(row);
        tree_.walk(row, [&](int node) {
            if (node >= n_) mask_[node - n_] = potential_[node];
        });
    }
}

// Potentials of the nodes below `top`, whose own is right: u_i + v_j = c_ij on every edge.
void TransportSimplex::set_potentials(int top) {
    tree_.walk(top, [&](int node) {
        if (node == top) return;
        const int above = tree_.parent[node];
        const int row = node < n_ ? node : above;
        const int column = node < n_ ? above - n_ : node - n_;
        potential_[node] = cost_[std::int64_t(row) * stride_ + column] - potential_[above];
    });
}

void TransportSimplex::refresh_potentials() {
    set_potentials(root_);
    double size = 0.0;
    for (int node = 0; node < n_ + m_; ++node) size = std::max(size, std::fabs(potential_[node]));
    tolerance_ = 1e-14 * size;
}

// The most violating cell of the next block of rows that has one, going round from where the last search ended.
bool TransportSimplex::find_entering(int* row, int* column) {
    const Kernels& kernel = kernels();
    const double* u = potential_.data();
    const double* v = u + n_;
    for (int seen = 0; seen < n_;) {
        const int last = std::min(cursor_ + block_, n_);
        const double best = kernel.price_rows(cost_, stride_, width_, u, v, cursor_, last, row);
        seen += last - cursor_;
        cursor_ = last == n_ ? 0 : last;
        if (best < -tolerance_) {
            reduced_ = kernel.row_minimum(cost_ + std::int64_t(*row) * stride_, v, width_, column) - u[*row];
            return true;
        }
    }
    return false;
}

// Sends flow round the cycle that the cell closes, from the row to the column and back through the tree.
void TransportSimplex::pivot(int row, int column) {
    const int from = row, to = n_ + column;
    ++clock_;
    int apex = -1;
    for (int a = from, b = to; apex < 0;) {
        if (a >= 0) {
            if (stamp_[a] == clock_) apex = a;
            stamp_[a] = clock_;
            a = tree_.parent[a];
        }
        if (b >= 0 && apex < 0) {
            if (stamp_[b] == clock_) apex = b;
            stamp_[b] = clock_;
            b = tree_.parent[b];
        }
    }
    // Going down to `from` flow shrinks above rows, going up from `to` above columns. Of the edges that empty first
    // the last one on the way apex → from → to → apex leaves: this keeps the tree strongly feasible.
    std::int64_t amount = INT64_MAX;
    int leaving = -1;
    bool at_row_side = true;
    for (int node = from; node != apex; node = tree_.parent[node])
        if (node < n_ && flow_[node] < amount) {
            amount = flow_[node];
            leaving = node;
        }
    for (int node = to; node != apex; node = tree_.parent[node])
        if (node >= n_ && flow_[node] <= amount) {
            amount = flow_[node];
            leaving = node;
            at_row_side = false;
        }
    if (amount > 0) {
        for (int node = from; node != apex; node = tree_.parent[node]) flow_[node] += node < n_ ? -amount : amount;
        for (int node = to; node != apex; node = tree_.parent[node]) flow_[node] += node >= n_ ? -amount : amount;
    }
    const int top = at_row_side ? from : to;
    tree_.rehang(top, leaving, at_row_side ? to : from, flow_, amount);
    const double change = at_row_side ? reduced_ : -reduced_;
    tree_.walk(top, [&](int node) { potential_[node] += node < n_ ? change : -change; });
}

}  // namespace monge
