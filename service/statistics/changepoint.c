/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of it works on ranks, because latencies have tails in which one value outweighs a hundred
 * others, and a shift of the ordinary ones is what is looked for. U of Pettitt's test is a
 * cumulative sum of ranks; here it is scaled by the spread that the ranks have, which is the same
 * without ties and right with them.
 *
 * Neighbours that are alike (a warm machine stays warm) make such a sum wander by itself. So the
 * likeness is taken out before the test: estimated behind the best single shift, or the shift
 * itself would count as likeness, and corrected for being estimated from few (S. Yue and others,
 * 2002, on trends; M. G. Kendall, 1954, on the correction).
 *
 * One test over the whole misses a level that came and went. So parts are tested as well, each half
 * of the one above and half overlapping its neighbours (S. Kovacs and others, 2020), with a share
 * of a small chance of their own. And a test that weighs both sides sees a new level only when it
 * has lasted: the last few values are held against those before them.
 *
 * What is found is placed where the squares about two levels are least, and must then stand the
 * test once more between its neighbours.
 */
#include "changepoint.h"

#include "ranks.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define VALUES_MIN     10
#define PARTS_MIN      24    /* values of a part that is tested on its own */
#define PARTS_P	       0.002 /* shared by all parts */
#define FRESH_P	       0.005 /* shared by FRESH_MIN..FRESH_MAX values */
#define FRESH_MIN      3
#define FRESH_MAX      8
#define FRESH_AGAINST  200 /* values before them */
#define EDGE	       2   /* values on each side of a place */
#define LIKENESS_MAX   0.9
#define DEPTH_MAX      12 /* splits of splits */
#define COUNTING_SHARE 16 /* of the whole: a smaller part is sorted */

struct search {
	const double *values;
	double *rank;  /* of the segment at hand, about 0 */
	double *white; /* the same, without neighbours' likeness */
	GArray *found; /* of struct place, in order */
	/* of the whole: sorted once, so that large parts need only be counted */
	size_t n;
	guint32 *key;	/* twice the rank: equal values have the same */
	guint32 *count; /* scratch: of the part, by key */
	double *by_key; /* the value */
};

struct place {
	struct changepoint shift;
	size_t from, end; /* of the part that it was found in; fresh ones are not settled */
};

static size_t search_keys(const struct search *s)
{
	return 2 * s->n + 1;
}

static void search_init(struct search *s, const double *values, size_t n)
{
	s->values = values;
	s->n = n;
	s->rank = g_new(double, n);
	s->white = g_new(double, n);
	s->found = g_array_new(FALSE, FALSE, sizeof(struct place));
	s->key = g_new(guint32, n);
	s->count = g_new(guint32, search_keys(s));
	s->by_key = g_new(double, search_keys(s));
	ranks_of(values, n, s->rank);
	for (size_t i = 0; i < n; i++) {
		s->key[i] = (guint32)(2 * s->rank[i]);
		s->by_key[s->key[i]] = values[i];
	}
}

static void search_done(struct search *s)
{
	g_array_unref(s->found);
	g_free(s->rank);
	g_free(s->white);
	g_free(s->key);
	g_free(s->count);
	g_free(s->by_key);
}

/* Is counting [from, from + n) cheaper than sorting it? Then it is done: s->count. */
static bool segment_count(struct search *s, size_t from, size_t n)
{
	if (n < s->n / COUNTING_SHARE)
		return false;
	memset(s->count, 0, search_keys(s) * sizeof(*s->count));
	for (size_t i = from; i < from + n; i++)
		s->count[s->key[i]]++;
	return true;
}

/* Into s->rank: the ranks of [from, from + n), about their mean. */
static void segment_rank(struct search *s, size_t from, size_t n)
{
	double middle = ((double)n + 1) / 2;
	size_t before = 0;

	if (!segment_count(s, from, n)) {
		ranks_of(s->values + from, n, s->rank);
		for (size_t i = 0; i < n; i++)
			s->rank[i] -= middle;
		return;
	}
	for (size_t k = 0; k < search_keys(s); k++) { /* twice the rank, again */
		size_t here = s->count[k];

		s->count[k] = (guint32)(2 * before + here + 1);
		before += here;
	}
	for (size_t i = 0; i < n; i++)
		s->rank[i] = (double)s->count[s->key[from + i]] / 2 - middle;
}

/* The first of the new level, where the squares about two means are least; 0: all are equal. */
static size_t best_place(const double *x, size_t n)
{
	double sum = 0, total = 0, best = 0;
	size_t place = 0;

	for (size_t i = 0; i < n; i++)
		total += x[i];
	for (size_t i = 1; i + EDGE <= n; i++) {
		double apart;

		sum += x[i - 1];
		if (i < EDGE)
			continue;
		apart = sum - total * (double)i / (double)n;
		apart = apart * apart / ((double)i * (double)(n - i));
		if (apart > best) {
			best = apart;
			place = i;
		}
	}
	return place;
}

static double mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / (double)n : 0;
}

/* Correlation of neighbours behind the best single shift. */
static double likeness(const double *x, size_t n)
{
	size_t place = best_place(x, n);
	double before = mean_of(x, place), after = mean_of(x + place, n - place);
	double squares = 0, products = 0, last = 0, r;

	for (size_t i = 0; i < n; i++) {
		double e = x[i] - (i < place ? before : after);

		squares += e * e;
		products += i ? e * last : 0;
		last = e;
	}
	if (squares <= 0)
		return 0;
	r = products / squares;
	r += (1 + 3 * r) * 2 / (double)n; /* two levels were fitted */
	return CLAMP(r, 0, LIKENESS_MAX);
}

static void whiten(const double *x, size_t n, double *ret)
{
	double r = likeness(x, n);

	ret[0] = x[0] * sqrt(1 - r * r);
	for (size_t i = 1; i < n; i++)
		ret[i] = x[i] - r * x[i - 1];
}

/* Chance of a cumulative sum that goes as far, from a series without a shift (asymptotic). */
static double shift_p(const double *x, size_t n)
{
	double mean = mean_of(x, n), sum = 0, squares = 0, far = 0;

	for (size_t i = 0; i < n; i++) {
		squares += (x[i] - mean) * (x[i] - mean);
		sum += x[i] - mean;
		far = MAX(far, fabs(sum));
	}
	if (squares <= 0)
		return 1;
	return MIN(1, 2 * exp(-2 * far * far / squares));
}

struct part {
	size_t from, n;
	double p;
};

static size_t parts_count(size_t n)
{
	size_t count = 0;

	for (size_t parts = 3, length = n / 2; length >= PARTS_MIN;
	     parts = 2 * parts + 1, length /= 2)
		count += parts;
	return count;
}

/* The part that is the least likely without a shift, the whole among them; p 1: none is unlikely.
 */
static struct part least_likely(const double *x, size_t n)
{
	struct part best = { 0, n, shift_p(x, n) };
	size_t count = parts_count(n);

	if (best.p >= CHANGEPOINT_P)
		best.p = 1;
	for (size_t parts = 3, length = n / 2; length >= PARTS_MIN;
	     parts = 2 * parts + 1, length /= 2)
		for (size_t i = 0; i < parts; i++) {
			size_t from = i * (n - length) / (parts - 1);
			double p = shift_p(x + from, length);

			if (p < PARTS_P / (double)count && p < best.p)
				best = (struct part){ from, length, p };
		}
	return best;
}

/* --- the last few --- */

/*
 * Chance that the mean of @k values, each even between 0 and 1, is at least @mean (P. Hall, 1927;
 * J. O. Irwin, 1927).
 */
static double even_p(unsigned k, double mean)
{
	double beyond = k * (1 - mean), sum = 0, term = 1;

	for (unsigned i = 1; i <= k; i++)
		term /= i;
	for (unsigned j = 0; j <= k && (double)j < beyond; j++) {
		sum += term * pow(beyond - j, k);
		term *= -(double)(k - j) / (j + 1);
	}
	return CLAMP(sum, 0, 1);
}

/* How many of the last values are of a new level; 0: none. */
static unsigned fresh_values(const double *x, size_t n, double *ret_p)
{
	g_autofree double *rank = NULL;
	double sum = 0, best = FRESH_P / (FRESH_MAX - FRESH_MIN + 1);
	size_t against = MIN(n, FRESH_AGAINST + FRESH_MAX);
	unsigned found = 0;

	rank = g_new(double, against);
	ranks_of(x + n - against, against, rank);
	for (unsigned k = 1; k <= FRESH_MAX && (size_t)k * 2 <= against; k++) {
		double mean, p;

		sum += (rank[against - k] - 0.5) / (double)against;
		if (k < FRESH_MIN)
			continue;
		mean = sum / k;
		p = 2 * even_p(k, MAX(mean, 1 - mean));
		if (p < best) {
			best = p;
			found = k;
			*ret_p = p;
		}
	}
	return found;
}

/* --- the search --- */

static struct place *found_place(const struct search *s, guint i)
{
	return &g_array_index(s->found, struct place, i);
}

static size_t found_at(const struct search *s, guint i)
{
	return found_place(s, i)->shift.at;
}

static void found_add(struct search *s, struct place place)
{
	guint i = 0;

	while (i < s->found->len && found_at(s, i) < place.shift.at)
		i++;
	g_array_insert_val(s->found, i, place);
}

static void segment_prepare(struct search *s, size_t from, size_t n)
{
	segment_rank(s, from, n);
	whiten(s->rank, n, s->white);
}

static bool segment_split(struct search *s, size_t from, size_t n, struct place *ret)
{
	struct part part;
	size_t place;

	if (n < VALUES_MIN)
		return false;
	segment_prepare(s, from, n);
	part = least_likely(s->white, n);
	if (part.p >= CHANGEPOINT_P)
		return false;
	place = best_place(s->rank + part.from, part.n);
	if (place == 0)
		return false;
	*ret = (struct place){
		.shift = { .at = from + part.from + place, .p = part.p },
		.from = from + part.from,
		.end = from + part.from + part.n,
	};
	return true;
}

static void segment_search(struct search *s, size_t from, size_t n, unsigned left)
{
	struct place place;
	size_t at;

	if (left == 0 || !segment_split(s, from, n, &place))
		return;
	at = place.shift.at;
	found_add(s, place);
	segment_search(s, from, at - from, left - 1);
	segment_search(s, at, from + n - at, left - 1);
}

/* Place each between its neighbours, and drop those that do not stand there. */
static void found_settle(struct search *s, size_t n)
{
	for (guint i = 0; i < s->found->len; i++) {
		struct place *found = found_place(s, i);
		struct changepoint *c = &found->shift;
		size_t from = MAX(found->from, i ? found_at(s, i - 1) : 0);
		size_t end = MIN(found->end, i + 1 < s->found->len ? found_at(s, i + 1) : n);
		size_t place;

		segment_prepare(s, from, end - from);
		place = best_place(s->rank, end - from);
		c->p = shift_p(s->white, end - from);
		if (place > 0 && c->p < CHANGEPOINT_P)
			c->at = from + place;
		else
			g_array_remove_index(s->found, i--);
	}
}

static void search_fresh(struct search *s, size_t n)
{
	size_t from = s->found->len ? found_at(s, s->found->len - 1) : 0;
	unsigned k;
	double p;

	if (n - from < VALUES_MIN)
		return;
	segment_prepare(s, from, n - from);
	k = fresh_values(s->white, n - from, &p);
	if (k > 0)
		found_add(s, (struct place){ .shift = { .at = n - k, .p = p, .fresh = true } });
}

static int compare_doubles(gconstpointer a, gconstpointer b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The value of index @i among those that were counted, sorted. */
static double counted_value(const struct search *s, size_t i)
{
	size_t k = 0;

	for (size_t before = 0; (before += s->count[k]) <= i;)
		k++;
	return s->by_key[k];
}

static double segment_median(struct search *s, size_t from, size_t n)
{
	double *sorted = s->rank;

	if (segment_count(s, from, n))
		return n % 2 ? counted_value(s, n / 2)
			     : (counted_value(s, n / 2 - 1) + counted_value(s, n / 2)) / 2;
	memcpy(sorted, s->values + from, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static void found_levels(struct search *s, size_t n)
{
	for (guint i = 0; i < s->found->len; i++) {
		struct changepoint *c = &found_place(s, i)->shift;
		size_t from = i ? found_at(s, i - 1) : 0;
		size_t end = i + 1 < s->found->len ? found_at(s, i + 1) : n;

		c->before = segment_median(s, from, c->at - from);
		c->after = segment_median(s, c->at, end - c->at);
	}
}

size_t changepoint_find(const double *values, size_t n, struct changepoint *ret, size_t max)
{
	struct search s;
	size_t count;

	if (n < VALUES_MIN || max == 0)
		return 0;
	search_init(&s, values, MIN(n, (size_t)G_MAXINT32));
	n = s.n;
	segment_search(&s, 0, n, DEPTH_MAX);
	found_settle(&s, n);
	search_fresh(&s, n);
	found_levels(&s, n);
	count = MIN(s.found->len, max);
	for (guint i = 0; i < count; i++)
		ret[i] = found_place(&s, s.found->len - count + i)->shift;
	search_done(&s);
	return count;
}
