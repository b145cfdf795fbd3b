// tests/device/test_mail.cu — rows that go to a thread of the host and come back within a step, and
// again each time that a recorded step is replayed.
#include <stdio.h>
#include <string.h>

#include "tests/device/scene.cuh"
#include "tests/device/tests.cuh"

#include <atomic>
#include <thread>

enum { CHOICES = 8, TIMES = 50, JOB = 4711 };

struct exchange {
    struct device *device;
    struct host_mail *mail;
    uint16_t *rows, *answers; // pinned
    float *sums;              // pinned
    int32_t *chosen;          // pinned
    size_t count;             // of rows
    std::atomic<bool> stops;
    int wrong; // requests that were not for JOB
};

template <typename type> static type *pinned(size_t count) {
    void *memory;
    CUDA(cudaHostAlloc(&memory, count * sizeof(type), cudaHostAllocDefault));
    memset(memory, 0, count * sizeof(type));
    return (type *)memory;
}

// Answers a row with itself: exactly, and as fp32 times the first choice.
static void answer(struct exchange *exchange) {
    uint32_t answered = 0;
    while (!exchange->stops) {
        const uint32_t request = __atomic_load_n(&exchange->mail->request, __ATOMIC_ACQUIRE);
        if (request == answered) continue;
        exchange->wrong += exchange->mail->job != JOB;
        for (size_t i = 0; i < exchange->count; i++) {
            exchange->answers[i] = exchange->rows[i];
            exchange->sums[i] =
                half_to_float(exchange->rows[i]) * (float)exchange->chosen[CHOICES - 1];
        }
        answered = request;
        __atomic_store_n(&exchange->mail->reply, request, __ATOMIC_RELEASE);
    }
}

struct card_rows {
    uint16_t *x, *y;
    float *sums;
    int32_t *chosen;
};

static void step(struct exchange *exchange, const struct card_rows *card) {
    struct ask_host ask = {exchange->mail, JOB, {}, 2};
    ask.parts[0] = {exchange->rows, card->x, exchange->count * sizeof(uint16_t)};
    ask.parts[1] = {exchange->chosen, card->chosen, CHOICES * sizeof(int32_t)};
    backend_cuda()->ask_host(exchange->device, &ask);
    const struct take_answer take = {exchange->mail,  card->y,   exchange->answers,
                                     exchange->count, DTYPE_F16, false};
    backend_cuda()->take_answer(exchange->device, &take);
    const struct take_answer add = {exchange->mail,  card->sums, exchange->sums,
                                    exchange->count, DTYPE_F32,  true};
    backend_cuda()->take_answer(exchange->device, &add);
}

static void test_exchange(struct device *device, struct tally *tally, size_t count, size_t shift) {
    std::vector<uint16_t> x(count + shift);
    std::vector<float> sums(count);
    std::vector<int32_t> chosen(CHOICES);
    uint64_t state = tally->seed;
    for (size_t i = 0; i < x.size(); i++)
        x[i] = float_to_half((float)(random_next(&state) % 1000) - 500);
    for (int i = 0; i < CHOICES; i++)
        chosen[i] = i + 1;
    struct exchange exchange = {};
    exchange.device = device;
    exchange.mail = pinned<struct host_mail>(1);
    exchange.rows = pinned<uint16_t>(count);
    exchange.answers = pinned<uint16_t>(count);
    exchange.sums = pinned<float>(count);
    exchange.chosen = pinned<int32_t>(CHOICES);
    exchange.count = count;
    uint16_t *x_card = (uint16_t *)copy_to_card(x.data(), x.size() * sizeof x[0]);
    const struct card_rows card = {
        x_card + shift, (uint16_t *)copy_to_card(x.data(), x.size() * sizeof x[0]),
        (float *)copy_to_card(sums.data(), count * sizeof(float)),
        (int32_t *)copy_to_card(chosen.data(), CHOICES * sizeof(int32_t))};
    std::thread thread(answer, &exchange);
    cudaGraph_t graph;
    cudaGraphExec_t recorded;
    step(&exchange, &card);
    CUDA(cudaStreamBeginCapture(device->stream, cudaStreamCaptureModeThreadLocal));
    step(&exchange, &card);
    CUDA(cudaStreamEndCapture(device->stream, &graph));
    CUDA(cudaGraphInstantiate(&recorded, graph, 0));
    for (int i = 1; i < TIMES; i++)
        CUDA(cudaGraphLaunch(recorded, device->stream));
    CUDA(cudaStreamSynchronize(device->stream));
    CUDA(device->failure);
    exchange.stops = true;
    thread.join();
    std::vector<uint16_t> y(count);
    CUDA(cudaMemcpy(y.data(), card.y, count * sizeof y[0], cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(sums.data(), card.sums, count * sizeof(float), cudaMemcpyDeviceToHost));
    size_t wrong = (size_t)exchange.wrong;
    for (size_t i = 0; i < count; i++)
        wrong += y[i] != x[i + shift] || sums[i] != TIMES * CHOICES * half_to_float(x[i + shift]);
    char what[64];
    snprintf(what, sizeof what, "mail of %zu values%s", count, shift ? ", not aligned" : "");
    tally_count(tally, wrong == 0, what, (double)wrong);
    CUDA(cudaGraphExecDestroy(recorded));
    CUDA(cudaGraphDestroy(graph));
    for (void *memory : {(void *)exchange.mail, (void *)exchange.rows, (void *)exchange.answers,
                         (void *)exchange.sums, (void *)exchange.chosen})
        CUDA(cudaFreeHost(memory));
    for (void *memory : {(void *)x_card, (void *)card.y, (void *)card.sums, (void *)card.chosen})
        CUDA(cudaFree(memory));
}

void test_mail(struct device *, struct tally *tally) {
    for (size_t count : {1, 8, 2048, 2050, 31 * 2880, 512 * 4096}) {
        for (size_t shift : {0, 1}) {
            struct device *device;
            struct error err;
            const struct device_options options = {};
            if (backend_cuda()->open(&options, &device, &err) != STATUS_OK ||
                cuda_reserve_mail(device) != STATUS_OK)
                CUDA(cudaErrorInitializationError);
            test_exchange(device, tally, count, shift);
            backend_cuda()->close(device);
        }
    }
}
