"""Writes a template with ${NAME} as the value of the environment's SHADERBENCH_NAME."""

import os
import string
import sys

prefix = "SHADERBENCH_"
values = {name[len(prefix):]: value for name, value in os.environ.items() if name.startswith(prefix)}
with open(sys.argv[1], encoding="utf-8") as template:
    sys.stdout.write(string.Template(template.read()).substitute(values))
