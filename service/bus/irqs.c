/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everybody may see the table and what would change; changing asks authority. What the properties
 * said last is kept, because the model has no news of its own for them: after every event that may
 * have changed one they are compared, and told only when they differ.
 */
#include "irqs.h"

#include "bus-internal.h"
#include "capture.h"
#include "changedict.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "dict.h"
#include "errors.h"
#include "irqdict.h"
#include "log.h"
#include "memfile.h"
#include "options.h"
#include "reply.h"
#include "ruledict.h"
#include <errno.h>
#include <string.h>

static const struct option_spec irqs_list_options[] = { { "counts", 'b' },
							{ "threads", 'b' },
							{ NULL } };
static const struct option_spec irqs_change_options[] = { { "dry_run", 'b' }, { NULL } };

/* Names of the bus for what the model returns: here "no such" is no session and no plan. */
static int irqs_refuse(sd_bus_error *error, int r, const char *message)
{
	switch (-r) {
	case ENOENT:
	case ESRCH:
		r = -ENODEV;
		break;
	case EBADMSG:
	case EBADE:
		r = -EIO;
		break;
	case ERANGE:
		r = -EINVAL;
		break;
	default:
		break;
	}
	return bus_error_set(error, r, message);
}

/* Lists */

static int irqs_read(struct bus *b, struct irq_listing **ret, sd_bus_error *error)
{
	g_autofree char *message = NULL;
	int r;

	r = irqpolicy_list(b->model.irqpolicy, ret, &message);
	return r < 0 ? irqs_refuse(error, r, message) : 0;
}

int irqs_method_list_irqs(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	g_autoptr(json_t) options = NULL;
	struct irq_listing *listing = NULL;
	struct irqdict_lines lines;
	struct bus *b = userdata;
	int r;

	r = options_read(m, irqs_list_options, &options, error);
	if (r >= 0)
		r = irqs_read(b, &listing, error);
	if (r < 0)
		return r;
	lines = (struct irqdict_lines){
		.listing = listing,
		.counts = options_bool(options, "counts", true),
		.threads = options_bool(options, "threads", true),
		.captured = strcmp(b->model.root, "/") != 0,
	};
	r = reply_list(m, irqdict_append_lines, &lines,
		       "The table of interrupts is too large for one answer: ask with the options "
		       "counts and threads false, or use OpenIrqCapture.",
		       error);
	irq_listing_free(listing);
	return r;
}

int irqs_method_list_threads(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct irq_listing *listing = NULL;
	int r;

	r = options_read_none(m, error);
	if (r >= 0)
		r = irqs_read(userdata, &listing, error);
	if (r < 0)
		return r;
	r = reply_list(m, irqdict_append_threads, listing,
		       "There are too many threads for one answer: use OpenIrqCapture.", error);
	irq_listing_free(listing);
	return r;
}

int irqs_method_list_irq_rules(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct irq_listing *listing = NULL;
	struct ruledict_list list;
	struct bus *b = userdata;
	int r;

	r = options_read_none(m, error);
	if (r >= 0)
		r = irqs_read(b, &listing, error);
	if (r < 0)
		return r;
	list = (struct ruledict_list){ irqpolicy_rules(b->model.irqpolicy), listing };
	r = reply_list(m, ruledict_append, &list,
		       "There are too many rules for one answer: read the files in irq.d.", error);
	irq_listing_free(listing);
	return r;
}

struct irqs_preview {
	GPtrArray *problems, *changes;
};

static int irqs_append_preview(sd_bus_message *m, const void *data)
{
	const struct irqs_preview *preview = data;
	int r = dict_problems(m, preview->problems);

	return r < 0 ? r : changedict_append_list(m, preview->changes);
}

int irqs_method_check_irq_rules(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	g_autoptr(GPtrArray) problems = NULL, changes = NULL;
	struct bus *b = userdata;
	int r;

	r = options_read_none(m, error);
	if (r < 0)
		return r;
	problems = problems_new();
	changes = irqpolicy_preview(b->model.irqpolicy, problems);
	return reply_list(m, irqs_append_preview, &(struct irqs_preview){ problems, changes },
			  "There is too much to say of the rules for one answer.", error);
}

int irqs_method_open_irq_capture(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	g_autofree char *message = NULL;
	g_autofree void *bytes = NULL;
	struct bus *b = userdata;
	g_auto(fd_t) fd = -1;
	size_t size = 0;
	int r;

	r = options_read_none(m, error);
	if (r < 0)
		return r;
	r = capture_table(b->model.root, &bytes, &size, &message);
	if (r >= 0)
		r = memfile_new("lrtbf-irqs", bytes, size, &fd);
	if (r >= 0)
		r = sd_bus_reply_method_return(m, "h", fd);
	return r < 0 ? irqs_refuse(error, r, message) : 1;
}

/* Changes */

static int irqs_tell(sd_bus_message *call, const GPtrArray *changes, bool dry, sd_bus_error *error)
{
	return reply_list(call, changedict_append_list, changes,
			  dry ? "More would change than can be told in one answer."
			      : "It is done, but the list of changes is too large for one answer: "
				"see ListThreads.",
			  error);
}

int irqs_answer(sd_bus_message *call, int r, const char *message, const GPtrArray *changes,
		sd_bus_error *error)
{
	return r < 0 ? irqs_refuse(error, r, message) : irqs_tell(call, changes, false, error);
}

static int irqs_apply(struct bus *b, sd_bus_message *call, bool dry, sd_bus_error *error)
{
	g_autoptr(GPtrArray) changes = irqpolicy_apply(b->model.irqpolicy, dry);

	bus_irq_state_changed(b);
	return irqs_tell(call, changes, dry, error);
}

static int irqs_restore(struct bus *b, sd_bus_message *call, bool dry, sd_bus_error *error)
{
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	int r = 0;

	changes = irqpolicy_restore(b->model.irqpolicy, dry, &r, &message);
	bus_irq_state_changed(b);
	return changes ? irqs_tell(call, changes, dry, error) : irqs_refuse(error, r, message);
}

static int irqs_apply_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	log_info("Rules of interrupts are applied for uid %u.", (unsigned)caller);
	return irqs_apply(data, call, false, error);
}

static int irqs_restore_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	log_info("Interrupts are put back for uid %u.", (unsigned)caller);
	return irqs_restore(data, call, false, error);
}

/* @now: for a dry run, which changes nothing. @then: when authority allows it. */
static int irqs_change(sd_bus_message *m, struct bus *b,
		       int (*now)(struct bus *b, sd_bus_message *call, bool dry,
				  sd_bus_error *error),
		       authority_then_t then, sd_bus_error *error)
{
	struct authority_request request = {
		.action = ACTION_IRQS,
		.owner = AUTHORITY_NO_OWNER,
		.then = then,
		.data = b,
	};
	g_autoptr(json_t) options = NULL;
	int r;

	r = options_read(m, irqs_change_options, &options, error);
	if (r < 0)
		return r;
	if (options_bool(options, "dry_run", false))
		return now(b, m, true, error);
	return authority_check(b->authority, m, &request, error);
}

int irqs_method_apply_irq_policy(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return irqs_change(m, userdata, irqs_apply, irqs_apply_go, error);
}

int irqs_method_restore_irq_policy(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return irqs_change(m, userdata, irqs_restore, irqs_restore_go, error);
}

/* Properties */

/* g_free(). */
static char *irqs_watching(const struct bus *b)
{
	const char *why = NULL, *mode = irqpolicy_watching(b->model.irqpolicy, &why);

	return why ? g_strconcat(mode, ": ", why, NULL) : g_strdup(mode);
}

int irqs_property_watching(sd_bus *bus, const char *path, const char *interface,
			   const char *property, sd_bus_message *reply, void *userdata,
			   sd_bus_error *error)
{
	g_autofree char *watching = irqs_watching(userdata);

	return dict_text(reply, watching);
}

int irqs_property_paused(sd_bus *bus, const char *path, const char *interface, const char *property,
			 sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	int paused = irqpolicy_paused(((const struct bus *)userdata)->model.irqpolicy);

	return sd_bus_message_append_basic(reply, 'b', &paused);
}

void irqs_publish(struct bus *b)
{
	b->irq_watching = irqs_watching(b);
	b->irq_paused = irqpolicy_paused(b->model.irqpolicy);
}

void bus_irq_state_changed(struct bus *b)
{
	g_autofree char *watching = NULL;
	bool paused;

	if (!b->authority)
		return; /* nothing is shown yet */
	watching = irqs_watching(b);
	paused = irqpolicy_paused(b->model.irqpolicy);
	if (g_strcmp0(watching, b->irq_watching) != 0)
		manager_changed(b, "IrqWatching");
	if (paused != b->irq_paused)
		manager_changed(b, "IrqPaused");
	g_free(b->irq_watching);
	b->irq_watching = g_steal_pointer(&watching);
	b->irq_paused = paused;
}
