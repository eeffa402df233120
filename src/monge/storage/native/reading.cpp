// Many blobs of a pack read and checked in one call. Their CRC-32 (the one of zlib) is computed by carry-less
// multiplication where the processor has it:
// V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__GNUC__) && defined(__x86_64__)
#define MONGE_PCLMUL 1
#include <immintrin.h>
#endif

#ifndef _WIN32
#define MONGE_PREAD 1
#include <unistd.h>
#endif

namespace py = pybind11;

namespace {

struct Table {
    std::uint32_t of[256];
    Table() {
        for (std::uint32_t n = 0; n < 256; ++n) {
            std::uint32_t rest = n;
            for (int bit = 0; bit < 8; ++bit) rest = rest & 1 ? 0xEDB88320u ^ rest >> 1 : rest >> 1;
            of[n] = rest;
        }
    }
};
const Table table;

// The register of the CRC, without the complements at start and end, after more bytes.
std::uint32_t feed(std::uint32_t crc, const std::uint8_t* at, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) crc = table.of[(crc ^ at[i]) & 0xFF] ^ crc >> 8;
    return crc;
}

#ifdef MONGE_PCLMUL
#define WITH_PCLMUL __attribute__((target("pclmul,sse4.1")))

WITH_PCLMUL inline __m128i load(const std::uint8_t* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

// `rest` moved forward by the distance that `by` stands for, and the bytes that lie there.
WITH_PCLMUL inline __m128i fold(__m128i rest, __m128i by, __m128i bytes) {
    const __m128i low = _mm_clmulepi64_si128(rest, by, 0x00), high = _mm_clmulepi64_si128(rest, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), bytes);
}

// As feed, for a count that is a multiple of 16 and at least 64.
WITH_PCLMUL std::uint32_t feed_blocks(std::uint32_t crc, const std::uint8_t* at, std::size_t count) {
    const __m128i by_64 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);  // x^(512-32), x^(512+32) mod P, bits reversed
    const __m128i by_16 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);  // x^(128-32), x^(128+32)
    const __m128i by_8 = _mm_set_epi64x(0, 0x0163cd6124);              // x^64
    const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
    const __m128i low_half = _mm_setr_epi32(~0, 0, ~0, 0);
    __m128i a = _mm_xor_si128(load(at), _mm_cvtsi32_si128(static_cast<int>(crc)));
    __m128i b = load(at + 16), c = load(at + 32), d = load(at + 48);
    for (at += 64, count -= 64; count >= 64; at += 64, count -= 64) {
        a = fold(a, by_64, load(at));
        b = fold(b, by_64, load(at + 16));
        c = fold(c, by_64, load(at + 32));
        d = fold(d, by_64, load(at + 48));
    }
    a = fold(fold(fold(a, by_16, b), by_16, c), by_16, d);
    for (; count >= 16; at += 16, count -= 16) a = fold(a, by_16, load(at));
    a = _mm_xor_si128(_mm_clmulepi64_si128(a, by_16, 0x10), _mm_srli_si128(a, 8));  // 128 bits to 64
    b = _mm_srli_si128(a, 4);
    a = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(a, low_half), by_8, 0x00), b);
    b = _mm_clmulepi64_si128(_mm_and_si128(a, low_half), barrett, 0x10);  // 64 bits to 32, Barrett's reduction
    b = _mm_clmulepi64_si128(_mm_and_si128(b, low_half), barrett, 0x00);
    return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(a, b), 1));
}

const bool fast = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#else
const bool fast = false;
#endif

std::uint32_t feed_all(std::uint32_t crc, const std::uint8_t* at, std::size_t count) {
#ifdef MONGE_PCLMUL
    if (fast && count >= 64) {
        const std::size_t whole = count & ~std::size_t(15);
        crc = feed_blocks(crc, at, whole);
        at += whole, count -= whole;
    }
#endif
    return feed(crc, at, count);
}

using Places = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Bytes = py::array_t<std::uint8_t, py::array::c_style>;

struct Blob {
    std::int64_t offset, size, start;
    std::uint32_t begun;
    std::int64_t wanted;  // as the index has it: a damaged one may name any number
};

// What monge.storage.pack_index.checksum puts before a blob: the length of its key, the key, the length of the blob.
std::uint32_t begin(py::handle key, std::int64_t size) {
    char* bytes;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(key.ptr(), &bytes, &length)) throw py::error_already_set();
    char number[32];
    const auto feed_number = [&number](std::uint32_t crc, long long value) {
        const int digits = std::snprintf(number, sizeof number, "%lld:", value);
        return feed(crc, reinterpret_cast<const std::uint8_t*>(number), digits);
    };
    const std::uint32_t crc = feed(feed_number(~0u, length), reinterpret_cast<const std::uint8_t*>(bytes), length);
    return feed_number(crc, size);
}

std::vector<Blob> list_blobs(const Places& places, const Places& starts, const py::list& keys, std::int64_t total) {
    const auto place = places.unchecked<2>();
    const auto start = starts.unchecked<1>();
    const auto count = static_cast<std::int64_t>(keys.size());
    if (place.shape(0) != count || place.shape(1) != 4 || start.shape(0) != count)
        throw std::invalid_argument("as many places as keys are needed");
    std::vector<Blob> blobs;
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t offset = place(k, 1), size = place(k, 2);
        if (offset < 0 || size < 0 || start(k) < 0 || size > total - start(k))
            throw std::out_of_range("a blob does not fit");
        blobs.push_back({offset, size, start(k), begin(keys[k], size), place(k, 3)});
    }
    return blobs;
}

// Whether all of a blob could be read from an open file; what errno says is left to the caller.
bool read_blob(int file, const Blob& blob, std::uint8_t* data) {
#ifdef MONGE_PREAD
    for (std::int64_t done = 0; done < blob.size;) {
        const ssize_t count = pread(file, data + blob.start + done, blob.size - done, blob.offset + done);
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) errno = 0;  // the file ends here, whatever interrupted an earlier try
        if (count <= 0) return false;
        done += count;
    }
    return true;
#else
    return false;
#endif
}

// Read blobs to their starts in `data`; whether all of them are what was written for their keys.
bool read_blobs(int file, const Places& places, const Places& starts, const py::list& keys, Bytes data) {
    const std::vector<Blob> blobs = list_blobs(places, starts, keys, data.size());
    std::uint8_t* const to = data.mutable_data();
    bool good = true;
    int fault = 0;
    {
        py::gil_scoped_release free;
        for (const Blob& blob : blobs) {  // each is checked while it is in the processor's cache
            errno = 0;
            good = read_blob(file, blob, to);
            if (!good) fault = errno;
            good = good && std::int64_t(~feed_all(blob.begun, to + blob.start, blob.size)) == blob.wanted;
            if (!good) break;
        }
    }
    if (fault) {
        errno = fault;
        PyErr_SetFromErrno(PyExc_OSError);
        throw py::error_already_set();
    }
    return good;
}

}  // namespace

PYBIND11_MODULE(_reading, module) {
#ifdef MONGE_PREAD
    module.attr("fast") = fast;
#else
    module.attr("fast") = false;
#endif
    module.def("read_blobs", &read_blobs, py::arg("file"), py::arg("places"), py::arg("starts"), py::arg("keys"),
               py::arg("data").noconvert());
}
