int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i] * 2; return s; }
static int sq(int x) { return x * x; }
int two(int *a, int n) { return sq(sum(a, n)) + sq(n); }
