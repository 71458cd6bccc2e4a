/** The elements of a JUnit report that are being read: their texts arrive in parts, and their ends later. */
import { KeptBeginning, KeptEnd } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { JunitProblem, JunitRow, JunitSuite, ProblemKind } from './row.ts';
import { countFailures, findSuiteErrors, type SuiteErrors } from './suite-errors.ts';

/** Where the text of an element goes: to the output of its row or suite, or to its problem. */
export type TextTarget = 'out' | 'err' | 'stack' | 'text';

type ElementAttributes = ReadonlyMap<string, string>;

class OpenProblem {
  readonly #kind: ProblemKind;
  readonly #attributes: ElementAttributes;
  readonly #texts = {
    text: new KeptBeginning(REPORT_LIMITS.stackCharacters),
    stack: new KeptBeginning(REPORT_LIMITS.stackCharacters),
    out: new KeptEnd(REPORT_LIMITS.outputCharacters),
    err: new KeptEnd(REPORT_LIMITS.outputCharacters),
  };

  constructor(kind: ProblemKind, attributes: ElementAttributes) {
    this.#kind = kind;
    this.#attributes = attributes;
  }

  addText(target: TextTarget, text: string): void {
    this.#texts[target].add(text);
  }

  close(): JunitProblem {
    const { text, stack, out, err } = this.#texts;
    return {
      kind: this.#kind,
      message: this.#attributes.get('message') ?? null,
      type: this.#attributes.get('type') ?? '',
      text: text.text,
      stackTrace: stack.text,
      out: out.text,
      err: err.text,
      timestamp: this.#attributes.get('timestamp'),
      time: this.#attributes.get('time'),
    };
  }
}

/** A `testcase` element. */
export class OpenRow {
  readonly #attributes: ElementAttributes;
  readonly #suite: JunitSuite | null;
  readonly #problems: JunitProblem[] = [];
  readonly #properties: (readonly [string, string])[] = [];
  readonly #out = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly #err = new KeptEnd(REPORT_LIMITS.outputCharacters);
  #problem: OpenProblem | undefined;

  constructor(attributes: ElementAttributes, suite: JunitSuite | null) {
    this.#attributes = attributes;
    this.#suite = suite;
  }

  get hasOpenProblem(): boolean {
    return this.#problem !== undefined;
  }

  openProblem(kind: ProblemKind, attributes: ElementAttributes): void {
    this.closeProblem();
    this.#problem = new OpenProblem(kind, attributes);
  }

  closeProblem(): void {
    const most = REPORT_LIMITS.attemptsPerTest + REPORT_LIMITS.errorsPerAttempt;
    if (this.#problem && this.#problems.length < most) this.#problems.push(this.#problem.close());
    this.#problem = undefined;
  }

  addProperty(name: string, value: string): void {
    if (this.#properties.length < REPORT_LIMITS.propertiesPerElement) this.#properties.push([name, value]);
  }

  /** Output inside a problem is that of its attempt, and not of the row. */
  addText(target: TextTarget, text: string): void {
    if (this.#problem) this.#problem.addText(target, text);
    else if (target === 'out') this.#out.add(text);
    else if (target === 'err') this.#err.add(text);
  }

  /** `isCut`: whether the file ended inside the element. */
  close(isCut: boolean): JunitRow {
    this.closeProblem();
    return {
      name: this.#attributes.get('name') ?? '',
      classname: this.#attributes.get('classname') ?? '',
      attributes: this.#attributes,
      suite: this.#suite,
      problems: this.#problems,
      properties: this.#properties,
      out: this.#out.text,
      err: this.#err.text,
      cut: isCut,
    };
  }
}

/** A `testsuite` or `testsuites` element, with the problems that are directly below it. */
export class OpenSuite {
  readonly #suite: JunitSuite;
  readonly #problems: JunitProblem[] = [];
  readonly #out = new KeptEnd(REPORT_LIMITS.runErrorCharacters);
  readonly #err = new KeptEnd(REPORT_LIMITS.runErrorCharacters);
  #problem: OpenProblem | undefined;
  #failures = 0;
  #unseen = 0;

  constructor(suite: JunitSuite) {
    this.#suite = suite;
  }

  openProblem(kind: ProblemKind, attributes: ElementAttributes): void {
    if (this.#problems.length < REPORT_LIMITS.runErrors) this.#problem = new OpenProblem(kind, attributes);
  }

  closeProblem(): void {
    if (this.#problem) this.#problems.push(this.#problem.close());
    this.#problem = undefined;
  }

  /** Output inside a problem counts as that of the suite, because an error of the suite has no attempt. */
  addText(target: TextTarget, text: string): void {
    if (target === 'out') this.#out.add(text);
    else if (target === 'err') this.#err.add(text);
    else this.#problem?.addText(target, text);
  }

  addRow(row: JunitRow): void {
    this.#failures += countFailures(row);
  }

  addErrorsOfChild({ failures, unseen }: SuiteErrors): void {
    this.#failures += failures;
    this.#unseen += unseen;
  }

  close(): SuiteErrors {
    return findSuiteErrors({
      suite: this.#suite,
      problems: this.#problems,
      out: this.#out.text,
      err: this.#err.text,
      failures: this.#failures,
      unseen: this.#unseen,
    });
  }
}
