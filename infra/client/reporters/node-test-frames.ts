/** The tests and suites that node:test is reporting: the current one, and those around it. */
import type { TestError } from './messages.ts';
import { toTestErrors } from './node-test-errors.ts';
import { type EventData, getFailureType } from './node-test-events.ts';

/** A test or suite that Node has started to report (`test:start`). The events of its subtests follow. */
interface Frame {
  readonly name: string;
  hasSubtests: boolean;
  /** Subtests that were cancelled, until it is known whether a failed hook around them is the reason. */
  readonly cancelled: EndedTest[];
}

export interface EndedTest {
  readonly spec: string;
  /** The names of the tests and suites around it, and its own. */
  readonly names: readonly string[];
  readonly data: EventData;
  readonly isPassed: boolean;
  readonly startedAt: number | undefined;
}

/** Tests whose results are final. */
export interface SettledTests {
  readonly tests: readonly EndedTest[];
  /** Why they failed, if it was not for their own errors. */
  readonly errors?: readonly TestError[];
}

export class TestFrames {
  readonly #frames: Frame[] = [];

  open({ nesting = 0, name = '' }: EventData): void {
    const parent = this.#frames[nesting - 1];
    if (parent) parent.hasSubtests = true;
    this.#closeFrom(nesting);
    this.#frames.push({ name, hasSubtests: false, cancelled: [] });
  }

  /** Ends a test or suite. Returns the tests that are settled with it, in the order in which they are recorded. */
  end(ending: Omit<EndedTest, 'names'>): SettledTests[] {
    const { nesting = 0, name = '', details } = ending.data;
    const frame = this.#frames[nesting];
    const outerFrames = this.#frames.slice(0, nesting);
    this.#closeFrom(nesting);
    const parent = outerFrames.at(-1);
    const endedTest = { ...ending, names: [...outerFrames.map((outer) => outer.name), name] };
    if (frame?.hasSubtests || details?.type === 'suite') return endContainer(endedTest, frame, parent);
    return isCancelled(endedTest) ? holdBack([endedTest], parent) : [{ tests: [endedTest] }];
  }

  /** Closes everything. Returns the cancelled tests whose reason will never be known. */
  endAll(): EndedTest[] {
    return this.#frames.splice(0).flatMap(({ cancelled }) => cancelled);
  }

  #closeFrom(nesting: number): void {
    this.#frames.length = Math.min(this.#frames.length, nesting);
  }
}

const isCancelled = ({ data, isPassed }: EndedTest): boolean =>
  !isPassed && getFailureType(data) === 'cancelledByParent';

/**
 * Ends a suite, or a test with subtests. Its subtests have results of their own, so it is a result only if it failed for
 * another reason than theirs, or was skipped or is todo as a whole.
 */
function endContainer(container: EndedTest, frame: Frame | undefined, parent: Frame | undefined): SettledTests[] {
  const { data, isPassed, spec } = container;
  const { cancelled = [], hasSubtests = false } = frame ?? {};
  // Something around the container cancelled it with its subtests, and may still turn out to be a failed hook.
  if (isCancelled(container)) return holdBack(cancelled, parent);
  if (isPassed) {
    const isLeftOut = !hasSubtests && Boolean(data.skip || data.todo);
    return [{ tests: cancelled }, ...(isLeftOut ? [{ tests: [container] }] : [])];
  }
  // The container did not cause the cancellation, so the subtests keep their own errors.
  if (getFailureType(data) === 'subtestsFailed') return [{ tests: cancelled }];
  // A hook that fails before its tests cancels them. They get its error.
  if (cancelled.length > 0) return [{ tests: cancelled, errors: toTestErrors(data, spec) }];
  return [{ tests: [container] }];
}

/** Leaves cancelled tests to the parent. Without a parent, no hook can be the reason. */
function holdBack(cancelledTests: readonly EndedTest[], parent: Frame | undefined): SettledTests[] {
  if (!parent) return [{ tests: cancelledTests }];
  parent.cancelled.push(...cancelledTests);
  return [];
}
