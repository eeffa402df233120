// What a solver reports of its own work, and the problem it gets.
#pragma once

#include <cstdint>

namespace monge {

constexpr std::int64_t kMassRounding = 1 << 10;  // of the 2^60 units of a total: what rounding of sums amounts to

struct Outcome {
    std::int64_t iterations = 0;
    bool converged = true;
};

// A dense problem: cost (n, stride), masses a (n), b (m), marginal penalties in [0, inf].
struct Problem {
    const double* cost;
    int n, m, stride;
    const double* a;
    const double* b;
    double rho_a, rho_b;
    bool mixed = false;  // costs of very different size were cut off (see Solver::tame)
};

}  // namespace monge
