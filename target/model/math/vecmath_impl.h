/* The four-wide functions once more for each instruction set; vecmath.c picks. Private. */
#ifndef SKIDPAD_MODEL_MATH_VECMATH_IMPL_H
#define SKIDPAD_MODEL_MATH_VECMATH_IMPL_H

#define VM_DECLARE(isa)                                                                            \
    void vm_sin4_##isa(const double x[4], double y[4]);                                            \
    void vm_cos4_##isa(const double x[4], double y[4]);                                            \
    void vm_sincos4_##isa(const double x[4], double s[4], double c[4]);                            \
    void vm_atan4_##isa(const double x[4], double y[4]);                                           \
    void vm_exp4_##isa(const double x[4], double y[4]);                                            \
    void vm_pow4_##isa(const double x[4], const double p[4], double y[4]);

VM_DECLARE(avx)  /* vecmath_avx.c, compiled with -mavx */
VM_DECLARE(base) /* vecmath_base.c: SSE2 on x86-64, scalar elsewhere */

#endif
