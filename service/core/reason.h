/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The names of what can go wrong, the same on the bus (org.lrtbf1.Error.NAME), as a session's
 * ReasonId and between processes; inside, each is one errno. The only place that maps them.
 *
 *	Busy EBUSY, NoSuchSession ENOENT, NoSuchPlan ESRCH, InvalidPlan EBADMSG,
 *	InvalidOption EINVAL, NoDevice ENODEV, NotPermitted EPERM, NotRealtime EOPNOTSUPP,
 *	NotAuthorized EACCES, QueueFull EDQUOT, TooLarge EMSGSIZE, NotFinished EINPROGRESS,
 *	Refused EKEYREJECTED, PeerFailed EREMOTEIO, NotComparable EXDEV,
 *	Failed: anything else
 */

/* @err: errno, either sign. Never NULL: "Failed" for what has no name of its own. */
const char *reason_from_errno(int err);
