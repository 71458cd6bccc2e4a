/**
 * The rule that decides which failed executions of a test still count, when several builds of a commit or several tries
 * of a build executed it. Everything that merges runs follows this rule: the status of a commit, the view of a build
 * with several tries, its line in lists, its comment, its badge and its comparison.
 *
 * - The executions of a later build replace those of all earlier builds, because each build runs its tests anew.
 * - A try repeats parts of its own build, and may repeat only one of two jobs that no group tells apart. So one
 *   execution of a later try replaces at most one failed execution of the test in the earlier tries, one of the same job
 *   if the jobs are known.
 * - A test that failed in one try and passed in a later one of the same build is flaky.
 * - An intentionally skipped test was not executed, so it replaces nothing.
 */

/** One execution of a test of a group. */
export interface ExecutionInRun<Of> {
  readonly failed: boolean;
  /** The CI jobs of which one executed the test. Absent if clients named no job. */
  readonly jobs?: readonly string[] | undefined;
  /** The execution itself. Only failed ones are asked for. */
  readonly of?: Of;
}

/** The executions of one test of one group in one run. */
export interface TestInRun<Of> {
  /** Equal for all tries of a CI build. */
  readonly build: string;
  readonly executions: readonly ExecutionInRun<Of>[];
}

interface MergedExecutions<Of> {
  /** The failed executions that no later execution replaces. */
  readonly open: readonly ExecutionInRun<Of>[];
  /** The failed executions that an execution of a later try replaced, and that passed there. */
  readonly repaired: readonly ExecutionInRun<Of>[];
}

/** Merges the executions of one test. `runs` begins with the oldest. */
export function mergeExecutions<Of>(runs: readonly TestInRun<Of>[]): MergedExecutions<Of> {
  let open: ExecutionInRun<Of>[] = [];
  let repaired: ExecutionInRun<Of>[] = [];
  let currentBuild: string | undefined;
  for (const { build, executions } of runs) {
    if (executions.length === 0) continue;
    if (build !== currentBuild) [open, repaired] = [[], []];
    currentBuild = build;
    for (const execution of executions) {
      const replacedFailure = findReplacedFailure(open, execution);
      if (!replacedFailure) continue;
      open = open.filter((one) => one !== replacedFailure);
      if (!execution.failed) repaired.push(replacedFailure);
    }
    open.push(...executions.filter(({ failed }) => failed));
  }
  return { open, repaired };
}

/** The failure that the execution replaces: one that must be of its job, or else one that may be of its job. */
function findReplacedFailure<Of>(
  open: readonly ExecutionInRun<Of>[],
  { jobs }: ExecutionInRun<Of>,
): ExecutionInRun<Of> | undefined {
  const candidates = open.filter((failure) => !jobs || !failure.jobs || failure.jobs.some((job) => jobs.includes(job)));
  const certainMatch = candidates.find((failure) => failure.jobs?.length === 1 && jobs?.length === 1);
  return certainMatch ?? candidates[0];
}
