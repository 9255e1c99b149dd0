/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How a page of HTML looks: the sheet of the report and of the comparison. */
extern const char htmlstyle[];
