// Regularised transport with marginals that hold, give way or are free.
#pragma once

#include <vector>

#include "outcome.hpp"

namespace monge {

struct Regularisation {
    double epsilon = 0.0;
    bool relative = false;  // epsilon·KL(P | ab') instead of epsilon·ΣP(log P - 1)
    double tolerance = 1e-10;
    std::int64_t limit = 0;  // Newton steps; 0 means the solver's own bound
};

// P_ij = exp(x_i + y_j - K_ij) with K = C/epsilon (less log a_i b_j when relative). For given x the best y is known in
// closed form (a scaling step in the log domain), so what is left is a smooth concave function of x alone, climbed by
// Newton's method while epsilon is lowered to its final value.
class EntropicNewton {
  public:
    // Masses must be positive wherever they bind (rho > 0, or relative).
    Outcome solve(const Problem& problem, const Regularisation& regularisation);

    // Calls visit(row, column, flow) for every cell.
    template <class Visit>
    void each_flow(Visit visit) const {
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j) {
                const double flow = state_.e[std::int64_t(i) * stride_ + j] * state_.z[j];
                if (swapped_)
                    visit(j, i, flow);
                else
                    visit(i, j, flow);
            }
    }

  private:
    struct State {
        std::vector<double> x, e, top, sum, z, q, wanted, got;
        double value = 0, error = 0;
    };

    void load(const Problem& problem);
    void set_epsilon(double epsilon, bool relative);
    void evaluate(State& state);
    std::int64_t climb(double tolerance, std::int64_t budget);
    bool newton_step();
    bool solve_directly(double ridge);
    void solve_by_gradients();
    double slope(const State& state) const;
    bool is_precise() const;

    int n_ = 0, m_ = 0, stride_ = 0, square_ = 0;
    bool swapped_ = false;
    double rho_x_ = 0, rho_y_ = 0, epsilon_ = 0, kappa_ = 0;
    std::vector<double> cost_, k_, log_a_, log_b_, a_, b_;
    std::vector<double> matrix_, scratch_, step_, weight_, diagonal_, residual_, direction_, image_, column_;
    State state_, trial_;
};

}  // namespace monge
