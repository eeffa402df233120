// The transportation simplex on costs of very different size.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "exact.hpp"

namespace monge {

namespace {

// Costs of vectors stay below: such a cost means that its cell is not for use.
constexpr double kForbidding = 1e8;
constexpr int kRounds = 40;  // of sharpening; each wins ten digits or so

// A sum that loses nothing (Shewchuk 1997): its parts do not overlap, the smallest comes first.
class ExactSum {
  public:
    void reset(double x) { parts_.assign(1, x); }

    void add(double x) {
        std::size_t kept = 0;
        for (double part : parts_) {
            if (std::fabs(x) < std::fabs(part)) std::swap(x, part);
            const double sum = x + part, rest = part - (sum - x);
            if (rest != 0.0) parts_[kept++] = rest;
            x = sum;
        }
        parts_.resize(kept);
        parts_.push_back(x);
    }

    double rounded() const { return std::accumulate(parts_.rbegin(), parts_.rend(), 0.0); }

  private:
    std::vector<double> parts_;
};

}  // namespace

// Iterative refinement of linear programs (Gleixner, Steffy and Wolter 2016): with the potentials taken from the costs,
// the cells of the plan cost next to nothing and the next potentials are as fine as that. Costs are cut off where no
// optimal plan pays them: one that did would gain by a round trip of at most n + m cells through the present plan.
bool TransportSimplex::sharpen(std::int64_t noise, std::int64_t* pivots) {
    const double fine = wanted_tolerance(noise);
    if (tolerance_ <= fine || (fine == 0.0 && !has_negative_cost())) return true;
    for (int i = 0; lazy_ != nullptr && i < n_; ++i)
        for (int j = 0; j < m_; ++j) lazy_->refine(i, j);
    lazy_ = nullptr;
    const double* given = cost_;
    bool sharp = false;
    for (int round = 0; !sharp && round < kRounds; ++round) {
        level_.assign(given, given + std::int64_t(n_) * stride_);
        const double worst = reduce(level_.data(), stride_);
        const double most = 2.0 * (n_ + m_) * worst;
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j) {
                double& cost = level_[std::int64_t(i) * stride_ + j];
                cost = std::min(cost, most);
            }
        potentials_.push_back(potential_);
        cost_ = level_.data();
        potential_[root_] = 0.0;
        refresh_potentials();
        if (!improve(pivots, true)) break;
        sharp = tolerance_ <= fine || worst == 0.0;
    }
    cost_ = given;
    return sharp;
}

double TransportSimplex::reduce(double* cost, int stride) const {
    ExactSum sum;
    double worst = 0.0;
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j < m_; ++j) {
            double& value = cost[std::int64_t(i) * stride + j];
            sum.reset(value);
            for (const std::vector<double>& before : potentials_) sum.add(-before[i]), sum.add(-before[n_ + j]);
            sum.add(-potential_[i]);
            sum.add(-potential_[n_ + j]);
            value = sum.rounded();
            const bool used = (tree_.parent(i) == n_ + j && flow_[i] > 0) || (tree_.parent(n_ + j) == i && flow_[n_ + j] > 0);
            worst = std::max(worst, used ? std::fabs(value) : -value);
        }
    return worst;
}

// How fine reduced costs must be known: to 1e-10 of the mean cost that the plan pays; and where some mass pays so much
// that the mean says nothing about the rest, of what the cheapest hundredth of the mass that pays at all pays at most.
double TransportSimplex::wanted_tolerance(std::int64_t noise) {
    double paid = 0.0, moved = 0.0, paying = 0.0, least = INFINITY;
    paid_.clear();
    each_flow([&](int i, int j, std::int64_t flow) {
        if (flow <= noise) return;
        const double cost = std::fabs(cost_[std::int64_t(i) * stride_ + j]), mass = double(flow);
        paid += mass * cost;
        moved += mass;
        if (cost > 0.0) least = std::min(least, cost), paying += mass, paid_.push_back({cost, mass});
    });
    if (paid == 0.0) return 0.0;
    const double mean = paid / moved;
    if (tolerance_ <= 1e-6 * least || tolerance_ < 1e-14 * kForbidding) return 1e-10 * mean;
    std::sort(paid_.begin(), paid_.end());
    double below = 0.0, small = mean;
    for (const auto& [cost, mass] : paid_)
        if ((below += mass) >= 0.01 * paying) {
            small = cost;
            break;
        }
    return 1e-10 * (tolerance_ <= 1e-6 * small ? mean : std::min(mean, small));
}

bool TransportSimplex::has_negative_cost() const {
    for (int i = 0; lazy_ == nullptr && i < n_; ++i) {  // bounds of costs of points are never negative
        const double* row = cost_ + std::int64_t(i) * stride_;
        if (*std::min_element(row, row + m_) < 0.0) return true;
    }
    return false;
}

}  // namespace monge
