/* A model of a car behind one interface: what session, reference solver and studies know of it.
 *
 * The model is const once loaded and one block of memory without pointers into itself, so that it
 * can be copied and compared. The state is plain memory without pointers or padding that counts:
 * copying it is a snapshot. Scratch is memory that a step may use as it likes; nothing in it lasts.
 * State and scratch are aligned for vectors and zero before the reset. */
#ifndef SKIDPAD_MODEL_MODEL_H
#define SKIDPAD_MODEL_MODEL_H

#include "target/model/car_facts.h"
#include "target/model/plant.h"
#include "target/model/state_info.h"

enum { MODEL_ALIGNMENT = 64 };

enum model_integrator { MODEL_FORWARD, MODEL_SEMI_IMPLICIT, MODEL_INTEGRATORS };

struct model_ops {
    const char *name;
    uint64_t
        version; /* grows when the same file makes another car, or a state means another thing */
    size_t (*state_size)(const void *model);
    size_t (*scratch_size)(const void *model); /* NULL: none */
    void (*facts)(const void *model, struct car_facts *facts);
    const struct state_table *(*states)(const void *model);

    void (*reset)(const void *model, void *state, void *scratch, const struct plant_start *start,
                  const struct ground *ground);
    /* After the reset: the hand wheel is held there. */
    void (*hold_hand_wheel)(const void *model, void *state, double hand_rad);
    /* One step of dt_s, by the integrator and the substeps that the model was loaded with. */
    void (*step)(const void *model, void *state, void *scratch, const struct plant_in *in,
                 const struct ground *ground, double dt_s);
    void (*output)(const void *model, const void *state, struct plant_out *out);
    /* A live change: the state goes on in another model of the same car, in constant time. NULL:
     * nothing has to be done for it. */
    void (*adopt)(const void *before, const void *now, void *state);

    /* For the reference solver: the continuous states as a vector, and their rates. NULL: the model
     * offers none. */
    size_t (*x_count)(const void *model);
    void (*x_get)(const void *model, const void *state, double *x);
    void (*x_set)(const void *model, void *state, const double *x);
    void (*deriv)(const void *model, const void *state, const struct plant_in *in,
                  const struct ground *ground, double *xdot);
    /* Kinetic, gravity and elastic energy; NULL: not known. */
    double (*energy_J)(const void *model, const void *state, const struct ground *ground);
};

/* "forward", "semi-implicit". */
const char *model_integrator_name(int integrator);
/* What a bit of plant_out.fault means. */
const char *model_fault_text(uint32_t fault);

#endif
