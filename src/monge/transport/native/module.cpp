// Python's view of the native core. Shapes and values are checked on the Python side.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "gil.hpp"
#include "solver.hpp"

namespace py = pybind11;

namespace {

constexpr std::chrono::milliseconds kBetweenSignals{100};

template <class T>
using Array = py::array_t<T, py::array::c_style>;

monge::CostKind parse_cost(const std::string& name) {
    if (name == "euclidean") return monge::CostKind::euclidean;
    if (name == "sqeuclidean") return monge::CostKind::squared_euclidean;
    if (name == "cosine") return monge::CostKind::cosine;
    if (name == "position") return monge::CostKind::position;
    throw py::value_error("unknown cost " + name);
}

using Positions = std::optional<Array<double>>;

Array<double> cost_matrix(Array<float> a, Array<float> b, const std::string& cost, Positions positions_a,
                          Positions positions_b) {
    const int n = int(a.shape(0)), m = int(b.shape(0)), dimension = int(a.shape(1));
    Array<double> out({n, m});
    double* target = out.mutable_data();
    const monge::CostKind kind = parse_cost(cost);
    const monge::Cloud left{a.data(), nullptr, n, positions_a ? positions_a->data() : nullptr};
    const monge::Cloud right{b.data(), nullptr, m, positions_b ? positions_b->data() : nullptr};
    monge::without_gil([&](PyThreadState*) { monge::Solver().cost_matrix(left, right, dimension, kind, target); });
    return out;
}

py::tuple solve_problem(Array<double> cost, Array<double> a, Array<double> b, double rho_a, double rho_b,
                        double epsilon, bool relative, double tolerance, std::int64_t limit) {
    const int n = int(cost.shape(0)), m = int(cost.shape(1));
    Array<double> coupling({n, m});
    double* target = coupling.mutable_data();
    std::fill_n(target, std::int64_t(n) * m, 0.0);
    const monge::Setting setting{rho_a, rho_b, 1.0, {epsilon, relative, tolerance, limit}};
    const double *costs = cost.data(), *left = a.data(), *right = b.data();
    monge::Solution solution;
    monge::without_gil([&](PyThreadState*) {
        solution = monge::Solver().solve(costs, n, m, left, right, setting, target);
    });
    return py::make_tuple(coupling, solution.outcome.iterations, solution.outcome.converged);
}

struct Clouds {
    const float* points;
    const double* weights;
    const std::int64_t* offsets;
    const double* positions;
    int dimension;

    Clouds(const Array<float>& p, const Array<double>& w, const Array<std::int64_t>& o, const Positions& q)
        : points(p.data()),
          weights(w.data()),
          offsets(o.data()),
          positions(q ? q->data() : nullptr),
          dimension(int(p.shape(1))) {}

    monge::Cloud at(std::int64_t k) const {
        return {points + offsets[k] * dimension, weights + offsets[k], int(offsets[k + 1] - offsets[k]),
                positions == nullptr ? nullptr : positions + offsets[k]};
    }
};

// Runs work(k, solver) for k < count on several threads without the GIL; the calling thread works too and lets Python
// handle signals from time to time.
template <class Work>
void spread(std::int64_t count, int threads, Work work) {
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stop{false};
    std::exception_ptr failure;
    std::mutex guard;
    auto run = [&](PyThreadState* calling) {
        try {
            monge::Solver solver;
            auto looked = std::chrono::steady_clock::now();
            for (std::int64_t k; !stop && (k = next++) < count;) {
                work(k, solver);
                if (calling == nullptr || std::chrono::steady_clock::now() - looked < kBetweenSignals) continue;
                if (!monge::handle_signals(calling)) stop = true;
                looked = std::chrono::steady_clock::now();
            }
        } catch (const std::exception&) {
            stop = true;
            std::lock_guard<std::mutex> lock(guard);
            if (!failure) failure = std::current_exception();
        }
    };
    monge::without_gil([&](PyThreadState* state) {
        std::vector<std::thread> others;
        try {
            for (int t = 1; t < threads; ++t) others.emplace_back(run, nullptr);
        } catch (const std::exception&) {
            // The machine grants no more threads, or no memory for them: those there are do the work.
        }
        run(state);
        for (std::thread& other : others) other.join();
    });
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    if (failure) std::rethrow_exception(failure);
}

// What solve_pairs returns: one entry per pair, and the plans end to end when somebody wants them.
struct Results {
    Array<double> costs, masses;
    Array<std::int64_t> iterations;
    Array<bool> converged;
    py::object couplings = py::none();

    Results(std::int64_t count, std::int64_t cells) : costs(count), masses(count), iterations(count), converged(count) {
        if (cells >= 0) couplings = Array<double>(cells);
    }

    py::tuple as_tuple() const { return py::make_tuple(costs, masses, iterations, converged, couplings); }
};

// `coupling_starts` says where the plan of each pair begins; without it no plans are kept.
py::tuple solve_pairs(Array<float> left_points, Array<double> left_weights, Array<std::int64_t> left_offsets,
                      Positions left_positions, Array<float> right_points, Array<double> right_weights,
                      Array<std::int64_t> right_offsets, Positions right_positions, Array<std::int64_t> pairs,
                      const std::string& cost, double order, double rho_a, double rho_b, double epsilon, bool relative,
                      double tolerance, std::optional<Array<std::int64_t>> coupling_starts, int threads) {
    const Clouds left(left_points, left_weights, left_offsets, left_positions);
    const Clouds right(right_points, right_weights, right_offsets, right_positions);
    const std::int64_t count = pairs.shape(0);
    const monge::Setting setting{rho_a, rho_b, order, {epsilon, relative, tolerance, 0}};
    const monge::CostKind kind = parse_cost(cost);
    const std::int64_t* starts = coupling_starts ? coupling_starts->data() : nullptr;
    Results results(count, starts == nullptr ? -1 : starts[count]);
    double* flat = starts == nullptr ? nullptr : results.couplings.cast<Array<double>>().mutable_data();
    const std::int64_t* index = pairs.data();
    double *costs = results.costs.mutable_data(), *masses = results.masses.mutable_data();
    std::int64_t* iterations = results.iterations.mutable_data();
    bool* converged = results.converged.mutable_data();
    spread(count, threads, [&](std::int64_t k, monge::Solver& solver) {
        double* coupling = flat == nullptr ? nullptr : flat + starts[k];
        if (coupling != nullptr) std::fill_n(coupling, starts[k + 1] - starts[k], 0.0);
        const monge::Solution solution =
            solver.solve(left.at(index[2 * k]), right.at(index[2 * k + 1]), left.dimension, kind, setting, coupling);
        costs[k] = solution.cost;
        masses[k] = solution.mass;
        iterations[k] = solution.outcome.iterations;
        converged[k] = solution.outcome.converged;
    });
    return results.as_tuple();
}

}  // namespace

PYBIND11_MODULE(_native, module) {
    module.doc() = "Transport solvers in C++; use monge.transport, which checks what it passes on.";
    module.def("cost_matrix", &cost_matrix);
    module.def("solve_problem", &solve_problem);
    module.def("solve_pairs", &solve_pairs);
    module.def("instruction_set", [] { return monge::kernels().name; });
    module.def("use_portable_kernels", &monge::use_portable_kernels);
}
