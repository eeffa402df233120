// What a solver says of its own work.
#pragma once

#include <cstdint>

namespace monge {

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
};

}  // namespace monge
