/* The XML comments of an MDF file. */
#ifndef SKIDPAD_WIRE_MDF_WRITE_XML_H
#define SKIDPAD_WIRE_MDF_WRITE_XML_H

#include "shared/wire/mdf_write.h"

#include <stdio.h>

/* About the run: the file's comment and its properties. */
void mdf_xml_header(FILE *to, const struct mdf_file *file);
/* About the program that writes; the file is not used. */
void mdf_xml_history(FILE *to, const struct mdf_file *file);

#endif
