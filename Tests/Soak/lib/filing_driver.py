"""filing_driver KIND OUTSIDE RECORD: the shipped driver in Python, whose client leaves something odd in each state_dir; RECORD gets a line for each."""
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "Contracts/drivers/python"), str(HERE)]  # each has a module `wire`
import driver  # noqa: E402
import odd_files  # noqa: E402


def main(kind, outside, record):
    class Case(driver.Case):
        def __init__(self, message, habits):
            super().__init__(message, habits)
            odd_files.make(kind, pathlib.Path(message["state_dir"]) / "left", pathlib.Path(outside))
            with open(record, "a") as file:
                file.write(f"{kind}\n")

    driver.Case = Case  # the driver makes one for each case
    driver.Driver(driver.Habits()).run()


if __name__ == "__main__":
    main(*sys.argv[1:4])
