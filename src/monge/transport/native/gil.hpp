// Work without the GIL, and taking it back while the interpreter may be shutting down.
#pragma once

#include <Python.h>

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

namespace monge {

// Before Python 3.14 a daemon thread that asks for the GIL while the interpreter shuts down is ended by pthread_exit,
// which unwinds the C++ stack: a handler that swallows that, or a destructor that it passes through, aborts the
// process, and destructors would release Python objects without the GIL. So such a thread stays here until the
// process ends, as it does in Python 3.14 by itself. PyEval_RestoreThread is C and throws nothing else.
inline void take_gil(PyThreadState* state) {
    try {
        PyEval_RestoreThread(state);
    } catch (...) {
        while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

// Runs work(state) without the GIL; what it throws is thrown again with the GIL. No destructor takes the GIL here, as
// pybind11's gil_scoped_release would.
template <class Work>
void without_gil(Work work) {
    PyThreadState* state = PyEval_SaveThread();
    std::exception_ptr failure;
    try {
        work(state);
    } catch (const std::exception&) {  // not a forced unwind, which is no std::exception
        failure = std::current_exception();
    }
    take_gil(state);
    if (failure) std::rethrow_exception(failure);
}

// Lets Python handle signals, Ctrl-C above all. False when a handler raised: its exception is set and waits for the
// GIL to be taken for good.
inline bool handle_signals(PyThreadState* state) {
    take_gil(state);
    const bool calm = PyErr_CheckSignals() == 0;
    PyEval_SaveThread();
    return calm;
}

}  // namespace monge
