/* Just enough XML for the comments of an MDF file: elements found by name, attributes, text with
 * its character references and CDATA sections. What is not well-formed ends the search; nothing is
 * copied until asked for. Private to mdf_read*.c. */
#ifndef SKIDPAD_WIRE_MDF_READ_XML_H
#define SKIDPAD_WIRE_MDF_READ_XML_H

#include <stdbool.h>
#include <stddef.h>

struct mdf_read_span {
    const char *text;
    size_t length;
};

struct mdf_read_element {
    struct mdf_read_span attributes, content; /* as they stand in the file */
};

/* The first element of this name, at any depth; rest becomes what follows it. */
bool mdf_read_xml_find(struct mdf_read_span *rest, const char *name,
                       struct mdf_read_element *found);

/* The value of an attribute, as it stands in the file. */
bool mdf_read_xml_attribute(struct mdf_read_span attributes, const char *name,
                            struct mdf_read_span *value);

/* The text of an element's content or of an attribute; tags within are left out. Needs room for
 * length + 1 bytes; a zero byte ends the result. */
void mdf_read_xml_text(struct mdf_read_span content, char *to);
void mdf_read_xml_value(struct mdf_read_span value, char *to);

#endif
