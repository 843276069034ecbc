/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of hostile packets and names inside XML: JUnit reports and SVG. */
#include <criterion/criterion.h>
#include <glib.h>

#include "xml.h"

static void expect(const char *text, const char *want)
{
	char *got = xml_escape(text);

	cr_expect_str_eq(got, want);
	g_free(got);
}

Test(xml, marks_are_escaped)
{
	expect("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&apos;");
	expect("", "");
}

/* XML 1.0, 2.2: below a blank only tab and line ends exist, as references neither. */
Test(xml, what_it_cannot_hold_is_left_out)
{
	expect("a\001\033[31mb\tc\nd", "a[31mb\tc\nd");
}

Test(xml, bytes_that_are_no_text_are_replaced)
{
	expect("a\xff"
	       "b",
	       "a\xef\xbf\xbd"
	       "b");
}
