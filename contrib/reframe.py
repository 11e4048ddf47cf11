"""ReFrame check: every row verified, and the time of each case as a performance variable.

    reframe -c contrib/reframe.py -r -S program=/path/to/shaderbench -S 'options=--profile quick'

Subclass it for references: `reference = {"cluster:partition": {"transpose/tiled_wide f32 8192x8192": (134.3e3, None, 0.05, "ns")}}`.
"""

import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, sanity_function, variable


@rfm.simple_test
class Shaderbench(rfm.RunOnlyRegressionTest):
    """Measures a family on the node's GPU."""

    family = parameter(["reduction", "transpose", "matmul"])
    program = variable(str, value="shaderbench")
    options = variable(str, value="")
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    time_limit = "30m"

    @run_after("init")
    def name_the_program(self):
        self.executable = self.program
        # ReFrame's node, not the container's or the login node's.
        host = "${SLURMD_NODENAME:-$(hostname)}"
        self.executable_opts = [
            "run", self.family, "--table none", f'--host "{host}"', "--out report.csv", "--force", self.options,
        ]
        self.postrun_cmds = [
            'echo "exit code $?"',
            f"{self.program} report report.csv --format github --out times.json --force",
        ]
        self.keep_files = ["report.csv", "times.json"]

    @sanity_function
    def no_row_is_wrong(self):
        # The program exits with 3 if a row is wrong, failed or implausible.
        return sn.assert_found(r"^exit code 0$", self.stdout)

    @run_before("performance")
    def read_the_times(self):
        with open(os.path.join(self.stagedir, "times.json"), encoding="utf-8") as file:
            times = json.load(file)
        own = [time for time in times if time["name"].startswith(f"{self.family}/")]
        self.perf_variables = {
            time["name"]: sn.make_performance_function(sn.defer(time["value"]), time["unit"]) for time in own
        }
