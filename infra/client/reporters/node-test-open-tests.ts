/** The tests of a process that node:test has announced. If the process ends too early, nothing else is known about them. */
import { type EventData, isBeginning, isFiltered, isSame } from './node-test-events.ts';

interface OpenTest {
  readonly data: EventData;
  /** The names of the tests around this one. `undefined` if unknown, for example because several tests were running. */
  readonly path: readonly string[] | undefined;
  startedAt: number | undefined;
  isComplete: boolean;
}

export interface LostTest {
  /** The names of the tests around it, and its own. */
  readonly names: readonly string[];
  readonly data: EventData;
  readonly startedAt: number | undefined;
}

export class OpenTests {
  readonly #tests: OpenTest[] = [];

  /** `reportsCompletion`: whether Node has sent a completion event. */
  announce(data: EventData, reportsCompletion: boolean): void {
    const parent = this.#parentOf(data, reportsCompletion);
    const path = data.nesting === 0 ? [] : parent?.path && [...parent.path, parent.data.name ?? ''];
    this.#tests.push({ data, path, startedAt: undefined, isComplete: false });
  }

  #parentOf({ nesting = 0, parentId }: EventData, reportsCompletion: boolean): OpenTest | undefined {
    const around = this.#tests.filter(({ data }) => data.nesting === nesting - 1);
    if (parentId !== undefined) return around.find(({ data }) => data.testId === parentId);
    const runningTests = around.filter(({ startedAt, isComplete }) => startedAt !== undefined && !isComplete);
    // If Node sends no completion events, ended tests still look as if they were running. Tests usually run one after
    // another, so the last one is chosen.
    if (runningTests.length > 1 && reportsCompletion) return undefined;
    return runningTests.at(-1);
  }

  start(data: EventData): void {
    const test = this.#tests.find((one) => isSame(one.data, data) && one.startedAt === undefined);
    if (test) test.startedAt = Date.now();
  }

  complete(data: EventData): void {
    const test = this.#tests.find((one) => isSame(one.data, data) && !one.isComplete);
    if (test) test.isComplete = true;
  }

  /** Removes a test that has a result. */
  take(data: EventData): OpenTest | undefined {
    const index = this.#tests.findIndex((one) => isSame(one.data, data));
    return index < 0 ? undefined : this.#tests.splice(index, 1)[0];
  }

  /** Removes all. Returns them without suites, tests with subtests, and tests whose place is unknown. */
  takeAll(): LostTest[] {
    const tests = this.#tests.splice(0);
    return tests.flatMap(({ data, path, startedAt }) => {
      if (path === undefined || isFiltered(data)) return [];
      const names = [...path, data.name ?? ''];
      // Node 20 does not say whether an announced test is a suite. A suite that has begun has tests of its own.
      const isTest = data.type === 'test' || (data.type === undefined && startedAt !== undefined);
      const isContainer = tests.some((one) => one.path && isBeginning(names, one.path));
      return isTest && !isContainer ? [{ names, data, startedAt }] : [];
    });
  }
}
