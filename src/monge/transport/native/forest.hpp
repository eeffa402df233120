// Rooted trees over nodes 0..count-1; every node but a root owns the edge to its parent.
#pragma once

#include <cstdint>
#include <vector>

namespace monge {

struct Forest {
    std::vector<int> parent, first_child, next, previous;  // -1 where there is none

    void reset(int count) {
        parent.assign(count, -1);
        first_child.assign(count, -1);
        next.assign(count, -1);
        previous.assign(count, -1);
    }

    void link(int child, int above) {
        const int sibling = first_child[above];
        parent[child] = above;
        previous[child] = -1;
        next[child] = sibling;
        if (sibling >= 0) previous[sibling] = child;
        first_child[above] = child;
    }

    void unlink(int child) {
        const int before = previous[child], after = next[child];
        if (before >= 0)
            next[before] = after;
        else
            first_child[parent[child]] = after;
        if (after >= 0) previous[after] = before;
        parent[child] = -1;
    }

    // Calls visit(node) for the subtree of `top`, parents before children.
    template <class Visit>
    void walk(int top, Visit visit) const {
        int node = top;
        while (true) {
            visit(node);
            if (first_child[node] >= 0) {
                node = first_child[node];
                continue;
            }
            while (node != top && next[node] < 0) node = parent[node];
            if (node == top) return;
            node = next[node];
        }
    }

    // Makes `node` the child of `above` by turning round the edges from `node` up to `last`, whose own edge is cut.
    // value[x] belongs to the edge above x and moves with it; the new edge gets `fresh`.
    template <class Value>
    void rehang(int node, int last, int above, std::vector<Value>& value, Value fresh) {
        while (true) {
            const int old_parent = parent[node];
            const Value old_value = value[node];
            if (old_parent >= 0) unlink(node);
            if (above >= 0)
                link(node, above);
            value[node] = fresh;
            if (node == last) return;
            above = node;
            fresh = old_value;
            node = old_parent;
        }
    }
};

}  // namespace monge
