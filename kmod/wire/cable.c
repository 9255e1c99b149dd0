// SPDX-License-Identifier: GPL-2.0-or-later
/* Pure functions of the pins, so that the table in the header is all there is to know of a cable.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "cable.h"

#define DATA_LEVELS 0x17 /* D0, D1, D2, D4 */
#define DATA_ACK    0x08 /* D3 */

int cable_from_string(const char *name, enum cable *ret_cable)
{
	static const char *const names[] = {
		[CABLE_DATA] = "data",
		[CABLE_STROBE] = "strobe",
		[CABLE_JUMPER] = "jumper",
	};
	int r = match_string(names, ARRAY_SIZE(names), name);

	if (r < 0)
		return -EINVAL;
	*ret_cable = r;
	return 0;
}

u8 cable_status(enum cable cable, struct cable_pins pins)
{
	u8 crossed = (u8)((pins.data & 0x1f) << 3) ^ PARPORT_STATUS_BUSY;
	u8 strobe = pins.control & PARPORT_CONTROL_STROBE ? 0 : PARPORT_STATUS_ACK;

	switch (cable) {
	case CABLE_STROBE:
		return (crossed & CABLE_LEVELS) | strobe;
	case CABLE_JUMPER:
		return PARPORT_STATUS_ERROR | PARPORT_STATUS_SELECT | PARPORT_STATUS_PAPEROUT |
		       strobe;
	case CABLE_DATA:
		break;
	}
	return crossed;
}

struct cable_pins cable_pulse_begin(enum cable cable, struct cable_pins pins)
{
	pins.data ^= DATA_LEVELS;
	if (cable == CABLE_DATA)
		pins.data |= DATA_ACK;
	else
		pins.control |= PARPORT_CONTROL_STROBE;
	return pins;
}

struct cable_pins cable_pulse_end(enum cable cable, struct cable_pins pins)
{
	if (cable == CABLE_DATA)
		pins.data &= ~DATA_ACK;
	else
		pins.control &= ~PARPORT_CONTROL_STROBE;
	return pins;
}
