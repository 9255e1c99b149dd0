/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reason.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static const struct {
	int err;
	const char *name;
} reasons[] = {
	{ EBUSY, "Busy" },	    { ENOENT, "NoSuchSession" },   { ESRCH, "NoSuchPlan" },
	{ EBADMSG, "InvalidPlan" }, { EINVAL, "InvalidOption" },   { ENODEV, "NoDevice" },
	{ EPERM, "NotPermitted" },  { EOPNOTSUPP, "NotRealtime" }, { EACCES, "NotAuthorized" },
	{ EDQUOT, "QueueFull" },    { EMSGSIZE, "TooLarge" },	   { EINPROGRESS, "NotFinished" },
	{ EIO, "Failed" },	    { EKEYREJECTED, "Refused" },   { EREMOTEIO, "PeerFailed" },
	{ EXDEV, "NotComparable" },
};

const char *reason_from_errno(int err)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].err == abs(err))
			return reasons[i].name;
	return "Failed";
}
