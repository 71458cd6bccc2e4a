/** The runs, instances and executions that a query selects. */
import type { SentGroup, SentInstance, SentRun, SentTest } from './sent.ts';

/** In epoch milliseconds: `from` inclusive, `to` exclusive. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/**
 * All lists must match. The values of a list are alternatives, except tags with the operator `AND`. An absent or empty
 * list does not filter.
 */
export interface Filter {
  readonly tags?: readonly string[];
  readonly tagOperator?: 'AND' | 'OR';
  readonly branches?: readonly string[];
  readonly groups?: readonly string[];
  readonly authors?: readonly string[];
  readonly environments?: readonly string[];
}

export interface Question {
  readonly period: Period;
  readonly filter: Filter;
}

export interface InstanceExecution {
  readonly run: SentRun;
  readonly group: SentGroup;
  readonly instance: SentInstance;
}

export interface TestExecution extends InstanceExecution {
  readonly test: SentTest;
}

const isAsked = <One>(list: readonly One[] | undefined): list is readonly One[] =>
  list !== undefined && list.length > 0;

function hasTags({ tags, tagOperator = 'OR' }: Filter, has: readonly string[]): boolean {
  if (!isAsked(tags)) return true;
  return tagOperator === 'AND' ? tags.every((tag) => has.includes(tag)) : tags.some((tag) => has.includes(tag));
}

function isOnBranch({ branches }: Filter, branch: string | null): boolean {
  if (!isAsked(branches)) return true;
  if (branch === null) return false;
  return branches.some((one) => (one.endsWith('*') ? branch.startsWith(one.slice(0, -1)) : branch === one));
}

function isBy({ authors }: Filter, { authorName, authorEmail }: SentRun): boolean {
  return !isAsked(authors) || authors.some((author) => author === authorName || author === authorEmail);
}

/** Whether a group of a run matches the filter in everything except its tags. */
function isIn(filter: Filter, run: SentRun, group: SentGroup): boolean {
  if (isAsked(filter.groups) && !filter.groups.includes(group.name)) return false;
  if (isAsked(filter.environments) && !filter.environments.some((one) => one === group.environment)) return false;
  return isOnBranch(filter, run.branch) && isBy(filter, run);
}

const isWithin = ({ from, to }: Period, time: number): boolean => time >= from && time < to;

/** Runs that were created in the period and are not deleted. */
export const runsCreatedIn = (runs: readonly SentRun[], period: Period): SentRun[] =>
  runs.filter((run) => !run.isDeleted && isWithin(period, run.createdAt));

const endedRunsIn = (runs: readonly SentRun[], period: Period): SentRun[] =>
  runsCreatedIn(runs, period).filter(({ ending }) => ending !== null);

/** The groups of a run that match the filter. The tags of the run count as tags of each group. */
export const groupsIn = (run: SentRun, filter: Filter): SentGroup[] =>
  run.groups.filter((group) => isIn(filter, run, group) && hasTags(filter, [...run.tags, ...group.tags]));

/** Executions of spec files that a machine has claimed or that have a final result. */
export function instanceExecutions(runs: readonly SentRun[], { period, filter }: Question): InstanceExecution[] {
  const found: InstanceExecution[] = [];
  for (const run of endedRunsIn(runs, period)) {
    for (const group of groupsIn(run, filter)) {
      for (const instance of run.instances) {
        if (instance.group !== group.name) continue;
        if (instance.isClaimed || finalTests(instance).length > 0) found.push({ run, group, instance });
      }
    }
  }
  return found;
}

/** Executions of tests with final results. A tag filter matches the tags of the run, of the group and of the test. */
export function testExecutions(runs: readonly SentRun[], { period, filter }: Question): TestExecution[] {
  const found: TestExecution[] = [];
  for (const run of endedRunsIn(runs, period)) {
    for (const group of run.groups) {
      if (!isIn(filter, run, group)) continue;
      for (const instance of run.instances) {
        if (instance.group !== group.name) continue;
        for (const test of finalTests(instance)) {
          if (hasTags(filter, [...run.tags, ...group.tags, ...test.tags])) found.push({ run, group, instance, test });
        }
      }
    }
  }
  return found;
}

/** The tags of a test that neither its run nor its group has. */
export const ownTags = ({ run, group, test }: TestExecution): string[] =>
  test.tags.filter((tag) => !run.tags.includes(tag) && !group.tags.includes(tag));

export const finalTests = ({ tests }: SentInstance): SentTest[] => tests.filter(({ done }) => done);
