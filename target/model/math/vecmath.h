/* Elementary functions with the same bits on every CPU (SLEEF's consistent-result functions).
 * The step path uses these and never libm's. The four-wide ones serve the four wheels at once and
 * take whatever vector unit the CPU has; x and y may be the same array. */
#ifndef SKIDPAD_MODEL_MATH_VECMATH_H
#define SKIDPAD_MODEL_MATH_VECMATH_H

void vm_sin4(const double x[4], double y[4]);
void vm_cos4(const double x[4], double y[4]);
void vm_sincos4(const double x[4], double s[4], double c[4]);
void vm_atan4(const double x[4], double y[4]);
void vm_exp4(const double x[4], double y[4]);
void vm_pow4(const double x[4], const double p[4], double y[4]);

double vm_sin(double x);
double vm_cos(double x);
void vm_sincos(double x, double *s, double *c);
double vm_atan(double x);
double vm_atan2(double y, double x);
double vm_asin(double x);
double vm_exp(double x);
double vm_log(double x);
double vm_pow(double x, double p);
double vm_tanh(double x);

#endif
