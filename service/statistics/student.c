/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "student.h"

#include <gsl/gsl_cdf.h>

double student_quantile(double p, double df)
{
	return gsl_cdf_tdist_Pinv(p, df);
}
