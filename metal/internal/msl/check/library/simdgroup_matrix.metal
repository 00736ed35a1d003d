// Matrices of 8 columns and 8 rows that the 32 lanes of a simdgroup hold together, each lane two elements of a row or of a column.
// [MSL 4.0] §2.4 and §6.7
//
// Which elements a lane holds is the machine's: its pair has number place = 4*line + at, the elements 2*at and 2*at+1 of row line, or of
// column line where the layout is transposed. The place of a lane is linear in the bits of the lane: that a place differs in bit b
// from this lane's, the lane differs in step b of the layout.
#define PAIR vec<T, 2>
#define SIMDGROUP_MATRIX simdgroup_matrix<T, 8, 8>
#define TEMPLATE template <typename T>

struct __simdgroup_layout {
  uint word = __simdgroup_matrix_layout();
  uint step(int bit) const { return word >> (5 * bit) & 31u; }
  bool transposed() const { return (word >> 25 & 1u) != 0u; }
  uint first() const { return word >> 26 & 7u; } // the product that multiply_accumulate begins with
  bool late() const { return (word >> 29 & 1u) != 0u; } // it adds c after the products
  bool narrow() const { return (word >> 30 & 1u) != 0u; } // it rounds each sum to the type of the result
};

// __simdgroup_place is this lane's place. Each lane is told the place of the one before it and hands that back, so that a place depends on
// a lane that is not active unless all 32 are.
inline uint __simdgroup_place() { return simd_shuffle_rotate_down(__simdgroup_matrix_place_before(), ushort(1)); }

template <typename T, int Cols, int Rows = Cols> struct simdgroup_matrix {
  static_assert(Cols == 8 && Rows == 8, "a simdgroup matrix has 8 columns and 8 rows");
  static_assert(is_same_v<T, float> || is_same_v<T, half> || is_same_v<T, bfloat>, "a simdgroup matrix holds half, bfloat or float");
  PAIR __elements;

  simdgroup_matrix() = default;
  explicit simdgroup_matrix(T diagonal) {
    const uint place = __simdgroup_place(), line = place / 4, at = place % 4 * 2;
    __elements = PAIR(line == at ? diagonal : T(0), line == at + 1 ? diagonal : T(0));
  }
  thread PAIR& thread_elements() thread { return __elements; }
  const thread PAIR& thread_elements() const thread { return __elements; }
};

template <typename T, int Cols, int Rows = Cols> simdgroup_matrix<T, Cols, Rows> make_filled_simdgroup_matrix(T value) {
  simdgroup_matrix<T, Cols, Rows> m;
  m.__elements = PAIR(value);
  return m;
}

// __simdgroup_span says where in memory this lane's elements are: the first one, and how far from it the other.
struct __simdgroup_span {
  ulong first, next;
  __simdgroup_span(ulong elements_per_row, ulong2 origin, bool transpose) {
    const uint place = __simdgroup_place(), line = place / 4, at = place % 4 * 2;
    const bool down = __simdgroup_layout().transposed() != transpose;
    next = down ? elements_per_row : 1;
    first = origin.y * elements_per_row + origin.x + (down ? line : line * elements_per_row) + at * next;
  }
};

#define MEMORY(space) \
  TEMPLATE void simdgroup_load(thread SIMDGROUP_MATRIX& d, const space T* src, ulong elements_per_row = 8, \
                               ulong2 matrix_origin = ulong2(0), bool transpose_matrix = false) { \
    const __simdgroup_span at(elements_per_row, matrix_origin, transpose_matrix); \
    d.__elements = PAIR(src[at.first], src[at.first + at.next]); \
  } \
  TEMPLATE void simdgroup_store(SIMDGROUP_MATRIX a, space T* dst, ulong elements_per_row = 8, \
                                ulong2 matrix_origin = ulong2(0), bool transpose_matrix = false) { \
    const __simdgroup_span at(elements_per_row, matrix_origin, transpose_matrix); \
    dst[at.first] = a.__elements.x; \
    dst[at.first + at.next] = a.__elements.y; \
  }
MEMORY(device)
MEMORY(threadgroup)

// __simdgroup_product adds the products of a's rows and b's columns to c. In a transposed layout lanes hold the transposes of the matrices
// as they would hold the matrices otherwise, and the product of two is that of their transposes the other way round.
//
// Rounding: to float, eight products one after the other. Which is the first, and whether c comes before or after them, is the machine's; so is
// whether each product is rounded, whatever the options say, and whether each sum is rounded to T too.
template <typename T, typename A, typename B> PAIR __simdgroup_product(vec<A, 2> a, vec<B, 2> b, float2 c) {
#pragma METAL fp contract(fast)
  const __simdgroup_layout layout;
  const bool transposed = layout.transposed(), late = layout.late(), narrow = layout.narrow();
  float2 x = transposed ? float2(b) : float2(a);
  const float2 y = transposed ? float2(a) : float2(b);
  const uint k = layout.first(), place = __simdgroup_place(), at = place % 4 ^ k / 2, line = place / 4 ^ k;
  if ((k & 1) != 0) x = x.yx;
  const uint c0 = layout.step(0), c1 = layout.step(1), r0 = layout.step(2), r1 = layout.step(3), r2 = layout.step(4);
  // How far away the lanes are that hold the elements of the first product.
  const uint left = (at & 1) * c0 ^ at / 2 * c1, right = (line & 1) * r0 ^ (line / 2 & 1) * r1 ^ line / 4 * r2;
  float2 sum = late ? float2(0) : c;
#define STEP(element, column, row) \
  sum += __simd_shuffle_xor(x.element, ushort(left ^ (column))) * __simd_shuffle_xor(y, ushort(right ^ (row))); \
  if constexpr (sizeof(T) == 2) sum = narrow ? float2(PAIR(sum)) : sum;
  STEP(x, 0, 0)
  STEP(y, 0, r0)
  STEP(x, c0, r1)
  STEP(y, c0, r0 ^ r1)
  STEP(x, c1, r2)
  STEP(y, c1, r0 ^ r2)
  STEP(x, c0 ^ c1, r1 ^ r2)
  STEP(y, c0 ^ c1, r0 ^ r1 ^ r2)
  return PAIR(late ? sum + c : sum);
}

template <typename T, typename A, typename B, typename C>
void simdgroup_multiply_accumulate(thread SIMDGROUP_MATRIX& d, simdgroup_matrix<A, 8, 8> a, simdgroup_matrix<B, 8, 8> b, simdgroup_matrix<C, 8, 8> c) {
  d.__elements = __simdgroup_product<T>(a.__elements, b.__elements, float2(c.__elements));
}
template <typename T, typename A, typename B>
void simdgroup_multiply(thread SIMDGROUP_MATRIX& d, simdgroup_matrix<A, 8, 8> a, simdgroup_matrix<B, 8, 8> b) {
  d.__elements = __simdgroup_product<T>(a.__elements, b.__elements, float2(0));
}
TEMPLATE SIMDGROUP_MATRIX operator*(SIMDGROUP_MATRIX a, SIMDGROUP_MATRIX b) {
  SIMDGROUP_MATRIX d;
  simdgroup_multiply(d, a, b);
  return d;
}

using simdgroup_float8x8 = simdgroup_matrix<float, 8, 8>;
using simdgroup_half8x8 = simdgroup_matrix<half, 8, 8>;
using simdgroup_bfloat8x8 = simdgroup_matrix<bfloat, 8, 8>;
