/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sd-bus looks an object up twice over: for the member that is called, and, where nobody has that
 * member, only to know whether there is an object at all. The second one keeps the errno of what
 * the look-up says and drops the sentence, so that the caller would hear of an input/output error.
 * Which of both it is, the call that is being answered tells.
 */
#include "absent.h"

#include <stdbool.h>
#include <string.h>

#define PROPERTIES "org.freedesktop.DBus.Properties"

static bool absent_has_method(const sd_bus_vtable *v, const char *name)
{
	for (; v->type != _SD_BUS_VTABLE_END; v++)
		if (v->type == _SD_BUS_VTABLE_METHOD && strcmp(v->x.method.member, name) == 0)
			return true;
	return false;
}

static bool absent_has_property(const sd_bus_vtable *v, const char *name)
{
	for (; v->type != _SD_BUS_VTABLE_END; v++)
		if (v->type == _SD_BUS_VTABLE_PROPERTY && strcmp(v->x.property.member, name) == 0)
			return true;
	return false;
}

static bool absent_asks_method(sd_bus_message *call, const char *interface, const char *member)
{
	return sd_bus_message_is_method_call(call, interface, member) > 0;
}

/* Read from its beginning, up to where sd-bus has read it before it looks an object up. */
static bool absent_asks_property(sd_bus_message *call, const char *interface,
				 const sd_bus_vtable *vtable)
{
	const char *of, *name;

	return (absent_asks_method(call, PROPERTIES, "Get") ||
		absent_asks_method(call, PROPERTIES, "Set")) &&
	       sd_bus_message_rewind(call, 1) >= 0 &&
	       sd_bus_message_read(call, "ss", &of, &name) > 0 && strcmp(of, interface) == 0 &&
	       absent_has_property(vtable, name);
}

static bool absent_member_is_known(sd_bus_message *call, const char *interface,
				   const sd_bus_vtable *vtable)
{
	if (absent_asks_method(call, interface, NULL))
		return absent_has_method(vtable, sd_bus_message_get_member(call));
	return absent_asks_property(call, interface, vtable) ||
	       /* these two are asked of each interface that there is */
	       absent_asks_method(call, PROPERTIES, "GetAll") ||
	       absent_asks_method(call, "org.freedesktop.DBus.Introspectable", "Introspect");
}

int absent_answer(sd_bus *bus, const char *path, const char *interface, const sd_bus_vtable *vtable,
		  int r, sd_bus_error *error)
{
	sd_bus_message *call = sd_bus_get_current_message(bus);
	const char *called = call ? sd_bus_message_get_path(call) : NULL;

	/* news of an object are nobody's call, and a call may be about other objects */
	if (r >= 0 || !called || strcmp(called, path) != 0 ||
	    absent_member_is_known(call, interface, vtable))
		return r;
	sd_bus_error_free(error);
	return 0;
}
