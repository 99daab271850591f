#include "target/remote_driver.h"

#include <math.h>
#include <string.h>

static const double lost_s = 0.5;     /* input older than this is lost */
static const double ramp_s = 1.0;     /* the brake is pressed within this time */
static const double lost_pedal = 0.2; /* how far */
static const double hold_s = 1.0;     /* the hand wheel stays, after the loss */
static const double back_radps = 1.0; /* then goes back to the middle */
static const double wheel_max_rad = 30.0;

int remote_driver_init(struct remote_driver *d, bool owns)
{
    memset(d, 0, sizeof *d);
    d->owns = owns;
    d->who = owns ? DRIVER_LOST : DRIVER_SCENARIO;
    d->age_s = lost_s + ramp_s;
    return latest_init(&d->input, sizeof(struct driver_input), NULL, NULL);
}

void remote_driver_free(struct remote_driver *d)
{
    latest_free(&d->input);
}

static double limited(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

bool remote_driver_put(struct remote_driver *d, const struct driver_input *in)
{
    if (!isfinite(in->hand_wheel_rad) || !isfinite(in->throttle) || !isfinite(in->brake_pedal) ||
        !isfinite(in->clutch_pedal))
        return false;
    if (in->gear != PLANT_GEAR_AUTO && (in->gear < PLANT_GEAR_REVERSE || in->gear > 20))
        return false;
    struct driver_input *to = latest_begin(&d->input);
    *to = (struct driver_input){
        .hand_wheel_rad = limited(in->hand_wheel_rad, -wheel_max_rad, wheel_max_rad),
        .throttle = limited(in->throttle, 0.0, 1.0),
        .brake_pedal = limited(in->brake_pedal, 0.0, 1.0),
        .clutch_pedal = limited(in->clutch_pedal, 0.0, 1.0),
        .gear = in->gear,
        .drives = in->drives != 0,
    };
    latest_publish(&d->input, 0);
    return true;
}

bool remote_driver_receive(struct remote_driver *d, double step_s)
{
    struct latest_info info;
    const struct driver_input *in = latest_read(&d->input, &info);
    int before = d->who;
    if (info.fresh && info.sequence > 0) {
        d->age_s = 0.0;
        if (in->drives) {
            d->last = *in;
            d->who = DRIVER_PERSON;
        } else {
            d->age_s = lost_s;
            d->who = d->owns ? DRIVER_LOST : DRIVER_SCENARIO;
        }
    } else {
        d->age_s += step_s;
        if (d->who == DRIVER_PERSON && d->age_s >= lost_s)
            d->who = DRIVER_LOST;
    }
    return d->who != before;
}

void remote_driver_command(const struct remote_driver *d, struct plant_in *in)
{
    if (d->who == DRIVER_SCENARIO)
        return;
    in->steer = PLANT_STEER_ANGLE;
    in->hand_wheel_Nm = 0.0;
    in->brake = PLANT_BRAKE_PEDAL;
    in->hand_wheel_rad = d->last.hand_wheel_rad;
    in->throttle = d->last.throttle;
    in->brake_pedal = d->last.brake_pedal;
    in->clutch_pedal = d->last.clutch_pedal;
    in->gear = d->last.gear;
    if (d->who == DRIVER_PERSON)
        return;
    double gone_s = d->age_s - lost_s;
    double turned_rad =
        fmax(fabs(in->hand_wheel_rad) - back_radps * fmax(gone_s - hold_s, 0.0), 0.0);
    in->hand_wheel_rad = copysign(turned_rad, in->hand_wheel_rad);
    in->throttle = 0.0;
    in->clutch_pedal = 1.0;
    in->brake_pedal = fmax(in->brake_pedal, lost_pedal * limited(gone_s / ramp_s, 0.0, 1.0));
    if (d->last.drives == 0)
        in->gear = PLANT_GEAR_AUTO; /* nobody has driven yet */
}
