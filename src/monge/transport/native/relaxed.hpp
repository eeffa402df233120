// Transport with Kullback–Leibler marginals and no regularisation, solved exactly.
#pragma once

#include <vector>

#include "forest.hpp"
#include "outcome.hpp"

namespace monge {

// min <C,P> + rho_a KL(P1|a) + rho_b KL(P'1|b) with positive masses and rho > 0, at least one of them finite.
//
// An optimal plan lives on a forest. On a given forest the optimum is known in closed form: potentials follow the
// edges up to one shift per tree, the shift balances the tree's two sides, and flows follow from leaf to root. The
// solver moves towards that optimum, cuts edges that empty on the way, and adds a cell whose reduced cost is negative
// (joining two trees, or closing a cycle whose first emptied edge leaves) until there is none: the convex simplex.
class RelaxedSimplex {
  public:
    // `limit` bounds the pivots; 0 means a generous bound that grows with the problem.
    Outcome solve(const Problem& problem, std::int64_t limit);

    template <class Visit>
    void each_flow(Visit visit) const {
        for (int node = 0; node < problem_.n + problem_.m; ++node) {
            const int above = forest_.parent(node);
            if (above < 0 || !(flow_[node] > 0)) continue;
            if (node < problem_.n)
                visit(node, above - problem_.n, flow_[node]);
            else
                visit(above, node - problem_.n, flow_[node]);
        }
    }

  private:
    void start();
    void find_nearest();
    void link_nearest(bool share_rows);
    bool improve(std::int64_t limit, std::int64_t* pivots);
    double largest_potential() const;
    bool find_entering(int* row, int* column);
    double flow_at(int row, int column) const;
    void outgrow_rounding(int row, int column);
    void insert(int row, int column);
    void close_cycle(int from, int to, int apex);
    void settle();
    int balance(int root);
    int set_targets(int root, double shift);
    bool advance(int root);
    double stiffness() const;
    double log_mass(int node) const;
    bool is_optimal() const;
    std::vector<double> marginals() const;
    double objective(const std::vector<double>& marginal) const;

    Problem problem_{};
    Forest forest_;
    std::vector<double> flow_, target_, potential_, log_weight_;
    std::vector<int> order_, unsettled_, stamp_, nearest_;
    int clock_ = 0, cursor_ = 0, width_ = 0;
    double tolerance_ = 0, reduced_ = 0;  // reduced_: of the cell that find_entering found
};

}  // namespace monge
