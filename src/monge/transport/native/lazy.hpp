// Costs that start as lower bounds and become exact where somebody needs to know.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.hpp"
#include "order.hpp"

namespace monge {

// Most cells of a transport problem are too expensive to matter. Their costs are never computed in double precision:
// a bound from single-precision products shows that they cannot be chosen. A cell that might be is refined first, so
// whatever is chosen is chosen on exact costs.
class LazyCosts {
  public:
    // Fills `bounds` (n, stride) of costs to the power `order`; false when single precision cannot be trusted with
    // these points.
    bool bound(Cost cost, double order, const float* a, int n, const float* b, int m, int d, double* bounds, int stride) {
        cost_ = cost;
        order_ = order;
        a_ = a;
        b_ = b;
        d_ = d;
        bounds_ = bounds;
        stride_ = stride;
        left_.resize(n);
        right_.resize(2 * std::size_t(padded(m)));
        exact_.assign(std::size_t(n) * stride, 0);
        if (!kernels().bound_costs(cost, a, n, b, m, d, bounds, stride, left_.data(), right_.data())) return false;
        raise_all(bounds, n, m, stride, order);
        return true;
    }

    // Makes a cell exact; false when it already was.
    bool refine(int i, int j) {
        const std::int64_t at = std::int64_t(i) * stride_ + j;
        if (exact_[at]) return false;
        exact_[at] = 1;
        const float *a = a_ + std::int64_t(i) * d_, *b = b_ + std::int64_t(j) * d_;
        bounds_[at] = raise(kernels().pair_cost(cost_, a, b, d_, left_[i], right_[j]), order_);
        return true;
    }

  private:
    Cost cost_ = Cost::euclidean;
    double order_ = 1.0;
    const float* a_ = nullptr;
    const float* b_ = nullptr;
    double* bounds_ = nullptr;
    int d_ = 0, stride_ = 0;
    std::vector<double> left_, right_;
    std::vector<unsigned char> exact_;
};

}  // namespace monge
