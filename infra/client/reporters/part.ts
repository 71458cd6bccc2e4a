/** A spec file of a group, with the tests that are not sent yet. */
import type { Result } from './test-results.ts';

/** A result that is not sent yet, as JSON. */
interface Line {
  readonly json: string;
  readonly result: Result;
}

export class Part {
  readonly group: string;
  readonly spec: string;
  /** The expected tests that have not finished. */
  readonly open = new Set<string>();
  /** Whether no more tests are expected. Some frameworks know the tests of a file only when it has ended. */
  hasEnded = false;
  lines: Line[] = [];
  bytes = 0;
  /** When the oldest unsent test finished. */
  since = 0;
  hasFailed = false;
  sentParts = 0;
  isInFlight = false;
  /** Whether the service was told that more of the spec file follows. */
  hasPromisedMore = false;
  /** The worker that ran the first finished test. */
  worker: { readonly workerIndex: number; readonly parallelIndex: number } | undefined;
  /** Whether the service knows the spec file, so that it accepts files of its tests. */
  isKnown = false;

  constructor(group: string, spec: string) {
    this.group = group;
    this.spec = spec;
  }

  /** Takes the oldest unsent tests, at least one, and no more than about this many bytes. */
  takeLines(most: number): Line[] {
    let count = 0;
    for (let bytes = 0; count < this.lines.length && bytes < most; count += 1)
      bytes += this.lines[count]?.json.length ?? 0;
    const lines = this.lines.splice(0, Math.max(1, count));
    this.bytes = countBytes(this.lines);
    if (this.lines.length === 0) this.hasFailed = false;
    return lines;
  }
}

export const countBytes = (lines: readonly Line[]): number => lines.reduce((sum, { json }) => sum + json.length, 0);
