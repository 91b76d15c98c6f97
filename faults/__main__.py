"""Let random faults happen to Dibs, and check what remains: ``python -m faults --help`` lists the options."""

import argparse
import random
import shutil
import sys

from faults.bugs import BUGS
from faults.plan import ENGINES, kinds_of
from faults.run import Options, Outcome, new_folder, run

VIOLATIONS_MAX = 20


def main() -> int:
    """Run the command; the exit status is 1 after a violation."""
    parser = argparse.ArgumentParser(prog="faults", description="Let random faults happen to Dibs, and check it.")
    parser.add_argument("--engine", default=",".join(ENGINES), help="engines, separated by commas")
    parser.add_argument("--seconds", type=float, default=120.0, help="time for each engine")
    parser.add_argument("--seed", type=int, help="run the plan of this seed; default: a random one")
    parser.add_argument("--clients", type=int, default=8, help="clients at the same time")
    parser.add_argument("--faults", type=int, help="number of faults; default: one in three seconds")
    parser.add_argument("--kinds", default="", help="only these kinds of faults, separated by commas")
    parser.add_argument("--bug", default="", choices=["", *BUGS], help="give Dibs this defect, which must be found")
    arguments = parser.parse_args()
    seed = random.randrange(1_000_000) if arguments.seed is None else arguments.seed
    count = int(arguments.seconds / 3) if arguments.faults is None else arguments.faults
    kinds = [kind for kind in arguments.kinds.split(",") if kind]
    failed = False
    for engine in arguments.engine.split(","):
        possible = kinds_of(engine)
        if unknown := set(kinds) - set(possible):
            parser.error(f"{engine} has no {', '.join(sorted(unknown))}; choose from {', '.join(possible)}")
        failed |= not run_one(
            Options(engine, seed, arguments.seconds, arguments.clients, count, kinds, bug=arguments.bug)
        )
    return int(failed)


def run_one(options: Options) -> bool:
    """Run on one engine and print what was found; return whether there was no violation."""
    folder = new_folder()
    print(f"{options.engine}, seed {options.seed}, {options.clients} clients, {options.seconds:g} s", flush=True)
    outcome = run(options, folder, say_round)
    print("\n".join(lines_of(outcome)), flush=True)
    if outcome.violations:
        print(f"  Logs and records are in {folder}. --seed {options.seed} runs the same plan again.", flush=True)
    else:
        shutil.rmtree(folder)
    return not outcome.violations


def say_round(number: int, outcome: Outcome) -> None:
    """Print the numbers up to a round, so that an interrupted run says how far it came."""
    found = f"{outcome.operations:,} operations, {outcome.faults.total()} faults, {len(outcome.violations)} violations"
    print(f"  round {number}: {found}", flush=True)


def lines_of(outcome: Outcome) -> list[str]:
    """Describe an outcome, with its first violations."""
    refused = outcome.operations - outcome.acknowledged - outcome.unclear
    by_kind = ", ".join(f"{kind} {number}" for kind, number in sorted(outcome.faults.items()))
    return [
        f"  operations      {outcome.operations:,}",
        f"  acknowledged    {outcome.acknowledged:,}; {refused:,} refused, {outcome.unclear:,} without a clear answer",
        f"  faults          {outcome.faults.total()}: {by_kind}",
        f"  longest stall   {outcome.longest_stall:.1f} s without a success",
        f"  longest answer  {outcome.longest_answer:.1f} s",
        f"  work finished   {outcome.finished_after:.1f} s after the last fault",
        f"  violations      {len(outcome.violations)}",
        *(f"    {violation}" for violation in outcome.violations[:VIOLATIONS_MAX]),
    ]


if __name__ == "__main__":
    sys.exit(main())
