/* Prints the GFLOP/s that independent chains of 128-bit multiply-adds reach on one thread:
   the most that WebAssembly's vector instructions could do. */
#include <stdio.h>
#include <time.h>

typedef float v4 __attribute__((vector_size(16)));

int main(void) {
	const long turns = 30000000;
	volatile float one = 0.999f, small = 0.001f;
	v4 m = {one, one, one, one}, c = {small, small, small, small}, a[12];
	double best = 0;
	for (int round = 0; round < 5; round++) {
		struct timespec t0, t1;
		for (int i = 0; i < 12; i++) a[i] = c * (float)i;
		v4 a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5];
		v4 a6 = a[6], a7 = a[7], a8 = a[8], a9 = a[9], a10 = a[10], a11 = a[11];
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t0);
		for (long n = 0; n < turns; n++) {
			a0 = a0 * m + c; a1 = a1 * m + c; a2 = a2 * m + c; a3 = a3 * m + c;
			a4 = a4 * m + c; a5 = a5 * m + c; a6 = a6 * m + c; a7 = a7 * m + c;
			a8 = a8 * m + c; a9 = a9 * m + c; a10 = a10 * m + c; a11 = a11 * m + c;
		}
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t1);
		v4 sum = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11;
		volatile float sink = sum[0] + sum[1] + sum[2] + sum[3];
		(void)sink;
		double s = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
		double g = 12.0 * 4 * 2 * (double)turns / s * 1e-9;
		if (g > best) best = g;
	}
	printf("%.3f\n", best);
	return 0;
}
