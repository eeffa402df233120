// Rooted trees over nodes 0..count-1; every node but a root owns the edge to its parent.
#pragma once

#include <vector>

namespace monge {

struct Forest {
    struct Node {
        int parent = -1, first_child = -1, next = -1, previous = -1;  // -1 where there is none
    };
    std::vector<Node> nodes;

    void reset(int count) { nodes.assign(count, Node()); }

    int parent(int node) const { return nodes[node].parent; }

    void link(int child, int above) {
        Node& own = nodes[child];
        own.parent = above;
        own.previous = -1;
        own.next = nodes[above].first_child;
        if (own.next >= 0) nodes[own.next].previous = child;
        nodes[above].first_child = child;
    }

    void unlink(int child) {
        Node& own = nodes[child];
        if (own.previous >= 0)
            nodes[own.previous].next = own.next;
        else
            nodes[own.parent].first_child = own.next;
        if (own.next >= 0) nodes[own.next].previous = own.previous;
        own.parent = -1;
    }

    // Calls visit(node) for the subtree of `top`, parents before children, without the subtree of `skipped`.
    template <class Visit>
    void walk(int top, Visit visit, int skipped = -1) const {
        int node = top;
        while (true) {
            if (node != skipped) {
                visit(node);
                if (nodes[node].first_child >= 0) {
                    node = nodes[node].first_child;
                    continue;
                }
            }
            while (node != top && nodes[node].next < 0) node = nodes[node].parent;
            if (node == top) return;
            node = nodes[node].next;
        }
    }

    // Makes `node` the child of `above` (a root when that is -1) by turning round the edges from `node` up to `last`, whose own edge is cut.
    // value[x] belongs to the edge above x and moves with it; the new edge gets `fresh`.
    template <class Value>
    void rehang(int node, int last, int above, std::vector<Value>& value, Value fresh) {
        while (true) {
            const int old_parent = nodes[node].parent;
            const Value old_value = value[node];
            if (old_parent >= 0) unlink(node);
            if (above >= 0) link(node, above);
            value[node] = fresh;
            if (node == last) return;
            above = node;
            fresh = old_value;
            node = old_parent;
        }
    }
};

}  // namespace monge
