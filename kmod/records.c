// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The buffer of records. Written in hard interrupt context and read by a process that may be
 * starved for seconds: so it is big, allocated before anything runs, and what does not fit is
 * refused and counted by the caller instead of overwriting what a reader may be copying.
 */
#include <linux/minmax.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "lrtbf.h"

static_assert((LRTBF_RECORDS & (LRTBF_RECORDS - 1)) == 0);

int lrtbf_records_init(struct lrtbf_records *records)
{
	records->slots = vcalloc(LRTBF_RECORDS, sizeof(*records->slots));
	if (!records->slots)
		return -ENOMEM;
	lrtbf_records_reset(records);
	return 0;
}

void lrtbf_records_done(struct lrtbf_records *records)
{
	vfree(records->slots);
	records->slots = NULL;
}

void lrtbf_records_reset(struct lrtbf_records *records)
{
	records->head = 0;
	records->tail = 0;
}

/*
 * Each side asks after it has moved its own position: one of them sees what the other did. So the
 * writer meets the watermark, or a reader that is about to sleep sees that it was met.
 */
u32 lrtbf_records_count(const struct lrtbf_records *records)
{
	smp_mb();
	return READ_ONCE(records->head) - READ_ONCE(records->tail);
}

bool lrtbf_records_add(struct lrtbf_records *records, const struct lrtbf_record *record)
{
	u32 head = records->head;

	/* the reader has copied what was there before it said so */
	if (head - smp_load_acquire(&records->tail) == LRTBF_RECORDS)
		return false;
	records->slots[head % LRTBF_RECORDS] = *record;
	smp_store_release(&records->head, head + 1);
	return true;
}

ssize_t lrtbf_records_copy(struct lrtbf_records *records, char __user *buffer, size_t size)
{
	u32 tail = records->tail, first = tail % LRTBF_RECORDS;
	u32 count = smp_load_acquire(&records->head) - tail;
	u32 before_end;

	count = min_t(size_t, count, size / sizeof(*records->slots));
	before_end = min(count, LRTBF_RECORDS - first);
	if (copy_to_user(buffer, &records->slots[first], before_end * sizeof(*records->slots)) ||
	    copy_to_user(buffer + before_end * sizeof(*records->slots), records->slots,
			 (count - before_end) * sizeof(*records->slots)))
		return -EFAULT;
	smp_store_release(&records->tail, tail + count);
	return (ssize_t)count * sizeof(*records->slots);
}
