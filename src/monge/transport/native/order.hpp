// Costs to the power p, as in Wasserstein's distance W_p.
#pragma once

#include <cmath>
#include <cstdint>

namespace monge {

// cost^order; small whole orders without a call of pow.
inline double raise(double cost, double order) {
    if (order == 1.0) return cost;
    if (!(cost > 0.0)) return 0.0;
    if (order == 2.0) return cost * cost;
    if (order == 3.0) return cost * cost * cost;
    return std::pow(cost, order);
}

inline void raise_all(double* cost, int n, int m, int stride, double order) {
    if (order == 1.0) return;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) cost[std::int64_t(i) * stride + j] = raise(cost[std::int64_t(i) * stride + j], order);
}

}  // namespace monge
