"""The command line: `paylab COMMAND`. Exit status 0 done, 1 failed, 2 wrong use."""
