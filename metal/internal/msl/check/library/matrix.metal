// Matrices of 2 to 4 columns and rows, column after column, each laid out as a vector. [MSL 4.0] §2.3, §3.2 and §6.6
//
// Rounding: a matrix times a vector adds the columns' products in order, ((c0*x + c1*y) + c2*z) + c3*w; a vector times a matrix is its
// dot product with each column; a matrix times a matrix is the left one times each column of the right one. Whether products are fused
// is what the options of the compilation say. §3.2 leaves the order of the sums open, and this is one.
#define EACH(f) f(0) f(1) if constexpr (Cols > 2) { f(2) } if constexpr (Cols > 3) { f(3) }
#define TEMPLATE template <typename T, int Cols, int Rows>
#define MATRIX matrix<T, Cols, Rows>

template <typename T> struct __alone { using type = T; };

#define ACCESS(space) \
  space vec<T, Rows>& operator[](int i) space { return columns[i]; } \
  const space vec<T, Rows>& operator[](int i) const space { return columns[i]; }
#define COLUMNS(n, ...) template <int N = Cols, enable_if_t<N == n, int> = 0> constexpr matrix(__VA_ARGS__)
#define SCALARS(n, parameters, ...) \
  template <int N = Cols * Rows, enable_if_t<N == n, int> = 0> constexpr matrix parameters { const T s[n] = {__VA_ARGS__}; EACH(FILL) }
#define FILL(i) columns[i][0] = s[i * Rows]; columns[i][1] = s[i * Rows + 1]; \
  if constexpr (Rows > 2) columns[i][2] = s[i * Rows + 2]; \
  if constexpr (Rows > 3) columns[i][3] = s[i * Rows + 3];
#define DIAGONAL(i) columns[i] = vec<T, Rows>(T(0)); if constexpr (i < Rows) columns[i][i] = d;
#define CONVERTED(i) columns[i] = vec<T, Rows>(m.columns[i]);
#define P(a) T a##0, T a##1, T a##2, T a##3
#define A(a) a##0, a##1, a##2, a##3

template <typename T, int Cols, int Rows = Cols> struct matrix {
  static_assert((is_same_v<T, float> || is_same_v<T, half> || is_same_v<T, bfloat>) && Cols >= 2 && Cols <= 4 && Rows >= 2 && Rows <= 4,
                "a matrix has 2 to 4 columns and rows of float, half or bfloat");
  vec<T, Rows> columns[Cols];

  matrix() = default;
  constexpr explicit matrix(T d) { EACH(DIAGONAL) }
  template <typename U> constexpr explicit matrix(matrix<U, Cols, Rows> m) { EACH(CONVERTED) }
  COLUMNS(2, vec<T, Rows> a, vec<T, Rows> b) { columns[0] = a; columns[1] = b; }
  COLUMNS(3, vec<T, Rows> a, vec<T, Rows> b, vec<T, Rows> c) { columns[0] = a; columns[1] = b; columns[2] = c; }
  COLUMNS(4, vec<T, Rows> a, vec<T, Rows> b, vec<T, Rows> c, vec<T, Rows> d) {
    columns[0] = a; columns[1] = b; columns[2] = c; columns[3] = d;
  }
  SCALARS(4, (P(a)), A(a))
  SCALARS(6, (P(a), T b0, T b1), A(a), b0, b1)
  SCALARS(8, (P(a), P(b)), A(a), A(b))
  SCALARS(9, (P(a), P(b), T c0), A(a), A(b), c0)
  SCALARS(12, (P(a), P(b), P(c)), A(a), A(b), A(c))
  SCALARS(16, (P(a), P(b), P(c), P(d)), A(a), A(b), A(c), A(d))

  ACCESS(thread)
  ACCESS(threadgroup)
  ACCESS(device)
  const constant vec<T, Rows>& operator[](int i) const constant { return columns[i]; }
};

#define PLUS(i) a.columns[i] += b.columns[i];
#define MINUS(i) a.columns[i] -= b.columns[i];
#define NEGATIVE(i) a.columns[i] = -a.columns[i];
#define SCALED(i) a.columns[i] *= s;
TEMPLATE constexpr MATRIX operator+(MATRIX a, MATRIX b) { EACH(PLUS) return a; }
TEMPLATE constexpr MATRIX operator-(MATRIX a, MATRIX b) { EACH(MINUS) return a; }
TEMPLATE constexpr MATRIX operator-(MATRIX a) { EACH(NEGATIVE) return a; }
TEMPLATE constexpr MATRIX operator+(MATRIX a) { return a; }
TEMPLATE constexpr MATRIX operator*(MATRIX a, typename __alone<T>::type s) { EACH(SCALED) return a; }
TEMPLATE constexpr MATRIX operator*(typename __alone<T>::type s, MATRIX a) { EACH(SCALED) return a; }

TEMPLATE constexpr vec<T, Rows> operator*(MATRIX m, vec<T, Cols> v) {
  vec<T, Rows> r = m.columns[0] * v[0];
  r += m.columns[1] * v[1];
  if constexpr (Cols > 2) r += m.columns[2] * v[2];
  if constexpr (Cols > 3) r += m.columns[3] * v[3];
  return r;
}
#define DOT(i) r[i] = dot(v, m.columns[i]);
TEMPLATE constexpr vec<T, Cols> operator*(vec<T, Rows> v, MATRIX m) {
  vec<T, Cols> r;
  EACH(DOT)
  return r;
}
#define PRODUCT(i) r.columns[i] = a * b.columns[i];
template <typename T, int Cols, int Inner, int Rows>
constexpr matrix<T, Cols, Rows> operator*(matrix<T, Inner, Rows> a, matrix<T, Cols, Inner> b) {
  matrix<T, Cols, Rows> r;
  EACH(PRODUCT)
  return r;
}

#define EQUAL(i) equal = equal && all(a.columns[i] == b.columns[i]);
TEMPLATE constexpr bool operator==(MATRIX a, MATRIX b) {
  bool equal = true;
  EACH(EQUAL)
  return equal;
}
TEMPLATE constexpr bool operator!=(MATRIX a, MATRIX b) { return !(a == b); }

#define COMPOUND(space) \
  TEMPLATE constexpr space MATRIX& operator+=(space MATRIX& a, MATRIX b) { a = a + b; return a; } \
  TEMPLATE constexpr space MATRIX& operator-=(space MATRIX& a, MATRIX b) { a = a - b; return a; } \
  TEMPLATE constexpr space MATRIX& operator*=(space MATRIX& a, typename __alone<T>::type s) { a = a * s; return a; } \
  TEMPLATE constexpr space MATRIX& operator*=(space MATRIX& a, matrix<T, Cols, Cols> b) { a = a * b; return a; } \
  template <typename T, int N> constexpr space vec<T, N>& operator*=(space vec<T, N>& v, matrix<T, N, N> m) { v = v * m; return v; }
COMPOUND(thread)
COMPOUND(threadgroup)
COMPOUND(device)

template <int I, typename T, int R> constexpr vec<T, 2> __row(matrix<T, 2, R> m) {
  return vec<T, 2>(m.columns[0][I], m.columns[1][I]);
}
template <int I, typename T, int R> constexpr vec<T, 3> __row(matrix<T, 3, R> m) {
  return vec<T, 3>(m.columns[0][I], m.columns[1][I], m.columns[2][I]);
}
template <int I, typename T, int R> constexpr vec<T, 4> __row(matrix<T, 4, R> m) {
  return vec<T, 4>(m.columns[0][I], m.columns[1][I], m.columns[2][I], m.columns[3][I]);
}
#define ROW(i) r.columns[i] = __row<i>(m);
TEMPLATE constexpr MATRIX transpose(matrix<T, Rows, Cols> m) {
  MATRIX r;
  EACH(ROW)
  return r;
}

// Determinants, expanded by the last column, whose minors are those of the columns before it.
template <typename T> constexpr T determinant(matrix<T, 2, 2> m) {
  return m.columns[0].x * m.columns[1].y - m.columns[0].y * m.columns[1].x;
}
template <typename T> constexpr T determinant(matrix<T, 3, 3> m) { return dot(cross(m.columns[0], m.columns[1]), m.columns[2]); }
template <typename T> constexpr T determinant(matrix<T, 4, 4> m) {
  const vec<T, 4> a = m.columns[0], b = m.columns[1], c = m.columns[2];
  const vec<T, 4> minors = vec<T, 4>(-dot(cross(a.yzw, b.yzw), c.yzw), dot(cross(a.xzw, b.xzw), c.xzw),
                                     -dot(cross(a.xyw, b.xyw), c.xyw), dot(cross(a.xyz, b.xyz), c.xyz));
  return dot(minors, m.columns[3]);
}

#define NAMES(T, c) using T##c##x2 = matrix<T, c, 2>; using T##c##x3 = matrix<T, c, 3>; using T##c##x4 = matrix<T, c, 4>;
NAMES(float, 2) NAMES(float, 3) NAMES(float, 4) NAMES(half, 2) NAMES(half, 3) NAMES(half, 4)
