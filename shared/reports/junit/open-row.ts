/** A testcase element while it is read. */
import { KeptBeginning, KeptEnd } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { JunitProblem, JunitRow, JunitSuite, ProblemKind } from './row.ts';

const KINDS: Readonly<Record<string, ProblemKind>> = {
  failure: 'failure',
  error: 'error',
  skipped: 'skipped',
  rerunFailure: 'rerunFailure',
  rerunError: 'rerunError',
  flakyFailure: 'flakyFailure',
  flakyError: 'flakyError',
};

export const problemKind = (element: string): ProblemKind | undefined =>
  Object.hasOwn(KINDS, element) ? KINDS[element] : undefined;

export class OpenProblem {
  readonly #kind: ProblemKind;
  readonly #attributes: ReadonlyMap<string, string>;
  readonly text = new KeptBeginning(REPORT_LIMITS.stackCharacters);
  readonly stack = new KeptBeginning(REPORT_LIMITS.stackCharacters);
  readonly out = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly err = new KeptEnd(REPORT_LIMITS.outputCharacters);

  constructor(kind: ProblemKind, attributes: ReadonlyMap<string, string>) {
    this.#kind = kind;
    this.#attributes = attributes;
  }

  closed(): JunitProblem {
    return {
      kind: this.#kind,
      message: this.#attributes.get('message') ?? null,
      type: this.#attributes.get('type') ?? '',
      text: this.text.text,
      stackTrace: this.stack.text,
      out: this.out.text,
      err: this.err.text,
      timestamp: this.#attributes.get('timestamp'),
      time: this.#attributes.get('time'),
    };
  }
}

export class OpenRow {
  readonly #attributes: ReadonlyMap<string, string>;
  readonly #suite: JunitSuite | null;
  readonly #problems: JunitProblem[] = [];
  readonly #properties: (readonly [string, string])[] = [];
  readonly out = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly err = new KeptEnd(REPORT_LIMITS.outputCharacters);
  problem: OpenProblem | undefined;

  constructor(attributes: ReadonlyMap<string, string>, suite: JunitSuite | null) {
    this.#attributes = attributes;
    this.#suite = suite;
  }

  begin(kind: ProblemKind, attributes: ReadonlyMap<string, string>): void {
    this.end();
    this.problem = new OpenProblem(kind, attributes);
  }

  end(): void {
    const room = REPORT_LIMITS.attemptsPerTest + REPORT_LIMITS.errorsPerAttempt;
    if (this.problem && this.#problems.length < room) this.#problems.push(this.problem.closed());
    this.problem = undefined;
  }

  property(name: string, value: string): void {
    if (this.#properties.length < REPORT_LIMITS.propertiesPerElement) this.#properties.push([name, value]);
  }

  closed(cut: boolean): JunitRow {
    this.end();
    return {
      attributes: this.#attributes,
      suite: this.#suite,
      problems: this.#problems,
      properties: this.#properties,
      out: this.out.text,
      err: this.err.text,
      cut,
    };
  }
}
