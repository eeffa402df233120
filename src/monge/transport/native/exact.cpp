#include "exact.hpp"

#include <algorithm>
#include <cmath>

namespace monge {

namespace {
constexpr double kNever = 1e250;  // more than any cost, less than the padding of cost rows
}  // namespace

Outcome TransportSimplex::solve(const double* cost, int n, int m, int stride, const std::int64_t* supply,
                                const std::int64_t* demand, LazyCosts* lazy) {
    cost_ = cost;
    lazy_ = nullptr;
    potentials_.clear();
    n_ = n;
    m_ = m;
    stride_ = stride;
    width_ = padded(m);
    block_ = std::clamp(1024 / width_, 1, 8);
    cursor_ = 0;
    tree_.reset(n + m);
    flow_.assign(n + m, 0);
    size_.assign(n + m, 1);
    potential_.assign(n + width_, 0.0);
    start_greedily(supply, demand);
    join_components();
    set_tolerance();
    Outcome outcome;
    outcome.converged = improve(&outcome.iterations, lazy == nullptr);
    if (lazy == nullptr) return outcome;
    // On lower bounds one comes near the optimum. Now the tree gets its exact costs, and other cells when they matter.
    lazy_ = lazy;
    for (int node = 0; node < n + m; ++node)
        if (const int above = tree_.parent(node); above >= 0)
            lazy->refine(std::min(node, above), std::max(node, above) - n);
    refresh_potentials();
    outcome.converged = improve(&outcome.iterations, true);
    return outcome;
}

// Pivots until no cell has a negative reduced cost; false when there seems to be no end to it.
bool TransportSimplex::improve(std::int64_t* pivots, bool last) {
    const std::int64_t limit = 100000 + 2000 * std::int64_t(n_ + m_);
    int row = 0, column = 0;
    while (true) {
        if (!find_entering(&row, &column)) {
            if (!last) return true;
            // Rounding gathers in potentials that are shifted many times: judge optimality on fresh ones.
            refresh_potentials();
            if (!find_entering(&row, &column)) return true;
        }
        if (*pivots >= limit) return false;
        pivot(row, column);
        ++*pivots;
    }
}

// Serves the cheapest open pair of row and column again and again, cheap measured against the means of its row and
// column (transport does not change when they are taken away). Each step uses up a row or a column, which then hangs
// below its partner; when both are used up the row becomes the root of a finished component.
void TransportSimplex::start_greedily(const std::int64_t* supply, const std::int64_t* demand) {
    const Kernels& kernel = kernels();
    const int rows = padded(n_);
    left_.assign(supply, supply + n_);
    right_.assign(demand, demand + m_);
    least_.assign(rows, kNever);
    least_at_.assign(n_, 0);
    offset_.resize(n_);
    mask_.resize(width_);
    zeros_.assign(rows, 0.0);
    roots_.clear();
    kernel.means(cost_, n_, m_, stride_, offset_.data(), mask_.data());
    auto look = [&](int row) {
        const double* cost = cost_ + std::int64_t(row) * stride_;
        least_[row] = kernel.row_minimum(cost, mask_.data(), width_, &least_at_[row]) - offset_[row];
    };
    for (int i = 0; i < n_; ++i) look(i);
    int row = 0;
    while (kernel.row_minimum(least_.data(), zeros_.data(), rows, &row) < kNever) {
        const int column = least_at_[row];
        if (right_[column] == 0) {
            look(row);  // columns only vanish, so an old minimum is a lower bound: renewed when it is the best on offer
            continue;
        }
        const std::int64_t amount = std::min(left_[row], right_[column]);
        left_[row] -= amount;
        right_[column] -= amount;
        if (left_[row] == 0) least_[row] = kNever;
        if (right_[column] == 0) {
            mask_[column] = -kNever;
            tree_.link(n_ + column, row);
            flow_[n_ + column] = amount;
            if (left_[row] == 0) roots_.push_back(row);
        } else {
            tree_.link(row, n_ + column);
            flow_[row] = amount;
        }
    }
}

// Hangs every finished component below the rest by an empty edge from its root row to the column that makes its
// reduced costs towards the rest non-negative. Empty edges point to the root: the tree is strongly feasible.
void TransportSimplex::join_components() {
    std::fill(mask_.begin(), mask_.end(), -kNever);
    root_ = roots_.back();
    for (int at = static_cast<int>(roots_.size()) - 1; at >= 0; --at) {
        const int row = roots_[at];
        potential_[row] = 0.0;
        if (row != root_) {
            int column = 0;
            potential_[row] = cheapest(row, mask_.data(), &column);
            tree_.link(row, n_ + column);
        }
        set_potentials(row);
        tree_.walk(row, [&](int node) {
            if (node >= n_) mask_[node - n_] = potential_[node];
        });
    }
    order_.clear();
    tree_.walk(root_, [&](int node) { order_.push_back(node); });
    for (std::size_t k = order_.size(); k-- > 1;) size_[tree_.parent(order_[k])] += size_[order_[k]];
}

// Potentials of the nodes below `top`, whose own is right: u_i + v_j = c_ij on every edge.
void TransportSimplex::set_potentials(int top) {
    tree_.walk(top, [&](int node) {
        if (node == top) return;
        const int above = tree_.parent(node);
        const int row = node < n_ ? node : above;
        const int column = node < n_ ? above - n_ : node - n_;
        potential_[node] = cost_[std::int64_t(row) * stride_ + column] - potential_[above];
    });
}

void TransportSimplex::refresh_potentials() {
    set_potentials(root_);
    set_tolerance();
}

void TransportSimplex::set_tolerance() {
    double size = 0.0;
    for (int node = 0; node < n_ + m_; ++node) size = std::max(size, std::fabs(potential_[node]));
    tolerance_ = 1e-14 * size;
}

// Least cost - v of a row; the cell where it is has its exact cost.
double TransportSimplex::cheapest(int row, const double* v, int* column) {
    const double* cost = cost_ + std::int64_t(row) * stride_;
    while (true) {
        const double value = kernels().row_minimum(cost, v, width_, column);
        if (lazy_ == nullptr || !lazy_->refine(row, *column)) return value;
    }
}

// The most violating cell of the next block of rows that has one, going round from where the last search ended.
bool TransportSimplex::find_entering(int* row, int* column) {
    const double* u = potential_.data();
    const double* v = u + n_;
    for (int seen = 0; seen < n_;) {
        const int last = std::min(cursor_ + block_, n_);
        while (kernels().price_rows(cost_, stride_, width_, u, v, cursor_, last, row) < -tolerance_) {
            reduced_ = cheapest(*row, v, column) - u[*row];
            if (reduced_ < -tolerance_) {
                cursor_ = last == n_ ? 0 : last;
                return true;
            }
        }
        seen += last - cursor_;
        cursor_ = last == n_ ? 0 : last;
    }
    return false;
}

// Sends flow round the cycle that the cell closes, from the row to the column and back through the tree.
void TransportSimplex::pivot(int row, int column) {
    // Flow shrinks above the rows on the way from `row` up and above the columns on the way from `column` up. Of the
    // edges that empty first the last one on the round apex → row → column → apex leaves, which keeps the tree
    // strongly feasible. An ancestor's subtree is larger, so stepping up at the smaller end meets at the apex.
    const int from = row, to = n_ + column;
    int a = from, b = to, leaving_a = -1, leaving_b = -1;
    std::int64_t least_a = INT64_MAX, least_b = INT64_MAX;
    while (a != b) {
        if (size_[a] < size_[b]) {
            if (a < n_ && flow_[a] < least_a) least_a = flow_[a], leaving_a = a;
            a = tree_.parent(a);
        } else {
            if (b >= n_ && flow_[b] <= least_b) least_b = flow_[b], leaving_b = b;
            b = tree_.parent(b);
        }
    }
    const int apex = a;
    const bool row_side = least_a < least_b;
    const std::int64_t amount = row_side ? least_a : least_b;
    for (int node = from; amount > 0 && node != apex; node = tree_.parent(node))
        flow_[node] += node < n_ ? -amount : amount;
    for (int node = to; amount > 0 && node != apex; node = tree_.parent(node))
        flow_[node] += node >= n_ ? -amount : amount;
    move(row_side ? from : to, row_side ? leaving_a : leaving_b, row_side ? to : from, apex, amount);
    shift(row_side ? from : to, row_side ? reduced_ : -reduced_);
}

// Cuts the edge above `leaving` and hangs its subtree by `top`, a node of it, below `above`; sizes follow.
void TransportSimplex::move(int top, int leaving, int above, int apex, std::int64_t amount) {
    const int moved = size_[leaving];
    for (int node = tree_.parent(leaving); node != apex; node = tree_.parent(node)) size_[node] -= moved;
    for (int node = above; node != apex; node = tree_.parent(node)) size_[node] += moved;
    int below = 0;
    for (int node = top;; node = tree_.parent(node)) {
        const int size = size_[node];
        size_[node] = moved - below;
        below = size;
        if (node == leaving) break;
    }
    tree_.rehang(top, leaving, above, flow_, amount);
}

// Raises rows and lowers columns below `top` by `change`, or does the opposite to all others when they are fewer.
void TransportSimplex::shift(int top, double change) {
    double* potential = potential_.data();
    const int n = n_;
    if (2 * size_[top] <= n_ + m_)
        tree_.walk(top, [=](int node) { potential[node] += node < n ? change : -change; });
    else
        tree_.walk(root_, [=](int node) { potential[node] -= node < n ? change : -change; }, top);
}

}  // namespace monge
