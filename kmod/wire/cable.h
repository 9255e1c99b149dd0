/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WIRE_CABLE_H
#define WIRE_CABLE_H
/*
 * Which pin goes to which. A pin is high or low; in the registers STROBE and BUSY are inverted.
 *
 *   cable=data     crossed, for file transfer (LapLink): both ways
 *       2 D0 -> 15 ERROR     3 D1 -> 13 SELECT     4 D2 -> 12 PAPEROUT
 *       5 D3 -> 10 ACK       6 D4 -> 11 BUSY
 *     so the status register here is the data register over there, shifted by three, BUSY inverted.
 *
 *   cable=strobe   crossed: the same but for ACK
 *       1 STROBE -> 10 ACK
 *
 *   cable=jumper   a jumper in each port and nothing between the two
 *       1 STROBE -> 10 ACK of the same port; the other inputs are open, which is high
 *
 * A rise of ACK raises the interrupt, as in a PC, if the port's is enabled (bit 4 of control). With
 * "strobe" and "jumper" that is the write that clears STROBE's bit.
 */
#include <linux/parport.h>
#include <linux/types.h>

enum cable {
	CABLE_DATA,
	CABLE_STROBE,
	CABLE_JUMPER,
};

/* What of the status register the pulse is and what the levels are. */
#define CABLE_ACK PARPORT_STATUS_ACK
#define CABLE_LEVELS                                                                               \
	(PARPORT_STATUS_ERROR | PARPORT_STATUS_SELECT | PARPORT_STATUS_PAPEROUT |                  \
	 PARPORT_STATUS_BUSY)

/* What a port puts on its pins: two of its registers. */
struct cable_pins {
	u8 data;
	u8 control;
};

/* 0, or -EINVAL: no cable of that name. */
int cable_from_string(const char *name, enum cable *ret_cable);

/* The status register of the port at the other end of @cable. */
u8 cable_status(enum cable cable, struct cable_pins pins);

/* The two halves of a pulse with new levels, as lrtbf.ko gives it: D0, D1, D2 and D4 change with
 * the first; ACK over there rises with the first (D3) or the second (STROBE). */
struct cable_pins cable_pulse_begin(enum cable cable, struct cable_pins pins);
struct cable_pins cable_pulse_end(enum cable cable, struct cable_pins pins);

#endif
