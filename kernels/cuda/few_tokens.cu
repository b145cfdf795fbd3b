// kernels/cuda/few_tokens.cu — products for few tokens, in launches of as many as a kernel takes.
#include "kernels/cuda/gemv_input.cuh"
#include "kernels/cuda/stream_k.cuh"
#include "kernels/cuda/types.cuh"

bool gemv_norms(const struct device *device, int32_t tokens, int32_t columns) {
    ASSERT(tokens > 0 && columns > 0);
    const struct gemv_budget budget = budget_of(device);
    // columns that the threads keep in registers
    const size_t kept = 8 * (size_t)gemv_rounds(tokens) * LANES * (size_t)budget.warps;
    const size_t bytes = (size_t)tokens * ((size_t)columns * 9 / 4 + 2 * X_BYTES); // with the sums
    return tokens <= GEMV_NORMED_TOKENS && columns % CHUNK_COLUMNS == 0 &&
           (size_t)columns <= kept && bytes <= budget.x;
}

bool gemv_fits(const struct weight *w) {
    return is_packed(w->type) || (w->type != DTYPE_F32 && w->columns % PLAIN_COLUMNS == 0);
}

// Leaves the rest of a product when `done` tokens are computed.
static void skip_tokens(struct gemv *args, int32_t done) {
    ASSERT(done > 0 && done <= args->tokens);
    const bool wide = args->store == GEMV_FLOATS || args->store == GEMV_ADD;
    for (int i = 0; i < args->count; i++)
        args->parts[i].y =
            (char *)args->parts[i].y + (size_t)done * (size_t)args->parts[i].rows * (wide ? 4 : 2);
    if (args->row_index)
        args->row_index += done;
    else if (args->norm)
        args->stream += (size_t)done * (size_t)args->columns;
    else
        args->x += (size_t)done * (size_t)args->columns;
}

void gemv_launch(struct device *device, const struct gemv *args) {
    ASSERT(args->tokens > 0 && args->count > 0 && args->count <= LINEAR_PARTS);
    ASSERT(!args->norm || gemv_norms(device, args->tokens, args->columns));
    struct gemv some = *args;
    const int32_t once = budget_of(device).tokens;
    for (int32_t done = 0; done < args->tokens; done += some.tokens) {
        some.tokens = args->tokens - done < once ? args->tokens - done : once;
        type_kernels(args->type)->gemv(device, &some);
        skip_tokens(&some, some.tokens);
    }
}

void stream_k_launch(struct device *device, const struct gemv *args) {
    ASSERT(args->tokens > 0 && args->count > 0 && args->count <= LINEAR_PARTS && !args->norm);
    struct gemv some = *args;
    for (int32_t left = args->tokens, done; left > 0; left -= done) {
        some.tokens = left;
        done = type_kernels(args->type)->stream_k(device, &some);
        skip_tokens(&some, done);
    }
}
