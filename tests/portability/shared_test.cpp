// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared and Peer: handles on an object, never copies of it.
#include <kohort/shared.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

using kohort::Peer;
using kohort::Shared;
using Factory = kohort::Impl::HandleFactory;

struct State {
  int count = 0;
  float tile[8] = {};
};

TEST(Shared, WritesThroughToTheObject) {
  State state;
  Shared<State> const handle = Factory::shared<State>(&state);
  handle->count = 7;
  (*handle).tile[3] = 1.5f;
  EXPECT_EQ(state.count, 7);
  EXPECT_EQ(state.tile[3], 1.5f);
  EXPECT_EQ(&*handle, &state);
}

TEST(Shared, CopiesShareTheObject) {
  int cells[4] = {};
  Shared<int[4]> const first = Factory::shared<int[4]>(cells);
  Shared<int[4]> const second = first;
  second[2] = 9;
  EXPECT_EQ(first[2], 9);
}

TEST(Shared, KnowsItsSize) {
  int cells[6] = {};
  State state;
  EXPECT_EQ((Factory::shared<int[6]>(cells).size()), 6);
  EXPECT_EQ((Factory::shared<int[]>(cells, 4).size()), 4);
  EXPECT_EQ((Factory::shared<State>(&state).size()), 1);
}

TEST(Shared, IndexesRowsOfAMatrix) {
  int cells[3][5] = {};
  Shared<int[3][5]> const rows = Factory::shared<int[3][5]>(cells);
  rows[2][4] = 11;
  EXPECT_EQ(cells[2][4], 11);
  EXPECT_EQ(rows.size(), 3);
}

/// A reference implementation once copied the struct and lost the store.
TEST(Peer, KeepsFieldsOfAStructThroughTheHandle) {
  State state;
  Peer<State> const peer = Factory::peer<State>(&state, 1, 5);
  peer->tile[7] = 2.5f;
  EXPECT_EQ(state.tile[7], 2.5f);
  EXPECT_EQ(peer.rank(), 5);
}

TEST(Peer, KeepsTheLengthOfADynamicArray) {
  double cells[10] = {};
  Peer<double[]> const peer = Factory::peer<double[]>(cells, 10, 1);
  peer[9] = 4.0;
  EXPECT_EQ(peer.size(), 10);
  EXPECT_EQ(cells[9], 4.0);
}

template <class Handle>
concept is_indexed = requires(Handle const& handle) {
  handle[0];
};
template <class Handle>
concept is_dereferenced = requires(Handle const& handle) {
  *handle;
};

TEST(Handles, OfferOnlyWhatTheirTypeMeans) {
  EXPECT_TRUE((is_indexed<Shared<int[4]>>));
  EXPECT_FALSE((is_indexed<Shared<State>>));
  EXPECT_TRUE((is_dereferenced<Peer<State>>));
  EXPECT_FALSE((is_dereferenced<Peer<int[]>>));
}

TEST(Handles, AreMadeByTheLibraryAlone) {
  EXPECT_FALSE((std::is_default_constructible_v<Shared<int>>));
  EXPECT_FALSE((std::is_constructible_v<Shared<int>, int*, int>));
  EXPECT_FALSE((std::is_constructible_v<Peer<int>, int*, int, int>));
  EXPECT_FALSE((std::is_convertible_v<Peer<int>, Shared<int>>));
}

TEST(Handles, AreAsCheapAsTheirParts) {
  EXPECT_TRUE((std::is_trivially_copyable_v<Shared<State>>));
  EXPECT_TRUE((std::is_trivially_copyable_v<Peer<State[]>>));
  EXPECT_LE(sizeof(Peer<State>), 2 * sizeof(void*));
}

}  // namespace
