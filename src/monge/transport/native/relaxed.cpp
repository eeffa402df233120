#include "relaxed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels.hpp"

namespace monge {

Outcome RelaxedSimplex::solve(const Problem& problem, std::int64_t limit) {
    problem_ = problem;
    width_ = padded(problem.m);
    clock_ = cursor_ = 0;
    start();
    settle();
    if (limit <= 0) limit = 100000 + 2000 * std::int64_t(problem.n + problem.m);
    const double coarse = tolerance_;
    Outcome outcome;
    outcome.converged = improve(limit, &outcome.iterations);
    // The tolerance so far is one for the largest cost. Where nobody pays that, potentials are smaller and can do more.
    const double fine = 1e-14 * std::max(largest_potential(), 1.0 / stiffness());
    if (outcome.converged && tolerance_ == coarse && coarse > (problem.mixed ? 1.0 : 1e4) * fine) {
        tolerance_ = fine;
        outcome.converged = improve(limit, &outcome.iterations);
    }
    outcome.converged = outcome.converged && is_optimal();
    return outcome;
}

// Pivots until no cell has a negative reduced cost; false when the limit comes first.
bool RelaxedSimplex::improve(std::int64_t limit, std::int64_t* pivots) {
    int row = 0, column = 0;
    while (find_entering(&row, &column)) {
        if (*pivots >= limit) return false;
        insert(row, column);
        settle();
        outgrow_rounding(row, column);
        ++*pivots;
    }
    return true;
}

double RelaxedSimplex::largest_potential() const {
    double largest = 0.0;
    for (int node = 0; node < problem_.n + problem_.m; ++node) largest = std::max(largest, std::fabs(potential_[node]));
    return largest;
}

// Every node gets an edge and positive flow: the points of one side to their nearest, and whoever is left likewise.
// The side that shares out its mass is one that must be met, if there is one.
void RelaxedSimplex::start() {
    const int n = problem_.n, m = problem_.m;
    forest_.reset(n + m);
    flow_.assign(n + m, 0.0);
    target_.assign(n + m, 0.0);
    stamp_.assign(n + m, 0);
    potential_.assign(n + width_, 0.0);
    log_weight_.resize(n + m);
    for (int i = 0; i < n; ++i) log_weight_[i] = std::log(problem_.a[i]);
    for (int j = 0; j < m; ++j) log_weight_[n + j] = std::log(problem_.b[j]);

    find_nearest();
    link_nearest(std::isinf(problem_.rho_a));
}

// The cheapest partner of every node; the tolerance is one for the largest cost.
void RelaxedSimplex::find_nearest() {
    const int n = problem_.n, m = problem_.m;
    nearest_.assign(n, n);
    nearest_.resize(n + m, 0);
    double size = 0.0;
    for (int i = 0; i < n; ++i) {
        const double* cost = problem_.cost + std::int64_t(i) * problem_.stride;
        for (int j = 0; j < m; ++j) {
            if (cost[j] < problem_.cost[std::int64_t(nearest_[n + j]) * problem_.stride + j]) nearest_[n + j] = i;
            if (cost[j] < cost[nearest_[i] - n]) nearest_[i] = n + j;
            size = std::max(size, std::fabs(cost[j]));
        }
    }
    tolerance_ = 1e-14 * size;
}

// Hangs the nodes of the sharing side below their nearest, and those of the other side that got nobody likewise.
void RelaxedSimplex::link_nearest(bool share_rows) {
    const int n = problem_.n, m = problem_.m;
    const int first = share_rows ? 0 : n, first_end = share_rows ? n : n + m;
    const int second = share_rows ? n : 0, second_end = share_rows ? n + m : n;
    std::vector<int> edges(n + m, 0);
    for (int node = first; node < first_end; ++node) {
        forest_.link(node, nearest_[node]);
        edges[node] = edges[nearest_[node]] = 1;
    }
    for (int node = second; node < second_end; ++node)
        if (!edges[node]) {
            forest_.link(node, nearest_[node]);
            ++edges[nearest_[node]];
        }
    for (int node = 0; node < n + m; ++node) {
        const int above = forest_.parent(node);
        if (above < 0) {
            unsettled_.push_back(node);
            continue;
        }
        const int sharing = (node >= first && node < first_end) ? node : above;
        flow_[node] = (sharing < n ? problem_.a[sharing] : problem_.b[sharing - n]) / edges[sharing];
    }
}

bool RelaxedSimplex::find_entering(int* row, int* column) {
    const Kernels& kernel = kernels();
    const int n = problem_.n;
    const int block = std::max(1, std::min(n, 256 / width_));
    const double* u = potential_.data();
    for (int seen = 0; seen < n;) {
        const int last = std::min(cursor_ + block, n);
        const double best = kernel.price_rows(problem_.cost, problem_.stride, width_, u, u + n, cursor_, last, row);
        seen += last - cursor_;
        cursor_ = last == n ? 0 : last;
        if (best < -tolerance_) {
            reduced_ = best;
            kernel.row_minimum(problem_.cost + std::int64_t(*row) * problem_.stride, u + n, width_, column);
            return true;
        }
    }
    return false;
}

double RelaxedSimplex::flow_at(int row, int column) const {
    const int other = problem_.n + column;
    if (forest_.parent(row) == other) return flow_[row];
    return forest_.parent(other) == row ? flow_[other] : 0.0;
}

// Where costs tie, rounding of the potentials makes cells enter that then carry nothing, and leave again for ever. When
// the cell that just entered is one, reduced costs such as it had count as 0 from now on.
void RelaxedSimplex::outgrow_rounding(int row, int column) {
    const double mass = std::exp(std::min(log_mass(row), log_mass(problem_.n + column)));
    if (flow_at(row, column) > 1e-12 * mass) return;
    double largest = 1.0;
    for (int node = 0; node < problem_.n + problem_.m; ++node) largest = std::max(largest, std::fabs(log_mass(node)));
    if (-reduced_ <= 1e-15 * largest / stiffness()) tolerance_ = std::max(tolerance_, -2.0 * reduced_);
}

void RelaxedSimplex::insert(int row, int column) {
    const int from = row, to = problem_.n + column;
    ++clock_;
    int apex = -1, top_of_from = -1, top_of_to = -1;
    for (int a = from, b = to; apex < 0 && (a >= 0 || b >= 0);) {
        if (a >= 0) {
            if (stamp_[a] == clock_) apex = a;
            stamp_[a] = clock_;
            top_of_from = a;
            a = forest_.parent(a);
        }
        if (b >= 0 && apex < 0) {
            if (stamp_[b] == clock_) apex = b;
            stamp_[b] = clock_;
            top_of_to = b;
            b = forest_.parent(b);
        }
    }
    if (apex >= 0) {
        close_cycle(from, to, apex);
    } else {
        forest_.rehang(from, top_of_from, to, flow_, 0.0);
        unsettled_.push_back(top_of_to);
    }
}

// The cell joins two nodes of one tree. Flow round the cycle changes no marginal, so it goes until edges empty.
void RelaxedSimplex::close_cycle(int from, int to, int apex) {
    const int n = problem_.n;
    double amount = INFINITY;
    int leaving = -1;
    bool at_row_side = true;
    for (int node = from; node != apex; node = forest_.parent(node))
        if (node < n && flow_[node] < amount) amount = flow_[node], leaving = node;
    for (int node = to; node != apex; node = forest_.parent(node))
        if (node >= n && flow_[node] < amount) amount = flow_[node], leaving = node, at_row_side = false;
    for (int node = from; node != apex; node = forest_.parent(node)) flow_[node] += node < n ? -amount : amount;
    for (int node = to; node != apex; node = forest_.parent(node)) flow_[node] += node >= n ? -amount : amount;
    forest_.rehang(at_row_side ? from : to, leaving, at_row_side ? to : from, flow_, amount);
    while (forest_.parent(apex) >= 0) apex = forest_.parent(apex);
    unsettled_.push_back(apex);
}

void RelaxedSimplex::settle() {
    while (!unsettled_.empty()) {
        int root = unsettled_.back();
        unsettled_.pop_back();
        if (forest_.parent(root) >= 0) continue;  // was a root when it was noted
        root = balance(root);
        if (!advance(root)) unsettled_.push_back(root);
    }
}

// log of the marginal that the potential of a node asks for: log(mass) - potential / rho.
double RelaxedSimplex::log_mass(int node) const {
    const double rho = node < problem_.n ? problem_.rho_a : problem_.rho_b;
    return std::isinf(rho) ? log_weight_[node] : log_weight_[node] - potential_[node] / rho;
}

// How fast the masses of a tree's two sides part, in the log, as its potentials shift.
double RelaxedSimplex::stiffness() const {
    return (std::isinf(problem_.rho_a) ? 0.0 : 1.0 / problem_.rho_a) +
           (std::isinf(problem_.rho_b) ? 0.0 : 1.0 / problem_.rho_b);
}

// Potentials and target flows of the optimum on one tree; order_ becomes its nodes, parents first. Returns the root,
// which is now the node with the largest mass: what rounding leaves over ends there and is small beside it.
int RelaxedSimplex::balance(int root) {
    const int n = problem_.n;
    double top[2] = {-INFINITY, -INFINITY}, sum[2] = {0.0, 0.0};
    order_.clear();
    forest_.walk(root, [&](int node) {
        order_.push_back(node);
        const int above = forest_.parent(node);
        if (node != root) {
            const int row = node < n ? node : above, column = (node < n ? above : node) - n;
            potential_[node] = problem_.cost[std::int64_t(row) * problem_.stride + column] - potential_[above];
        }
        const int side = node < n ? 0 : 1;
        const double value = log_mass(node);
        if (value > top[side]) {
            sum[side] = sum[side] * std::exp(top[side] - value) + 1.0;
            top[side] = value;
        } else {
            sum[side] += std::exp(value - top[side]);
        }
    });
    const double rows = top[0] + std::log(sum[0]), columns = top[1] + std::log(sum[1]);
    return set_targets(root, (rows - columns) / stiffness());
}

// Raises the rows of the tree in order_ by `shift` and lowers its columns, which makes both sides carry the same mass.
// Returns the new root.
int RelaxedSimplex::set_targets(int root, double shift) {
    const int n = problem_.n;
    int heaviest = root;
    double heaviest_mass = -INFINITY;
    for (int node : order_) {
        potential_[node] += node < n ? shift : -shift;
        const double value = log_mass(node);
        target_[node] = std::exp(std::min(value, 600.0));  // a bad tree may ask for more than doubles hold
        if (value > heaviest_mass) heaviest = node, heaviest_mass = value;
    }
    if (heaviest != root) {
        forest_.rehang(heaviest, root, -1, flow_, 0.0);
        order_.clear();
        forest_.walk(heaviest, [&](int node) { order_.push_back(node); });
    }
    for (std::size_t k = order_.size(); k-- > 1;) target_[forest_.parent(order_[k])] -= target_[order_[k]];
    return heaviest;
}

// Moves flows towards the target; true when it was reached, else the edges that emptied on the way are cut.
bool RelaxedSimplex::advance(int root) {
    // How far an edge lets us go. It may round to 1 where the target is negative by a hair, so signs decide.
    auto reach = [&](int node) { return flow_[node] / (flow_[node] - target_[node]); };
    double step = 1.0;
    bool reached = true;
    for (int node : order_)
        if (node != root && target_[node] < 0.0) step = std::min(step, reach(node)), reached = false;
    for (int node : order_) {
        if (node == root) continue;
        if (reached) {
            flow_[node] = target_[node];
        } else if (target_[node] < 0.0 && reach(node) <= step) {
            forest_.unlink(node);
            flow_[node] = 0.0;
            unsettled_.push_back(node);
        } else {
            flow_[node] += step * (target_[node] - flow_[node]);
        }
    }
    return reached;
}

// Mass flows on tight cells only, and reduced costs were just found non-negative but for the tolerance. What is left of
// the optimality conditions is that every node carries the mass its potential asks for.
bool RelaxedSimplex::is_optimal() const {
    const std::vector<double> marginal = marginals();
    double error = 0.0;
    for (std::size_t node = 0; node < marginal.size(); ++node)
        error += std::fabs(marginal[node] - std::exp(log_mass(int(node))));
    const double mass = std::accumulate(marginal.begin(), marginal.begin() + problem_.n, 0.0);
    if (!(error <= 1e-9 * mass + 1e-290)) return false;  // a plan below what doubles can share out is empty, and right
    return tolerance_ <= 1e-10 / stiffness() || tolerance_ * mass <= 1e-6 * objective(marginal);
}

std::vector<double> RelaxedSimplex::marginals() const {
    std::vector<double> marginal(problem_.n + problem_.m, 0.0);
    each_flow([&](int i, int j, double flow) {
        marginal[i] += flow;
        marginal[problem_.n + j] += flow;
    });
    return marginal;
}

// Size of the costs that are paid, plus the penalties.
double RelaxedSimplex::objective(const std::vector<double>& marginal) const {
    double value = 0.0;
    each_flow([&](int i, int j, double flow) {
        value += flow * std::fabs(problem_.cost[std::int64_t(i) * problem_.stride + j]);
    });
    for (int node = 0; node < problem_.n + problem_.m; ++node) {
        const double rho = node < problem_.n ? problem_.rho_a : problem_.rho_b;
        const double got = marginal[node], given = std::exp(log_weight_[node]);
        if (!std::isinf(rho)) value += rho * (got > 0.0 ? got * (std::log(got / given) - 1.0) + given : given);
    }
    return value;
}

}  // namespace monge
