// CResampling: rows of odd widths at odd addresses, with few and many taps, and rows beyond the source.
#include "CResampling.h"
#include "samples.h"

int main(void) {
    for (int taps = 2; taps <= 40; taps += taps < RESAMPLING_FEW_TAPS ? 2 : 7) {
        for (int width = 1; width < 100; width += 13) {
            enum { rows = 9, source_rows = 12 };
            int one = taps <= RESAMPLING_FEW_TAPS ? RESAMPLING_ONE : RESAMPLING_FINE_ONE, stride = width + 3;
            uint8_t *source = make_samples((size_t)(stride * source_rows) + 64, 7) + 1;
            uint8_t *target = calloc((size_t)(stride * rows) + 64, 1);
            int32_t first[rows];
            int16_t *weights = malloc(sizeof(int16_t) * (size_t)(rows * taps));
            for (int row = 0; row < rows; row++) {
                first[row] = row * 2 - taps / 2;
                int rest = one;
                for (int tap = 0; tap < taps; tap++) {
                    // Some weights are negative, as those of Lanczos.
                    int weight = tap == taps - 1 ? rest : one / taps + (tap % 3 - 1) * (one / taps / 2);
                    weights[row * taps + tap] = (int16_t)weight;
                    rest -= weight;
                }
            }
            weigh_rows(source, stride, 0, source_rows, target + 1, stride, width, rows, first, weights, taps);
            printf("taps %d width %d ", taps, width);
            print("rows", checksum(target, (size_t)(stride * rows) + 64));
            free(source - 1);
            free(target);
            free(weights);
        }
    }
}
