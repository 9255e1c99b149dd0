/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Own code and not getopt_long(): options of a command come from that command's file, may stand
 * before the command's words, and a slip is answered with the word that was probably meant.
 * Abbreviations are not taken: a script that relies on one breaks when a longer option comes.
 */
#include "args.h"

#include "text.h"
#include <errno.h>
#include <string.h>

const struct option_spec args_global[] = {
	{ "system", 0, NULL, "Talk to the service on the system bus (default)" },
	{ "user", 0, NULL, "Talk to one on the user's session bus" },
	{ "bus", 0, "ADDRESS", "Talk to one on the bus at this address (or: system, user)" },
	{ "host", 'H', "[USER@]HOST", "Talk to the one on another machine, over ssh" },
	{ "machine", 'M', "MACHINE", "Talk to the one in a local container" },
	{ "json", 0, NULL, "Output for programs" },
	{ "no-pager", 0, NULL, "Do not page long output" },
	{ "no-ask-password", 0, NULL, "Do not ask for a password; fail instead" },
	{ "help", 'h', NULL, "Show this help, or a command's" },
	{ "version", 0, NULL, "Show the version" },
	{ NULL },
};

static const struct option_spec *args_find(const struct option_spec *s, const char *name, size_t n)
{
	for (; s && s->name; s++)
		if (strlen(s->name) == n && memcmp(s->name, name, n) == 0)
			return s;
	return NULL;
}

static const struct option_spec *args_find_letter(const struct option_spec *s, char letter)
{
	for (; s && s->name; s++)
		if (s->letter == letter)
			return s;
	return NULL;
}

/* The command is not known yet: all tables are looked through; args_check_options() is stricter. */
static const struct option_spec *args_lookup(const char *name, size_t n)
{
	const struct option_spec *s = args_find(args_global, name, n);

	for (unsigned i = 0; !s && verbs[i]; i++)
		s = args_find(verbs[i]->options, name, n);
	return s;
}

static const struct option_spec *args_lookup_letter(char letter)
{
	const struct option_spec *s = args_find_letter(args_global, letter);

	for (unsigned i = 0; !s && verbs[i]; i++)
		s = args_find_letter(verbs[i]->options, letter);
	return s;
}

static int args_unknown_option(const char *given, char **ret_message)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autofree char *name = g_strndup(given, strcspn(given, "="));
	const char *near;

	for (const struct option_spec *s = args_global; s->name; s++)
		g_ptr_array_add(names, (char *)s->name);
	for (unsigned i = 0; verbs[i]; i++)
		for (const struct option_spec *s = verbs[i]->options; s && s->name; s++)
			g_ptr_array_add(names, (char *)s->name);
	g_ptr_array_add(names, NULL);
	near = text_nearest(name + strspn(name, "-"), (const char *const *)names->pdata);
	*ret_message =
		near ? g_strdup_printf("There is no option %s. Did you mean --%s?", name, near)
		     : g_strdup_printf("There is no option %s.", name);
	return -EINVAL;
}

/* One argument that begins with '-'; @next is what follows it. 1: that was taken as the value. */
static int args_option(struct args *a, const char *arg, const char *next, char **ret_message)
{
	bool is_long = arg[1] == '-';
	const char *name = arg + (is_long ? 2 : 1), *value;
	size_t n = is_long ? strcspn(name, "=") : 1;
	const struct option_spec *s = is_long ? args_lookup(name, n) : args_lookup_letter(*name);
	struct args_option *o;

	if (!s)
		return args_unknown_option(arg, ret_message);
	value = is_long ? (name[n] == '=' ? name + n + 1 : NULL) : (name[1] ? name + 1 : NULL);
	if (!s->value && value) {
		*ret_message = g_strdup_printf("--%s takes no value.", s->name);
		return -EINVAL;
	}
	if (s->value && !value && !next) {
		*ret_message = g_strdup_printf("--%s needs a value: %s.", s->name, s->value);
		return -EINVAL;
	}
	o = g_new0(struct args_option, 1);
	o->spec = s;
	o->value = !s->value ? NULL : value ? value : next;
	g_ptr_array_add(a->options, o);
	return s->value && !value;
}

/* "session": are there commands of two words that begin so? Their second words, NULL-ended. */
static GPtrArray *args_verbs(const char *group)
{
	GPtrArray *words = g_ptr_array_new();
	size_t n = strlen(group);

	for (unsigned i = 0; verbs[i]; i++)
		if (strncmp(verbs[i]->name, group, n) == 0 && verbs[i]->name[n] == ' ')
			g_ptr_array_add(words, (char *)verbs[i]->name + n + 1);
	g_ptr_array_add(words, NULL);
	return words;
}

static int args_unknown_word(const char *group, const char *word, char **ret_message)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *in_group = NULL;
	const char *near;

	for (unsigned i = 0; verbs[i]; i++) {
		const char *name = verbs[i]->name;
		size_t n = group ? strlen(group) : 0;

		if (!group)
			g_ptr_array_add(words, g_strndup(name, strcspn(name, " ")));
		else if (strncmp(name, group, n) == 0 && name[n] == ' ')
			g_ptr_array_add(words, g_strdup(name + n + 1));
	}
	g_ptr_array_add(words, NULL);
	near = text_nearest(word, (const char *const *)words->pdata);
	in_group = group ? g_strconcat(group, " ", NULL) : g_strdup("");
	if (near)
		*ret_message = g_strdup_printf("There is no command '%s%s'. Did you mean '%s%s'?",
					       in_group, word, in_group, near);
	else
		*ret_message = g_strdup_printf("There is no command '%s%s'.", in_group, word);
	return -EINVAL;
}

/* How many operands are the words of @name: 0 when they are not. */
static unsigned args_match(const char *name, const char *first, const char *second)
{
	const char *blank = strchr(name, ' ');
	size_t n = blank ? (size_t)(blank - name) : 0;

	if (!blank)
		return strcmp(name, first) == 0;
	return second && strlen(first) == n && strncmp(name, first, n) == 0 &&
			       strcmp(blank + 1, second) == 0
		       ? 2
		       : 0;
}

/* The first word alone: a group of commands, or none that is known. */
static int args_group(struct args *a, const char *group, char **ret_message)
{
	g_autoptr(GPtrArray) words = args_verbs(group);
	g_autofree char *list = g_strjoinv(", ", (char **)words->pdata);

	if (words->len == 1)
		return args_unknown_word(NULL, group, ret_message);
	if (args_has(a, "help"))
		return 0;
	*ret_message = g_strdup_printf("'%s' needs one of: %s.", group, list);
	return -EINVAL;
}

/* Find the command in the first one or two operands and take them out. */
static int args_command(struct args *a, char **ret_message)
{
	const char *first = args_operand(a, 0), *second = args_operand(a, 1);
	g_autoptr(GPtrArray) words = args_verbs(first);

	for (unsigned i = 0; verbs[i]; i++) {
		unsigned n = args_match(verbs[i]->name, first, second);

		if (n) {
			a->verb = verbs[i];
			g_ptr_array_remove_range(a->operands, 0, n);
			return 0;
		}
	}
	if (second && words->len > 1)
		return args_unknown_word(first, second, ret_message);
	return args_group(a, first, ret_message);
}

static int args_check_options(const struct args *a, char **ret_message)
{
	for (guint i = 0; i < a->options->len; i++) {
		const char *name = ((struct args_option *)a->options->pdata[i])->spec->name;

		if (args_find(args_global, name, strlen(name)) ||
		    args_find(a->verb->options, name, strlen(name)))
			continue;
		*ret_message = g_strdup_printf("--%s does not go with '%s'.", name, a->verb->name);
		return -EINVAL;
	}
	return 0;
}

static int args_check_operands(const struct args *a, char **ret_message)
{
	const struct verb *c = a->verb;

	if (a->operands->len >= c->min && a->operands->len <= c->max)
		return 0;
	if (a->operands->len < c->min)
		*ret_message = g_strdup_printf("'%s' needs an argument: %s.", c->name, c->operands);
	else if (c->max == 0)
		*ret_message = g_strdup_printf("'%s' takes no argument.", c->name);
	else
		*ret_message =
			g_strdup_printf("'%s' takes one argument: %s.", c->name, c->operands);
	return -EINVAL;
}

static int args_split(struct args *a, const char *const *argv, char **ret_message)
{
	for (; *argv; argv++) {
		int r = 0;

		if (strcmp(*argv, "--") == 0) {
			while (*++argv)
				g_ptr_array_add(a->operands, (char *)*argv);
			return 0;
		}
		if (argv[0][0] == '-' && argv[0][1])
			r = args_option(a, argv[0], argv[1], ret_message);
		else
			g_ptr_array_add(a->operands, (char *)*argv);
		if (r < 0)
			return r;
		argv += r;
	}
	return 0;
}

int args_parse(struct args *a, const char *const *argv, char **ret_message)
{
	int r;

	*a = (struct args){
		.operands = g_ptr_array_new(),
		.options = g_ptr_array_new_with_free_func(g_free),
	};
	r = args_split(a, argv, ret_message);
	if (r < 0)
		return r;
	if (a->operands->len == 0) {
		if (args_has(a, "help") || args_has(a, "version"))
			return 0;
		*ret_message = g_strdup("Which command?");
		return -EINVAL;
	}
	r = args_command(a, ret_message);
	if (r < 0 || !a->verb)
		return r;
	r = args_check_options(a, ret_message);
	if (r < 0 || args_has(a, "help"))
		return r;
	return args_check_operands(a, ret_message);
}

void args_done(struct args *a)
{
	g_clear_pointer(&a->operands, g_ptr_array_unref);
	g_clear_pointer(&a->options, g_ptr_array_unref);
}

const char *args_operand(const struct args *a, unsigned i)
{
	return i < a->operands->len ? a->operands->pdata[i] : NULL;
}

static const struct args_option *args_last(const struct args *a, const char *name,
					   const char *other)
{
	for (guint i = a->options->len; i-- > 0;) {
		const struct args_option *o = a->options->pdata[i];

		if (strcmp(o->spec->name, name) == 0 ||
		    (other && strcmp(o->spec->name, other) == 0))
			return o;
	}
	return NULL;
}

const char *args_value(const struct args *a, const char *name)
{
	const struct args_option *o = args_last(a, name, NULL);

	return o ? o->value : NULL;
}

bool args_has(const struct args *a, const char *name)
{
	return args_last(a, name, NULL) != NULL;
}

bool args_either(const struct args *a, const char *yes, const char *no, bool otherwise)
{
	const struct args_option *o = args_last(a, yes, no);

	return o ? strcmp(o->spec->name, yes) == 0 : otherwise;
}
