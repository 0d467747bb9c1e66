// Prints the GFLOP/s that one thread reaches with multiplications and additions on 128-bit
// vectors, as WebAssembly has them: twelve independent sums, no fused operations.
#include <stdio.h>
#include <time.h>

typedef float v4 __attribute__((vector_size(16)));

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(void) {
  double best = 0;
  for (int round = 0; round < 7; round++) {
    v4 sum[12], m = {1.0000001f, 0.9999999f, 1.0000002f, 0.9999998f}, x = {1e-3f, 1e-3f, 1e-3f, 1e-3f};
    for (int i = 0; i < 12; i++) sum[i] = m * (float)i;
    const long n = 10000000;
    double start = now();
    for (long i = 0; i < n; i++) {
#pragma GCC unroll 12
      for (int j = 0; j < 12; j++) {
        sum[j] = sum[j] + m * x;
        __asm__ volatile("" : "+x"(m));
      }
    }
    double rate = n * 12.0 * 8 / (now() - start) / 1e9;
    v4 all = sum[0];
    for (int i = 1; i < 12; i++) all += sum[i];
    volatile float keep = all[0];
    (void)keep;
    if (rate > best) best = rate;
  }
  printf("%.3f\n", best);
  return 0;
}
