// Balanced transport by the transportation simplex.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "forest.hpp"
#include "kernels.hpp"
#include "lazy.hpp"
#include "outcome.hpp"

namespace monge {

// Primal simplex on the complete bipartite graph with strongly feasible trees (Cunningham 1976), which cannot cycle.
// Masses are whole numbers, so flows are exact and depend on the basis alone.
class TransportSimplex {
  public:
    // cost is (n, stride) with +inf-like padding (≥ 1e299) right of column m; supplies and demands are positive and
    // have equal sums. When `lazy` is given, cost holds the bounds that it refines.
    Outcome solve(const double* cost, int n, int m, int stride, const std::int64_t* supply, const std::int64_t* demand,
                  LazyCosts* lazy);

    // Goes on where costs of very different size left the potentials too coarse for the costs that are paid: until they
    // are as fine as the costs that are paid. Flows of at most `noise` units do not count. False without success.
    bool sharpen(std::int64_t noise, std::int64_t* pivots);

    // Takes the potentials from every cost (n, stride), which changes no optimal plan; small costs keep their digits
    // beside large potentials. Returns the largest size of a cost that is paid, or of a negative cost.
    double reduce(double* cost, int stride) const;

    // Calls visit(row, column, flow) for every edge that carries flow.
    template <class Visit>
    void each_flow(Visit visit) const {
        for (int node = 0; node < n_ + m_; ++node) {
            const int above = tree_.parent(node);
            if (above < 0 || flow_[node] == 0) continue;
            if (node < n_)
                visit(node, above - n_, flow_[node]);
            else
                visit(above, node - n_, flow_[node]);
        }
    }

  private:
    void start_greedily(const std::int64_t* supply, const std::int64_t* demand);
    void join_components();
    void set_potentials(int top);
    void refresh_potentials();
    void set_tolerance();
    double wanted_tolerance(std::int64_t noise);
    bool has_negative_cost() const;
    bool improve(std::int64_t* pivots, bool last);
    double cheapest(int row, const double* v, int* column);
    bool find_entering(int* row, int* column);
    void pivot(int row, int column);
    void move(int top, int leaving, int above, int apex, std::int64_t amount);
    void shift(int top, double change);

    const double* cost_ = nullptr;
    LazyCosts* lazy_ = nullptr;
    int n_ = 0, m_ = 0, stride_ = 0, width_ = 0, block_ = 1, cursor_ = 0, root_ = 0;
    double tolerance_ = 0, reduced_ = 0;  // of the cell that find_entering found
    Forest tree_;                         // nodes are rows, then columns
    std::vector<int> size_;               // nodes below and including each
    std::vector<std::int64_t> flow_;      // on the edge above each
    std::vector<double> potential_;       // of each; padded
    std::vector<std::vector<double>> potentials_;  // of earlier rounds of sharpening, to which potential_ is added
    std::vector<double> level_;                    // costs less those
    std::vector<std::int64_t> left_, right_;
    std::vector<std::pair<double, double>> paid_;  // costs and masses
    std::vector<double> least_, offset_, mask_, zeros_;
    std::vector<int> least_at_, roots_, order_;
};

}  // namespace monge
