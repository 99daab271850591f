/* A model of the requests to a run, as docs/requests.md states them. It is written from that page
 * alone and uses nothing of the run: what it says is compared with what the run answers. */
#ifndef SKIDPAD_TESTS_REQUEST_MODEL_H
#define SKIDPAD_TESTS_REQUEST_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_ASKED = 128, MODEL_TEXT = 400, MODEL_FAULTS = 3 };
enum model_phase { MODEL_WAITS, MODEL_DRIVES, MODEL_OVER };

/* One request on its way to the tick. */
struct model_asked {
    uint64_t number;
    char word[16], name[64], who[32];
    uint64_t safe;
    double value;
    bool on;
    int tag; /* the caller's, to find the answer's receiver */
};

struct request_model {
    enum model_phase phase;
    bool begins, ends;
    bool safe, by_person; /* the safe state, and whether a person's stop was its cause */
    uint64_t safe_number, last_number;
    unsigned faults;   /* bit i: on by hand */
    double rear_bar;   /* the only value of the set-up that is asked for here */
    char scenario[64]; /* of the next run */
    char holder[32];
    int64_t held_until_ns;
    bool preparing; /* a change is under way */
    int asked_count, prepared_count;
    struct model_asked asked[MODEL_ASKED], prepared[MODEL_ASKED];
    uint64_t carried_out, refused; /* counts */
    int event_count;
    char event[MODEL_ASKED][MODEL_TEXT]; /* what the log says of requests, until it is compared */
};

void model_begin(struct request_model *m);
/* A line is taken. True: the answer is in text, at once. */
bool model_take(struct request_model *m, const char *who, const char *line, int64_t now_ns, int tag,
                char text[MODEL_TEXT]);
typedef void model_answer(void *self, int tag, const char *text);
/* What was prepared gets its number and goes to the tick. */
void model_post_prepared(struct request_model *m, model_answer *answer, void *self);
/* The tick: every request that waits is answered. tick -1: before the first one. */
void model_tick(struct request_model *m, int64_t tick, model_answer *answer, void *self);
/* The bench enters the safe state by itself. */
void model_trips(struct request_model *m);
/* After the last tick. */
void model_close(struct request_model *m, model_answer *answer, void *self);
/* The answer of a change has been read: the next one may be prepared. */
void model_change_is_read(struct request_model *m);
/* What a status says of the state. */
void model_status(const struct request_model *m, int64_t now_ns, char text[MODEL_TEXT]);

#endif
